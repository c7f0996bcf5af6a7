//! From the schedule to the lane program: components, and masks in place of divergent control flow.
//!
//! - `mod.rs`: the state, and computations;
//! - [`tasks`] is what is to be done next, in place of recursion;
//! - [`arms`] lowers `if`;
//! - [`operations`]: vectors and matrices into components;
//! - [`loops`]: uniform and divergent loops, [`exits`]: the ways out of them;
//! - [`cost`]: which arms are worth a test whether any lane is active in them.

mod arms;
mod cost;
mod exits;
mod loops;
mod operations;
mod tasks;

use rustc_hash::{FxHashMap, FxHashSet};

use lambdav_core::op::Op as CoreOp;
use lambdav_core::schedule::{self, Expr as CoreExpr};
use lambdav_core::types::{Scalar, Type};

use self::tasks::Work;
use super::rates::Rates;
use crate::mutants::{Mutant, is_active};

use super::{
    Block, End, Expr, InputWord, Kind, LaneProgram, Op, Rate, Statement, ValueId, ValueInfo, Width,
    dead_code, sink, value_numbering,
};

/// Makes a lane program of one output of a scheduled program, filled from (0, 0, 0, 1) to four
/// components, for groups of as many lanes as `width` says.
///
/// What all pixels compute alike is moved to the front of the root, to be executed once for the
/// frame, unless `hoist` is false; then loops stand in the order of the schedule, so that of
/// several loops that exceed their limit the same is met first.
///
/// # Panics
///
/// If the program has no such output.
pub fn lower(program: &schedule::Program, output: usize, hoist: bool, width: Width) -> LaneProgram {
    let mut inputs: Vec<InputWord> = Vec::new();
    inputs.extend([super::Axis::X, super::Axis::Y].map(InputWord::Resolution));
    inputs.extend([InputWord::Time, InputWord::Frame]);
    inputs.extend((0..4).map(InputWord::Mouse));
    let mut uniforms = Vec::with_capacity(program.uniforms.len());
    for (index, uniform) in program.uniforms.iter().enumerate() {
        uniforms.push(inputs.len() as u32);
        inputs.extend(
            (0..program.types.components(uniform.ty))
                .map(|k| InputWord::Uniform(index as u32, k as u8)),
        );
    }
    let out = LaneProgram {
        width,
        values: Vec::new(),
        blocks: vec![Block { statements: Vec::new(), end: End::Yield(Box::default()) }],
        frame_len: 0,
        inputs,
        sites: Vec::new(),
        loop_nesting: 0,
    };
    let mut lowering = Lowering {
        program,
        rates: Rates::new(program, width),
        costs: cost::costs(program),
        uniforms,
        map: vec![Box::default(); program.values.len()],
        out,
        current: Vec::new(),
        logic: FxHashMap::default(),
        undefined: FxHashSet::default(),
        run: ValueId(0),
        params: Vec::new(),
        work: Work::default(),
    };
    let run = lowering.define(Kind::Mask, Rate::VARYING, Expr::ExecutionMask);
    lowering.run = run;
    let outputs = lowering.root();
    let mut pixel: Vec<ValueId> = lowering.components(outputs[output]).to_vec();
    for fill in [0.0_f32, 0.0, 0.0, 1.0].into_iter().skip(pixel.len()) {
        pixel.push(lowering.constant(Kind::F32, fill.to_bits().into()));
    }
    let root = Block { statements: lowering.current, end: End::Yield(pixel.into()) };
    lowering.out.blocks[LaneProgram::ROOT.index()] = root;
    let mut out = lowering.out;
    value_numbering::number_values(&mut out);
    dead_code::eliminate(&mut out);
    if hoist {
        dead_code::hoist(&mut out);
    }
    sink::sink(&mut out);
    out.loop_nesting = dead_code::loop_nesting(&out);
    debug_assert_eq!(super::verify(&out), Ok(()), "{out}");
    out
}

struct Lowering<'p> {
    program: &'p schedule::Program,
    rates: Rates,
    costs: Vec<cost::Cost>,
    /// Where each uniform's words begin.
    uniforms: Vec<u32>,
    /// The components of each scheduled value that has been lowered.
    map: Vec<Box<[ValueId]>>,
    out: LaneProgram,
    /// The statements of the block that is being filled.
    current: Vec<Statement>,
    /// The `and`s and `or`s of two bools.
    logic: FxHashMap<schedule::ValueId, (CoreOp, [schedule::ValueId; 2])>,
    /// The values that no lane looks at.
    undefined: FxHashSet<ValueId>,
    /// All active lanes.
    run: ValueId,
    /// The components of the innermost loop's parameters.
    params: Vec<ValueId>,
    work: Work,
}

fn kind_of(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::F32 => Kind::F32,
        Scalar::Bool => Kind::Mask,
    }
}

impl Lowering<'_> {
    fn value(&mut self, kind: Kind, rate: Rate) -> ValueId {
        self.out.values.push(ValueInfo { kind, rate });
        ValueId(self.out.values.len() as u32 - 1)
    }

    fn define(&mut self, kind: Kind, rate: Rate, expr: Expr) -> ValueId {
        let value = self.value(kind, rate);
        self.current.push(Statement::Let { value, expr });
        value
    }

    fn constant(&mut self, kind: Kind, bits: u64) -> ValueId {
        self.define(kind, Rate::FRAME, Expr::Constant(bits))
    }

    fn undefined(&mut self, kind: Kind) -> ValueId {
        let value = self.define(kind, Rate::FRAME, Expr::Undefined);
        self.undefined.insert(value);
        value
    }

    fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        let kinds: Vec<_> = operands.iter().map(|&v| self.out.kind(v)).collect();
        let kind = op.result(&kinds).expect("operands fit the operation");
        let rate = operands.iter().fold(Rate::FRAME, |rate, &v| rate | self.out.rate(v));
        self.define(kind, rate, Expr::Op(op, operands.into()))
    }

    fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        if a == b { a } else { self.op(Op::Select, &[condition, a, b]) }
    }

    fn any(&mut self, mask: ValueId) -> ValueId {
        self.define(Kind::Mask, Rate::GROUP, Expr::Any(mask))
    }

    fn components(&self, value: schedule::ValueId) -> &[ValueId] {
        &self.map[value.index()]
    }

    /// The components of several values, one after the other.
    fn flat(&self, values: &[schedule::ValueId]) -> Vec<ValueId> {
        values.iter().flat_map(|&v| self.components(v)).copied().collect()
    }

    fn is_uniform(&self, value: ValueId) -> bool {
        self.out.rate(value).is_uniform()
    }

    /// The lanes of `mask` that go each way.
    fn split(&mut self, mask: ValueId, condition: ValueId) -> [ValueId; 2] {
        if is_active(Mutant::LostMask) {
            return [condition, self.op(Op::Not, &[condition])];
        }
        [self.op(Op::And, &[mask, condition]), self.op(Op::AndNot, &[mask, condition])]
    }

    fn expr(&mut self, value: schedule::ValueId, expr: &CoreExpr, mask: ValueId) -> Vec<ValueId> {
        let ty = self.program.ty(value);
        let kinds = self.program.types.scalars(ty).map(kind_of);
        match expr {
            CoreExpr::Constant(words) => {
                words.iter().zip(kinds).map(|(&word, k)| self.constant(k, word.into())).collect()
            }
            CoreExpr::Uniform(index) => {
                let first = self.uniforms[*index as usize];
                kinds.zip(first..).map(|(kind, word)| self.input_word(kind, word)).collect()
            }
            CoreExpr::Input(input) => self.input(*input),
            CoreExpr::Op(op, operands) => {
                if let (CoreOp::And | CoreOp::Or, Type::BOOL, &[a, b]) = (op, ty, &**operands) {
                    self.logic.insert(value, (*op, [a, b]));
                }
                let types: Vec<Type> = operands.iter().map(|&v| self.program.ty(v)).collect();
                let operands: Vec<Box<[ValueId]>> =
                    operands.iter().map(|&v| self.components(v).into()).collect();
                (0..self.program.types.components(ty))
                    .map(|i| self.component(*op, &types, &operands, i, mask))
                    .collect()
            }
        }
    }

    fn input_word(&mut self, kind: Kind, word: u32) -> ValueId {
        self.define(kind, Rate::FRAME, Expr::Input(word))
    }

    /// A value of the lane program for each component of a scheduled one.
    fn values_of(&mut self, value: schedule::ValueId) -> Box<[ValueId]> {
        let rates = self.rates.of(value).to_vec();
        let scalars = self.program.types.scalars(self.program.ty(value));
        scalars.zip(rates).map(|(scalar, rate)| self.value(kind_of(scalar), rate)).collect()
    }
}

/// Whether it takes one operand apart or puts several together, without computing.
fn is_structural(op: CoreOp) -> bool {
    matches!(op, CoreOp::Component(_) | CoreOp::Column(_) | CoreOp::Construct(_))
}
