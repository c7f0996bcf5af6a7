//! The engines under comparison.

mod evaluated;
mod lanes;
mod registers;
mod simd;
mod source;
mod spirv;
mod text;

use crate::engine::Engine;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::emit::Allocation;
use lambdav_simd_backend::kernel::Spilling;
use lambdav_simd_backend::machine::{Machine, PerClass, Tile};

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
    let registers = [
        // As machine code is made of, before it is decided what lies in memory.
        ("registers8", 8, machine(Tile::FOUR, [16, 0], [0, 0]), Spilling::Before),
        // Nearly everything lies in memory.
        ("starved4", 4, machine(Tile::FOUR, [5, 0], [0, 0]), Spilling::After),
        // Registers of 256 and of 512 bits; masks of their own, and registers that survive calls.
        ("wide16", 16, machine(Tile::EIGHT, [8, 0], [3, 0]), Spilling::After),
        ("widest32", 32, machine(Tile::SIXTEEN, [7, 3], [2, 0]), Spilling::After),
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
    engines.extend(registers.map(|(name, lanes, machine, spilling)| {
        Box::new(registers::Registers { name, lanes, machine, spilling }) as Box<dyn Engine>
    }));
    engines.extend(evaluated().into_iter().map(|engine| Box::new(engine) as Box<dyn Engine>));
    engines
}

/// Machine code under the evaluator, where its convention and the machine are the evaluator's.
fn evaluated() -> Vec<evaluated::Evaluator> {
    if !cfg!(all(unix, target_arch = "x86_64")) {
        return Vec::new();
    }
    let engines = [
        ("evaluated8", 8, Target::BASELINE),
        ("evaluated-avx512-16", 16, "avx512"),
        ("evaluated-avx512-32", 32, "avx512"),
        ("evaluated-avx512-256-8", 8, "avx512-256"),
    ];
    engines.map(|(name, lanes, target)| evaluated::Evaluator { name, lanes, target }).into()
}

/// A machine with so many vector and mask registers, of which so many survive calls.
fn machine(tile: Tile, registers: [usize; 2], preserved: [usize; 2]) -> Machine {
    let (registers, preserved) = (PerClass(registers), PerClass(preserved));
    Machine { tile, registers, preserved, fma: false }
}
