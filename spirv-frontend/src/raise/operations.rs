//! Instructions that compute a value from values.
//!
//! Undefined results of SPIR-V are those of the core's operations (LANGUAGE §9): division by zero,
//! shifts by 32 and more, conversions out of range, indices out of bounds.

use super::raiser::{Raiser, Root};
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::spirv::Op;

/// Signedness in which integer operands are taken.
#[derive(Clone, Copy)]
enum Sign {
    /// The signedness of the result.
    Result,
    /// The signedness of the first operand.
    First,
    Is(Scalar),
}

/// The core operation that an instruction equals, operands unchanged.
fn direct(op: Op) -> Option<Core> {
    Some(match op {
        Op::FNegate => Core::Neg,
        Op::FAdd => Core::Add,
        Op::FSub => Core::Sub,
        Op::FMul => Core::Mul,
        Op::FDiv => Core::Div,
        Op::LogicalAnd => Core::And,
        Op::LogicalOr => Core::Or,
        Op::LogicalNot => Core::Not,
        Op::LogicalEqual | Op::FOrdEqual => Core::Equal,
        Op::LogicalNotEqual | Op::FUnordNotEqual => Core::NotEqual,
        Op::FOrdLessThan => Core::Less,
        Op::FOrdLessThanEqual => Core::LessEqual,
        Op::Any => Core::Any,
        Op::All => Core::All,
        Op::Select => Core::Select,
        _ => return None,
    })
}

/// The integer operation of an instruction; true if its operands are swapped; their signedness.
fn of_integers(op: Op) -> Option<(Core, bool, Sign)> {
    use Scalar::{I32, U32};
    let is = |core, scalar| Some((core, false, Sign::Is(scalar)));
    let swapped = |core, scalar| Some((core, true, Sign::Is(scalar)));
    match op {
        Op::IAdd => Some((Core::Add, false, Sign::Result)),
        Op::ISub => Some((Core::Sub, false, Sign::Result)),
        Op::IMul => Some((Core::Mul, false, Sign::Result)),
        Op::SNegate => Some((Core::Neg, false, Sign::Result)),
        Op::Not => Some((Core::Not, false, Sign::Result)),
        Op::BitwiseAnd => Some((Core::And, false, Sign::Result)),
        Op::BitwiseOr => Some((Core::Or, false, Sign::Result)),
        Op::BitwiseXor => Some((Core::Xor, false, Sign::Result)),
        Op::IEqual => Some((Core::Equal, false, Sign::First)),
        Op::INotEqual => Some((Core::NotEqual, false, Sign::First)),
        Op::SDiv => is(Core::Div, I32),
        Op::UDiv => is(Core::Div, U32),
        Op::SRem => is(Core::Rem, I32),
        Op::UMod => is(Core::Rem, U32),
        Op::SLessThan => is(Core::Less, I32),
        Op::ULessThan => is(Core::Less, U32),
        Op::SLessThanEqual => is(Core::LessEqual, I32),
        Op::ULessThanEqual => is(Core::LessEqual, U32),
        Op::SGreaterThan => swapped(Core::Less, I32),
        Op::UGreaterThan => swapped(Core::Less, U32),
        Op::SGreaterThanEqual => swapped(Core::LessEqual, I32),
        Op::UGreaterThanEqual => swapped(Core::LessEqual, U32),
        _ => None,
    }
}

/// The core comparison for an instruction; true if its operands are swapped; true if it is negated.
fn comparison(op: Op) -> Option<(Core, bool, bool)> {
    // Operation, swapped, negated.
    Some(match op {
        Op::FOrdGreaterThan => (Core::Less, true, false),
        Op::FOrdGreaterThanEqual => (Core::LessEqual, true, false),
        Op::FUnordLessThan => (Core::LessEqual, true, true),
        Op::FUnordGreaterThan => (Core::LessEqual, false, true),
        Op::FUnordLessThanEqual => (Core::Less, true, true),
        Op::FUnordGreaterThanEqual => (Core::Less, false, true),
        _ => return None,
    })
}

impl Raiser<'_, '_> {
    /// The node that an instruction computes; its type is the result type up to the signedness of
    /// integers.
    pub(super) fn operation(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let ty = of.operand(0)?;
        if let Some(core) = direct(of.op) {
            let operands = self.operands(of, 2)?;
            return match core {
                Core::Select => self.select(ty, operands),
                _ => self.op(core, &operands),
            };
        }
        if let Some((core, is_swapped, sign)) = of_integers(of.op) {
            let mut operands = self.operands(of, 2)?;
            let sign = match sign {
                Sign::Is(scalar) => scalar,
                Sign::Result => self.scalar_of(ty)?,
                Sign::First => match operands.first().map(|&first| self.type_of(first).scalar()) {
                    Some(Some(scalar)) => scalar,
                    _ => return Err(of.malformed("its operands are no integers")),
                },
            };
            for operand in &mut operands {
                *operand = self.integer_as(*operand, sign)?;
            }
            if is_swapped {
                operands.reverse();
            }
            return self.op(core, &operands);
        }
        if let Some((core, is_swapped, is_negated)) = comparison(of.op) {
            let mut operands = self.operands(of, 2)?;
            if is_swapped {
                operands.reverse();
            }
            let node = self.op(core, &operands)?;
            return if is_negated { self.op(Core::Not, &[node]) } else { Ok(node) };
        }
        match of.op {
            Op::Undef => {
                let ty = self.core_type(ty)?;
                Ok(self.zero(ty))
            }
            Op::FOrdNotEqual | Op::FUnordEqual => {
                let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let less = self.op(Core::Less, &[a, b])?;
                let greater = self.op(Core::Less, &[b, a])?;
                let differs = self.op(Core::Or, &[less, greater])?;
                if of.op == Op::FOrdNotEqual { Ok(differs) } else { self.op(Core::Not, &[differs]) }
            }
            Op::IsNan => {
                let x = self.operand(of, 2)?;
                self.op(Core::NotEqual, &[x, x])
            }
            Op::IsInf => {
                let x = self.operand(of, 2)?;
                let size = self.op(Core::Abs, &[x])?;
                let ty = self.type_of(x);
                let infinite = self.number(ty, f32::INFINITY);
                self.op(Core::Equal, &[size, infinite])
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let [a, n] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let (core, scalar) = match of.op {
                    Op::ShiftLeftLogical => (Core::ShiftLeft, self.scalar_of(ty)?),
                    Op::ShiftRightLogical => (Core::ShiftRight, Scalar::U32),
                    _ => (Core::ShiftRight, Scalar::I32),
                };
                let a = self.integer_as(a, scalar)?;
                let n = self.integer_as(n, Scalar::U32)?;
                self.op(core, &[a, n])
            }
            Op::SMod => {
                let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let [a, b] = [self.integer_as(a, Scalar::I32)?, self.integer_as(b, Scalar::I32)?];
                self.modulo(a, b)
            }
            Op::FMod | Op::FRem => {
                let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let quotient = self.op(Core::Div, &[a, b])?;
                let whole = if of.op == Op::FMod { Core::Floor } else { Core::Trunc };
                let whole = self.op(whole, &[quotient])?;
                let product = self.op(Core::Mul, &[b, whole])?;
                self.op(Core::Sub, &[a, product])
            }
            Op::ConvertFToS | Op::ConvertFToU => {
                let x = self.operand(of, 2)?;
                if !self.type_of(x).is_num() {
                    return Err(of.malformed("its operand is no number"));
                }
                let to = if of.op == Op::ConvertFToS { Scalar::I32 } else { Scalar::U32 };
                self.op(Core::Convert(to), &[x])
            }
            Op::ConvertSToF | Op::ConvertUToF => {
                let x = self.operand(of, 2)?;
                let from = if of.op == Op::ConvertSToF { Scalar::I32 } else { Scalar::U32 };
                let x = self.integer_as(x, from)?;
                self.op(Core::Convert(Scalar::F32), &[x])
            }
            Op::QuantizeToF16 => {
                let x = self.operand(of, 2)?;
                self.quantize_to_half(x)
            }
            Op::UConvert | Op::SConvert | Op::FConvert | Op::CopyLogical => self.operand(of, 2),
            Op::Bitcast => {
                let x = self.operand(of, 2)?;
                self.bitcast(x, ty)
            }
            Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Transpose
            | Op::Dot => self.linear(of),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(of)
            }
            Op::BitCount
            | Op::BitReverse
            | Op::BitFieldInsert
            | Op::BitFieldSExtract
            | Op::BitFieldUExtract => self.bits(of),
            Op::CompositeConstruct
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::VectorShuffle
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic => self.composite(of),
            Op::ExtInst => {
                if !self.module.is_glsl(of.operand(2)?) {
                    return Err(of.malformed("its instruction set is unknown"));
                }
                self.glsl(of)
            }
            Op::ArrayLength => {
                let pointer = self.pointer(of.operand(2)?)?;
                match pointer.root {
                    Root::Buffer(buffer, member) if member == of.operand(3)? => {
                        self.op(Core::Length, &[buffer])
                    }
                    _ => Err(of.malformed("it is no runtime array")),
                }
            }
            Op::ImageFetch
            | Op::ImageRead
            | Op::ImageQuerySize
            | Op::ImageQuerySizeLod
            | Op::ImageQueryLevels
            | Op::ImageQuerySamples
            | Op::ImageQueryLod
            | Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather => self.of_image(of),
            Op::GroupNonUniformQuadSwap => self.swapped(of),
            Op::DPdx
            | Op::DPdxFine
            | Op::DPdxCoarse
            | Op::DPdy
            | Op::DPdyFine
            | Op::DPdyCoarse
            | Op::Fwidth
            | Op::FwidthFine
            | Op::FwidthCoarse => self.derivative(of),
            _ => Err(of.unsupported("this instruction is not supported")),
        }
    }

    /// The remainder of integers with the sign of the divisor.
    pub(super) fn modulo(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let rest = self.op(Core::Rem, &[a, b])?;
        let zero = self.splat(self.type_of(rest), 0);
        let signs = self.op(Core::Xor, &[rest, b])?;
        let differ = self.op(Core::Less, &[signs, zero])?;
        let is_rest = self.op(Core::NotEqual, &[rest, zero])?;
        let is_moved = self.op(Core::And, &[is_rest, differ])?;
        let moved = self.op(Core::Add, &[rest, b])?;
        self.op(Core::Select, &[is_moved, moved, rest])
    }

    /// Selects by one bool for the whole value or by one for each component.
    fn select(&mut self, ty: u32, mut operands: Vec<NodeId>) -> Result<NodeId> {
        let ty = self.core_type(ty)?;
        for operand in operands.iter_mut().skip(1) {
            *operand = self.of_type(*operand, ty)?;
        }
        self.op(Core::Select, &operands)
    }

    /// Reinterprets the bits as another type.
    pub(super) fn bitcast(&mut self, x: NodeId, ty: u32) -> Result<NodeId> {
        let ty = self.core_type(ty)?;
        let from = self.type_of(x);
        match (from.scalar(), ty.scalar()) {
            _ if from == ty => Ok(x),
            (Some(Scalar::F32), Some(Scalar::I32 | Scalar::U32)) => self.op(Core::Bits, &[x]),
            (Some(Scalar::I32 | Scalar::U32), Some(Scalar::F32)) => {
                let bits = self.integer_as(x, Scalar::U32)?;
                self.op(Core::FromBits, &[bits])
            }
            (Some(Scalar::I32 | Scalar::U32), Some(Scalar::I32 | Scalar::U32)) => Ok(x),
            _ => Err(RaiseError::malformed("its operand is of another type")),
        }
    }

    fn composite(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let index = |s: &mut Self, literal: u32| s.splat(Type::UINT, literal);
        match of.op {
            Op::CompositeConstruct => {
                let ty = self.core_type(of.operand(0)?)?;
                let mut parts = self.operands(of, 2)?;
                if let TypeKind::Vector(..) = self.graph.types().kind(ty) {
                    parts = self.scalars(&parts)?;
                }
                self.construct(ty, parts)
            }
            Op::CompositeExtract => {
                let mut node = self.operand(of, 2)?;
                for &literal in of.rest(3) {
                    self.check_part(node, literal)?;
                    let index = index(self, literal);
                    node = self.part(node, index)?;
                }
                Ok(node)
            }
            Op::CompositeInsert => {
                let [part, whole] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let mut inner = self.type_of(whole);
                let mut path = Vec::new();
                for &literal in of.rest(4) {
                    let Some((ty, _)) = self.graph.types().part(inner, literal as usize) else {
                        return Err(of.malformed(&format!("there is no part {literal}")));
                    };
                    path.push(index(self, literal));
                    inner = ty;
                }
                self.replace(whole, &path, part)
            }
            Op::VectorShuffle => {
                let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let ty = self.core_type(of.operand(0)?)?;
                let all = self.scalars(&[a, b])?;
                let mut parts = Vec::new();
                for &literal in of.rest(4) {
                    parts.push(match literal {
                        // Undefined component: any value.
                        u32::MAX => {
                            let scalar = ty.scalar().unwrap_or(Scalar::F32);
                            self.splat(Type::of(scalar, 1), 0)
                        }
                        _ => match all.get(literal as usize) {
                            Some(&part) => part,
                            None => return Err(of.malformed("there is no such component")),
                        },
                    });
                }
                self.construct(ty, parts)
            }
            Op::VectorExtractDynamic => {
                let [vector, index] = [self.operand(of, 2)?, self.operand(of, 3)?];
                self.op(Core::At, &[vector, index])
            }
            _ => {
                let [vector, part] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let index = self.operand(of, 4)?;
                self.replace(vector, &[index], part)
            }
        }
    }

    /// Checks that a part exists.
    fn check_part(&self, node: NodeId, part: u32) -> Result<()> {
        match self.graph.types().part(self.type_of(node), part as usize) {
            Some(_) => Ok(()),
            None => Err(RaiseError::malformed(format!("there is no part {part}"))),
        }
    }

    /// The components of scalars and vectors in order.
    pub(super) fn scalars(&mut self, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
        let mut all = Vec::new();
        for &node in nodes {
            match self.type_of(node).width() {
                Some(1) => all.push(node),
                Some(width) => {
                    for k in 0..width {
                        all.push(self.op(Core::Component(k), &[node])?);
                    }
                }
                None => return Err(RaiseError::malformed("its operands are no vectors")),
            }
        }
        Ok(all)
    }
}
