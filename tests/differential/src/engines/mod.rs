//! The engines under comparison.

mod evaluated;
mod fixed;
mod lanes;
mod listed;
mod registers;
mod simd;
mod source;
mod spirv;
mod text;
mod usual;

use crate::engine::Engine;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::emit::{Allocation, Wide};
use lambdav_simd_backend::kernel::Spilling;
use lambdav_simd_backend::machine::{Machine, PerClass, Tile};
use listed::By;

/// All engines but the core evaluator, which is the reference of each.
///
/// To add one: a module here with a type that implements [`Engine`], and a line.
pub fn all() -> Vec<Box<dyn Engine>> {
    let simd = [
        ("simd1", BASELINE, 1, None, Allocation::Thorough),
        ("simd4", BASELINE, 4, None, Allocation::Thorough),
        ("simd8", BASELINE, 8, None, Allocation::Thorough),
        ("simd16", BASELINE, 16, None, Allocation::Thorough),
        ("simd32", BASELINE, 32, None, Allocation::Thorough),
        // Nearly everything is spilled.
        ("spilled4", BASELINE, 4, Some(6), Allocation::Thorough),
        ("quick8", BASELINE, 8, None, Allocation::Quick),
    ];
    // Wide targets that this processor can execute.
    let wide = Wide::ALL.into_iter().filter(|wide| wide.is_here()).flat_map(|wide| {
        let name = wide.name();
        let names = match wide {
            Wide::Avx2 => ["avx2-8", "avx2-16", "avx2-32", "avx2-spilled8", "avx2-quick16"],
            Wide::Avx512At256 => ["evex-8", "evex-16", "evex-32", "evex-spilled8", "evex-quick16"],
            Wide::Avx512 => {
                ["avx512-16", "avx512-32", "avx512-64", "avx512-spilled16", "avx512-quick32"]
            }
        };
        let register = if wide == Wide::Avx512 { 16 } else { 8 };
        [
            (names[0], name, register, None, Allocation::Thorough),
            (names[1], name, 2 * register, None, Allocation::Thorough),
            (names[2], name, 4 * register, None, Allocation::Thorough),
            (names[3], name, register, Some(6), Allocation::Thorough),
            (names[4], name, 2 * register, None, Allocation::Quick),
        ]
    });
    let registers = [
        // The program that machine code is made of, before spilling.
        ("registers8", 8, machine(Tile::FOUR, [16, 0], [0, 0]), Spilling::Before),
        // Nearly everything is spilled.
        ("starved4", 4, machine(Tile::FOUR, [5, 0], [0, 0]), Spilling::After),
        // Registers of 256 and of 512 bits, with mask registers and registers that survive calls.
        ("wide16", 16, machine(Tile::EIGHT, [8, 0], [3, 0]), Spilling::After),
        ("widest32", 32, machine(Tile::SIXTEEN, [7, 3], [2, 0]), Spilling::After),
    ];
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(text::Text),
        Box::new(source::Source),
        Box::new(usual::Usual),
        Box::new(fixed::Fixed),
        Box::new(lanes::Lanes { name: "lanes", quads: false }),
        Box::new(lanes::Lanes { name: "quads", quads: true }),
        Box::new(spirv::Spirv),
    ];
    engines.extend(simd.into_iter().chain(wide).map(
        |(name, target, lanes, registers, allocation)| {
            let specialised = false;
            let engine = simd::Simd { name, target, lanes, registers, allocation, specialised };
            Box::new(engine) as Box<dyn Engine>
        },
    ));
    // The host's widest target, with the sizes of textures and buffers as constants.
    engines.push(Box::new(simd::Simd {
        name: "specialised16",
        target: Target::here().last().unwrap_or(BASELINE),
        lanes: 16,
        registers: None,
        allocation: Allocation::Thorough,
        specialised: true,
    }));
    engines.extend(registers.map(|(name, lanes, machine, spilling)| {
        Box::new(registers::Registers { name, lanes, machine, spilling }) as Box<dyn Engine>
    }));
    engines.extend(
        listed().into_iter().map(|(name, lanes, by)| {
            Box::new(listed::Listed { name, lanes, by }) as Box<dyn Engine>
        }),
    );
    engines.extend(evaluated().into_iter().map(|engine| Box::new(engine) as Box<dyn Engine>));
    engines
}

const BASELINE: &str = Target::BASELINE;

/// Engines of listed lanes.
fn listed() -> Vec<(&'static str, u32, By)> {
    let wide = Wide::ALL.into_iter().filter(|wide| wide.is_here());
    let wide = wide.map(|wide| match wide {
        Wide::Avx2 => ("listed-avx2-16", 16, By::Machine(wide.name())),
        Wide::Avx512At256 => ("listed-evex-32", 32, By::Machine(wide.name())),
        Wide::Avx512 => ("listed-avx512-32", 32, By::Machine(wide.name())),
    });
    let mut all = vec![
        ("listed1", 1, By::Machine(BASELINE)),
        ("listed8", 8, By::Machine(BASELINE)),
        (
            "listed-registers8",
            8,
            By::Interpreter(machine(Tile::FOUR, [5, 0], [0, 0]), Spilling::After),
        ),
        (
            "listed-wide16",
            16,
            By::Interpreter(machine(Tile::EIGHT, [8, 0], [3, 0]), Spilling::Before),
        ),
    ];
    all.extend(wide);
    if cfg!(all(unix, target_arch = "x86_64")) {
        all.push(("evaluated-listed-avx2-8", 8, By::Evaluator("avx2")));
        all.push(("evaluated-listed-avx512-32", 32, By::Evaluator("avx512")));
    }
    all
}

/// Machine code under the evaluator, on hosts with the calling convention that the evaluator models.
fn evaluated() -> Vec<evaluated::Evaluator> {
    if !cfg!(all(unix, target_arch = "x86_64")) {
        return Vec::new();
    }
    let engines = [
        ("evaluated8", 8, BASELINE, None, Allocation::Thorough),
        ("evaluated-avx2-16", 16, "avx2", None, Allocation::Thorough),
        ("evaluated-avx512-16", 16, "avx512", None, Allocation::Thorough),
        ("evaluated-avx512-64", 64, "avx512", None, Allocation::Thorough),
        ("evaluated-avx512-spilled16", 16, "avx512", Some(6), Allocation::Thorough),
        ("evaluated-avx512-quick16", 16, "avx512", None, Allocation::Quick),
        ("evaluated-avx512-256-8", 8, "avx512-256", None, Allocation::Thorough),
        ("evaluated-avx512-256-quick32", 32, "avx512-256", None, Allocation::Quick),
    ];
    let engine = |(name, lanes, target, registers, allocation)| evaluated::Evaluator {
        name,
        lanes,
        target,
        registers,
        allocation,
    };
    engines.map(engine).into()
}

/// A machine with these numbers of vector and mask registers, and of registers that survive calls.
fn machine(tile: Tile, registers: [usize; 2], preserved: [usize; 2]) -> Machine {
    let (registers, preserved) = (PerClass(registers), PerClass(preserved));
    Machine { tile, registers, preserved, fma: false }
}
