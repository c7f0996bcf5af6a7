//! Interface variables of the shader (LANGUAGE §5, §12): outputs, the position of the pixel, push
//! constants, uniforms, textures and buffers. Each is declared at its first use.

use super::declarations::{Declarations, TypeDeclaration, literal};
use super::options::{EmitOptions, FloatControls, Version};
use lambdav_core::graph::{Place, StageInput};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{self, Block, Stage};
use lambdav_core::layout::Rules;
use lambdav_core::triangles::DEPTH;
use lambdav_core::types::{MemoryKind, Resource, ResourceKind, Type};
use lambdav_spirv::SamplerNote;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass, Word,
};
use rustc_hash::FxHashMap;

/// Place of a uniform: storage class and variable of its block, and index of the member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) class: StorageClass,
    pub(super) base: Word,
    pub(super) member: u32,
}

/// Places of all uniforms.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Places by index, once their blocks are declared.
    pub(super) placed: Vec<Option<Placed>>,
    /// Block of each uniform.
    pub(super) of: Vec<usize>,
}

/// The variables declared so far.
#[derive(Debug, Default)]
pub(super) struct Interface {
    /// True if the entry points are the stages of a pipeline that draws triangles.
    pub(super) draws_triangles: bool,
    /// The size of a workgroup, if the entry point is a compute shader.
    pub(super) workgroup: Option<[u32; 3]>,
    /// True if that accesses no memory beyond its end.
    pub(super) is_inside: bool,
    /// Variables of stage inputs, without their places; `frag-coord` is that of [`StageInput::W`].
    pub(super) stage_inputs: FxHashMap<StageInput, Word>,
    push_constants: Option<Word>,
    /// Names and bindings.
    pub(super) bound: interface::Interface,
    pub(super) blocks: Blocks,
    /// Outputs by location.
    pub(super) outputs: FxHashMap<u32, Word>,
    /// Textures and buffers by number.
    resources: FxHashMap<u32, Word>,
    pub(super) has_buffers: bool,
    /// Private variables of sites, by locations, and the buffer of reports.
    pub(super) reports: FxHashMap<u32, Word>,
    pub(super) report_buffer: Option<Word>,
    /// True if the size or the levels of an image are queried.
    queries_images: bool,
    /// True if values of other pixels of the quad are read.
    pub(super) reads_quads: bool,
    /// True if a fragment reads the number of its triangle.
    pub(super) reads_primitive: bool,
    /// Variables that hold constants.
    constants: FxHashMap<Word, Word>,
    /// Variables that an entry point lists in every version: inputs and outputs.
    listed: Vec<Word>,
    /// Variables that it lists from version 1.4 on.
    others: Vec<Word>,
}

/// A pointer to load from.
pub(super) enum MemoryReference {
    /// A variable.
    Variable(Word),
    /// A member of a structure in a variable.
    Member {
        /// The variable.
        base: Word,
        /// The type of a pointer to the member.
        pointer_type: Word,
        /// The member.
        index: u32,
    },
}

impl Interface {
    /// Forgets the inputs and outputs of the entry point before.
    pub(super) fn forget_stage(&mut self) {
        self.stage_inputs.clear();
        self.outputs.clear();
        self.listed.clear();
    }

    pub(super) fn variable(
        &mut self,
        declarations: &mut Declarations<'_>,
        class: StorageClass,
        to: Word,
        name: &str,
    ) -> Word {
        let pointer = declarations.shape(TypeDeclaration::Pointer(class, to));
        let operands = vec![Operand::StorageClass(class)];
        let id = declarations.declare(Op::Variable, Some(pointer), operands);
        if !name.is_empty() {
            declarations.name(id, name);
        }
        match class {
            StorageClass::Input | StorageClass::Output => self.listed.push(id),
            _ => self.others.push(id),
        }
        id
    }

    /// A reference to an input.
    pub(super) fn input(
        &mut self,
        declarations: &mut Declarations<'_>,
        input: Input,
    ) -> MemoryReference {
        let own = Block::of_inputs();
        let Some(index) = own.inputs().position(|(member, _)| member == input) else {
            let id = self.stage_input(declarations, StageInput::W(Place::HERE));
            return MemoryReference::Variable(id);
        };
        let base = match self.push_constants {
            Some(base) => base,
            None => {
                let members = own.inputs().map(|(input, of)| (input.ty(), of));
                let members = members.map(|(ty, of)| (ty, of.name.as_str(), of.placement.first()));
                let (class, members) = (StorageClass::PushConstant, members.collect::<Vec<_>>());
                let base = self.block(declarations, class, &own.name, &members);
                self.push_constants = Some(base);
                base
            }
        };
        let ty = declarations.ty(input.ty());
        let pointer_type =
            declarations.shape(TypeDeclaration::Pointer(StorageClass::PushConstant, ty));
        MemoryReference::Member { base, pointer_type, index: index as u32 }
    }

    /// The element that a texture is of an array of them, which has one variable.
    pub(super) fn element(&self, number: u32) -> Option<u32> {
        self.bound.resources[number as usize].element
    }

    /// The variable of the texture or buffer of that number.
    pub(super) fn resource(
        &mut self,
        declarations: &mut Declarations<'_>,
        number: u32,
        resource: &Resource,
    ) -> Word {
        // The elements of an array of textures follow one another. Variables of a workgroup are not bound.
        let bound = self.bound.resources.get(number as usize);
        let array = bound.and_then(|bound| Some((bound.binding, bound.element?)));
        let number = number - array.map_or(0, |(_, element)| element);
        if let Some(&known) = self.resources.get(&number) {
            return known;
        }
        let of_array = array.map(|(binding, _)| {
            let all = self.bound.resources.iter();
            all.filter(|of| of.binding == binding && of.element.is_some()).count() as u32
        });
        let (class, to) = match resource.kind {
            ResourceKind::Texture(options) => {
                let (kind, texels) = (options.kind, options.texels);
                let image = declarations.shape(match of_array {
                    None => TypeDeclaration::SampledImage(kind, texels),
                    Some(count) => TypeDeclaration::SampledImages(kind, texels, count),
                });
                (StorageClass::UniformConstant, image)
            }
            ResourceKind::Buffer(element) => {
                self.has_buffers = true;
                (StorageClass::StorageBuffer, declarations.buffer(element))
            }
            ResourceKind::Memory(MemoryKind::Workgroup(words)) => {
                let array = declarations.words_of_workgroup(words);
                let class = StorageClass::Workgroup;
                let id = self.variable(declarations, class, array, &resource.name);
                self.resources.insert(number, id);
                return id;
            }
            ResourceKind::Memory(MemoryKind::Storage) => {
                self.has_buffers = true;
                (StorageClass::StorageBuffer, declarations.words())
            }
        };
        let bound = self.bound.resources[number as usize].clone();
        let name = match of_array {
            Some(_) => bound.name.strip_suffix("[0]").unwrap_or_default(),
            None => &bound.name,
        };
        let id = self.variable(declarations, class, to, name);
        Self::bind(declarations, id, bound.binding);
        if let ResourceKind::Texture(options) = resource.kind
            && options.native
        {
            let [_, binding] = bound.binding.descriptor().unwrap_or_default();
            let text = Operand::LiteralString(SamplerNote { binding, options }.to_string());
            let of = declarations.id();
            let note = Instruction::new(Op::String, None, Some(of), vec![text]);
            declarations.module.debug_string_source.push(note);
        }
        self.resources.insert(number, id);
        id
    }

    /// Records a query of an image's size or levels.
    pub(super) fn queries_images(&mut self) {
        self.queries_images = true;
    }

    /// A private variable that is initially false.
    pub(super) fn switch(&mut self, declarations: &mut Declarations<'_>, name: &str) -> Word {
        let no = declarations.constant(Type::BOOL, &[0]);
        let id = self.private(declarations, Type::BOOL, no);
        declarations.name(id, name);
        id
    }

    /// A private variable with that initial value.
    pub(super) fn private(
        &mut self,
        declarations: &mut Declarations<'_>,
        ty: Type,
        initial: Word,
    ) -> Word {
        let to = declarations.ty(ty);
        let class = StorageClass::Private;
        let pointer = declarations.shape(TypeDeclaration::Pointer(class, to));
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(initial)];
        let id = declarations.declare(Op::Variable, Some(pointer), operands);
        self.others.push(id);
        id
    }

    /// A private variable that holds a constant.
    pub(super) fn constant(
        &mut self,
        declarations: &mut Declarations<'_>,
        ty: Type,
        constant: Word,
    ) -> Word {
        if let Some(&known) = self.constants.get(&constant) {
            return known;
        }
        let id = self.private(declarations, ty, constant);
        self.constants.insert(constant, id);
        id
    }

    /// A variable for a block with these members.
    pub(super) fn block(
        &mut self,
        declarations: &mut Declarations<'_>,
        class: StorageClass,
        name: &str,
        members: &[(Type, &str, u32)],
    ) -> Word {
        let memory = |ty| declarations.shape(TypeDeclaration::Memory(ty, Rules::Std140));
        let types = members.iter().map(|&(ty, ..)| ty).map(memory);
        let types = types.map(Operand::IdRef).collect();
        let block = declarations.declare(Op::TypeStruct, None, types);
        if !name.is_empty() {
            declarations.name(block, name);
        }
        declarations.decorate(block, Decoration::Block, []);
        for (index, &(ty, name, offset)) in members.iter().enumerate() {
            let index = index as u32;
            if !name.is_empty() {
                declarations.member_name(block, index, name);
            }
            declarations.lay_out_member(block, index, ty, offset, Rules::Std140);
        }
        self.variable(declarations, class, block, name)
    }

    /// Declares the entry point; `main` is its function.
    pub(super) fn finish_entry_point(
        &self,
        declarations: &mut Declarations<'_>,
        main: Word,
        options: &EmitOptions,
    ) {
        let instruction = |op, operands| Instruction::new(op, None, None, operands);
        let module = &mut declarations.module;
        let model = match self.bound.entry_point.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Compute => ExecutionModel::GLCompute,
            _ => ExecutionModel::Fragment,
        };
        let mut entry =
            vec![Operand::ExecutionModel(model), Operand::IdRef(main), self.entry_point()];
        entry.extend(self.listed.iter().map(|&id| Operand::IdRef(id)));
        if options.version >= Version::V1_4 {
            entry.extend(self.others.iter().map(|&id| Operand::IdRef(id)));
        }
        module.entry_points.push(instruction(Op::EntryPoint, entry));
        let mut mode = |mode, literals: &[u32]| {
            let mut operands = vec![Operand::IdRef(main), Operand::ExecutionMode(mode)];
            operands.extend(literals.iter().copied().map(Operand::LiteralBit32));
            module.execution_modes.push(instruction(Op::ExecutionMode, operands));
        };
        if model == ExecutionModel::Fragment {
            mode(ExecutionMode::OriginUpperLeft, &[]);
        }
        if let Some(size) = self.workgroup {
            mode(ExecutionMode::LocalSize, &size);
        }
        if self.outputs.contains_key(&DEPTH) {
            mode(ExecutionMode::DepthReplacing, &[]);
        }
        for (_, is_wide, execution_mode, _) in demands(options).filter(|&(is_on, ..)| is_on) {
            let widths = [32, 64].into_iter().take(1 + usize::from(is_wide));
            widths.for_each(|width| mode(execution_mode, &[width]));
        }
    }

    /// Writes the head of the module. Returns its version, which is that of the options or a later one.
    pub(super) fn finish(
        &self,
        declarations: &mut Declarations<'_>,
        options: &EmitOptions,
    ) -> Version {
        let instruction = |op, operands| Instruction::new(op, None, None, operands);
        let module = &mut declarations.module;
        let capability = |c| instruction(Op::Capability, vec![Operand::Capability(c)]);
        let needed = [
            (true, Capability::Shader),
            (self.queries_images, Capability::ImageQuery),
            (self.reads_primitive, Capability::Geometry),
            (self.reads_quads, Capability::GroupNonUniform),
            (self.reads_quads, Capability::GroupNonUniformQuad),
        ];
        let needed = needed.into_iter().filter(|&(is_needed, _)| is_needed);
        module.capabilities.extend(needed.map(|(_, of)| capability(of)));
        let oldest = if self.reads_quads { Version::V1_3 } else { Version::MIN };
        let version = options.version.max(oldest);
        if self.has_buffers && version < Version::V1_3 {
            let name = literal("SPV_KHR_storage_buffer_storage_class");
            module.extensions.push(instruction(Op::Extension, vec![name]));
        }
        module.memory_model = Some(instruction(
            Op::MemoryModel,
            vec![
                Operand::AddressingModel(AddressingModel::Logical),
                Operand::MemoryModel(MemoryModel::GLSL450),
            ],
        ));
        let demanded = demands(options).filter(|&(is_on, ..)| is_on);
        module.capabilities.extend(demanded.map(|(.., of)| capability(of)));
        if options.float_controls != FloatControls::default() && options.version < Version::V1_4 {
            let name = literal("SPV_KHR_float_controls");
            module.extensions.push(instruction(Op::Extension, vec![name]));
        }
        if is_wide(options) {
            module.capabilities.extend([Capability::Float64, Capability::Int64].map(capability));
        }
        version
    }
}

/// True if the module has floats and integers of 64 bits.
fn is_wide(options: &EmitOptions) -> bool {
    options.exact.is_some_and(|exact| exact.float64)
}

/// The float controls: whether each is demanded, also for 64 bits, its mode and its capability.
fn demands(
    options: &EmitOptions,
) -> impl Iterator<Item = (bool, bool, ExecutionMode, Capability)> + use<> {
    let FloatControls { signed_zeros, rounding, subnormals } = options.float_controls;
    let is_wide = is_wide(options);
    let all = [
        (
            signed_zeros,
            is_wide,
            ExecutionMode::SignedZeroInfNanPreserve,
            Capability::SignedZeroInfNanPreserve,
        ),
        (subnormals, false, ExecutionMode::DenormPreserve, Capability::DenormPreserve),
        (rounding, is_wide, ExecutionMode::RoundingModeRTE, Capability::RoundingModeRTE),
    ];
    all.into_iter()
}
