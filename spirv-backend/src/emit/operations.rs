//! Translates each operation of the core.
//!
//! This is the only place that chooses between SPIR-V's ways to compute an operation. Exact modules
//! replace those whose results are the device's choice ([`super::exact`]).

use super::declarations::TypeDeclaration;
use super::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::{Elementary, Op as Core};
use lambdav_core::schedule::ValueId;
use lambdav_core::types::Type;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, GlslStd450Op as Glsl, Op, Word};

impl Translator<'_> {
    /// Emits an operation with a result of that type.
    pub(super) fn operation(&mut self, op: Core, ty: Type, operands: &[ValueId]) -> Word {
        match (op, operands) {
            (Core::Length, &[buffer]) => return self.length(buffer),
            (Core::Texel | Core::TextureSize | Core::TextureLevels | Core::Sample, _) => {
                return self.of_texture(op, ty, operands);
            }
            (Core::At, &[of, index]) => return self.at(ty, of, index),
            (Core::Update, &[of, index, part]) => return self.updated(of, index, part),
            _ => {}
        }
        let ids: Vec<Word> = operands.iter().map(|&operand| self.value(operand)).collect();
        match op {
            Core::Construct(_) => {
                let id = self.construct(ty, &ids);
                let types = operands.iter().map(|&operand| self.function.program.ty(operand));
                let parts: Vec<_> = ids.into_iter().zip(types).collect();
                self.constructed_in_double(&parts, id);
                id
            }
            Core::Inject(ty, case) => self.inject(ty, case, &ids),
            _ => {
                let kind = self.function.program.ty(operands[0]);
                let id = self.apply(op, kind, ty, &ids);
                self.also_in_double(op, kind, ty, &ids, id);
                self.hide_result(op, ty, &ids, id)
            }
        }
    }

    /// Emits an operation on ids; the first has the type `kind`.
    pub(super) fn apply(&mut self, op: Core, kind: Type, ty: Type, ids: &[Word]) -> Word {
        let is_exact = self.function.mode.is_exact();
        let exactly = if is_exact { self.exact(op, kind, ty, ids) } else { None };
        exactly.unwrap_or_else(|| self.natively(op, kind, ty, ids))
    }

    /// Emits the device's own operation.
    pub(super) fn natively(&mut self, op: Core, kind: Type, ty: Type, ids: &[Word]) -> Word {
        if kind.is_integer() && !matches!(op, Core::Component(_)) {
            return self.of_integers(op, kind, ty, ids);
        }
        let is_num = kind.is_num();
        match op {
            Core::Neg => self.arithmetic(Op::FNegate, ty, ids),
            Core::Add => self.arithmetic(Op::FAdd, ty, ids),
            Core::Sub => self.arithmetic(Op::FSub, ty, ids),
            Core::Mul => self.arithmetic(Op::FMul, ty, ids),
            Core::Div => self.arithmetic(Op::FDiv, ty, ids),
            Core::Abs => self.glsl(Glsl::FAbs, ty, ids),
            Core::Floor => self.glsl(Glsl::Floor, ty, ids),
            Core::Ceil => self.glsl(Glsl::Ceil, ty, ids),
            Core::Trunc => self.glsl(Glsl::Trunc, ty, ids),
            Core::RoundEven => self.glsl(Glsl::RoundEven, ty, ids),
            Core::Sqrt => self.glsl(Glsl::Sqrt, ty, ids),
            Core::Elementary(function) => self.glsl(native(function), ty, ids),
            // SPIR-V leaves open how FMin and FMax treat NaN and signed zeros.
            Core::Min => self.pick(ids[1], ids[0], ty, ids),
            Core::Max => self.pick(ids[0], ids[1], ty, ids),
            Core::Less => self.instruction(Op::FOrdLessThan, ty, ids),
            Core::LessEqual => self.instruction(Op::FOrdLessThanEqual, ty, ids),
            Core::Equal if is_num => self.instruction(Op::FOrdEqual, ty, ids),
            Core::Equal => self.instruction(Op::LogicalEqual, ty, ids),
            Core::NotEqual if is_num && is_active(Mutant::OrderedNotEqual) => {
                self.instruction(Op::FOrdNotEqual, ty, ids)
            }
            Core::NotEqual if is_num => self.instruction(Op::FUnordNotEqual, ty, ids),
            Core::NotEqual => self.instruction(Op::LogicalNotEqual, ty, ids),
            // naga reports OpLogicalAnd and OpLogicalOr of vectors as type errors.
            Core::And if kind != Type::BOOL => {
                self.instruction(Op::Select, ty, &[ids[0], ids[1], ids[0]])
            }
            Core::Or if kind != Type::BOOL => {
                self.instruction(Op::Select, ty, &[ids[0], ids[0], ids[1]])
            }
            Core::And => self.instruction(Op::LogicalAnd, ty, ids),
            Core::Or => self.instruction(Op::LogicalOr, ty, ids),
            Core::Not => self.instruction(Op::LogicalNot, ty, ids),
            Core::Any => self.instruction(Op::Any, ty, ids),
            Core::All => self.instruction(Op::All, ty, ids),
            Core::Select if kind == Type::BOOL => self.select(ids[0], ty, ids[1], ids[2]),
            Core::Select => self.instruction(Op::Select, ty, ids),
            Core::Component(k) | Core::Column(k) => self.extract(ty, ids[0], k.into()),
            Core::Field(k) => self.extract(ty, ids[0], k),
            Core::Tag => self.extract(ty, ids[0], 0),
            Core::Payload(case, field) => self.payload(kind, ids[0], case, field),
            Core::Fma => self.fma(ty, ids),
            Core::Convert(to) if is_num => self.of_nums(to, kind, ty, ids[0]),
            Core::Convert(_) => {
                let one = if ty.is_num() { 1.0_f32.to_bits() } else { 1 };
                let [one, zero] = [one, 0].map(|word| self.everywhere(ty, word));
                self.instruction(Op::Select, ty, &[ids[0], one, zero])
            }
            Core::Bits => self.bits(kind, ty, ids[0]),
            Core::Rem
            | Core::MulHigh
            | Core::Xor
            | Core::ShiftLeft
            | Core::ShiftRight
            | Core::FromBits => unreachable!("they are of integers"),
            Core::Plane | Core::Memory(_) => unreachable!("it has been refused"),
            Core::At
            | Core::Update
            | Core::Construct(_)
            | Core::Inject(..)
            | Core::Probe(_)
            | Core::After
            | Core::Texel
            | Core::TextureSize
            | Core::TextureLevels
            | Core::Sample
            | Core::Element
            | Core::Length => {
                unreachable!("they are of values, not of ids")
            }
        }
    }

    /// An instruction whose operands are ids.
    pub(super) fn instruction(&mut self, op: Op, ty: Type, ids: &[Word]) -> Word {
        self.of_shape(op, TypeDeclaration::Value(ty), ids)
    }

    /// An instruction with a result of that type.
    pub(super) fn of_shape(&mut self, op: Op, shape: TypeDeclaration, ids: &[Word]) -> Word {
        let ty = self.declarations.shape(shape);
        self.compute(op, ty, ids.iter().copied().map(Operand::IdRef).collect())
    }

    /// Arithmetic that must not be contracted.
    pub(super) fn arithmetic(&mut self, op: Op, ty: Type, ids: &[Word]) -> Word {
        let id = self.instruction(op, ty, ids);
        self.is_not_contracted(id);
        id
    }

    pub(super) fn is_not_contracted(&mut self, id: Word) {
        if is_active(Mutant::Contracted) {
            return;
        }
        self.declarations.decorate(id, Decoration::NoContraction, []);
    }

    pub(super) fn fma(&mut self, ty: Type, ids: &[Word]) -> Word {
        let id = self.glsl(Glsl::Fma, ty, ids);
        self.is_not_contracted(id);
        id
    }

    pub(super) fn glsl(&mut self, function: Glsl, ty: Type, ids: &[Word]) -> Word {
        let ty = self.declarations.ty(ty);
        let set = self.declarations.glsl();
        let mut operands =
            vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(function as u32)];
        operands.extend(ids.iter().copied().map(Operand::IdRef));
        self.compute(Op::ExtInst, ty, operands)
    }

    /// `less < than ? ids[1] : ids[0]`, by component.
    fn pick(&mut self, less: Word, than: Word, ty: Type, ids: &[Word]) -> Word {
        let bools = Type::bvec(ty.width().expect("minima are of nums and vectors"));
        let condition = self.instruction(Op::FOrdLessThan, bools, &[less, than]);
        let chosen =
            if is_active(Mutant::SwappedSelect) { [ids[0], ids[1]] } else { [ids[1], ids[0]] };
        self.instruction(Op::Select, ty, &[condition, chosen[0], chosen[1]])
    }
}

/// The GLSL.std.450 instruction for a function.
fn native(function: Elementary) -> Glsl {
    match function {
        Elementary::Sin => Glsl::Sin,
        Elementary::Cos => Glsl::Cos,
        Elementary::Tan => Glsl::Tan,
        Elementary::Asin => Glsl::Asin,
        Elementary::Acos => Glsl::Acos,
        Elementary::Atan => Glsl::Atan,
        Elementary::Sinh => Glsl::Sinh,
        Elementary::Cosh => Glsl::Cosh,
        Elementary::Tanh => Glsl::Tanh,
        Elementary::Asinh => Glsl::Asinh,
        Elementary::Acosh => Glsl::Acosh,
        Elementary::Atanh => Glsl::Atanh,
        Elementary::Exp => Glsl::Exp,
        Elementary::Exp2 => Glsl::Exp2,
        Elementary::Log => Glsl::Log,
        Elementary::Log2 => Glsl::Log2,
        Elementary::Atan2 => Glsl::Atan2,
        Elementary::Pow => Glsl::Pow,
    }
}
