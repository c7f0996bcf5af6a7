//! Conditions under which an instruction is undefined, for [`probes`](super::probes).
//!
//! The table of docs/spirv.md lists them. All are computed before the instruction, without effects.

use super::raiser::{Pointer, Raiser, Root};
use crate::error::Result;
use crate::memory::Memory;
use crate::module::{Instruction, ModuleType};
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::{GlslStd450Op as Glsl, Op};

const DIVISOR: &str = "the divisor is 0";
const OVERFLOW: &str = "the least int by -1";
const BOUNDS: &str = "lo > hi";
const OUTSIDE: &str = "an index outside";

/// A condition of an instruction.
pub(super) struct Hit {
    pub(super) condition: &'static str,
    pub(super) node: NodeId,
    /// The operands to show.
    pub(super) shown: Vec<NodeId>,
}

impl Hit {
    pub(super) fn new(
        condition: &'static str,
        node: NodeId,
        shown: impl Into<Vec<NodeId>>,
    ) -> Self {
        Self { condition, node, shown: shown.into() }
    }
}

impl Raiser<'_, '_> {
    /// The conditions of an instruction, all without effects.
    pub(super) fn conditions(&mut self, of: &Instruction<'_>, memory: &Memory) -> Result<Vec<Hit>> {
        Ok(match of.op {
            Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod => self.of_division(of)?,
            Op::FRem | Op::FMod => {
                let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let zero = self.splat(self.type_of(b), 0);
                let is_zero = self.op(Core::Equal, &[b, zero])?;
                vec![Hit::new(DIVISOR, self.any(is_zero)?, [a, b])]
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let [a, n] = [self.operand(of, 2)?, self.operand(of, 3)?];
                let count = self.integer_as(n, Scalar::U32)?;
                let most = self.splat(self.type_of(count), 31);
                let beyond = self.op(Core::Less, &[most, count])?;
                let condition = "a count that is not 0 to 31";
                vec![Hit::new(condition, self.any(beyond)?, [a, n])]
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let shown = self.operands(of, 2)?;
                let Some(&[offset, count]) = shown.last_chunk() else { return Ok(Vec::new()) };
                let mut ends = Vec::new();
                for word in [offset, count] {
                    let word = self.integer_as(word, Scalar::U32)?;
                    let most = self.splat(Type::UINT, 33);
                    ends.push(self.op(Core::Min, &[word, most])?);
                }
                let end = self.op(Core::Add, &ends)?;
                let most = self.splat(Type::UINT, 32);
                let beyond = self.op(Core::Less, &[most, end])?;
                vec![Hit::new("offset + count above 32", beyond, shown)]
            }
            Op::ConvertFToS | Op::ConvertFToU => {
                let x = self.operand(of, 2)?;
                let ty = self.type_of(x);
                let is_signed = of.op == Op::ConvertFToS;
                let (low, high) = match is_signed {
                    true => (-2_147_483_648.0, 2_147_483_648.0),
                    false => (-1.0, 4_294_967_296.0),
                };
                let [low, high] = [self.number(ty, low), self.number(ty, high)];
                let from = if is_signed { Core::LessEqual } else { Core::Less };
                let [above, below] = [self.op(from, &[low, x])?, self.op(Core::Less, &[x, high])?];
                let is_inside = self.op(Core::And, &[above, below])?;
                let is_outside = self.op(Core::Not, &[is_inside])?;
                vec![Hit::new("NaN, or out of range", self.any(is_outside)?, [x])]
            }
            Op::VectorExtractDynamic => {
                let [vector, index] = [self.operand(of, 2)?, self.operand(of, 3)?];
                self.of_index(vector, index)?
            }
            Op::VectorInsertDynamic => {
                let [vector, index] = [self.operand(of, 2)?, self.operand(of, 4)?];
                self.of_index(vector, index)?
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.of_access(of, memory)?,
            Op::ImageFetch | Op::ImageRead => self.of_fetch(of)?,
            Op::ExtInst if self.module.is_glsl(of.operand(2)?) => self.of_function(of)?,
            _ => Vec::new(),
        })
    }

    fn of_division(&mut self, of: &Instruction<'_>) -> Result<Vec<Hit>> {
        let is_signed = !matches!(of.op, Op::UDiv | Op::UMod);
        let scalar = if is_signed { Scalar::I32 } else { Scalar::U32 };
        let [a, b] = [self.operand(of, 2)?, self.operand(of, 3)?];
        let [a, b] = [self.integer_as(a, scalar)?, self.integer_as(b, scalar)?];
        let ty = self.type_of(b);
        let zero = self.splat(ty, 0);
        let is_zero = self.op(Core::Equal, &[b, zero])?;
        let mut hits = vec![Hit::new(DIVISOR, self.any(is_zero)?, [a, b])];
        if is_signed {
            let [least, minus] = [self.splat(ty, 1 << 31), self.splat(ty, u32::MAX)];
            let is_least = self.op(Core::Equal, &[a, least])?;
            let is_minus = self.op(Core::Equal, &[b, minus])?;
            let overflows = self.op(Core::And, &[is_least, is_minus])?;
            hits.push(Hit::new(OVERFLOW, self.any(overflows)?, [a, b]));
        }
        Ok(hits)
    }

    /// An index into a value.
    fn of_index(&mut self, of: NodeId, index: NodeId) -> Result<Vec<Hit>> {
        let parts = self.graph.types().parts(self.type_of(of)).len() as u32;
        let count = self.splat(Type::UINT, parts);
        Ok(vec![Hit::new(OUTSIDE, self.beyond(index, count)?, [index])])
    }

    /// True where an index is negative or not below a count.
    pub(super) fn beyond(&mut self, index: NodeId, count: NodeId) -> Result<NodeId> {
        let [index, count] = [index, count].map(|of| self.integer_as(of, Scalar::U32));
        let inside = self.op(Core::Less, &[index?, count?])?;
        self.op(Core::Not, &[inside])
    }

    /// The indices of a pointer.
    fn of_access(&mut self, of: &Instruction<'_>, memory: &Memory) -> Result<Vec<Hit>> {
        let Pointer { root, mut ty, path } = self.pointer(of.operand(2)?)?;
        let (mut hits, mut depth) = (Vec::new(), path.len());
        // The number of the member that a runtime array is.
        let mut member = path.last().and_then(|&of| self.graph.constant_words(of)).map(|of| of[0]);
        for &id in of.rest(3) {
            let index = self.node(id)?;
            let (part, count) = match self.module.ty(ty)? {
                &ModuleType::Vector(part, count) | &ModuleType::Matrix(part, count) => {
                    (part, Some(self.splat(Type::UINT, count.into())))
                }
                &ModuleType::Array(part, length) => {
                    let length = self.module.length(length)?;
                    (part, Some(self.splat(Type::UINT, length)))
                }
                &ModuleType::RuntimeArray(part) => {
                    let is_first = depth == 1;
                    (part, self.runtime_length(&root, member.filter(|_| is_first), memory)?)
                }
                ModuleType::Structure(members) => {
                    let words = self.graph.constant_words(index).map(|words| words[0]);
                    let part = words.and_then(|word| members.get(word as usize));
                    // The instruction itself reports the error.
                    let Some(&part) = part else { return Ok(hits) };
                    member = words;
                    (part, None)
                }
                _ => return Ok(hits),
            };
            if let Some(count) = count
                && matches!(self.type_of(index), Type::INT | Type::UINT)
            {
                hits.push(Hit::new(OUTSIDE, self.beyond(index, count)?, [index]));
            }
            (ty, depth) = (part, depth + 1);
        }
        Ok(hits)
    }

    /// The number of elements of the runtime array that is that member of a block.
    fn runtime_length(
        &mut self,
        root: &Root,
        member: Option<u32>,
        memory: &Memory,
    ) -> Result<Option<NodeId>> {
        Ok(match (root, member) {
            (Root::Buffer(buffer, _), _) => Some(self.op(Core::Length, &[*buffer])?),
            (&Root::Memory(slot, ty), Some(member)) => {
                Some(self.length_of_member(memory.get(slot), ty, member)?)
            }
            _ => None,
        })
    }

    /// A place and a level of a texture.
    fn of_fetch(&mut self, of: &Instruction<'_>) -> Result<Vec<Hit>> {
        let fetch = self.fetched(of)?;
        let hit = self.is_outside(&fetch)?;
        let place = self.written_place(&fetch)?;
        Ok(vec![Hit::new("an index or level outside", hit, [place, fetch.level])])
    }

    /// A function out of its domain.
    fn of_function(&mut self, of: &Instruction<'_>) -> Result<Vec<Hit>> {
        let Some(function) = Glsl::from_u32(of.operand(3)?) else { return Ok(Vec::new()) };
        let count = match function {
            Glsl::Sqrt
            | Glsl::InverseSqrt
            | Glsl::Log
            | Glsl::Log2
            | Glsl::Asin
            | Glsl::Acos
            | Glsl::Acosh
            | Glsl::Atanh
            | Glsl::Normalize
            | Glsl::MatrixInverse => 1,
            Glsl::Pow | Glsl::Atan2 => 2,
            Glsl::SmoothStep | Glsl::FClamp | Glsl::NClamp | Glsl::SClamp | Glsl::UClamp => 3,
            _ => return Ok(Vec::new()),
        };
        let mut x = self.operands(of, 4)?;
        // The instruction itself reports the error.
        if x.len() != count {
            return Ok(Vec::new());
        }
        if let Glsl::SClamp | Glsl::UClamp = function {
            let scalar = if function == Glsl::SClamp { Scalar::I32 } else { Scalar::U32 };
            for operand in &mut x {
                *operand = self.integer_as(*operand, scalar)?;
            }
        }
        let a = x[0];
        let ty = self.type_of(a);
        let is_float = ty.scalar() == Some(Scalar::F32);
        let [zero, one] =
            [0.0, 1.0].map(|number| self.number(if is_float { ty } else { Type::NUM }, number));
        let (condition, hit) = match function {
            Glsl::Sqrt | Glsl::Log | Glsl::Log2 => {
                ("operand below 0", self.op(Core::Less, &[a, zero])?)
            }
            Glsl::InverseSqrt => ("operand at or below 0", self.op(Core::LessEqual, &[a, zero])?),
            Glsl::Asin | Glsl::Acos => {
                let size = self.op(Core::Abs, &[a])?;
                ("operand beyond 1 or -1", self.op(Core::Less, &[one, size])?)
            }
            Glsl::Acosh => ("operand below 1", self.op(Core::Less, &[a, one])?),
            Glsl::Atanh => {
                let size = self.op(Core::Abs, &[a])?;
                ("operand at or beyond 1 or -1", self.op(Core::LessEqual, &[one, size])?)
            }
            Glsl::Atan2 => {
                let [y, x] =
                    [self.op(Core::Equal, &[a, zero])?, self.op(Core::Equal, &[x[1], zero])?];
                ("both 0", self.op(Core::And, &[y, x])?)
            }
            Glsl::Pow => {
                let below = self.op(Core::Less, &[a, zero])?;
                let is_zero = self.op(Core::Equal, &[a, zero])?;
                let not_above = self.op(Core::LessEqual, &[x[1], zero])?;
                let of_zero = self.op(Core::And, &[is_zero, not_above])?;
                ("x < 0, or x = 0 and y <= 0", self.op(Core::Or, &[below, of_zero])?)
            }
            Glsl::Normalize => {
                let length = self.length(a)?;
                let zero = self.number(Type::NUM, 0.0);
                ("a length of 0", self.op(Core::Equal, &[length, zero])?)
            }
            Glsl::MatrixInverse => {
                let determinant = self.determinant(a)?;
                let zero = self.number(Type::NUM, 0.0);
                ("a determinant of 0", self.op(Core::Equal, &[determinant, zero])?)
            }
            Glsl::SmoothStep => ("e0 >= e1", self.op(Core::LessEqual, &[x[1], a])?),
            _ => (BOUNDS, self.op(Core::Less, &[x[2], x[1]])?),
        };
        Ok(vec![Hit::new(condition, self.any(hit)?, x)])
    }
}
