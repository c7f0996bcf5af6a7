//! The syntax tree.
//!
//! *An expression is a sequence of nodes in the order of evaluation*: operands come before their operator, and
//! marks between them say where an operand is read, where the right side of `&&` begins, and so on. So neither
//! the parser nor the check recurses on the depth of an expression.

use crate::token::Name;
use lambdav_core::source::Span;

/// A whole text.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub(crate) items: Vec<Item>,
    /// The nodes of all expressions.
    pub(crate) nodes: Vec<Node>,
    /// What calls name.
    pub(crate) callees: Vec<Callee>,
    /// An expression behind the items.
    pub(crate) expression: Option<Expression>,
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    Float(f32),
    Double(f64),
    Int(u32),
    Uint(u32),
    Bool(bool),
    /// A string: a whole argument of a call.
    Text(Name),
    Name(Name),
    /// Reads the variable on the top: a left operand is read before the right one is evaluated.
    Value,
    Unary(Unary),
    Binary(Binary),
    /// Assigns the top to the variable below, after an operation.
    Assign(Option<Binary>),
    /// `++` and `--`.
    Step {
        down: bool,
        before: bool,
    },
    Field(Name),
    Index,
    /// `x.length()`.
    Length,
    /// Any other method.
    Method(Name),
    /// A call begins.
    Begin(u32),
    /// An argument of the innermost call ends.
    Argument,
    /// A call ends.
    Call {
        callee: u32,
        arguments: u32,
    },
    /// The left operand of `&&` (true) or `||` is complete.
    Short(bool),
    /// Both operands are.
    ShortEnd(bool),
    /// The condition of `?:` is complete; the second operand; the third one.
    Choose,
    Otherwise,
    Chosen,
    /// Drops the value below the top.
    Comma,
    /// `{a, b}` with this number of values; marks where it begins.
    ListBegin,
    List(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
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
    LogicalXor,
}

impl Unary {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Not => "!",
            Self::Complement => "~",
        }
    }
}

impl Binary {
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
            Self::LogicalXor => "^^",
        }
    }
}

/// What a call names: a function or structure, or a type.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Name(Name, Span),
    Type(TypeSpecifier),
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub(crate) struct TypeSpecifier {
    pub(crate) what: TypeName,
    /// The lengths of an array; `None` is `[]`.
    pub(crate) dims: Vec<Option<Expression>>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeName {
    Named(Name),
    Struct(Box<StructDeclaration>),
}

#[derive(Clone, Debug)]
pub(crate) struct StructDeclaration {
    pub(crate) name: Option<(Name, Span)>,
    pub(crate) members: Vec<Declaration>,
}

/// A storage qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Storage {
    Const,
    In,
    Out,
    InOut,
    Uniform,
    Buffer,
    Shared,
    Attribute,
    Varying,
}

/// The other qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mark {
    Flat,
    Smooth,
    NoPerspective,
    Centroid,
    Sample,
    Patch,
    Invariant,
    Precise,
    Precision,
    Coherent,
    Volatile,
    Restrict,
    ReadOnly,
    WriteOnly,
    /// Accepted, and without meaning here.
    Other,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Qualifiers {
    pub(crate) storage: Vec<(Storage, Span)>,
    pub(crate) marks: Vec<(Mark, Span)>,
    pub(crate) layout: Vec<LayoutItem>,
    pub(crate) span: Option<Span>,
}

impl Qualifiers {
    pub(crate) fn has(&self, storage: Storage) -> bool {
        self.storage.iter().any(|of| of.0 == storage)
    }

    pub(crate) fn marked(&self, mark: Mark) -> bool {
        self.marks.iter().any(|of| of.0 == mark)
    }
}

/// `location = 0`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutItem {
    pub(crate) name: Name,
    pub(crate) value: Option<Expression>,
    pub(crate) span: Span,
}

/// `float a = 1.0, b[2];`.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) qualifiers: Qualifiers,
    pub(crate) ty: TypeSpecifier,
    pub(crate) declarators: Vec<Declarator>,
}

#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) dims: Vec<Option<Expression>>,
    pub(crate) initial: Option<Expression>,
}

/// `uniform Name { … } instance;`.
#[derive(Clone, Debug)]
pub(crate) struct BlockDeclaration {
    pub(crate) qualifiers: Qualifiers,
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) members: Vec<Declaration>,
    pub(crate) instance: Option<Declarator>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) qualifiers: Qualifiers,
    pub(crate) ty: TypeSpecifier,
    pub(crate) name: Option<(Name, Span)>,
    pub(crate) dims: Vec<Option<Expression>>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) result: TypeSpecifier,
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) parameters: Vec<Parameter>,
    /// `None` for a prototype.
    pub(crate) body: Option<Vec<Statement>>,
}

/// A part of a text outside all functions.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Function(Function),
    Declaration(Declaration),
    Block(BlockDeclaration),
    /// `layout(early_fragment_tests) in;`, `invariant gl_Position;`.
    Qualifiers(Qualifiers, Vec<(Name, Span)>),
    /// `precision highp float;`.
    Precision,
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) what: What,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Empty,
    Expression(Expression),
    Declaration(Declaration),
    Prototype(Box<Function>),
    Block(Vec<Statement>),
    If {
        arms: Vec<(Expression, Statement)>,
        otherwise: Option<Box<Statement>>,
    },
    Switch {
        value: Expression,
        body: Vec<Statement>,
    },
    /// `case x:`, or `default:`.
    Case(Option<Expression>),
    Loop(Box<Loop>),
    Break,
    Continue,
    Return(Option<Expression>),
    Discard,
    /// `demote`, `terminateInvocation`.
    Demote,
}

/// `for`, `while` and `do`.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) first: Option<Statement>,
    pub(crate) condition: Option<Condition>,
    pub(crate) step: Option<Expression>,
    pub(crate) body: Statement,
    /// True for `do`, whose condition is tested behind the body.
    pub(crate) test_behind: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Expression(Expression),
    /// `while (bool b = f())`.
    Declaration(Declaration),
}
