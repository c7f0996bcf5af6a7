//! The engines under comparison.

mod lanes;
mod simd;
mod source;
mod text;

use crate::engine::Engine;

/// All engines but the core evaluator, with which each of them is compared.
///
/// This is the place to add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    let simd = [("simd1", 1), ("simd4", 4), ("simd8", 8), ("simd16", 16), ("simd32", 32)];
    let mut engines: Vec<Box<dyn Engine>> =
        vec![Box::new(text::Text), Box::new(source::Source), Box::new(lanes::Lanes)];
    engines
        .extend(simd.map(|(name, lanes)| Box::new(simd::Simd { name, lanes }) as Box<dyn Engine>));
    engines
}
