//! The syntax tree: numbers, integers, `true`, `false`, identifiers, strings and lists, each with its span.
//!
//! The tree is an arena in postorder: the children of a list have smaller indices than the list. So a pass
//! that needs its children's results is a loop over the arena, and no pass recurses on the depth of the
//! program.
//!
//! [`decode()`] turns bytes into a [`SourceFile`], and [`parse`] turns that into a [`Tree`]. Both always
//! return a result: an unreadable part is reported, and becomes [`ExprKind::Error`] in the tree. Between
//! them, [`include`](mod@include) adds the included files to the source; in the tree their forms replace the
//! `include`s.

mod foreign;
pub mod include;
mod lexer;
mod number;
mod parser;
#[cfg(test)]
mod tests;

pub use foreign::{foreign, foreign_comments};
pub use number::read_integer;
pub(crate) use parser::parse_beside;
pub use parser::{parse, parse_within};

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::limits;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Scalar;

/// Decodes the bytes of a shader; `name` is its name in messages.
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

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, rounded to binary32. `index` is its exact value if the token consists of decimal digits only
    /// and fits (as `output`, `at` and `col` require), otherwise `None`.
    Number {
        /// The nearest binary32 value.
        value: f32,
        /// The exact value of a token of digits only.
        index: Option<u32>,
    },
    /// An integer of that type, as its bits.
    Integer(Scalar, u32),
    /// `true` or `false`.
    Bool(bool),
    /// An identifier.
    Identifier(Box<str>),
    /// The text between the quotes of a string.
    String(Box<str>),
    /// A list of expressions.
    List(Box<[ExprId]>),
    /// An unreadable part; it has been reported, so later stages do not report it again.
    Error,
}

/// An expression and its position.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// The position; for a list, from parenthesis to parenthesis.
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
    /// The node with this index.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()]
    }

    /// Adds a node; the children of a list must be in the tree already.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.nodes.push(expr);
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, children before their lists.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(i, e)| (ExprId(i as u32), e))
    }
}
