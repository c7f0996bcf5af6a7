//! Elementary functions by their binary64 bodies, which report undecided results.

use crate::emit::declarations::TypeDeclaration;
use crate::emit::modes::{Mode, Switch, Variant};
use crate::emit::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::elementary::{Body, BodyKind, BodyOp, Step, V, body};
use lambdav_core::op::Elementary;
use lambdav_core::types::Type;
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

/// 2^-126 in binary64.
const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
/// 2^-151 in binary64: smaller numbers round to zero in binary32.
const LEAST_SEEN: f64 = LEAST_NORMAL / (1_u64 << 25) as f64;

impl Translator<'_> {
    /// Emits an elementary function.
    pub(super) fn elementary(&mut self, function: Elementary, variant: Variant) -> Word {
        let name = match variant {
            Variant::Rare => format!("{} of any number", function.name()),
            _ => function.name().to_owned(),
        };
        self.function_of_numbers(&name, function.arity(), |s, operands| {
            let body = body(function);
            let (values, rounded) = s.steps(&body, operands);
            let [result, mut undecided] =
                [body.result, body.undecided].map(|v| values[v.0 as usize]);
            let bool = Type::BOOL;
            if is_active(Mutant::Undecided) {
                undecided = s.declarations.constant(bool, &[0]);
            }
            if s.function.mode == (Mode::Rare { any: true }) {
                let of_operands = operands.iter().map(|&id| s.is_subnormal(id, Type::NUM));
                let mut rare: Vec<Word> = of_operands.collect();
                rare.extend(rounded.into_iter().map(|id| s.is_small(id)));
                for condition in rare {
                    undecided = s.instruction(Op::LogicalOr, bool, &[undecided, condition]);
                }
            } else {
                rounded.into_iter().for_each(|id| s.note_small(id));
            }
            match variant {
                Variant::Fast => s.turn_on(Switch::Again, undecided),
                _ => {
                    let hard = s.switch(Switch::Hard);
                    s.store(hard, undecided);
                }
            }
            result
        })
    }

    /// The values of a body, and the binary64 values that the body rounds to binary32.
    fn steps(&mut self, body: &Body, operands: &[Word]) -> (Vec<Word>, Vec<Word>) {
        let (mut values, mut rounded) = (Vec::with_capacity(body.steps.len()), Vec::new());
        let mut was_coefficient = false;
        for (kind, step) in &body.steps {
            let id = |values: &[Word], v: V| values[v.0 as usize];
            let value = match step {
                Step::Operand(index) => operands[*index],
                Step::Constant(bits) => {
                    // The first constant that is no binary32 number.
                    let is_first = *kind == BodyKind::F64 && *bits as u32 != 0 && !was_coefficient;
                    was_coefficient |= is_first;
                    let is_wrong = is_first && is_active(Mutant::WrongCoefficient);
                    self.constant_of(*kind, bits + u64::from(is_wrong))
                }
                Step::MulAdd(of) => {
                    let of = of.map(|v| id(&values, v));
                    self.glsl_of(Glsl::Fma, TypeDeclaration::Double, &of)
                }
                Step::Op(op, of) => {
                    let from = body.steps[of[of.len() - 1].0 as usize].0;
                    let of: Vec<Word> = of.iter().map(|&v| id(&values, v)).collect();
                    if *op == BodyOp::Demote {
                        rounded.push(of[0]);
                    }
                    self.step(*op, from, *kind, &of)
                }
            };
            values.push(value);
        }
        (values, rounded)
    }

    /// True if a binary64 number is below 2^-126 but does not round to zero.
    fn is_small(&mut self, id: Word) -> Word {
        let [least, seen] = [LEAST_NORMAL, LEAST_SEEN]
            .map(|number| self.declarations.long(TypeDeclaration::Double, number.to_bits()));
        let size = self.glsl_of(Glsl::FAbs, TypeDeclaration::Double, &[id]);
        let is_below = self.instruction(Op::FOrdLessThan, Type::BOOL, &[size, least]);
        let is_seen = self.instruction(Op::FOrdLessThan, Type::BOOL, &[seen, size]);
        self.instruction(Op::LogicalAnd, Type::BOOL, &[is_below, is_seen])
    }

    /// Notes a binary64 number that is subnormal in binary32.
    pub(super) fn note_small(&mut self, id: Word) {
        if self.notes().is_some() {
            let is_small = self.is_small(id);
            self.note(is_small, Type::BOOL);
        }
    }

    fn constant_of(&mut self, kind: BodyKind, bits: u64) -> Word {
        match kind {
            BodyKind::F64 => self.declarations.long(TypeDeclaration::Double, bits),
            BodyKind::I64 => self.declarations.long(TypeDeclaration::Long, bits),
            BodyKind::F32 => self.declarations.constant(Type::NUM, &[bits as u32]),
            BodyKind::I32 => self.declarations.constant(Type::UINT, &[bits as u32]),
            BodyKind::Mask => self.declarations.constant(Type::BOOL, &[(bits != 0).into()]),
        }
    }

    /// An operation of a body; its last operand has the kind `from`.
    fn step(&mut self, op: BodyOp, from: BodyKind, kind: BodyKind, of: &[Word]) -> Word {
        let is_float = from.is_float();
        let pick = |of_floats, of_integers| if is_float { of_floats } else { of_integers };
        let to = shape_of(kind);
        let logic = |of_masks, of_integers| match from {
            BodyKind::Mask => of_masks,
            _ => of_integers,
        };
        let instruction = match op {
            BodyOp::Neg => Op::FNegate,
            BodyOp::Abs => return self.glsl_of(Glsl::FAbs, to, of),
            BodyOp::Trunc => return self.glsl_of(Glsl::Trunc, to, of),
            BodyOp::Sqrt => return self.glsl_of(Glsl::Sqrt, to, of),
            BodyOp::Add => pick(Op::FAdd, Op::IAdd),
            BodyOp::Sub => pick(Op::FSub, Op::ISub),
            BodyOp::Mul => Op::FMul,
            BodyOp::Div => Op::FDiv,
            BodyOp::Min | BodyOp::Max => {
                let less = if op == BodyOp::Min { [of[1], of[0]] } else { [of[0], of[1]] };
                let is_less = self.instruction(Op::FOrdLessThan, Type::BOOL, &less);
                return self.of_shape(Op::Select, to, &[is_less, of[1], of[0]]);
            }
            BodyOp::Less => Op::FOrdLessThan,
            BodyOp::Equal => pick(Op::FOrdEqual, logic(Op::LogicalEqual, Op::IEqual)),
            BodyOp::NotEqual => pick(Op::FUnordNotEqual, logic(Op::LogicalNotEqual, Op::INotEqual)),
            BodyOp::And => logic(Op::LogicalAnd, Op::BitwiseAnd),
            BodyOp::AndNot => {
                let not = self.instruction(Op::LogicalNot, Type::BOOL, &of[1..]);
                return self.instruction(Op::LogicalAnd, Type::BOOL, &[of[0], not]);
            }
            BodyOp::Or => logic(Op::LogicalOr, Op::BitwiseOr),
            BodyOp::Not => Op::LogicalNot,
            BodyOp::ShiftLeft(count) | BodyOp::ShiftRight(count) => {
                let shift = match op {
                    BodyOp::ShiftLeft(_) => Op::ShiftLeftLogical,
                    _ => Op::ShiftRightLogical,
                };
                let count = self.declarations.uint(count.into());
                return self.of_shape(shift, to, &[of[0], count]);
            }
            BodyOp::Select => Op::Select,
            BodyOp::Promote | BodyOp::Demote => Op::FConvert,
            BodyOp::Narrow => Op::UConvert,
            BodyOp::Bits => Op::Bitcast,
            BodyOp::Table(_)
            | BodyOp::Part(_)
            | BodyOp::Concat
            | BodyOp::Upper
            | BodyOp::Funnel(_)
            | BodyOp::Logic(_) => {
                unreachable!("bodies have it for some processors alone")
            }
        };
        let id = self.of_shape(instruction, to, of);
        let computes =
            matches!(op, BodyOp::Neg | BodyOp::Add | BodyOp::Sub | BodyOp::Mul | BodyOp::Div);
        if is_float && computes {
            self.is_not_contracted(id);
        }
        id
    }
}

fn shape_of(kind: BodyKind) -> TypeDeclaration {
    match kind {
        BodyKind::F32 => TypeDeclaration::Value(Type::NUM),
        BodyKind::F64 => TypeDeclaration::Double,
        BodyKind::I32 => TypeDeclaration::Value(Type::UINT),
        BodyKind::I64 => TypeDeclaration::Long,
        BodyKind::Mask => TypeDeclaration::Value(Type::BOOL),
    }
}
