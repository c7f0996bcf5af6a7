//! The parser: tokens to a tree, with several errors in one run.

mod attributes;
mod declarations;
mod expressions;
mod parser;
mod statements;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub(crate) use parser::{Context, parse};
