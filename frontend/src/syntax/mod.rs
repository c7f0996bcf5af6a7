//! The syntax tree: numbers, integers, `true`, `false`, identifiers, strings and lists, each with its
//! span.
//!
//! The tree is an arena in post-order: the children of a list have smaller indices than the list
//! itself, so a pass that needs its children's results is a loop over the arena, and no pass has to
//! recurse on the depth of the program.
//!
//! [`decode()`] turns bytes into a [`SourceFile`], [`parse`] turns that
//! into a [`Tree`]. Both always return a result: what cannot be read is reported, and stands in the
//! tree as [`ExprKind::Error`]. Between them, [`include`](mod@include) adds the files that a program
//! includes to its source; the tree has their forms in place of the `include`s.

mod foreign;
pub mod include;
mod lexer;
mod number;
mod parser;
#[cfg(test)]
mod tests;

pub use foreign::{foreign, foreign_comments};
pub use number::read_integer;
pub use parser::{parse, parse_within};

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::limits;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Scalar;

/// Takes the bytes of a shader as text; `name` is what messages call it.
///
/// # Errors
///
/// As [`lambdav_core::decode::decode`], with the limit [`limits::TEXT`].
pub fn decode(
    name: impl Into<String>,
    bytes: Vec<u8>,
) -> Result<SourceFile, (SourceFile, Diagnostic)> {
    lambdav_core::decode::decode(name, bytes, limits::TEXT)
}

/// Index of a node in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

impl ExprId {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, already rounded to binary32. `index` is its value where the token consists of
    /// decimal digits alone and fits (what `output`, `at` and `col` want), else `None`.
    Number {
        /// The nearest binary32 value.
        value: f32,
        /// The value of a token of digits alone.
        index: Option<u32>,
    },
    /// An integer of that type, as its bits.
    Integer(Scalar, u32),
    /// `true` or `false`.
    Bool(bool),
    /// An identifier.
    Identifier(Box<str>),
    /// What stands between the quotes of a string.
    String(Box<str>),
    /// A list of expressions.
    List(Box<[ExprId]>),
    /// Something that could not be read; it has been reported, and later stages keep silent on it.
    Error,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands; of a list, from parenthesis to parenthesis.
    pub span: Span,
}

/// A parsed text: the arena and the top-level expressions in order.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Expr>,
    /// The top-level expressions, in order.
    pub roots: Vec<ExprId>,
}

impl Tree {
    /// The node of that index.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// Adds a node; the children of a list must be in the tree already.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.nodes.push(expr);
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, children before their lists.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(i, e)| (ExprId(i as u32), e))
    }
}
