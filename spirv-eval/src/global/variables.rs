//! Variables in shared memory and in the module's own.

use super::super::binary::Instruction;
use super::super::error::LoadError;
use super::super::options::Undefined;
use super::super::resources::{BindingKind, InputVariable, ResourceBinding};
use super::super::values::{
    ComponentType, Entity, Ids, MatrixLayout, MemoryRegion, OpaqueType, Space, SpirvType, ValueType,
};
use super::{Globals, MAX_OPAQUES, Output, Role, UniformBlock, Variable};
use lambdav_core::interface::Stage;
use lambdav_core::sampler::ImageOptions;
use lambdav_core::triangles::{DEPTH, POSITION};
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};

/// Limit of the words of all variables in the module's own memory.
const MAX_OWN_WORDS: usize = 1 << 22;

fn unknown<T>(instruction: &Instruction<'_>, what: &str) -> Result<T, LoadError> {
    Err(LoadError::Unknown { what: what.into(), at: instruction.at })
}

impl Globals {
    pub(crate) fn decoration(&self, id: u32, of: Decoration) -> Option<u32> {
        self.decorations.get(&(id, None, of)).copied()
    }

    /// Reads a variable.
    pub(crate) fn variable(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let &SpirvType::Pointer(class, to) = ids.ty(instruction, ty)? else {
            return Err(instruction.malformed("its type is no pointer"));
        };
        if instruction.operand(2)? != class as u32 {
            return Err(instruction.malformed("its storage class is not that of its type"));
        }
        let entity = match class {
            StorageClass::UniformConstant => self.opaque(ids, instruction, to)?,
            StorageClass::PushConstant => self.block(ids, instruction, [ty, to], None)?,
            StorageClass::Uniform | StorageClass::StorageBuffer
                if self.is_memory(class, to)
                    && (self.stage == Stage::Compute || self.is_changed(id)) =>
            {
                self.memory(ids, instruction, [ty, to])?
            }
            StorageClass::Workgroup if self.stage == Stage::Compute => {
                self.shared(ids, instruction, [ty, to])?
            }
            StorageClass::Uniform | StorageClass::StorageBuffer => {
                let is_buffer = class == StorageClass::StorageBuffer;
                match (ids.ty(instruction, to)?, self.undefined) {
                    (&SpirvType::Buffer(array), _) => self.buffer(ids, instruction, to, array)?,
                    (_, Undefined::Marked) if is_buffer => {
                        let what = "a buffer that is not a block of one runtime array";
                        return unknown(instruction, what);
                    }
                    _ => {
                        let number =
                            |of| self.decorations.get(&(id, None, of)).copied().unwrap_or(0);
                        let [set, binding] =
                            [Decoration::DescriptorSet, Decoration::Binding].map(number);
                        self.block(ids, instruction, [ty, to], Some([set, binding]))?
                    }
                }
            }
            // A variable of another entry point.
            StorageClass::Input | StorageClass::Output if !self.interface.contains(&id) => {
                let direction = if class == StorageClass::Input { "input" } else { "output" };
                let what = format!("an {direction} that is no part of the interface");
                ids.refuse(id, LoadError::Unknown { what, at: instruction.at });
                return Ok(());
            }
            _ => {
                let kind = ids.kind(instruction, to)?;
                let number = self.own(ids, instruction, class, kind)?;
                let at = self.variables[number].at;
                let region = MemoryRegion { at, ..MemoryRegion::of(Space::Own(number), kind) };
                Entity::Pointer(ty, region)
            }
        };
        ids.define(instruction, id, entity)
    }

    /// True for the block of a storage buffer.
    fn is_memory(&self, class: StorageClass, block: u32) -> bool {
        class == StorageClass::StorageBuffer
            || self.decoration(block, Decoration::BufferBlock).is_some()
    }

    /// True for the buffer that fragments change.
    fn is_changed(&self, id: u32) -> bool {
        let number = |of| self.decorations.get(&(id, None, of)).copied();
        let place = [Decoration::DescriptorSet, Decoration::Binding].map(number);
        self.changed.is_some_and(|changed| place == changed.map(Some))
    }

    /// A storage buffer of a compute shader.
    fn memory(
        &mut self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        [ty, to]: [u32; 2],
    ) -> Result<Entity, LoadError> {
        let is_open = matches!(ids.ty(instruction, to)?, SpirvType::Buffer(_) | SpirvType::Open(_));
        if is_open {
            let number = self.resource(instruction, BindingKind::Memory, None)?;
            return Ok(Entity::Buffer { block: to, number });
        }
        let kind = ids.kind(instruction, to)?;
        if !matches!(ids.ty(instruction, to)?, SpirvType::Struct(..)) {
            return unknown(instruction, "a block that is no structure");
        }
        let number = self.resource(instruction, BindingKind::Memory, None)?;
        Ok(Entity::Pointer(ty, MemoryRegion::of(Space::Memory(number), kind)))
    }

    /// A variable of the workgroup.
    fn shared(
        &mut self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        [ty, to]: [u32; 2],
    ) -> Result<Entity, LoadError> {
        let kind = ids.kind(instruction, to)?;
        let all = &mut self.workgroup.variables;
        if all.iter().sum::<usize>() + kind.words() > MAX_OWN_WORDS {
            return unknown(instruction, "variables beyond the limit");
        }
        all.push(kind.words());
        Ok(Entity::Pointer(ty, MemoryRegion::of(Space::Shared(all.len() - 1), kind)))
    }

    /// A texture or sampler.
    fn opaque(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
        to: u32,
    ) -> Result<Entity, LoadError> {
        let (of, count) = match (ids.ty(instruction, to)?, self.undefined) {
            (&SpirvType::Opaque(of @ OpaqueType::SampledImage(_)), _) => (of, None),
            (&SpirvType::Opaque(of), Undefined::Total) => (of, None),
            (&SpirvType::Opaques(of @ OpaqueType::SampledImage(_), count), _) => (of, Some(count)),
            (&SpirvType::Opaques(of, count), Undefined::Total) => (of, Some(count)),
            _ => return unknown(instruction, "a resource that is no combined image sampler"),
        };
        let count = match count {
            Some(0) => Some(self.images.length(&self.names_of(instruction, None)?) as usize),
            count => count,
        };
        if count.is_some_and(|count| count > MAX_OPAQUES as usize) {
            return unknown(instruction, "an array of textures beyond the limit");
        }
        let [mut number, sampler] = [0, self.samplers.len()];
        let elements: Vec<Option<u32>> = match count {
            None => vec![None],
            Some(count) => (0..count as u32).map(Some).collect(),
        };
        for (k, &element) in elements.iter().enumerate() {
            if of != OpaqueType::Sampler {
                let at = self.resource(instruction, BindingKind::Texture, element)?;
                number = if k == 0 { at } else { number };
            }
            let names = self.names_of(instruction, element)?;
            self.samplers.push(self.images.sampler(&names));
        }
        let word = ValueType::scalar(ComponentType::Uint);
        let [place, sampler] = [number, sampler]
            .map(|word_| self.allocate_constant(ids, instruction, word, [word_ as u32].into()));
        let [place, sampler] = [place?, sampler?];
        Ok(match count {
            None => Entity::Opaque { of, is_pointer: true, place, sampler },
            Some(count) => Entity::Opaques { of, count, place, sampler },
        })
    }

    /// The names by which the options of a texture or sampler are found.
    fn names_of(
        &self,
        instruction: &Instruction<'_>,
        element: Option<u32>,
    ) -> Result<Vec<String>, LoadError> {
        let id = instruction.operand(1)?;
        let number = |of| self.decoration(id, of).unwrap_or(0);
        let [set, binding] = [Decoration::DescriptorSet, Decoration::Binding].map(number);
        let own = self.names.get(&(id, None)).map_or("", String::as_str);
        Ok(ImageOptions::names(own, &format!("{set}.{binding}"), element))
    }

    /// A buffer: a block of one runtime array.
    fn buffer(
        &mut self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        block: u32,
        array: u32,
    ) -> Result<Entity, LoadError> {
        let &SpirvType::RuntimeArray(kind) = ids.ty(instruction, array)? else {
            unreachable!("the block was made of one");
        };
        let stride = self.words_of(instruction, array, None, Decoration::ArrayStride)?;
        let between = self.matrix_layout(block, 0);
        let (element, words) = self.members(ids, instruction, kind, between)?;
        if element.is_empty() || words > stride {
            return Err(instruction.malformed("its elements are empty or exceed ArrayStride"));
        }
        let offset = self.words_of(instruction, block, Some(0), Decoration::Offset)?;
        if offset != 0 {
            return unknown(instruction, "a buffer whose array has an offset");
        }
        let number = self.resource(instruction, BindingKind::Buffer { stride, element }, None)?;
        Ok(Entity::Buffer { block, number })
    }

    /// A block whose decorations give the layout of its members.
    fn block(
        &mut self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        [ty, to]: [u32; 2],
        binding: Option<[u32; 2]>,
    ) -> Result<Entity, LoadError> {
        instruction.exactly(3)?;
        let kind = ids.kind(instruction, to)?;
        if !matches!(ids.ty(instruction, to)?, SpirvType::Struct(..)) {
            return unknown(instruction, "a block that is no structure");
        }
        if self.undefined == Undefined::Marked && binding.is_some() {
            if self.blocks.iter().any(|block| block.binding.is_some()) {
                return unknown(instruction, "a second uniform block");
            }
            self.uniforms = self.members(ids, instruction, kind, MatrixLayout::default())?.0;
        }
        let region = MemoryRegion::of(Space::Block(self.blocks.len()), kind);
        self.blocks.push(UniformBlock { binding, words: 0 });
        let end = self.end(ids, instruction, &region);
        let block = self.blocks.last_mut().expect("it was added");
        block.words = end?;
        Ok(Entity::Pointer(ty, region))
    }

    /// Allocates a variable in the module's own memory and returns its number.
    fn own(
        &mut self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        class: StorageClass,
        kind: ValueType,
    ) -> Result<usize, LoadError> {
        let id = instruction.operand(1)?;
        let mut computed = None;
        let mut initial: Option<Box<[u32]>> = match instruction.operands.get(3) {
            Some(&initial) => {
                let at = ids.value_of(instruction, initial, kind)?;
                let words = self.constant(initial);
                if words.is_none() && !self.computed_ids.contains(&initial) {
                    return Err(instruction.malformed("not from a constant"));
                }
                computed = words.is_none().then_some(at);
                words.map(Into::into)
            }
            None => None,
        };
        let (at, words) = (self.variable_words, kind.words());
        if at + words > MAX_OWN_WORDS {
            return unknown(instruction, "variables beyond the limit");
        }
        let built_in = self.decoration(id, Decoration::BuiltIn);
        let role = match class {
            StorageClass::Private | StorageClass::Function => Role::Own,
            StorageClass::Input if built_in == Some(BuiltIn::FragCoord as u32) => {
                if kind != ValueType::numbers(4) {
                    return Err(instruction.malformed("its type is not that of FragCoord"));
                }
                Role::FragCoord
            }
            StorageClass::Input => {
                initial = Some(self.input(instruction, kind, at)?);
                Role::Input
            }
            StorageClass::Output => {
                self.output(instruction, kind, at)?;
                Role::Output
            }
            _ => return unknown(instruction, "a variable in such a storage class"),
        };
        self.variable_words += words;
        self.variables.push(Variable { role, at, words, initial, computed, is_written: false });
        Ok(self.variables.len() - 1)
    }

    /// Reads an input; returns its default words.
    fn input(
        &mut self,
        instruction: &Instruction<'_>,
        kind: ValueType,
        at: usize,
    ) -> Result<Box<[u32]>, LoadError> {
        let id = instruction.operand(1)?;
        if let Some(number) = self.decoration(id, Decoration::BuiltIn) {
            let is_vertex = self.stage == Stage::Vertex;
            let is_compute = self.stage == Stage::Compute;
            let is_fragment = !is_vertex && !is_compute;
            let is_total = self.undefined == Undefined::Total;
            let word = match BuiltIn::from_u32(number) {
                Some(
                    BuiltIn::GlobalInvocationId
                    | BuiltIn::LocalInvocationId
                    | BuiltIn::WorkgroupId
                    | BuiltIn::NumWorkgroups,
                ) if is_compute && kind == ValueType::numbers(3).of(ComponentType::Uint) => 0,
                Some(BuiltIn::LocalInvocationIndex) if is_compute && kind.is_scalar() => 0,
                Some(BuiltIn::FrontFacing) if is_fragment => 1,
                Some(BuiltIn::PrimitiveId) if is_fragment => 0,
                Some(BuiltIn::VertexIndex | BuiltIn::InstanceIndex) if is_vertex => 0,
                Some(
                    BuiltIn::HelperInvocation
                    | BuiltIn::SampleId
                    | BuiltIn::Layer
                    | BuiltIn::ViewIndex,
                ) if is_fragment && is_total => 0,
                Some(other) => return unknown(instruction, &format!("the input {other:?}")),
                None => return unknown(instruction, &format!("the input {number}")),
            };
            if let Some(built_in) = BuiltIn::from_u32(number)
                && (kind.is_scalar() || is_compute)
            {
                self.built_ins.push((built_in, at));
            }
            return Ok(vec![word; kind.words()].into());
        }
        let Some(location) = self.decoration(id, Decoration::Location) else {
            return unknown(instruction, "an input without a location");
        };
        self.inputs.push(InputVariable { location, words: kind.words(), at });
        Ok(vec![0; kind.words()].into())
    }

    fn output(
        &mut self,
        instruction: &Instruction<'_>,
        kind: ValueType,
        at: usize,
    ) -> Result<(), LoadError> {
        let id = instruction.operand(1)?;
        let is_vertex = self.stage == Stage::Vertex;
        let built_in = self.decoration(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        let located = match built_in {
            Some(BuiltIn::FragDepth) if !is_vertex => Some(DEPTH),
            Some(BuiltIn::Position) if is_vertex => Some(POSITION),
            _ => self.decoration(id, Decoration::Location),
        };
        let Some(location) = located else {
            return unknown(instruction, "an output without a location");
        };
        if self.decoration(id, Decoration::Component).is_some_and(|component| component != 0) {
            return unknown(instruction, "outputs that share a location");
        }
        let is_number =
            matches!(kind.scalar, ComponentType::Float | ComponentType::Int | ComponentType::Uint);
        if !is_number || kind.is_matrix() || kind.aggregate.is_some() {
            return unknown(instruction, "an output that is not of numbers");
        }
        if self.outputs.iter().any(|output| output.location == location) {
            return Err(instruction.malformed("a second output at that location"));
        }
        self.outputs.push(Output { location, components: kind.words(), at });
        Ok(())
    }

    /// Adds a texture or a buffer and returns its number.
    fn resource(
        &mut self,
        instruction: &Instruction<'_>,
        kind: BindingKind,
        element: Option<u32>,
    ) -> Result<usize, LoadError> {
        let id = instruction.operand(1)?;
        let Some(binding) = self.decoration(id, Decoration::Binding) else {
            return unknown(instruction, "a texture or a buffer without a binding");
        };
        let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
        let is_it = |of: &ResourceBinding| (of.set, of.binding) == (set, binding);
        // Variables at one binding are one memory.
        if kind == BindingKind::Memory
            && let Some(known) =
                self.resources.iter().position(|of| is_it(of) && of.kind == BindingKind::Memory)
        {
            return Ok(known);
        }
        let name = self.names.get(&(id, None)).cloned().unwrap_or_default();
        let names = self.names_of(instruction, element)?;
        let has_levels = self.has_levels || self.images.has_levels(&names);
        self.resources.push(ResourceBinding { name, set, binding, element, has_levels, kind });
        Ok(self.resources.len() - 1)
    }
}
