//! Finds the first operation of a pixel that a device computes differently.

use super::subject::{Comparing, Unknown};
use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::float::same_bits;
use lambdav_core::op::Op;
use lambdav_core::schedule::{Program, ValueId, schedule};
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};
use lambdav_gpu::probe::{Operands, apply};
use std::collections::{HashMap, HashSet};

/// Most distinct operations of each kind to test: a device computes them in seconds.
pub const MAX_OPERATIONS: usize = 1 << 18;

/// A float operation on scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Question {
    op: Op,
    /// Types of the operands; none after the last.
    of: [Option<Scalar>; 3],
    operands: Operands,
}

/// An operation that a device computes differently.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The operation.
    pub op: Op,
    /// Its operands, each with its type.
    pub operands: Vec<(Scalar, u32)>,
    /// Type of the result.
    pub ty: Scalar,
    /// Bits of the result on the processor.
    pub expected: u32,
    /// Bits of the result on the device.
    pub found: u32,
    /// Place in the program.
    pub span: Span,
}

/// Records each distinct float operation, in order of evaluation.
#[derive(Default)]
struct Recorder {
    known: HashSet<Question>,
    all: Vec<Answered>,
    /// Number of recorded operations of each kind.
    counts: HashMap<Op, usize>,
    /// True if there were more operations than [`MAX_OPERATIONS`].
    is_cut: bool,
}

/// An operation with the evaluator's result.
#[derive(Clone, Copy)]
struct Answered {
    question: Question,
    result: u32,
    value: ValueId,
}

impl Observer for Recorder {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        let Evaluated { value, op, types, operands, result } = *evaluated;
        if !is_of_floats(op, types) {
            return;
        }
        let count = self.counts.entry(op).or_default();
        for component in 0..result.len() {
            let mut question = Question { op, of: [None; 3], operands: [0; 3] };
            for (number, (ty, words)) in types.iter().zip(operands).enumerate() {
                question.of[number] = ty.scalar();
                question.operands[number] = words[component];
            }
            if self.known.contains(&question) {
                continue;
            }
            if *count == MAX_OPERATIONS {
                self.is_cut = true;
                return;
            }
            *count += 1;
            self.known.insert(question);
            self.all.push(Answered { question, result: result[component], value });
        }
    }
}

/// True if an operation computes with floats, component by component.
fn is_of_floats(op: Op, types: &[Type]) -> bool {
    let is_componentwise = matches!(
        op,
        Op::Neg
            | Op::Abs
            | Op::Floor
            | Op::Ceil
            | Op::Trunc
            | Op::RoundEven
            | Op::Sqrt
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Fma
            | Op::Min
            | Op::Max
            | Op::Less
            | Op::LessEqual
            | Op::Equal
            | Op::NotEqual
            | Op::Convert(_)
            | Op::Bits
            | Op::FromBits
            | Op::Elementary(_)
    );
    let makes_float = matches!(op, Op::Convert(Scalar::F32) | Op::FromBits);
    let scalar = types.first().and_then(|ty| ty.scalar());
    is_componentwise && (makes_float || scalar == Some(Scalar::F32))
}

/// Type of the result of an operation on scalars.
fn result_type(op: Op) -> Scalar {
    match op {
        Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => Scalar::Bool,
        Op::Convert(to) => to,
        Op::Bits => Scalar::U32,
        _ => Scalar::F32,
    }
}

/// Result of the search for an operation.
pub(super) enum Sought {
    Found(Operation),
    /// No single operation differs; with `is_cut`, among the tested ones.
    None {
        is_cut: bool,
    },
}

/// The first operation, in order of evaluation, that a pixel of an output needs and that the device
/// alone computes differently.
pub(super) fn first_operation(
    comparing: &Comparing<'_>,
    location: u32,
    at: [u32; 2],
) -> Result<Sought, Unknown> {
    let program = schedule(comparing.core, &[location]);
    let program = program.map_err(|diagnostic| Unknown::Program(diagnostic.message))?;
    let Recorder { all: recorded, is_cut, .. } = record(comparing, &program, at)?;
    // One program per operation and operand types, in the order of their first use.
    let mut groups: Vec<(Op, Vec<Scalar>, Vec<usize>)> = Vec::new();
    let mut places = HashMap::new();
    for (index, Answered { question, .. }) in recorded.iter().enumerate() {
        let place = *places.entry((question.op, question.of)).or_insert_with(|| {
            let of = question.of.iter().copied().flatten().collect();
            groups.push((question.op, of, Vec::new()));
            groups.len() - 1
        });
        groups[place].2.push(index);
    }
    let mut first: Option<(usize, u32)> = None;
    for (op, of, indices) in groups {
        let operands: Vec<Operands> =
            indices.iter().map(|index| recorded[*index].question.operands).collect();
        let Comparing { device, emit, patience, .. } = comparing;
        let results = apply(device, emit, op, &of, &operands, patience)?;
        let is_float = result_type(op) == Scalar::F32;
        let different = indices.iter().zip(results).find(|(index, found)| {
            let expected = recorded[**index].result;
            *found != expected && !(is_float && same_bits(*found, expected))
        });
        if let Some((index, found)) = different
            && first.is_none_or(|(earliest, _)| *index < earliest)
        {
            first = Some((*index, found));
        }
    }
    let Some((index, found)) = first else { return Ok(Sought::None { is_cut }) };
    let Answered { question: Question { op, of, operands }, result, value } = recorded[index];
    let operands = of.into_iter().flatten().zip(operands).collect();
    let span = program.values[value.index()].span;
    Ok(Sought::Found(Operation {
        op,
        operands,
        ty: result_type(op),
        expected: result,
        found,
        span,
    }))
}

/// The distinct operations that a pixel needs.
fn record(comparing: &Comparing<'_>, program: &Program, at: [u32; 2]) -> Result<Recorder, Unknown> {
    let mut recorder = Recorder::default();
    let mut evaluator = Evaluator::new(program, comparing.settings.max_iterations);
    let cancelled = || !(comparing.patience)();
    evaluator.run_observed(&comparing.inputs(at), &cancelled, &mut recorder)?;
    Ok(recorder)
}
