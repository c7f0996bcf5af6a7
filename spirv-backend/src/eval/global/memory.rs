//! Variables in the memory that a module shares with the world, and pointers to parts of them.

use super::super::binary::Instruction;
use super::super::error::LoadError;
use super::super::resources::{Member, PUSH_CONSTANT_WORDS};
use super::super::values::{
    ComponentType, Entity, Ids, MemoryRegion, Pointee, Space, SpirvType, ValueType,
};
use super::{Globals, Output};
use lambdav_core::types as lv;
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};

/// The uniform block may have at most so many words.
const MAX_UNIFORM_WORDS: usize = 1 << 20;

impl Globals {
    /// A variable.
    pub(super) fn variable(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        instruction.exactly(3)?;
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let unknown =
            |what: &str| Err(LoadError::Unknown { what: what.into(), at: instruction.at });
        let &SpirvType::Pointer(class, to) = ids.ty(instruction, ty)? else {
            return Err(instruction.malformed("its type is no pointer"));
        };
        let decoration = |of| self.decorations.get(&(id, None, of)).copied();
        let pointee = match (class, ids.ty(instruction, to)?) {
            (StorageClass::Input, SpirvType::Value(kind)) => {
                let is_position = decoration(Decoration::BuiltIn)
                    == Some(BuiltIn::FragCoord as u32)
                    && *kind == (ValueType { scalar: ComponentType::Float, rows: 4, columns: 1 });
                if !is_position {
                    return unknown("an input that is not FragCoord");
                }
                let space = Space::FragCoord;
                Pointee::Value(MemoryRegion { space, at: 0, kind: *kind, stride: 0 })
            }
            (StorageClass::Output, SpirvType::Value(kind)) => {
                let Some(location) = decoration(Decoration::Location) else {
                    return unknown("an output without a location");
                };
                if kind.scalar != ComponentType::Float || kind.is_matrix() {
                    return unknown("an output that is not of numbers");
                }
                if self.outputs.iter().any(|output| output.location == location) {
                    return Err(instruction.malformed("a second output at that location"));
                }
                let (at, components) = (self.output_words, kind.words());
                self.outputs.push(Output { location, components, at });
                self.output_words += components;
                Pointee::Value(MemoryRegion { space: Space::Outputs, at, kind: *kind, stride: 0 })
            }
            (StorageClass::PushConstant, SpirvType::Struct(_)) => {
                Pointee::Block(Space::PushConstants, to)
            }
            (StorageClass::Uniform, SpirvType::Struct(members)) => {
                if std::mem::replace(&mut self.has_uniforms, true) {
                    return unknown("a second uniform block");
                }
                for index in 0..members.len() as u32 {
                    let place = self.member(ids, instruction, Space::Uniforms, to, index)?;
                    self.uniform_words = self.uniform_words.max(place.end());
                    let name = self.names.get(&(to, Some(index))).cloned().unwrap_or_default();
                    let kind = place.kind;
                    let ty = match (kind.scalar, kind.columns) {
                        (ComponentType::Float, 1) => lv::Type::vec(kind.rows),
                        (ComponentType::Float, n) if n == kind.rows => lv::Type::mat(n),
                        (ComponentType::Int, 1) => lv::Type::of(lv::Scalar::I32, kind.rows),
                        (ComponentType::Uint, 1) => lv::Type::of(lv::Scalar::U32, kind.rows),
                        _ => return unknown("a uniform that is of no type of λV"),
                    };
                    let (at, stride) = (place.at, place.stride);
                    self.uniforms.push(Member { name, ty, at, stride });
                }
                Pointee::Block(Space::Uniforms, to)
            }
            _ => return unknown("a variable in such a storage class"),
        };
        ids.define(instruction, id, Entity::Pointer(ty, pointee))
    }

    /// Where a member of a block lies.
    fn member(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        space: Space,
        block: u32,
        index: u32,
    ) -> Result<MemoryRegion, LoadError> {
        let member = match ids.ty(instruction, block)? {
            SpirvType::Struct(members) => members.get(index as usize).copied(),
            _ => None,
        };
        let member = member.ok_or_else(|| instruction.malformed("there is no such member"))?;
        let kind = ids.kind(instruction, member)?;
        if kind.scalar == ComponentType::Bool {
            return Err(instruction.malformed("memory that is shared holds no bools"));
        }
        let words = |decoration| {
            let bytes = self.decorations.get(&(block, Some(index), decoration)).copied();
            let words = bytes.filter(|bytes| bytes % 4 == 0).map(|bytes| bytes as usize / 4);
            words.ok_or_else(|| instruction.malformed(format!("member {index}: {decoration:?}")))
        };
        let at = words(Decoration::Offset)?;
        let stride = if kind.is_matrix() { words(Decoration::MatrixStride)? } else { 0 };
        let place = MemoryRegion { space, at, kind, stride };
        let limit = match space {
            Space::PushConstants => PUSH_CONSTANT_WORDS,
            _ => MAX_UNIFORM_WORDS,
        };
        if at > limit || stride > limit || place.end() > limit {
            return Err(instruction.malformed(format!("member {index} lies beyond the memory")));
        }
        Ok(place)
    }

    /// A pointer to a part of what another points to.
    pub(in crate::eval) fn access(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
    ) -> Result<Entity, LoadError> {
        let (ty, base) = (instruction.operand(0)?, instruction.operand(2)?);
        let (SpirvType::Pointer(class, to), Some(Entity::Pointer(from, pointee))) =
            (ids.ty(instruction, ty)?, ids.get(base))
        else {
            return Err(instruction.malformed("not from a pointer to a pointer"));
        };
        let mut pointee = pointee.clone();
        for &index in instruction.rest(3)? {
            let Some(&[index]) = self.constant(index) else {
                let what = "an index that is no constant".into();
                return Err(LoadError::Unknown { what, at: instruction.at });
            };
            let place = match pointee {
                Pointee::Block(space, block) => {
                    self.member(ids, instruction, space, block, index)?
                }
                Pointee::Value(place) => place
                    .part(index)
                    .ok_or_else(|| instruction.malformed(format!("there is no part {index}")))?,
            };
            pointee = Pointee::Value(place);
        }
        let fits = match (&pointee, ids.ty(instruction, *to)?) {
            (Pointee::Value(place), SpirvType::Value(kind)) => place.kind == *kind,
            (Pointee::Block(_, block), _) => block == to,
            _ => false,
        };
        match ids.ty(instruction, *from)? {
            SpirvType::Pointer(same, _) if same == class && fits => {
                Ok(Entity::Pointer(ty, pointee))
            }
            _ => Err(instruction.malformed("a pointer of another type")),
        }
    }
}

impl MemoryRegion {
    /// The first word after it.
    fn end(&self) -> usize {
        self.at + self.stride * (usize::from(self.kind.columns) - 1) + usize::from(self.kind.rows)
    }

    /// A column or component of it.
    fn part(self, index: u32) -> Option<Self> {
        let (kind, count) = self.kind.part()?;
        let step = if self.kind.is_matrix() { self.stride } else { 1 };
        let index = index as usize;
        (index < count).then(|| Self { at: self.at + index * step, kind, stride: 0, ..self })
    }
}
