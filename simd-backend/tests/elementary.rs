//! Elementary functions in machine code against the reference mathematics, which shares nothing with them.
//!
//! The sweep goes through all binary32 numbers in steps; `SWEEP=0` makes the steps single ones: all 2^32
//! arguments of each unary function, and as many pairs (`cargo test --release -p lambdav-simd-backend
//! --test elementary`).

use std::sync::atomic::AtomicU64;
use std::thread;

use lambdav_frontend::op::Elementary;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::cranelift::jit::{Code, Inputs, Row, Wanted};
use lambdav_simd_backend::lanes::{
    Axis, Block, End, Expr, Given, Kind, Op, Program, Rate, Statement, ValueId, ValueInfo, verify,
};
use lambdav_simd_backend::registers::{Shape, Status, lower};

/// Columns of a row of arguments.
const COLUMNS: u32 = 1 << 14;

struct Builder(Program);

impl Builder {
    fn push(&mut self, kind: Kind, rate: Rate, expr: Expr) -> ValueId {
        let value = ValueId(self.0.values.len() as u32);
        self.0.values.push(ValueInfo { kind, rate });
        self.0.blocks[0].statements.push(Statement::Let { value, expr });
        value
    }

    fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        let info = |v: &ValueId| self.0.values[v.index()];
        let kinds: Vec<Kind> = operands.iter().map(|v| info(v).kind).collect();
        let rate = operands.iter().fold(Rate::FRAME, |rate, v| rate | info(v).rate);
        let kind = op.result(&kinds).expect("it is defined");
        self.push(kind, rate, Expr::Op(op, operands.into()))
    }

    fn constant(&mut self, kind: Kind, bits: u32) -> ValueId {
        self.push(kind, Rate::FRAME, Expr::Constant(bits.into()))
    }
}

/// A program whose pixels are the function's value, x, y and the number of the argument. Argument n
/// is of the bits n·2^step plus a given word; y is mixed from it.
fn program(function: Elementary, step: u8) -> Program {
    let mut b = Builder(Program {
        values: Vec::new(),
        blocks: vec![Block { statements: Vec::new(), end: End::Yield(Box::default()) }],
        frame_len: 0,
        given: vec![Given::Time; 2],
        sites: Vec::new(),
        nesting: 1,
        loop_nesting: 0,
    });
    let run = b.push(Kind::Mask, Rate::VARYING, Expr::Run);
    let [x, y] = [(Axis::X, Rate::X), (Axis::Y, Rate::Y)].map(|(axis, rate)| {
        // 2^23 − ½ more makes the number of the column or row the last bits.
        let centre = b.push(Kind::F32, rate, Expr::Coordinate(axis));
        let half = b.constant(Kind::F32, 0.5_f32.to_bits());
        let magic = b.constant(Kind::F32, 8_388_608.0_f32.to_bits());
        let whole = b.op(Op::Sub, &[centre, half]);
        let sum = b.op(Op::Add, &[whole, magic]);
        let bits = b.op(Op::Bits, &[sum]);
        let mask = b.constant(Kind::I32, 0x7f_ffff);
        b.op(Op::And, &[bits, mask])
    });
    let y = b.op(Op::ShiftLeft(COLUMNS.trailing_zeros() as u8), &[y]);
    let number = b.op(Op::Add, &[x, y]);
    let base = b.push(Kind::I32, Rate::FRAME, Expr::Given(0));
    let number = b.op(Op::Add, &[number, base]);
    let offset = b.push(Kind::I32, Rate::FRAME, Expr::Given(1));
    let word = b.op(Op::ShiftLeft(step), &[number]);
    let word = b.op(Op::Add, &[word, offset]);
    let mut mixed = word;
    for (left, right) in [(13, 7), (5, 17), (11, 3)] {
        let (a, c) = (b.op(Op::ShiftLeft(left), &[mixed]), b.op(Op::ShiftRight(right), &[mixed]));
        let sum = b.op(Op::Add, &[a, c]);
        mixed = b.op(Op::Add, &[mixed, sum]);
    }
    let operands = [b.op(Op::Bits, &[word]), b.op(Op::Bits, &[mixed])];
    let value = b.push(
        Kind::F32,
        Rate::VARYING,
        Expr::Elementary {
            function,
            operands: operands[..function.arity()].into(),
            mask: Some(run),
        },
    );
    let number = b.op(Op::Bits, &[number]);
    let outputs = vec![value, operands[0], operands[1], number];
    b.0.blocks[0].end = End::Yield(outputs.into());
    b.0
}

/// Whether two results are the same number, or both NaN.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// All arguments at that step, or those of a share of them; what differs.
fn sweep(function: Elementary, lanes: u32, step: u8, target: &Target) -> Vec<String> {
    let program = program(function, step);
    assert_eq!(verify(&program), Ok(()));
    let shape = Shape::new(lanes).expect("a number of lanes");
    let code = Code::new(&lower(&program, shape), target).expect("it compiles");
    let numbers = 1_u64 << (32 - step);
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let band = u64::from(COLUMNS * shape.rows());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let code = &code;
                scope.spawn(move || {
                    let mut wrong = Vec::new();
                    for base in (worker * band..numbers).step_by((threads * band) as usize) {
                        wrong.extend(check(function, code, base as u32, step));
                    }
                    wrong
                })
            })
            .collect();
        workers.into_iter().flat_map(|w| w.join().expect("it does not panic")).collect()
    })
}

/// A band of arguments.
fn check(function: Elementary, code: &Code, base: u32, step: u8) -> Vec<String> {
    static FRONTIER: AtomicU64 = AtomicU64::new(u64::MAX);
    let shape = code.shape();
    // An odd offset, so that last bits vary.
    let offset = if step == 0 { 0 } else { base.wrapping_mul(0x9e37_79b1) >> (32 - step) };
    let inputs = Inputs { given: vec![base, offset], max_iterations: 0 };
    let wanted = Wanted { frontier: &FRONTIER, first: 0 };
    let (_, slots) = code.frame(&inputs, wanted);
    let mut pixels = vec![[0.0; 4]; (COLUMNS * shape.rows()) as usize];
    let run = vec![u32::MAX; shape.lanes() as usize];
    let groups = COLUMNS / shape.columns();
    let row = Row { x: 0, y: 0, groups, stride: COLUMNS as usize };
    let status = code.row(&inputs, &slots, &run, wanted, row, &mut pixels);
    assert_eq!(status, Status::Done);
    let mut wrong = Vec::new();
    for (i, [found, x, y, number]) in (0..).zip(pixels) {
        let expected = base + i;
        assert_eq!(number.to_bits(), expected, "arguments are counted");
        assert_eq!(x.to_bits(), (expected << step).wrapping_add(offset), "and as they should be");
        let expected = function.evaluate(x, if function.arity() == 2 { y } else { 0.0 });
        if !same(found, expected) && wrong.len() < 3 {
            let [xs, ys, fs, es] = [x, y, found, expected].map(f32::to_bits);
            wrong.push(format!(
                "{} of {x:e} ({xs:#x}), {y:e} ({ys:#x}) gives {found:e} ({fs:#x}), not {expected:e} ({es:#x})",
                function.name()
            ));
        }
    }
    wrong
}

fn step() -> u8 {
    std::env::var("SWEEP").map_or(13, |text| text.parse().expect("SWEEP is a number of bits"))
}

#[test]
fn default_lanes() {
    let target = Target::host().expect("a machine that is not too old");
    let mut wrong = Vec::new();
    for function in Elementary::ALL {
        let found = sweep(function, 8, step(), &target);
        println!("{}: {} bands differ", function.name(), found.len());
        wrong.extend(found.into_iter().take(5));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Scalar code, and code for a processor without the newer instructions.
#[test]
fn other_lanes_and_processors() {
    let host = Target::host().expect("a machine that is not too old");
    let mut targets = vec![(1, host.clone()), (4, host)];
    if cfg!(target_arch = "x86_64") {
        let old = ["has_avx", "has_avx2", "has_fma"];
        targets.push((8, Target::with(&old).expect("SSE4.1 is enough")));
    }
    for function in Elementary::ALL {
        for (lanes, target) in &targets {
            let wrong = sweep(function, *lanes, step().max(15), target);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }
}

/// All pairs of special values, and of numbers next to them.
#[test]
fn special_values() {
    let target = Target::host().expect("a machine that is not too old");
    let mut values: Vec<f32> = vec![f32::NAN, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 0.0];
    values.extend([1.0, 2.0, 0.5, 3.0, 1.5, 1e-45, 1e30, 88.0, 104.0, 0.25, 1_048_576.0, 3e38]);
    values.extend([std::f32::consts::PI, std::f32::consts::FRAC_PI_2, 923_521.0, 1.25, 7.0]);
    let next = |v: f32, by: i32| f32::from_bits((v.to_bits() as i32 + by) as u32);
    let near: Vec<f32> = values.iter().flat_map(|&v| [v, next(v, 1), next(v, -1)]).collect();
    let all: Vec<f32> = near.iter().flat_map(|&v| [v, -v]).collect();
    for function in Elementary::ALL {
        let code = {
            let mut b = Builder(program(function, 0));
            // The same, of two given words.
            b.0.blocks[0].statements.clear();
            b.0.values.clear();
            let operands = [0, 1].map(|word| b.push(Kind::F32, Rate::FRAME, Expr::Given(word)));
            let run = b.push(Kind::Mask, Rate::VARYING, Expr::Run);
            let zero = b.constant(Kind::F32, 0);
            let spread = operands.map(|v| b.op(Op::Select, &[run, v, zero]));
            let arity = function.arity();
            let scalar =
                Expr::Elementary { function, operands: operands[..arity].into(), mask: None };
            let vector =
                Expr::Elementary { function, operands: spread[..arity].into(), mask: Some(run) };
            let scalar = b.push(Kind::F32, Rate::FRAME, scalar);
            let vector = b.push(Kind::F32, Rate::VARYING, vector);
            b.0.blocks[0].end = End::Yield(vec![scalar, vector, zero, zero].into());
            assert_eq!(verify(&b.0), Ok(()));
            let shape = Shape::new(4).expect("a number of lanes");
            Code::new(&lower(&b.0, shape), &target).expect("it compiles")
        };
        let frontier = AtomicU64::new(u64::MAX);
        let wanted = Wanted { frontier: &frontier, first: 0 };
        let others = if function.arity() == 2 { &all[..] } else { &[0.0] };
        for &x in &all {
            for &y in others {
                let inputs = Inputs { given: vec![x.to_bits(), y.to_bits()], max_iterations: 0 };
                let (_, slots) = code.frame(&inputs, wanted);
                let mut pixels = [[0.0; 4]; 4];
                let row = Row { x: 0, y: 0, groups: 1, stride: 4 };
                code.row(&inputs, &slots, &[u32::MAX; 4], wanted, row, &mut pixels);
                let expected = function.evaluate(x, y);
                for pixel in pixels {
                    let name = function.name();
                    assert!(same(pixel[0], expected), "{name} {x:e} {y:e}: scalar {}", pixel[0]);
                    assert!(same(pixel[1], expected), "{name} {x:e} {y:e}: vector {}", pixel[1]);
                }
            }
        }
    }
}
