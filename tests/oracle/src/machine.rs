//! Elementary functions in machine code.

use std::sync::atomic::AtomicU64;

use lambdav_core::op::Elementary;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::lanes::{
    Axis, Kind, LaneExpr, LaneOp, LaneProgram, Rate, StraightLine, ValueId, verify,
};
use lambdav_simd_backend::registers::{Callable, Inputs, Poll, Row, Shape, Status};
use lambdav_simd_backend::{Compiler, EmitError, Target};

/// A function in machine code. A group of lanes evaluates it at one pair of arguments for each lane.
#[derive(Debug)]
pub struct MachineCode {
    code: Executable,
}

/// The rate at which the function is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// For each lane, in vector code.
    Varying,
    /// Once for a frame, in scalar code. All lanes of a group share the first pair of arguments.
    Uniform,
}

impl MachineCode {
    /// Compiles a function for `lanes` lanes, or for the number of lanes that the compiler chooses.
    ///
    /// # Errors
    ///
    /// The errors of [`Compiler::compile`].
    pub fn new(
        f: Elementary,
        lanes: Option<u32>,
        rates: Rates,
        target: &Target,
    ) -> Result<Self, EmitError> {
        // Choose the lanes for a program of one lane: reading the arguments costs work for each lane, which
        // must not affect the choice.
        let mut compiler = Compiler { lanes, ..Compiler::new(target.clone()) };
        let tile = target.machine().tile;
        let scalar = Shape::new(1, tile).expect("a shape");
        let shape = compiler.choice(&program(f, scalar, rates)).shape;
        compiler.lanes = Some(shape.lanes());
        let program = program(f, shape, rates);
        assert_eq!(verify(&program), Ok(()), "the program is well-formed");
        let compiled = compiler.compile_lane_program(program)?;
        Ok(Self { code: Executable::new(&compiled.code, target)? })
    }

    /// The number of lanes.
    pub fn lanes(&self) -> u32 {
        self.code.shape().lanes()
    }

    /// Computes the results for pairs of arguments.
    pub fn evaluate(&self, pairs: &[(f32, f32)], results: &mut [f32]) {
        static FRONTIER: AtomicU64 = AtomicU64::new(u64::MAX);
        let lanes = self.lanes() as usize;
        let poll = Poll { frontier: &FRONTIER, first: 0 };
        let row =
            Row { x: 0, y: 0, groups: 1, stride: self.code.shape().columns() as usize, plane: 0 };
        let mut inputs = Inputs::of_words(vec![0; 2 * lanes], 0);
        let mut pixels = vec![[0.0; 4]; lanes];
        let mut mask = vec![u32::MAX; lanes];
        for (pairs, results) in pairs.chunks(lanes).zip(results.chunks_mut(lanes)) {
            let words: Vec<u32> =
                pairs.iter().flat_map(|&(x, y)| [x, y].map(f32::to_bits)).collect();
            inputs.set_words(0, &words);
            // The last group may have fewer pairs.
            for (lane, mask) in mask.iter_mut().enumerate() {
                let (column, row) = self.code.shape().pixel(lane as u32);
                let place = (row * self.code.shape().columns() + column) as usize;
                *mask = if place < pairs.len() { u32::MAX } else { 0 };
            }
            let (_, slots) = self.code.frame(&inputs, poll);
            let status = self.code.row(&inputs, &slots, &mask, poll, row, &mut pixels);
            assert_eq!(status, Status::Done, "there are no loops");
            for (result, [value, ..]) in results.iter_mut().zip(&pixels) {
                *result = *value;
            }
        }
    }
}

/// A program whose pixel (x, y) is the function's value at input words 2n and 2n + 1, with n = x + y ·
/// columns.
fn program(f: Elementary, shape: Shape, rates: Rates) -> LaneProgram {
    let mut b = StraightLine::default();
    let mask = b.execution_mask();
    let zero = b.constant(Kind::F32, 0);
    if rates == Rates::Uniform {
        let operands = [0, 1].map(|word| b.input(Kind::F32, word));
        let value = elementary(&mut b, f, operands, Rate::FRAME, None);
        return b.finish([value, zero, zero, zero]);
    }
    let [x, y] = [Axis::X, Axis::Y].map(|axis| {
        let centre = b.coordinate(axis);
        let half = b.constant(Kind::F32, u64::from(0.5_f32.to_bits()));
        b.op(LaneOp::Sub, &[centre, half]).expect("of numbers")
    });
    let columns = b.constant(Kind::F32, u64::from((shape.columns() as f32).to_bits()));
    let above = b.op(LaneOp::Mul, &[y, columns]).expect("of numbers");
    let number = b.op(LaneOp::Add, &[x, above]).expect("of numbers");
    let mut operands = [0, 1].map(|word| b.input(Kind::F32, word));
    for n in 0..shape.lanes() {
        let this = b.constant(Kind::F32, u64::from((n as f32).to_bits()));
        let here = b.op(LaneOp::Equal, &[number, this]).expect("of numbers");
        for (k, operand) in (0..).zip(&mut operands) {
            let word = b.input(Kind::F32, 2 * n + k);
            *operand = b.op(LaneOp::Select, &[here, word, *operand]).expect("of numbers");
        }
    }
    let value = elementary(&mut b, f, operands, Rate::VARYING, Some(mask));
    b.finish([value, zero, zero, zero])
}

fn elementary(
    b: &mut StraightLine,
    function: Elementary,
    operands: [ValueId; 2],
    rate: Rate,
    mask: Option<ValueId>,
) -> ValueId {
    let operands = operands[..function.arity()].into();
    b.push(Kind::F32, rate, LaneExpr::Elementary { function, operands, mask })
}
