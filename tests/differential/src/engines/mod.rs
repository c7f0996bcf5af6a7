//! The engines under comparison.

mod simd;
mod source;
mod text;

use crate::engine::Engine;

/// All engines but the core evaluator, with which each of them is compared.
///
/// This is the place to add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = vec![Box::new(text::Text), Box::new(source::Source)];
    for (name, lanes) in
        [("simd-1", 1), ("simd-4", 4), ("simd-8", 8), ("simd-16", 16), ("simd-32", 32)]
    {
        all.push(Box::new(simd::Simd { name, lanes }));
    }
    all
}
