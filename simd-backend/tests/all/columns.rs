//! Loads by columns: adjacent pixels that read adjacent words load them without a gather, only
//! after a test of the index.

use std::sync::atomic::AtomicU64;

use lambdav_simd_backend::emit::Listing;
use lambdav_simd_backend::lanes::{Axis, Kind, LaneOp, LaneProgram, StraightLine};
use lambdav_simd_backend::machine::{Machine, PerClass, Tile};
use lambdav_simd_backend::registers::interpret::row;
use lambdav_simd_backend::registers::{End, Inputs, Instr, Poll, RegisterProgram, Row, verify};
use lambdav_simd_backend::{Compiler, Target};

/// The number of words.
const WORDS: u32 = 200;

/// Loads the word at the pixel's column times `factor` plus `distance`.
fn program(distance: i32, factor: u32) -> LaneProgram {
    let mut b = StraightLine::default();
    let x = b.coordinate(Axis::X);
    let column = b.op(LaneOp::ToInteger, &[x]).expect("of a number");
    let [distance, factor, last] =
        [distance as u32, factor, WORDS - 1].map(|number| b.constant(Kind::I32, number.into()));
    let product = b.op(LaneOp::Mul, &[column, factor]).expect("of integers");
    let index = b.op(LaneOp::Add, &[product, distance]).expect("of integers");
    let index = b.op(LaneOp::MinUnsigned, &[index, last]).expect("of integers");
    let word = b.load(Kind::F32, 0, index, WORDS - 1);
    b.finish([word; 4])
}

/// A register program for groups of two registers, on a machine with `count` registers.
fn registers(program: &LaneProgram, tile: Tile, count: usize) -> RegisterProgram {
    let (registers, preserved) = (PerClass([count, 0]), PerClass([0, 0]));
    let machine = Machine { tile, registers, preserved, fma: false };
    let target = Target::host().expect("a machine that is not too old").with_machine(machine);
    let compiler = Compiler { lanes: Some(2 * tile.width()), ..Compiler::new(target) };
    compiler.register_program(program, compiler.choice(program).shape).0
}

/// The number of loads by columns.
fn read_by_columns(program: &RegisterProgram) -> usize {
    let instrs = program.row.blocks.iter().flat_map(|block| &block.instrs);
    instrs.filter(|instr| matches!(instr, Instr::LoadColumns { .. })).count()
}

const TILES: [Tile; 3] = [Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN];

#[test]
fn columns_that_follow_one_another_are_read_together() {
    for tile in TILES {
        for count in [5, 16] {
            let found = registers(&program(-3, 1), tile, count);
            assert_eq!(verify(&found), Ok(()), "{found}");
            assert!(read_by_columns(&found) > 0, "{found}");
            for factor in [2, u32::MAX] {
                let other = registers(&program(-3, factor), tile, count);
                assert_eq!(read_by_columns(&other), 0, "{other}");
            }
        }
    }
}

/// Changes the first test of a program, and the end of its block.
fn change(
    program: &mut RegisterProgram,
    mut test: impl FnMut(&mut Instr),
    mut end: impl FnMut(&mut End),
) {
    let tests = |instr: &Instr| matches!(instr, Instr::Scattered(..));
    let blocks = &mut program.row.blocks;
    let block = blocks.iter_mut().find(|block| block.instrs.iter().any(tests));
    let block = block.expect("there is a test");
    let at = block.instrs.iter().position(tests).expect("as before");
    test(&mut block.instrs[at]);
    end(&mut block.end);
}

#[test]
fn nothing_is_read_by_columns_without_a_test() {
    for tile in TILES {
        let valid = registers(&program(0, 1), tile, 5);
        let [mut swapped, mut other, mut untested] = [(); 3].map(|()| valid.clone());
        change(
            &mut swapped,
            |_| (),
            |end| {
                if let End::Branch { then, otherwise, .. } = end {
                    std::mem::swap(then, otherwise);
                }
            },
        );
        change(
            &mut other,
            |test| {
                if let Instr::Scattered(_, _, columns) = test {
                    columns.step = 4;
                }
            },
            |_| (),
        );
        change(
            &mut untested,
            |test| {
                if let Instr::Scattered(to, ..) = test {
                    *test = Instr::Constant(*to, 0);
                }
            },
            |_| (),
        );
        for broken in [swapped, other, untested] {
            let errors = verify(&broken).expect_err("it is broken");
            let says = |message: &str| message.contains("no test shows that");
            assert!(errors.len() == 1 && says(&errors[0].message), "{errors:?}");
        }
    }
}

/// All indices lie beyond the last word and are clamped to it, so they do not grow. The interpreter
/// traps if the test misses that.
#[test]
fn a_wrong_test_shows_without_machine_code() {
    for tile in TILES {
        let valid = registers(&program(WORDS as i32, 1), tile, 16);
        let mut wrong = valid.clone();
        change(
            &mut wrong,
            |test| {
                if let Instr::Scattered(to, ..) = test {
                    *test = Instr::Constant(*to, 0);
                }
            },
            |_| (),
        );
        let run = |program: &RegisterProgram| {
            let words = (0..WORDS).map(|k| (k as f32).to_bits()).collect();
            let inputs = Inputs::of_words(words, 1);
            let frontier = AtomicU64::new(u64::MAX);
            let poll = Poll { frontier: &frontier, first: 1 };
            let shape = program.shape;
            let mut pixels = vec![[f32::NAN; 4]; shape.lanes() as usize];
            let mask = vec![u32::MAX; shape.lanes() as usize];
            let place = Row { x: 0, y: 0, groups: 1, stride: shape.columns() as usize, plane: 0 };
            row(program, &inputs, &[], &mask, poll, place, &mut pixels)
                .map(|_| pixels)
                .map_err(|trap| trap.to_string())
        };
        let pixels = run(&valid).expect("it is correct");
        assert!(pixels.iter().all(|pixel| pixel[0] == (WORDS - 1) as f32), "{pixels:?}");
        let trap = run(&wrong).expect_err("the indices are equal");
        assert!(trap.contains("the indices do not grow"), "{trap}");
    }
}

/// With wide registers gathers come after all other code of the group.
#[test]
fn gathers_are_out_of_the_way() {
    for name in Target::names().filter(|name| name.starts_with("avx")) {
        let target = Target::named(name).expect("a machine that is not too old");
        let Some(target) = target else { continue };
        let compiler =
            Compiler { lanes: Some(16), listing: Listing::Assembly, ..Compiler::new(target) };
        let compiled = compiler.compile_lane_program(program(0, 1)).expect("it compiles");
        let listing = compiled.code.listing();
        let [gather, store] = ["vpgatherdd", "vmovups [r"].map(|text| listing.rfind(text));
        assert!(gather > store && store.is_some(), "{name}\n{listing}");
    }
}
