//! Lowers operations of the core to components.

use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};
use std::ops::Range;

use super::state::Lowering;
use crate::lanes::rates::sources;
use crate::lanes::{Axis, Kind, LaneExpr, LaneOp, Rate, ValueId};

impl Lowering<'_> {
    /// The components of an input.
    pub(super) fn input(&mut self, input: Input) -> Vec<ValueId> {
        let mut numbers =
            |words: Range<u32>| words.map(|word| self.input_word(Kind::F32, word)).collect();
        match input {
            Input::FragCoord => {
                let (width, items) = (self.out.width, self.out.items);
                let [x, y] = [Axis::X, Axis::Y].map(|axis| {
                    self.define(Kind::F32, items.rate(width, axis), LaneExpr::Coordinate(axis))
                });
                // The image is a rectangle at depth 0.
                let z = self.constant(Kind::F32, 0);
                let w = self.constant(Kind::F32, 1.0_f32.to_bits().into());
                vec![x, y, z, w]
            }
            // The order in which `lower` adds the words.
            Input::Resolution => numbers(0..2),
            Input::Time => numbers(2..3),
            Input::Frame => numbers(3..4),
            Input::Mouse => numbers(4..8),
        }
    }

    /// Component `i` of an operation's result.
    pub(super) fn component(
        &mut self,
        op: Op,
        types: &[Type],
        operands: &[Box<[ValueId]>],
        i: usize,
        mask: ValueId,
    ) -> ValueId {
        let sources: Vec<ValueId> = sources(&self.program.types, op, types, i)
            .into_iter()
            .map(|(operand, k)| operands[operand][k])
            .collect();
        if types[0].is_integer() {
            let is_signed = types[0].scalar() == Some(Scalar::I32);
            return self.of_integers(op, is_signed, &sources);
        }
        if let (Op::Div, &[a, b]) = (op, &sources[..])
            && let Some(inverse) = self.exact_inverse(b)
        {
            let inverse = self.constant(Kind::F32, inverse.into());
            return self.op(LaneOp::Mul, &[a, inverse]);
        }
        let simple = match op {
            Op::Neg => LaneOp::Neg,
            Op::Abs => LaneOp::Abs,
            Op::Floor => LaneOp::Floor,
            Op::Ceil => LaneOp::Ceil,
            Op::Trunc => LaneOp::Trunc,
            Op::RoundEven => LaneOp::RoundEven,
            Op::Sqrt => LaneOp::Sqrt,
            Op::Add => LaneOp::Add,
            Op::Sub => LaneOp::Sub,
            Op::Mul => LaneOp::Mul,
            Op::Div => LaneOp::Div,
            Op::Min => LaneOp::Min,
            Op::Max => LaneOp::Max,
            Op::Fma => LaneOp::Fma,
            Op::Less => LaneOp::Less,
            Op::LessEqual => LaneOp::LessEqual,
            Op::Equal => LaneOp::Equal,
            Op::NotEqual => LaneOp::NotEqual,
            Op::And => LaneOp::And,
            Op::Or => LaneOp::Or,
            Op::Not => LaneOp::Not,
            Op::Select => return self.select(sources[0], sources[1], sources[2]),
            Op::Convert(to) if types[0].is_bool() => return self.of_bool(to, sources[0]),
            Op::Convert(_) | Op::Bits => return self.of_num(op, sources[0]),
            Op::Plane => return self.plane(&sources),
            Op::Any => return self.fold(LaneOp::Or, &sources),
            Op::All => return self.fold(LaneOp::And, &sources),
            Op::Elementary(function) => {
                debug_assert!(types[0].is_num());
                let rate = sources.iter().fold(Rate::FRAME, |rate, &v| rate | self.out.rate(v));
                let mask = (!rate.is_uniform()).then_some(mask);
                let operands = sources.into();
                let expr = LaneExpr::Elementary { function, operands, mask };
                return self.define(Kind::F32, rate, expr);
            }
            Op::Component(_)
            | Op::Column(_)
            | Op::Field(_)
            | Op::Construct(_)
            | Op::At
            | Op::Update
            | Op::Inject(..)
            | Op::Tag
            | Op::Payload(..)
            | Op::Probe(_)
            | Op::After => unreachable!("of parts"),
            Op::Rem | Op::MulHigh | Op::Xor | Op::ShiftLeft | Op::ShiftRight | Op::FromBits => {
                unreachable!("of integers")
            }
            Op::Texel
            | Op::TextureSize
            | Op::TextureLevels
            | Op::Sample
            | Op::Element
            | Op::Length
            | Op::Memory(_) => {
                unreachable!("of resources")
            }
        };
        self.op(simple, &sources)
    }

    /// [`Op::Plane`] of its operands' components, in their order. Everything of the triangle alone is computed
    /// once for it.
    fn plane(&mut self, components: &[ValueId]) -> ValueId {
        let wide: Vec<ValueId> =
            components.iter().map(|&word| self.op(LaneOp::Promote, &[word])).collect();
        let [x, y] = [wide[0], wide[1]];
        let [by_x, by_y, origin] =
            [&wide[2..4], &wide[4..6], &wide[6..]].map(|sum| self.fold(LaneOp::Add, sum));
        let row = self.op(LaneOp::Mul, &[by_y, y]);
        let row = self.op(LaneOp::Add, &[row, origin]);
        let along = self.op(LaneOp::Mul, &[by_x, x]);
        let value = self.op(LaneOp::Add, &[along, row]);
        self.op(LaneOp::Demote, &[value])
    }

    /// The bits of 1/b, if b and 1/b are normal powers of two. Then x/b = x·(1/b): both round the same
    /// exact number once.
    fn exact_inverse(&self, b: ValueId) -> Option<u32> {
        let bits = *self.constants.get(&b)? as u32;
        let exponent = bits >> 23 & 0xff;
        let is_power = bits & 0x7f_ffff == 0 && (1..=253).contains(&exponent);
        is_power.then(|| bits & 1 << 31 | (254 - exponent) << 23)
    }

    fn fold(&mut self, op: LaneOp, operands: &[ValueId]) -> ValueId {
        let mut operands = operands.iter().copied();
        let first = operands.next().expect("a vector has components");
        operands.fold(first, |all, next| self.op(op, &[all, next]))
    }
}
