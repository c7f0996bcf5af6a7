//! Trees of programs. All variables are words.

use lambdav_core::memory::Atomic;

/// A program and its dispatch.
#[derive(Clone, Debug)]
pub struct Program {
    /// The memories, by index.
    pub memories: Vec<MemoryDeclaration>,
    /// The number of variables; each is 0 when an invocation begins.
    pub variables: usize,
    /// The statements of an invocation.
    pub body: Vec<Statement>,
    /// The number of invocations of a workgroup, by axes.
    pub workgroup: [u32; 3],
    /// The number of workgroups, by axes.
    pub groups: [u32; 3],
    /// No two invocations access one word between two barriers, unless both only read it.
    pub is_race_free: bool,
}

/// A memory.
#[derive(Clone, Debug)]
pub struct MemoryDeclaration {
    /// The initial words of a buffer, the number of zeros of a variable of workgroups.
    pub words: Vec<u32>,
    /// True for a variable of workgroups.
    pub is_of_workgroup: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A variable becomes a value.
    Assign(usize, Expression),
    /// A variable becomes the word of a memory at an index.
    Load(usize, usize, Expression),
    /// The word of a memory at an index becomes a value.
    Store(usize, Expression, Expression),
    /// A variable becomes the old word.
    Atomic(AtomicStatement),
    /// All invocations of the workgroup wait.
    Barrier,
    /// Statements if a value is not zero, and if it is.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// Rounds until a [`Statement::Break`].
    Loop(Vec<Statement>),
    /// Directly in a loop: leaves it if the value is not zero.
    Break(Expression),
    /// Directly in a loop: goes on with the next round if the value is not zero.
    Continue(Expression),
}

/// An atomic operation.
#[derive(Clone, Debug)]
pub struct AtomicStatement {
    /// The variable that becomes the old word.
    pub variable: usize,
    /// The function.
    pub atomic: Atomic,
    /// The memory.
    pub memory: usize,
    /// The index.
    pub index: Expression,
    /// Operand and comparand.
    pub words: [Expression; 2],
}

/// An expression of words.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A constant.
    Constant(u32),
    /// A variable.
    Variable(usize),
    /// An index of the invocation along an axis.
    Id(Id, usize),
    /// The number of words of a memory.
    Size(usize),
    /// A function of two words.
    Binary(Binary, Box<[Expression; 2]>),
}

/// An index of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    /// In the dispatch.
    Global,
    /// In the workgroup.
    Local,
    /// The workgroup's.
    Workgroup,
    /// In the workgroup, in one number.
    LocalIndex,
    /// The number of workgroups.
    Workgroups,
}

/// A function of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// Bitwise.
    Xor,
    /// Bitwise.
    And,
    /// The remainder; 0 for a divisor of 0.
    Rem,
    /// 1 if the first is less, else 0.
    Less,
    /// The bits of the sum of the two as numbers.
    AddNumbers,
}
