//! Syntax of GLSL: tokens to a tree.

mod declarations;
mod expressions;
mod parser;
mod statements;
mod words;
pub(crate) mod tree;

pub(crate) use parser::parse;
pub(crate) use words::{Word, Words};
