//! Pointers to parts of variables.

use super::super::binary::Instruction;
use super::super::code::Step;
use super::super::error::LoadError;
use super::super::options::Undefined;
use super::super::resources::BindingKind;
use super::super::values::{
    ComponentType, ELEMENTS, Entity, Ids, Index, MatrixLayout, MemoryRegion, Space, SpirvType,
    ValueType,
};
use super::{Globals, Role};
use rspirv::spirv::{Decoration, StorageClass};

/// A dynamic index into `count` parts, `stride` words apart.
fn index_of(
    ids: &Ids,
    instruction: &Instruction<'_>,
    index: u32,
    count: usize,
    stride: usize,
) -> Result<Index, LoadError> {
    let (of, value) = ids.value(instruction, index)?;
    if !of.is_scalar() || !of.scalar.is_integer() {
        return Err(instruction.malformed("an index that is no integer"));
    }
    Ok(Index { value, count, stride, is_signed: of.scalar == ComponentType::Int })
}

impl Globals {
    /// True for a matrix and for an array of matrices.
    fn is_of_matrices(&self, ids: &Ids, mut kind: ValueType) -> bool {
        // (Terminates: no type contains itself.)
        while let Some(aggregate) = kind.aggregate {
            match ids.get(aggregate.ty) {
                Some(&Entity::Type(SpirvType::Array(element, _))) => kind = element,
                _ => return false,
            }
        }
        kind.is_matrix()
    }

    fn is_marked(&self) -> bool {
        self.undefined == Undefined::Marked
    }

    /// The part of a region that an index selects.
    fn part(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        region: MemoryRegion,
        index: u32,
    ) -> Result<MemoryRegion, LoadError> {
        let is_shared = region.space.is_shared();
        let known = match self.constant(index) {
            Some(&[index]) => Some(index as usize),
            Some(_) => return Err(instruction.malformed("an index that is no integer")),
            None => None,
        };
        let none = || instruction.malformed("an index is out of bounds");
        let aggregate = region.kind.aggregate.map(|aggregate| aggregate.ty);
        let (kind, count, step) = match aggregate.and_then(|ty| Some((ty, ids.get(ty)?))) {
            Some((ty, Entity::Type(SpirvType::Struct(members, _)))) => {
                let Some(index) = known else {
                    return Err(instruction.malformed("a member by an index that is no constant"));
                };
                let &(kind, before) = members.get(index).ok_or_else(none)?;
                let (mut at, mut layout) = (before, MatrixLayout::default());
                if is_shared {
                    let member = Some(index as u32);
                    at = self.words_of(instruction, ty, member, Decoration::Offset)?;
                    if self.is_of_matrices(ids, kind) {
                        layout = self.matrix_layout(ty, index as u32);
                    }
                }
                return Ok(MemoryRegion { at: region.at + at, kind, layout, ..region });
            }
            Some((ty, &Entity::Type(SpirvType::Array(kind, count)))) => {
                let step = match is_shared {
                    true => self.words_of(instruction, ty, None, Decoration::ArrayStride)?,
                    false => kind.words(),
                };
                (kind, count, step)
            }
            _ => {
                let (kind, count) = region.kind.part().ok_or_else(none)?;
                let step = match (region.kind.is_matrix(), is_shared) {
                    (true, true) => region.layout.column,
                    (true, false) => kind.words(),
                    (false, true) => region.layout.row.max(1),
                    (false, false) => 1,
                };
                (kind, count, step)
            }
        };
        if let Some(index) = known.filter(|&index| index < count || self.is_marked()) {
            if index >= count {
                return Err(none());
            }
            return Ok(MemoryRegion { at: region.at + index * step, kind, ..region });
        }
        let mut indices = region.indices;
        indices.push(index_of(ids, instruction, index, count, step)?);
        Ok(MemoryRegion { indices, kind, ..region })
    }

    /// The member and the type of the array without a length in a block.
    fn array_of(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        block: u32,
    ) -> Result<(u32, u32), LoadError> {
        match ids.ty(instruction, block)? {
            &SpirvType::Buffer(array) => Ok((0, array)),
            SpirvType::Open(members) => {
                let last = members.len() - 1;
                Ok((last as u32, members[last]))
            }
            _ => Err(instruction.malformed("its base has no array without a length")),
        }
    }

    /// A part of a buffer or of a memory whose block has an array without a length. The bound data determine the
    /// number of its elements at run time. Returns the indices that are left, too.
    fn part_of_block<'i>(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        [block, number]: [u32; 2],
        indices: &'i [u32],
    ) -> Result<(MemoryRegion, &'i [u32]), LoadError> {
        let wrong = || instruction.malformed("its base is no pointer, or has no such part");
        let space = match self.resources[number as usize].kind {
            BindingKind::Memory => Space::Memory(number as usize),
            _ => Space::Buffer(number as usize),
        };
        let (last, array) = self.array_of(ids, instruction, block)?;
        let &[member, ref indices @ ..] = indices else { return Err(wrong()) };
        let Some(&[member]) = self.constant(member) else { return Err(wrong()) };
        let is_memory = matches!(space, Space::Memory(_));
        let at = match is_memory {
            true => self.words_of(instruction, block, Some(member), Decoration::Offset)?,
            false => 0,
        };
        let layout = self.matrix_layout(block, member);
        if member != last {
            let SpirvType::Open(members) = ids.ty(instruction, block)? else { return Err(wrong()) };
            let &ty = members.get(member as usize).ok_or_else(wrong)?;
            let kind = ids.kind(instruction, ty)?;
            let layout = if self.is_of_matrices(ids, kind) { layout } else { Default::default() };
            return Ok((MemoryRegion { at, layout, ..MemoryRegion::of(space, kind) }, indices));
        }
        let &SpirvType::RuntimeArray(kind) = ids.ty(instruction, array)? else {
            unreachable!("the block was made of one");
        };
        let &[index, ref rest @ ..] = indices else { return Err(wrong()) };
        let step = self.words_of(instruction, array, None, Decoration::ArrayStride)?;
        let indices = vec![index_of(ids, instruction, index, ELEMENTS, step)?];
        Ok((MemoryRegion { at, indices, layout, ..MemoryRegion::of(space, kind) }, rest))
    }

    /// The step for the number of a buffer's elements.
    pub(crate) fn length(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        to: usize,
    ) -> Result<Step, LoadError> {
        instruction.exactly(4)?;
        let Some(&Entity::Buffer { number, block }) = ids.get(instruction.operand(2)?) else {
            return Err(instruction.malformed("not of a buffer"));
        };
        let (member, array) = self.array_of(ids, instruction, block)?;
        if !kind.is_scalar() || !kind.scalar.is_integer() || instruction.operand(3)? != member {
            return Err(instruction.malformed("not the length of its array, as a uint"));
        }
        if self.resources[number].kind != BindingKind::Memory {
            return Ok(Step::Length { to, buffer: number });
        }
        let offset = self.words_of(instruction, block, Some(member), Decoration::Offset)?;
        let stride = self.words_of(instruction, array, None, Decoration::ArrayStride)?;
        if stride == 0 {
            return Err(instruction.malformed("ArrayStride"));
        }
        Ok(Step::Elements { to, memory: number, offset, stride })
    }

    /// An access chain: a pointer to a part of another pointer's target.
    pub(crate) fn access(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
    ) -> Result<Entity, LoadError> {
        let (ty, base) = (instruction.operand(0)?, instruction.operand(2)?);
        let &SpirvType::Pointer(class, to) = ids.ty(instruction, ty)? else {
            return Err(instruction.malformed("its result is no pointer"));
        };
        let (from, mut region, indices) = match (ids.get(base), instruction.rest(3)?) {
            (Some(Entity::Pointer(from, region)), indices) => {
                let &SpirvType::Pointer(from, _) = ids.ty(instruction, *from)? else {
                    unreachable!("a pointer is of such a type");
                };
                (from, region.clone(), indices)
            }
            (Some(&Entity::Buffer { block, number }), indices) => {
                let at = [block, number as u32];
                let (region, indices) = self.part_of_block(ids, instruction, at, indices)?;
                let is_uniform = class == StorageClass::Uniform;
                let from = if is_uniform { class } else { StorageClass::StorageBuffer };
                (from, region, indices)
            }
            _ => return Err(instruction.malformed("its base is no pointer, or has no such part")),
        };
        for &index in indices {
            region = self.part(ids, instruction, region, index)?;
        }
        if from == class && region.kind == ids.kind(instruction, to)? {
            return Ok(Entity::Pointer(ty, region));
        }
        Err(instruction.malformed("its result is of another type"))
    }

    /// Marks the variable of a region as written; read-only memory is an error.
    pub(crate) fn write(
        &mut self,
        instruction: &Instruction<'_>,
        region: &MemoryRegion,
    ) -> Result<(), LoadError> {
        match region.space {
            Space::Own(number)
                if matches!(self.variables[number].role, Role::Own | Role::Output) =>
            {
                self.variables[number].is_written = true;
                Ok(())
            }
            // The caller that passed the pointer marked its variable.
            Space::Pointed | Space::Memory(_) | Space::Shared(_) => Ok(()),
            _ => Err(instruction.malformed("its target is read-only")),
        }
    }
}
