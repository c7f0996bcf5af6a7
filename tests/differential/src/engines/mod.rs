//! The engines under comparison.

mod source;
mod text;

use crate::engine::Engine;

/// All engines but the core evaluator, with which each of them is compared.
///
/// This is the place to add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![Box::new(text::Text), Box::new(source::Source)]
}
