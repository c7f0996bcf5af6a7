//! Random straight-line lane programs: machine code against the interpreter.
//!
//! They cover binary64 and 64-bit integers, which λV lacks, and operations that lowering uses only
//! under some condition.

use std::sync::atomic::AtomicU64;

use lambdav_machine_code::Evaluated;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Axis, Kind, LaneOp, LaneProgram, StraightLine, ValueId, verify};
use lambdav_simd_backend::registers::{Callable, Inputs, Poll, Row, Shape, Status};
use lambdav_simd_backend::{Compiler, Target};
use lambdav_test_support::Random;

const OPS: &[LaneOp] = &[
    LaneOp::Neg,
    LaneOp::Abs,
    LaneOp::Floor,
    LaneOp::Ceil,
    LaneOp::Trunc,
    LaneOp::RoundEven,
    LaneOp::Sqrt,
    LaneOp::Fma,
    LaneOp::Add,
    LaneOp::Sub,
    LaneOp::Mul,
    LaneOp::MulHigh,
    LaneOp::Div,
    LaneOp::Min,
    LaneOp::Max,
    LaneOp::MinUnsigned,
    LaneOp::MaxUnsigned,
    LaneOp::Less,
    LaneOp::LessEqual,
    LaneOp::LessUnsigned,
    LaneOp::LessEqualUnsigned,
    LaneOp::Equal,
    LaneOp::NotEqual,
    LaneOp::And,
    LaneOp::AndNot,
    LaneOp::Or,
    LaneOp::Xor,
    LaneOp::Not,
    LaneOp::ShiftLeft(3),
    LaneOp::ShiftRight(5),
    LaneOp::ShiftRightSigned(7),
    LaneOp::ShiftLeftBy,
    LaneOp::ShiftRightBy,
    LaneOp::ShiftRightSignedBy,
    LaneOp::Select,
    LaneOp::Promote,
    LaneOp::Demote,
    LaneOp::FromInteger,
    LaneOp::FromUnsigned,
    LaneOp::ToInteger,
    LaneOp::ToUnsigned,
    LaneOp::ToIntegerInRange,
    LaneOp::Widen,
    LaneOp::Narrow,
    LaneOp::Bits,
];

/// The number of words for loads.
const MEMORY: usize = 40;

/// A number, or zero in place of a NaN: the sign and payload of a NaN are unspecified.
fn number(b: &mut StraightLine, value: ValueId) -> ValueId {
    let zero = b.constant(b.values()[value.index()].kind, 0);
    let is_number = b.op(LaneOp::Equal, &[value, value]).expect("of numbers");
    b.op(LaneOp::Select, &[is_number, value, zero]).expect("of one kind")
}

fn program(random: &mut Random) -> LaneProgram {
    let mut b = StraightLine::default();
    b.coordinate(Axis::X);
    b.coordinate(Axis::Y);
    b.execution_mask();
    for word in 0..3 {
        b.input(Kind::F32, word);
    }
    b.input(Kind::I32, 3);
    b.input(Kind::Mask, 3);
    for kind in [Kind::F32, Kind::F64, Kind::I32, Kind::I64, Kind::Mask] {
        let bits = [0, 1, 0x3fc0_0001, 0x4008_0000_0000_0001, u64::MAX][random.below(5)];
        let bits = match kind {
            Kind::Array(_) => unreachable!("no operation takes an array"),
            Kind::Mask => bits & 1,
            Kind::F32 | Kind::I32 => bits & 0xffff_ffff,
            Kind::F64 | Kind::I64 => bits,
        };
        b.constant(kind, bits);
    }
    let wanted = b.values().len() + 50;
    let memory = 4..4 + MEMORY as u32;
    while b.values().len() < wanted {
        if random.below(8) == 0 {
            // Indices are clamped in one of several ways.
            let integers = b.values().iter().enumerate().filter(|(_, info)| info.kind == Kind::I32);
            let integers: Vec<usize> = integers.map(|(index, _)| index).collect();
            let index = ValueId(integers[random.below(integers.len())] as u32);
            let (op, most) =
                [(LaneOp::MinUnsigned, 36), (LaneOp::And, 31), (LaneOp::MinUnsigned, 0)]
                    [random.below(3)];
            let limit = b.constant(Kind::I32, most);
            let mut index = b.op(op, &[index, limit]).expect("of integers");
            if most == 31 && random.below(2) == 0 {
                let one = b.constant(Kind::I32, 1);
                index = b.op(LaneOp::Add, &[index, one]).expect("of integers");
            }
            let kind = [Kind::F32, Kind::I32][random.below(2)];
            let first = memory.start + random.below(4) as u32;
            b.load(kind, first, index, memory.end - 1 - first);
            continue;
        }
        let op = OPS[random.below(OPS.len())];
        // Recent values are more likely, so that chains grow.
        let mut pick = || {
            let count = b.values().len();
            let recent = random.below(2) == 0;
            let index =
                if recent { count - 1 - random.below(count.min(8)) } else { random.below(count) };
            ValueId(index as u32)
        };
        let mut operands = [pick(), pick(), pick()];
        if op == LaneOp::Bits && b.values()[operands[0].index()].kind.is_float() {
            operands[0] = number(&mut b, operands[0]);
        }
        let is_shift =
            matches!(op, LaneOp::ShiftLeftBy | LaneOp::ShiftRightBy | LaneOp::ShiftRightSignedBy);
        if is_shift && b.values()[operands[1].index()].kind == Kind::I32 {
            let most = b.constant(Kind::I32, 31);
            operands[1] = b.op(LaneOp::And, &[operands[1], most]).expect("of integers");
        }
        let is_single = b.values()[operands[0].index()].kind == Kind::F32;
        if op == LaneOp::ToIntegerInRange && is_single {
            let value = number(&mut b, operands[0]);
            let [least, most] = [-2_147_483_648.0_f32, 2_147_483_520.0]
                .map(|limit| b.constant(Kind::F32, limit.to_bits().into()));
            let value = b.op(LaneOp::Max, &[value, least]).expect("of numbers");
            operands[0] = b.op(LaneOp::Min, &[value, most]).expect("of numbers");
        }
        for arity in 1..=3 {
            if b.op(op, &operands[..arity]).is_some() {
                break;
            }
        }
    }
    // All values are combined into the four channels, as bits.
    let count = b.values().len();
    let mut channels = [b.constant(Kind::I32, 0); 4];
    for (i, info) in b.values().to_vec().into_iter().enumerate().take(count) {
        let value = ValueId(i as u32);
        let word = match info.kind {
            Kind::Array(_) => unreachable!("no operation makes an array"),
            Kind::I32 => Some(value),
            Kind::F32 => {
                let value = number(&mut b, value);
                b.op(LaneOp::Bits, &[value])
            }
            Kind::F64 => {
                let value = number(&mut b, value);
                let narrow = b.op(LaneOp::Demote, &[value]).expect("of a float");
                b.op(LaneOp::Bits, &[narrow])
            }
            Kind::I64 => {
                // Half of the bits survive as a float of few digits.
                let high = b.op(LaneOp::ShiftRight(40), &[value]).expect("of an integer");
                let mask = b.op(LaneOp::Equal, &[high, value]).expect("of integers");
                let one = b.constant(Kind::I32, 1);
                let two = b.constant(Kind::I32, 2);
                b.op(LaneOp::Select, &[mask, one, two])
            }
            Kind::Mask => {
                let one = b.constant(Kind::I32, 3);
                let two = b.constant(Kind::I32, 5);
                b.op(LaneOp::Select, &[value, one, two])
            }
        };
        let channel = &mut channels[i % 4];
        let shifted = b.op(LaneOp::ShiftLeft(1), &[*channel]).expect("of an integer");
        *channel = b.op(LaneOp::Add, &[shifted, word.expect("a word")]).expect("of integers");
    }
    // Positive and finite: the bits of a NaN could change on the way.
    let mask = b.constant(Kind::I32, 0x3fff_ffff);
    let outputs = channels.map(|channel| {
        let word = b.op(LaneOp::And, &[channel, mask]).expect("of integers");
        b.op(LaneOp::Bits, &[word]).expect("of an integer")
    });
    b.finish(outputs)
}

#[test]
fn machine_code_computes_what_the_interpreter_does() {
    // Code that this machine cannot execute is evaluated.
    let here: Vec<&str> = Target::here().collect();
    let of_machine = cfg!(all(unix, target_arch = "x86_64"));
    let ways: Vec<(&str, u32)> = Target::names()
        .flat_map(|name| Shape::LANES.map(|lanes| (name, lanes)))
        .filter(|&(name, lanes)| name == Target::BASELINE || (of_machine && lanes > 4))
        .collect();
    let mut random = Random::new(1);
    let frontier = AtomicU64::new(u64::MAX);
    for number in 0..150 {
        let program = program(&mut random);
        assert_eq!(verify(&program), Ok(()), "{program}");
        let given: Vec<u32> = (0..program.inputs.len())
            .map(|k| [0, 0x7f80_0000, 0x0000_0007, 0xc2c8_0001, 0x3f00_0000][(number + k) % 5])
            .collect();
        for &(name, lanes) in &ways {
            let target = Target::named(name).expect("a machine that is not too old");
            let target = target.expect("one of them");
            let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target.clone()) };
            let compiled = compiler.compile_lane_program(program.clone()).expect("it compiles");
            let shape = compiled.choice.shape;
            let code: Box<dyn Callable> = if here.contains(&name) {
                Box::new(Executable::new(&compiled.code, &target).expect("there is memory"))
            } else {
                Box::new(Evaluated::new(&compiled.code))
            };
            let inputs = Inputs::of_words(given.clone(), 1);
            let poll = Poll { frontier: &frontier, first: 0 };
            let (status, slots) = code.frame(&inputs, poll);
            assert_eq!(status, Status::Done);
            let groups = 2;
            let stride = (groups * shape.columns()) as usize;
            let mut pixels = vec![[0.0; 4]; stride * shape.rows() as usize];
            let mask = vec![u32::MAX; lanes as usize];
            let row = Row { x: 5, y: 3, groups, stride, plane: 0 };
            assert_eq!(code.row(&inputs, &slots, &mask, poll, row, &mut pixels), Status::Done);
            let places: Vec<(u32, u32)> = (0..pixels.len() as u32)
                .map(|i| (5 + i % stride as u32, 3 + i / stride as u32))
                .collect();
            let group = Group {
                inputs: &given,
                primitive: &[],
                resources: &[],
                pixels: &places,
                mask: &vec![true; places.len()],
                max_iterations: 1,
            };
            let found = interpret(&program, &group).expect("there are no loops");
            let bits = |pixels: &[[f32; 4]]| -> Vec<u32> {
                pixels.iter().flatten().map(|c| c.to_bits()).collect()
            };
            assert_eq!(bits(&found), bits(&pixels), "{name}, {lanes} lanes:\n{program}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_processor_without_sse41_is_refused() {
    let error = Target::with(&["has_sse41"]).expect_err("it lacks blends and rounding");
    assert!(error.to_string().contains("SSE41"), "{error}");
}
