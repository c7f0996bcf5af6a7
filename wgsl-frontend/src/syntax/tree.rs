//! The syntax tree.
//!
//! *An expression is a sequence of nodes in the order of evaluation*: operands come before their operator, and
//! marks between them say where an operand is read and where the right side of `&&` begins. So neither the
//! parser nor the check recurses on the depth of an expression. Types are expressions, too: `array<f32, N>` is
//! `f32`, `N`, then the template with two arguments.

use crate::token::{Name, Number};
use lambdav_core::source::Span;

/// All modules of a program.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub(crate) globals: Vec<Global>,
    /// The nodes of all expressions.
    pub(crate) nodes: Vec<Node>,
}

/// An expression: its nodes in [`Unit::nodes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expression {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) span: Span,
}

/// A part of an expression. The span is that of the whole operation, or of the token for a mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) code: Code,
    pub(crate) span: Span,
}

/// A name as it is used: in a module, since each has its own declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reference {
    pub(crate) module: u32,
    pub(crate) name: Name,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    Number(Number),
    Bool(bool),
    /// An identifier without a template list; the callee of a call stands in front of its arguments.
    Name(Reference),
    /// An identifier with a template list of so many arguments, which stand in front.
    Template(Reference, u32),
    /// Reads the reference on the top: a left operand is read before the right one is evaluated.
    Load,
    Unary(Unary),
    Binary(Binary),
    /// The left operand of `&&` (true) or `||` is complete.
    Short(bool),
    /// Both operands are.
    ShortEnd(bool),
    Field(Name),
    Index,
    /// A call with so many arguments.
    Call(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Complement,
    Not,
    AddressOf,
    Dereference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

impl Binary {
    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Less => "<",
            Self::Greater => ">",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
        }
    }

    /// True for operators whose result is a bool.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Less
                | Self::Greater
                | Self::LessEqual
                | Self::GreaterEqual
                | Self::Equal
                | Self::NotEqual
        )
    }
}

/// `@location(0)`
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Name,
    pub(crate) span: Span,
    /// Names that depend on the attribute: those of `@builtin`, `@interpolate`, `@diagnostic`.
    pub(crate) words: Vec<(Name, Span)>,
    pub(crate) arguments: Vec<Expression>,
}

/// A declaration outside of functions.
#[derive(Debug)]
pub(crate) struct Global {
    /// Its module, and its name; an assertion or expression has none.
    pub(crate) module: u32,
    pub(crate) name: Option<Name>,
    /// The place of its name.
    pub(crate) at: Span,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) what: Item,
    /// Names of other declarations that it uses, each once, with the first place.
    pub(crate) uses: Vec<(Reference, Span)>,
    /// The function that it replaces (`override fn` of naga_oil).
    pub(crate) replaces: Option<Reference>,
}

#[derive(Debug)]
pub(crate) enum Item {
    Const {
        ty: Option<Expression>,
        value: Expression,
    },
    Override {
        ty: Option<Expression>,
        value: Option<Expression>,
    },
    Variable(Variable),
    Alias(Expression),
    Structure(Vec<Field>),
    Function(Box<Function>),
    Assert(Expression),
    /// An expression to evaluate.
    Expression(Expression),
}

/// `var<storage, read> a: T = v`
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) template: Vec<Expression>,
    pub(crate) ty: Option<Expression>,
    pub(crate) value: Option<Expression>,
}

/// A member of a structure, or a parameter.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) at: Span,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) ty: Expression,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Field>,
    pub(crate) result: Option<Expression>,
    pub(crate) result_attributes: Vec<Attribute>,
    pub(crate) body: Vec<Statement>,
    /// The closing brace.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) span: Span,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Block(Vec<Statement>),
    Let(Name, Span, Option<Expression>, Expression),
    Const(Name, Span, Option<Expression>, Expression),
    Var(Name, Span, Box<Variable>),
    /// Without a target: `_ = e`.
    Assign {
        target: Option<Expression>,
        op: Option<Binary>,
        value: Expression,
    },
    /// `x++`, `x--`
    Step {
        target: Expression,
        down: bool,
    },
    Call(Expression),
    If {
        arms: Vec<(Expression, Vec<Statement>)>,
        otherwise: Option<Vec<Statement>>,
    },
    Switch {
        value: Expression,
        clauses: Vec<Clause>,
    },
    Loop(Box<Loop>),
    Break,
    Continue,
    Return(Option<Expression>),
    Discard,
    Assert(Expression),
}

/// `case 1, 2: {}`
#[derive(Debug)]
pub(crate) struct Clause {
    /// `None` is `default`.
    pub(crate) selectors: Vec<Option<Expression>>,
    pub(crate) span: Span,
    pub(crate) body: Vec<Statement>,
}

/// All kinds of loops. The scope of `first` holds everything, that of the body the continuing part, too.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) first: Option<Statement>,
    /// The condition of `for` and `while`.
    pub(crate) test: Option<Expression>,
    pub(crate) body: Vec<Statement>,
    /// `continuing`, or the update of `for`.
    pub(crate) continuing: Vec<Statement>,
    pub(crate) break_if: Option<Expression>,
}
