//! The interface of an entry point: its stage, inputs and outputs, and its bindings with set, number and
//! name.
//!
//! [`Core`] refers to uniforms, textures and buffers by index. The interface tells a host program how to bind
//! each: uniforms are members of [`Block`]s; blocks, textures and buffers have a [`Binding`] and a name. It
//! is plain data, the same for all languages, and independent of SPIR-V.
//!
//! - *Makers*: the raise of a SPIR-V module, from the module's decorations and names. For λV and core text,
//!   [`Interface::of`], from the core. Only [`Interface::bind_rest`] assigns bindings that no author chose.
//! - *Readers*: the engine (names, sets and numbers that users set and bind), the emitter of SPIR-V (which
//!   decorates variables with these bindings), the evaluator of words through the engine, and embedders
//!   (`Shader::interface`).
//!
//! # Stages
//!
//! Only three properties depend on the [`Stage`], each a method of it:
//!
//! 1. the fragment entry: `frag-coord`, and outputs that are colours at locations ([`Stage::has_pixels`]);
//! 2. discard ([`Stage::has_discard`]);
//! 3. derivatives ([`Stage::has_derivatives`]).
//!
//! Types, operations, control flow, uniforms, textures and buffers are the same in each stage.
//!
//! # Two stages
//!
//! An interface describes one entry point. A program that draws triangles has two interfaces
//! (`triangles::EntryPoints`) over one list of uniforms and one list of resources: equal indices are the same
//! uniform or resource, and equal bindings the same memory. Attributes are [`LocationInput`]s of the vertex
//! stage. Varyings are outputs of the vertex stage and location inputs of the fragment stage; the two
//! interfaces agree on location and type. The position and the fragment's own depth are outputs at locations
//! that no module has.
//!
//! # Growth
//!
//! *Compute*: a compute stage has no outputs: its effects are the contents of memories, whose values
//! [`BoundResource::memory`] places. Its workgroups' size is [`Core::workgroup`]. [`BoundResource`] gets the
//! access (read, write) of an image.

use crate::graph::{AttributeRate, Core, Interpolation, Uniform};
use crate::inputs::{Input, Inputs};
use crate::layout::{Layout, Rules};
use crate::memory_layout::MemoryLayout;
use crate::resource::element_type;
use crate::sampler::ImageOptions;
use crate::types::{MemoryKind, ResourceKind, Scalar, Type, Types};
use std::borrow::Cow;
use std::fmt;

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// One invocation per vertex.
    Vertex,
    /// One invocation per pixel.
    #[default]
    Fragment,
    /// One invocation per work item.
    Compute,
    /// A stage that is only listed, by its name in SPIR-V.
    Other(&'static str),
}

impl Stage {
    /// True if an invocation is a pixel: it has `frag-coord`, and its outputs are colours at locations.
    pub fn has_pixels(self) -> bool {
        self == Self::Fragment
    }

    /// True if an invocation can be discarded.
    pub fn has_discard(self) -> bool {
        self == Self::Fragment
    }

    /// True if values have derivatives: differences between neighbouring invocations.
    pub fn has_derivatives(self) -> bool {
        self == Self::Fragment
    }
}

/// `fragment`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
            Self::Other(name) => name,
        })
    }
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryPoint {
    /// Its name; λV's is `main`.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
}

impl EntryPoint {
    /// An entry point with this name and stage.
    pub fn new(name: impl Into<String>, stage: Stage) -> Self {
        Self { name: name.into(), stage }
    }
}

/// λV's: the fragment entry point `main`.
impl Default for EntryPoint {
    fn default() -> Self {
        Self::new("main", Stage::Fragment)
    }
}

/// The binding of a block, texture or buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// A binding number of a descriptor set.
    Descriptor {
        /// The set.
        set: u32,
        /// The number.
        binding: u32,
    },
    /// As push constants.
    PushConstants,
}

impl Binding {
    /// The descriptor set and binding number; `None` for push constants.
    pub fn descriptor(self) -> Option<[u32; 2]> {
        match self {
            Self::Descriptor { set, binding } => Some([set, binding]),
            Self::PushConstants => None,
        }
    }
}

impl Binding {
    /// Parses `0.1` or `push`.
    pub fn named(name: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse().ok();
        let binding = match name.split_once('.') {
            Some((set, binding)) => {
                Self::Descriptor { set: number(set)?, binding: number(binding)? }
            }
            None => Self::PushConstants,
        };
        // A binding has one spelling: no sign, no leading zeros.
        (binding.to_string() == name).then_some(binding)
    }
}

/// `0.1`, or `push`.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Descriptor { set, binding } => write!(f, "{set}.{binding}"),
            Self::PushConstants => f.write_str("push"),
        }
    }
}

/// A block of memory that holds uniforms, or λV's built-in inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its binding.
    pub binding: Binding,
    /// The author's name; may be empty. A block that no author wrote is called `uniforms` or `inputs`.
    pub name: String,
    /// Its members.
    pub members: Vec<BlockMember>,
}

impl Block {
    /// λV's own block of push constants: the built-in inputs that are constant over a frame (LANGUAGE §5).
    pub fn of_inputs() -> Self {
        let all =
            [(Input::Resolution, 0), (Input::Time, 8), (Input::Frame, 12), (Input::Mouse, 16)];
        let members = all.map(|(input, offset)| BlockMember {
            value: MemberValue::Input(input),
            name: input.name().to_owned(),
            placement: Placement::Std140(offset),
        });
        let (binding, name) = (Binding::PushConstants, "inputs".to_owned());
        Self { binding, name, members: members.into() }
    }

    /// The members that are uniforms, with the uniforms' indices.
    pub fn uniforms(&self) -> impl Iterator<Item = (usize, &BlockMember)> + Clone {
        self.members.iter().filter_map(|member| Some((member.uniform()?, member)))
    }

    /// The members that are built-in inputs.
    pub fn inputs(&self) -> impl Iterator<Item = (Input, &BlockMember)> + Clone {
        self.members.iter().filter_map(|member| match member.value {
            MemberValue::Input(input) => Some((input, member)),
            MemberValue::Uniform(_) => None,
        })
    }
}

/// The value of a member of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberValue {
    /// A uniform, by index.
    Uniform(usize),
    /// A built-in input.
    Input(Input),
}

/// The bytes of a member in its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Laid out by the rules of std140 from this byte.
    Std140(u32),
    /// The byte offset of each word of the value.
    Words(Vec<u32>),
}

impl Placement {
    /// The first byte of the member.
    pub fn first(&self) -> u32 {
        match self {
            Self::Std140(first) => *first,
            Self::Words(all) => all.first().copied().unwrap_or(0),
        }
    }

    /// The byte offset of each word of a value of this type. `layout` is std140 for these types.
    pub fn offsets(&self, layout: &Layout, types: &Types, ty: Type) -> Cow<'_, [u32]> {
        match self {
            Self::Std140(first) => {
                let mut all = Vec::new();
                layout.words(types, ty, (*first).into(), &mut all);
                all.into_iter().map(|offset| offset as u32).collect()
            }
            Self::Words(all) => all.into(),
        }
    }
}

/// The words at these byte offsets of a block; `None` if the block is too short.
pub fn words_at(block: &[u8], offsets: &[u32]) -> Option<Box<[u32]>> {
    let word = |&offset: &u32| {
        let bytes = block.get(offset as usize..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    offsets.iter().map(word).collect()
}

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockMember {
    /// Its value.
    pub value: MemberValue,
    /// The author's name; without one, the member's number in the block.
    pub name: String,
    /// Its place in the block.
    pub placement: Placement,
}

impl BlockMember {
    /// The index of the uniform, if the member is one.
    pub fn uniform(&self) -> Option<usize> {
        match self.value {
            MemberValue::Uniform(index) => Some(index),
            MemberValue::Input(_) => None,
        }
    }
}

/// The source of a location input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocationSource {
    /// In a full-screen picture: `frag-coord` divided by the resolution, (0, 0) at the upper left, (1, 1) at
    /// the lower right.
    Uv,
    /// In a full-screen picture: `frag-coord`.
    Position,
    /// In the vertex stage: an attribute. Attributes are in the order of the program's.
    Attribute(AttributeRate),
    /// In the fragment stage: the varying of the vertex stage at the same location.
    Varying(Interpolation),
}

/// A location input.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationInput {
    /// The location.
    pub location: u32,
    /// The author's name; may be empty.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its source; `Err` with the index of a uniform that supplies it.
    pub source: Result<LocationSource, usize>,
}

/// An output at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageOutput {
    /// The location.
    pub location: u32,
    /// The author's name; may be empty. Colours of λV have none.
    pub name: String,
    /// Its type. A colour target has four components; missing ones are taken from (0, 0, 0, 1).
    pub ty: Type,
}

/// A texture, buffer or memory that is bound by the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundResource {
    /// The author's name; may be empty.
    pub name: String,
    /// Its binding.
    pub binding: Binding,
    /// Its place in the array of textures that has the binding; `None` if there is no array.
    pub element: Option<u32>,
    /// The values in the words of a memory; none for textures and read-only buffers.
    pub memory: Option<MemoryLayout>,
}

/// A sampler that is declared apart from textures. Its state is part of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSampler {
    /// The author's name; may be empty.
    pub name: String,
    /// Its binding.
    pub binding: Binding,
}

/// An input that the module declares and the entry point does not use: a block, texture, buffer or location
/// input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnusedInput {
    /// The names under which users may refer to it: its name, and `SET.BINDING` or `push`.
    pub names: Vec<String>,
    /// The names of the members of a block.
    pub members: Vec<String>,
    /// Its location, if it has one.
    pub location: Option<u32>,
}

/// A value that uniforms of a module take by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedValue {
    /// A built-in input.
    Input(Input),
    /// The date: year, month, day and seconds.
    Date,
    /// The seconds since the last frame: a sixtieth, and 0 for the first frame.
    Delta,
}

/// A part of a uniform that holds a value by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInPart {
    /// The index of the uniform.
    pub uniform: usize,
    /// The index of the part's first word in the uniform.
    pub start: usize,
    /// The number of its words. It may have fewer components than the value, and one more than a resolution.
    pub width: usize,
    /// The value.
    pub value: NamedValue,
    /// The type to which the components are converted.
    pub scalar: Scalar,
}

impl BuiltInPart {
    /// The words of the value, converted as the uniform holds them. The third component of a resolution is 1.
    pub fn words(&self, inputs: &Inputs, date: &[f32; 4]) -> Vec<u32> {
        let word = |&component: &f32| match self.scalar {
            Scalar::I32 => component as i32 as u32,
            Scalar::U32 => component as u32,
            Scalar::F32 | Scalar::Bool => component.to_bits(),
        };
        let components = match self.value {
            NamedValue::Input(input) => inputs.get(input),
            NamedValue::Date => date,
            NamedValue::Delta if inputs.frame == 0.0 => &[0.0],
            NamedValue::Delta => &[1.0 / 60.0],
        };
        components.iter().chain(std::iter::repeat(&1.0)).take(self.width).map(word).collect()
    }
}

/// The interface of an entry point.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Interface {
    /// The entry point.
    pub entry_point: EntryPoint,
    /// All entry points that the module declares, of every stage. λV declares none.
    pub entry_points: Vec<EntryPoint>,
    /// The built-in inputs that the outputs read, each once.
    pub inputs: Vec<Input>,
    /// Location inputs.
    pub locations: Vec<LocationInput>,
    /// Outputs, ascending by location.
    pub outputs: Vec<StageOutput>,
    /// Blocks of uniforms, and λV's own block of inputs if the entry point reads it. Blocks of a module may
    /// share a binding.
    pub blocks: Vec<Block>,
    /// Textures and buffers, in the order of their numbers.
    pub resources: Vec<BoundResource>,
    /// Samplers that are declared apart from textures.
    pub samplers: Vec<BoundSampler>,
    /// The state of samplers, and the textures that have levels.
    pub images: ImageOptions,
    /// Inputs that are declared but not used.
    pub unused: Vec<UnusedInput>,
}

impl Interface {
    /// The type of the components of an output: floats, if there is no such output.
    pub fn output_scalar(&self, location: u32) -> Scalar {
        let output = self.outputs.iter().find(|of| of.location == location);
        output.and_then(|of| of.ty.scalar()).unwrap_or(Scalar::F32)
    }

    /// The interface of a program whose author chose no bindings: λV, and core text.
    pub fn of(core: &Core) -> Self {
        let mut interface = Self { inputs: core.inputs(), ..Self::default() };
        let of_frame = |input: &Input| *input != Input::FragCoord;
        if interface.inputs.iter().any(of_frame) {
            interface.blocks.push(Block::of_inputs());
        }
        let outputs = core.outputs.iter().map(|output| {
            let ty = core.graph.value_type(output.node);
            StageOutput { location: output.location, name: String::new(), ty }
        });
        interface.outputs = outputs.collect();
        interface.outputs.sort_by_key(|output| output.location);
        interface.bind_rest(&core.uniforms, core.graph.types());
        for result in core.passes.iter().flat_map(|passes| &passes.results) {
            let element = element_type(core.graph.types(), result.resource);
            let layout = MemoryLayout::of_elements(core.graph.types(), element);
            interface.resources[result.resource as usize].memory = Some(layout);
        }
        interface
    }

    /// Assigns bindings to all resources and uniforms that have none (LANGUAGE §5). Resource `k` is bound at
    /// `k + 1` in set 0. Uniforms become members of one block `uniforms`, in order, laid out by std140, at
    /// the first free number of set 0; in λV that is 0.
    pub fn bind_rest(&mut self, uniforms: &[Uniform], types: &Types) {
        // Nothing is bound to the variables of a workgroup. (Those before other resources keep the numbers of these.)
        let is_bound = |kind| !matches!(kind, ResourceKind::Memory(MemoryKind::Workgroup(_)));
        let last = types.resources().iter().rposition(|resource| is_bound(resource.kind));
        let count = last.map_or(0, |last| last + 1);
        let rest = (1..).zip(&types.resources()[..count]).skip(self.resources.len());
        self.resources.extend(rest.map(|(binding, resource)| {
            let binding = Binding::Descriptor { set: 0, binding };
            let is_memory = matches!(resource.kind, ResourceKind::Memory(_));
            let memory = is_memory.then(MemoryLayout::of_words);
            BoundResource { name: resource.name.to_string(), binding, element: None, memory }
        }));
        let mut is_bound = vec![false; uniforms.len()];
        for index in self.blocks.iter().flat_map(Block::uniforms).map(|(index, _)| index) {
            is_bound[index] = true;
        }
        if !is_bound.contains(&false) {
            return;
        }
        let (layout, mut end) = (Layout::new(types, Rules::Std140), 0);
        let rest = uniforms.iter().enumerate().filter(|&(index, _)| !is_bound[index]);
        let members = rest.map(|(index, uniform)| BlockMember {
            value: MemberValue::Uniform(index),
            name: uniform.name.clone(),
            placement: Placement::Std140(layout.place(uniform.ty, &mut end) as u32),
        });
        let members = members.collect();
        let blocks = self.blocks.iter().map(|block| block.binding);
        let taken: Vec<Binding> =
            blocks.chain(self.resources.iter().map(|of| of.binding)).collect();
        let mut all = (0..).map(|binding| Binding::Descriptor { set: 0, binding });
        let binding = all.find(|at| !taken.contains(at)).expect("numbers are many");
        self.blocks.push(Block { binding, name: "uniforms".to_owned(), members });
    }

    /// All uniforms that lie in blocks: block, index and member.
    pub fn uniforms(&self) -> impl Iterator<Item = (&Block, usize, &BlockMember)> + Clone {
        let all = self.blocks.iter().map(|block| (block, block.uniforms()));
        all.flat_map(|(block, all)| all.map(move |(index, member)| (block, index, member)))
    }

    /// The index of the texture or buffer with this binding.
    pub fn resource(&self, binding: Binding) -> Option<usize> {
        self.resources.iter().position(|resource| resource.binding == binding)
    }

    /// The index of the element of an array of textures with this binding.
    pub fn resource_at(&self, binding: Binding, element: Option<u32>) -> Option<usize> {
        let is_it = |of: &BoundResource| of.binding == binding && of.element == element;
        self.resources.iter().position(is_it)
    }

    /// The components of the output at this location.
    pub fn scalar_of(&self, location: u32) -> Scalar {
        let output = self.outputs.iter().find(|of| of.location == location);
        output.and_then(|of| of.ty.scalar()).unwrap_or(Scalar::F32)
    }

    /// The location input at this location.
    pub fn location(&self, location: u32) -> Option<&LocationInput> {
        self.locations.iter().find(|input| input.location == location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Resource, ResourceKind};

    /// Bindings chosen by an author stay; the others take free numbers.
    #[test]
    fn the_rest_is_bound_beside() {
        let mut types = Types::default();
        for name in ["a", "b", "c"] {
            let kind = ResourceKind::Buffer(Type::NUM);
            types.add_resource(Resource { name: name.into(), kind });
        }
        let uniform = |name: &str, ty| Uniform {
            name: name.to_owned(),
            ty,
            default: vec![0; types.components(ty)].into(),
        };
        let uniforms = [
            uniform("x", Type::NUM),
            uniform("y", Type::vec(3)),
            uniform("z", Type::NUM),
            uniform("m", Type::mat(2)),
        ];
        let at = |set, binding| Binding::Descriptor { set, binding };
        let block = |binding, uniform| Block {
            binding,
            name: String::new(),
            members: vec![BlockMember {
                value: MemberValue::Uniform(uniform),
                name: "own".to_owned(),
                placement: Placement::Words(vec![8]),
            }],
        };
        let mut interface = Interface {
            blocks: vec![block(at(0, 0), 0), block(Binding::PushConstants, 2)],
            resources: vec![BoundResource {
                name: String::new(),
                binding: at(1, 1),
                element: None,
                memory: None,
            }],
            ..Interface::default()
        };
        let before = interface.clone();
        interface.bind_rest(&uniforms, &types);
        assert_eq!(interface.blocks[..2], before.blocks);
        let numbers: Vec<Binding> = interface.resources.iter().map(|of| of.binding).collect();
        assert_eq!(numbers, [at(1, 1), at(0, 2), at(0, 3)]);
        assert_eq!((interface.resource(at(0, 3)), interface.resource(at(0, 1))), (Some(2), None));
        let [.., rest] = &interface.blocks[..] else { panic!("there is a third") };
        assert_eq!((rest.binding, &*rest.name), (at(0, 1), "uniforms"));
        let members: Vec<_> = rest.uniforms().map(|(k, of)| (k, of.placement.first())).collect();
        assert_eq!(members, [(1, 0), (3, 16)]);
        let mut again = interface.clone();
        again.bind_rest(&uniforms, &types);
        assert_eq!(interface, again);
        let layout = Layout::new(&types, Rules::Std140);
        let offsets = rest.members[1].placement.offsets(&layout, &types, Type::mat(2));
        assert_eq!(*offsets, [16, 20, 32, 36]);
        let bytes: Vec<u8> = (0..40).collect();
        let words = words_at(&bytes, &offsets).expect("it is long enough");
        assert_eq!(words[3], u32::from_le_bytes([36, 37, 38, 39]));
        assert_eq!(words_at(&bytes[..39], &offsets), None);
    }

    #[test]
    fn bindings_have_one_name() {
        let at = |set, binding| Binding::Descriptor { set, binding };
        for binding in [at(0, 1), at(12, 0), at(u32::MAX, u32::MAX), Binding::PushConstants] {
            assert_eq!(Binding::named(&binding.to_string()), Some(binding));
        }
        for name in
            ["", "0", "0.", ".1", "+0.1", "0.01", "0.1.2", "0.4294967296", "pushed", "photo"]
        {
            assert_eq!(Binding::named(name), None, "{name}");
        }
    }

    #[test]
    fn stages_differ_in_three_things() {
        for stage in [Stage::Vertex, Stage::Compute, Stage::Other("Geometry"), Stage::Fragment] {
            let is_fragment = stage.to_string() == "fragment";
            let has = [stage.has_pixels(), stage.has_discard(), stage.has_derivatives()];
            assert_eq!(has, [is_fragment; 3], "{stage}");
        }
    }
}
