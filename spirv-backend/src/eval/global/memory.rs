//! Variables, in the memory that a module shares with the world and in its own, and pointers to
//! parts of them.

use super::super::binary::Instruction;
use super::super::code::{Place, Step, Words};
use super::super::error::LoadError;
use super::super::resources::{BindingKind, PUSH_CONSTANT_WORDS, ResourceBinding};
use super::super::values::{
    ComponentType, Entity, Ids, Index, MemoryRegion, Space, SpirvType, ValueType,
};
use super::{Globals, Output, Variable};
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};

/// The uniform block may have at most so many words.
const MAX_UNIFORM_WORDS: usize = 1 << 20;

/// All variables of the module's own may have at most so many words.
const MAX_OWN_WORDS: usize = 1 << 22;

/// An index that is computed, of so many parts that lie so far apart.
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
    Ok(Index { value, count, stride })
}

impl Globals {
    /// A variable.
    pub(in crate::eval) fn variable(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let unknown =
            |what: &str| Err(LoadError::Unknown { what: what.into(), at: instruction.at });
        let &SpirvType::Pointer(class, to) = ids.ty(instruction, ty)? else {
            return Err(instruction.malformed("its type is no pointer"));
        };
        let decoration = |of| self.decorations.get(&(id, None, of)).copied();
        if class == StorageClass::UniformConstant {
            let SpirvType::SampledImage = ids.ty(instruction, to)? else {
                return unknown("a resource that is no combined image sampler");
            };
            let number = self.resource(instruction, id, BindingKind::Texture)?;
            return ids.define(instruction, id, Entity::Texture(number));
        }
        if class == StorageClass::StorageBuffer {
            let &SpirvType::Buffer(array) = ids.ty(instruction, to)? else {
                return unknown("a buffer that is no block of one array without a length");
            };
            let &SpirvType::RuntimeArray(kind) = ids.ty(instruction, array)? else {
                unreachable!("the block was made of one");
            };
            let stride = self.words_of(instruction, array, None, Decoration::ArrayStride)?;
            let between = self.matrix_stride(to, 0);
            let (element, words) = self.members(ids, instruction, kind, between)?;
            if element.is_empty() || words > stride {
                return Err(instruction.malformed("its elements have no words, or too many"));
            }
            let offset = self.words_of(instruction, to, Some(0), Decoration::Offset)?;
            if offset != 0 {
                return unknown("a buffer whose array does not begin it");
            }
            let number = self.resource(instruction, id, BindingKind::Buffer { stride, element })?;
            return ids.define(instruction, id, Entity::Buffer { block: to, number });
        }
        let kind = ids.kind(instruction, to)?;
        let is_own = matches!(class, StorageClass::Private | StorageClass::Function);
        if !is_own {
            instruction.exactly(3)?;
        }
        let is_block = matches!(ids.ty(instruction, to)?, SpirvType::Struct(..));
        let (space, at) = match class {
            StorageClass::Input => {
                let is_position =
                    decoration(Decoration::BuiltIn) == Some(BuiltIn::FragCoord as u32);
                if !is_position || kind != ValueType::numbers(4) {
                    return unknown("an input that is not FragCoord");
                }
                (Space::FragCoord, 0)
            }
            StorageClass::Output => {
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
                (Space::Outputs, at)
            }
            StorageClass::PushConstant if is_block => (Space::PushConstants, 0),
            StorageClass::Uniform if is_block => {
                if std::mem::replace(&mut self.has_uniforms, true) {
                    return unknown("a second uniform block");
                }
                (self.uniforms, self.uniform_words) = self.members(ids, instruction, kind, 0)?;
                (Space::Uniforms, 0)
            }
            StorageClass::Private | StorageClass::Function => {
                let initial = match instruction.operands.get(3) {
                    Some(&initial) => {
                        ids.value_of(instruction, initial, kind)?;
                        let words = self.constant(initial);
                        let words =
                            words.ok_or_else(|| instruction.malformed("not from a constant"))?;
                        Some(words.into())
                    }
                    None => None,
                };
                let words = kind.words();
                self.own_words += words;
                if self.own_words > MAX_OWN_WORDS {
                    return unknown("variables of so many words");
                }
                self.variables.push(Variable { words, initial, is_written: false });
                (Space::Own(self.variables.len() - 1), 0)
            }
            _ => return unknown("a variable in such a storage class"),
        };
        let region = MemoryRegion { space, at, indices: Vec::new(), kind, stride: 0 };
        // What a block holds is laid out as it says.
        self.place(ids, instruction, &region)?;
        ids.define(instruction, id, Entity::Pointer(ty, region))
    }

    /// Adds a texture or a buffer; its number.
    fn resource(
        &mut self,
        instruction: &Instruction<'_>,
        id: u32,
        kind: BindingKind,
    ) -> Result<usize, LoadError> {
        let Some(&binding) = self.decorations.get(&(id, None, Decoration::Binding)) else {
            let what = "a texture or a buffer without a binding".into();
            return Err(LoadError::Unknown { what, at: instruction.at });
        };
        let name = self.names.get(&(id, None)).cloned().unwrap_or_default();
        self.resources.push(ResourceBinding { name, binding, kind });
        Ok(self.resources.len() - 1)
    }

    /// A decoration that counts bytes, in words.
    pub(super) fn words_of(
        &self,
        instruction: &Instruction<'_>,
        of: u32,
        member: Option<u32>,
        decoration: Decoration,
    ) -> Result<usize, LoadError> {
        let bytes = self.decorations.get(&(of, member, decoration)).copied();
        let words = bytes.filter(|bytes| bytes % 4 == 0).map(|bytes| bytes as usize / 4);
        words.filter(|&words| words <= MAX_UNIFORM_WORDS).ok_or_else(|| match member {
            Some(member) => instruction.malformed(format!("member {member}: {decoration:?}")),
            None => instruction.malformed(format!("%{of}: {decoration:?}")),
        })
    }

    /// How far one column of a member is from the next, if it is of matrices.
    pub(super) fn matrix_stride(&self, of: u32, member: u32) -> usize {
        let bytes = self.decorations.get(&(of, Some(member), Decoration::MatrixStride));
        bytes.filter(|&bytes| bytes % 4 == 0).map_or(0, |&bytes| bytes as usize / 4)
    }

    /// A part of what lies in memory.
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
        let none = || instruction.malformed("there is no such part");
        let aggregate = region.kind.aggregate.map(|aggregate| aggregate.ty);
        let (kind, count, step) = match aggregate.and_then(|ty| Some((ty, ids.get(ty)?))) {
            Some((ty, Entity::Type(SpirvType::Struct(members, _)))) => {
                let Some(index) = known else {
                    return Err(instruction.malformed("a member by an index that is no constant"));
                };
                let &(kind, before) = members.get(index).ok_or_else(none)?;
                let (mut at, mut stride) = (before, 0);
                if is_shared {
                    let member = Some(index as u32);
                    at = self.words_of(instruction, ty, member, Decoration::Offset)?;
                    stride = self.matrix_stride(ty, index as u32);
                }
                return Ok(MemoryRegion { at: region.at + at, kind, stride, ..region });
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
                    (true, true) => region.stride,
                    (true, false) => kind.words(),
                    (false, _) => 1,
                };
                (kind, count, step)
            }
        };
        if let Some(index) = known {
            if index >= count {
                return Err(none());
            }
            return Ok(MemoryRegion { at: region.at + index * step, kind, ..region });
        }
        let mut indices = region.indices;
        indices.push(index_of(ids, instruction, index, count, step)?);
        Ok(MemoryRegion { indices, kind, ..region })
    }

    /// An element of a buffer. How many there are is found when it is read.
    fn element(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        [block, index]: [u32; 2],
        number: usize,
    ) -> Result<MemoryRegion, LoadError> {
        let &SpirvType::Buffer(array) = ids.ty(instruction, block)? else {
            unreachable!("the variable points to such a block");
        };
        let &SpirvType::RuntimeArray(kind) = ids.ty(instruction, array)? else {
            unreachable!("the block was made of one");
        };
        let step = self.words_of(instruction, array, None, Decoration::ArrayStride)?;
        let (at, indices) = match self.constant(index) {
            Some(&[index]) => (index as usize * step, Vec::new()),
            Some(_) => return Err(instruction.malformed("an index that is no integer")),
            None => (0, vec![index_of(ids, instruction, index, 1 << 32, step)?]),
        };
        let (space, stride) = (Space::Buffer(number), self.matrix_stride(block, 0));
        Ok(MemoryRegion { space, at, indices, kind, stride })
    }

    /// How many elements a buffer has.
    pub(in crate::eval) fn length(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        to: usize,
    ) -> Result<Step, LoadError> {
        instruction.exactly(4)?;
        let Some(&Entity::Buffer { number, .. }) = ids.get(instruction.operand(2)?) else {
            return Err(instruction.malformed("not of a buffer"));
        };
        if kind != ValueType::scalar(ComponentType::Uint) || instruction.operand(3)? != 0 {
            return Err(instruction.malformed("not the length of its array, as a uint"));
        }
        Ok(Step::Length { to, buffer: number })
    }

    /// A pointer to a part of what another points to.
    pub(in crate::eval) fn access(
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
            (Some(&Entity::Buffer { block, number }), [member, index, indices @ ..])
                if self.constant(*member) == Some(&[0]) =>
            {
                let region = self.element(ids, instruction, [block, *index], number)?;
                (StorageClass::StorageBuffer, region, indices)
            }
            _ => return Err(instruction.malformed("not from a pointer, or to no part")),
        };
        for &index in indices {
            region = self.part(ids, instruction, region, index)?;
        }
        if from == class && region.kind == ids.kind(instruction, to)? {
            return Ok(Entity::Pointer(ty, region));
        }
        Err(instruction.malformed("a pointer of another type"))
    }

    /// Where the words of what is pointed to lie.
    pub(in crate::eval) fn place(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        region: &MemoryRegion,
    ) -> Result<Place, LoadError> {
        let limit = match region.space {
            Space::PushConstants => PUSH_CONSTANT_WORDS,
            Space::Uniforms => MAX_UNIFORM_WORDS,
            _ => usize::MAX,
        };
        let words = if region.space.is_shared() {
            let words = self.laid_out(ids, instruction, region.kind, region.stride)?;
            let most = words.iter().max().map_or(0, |&word| word as usize + 1);
            let last = |index: &Index| (index.count - 1).saturating_mul(index.stride);
            let end = region.indices.iter().map(last).fold(region.at, usize::saturating_add);
            if limit < usize::MAX && end.saturating_add(most) > limit {
                return Err(instruction.malformed("it lies beyond the memory"));
            }
            Words::Apart(words.into())
        } else {
            Words::Together(region.kind.words())
        };
        let indices = region.indices.clone().into();
        Ok(Place { space: region.space, at: region.at, indices, words })
    }

    /// How many words each word of a value is from where that begins in shared memory.
    fn laid_out(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        stride: usize,
    ) -> Result<Vec<u32>, LoadError> {
        let mut words = Vec::with_capacity(kind.words());
        let mut stack = vec![(kind, stride, 0_usize)];
        while let Some((kind, stride, at)) = stack.pop() {
            if kind.words() == 0 {
                continue;
            }
            if at > MAX_UNIFORM_WORDS {
                return Err(instruction.malformed("it lies beyond the memory"));
            }
            let aggregate = kind.aggregate.map(|aggregate| aggregate.ty);
            match aggregate.and_then(|ty| Some((ty, ids.get(ty)?))) {
                Some((ty, Entity::Type(SpirvType::Struct(members, _)))) => {
                    for (index, &(kind, _)) in members.iter().enumerate().rev() {
                        let index = index as u32;
                        let offset =
                            self.words_of(instruction, ty, Some(index), Decoration::Offset)?;
                        stack.push((kind, self.matrix_stride(ty, index), at + offset));
                    }
                }
                Some((ty, &Entity::Type(SpirvType::Array(kind, count)))) => {
                    let step = self.words_of(instruction, ty, None, Decoration::ArrayStride)?;
                    stack.extend((0..count).rev().map(|k| (kind, stride, at + k * step)));
                }
                _ => {
                    if kind.scalar == ComponentType::Bool {
                        let message = "memory that is shared holds no bools";
                        return Err(instruction.malformed(message));
                    }
                    if kind.is_matrix() && stride == 0 {
                        return Err(instruction.malformed("MatrixStride"));
                    }
                    let (columns, rows) = (usize::from(kind.columns), usize::from(kind.rows));
                    let column = |k| (0..rows).map(move |row| (at + k * stride + row) as u32);
                    words.extend((0..columns).flat_map(column));
                }
            }
        }
        Ok(words)
    }
}
