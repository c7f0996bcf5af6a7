//! The decisions between stages; kernels run the same code that a compiler shows.

use lambdav_core::inputs::Inputs;
use lambdav_simd_backend::emit::{Allocation, Listing};
use lambdav_simd_backend::registers::Callable;
use lambdav_simd_backend::{Compiler, EmitError, SimdKernel, Target};
use std::time::{Duration, Instant};

use crate::scheduled;

/// Distinct products and sums in a loop that lanes leave in different rounds.
fn large(operations: usize) -> String {
    let terms: String = (0..operations / 2).map(|i| format!("(+ {i}.5 (* x ")).collect();
    let ends = "))".repeat(operations / 2);
    format!("((rec-func (n x) (if (< x n) (rec (+ n 1) {terms}n{ends}) x)) 0 (.x (frag-coord)))")
}

fn compiler(pixels: f64) -> Compiler {
    let target = Target::host().expect("a machine that is not too old");
    Compiler { pixels, ..Compiler::new(target) }
}

#[test]
fn registers_are_allocated_by_the_size_of_program_and_image() {
    let allocation = |operations: usize, pixels: f64| {
        let compiled = compiler(pixels).compile(&scheduled(&large(operations)));
        compiled.expect("it compiles").allocation
    };
    assert_eq!(allocation(6_000, 1e5), Allocation::Quick);
    assert_eq!(allocation(6_000, 1e6), Allocation::Thorough);
    assert_eq!(allocation(100, 1e5), Allocation::Thorough);
}

#[test]
fn what_is_shown_is_what_runs() {
    let program = scheduled(&large(6_000));
    for side in [256.0_f32, 2048.0] {
        let inputs = Inputs { resolution: [side, side], ..Inputs::default() };
        let kernel = SimdKernel::new(program.clone(), None, &inputs, 9).expect("it compiles");
        let listing = Listing::Assembly;
        let shown = Compiler { listing, ..compiler(f64::from(side * side)) };
        let shown = shown.compile(&program).expect("it compiles");
        assert_eq!(shown.allocation, kernel.allocation());
        assert_eq!(shown.choice.reason, kernel.reason());
        assert_eq!((shown.code.size(), shown.code.stack()), {
            let code = kernel.code();
            (code.size(), code.stack())
        });
        assert!(shown.code.listing().contains("; row\n"));
    }
}

#[test]
fn compiling_ends_at_its_deadline() {
    let program = scheduled(&large(200));
    let compile = |deadline| Compiler { deadline, ..compiler(1e6) }.compile(&program);
    let past = compile(Some(Instant::now()));
    assert!(matches!(past, Err(EmitError::TimedOut)), "{past:?}");
    assert!(compile(Instant::now().checked_add(Duration::from_secs(3600))).is_ok());
}
