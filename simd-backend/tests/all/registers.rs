//! Register programs: limits and cancellation when they are interpreted, and their text, read back.

use std::sync::atomic::AtomicU64;

use lambdav_core::math;
use lambdav_core::schedule::schedule;
use lambdav_matrix::pictures;
use lambdav_simd_backend::machine::{Machine, PerClass, Tile};
use lambdav_simd_backend::registers::interpret::{frame, row};
use lambdav_simd_backend::registers::{
    Inputs, POLL_ROUNDS, Poll, Procedure, RegisterFunction, RegisterProgram, Row, Status, read,
};
use lambdav_simd_backend::{Compiler, Target};

use crate::scheduled;

/// A program for eight lanes in registers of four, on a machine with hardly any registers.
fn program(shader: &str) -> RegisterProgram {
    let machine = Machine {
        tile: Tile::FOUR,
        registers: PerClass([5, 0]),
        preserved: PerClass([0, 0]),
        fma: false,
    };
    let target = Target::host().expect("a machine that is not too old").with_machine(machine);
    let compiler = Compiler { lanes: Some(8), ..Compiler::new(target) };
    let lanes = compiler.lane_program(&scheduled(shader));
    compiler.register_program(&lanes, compiler.choice(&lanes).shape).0
}

/// Runs two groups under a mask, and returns their pixels.
fn run(
    program: &RegisterProgram,
    max_iterations: u64,
    mask: [u32; 8],
    frontier: u64,
) -> Result<(Status, Vec<[f32; 4]>), String> {
    let inputs = Inputs::of_words(vec![0; program.inputs.len()], max_iterations);
    let frontier = AtomicU64::new(frontier);
    let poll = Poll { frontier: &frontier, first: 1 };
    let (status, slots) = frame(program, &inputs, poll).map_err(|trap| trap.to_string())?;
    if status != Status::Done {
        return Ok((status, Vec::new()));
    }
    let mut pixels = vec![[f32::NAN; 4]; 16];
    let place = Row { x: 4, y: 2, groups: 2, stride: 8, plane: 0 };
    let status = row(program, &inputs, &slots, &mask, poll, place, &mut pixels);
    status.map(|status| (status, pixels)).map_err(|trap| trap.to_string())
}

const ALL: [u32; 8] = [u32::MAX; 8];

/// In column c the loop takes c + 1 rounds: while n < c + 0.5.
const COLUMNS: &str = "((rec-func (n) (if (< n (.x (frag-coord))) (rec (+ n 1)) n)) 0)";

#[test]
fn pixels_are_where_they_belong() {
    let (status, pixels) = run(&program(COLUMNS), 100, ALL, u64::MAX).expect("it is correct");
    assert_eq!(status, Status::Done);
    for (i, pixel) in pixels.iter().enumerate() {
        assert_eq!(pixel[0], (4 + i % 8 + 1) as f32, "{i}");
    }
}

/// The latch stores `(* n d)` in the slot of `k` only after the call of `exp2` has read it.
#[test]
fn what_goes_round_is_read_before_it_is_replaced() {
    let text =
        "((rec-func (k d n) (if (< n (.x (frag-coord))) (rec (* n d) (exp2 k) (+ n 1)) k)) 0 0 0)";
    let of_column = |x: f32| {
        let (mut k, mut d, mut n) = (0.0, 0.0, 0.0);
        while n < x {
            (k, d, n) = (n * d, math::exp2(k), n + 1.0);
        }
        k
    };
    let target = Target::host().expect("a machine that is not too old");
    let compiler = Compiler { lanes: Some(1), ..Compiler::new(target) };
    let lanes = compiler.lane_program(&scheduled(text));
    let (program, _) = compiler.register_program(&lanes, compiler.choice(&lanes).shape);
    let inputs = Inputs::of_words(vec![0; program.inputs.len()], 100);
    let poll = Poll { frontier: &AtomicU64::new(u64::MAX), first: 1 };
    let (_, slots) = frame(&program, &inputs, poll).expect("it is correct");
    let place = Row { x: 0, y: 0, groups: 8, stride: 8, plane: 0 };
    let mut pixels = vec![[f32::NAN; 4]; 8];
    let status = row(&program, &inputs, &slots, &[u32::MAX], poll, place, &mut pixels);
    assert_eq!(status.expect("it is correct"), Status::Done);
    for (i, pixel) in pixels.iter().enumerate() {
        assert_eq!(pixel[0], of_column(i as f32 + 0.5), "{i}");
    }
}

#[test]
fn loops_are_limited_by_active_lanes() {
    let program = program(COLUMNS);
    // The last column of the second group is 11, which takes 12 rounds; the other columns take at
    // most 11.
    assert_eq!(run(&program, 12, ALL, u64::MAX).expect("it is correct").0, Status::Done);
    assert_eq!(run(&program, 11, ALL, u64::MAX).expect("it is correct").0, Status::Limit(0));
    let mut mask = ALL;
    (mask[3], mask[7]) = (0, 0);
    assert_eq!(run(&program, 11, mask, u64::MAX).expect("it is correct").0, Status::Done);
}

#[test]
fn long_loops_are_cancelled() {
    let long = format!("((rec-func (n) (if (< n {}) (rec (+ n 1)) n)) (time))", 2 * POLL_ROUNDS);
    let status = run(&program(&long), u64::MAX, ALL, 0).expect("it is correct").0;
    assert_eq!(status, Status::Cancelled);
    assert_eq!(run(&program(&long), u64::MAX, ALL, 2).expect("it is correct").0, Status::Done);
}

/// True if the programs are equal, except in the types of registers that nothing assigns.
fn is_same(a: &RegisterProgram, b: &RegisterProgram) -> bool {
    let code = |of: &RegisterFunction| (of.blocks.clone(), of.spill_slots);
    let procedure = |of: &Procedure| (of.elementary, of.is_vector, code(&of.code));
    let procedures = |of: &RegisterProgram| of.procedures.iter().map(procedure).collect::<Vec<_>>();
    (a.shape, a.items, a.attachments) == (b.shape, b.items, b.attachments)
        && (a.primitive_words, a.array_words) == (b.primitive_words, b.array_words)
        && (&a.resources, &a.inputs, &a.slots) == (&b.resources, &b.inputs, &b.slots)
        && [&a.frame, &a.row].map(code) == [&b.frame, &b.row].map(code)
        && procedures(a) == procedures(b)
}

/// The text of a program reads back as the program, for each target, before and after spilling.
#[test]
fn programs_survive_as_text() {
    let mut count = 0;
    for shader in pictures::gallery() {
        for output in &shader.core().outputs {
            let program = schedule(shader.core(), &[output.location]).expect("it nests little");
            for (name, lanes) in [("avx2", 8), ("avx512", 16), ("avx512", 32), ("baseline", 1)] {
                let target = Target::named(name).expect("a machine that is not too old");
                let target = target.expect("a known name").with_vector_registers(7);
                let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
                let of_lanes = compiler.lane_program(&program);
                let shape = compiler.choice(&of_lanes).shape;
                let unspilled = compiler.unspilled(&of_lanes, shape);
                let spilled = compiler.register_program(&of_lanes, shape).0;
                for program in [unspilled, spilled] {
                    let text = program.to_string();
                    let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                    assert!(again.to_string() == text, "{name}, {lanes} lanes: {}", shader.name);
                    assert!(is_same(&again, &program), "{name}, {lanes} lanes: {}", shader.name);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "{count} programs");
}
