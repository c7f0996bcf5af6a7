//! Programs as typed trees.
//!
//! Every variable has a number of its own, so a tree does not depend on scopes. Declarations of the module are in the
//! order of their dependences; the text has them in any order.

use crate::abstracts::Abstract;
use crate::builtins::Builtin;
pub use lambdav_glsl_tests::program::{Binary, Scalar, Structure, Type, Unary};

/// The number of a variable in [`Program::variables`].
pub type VariableId = usize;

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `const`.
    Const,
    /// `override`.
    Override,
    /// `let`.
    Let,
    /// `var` of a function.
    Var,
    /// `var<private>`.
    Private,
    /// `var<uniform>`, or a member of one.
    Uniform,
    /// A parameter with a value.
    Parameter,
    /// A pointer in a function's memory: a parameter or a `let`.
    FunctionPointer,
    /// A pointer in private memory.
    PrivatePointer,
    /// A pointer to a uniform.
    UniformPointer,
}

impl Role {
    /// True if the name means a place in memory.
    pub fn is_place(self) -> bool {
        matches!(self, Self::Var | Self::Private | Self::Uniform)
    }

    /// True for a pointer.
    pub fn is_pointer(self) -> bool {
        matches!(self, Self::FunctionPointer | Self::PrivatePointer | Self::UniformPointer)
    }
}

/// A named value or place.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the text.
    pub name: String,
    /// Its type; of a pointer, that of the place.
    pub ty: Type,
    /// Its declaration.
    pub role: Role,
    /// The words of a `const` or `override`.
    pub value: Option<Vec<u32>>,
}

/// The time at which a value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// When the text is compiled.
    Const,
    /// When overrides are chosen.
    Override,
    /// When a pixel is drawn.
    Run,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The type of its value; of a pointer, that of the place.
    pub ty: Type,
    /// The computation.
    pub kind: Kind,
    /// The time at which its value is known.
    pub stage: Stage,
    /// The value, if it is known before a pixel is drawn. The evaluator does not use it.
    pub value: Option<Vec<u32>>,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar literal, as a word.
    Literal(u32),
    /// An abstract number, converted to the type.
    Abstract(Abstract),
    /// A comparison of abstract numbers.
    Compare(Binary, Abstract, Abstract),
    /// A variable.
    Variable(VariableId),
    /// The place of a pointer: `*p`.
    Deref(VariableId),
    /// A pointer to a place: `&x`, or a pointer's name for `&*p`.
    AddressOf(Box<Expr>),
    /// A member of a structure.
    Field(Box<Expr>, usize),
    /// An element, column or component.
    Index(Box<Expr>, Box<Expr>),
    /// Components of a vector; true for the letters `rgba`.
    Swizzle(Box<Expr>, Vec<u8>, bool),
    /// An operator of one operand.
    Unary(Unary, Box<Expr>),
    /// An operator of two operands. `&&` and `||` evaluate the second if the first does not decide.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A constructor or conversion; the zero value if there are no parts.
    Construct(Vec<Expr>),
    /// `bitcast`.
    Bitcast(Box<Expr>),
    /// A function of the language.
    Builtin(Builtin, Vec<Expr>),
    /// A function of the program.
    Call(usize, Vec<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `const`, `let` or `var`.
    Declare {
        /// The variable.
        variable: VariableId,
        /// The initialiser. Without one, the value is zero.
        value: Option<Expr>,
        /// True if the text has the type.
        has_type: bool,
    },
    /// `let p = &place;`.
    Pointer(VariableId, Expr),
    /// `=`, or a compound assignment.
    Assign(Option<Binary>, Expr, Expr),
    /// `_ = e;`.
    Phony(Expr),
    /// `x++` or `x--`.
    Step {
        /// The place.
        target: Expr,
        /// True for `--`.
        is_decrement: bool,
    },
    /// A call for its effects.
    Call(Expr),
    /// `if`.
    If(Expr, Vec<Self>, Option<Vec<Self>>),
    /// `for`.
    For {
        /// The first clause.
        first: Option<Box<Self>>,
        /// The condition.
        condition: Option<Expr>,
        /// The statement after each round.
        step: Option<Box<Self>>,
        /// The body.
        body: Vec<Self>,
    },
    /// `while`.
    While(Expr, Vec<Self>),
    /// `loop`.
    Loop {
        /// The body.
        body: Vec<Self>,
        /// Statements of `continuing`.
        continuing: Vec<Self>,
        /// `break if`.
        end: Option<Expr>,
    },
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
    /// `const_assert`.
    Assert(Expr),
}

/// A clause of `switch`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The selectors; `None` is `default`. At least one.
    pub labels: Vec<Option<Expr>>,
    /// The statements.
    pub body: Vec<Statement>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<VariableId>,
    /// The result's type.
    pub result: Type,
    /// The body.
    pub body: Vec<Statement>,
}

/// A constant or variable of the module.
#[derive(Clone, Debug)]
pub struct Global {
    /// The variable.
    pub variable: VariableId,
    /// The initialiser. Without one, the value is zero.
    pub value: Option<Expr>,
    /// True if the text has the type.
    pub has_type: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed of all forms without a meaning in the text: order, parentheses, forms of numbers.
    pub style: u64,
    /// The structures.
    pub structures: Vec<Structure>,
    /// All variables.
    pub variables: Vec<Variable>,
    /// Abstract constants of the module: names and values.
    pub abstracts: Vec<(String, Abstract)>,
    /// Members of the uniform block, with their values.
    pub uniforms: Vec<(VariableId, Vec<u32>)>,
    /// Constants and variables of the module; each uses those before it only.
    pub globals: Vec<Global>,
    /// The functions; each calls those before it only.
    pub functions: Vec<Function>,
    /// `@builtin(position)`, a `vec4<f32>`.
    pub position: VariableId,
    /// `@builtin(front_facing)`, a `bool`.
    pub facing: VariableId,
    /// The body of the entry point, which returns a `vec4<f32>`.
    pub main: Vec<Statement>,
}

impl Program {
    /// A program that does nothing.
    pub fn new(style: u64) -> Self {
        let mut program = Self {
            style,
            structures: Vec::new(),
            variables: Vec::new(),
            abstracts: Vec::new(),
            uniforms: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            position: 0,
            facing: 0,
            main: Vec::new(),
        };
        let vec4 = Type::of(Scalar::Float, 4);
        program.position = program.variable("position", vec4, Role::Parameter);
        program.facing = program.variable("facing", Type::BOOL, Role::Parameter);
        program
    }

    /// Another variable.
    pub fn variable(&mut self, name: &str, ty: Type, role: Role) -> VariableId {
        self.variables.push(Variable { name: name.into(), ty, role, value: None });
        self.variables.len() - 1
    }

    /// An expression that reads a variable.
    pub fn read(&self, id: VariableId) -> Expr {
        let Variable { ty, role, value, .. } = &self.variables[id];
        let stage = match role {
            Role::Const => Stage::Const,
            Role::Override => Stage::Override,
            _ => Stage::Run,
        };
        let kind = if role.is_pointer() { Kind::Deref(id) } else { Kind::Variable(id) };
        Expr { ty: ty.clone(), kind, stage, value: value.clone() }
    }

    /// True if an expression names a place in memory.
    pub fn is_place(&self, of: &Expr) -> bool {
        match &of.kind {
            Kind::Variable(id) => self.variables[*id].role.is_place(),
            Kind::Deref(_) => true,
            Kind::Field(base, _) | Kind::Index(base, _) | Kind::Swizzle(base, ..) => {
                self.is_place(base)
            }
            _ => false,
        }
    }
}

impl Expr {
    /// An expression whose value is known when a pixel is drawn.
    pub fn new(ty: Type, kind: Kind) -> Self {
        Self { ty, kind, stage: Stage::Run, value: None }
    }

    /// A literal.
    pub fn literal(scalar: Scalar, word: u32) -> Self {
        let (ty, kind) = (Type::Scalar(scalar), Kind::Literal(word));
        Self { ty, kind, stage: Stage::Const, value: Some(vec![word]) }
    }

    /// The operands in order of their text.
    pub fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Literal(_)
            | Kind::Abstract(_)
            | Kind::Compare(..)
            | Kind::Variable(_)
            | Kind::Deref(_) => Vec::new(),
            Kind::AddressOf(a)
            | Kind::Field(a, _)
            | Kind::Swizzle(a, ..)
            | Kind::Unary(_, a)
            | Kind::Bitcast(a) => vec![a],
            Kind::Index(a, b) | Kind::Binary(_, a, b) => vec![a, b],
            Kind::Construct(all) | Kind::Builtin(_, all) | Kind::Call(_, all) => {
                all.iter().collect()
            }
        }
    }

    /// The same for changes.
    pub fn operands_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            Kind::Literal(_)
            | Kind::Abstract(_)
            | Kind::Compare(..)
            | Kind::Variable(_)
            | Kind::Deref(_) => Vec::new(),
            Kind::AddressOf(a)
            | Kind::Field(a, _)
            | Kind::Swizzle(a, ..)
            | Kind::Unary(_, a)
            | Kind::Bitcast(a) => vec![a],
            Kind::Index(a, b) | Kind::Binary(_, a, b) => vec![a, b],
            Kind::Construct(all) | Kind::Builtin(_, all) | Kind::Call(_, all) => {
                all.iter_mut().collect()
            }
        }
    }

    /// True if any expression inside, or this one, has the property.
    pub fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self) || self.operands().iter().any(|operand| operand.any(is))
    }
}
