//! An evaluator of bodies, one lane at a time.

use super::builder::{Body, Step, V};
use super::operation::{BodyKind, BodyOp};

/// The result, if the lane is decided. `is_fused`: a product and a sum are rounded once.
pub(super) fn evaluate(body: &Body, x: f32, is_fused: bool) -> Option<f32> {
    let mut values: Vec<u64> = Vec::new();
    for (_, step) in &body.steps {
        let of = |v: &V| values[v.0 as usize];
        let value = match step {
            Step::Operand(_) => x.to_bits().into(),
            Step::Constant(bits) => *bits,
            Step::MulAdd(operands) => {
                let [a, b, c] = operands.map(|v| f64::from_bits(of(&v)));
                if is_fused { a.mul_add(b, c) } else { a * b + c }.to_bits()
            }
            Step::Op(op, operands) => {
                let kind = body.steps[operands[0].0 as usize].0;
                operation(*op, kind, &operands.iter().map(of).collect::<Vec<_>>())
            }
        };
        values.push(value);
    }
    let of = |v: V| values[v.0 as usize];
    (of(body.undecided) == 0).then(|| f32::from_bits(of(body.result) as u32))
}

/// An operation of the bodies of sines, cosines and tangents; the first operand has the kind `kind`.
fn operation(op: BodyOp, kind: BodyKind, operands: &[u64]) -> u64 {
    let word = |i: usize| operands[i] as u32;
    let (single, double) = (|i| f32::from_bits(word(i)), |i: usize| f64::from_bits(operands[i]));
    match (op, kind) {
        (BodyOp::Abs, BodyKind::F32) => single(0).abs().to_bits().into(),
        (BodyOp::Abs, BodyKind::F64) => double(0).abs().to_bits(),
        (BodyOp::Add, BodyKind::F64) => (double(0) + double(1)).to_bits(),
        (BodyOp::Sub, BodyKind::F64) => (double(0) - double(1)).to_bits(),
        (BodyOp::Mul, BodyKind::F64) => (double(0) * double(1)).to_bits(),
        (BodyOp::Div, BodyKind::F64) => (double(0) / double(1)).to_bits(),
        (BodyOp::Add, BodyKind::I32) => word(0).wrapping_add(word(1)).into(),
        (BodyOp::Add, BodyKind::I64) => operands[0].wrapping_add(operands[1]),
        (BodyOp::Less, BodyKind::F32) => (single(0) < single(1)).into(),
        (BodyOp::Less, BodyKind::F64) => (double(0) < double(1)).into(),
        (BodyOp::Equal, BodyKind::F32) => (single(0) == single(1)).into(),
        (BodyOp::Equal, BodyKind::I32 | BodyKind::I64) => (operands[0] == operands[1]).into(),
        (BodyOp::And, _) => operands[0] & operands[1],
        (BodyOp::Or, _) => operands[0] | operands[1],
        (BodyOp::Not, BodyKind::Mask) => 1 - operands[0],
        (BodyOp::ShiftLeft(n), BodyKind::I32) => (word(0) << n).into(),
        (BodyOp::ShiftLeft(n), BodyKind::I64) => operands[0] << n,
        (BodyOp::ShiftRight(n), _) => operands[0] >> n,
        (BodyOp::Select, _) => operands[if operands[0] == 0 { 2 } else { 1 }],
        (BodyOp::Promote, _) => f64::from(single(0)).to_bits(),
        (BodyOp::Demote, _) => (double(0) as f32).to_bits().into(),
        (BodyOp::Narrow, _) => word(0).into(),
        (BodyOp::Bits, _) => operands[0],
        (BodyOp::Table(table), _) => table[(operands[0] % 8) as usize].into(),
        (BodyOp::Concat, _) => operands[0] << 32 | operands[1],
        (BodyOp::Upper, _) => operands[0] >> 32,
        (BodyOp::Funnel(n), _) => (operands[0] << 32 | operands[1]) << n >> 32,
        (BodyOp::Logic(table), _) => {
            let bit = |i: u32| {
                let index = operands.iter().fold(0, |index, &word| index << 1 | word >> i & 1);
                u64::from(table >> index & 1) << i
            };
            (0..32).map(bit).sum()
        }
        _ => unreachable!("{op:?} of {kind:?} is in no such body"),
    }
}
