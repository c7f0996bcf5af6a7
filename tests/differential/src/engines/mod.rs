//! The engines under comparison.

mod lanes;
mod simd;
mod source;
mod spirv;
mod text;

use crate::engine::Engine;

/// All engines but the core evaluator, with which each of them is compared.
///
/// This is the place to add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    let simd = [
        ("simd1", 1, None),
        ("simd4", 4, None),
        ("simd8", 8, None),
        ("simd16", 16, None),
        ("simd32", 32, None),
        // Nearly everything lies in memory.
        ("spilled4", 4, Some(6)),
    ];
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(text::Text),
        Box::new(source::Source),
        Box::new(lanes::Lanes),
        Box::new(spirv::Spirv),
    ];
    engines.extend(simd.map(|(name, lanes, registers)| {
        Box::new(simd::Simd { name, lanes, registers }) as Box<dyn Engine>
    }));
    engines
}
