//! Loads: their rates, their lowering, and the checks that they stay in range.

use lambdav_simd_backend::lanes::{self, Axis, Kind, LaneOp, LaneProgram, StraightLine, ValueId};
use lambdav_simd_backend::registers::{self, Instr, RegisterType};
use lambdav_simd_backend::{Compiler, Target};

/// So few words that they fill one register or two.
const WORDS: u32 = 16;

/// Adds the word at the pixel's column and the word at the first input. Indices are clamped to
/// `limit`, if there is one.
fn program(limit: Option<u32>) -> LaneProgram {
    let mut b = StraightLine::default();
    let x = b.coordinate(Axis::X);
    let column = b.op(LaneOp::ToInteger, &[x]).expect("of a number");
    let given = b.input(Kind::I32, 0);
    let word = |b: &mut StraightLine, index: ValueId| {
        let index = match limit {
            Some(limit) => {
                let limit = b.constant(Kind::I32, limit.into());
                b.op(LaneOp::MinUnsigned, &[index, limit]).expect("of integers")
            }
            None => index,
        };
        b.load(Kind::F32, 1, index, WORDS - 1)
    };
    let words = [column, given].map(|index| word(&mut b, index));
    let sum = b.op(LaneOp::Add, &words).expect("of numbers");
    b.finish([sum; 4])
}

#[test]
fn indices_are_kept_inside() {
    assert_eq!(lanes::verify(&program(Some(WORDS - 1))), Ok(()));
    for limit in [None, Some(WORDS)] {
        let errors = lanes::verify(&program(limit)).expect_err("it reads too far");
        let keeps = |error: &lanes::VerifyError| error.message.contains("nothing keeps");
        assert!(errors.len() == 2 && errors.iter().all(keeps), "{errors:?}");
    }
}

#[test]
fn registers_of_indices_are_kept_inside() {
    let target = Target::host().expect("a machine that is not too old");
    for lanes in [1, 8, 32] {
        let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target.clone()) };
        let program = program(Some(WORDS - 1));
        let (mut registers, _) =
            compiler.register_program(&program, compiler.choice(&program).shape);
        let instrs = registers.row.blocks.iter_mut().flat_map(|block| &mut block.instrs);
        let mut found = 0;
        for instr in instrs {
            if let Instr::Op(to, LaneOp::MinUnsigned, of) = instr {
                *instr = Instr::Op(*to, LaneOp::MaxUnsigned, of.clone());
                found += 1;
            }
        }
        let errors = registers::verify(&registers).expect_err("it reads too far");
        assert!(found > 0 && errors.len() == found, "{errors:?}");
        assert!(errors.iter().all(|e| e.message.contains("nothing keeps")), "{errors:?}");
    }
}

#[test]
fn a_word_by_a_uniform_index_is_loaded_once() {
    let target = Target::host().expect("a machine that is not too old");
    let compiler = Compiler { lanes: Some(32), ..Compiler::new(target) };
    let program = program(Some(WORDS - 1));
    let registers = compiler.unspilled(&program, compiler.choice(&program).shape);
    let types: Vec<RegisterType> = registers
        .row
        .blocks
        .iter()
        .flat_map(|block| &block.instrs)
        .filter_map(|instr| match instr {
            Instr::Load(to, ..) => Some(registers.row.registers[to.index()]),
            _ => None,
        })
        .collect();
    let scalars = types.iter().filter(|ty| matches!(ty, RegisterType::Scalar(_))).count();
    assert_eq!(scalars, 1, "{registers}");
    assert!(types.len() > 1, "{registers}");
}
