//! The engines under comparison.

mod lanes;
mod simd;
mod source;
mod spirv;
mod text;

use crate::engine::Engine;
use lambdav_simd_backend::cranelift::Allocation;

/// All engines but the core evaluator, with which each of them is compared.
///
/// This is the place to add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    let simd = [
        ("simd1", 1, None, Allocation::Thorough),
        ("simd4", 4, None, Allocation::Thorough),
        ("simd8", 8, None, Allocation::Thorough),
        ("simd16", 16, None, Allocation::Thorough),
        ("simd32", 32, None, Allocation::Thorough),
        // Nearly everything lies in memory.
        ("spilled4", 4, Some(6), Allocation::Thorough),
        ("quick8", 8, None, Allocation::Quick),
    ];
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(text::Text),
        Box::new(source::Source),
        Box::new(lanes::Lanes),
        Box::new(spirv::Spirv),
    ];
    engines.extend(simd.map(|(name, lanes, registers, allocation)| {
        Box::new(simd::Simd { name, lanes, registers, allocation }) as Box<dyn Engine>
    }));
    engines
}
