//! Syntax of GLSL: tokens to a tree.

mod declarations;
mod expressions;
mod parser;
mod statements;
pub(crate) mod tree;
mod words;

pub(crate) use parser::parse;
pub(crate) use words::Words;
