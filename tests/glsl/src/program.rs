//! Programs as typed trees.
//!
//! Every variable has a number of its own, so a tree does not depend on scopes. Names may be equal: the
//! generator uses a variable only where its name is not hidden.

use crate::builtins::Builtin;
use crate::dialect::Dialect;
pub use crate::types::{Scalar, Structure, Type};

/// The number of a variable in [`Program::variables`].
pub type VariableId = usize;

/// A variable of any kind.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the text.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the operator of its name")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Xor,
}

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `!`.
    Not,
    /// `~`.
    BitNot,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The type of its value.
    pub ty: Type,
    /// What it computes.
    pub kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar literal, as a word.
    Literal(u32),
    /// A variable.
    Variable(VariableId),
    /// A field of a structure.
    Field(Box<Expr>, usize),
    /// An element, column or component.
    Index(Box<Expr>, Box<Expr>),
    /// Components of a vector; the number of the set of letters, 0 to 2.
    Swizzle(Box<Expr>, Vec<u8>, u8),
    /// `.length()` of an array. The array is not evaluated.
    Length(Box<Expr>),
    /// An operator of one operand.
    Unary(Unary, Box<Expr>),
    /// `++` or `--`; the result is the new value if it is prefix, else the old one.
    Step {
        /// The changed place.
        target: Box<Expr>,
        /// True for `++x`.
        is_prefix: bool,
        /// True for `--`.
        is_decrement: bool,
    },
    /// An operator of two operands. `&&` and `||` evaluate the second if the first does not decide.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `=`, or a compound assignment.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `?:`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The comma operator.
    Comma(Box<Expr>, Box<Expr>),
    /// A constructor of the expression's type.
    Construct(Vec<Expr>),
    /// An implicit conversion, which has no text.
    Convert(Box<Expr>),
    /// A builtin function.
    Builtin(Builtin, Vec<Expr>),
    /// A function of the program.
    Call(usize, Vec<Expr>),
    /// An application of a macro, and its expansion.
    Macro(usize, Vec<Expr>, Box<Expr>),
    /// A parameter of a macro, in its body only.
    Parameter(usize),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A declaration of variables of one type.
    Declare {
        /// The variables and their initialisers.
        variables: Vec<(VariableId, Option<Expr>)>,
        /// True for `const`.
        is_const: bool,
    },
    /// An expression for its effects.
    Expression(Expr),
    /// `if`.
    If(Expr, Vec<Self>, Option<Vec<Self>>),
    /// `for`. `first` is a declaration or an expression.
    For {
        /// The first clause.
        first: Option<Box<Self>>,
        /// The condition; true if there is none.
        condition: Option<Expr>,
        /// The expression after each round.
        step: Option<Expr>,
        /// The body.
        body: Vec<Self>,
    },
    /// `while`.
    While(Expr, Vec<Self>),
    /// `do … while`.
    DoWhile(Vec<Self>, Expr),
    /// `switch`.
    Switch(Expr, Vec<Case>),
    /// A block with a scope of its own.
    Block(Vec<Self>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expr>),
    /// `discard`.
    Discard,
    /// Lines for the preprocessor that leave no token.
    Text(String),
    /// `debugPrintfEXT` with a number of its own, of variables. In `#version 450` alone.
    Print(usize, Vec<VariableId>),
}

/// The format of a message: its number, and a specifier for each value.
pub fn message_format(number: usize, types: &[&Type]) -> String {
    let mut format = format!("message {number}: 100%%");
    for (k, ty) in types.iter().enumerate() {
        let (scalar, width) = match ty {
            Type::Scalar(scalar) => (*scalar, 1),
            Type::Vector(scalar, width) => (*scalar, *width),
            _ => unreachable!("only numbers and vectors are printed"),
        };
        let vector = if width > 1 { format!("v{width}") } else { String::new() };
        let conversions = match scalar {
            Scalar::Float => ["a", "g", "e", "f"],
            Scalar::Int => ["d", "i", "x", "d"],
            Scalar::Uint => ["u", "x", "X", "o"],
            Scalar::Bool => ["d", "u", "d", "u"],
        };
        format += &format!(" %{vector}{}", conversions[(number + k) % 4]);
    }
    format
}

/// Labels and the statements after them.
#[derive(Clone, Debug)]
pub struct Case {
    /// The labels; `None` is `default`. At least one.
    pub labels: Vec<Option<u32>>,
    /// The statements. Without a `break` at the end, the next case follows.
    pub body: Vec<Statement>,
}

/// The direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `in`.
    In,
    /// `const in`.
    ConstIn,
    /// `out`.
    Out,
    /// `inout`.
    InOut,
}

impl Direction {
    /// True if the parameter is copied back.
    pub fn is_out(self) -> bool {
        matches!(self, Self::Out | Self::InOut)
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, which overloads share.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<(VariableId, Direction)>,
    /// The result's type.
    pub result: Type,
    /// The body.
    pub body: Vec<Statement>,
}

/// A macro. Each parameter in its body stands in parentheses, and so does the body.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// The types of the arguments; without a parameter list if there are none.
    pub parameters: Vec<Type>,
    /// The body.
    pub body: Expr,
}

/// A part of the text at the top level, in order.
#[derive(Clone, Debug)]
pub enum Item {
    /// A structure's declaration.
    Structure(usize),
    /// A variable with its initialiser. Initialisers run in order, before `main`.
    Global {
        /// The variable.
        variable: VariableId,
        /// The initialiser.
        value: Option<Expr>,
        /// True for `const`.
        is_const: bool,
    },
    /// A macro's definition.
    Macro(usize),
    /// A function's declaration, whose definition is after `main`.
    Prototype(usize),
    /// A function's definition.
    Function(usize),
    /// The uniforms.
    Uniforms,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The dialect whose rules it keeps.
    pub dialect: Dialect,
    /// The structures.
    pub structures: Vec<Structure>,
    /// All variables.
    pub variables: Vec<Variable>,
    /// The uniforms with their values.
    pub uniforms: Vec<(VariableId, Vec<u32>)>,
    /// The macros.
    pub macros: Vec<Macro>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The text's order.
    pub items: Vec<Item>,
    /// The output, a `vec4`.
    pub output: VariableId,
    /// `gl_FragCoord`, a `vec4`.
    pub position: VariableId,
    /// `gl_FrontFacing`, a `bool`.
    pub facing: VariableId,
    /// The body of `main`.
    pub main: Vec<Statement>,
}

impl Program {
    /// A program that does nothing, with the variables of the language.
    pub fn new(dialect: Dialect) -> Self {
        let mut program = Self {
            dialect,
            structures: Vec::new(),
            variables: Vec::new(),
            uniforms: Vec::new(),
            macros: Vec::new(),
            functions: Vec::new(),
            items: Vec::new(),
            output: 0,
            position: 0,
            facing: 0,
            main: Vec::new(),
        };
        let vec4 = Type::of(Scalar::Float, 4);
        program.output = program.variable("o", vec4.clone());
        program.position = program.variable("gl_FragCoord", vec4);
        program.facing = program.variable("gl_FrontFacing", Type::BOOL);
        program
    }

    /// Another variable.
    pub fn variable(&mut self, name: &str, ty: Type) -> VariableId {
        self.variables.push(Variable { name: name.into(), ty });
        self.variables.len() - 1
    }

    /// An expression that reads a variable.
    pub fn read(&self, variable: VariableId) -> Expr {
        Expr::new(self.variables[variable].ty.clone(), Kind::Variable(variable))
    }
}

impl Expr {
    /// An expression.
    pub fn new(ty: Type, kind: Kind) -> Self {
        Self { ty, kind }
    }

    /// A literal.
    pub fn literal(scalar: Scalar, word: u32) -> Self {
        Self::new(Type::Scalar(scalar), Kind::Literal(word))
    }

    /// An `int` literal.
    pub fn int(value: i32) -> Self {
        Self::literal(Scalar::Int, value as u32)
    }

    /// A `float` literal.
    pub fn float(value: f32) -> Self {
        Self::literal(Scalar::Float, value.to_bits())
    }

    /// A builtin's call.
    pub fn builtin(ty: Type, builtin: Builtin, arguments: Vec<Self>) -> Self {
        Self::new(ty, Kind::Builtin(builtin, arguments))
    }

    /// An operator of two operands.
    pub fn binary(ty: Type, op: Binary, a: Self, b: Self) -> Self {
        Self::new(ty, Kind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// The operands in order of their text. Of a macro, the expansion.
    pub fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Literal(_) | Kind::Variable(_) | Kind::Parameter(_) => Vec::new(),
            Kind::Field(a, _)
            | Kind::Swizzle(a, ..)
            | Kind::Length(a)
            | Kind::Unary(_, a)
            | Kind::Convert(a)
            | Kind::Macro(_, _, a) => vec![a],
            Kind::Step { target, .. } => vec![target],
            Kind::Index(a, b)
            | Kind::Binary(_, a, b)
            | Kind::Assign(_, a, b)
            | Kind::Comma(a, b) => vec![a, b],
            Kind::Conditional(a, b, c) => vec![a, b, c],
            Kind::Construct(all) | Kind::Builtin(_, all) | Kind::Call(_, all) => {
                all.iter().collect()
            }
        }
    }

    /// The same for changes. Arguments of a macro are left out.
    pub fn operands_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            Kind::Literal(_) | Kind::Variable(_) | Kind::Parameter(_) => Vec::new(),
            Kind::Field(a, _)
            | Kind::Swizzle(a, ..)
            | Kind::Length(a)
            | Kind::Unary(_, a)
            | Kind::Convert(a)
            | Kind::Macro(_, _, a) => vec![a],
            Kind::Step { target, .. } => vec![target],
            Kind::Index(a, b)
            | Kind::Binary(_, a, b)
            | Kind::Assign(_, a, b)
            | Kind::Comma(a, b) => vec![a, b],
            Kind::Conditional(a, b, c) => vec![a, b, c],
            Kind::Construct(all) | Kind::Builtin(_, all) | Kind::Call(_, all) => {
                all.iter_mut().collect()
            }
        }
    }

    /// True if no leaf but literals decides the value. (A `const` variable counts as another leaf if
    /// `is_const` says so.)
    pub fn is_constant(&self, is_const: &dyn Fn(VariableId) -> bool) -> bool {
        match &self.kind {
            Kind::Literal(_) | Kind::Length(_) => true,
            Kind::Variable(id) => is_const(*id),
            Kind::Parameter(_) | Kind::Step { .. } | Kind::Assign(..) | Kind::Call(..) => false,
            _ => self.operands().iter().all(|operand| operand.is_constant(is_const)),
        }
    }

    /// True if any expression inside, or this one, has the property.
    pub fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self) || self.operands().iter().any(|operand| operand.any(is))
    }
}
