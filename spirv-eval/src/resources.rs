//! Memory shared with the host program, with the layout of LANGUAGE §5.

use lambdav_core::inputs::Inputs;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::texture::TextureData;
use lambdav_core::types::{ResourceKind, Type, TypeKind, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Words of the push-constant block.
pub const PUSH_CONSTANT_WORDS: usize = 8;

/// A member of the uniform block of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name; may be empty.
    pub name: String,
    /// Type in λV.
    pub ty: Type,
    /// Offset in words.
    pub at: usize,
    /// Stride of a matrix's columns in words.
    pub stride: usize,
}

/// An input from the previous stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputVariable {
    /// Location.
    pub location: u32,
    /// Size in words.
    pub words: usize,
    /// Place among the variables' words.
    pub(super) at: usize,
}

/// Source of an input's value in each pixel.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSource {
    /// Constant words, padded with zeros.
    Words(Box<[u32]>),
    /// `frag-coord` divided by the resolution, then 0 and 1.
    Uv([f32; 2]),
    /// `frag-coord`.
    Position,
}

impl Default for InputSource {
    fn default() -> Self {
        Self::Words([].into())
    }
}

impl InputSource {
    /// Writes the words of an input.
    pub(super) fn put(&self, frag_coord: [f32; 4], words: &mut [u32]) {
        words.fill(0);
        let [x, y, ..] = frag_coord;
        let all = match self {
            Self::Words(all) => all,
            Self::Uv([width, height]) => &[x / width, y / height, 0.0, 1.0].map(f32::to_bits)[..],
            Self::Position => &frag_coord.map(f32::to_bits)[..],
        };
        words.iter_mut().zip(all).for_each(|(to, &word)| *to = word);
    }
}

/// A texture or a buffer of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceBinding {
    /// Name; may be empty.
    pub name: String,
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Its place in the array of textures that has the binding; `None` if there is no array.
    pub element: Option<u32>,
    /// The texture has levels below the first.
    pub has_levels: bool,
    /// Texture or buffer.
    pub kind: BindingKind,
}

/// Set, binding, and place in an array of textures.
type ResourcePlace = (u32, u32, Option<u32>);

/// Kind of a bound resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// An image with a sampler.
    Texture,
    /// A storage buffer of a compute shader: words that invocations read and write.
    Memory,
    /// An array of elements.
    Buffer {
        /// Stride of the elements in words; at least one.
        stride: usize,
        /// The members of an element, nested ones included; at least one.
        element: Vec<Member>,
    },
}

/// The data of a texture or buffer, as shaders read it.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedData {
    /// Texels.
    Texture(Arc<TextureData>),
    /// The words of whole elements in their memory layout.
    Buffer(Arc<[u32]>),
}

/// Push constants, uniform block, textures and buffers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    pub(super) push_constants: [u32; PUSH_CONSTANT_WORDS],
    pub(super) uniforms: Vec<u32>,
    /// Blocks set as words, by set and binding; `None` for push constants.
    pub(super) blocks: Vec<(Option<[u32; 2]>, Vec<u32>)>,
    /// Data for programs, by binding in set 0.
    pub(super) resources: Vec<(u32, SharedData)>,
    /// Data for modules.
    of_modules: Vec<(ResourcePlace, SharedData)>,
}

impl Resources {
    /// The words of the block of push constants.
    pub fn push_constants(&self) -> &[u32; PUSH_CONSTANT_WORDS] {
        &self.push_constants
    }

    /// The words of the uniform block.
    pub fn uniforms(&self) -> &[u32] {
        &self.uniforms
    }

    /// For a program with uniforms of the types `of`, from the table `types`. `inputs` has their values
    /// and the data of the program's textures and buffers, which are bound from 1 on.
    pub fn new(inputs: &Inputs, types: &Types, of: impl IntoIterator<Item = Type>) -> Self {
        let mut uniforms = Vec::new();
        for (ty, value) in of.into_iter().zip(&inputs.uniforms) {
            put(types, ty, value, &mut uniforms);
        }
        let [x, y] = inputs.resolution;
        let [a, b, c, d] = inputs.mouse;
        let push_constants = [x, y, inputs.time, inputs.frame, a, b, c, d].map(f32::to_bits);
        let declared = types.resources().iter().zip(&inputs.resources);
        let alignments = alignments(types);
        let data = (1..).zip(declared).filter_map(|(binding, (of, bound))| {
            let lay_out = |data: &BufferData| {
                let (offsets, stride) = match of.kind {
                    ResourceKind::Buffer(element) => std430(types, &alignments, element),
                    ResourceKind::Texture(_) | ResourceKind::Memory(_) => return None,
                };
                Some(laid_out(data, &offsets, stride))
            };
            Some((binding, shared(bound, lay_out)?))
        });
        Self {
            push_constants,
            uniforms,
            blocks: Vec::new(),
            resources: data.collect(),
            of_modules: Vec::new(),
        }
    }

    /// The data of textures and buffers, with their bindings.
    pub fn resources(&self) -> &[(u32, SharedData)] {
        &self.resources
    }

    /// Sets the words of the uniform block at a descriptor set and binding, or of the push constants for
    /// `None`.
    pub fn set_block(&mut self, at: Option<[u32; 2]>, words: Vec<u32>) {
        self.blocks.retain(|(of, _)| *of != at);
        self.blocks.push((at, words));
    }

    /// The words of a block: those that were set, else the program's.
    pub(super) fn block(&self, at: Option<[u32; 2]>) -> &[u32] {
        match (self.blocks.iter().find(|(of, _)| *of == at), at) {
            (Some((_, words)), _) => words,
            (None, None) => &self.push_constants,
            (None, Some(_)) => &self.uniforms,
        }
    }

    /// Sets `(time)` and `(frame)`.
    pub fn set_time(&mut self, time: f32, frame: f32) {
        [self.push_constants[2], self.push_constants[3]] = [time, frame].map(f32::to_bits);
    }

    /// The data bound to a resource.
    pub(super) fn bound(&self, wanted: &ResourceBinding) -> Option<&SharedData> {
        let &ResourceBinding { set, binding, element, .. } = wanted;
        let own = self.resources.iter().filter(|(of, _)| set == 0 && *of == binding);
        let others = self.of_modules.iter().filter(|(of, _)| *of == (set, binding, element));
        others.map(|(_, data)| data).chain(own.map(|(_, data)| data)).next()
    }

    /// For a module with a uniform block of these members; `inputs` has their values, and the data of
    /// its textures and buffers, in order.
    pub fn for_members(inputs: &Inputs, members: &[Member], bindings: &[ResourceBinding]) -> Self {
        let mut resources = Self::new(inputs, &Types::default(), []);
        let data = bindings.iter().zip(&inputs.resources).filter_map(|(of, bound)| {
            let lay_out = |data: &BufferData| match &of.kind {
                BindingKind::Buffer { stride, element } => {
                    let offsets: Vec<usize> = element.iter().flat_map(Member::words).collect();
                    let fits = offsets.len() == data.element(0).len();
                    fits.then(|| laid_out(data, &offsets, *stride))
                }
                BindingKind::Texture | BindingKind::Memory => None,
            };
            Some(((of.set, of.binding, of.element), shared(bound, lay_out)?))
        });
        resources.of_modules = data.collect();
        for (member, value) in members.iter().zip(&inputs.uniforms) {
            let (columns, stride) = match member.ty.builtin() {
                Some(TypeKind::Matrix(_, n)) => (usize::from(n), member.stride),
                _ => (1, 0),
            };
            let rows = value.len() / columns;
            for (k, column) in value.chunks(rows.max(1)).enumerate() {
                let at = member.at + k * stride;
                if resources.uniforms.len() < at + rows {
                    resources.uniforms.resize(at + rows, 0);
                }
                resources.uniforms[at..at + rows].copy_from_slice(column);
            }
        }
        resources
    }
}

impl Member {
    /// Offsets of its components in words.
    pub fn words(&self) -> impl Iterator<Item = usize> + use<> {
        let (columns, rows) = match self.ty.builtin() {
            Some(TypeKind::Matrix(_, n)) => (n.into(), n.into()),
            _ => (1, self.ty.width().map_or(0, usize::from)),
        };
        let (at, stride) = (self.at, self.stride);
        (0..columns).flat_map(move |column| (0..rows).map(move |row| at + column * stride + row))
    }
}

/// Bound data as shaders read them.
fn shared(
    bound: &Bound,
    lay_out: impl FnOnce(&BufferData) -> Option<Arc<[u32]>>,
) -> Option<SharedData> {
    match bound {
        Bound::Nothing => None,
        Bound::Texture(data) => Some(SharedData::Texture(Arc::clone(data))),
        Bound::Buffer(data) => lay_out(data).map(SharedData::Buffer),
    }
}

/// The words of a buffer, with an offset for each component of an element.
fn laid_out(data: &BufferData, offsets: &[usize], stride: usize) -> Arc<[u32]> {
    let mut words = vec![0; data.len() * stride];
    for (k, element) in words.chunks_exact_mut(stride).enumerate() {
        for (&offset, &word) in offsets.iter().zip(data.element(k)) {
            element[offset] = word;
        }
    }
    words.into()
}

/// Alignment of each type in words, in the layout std430.
fn alignments(types: &Types) -> FxHashMap<Type, usize> {
    let mut alignments: FxHashMap<Type, usize> = FxHashMap::default();
    for ty in types.all() {
        let parts = types.parts(ty).map(|part| alignments[&part]).max();
        let alignment = match *types.kind(ty) {
            TypeKind::Vector(_, 3) => 4,
            TypeKind::Vector(_, n) => n.into(),
            _ => parts.unwrap_or(1),
        };
        alignments.insert(ty, alignment);
    }
    alignments
}

/// Offsets of an element's components in words, and its stride, in the layout std430.
fn std430(
    types: &Types,
    alignments: &FxHashMap<Type, usize>,
    element: Type,
) -> (Vec<usize>, usize) {
    let (mut offsets, mut end) = (Vec::new(), 0);
    put_offsets(types, alignments, element, &mut offsets, &mut end);
    (offsets, end.next_multiple_of(alignments[&element]))
}

/// Appends the offsets of a value's components. (Types nest a few hundred deep at most.)
fn put_offsets(
    types: &Types,
    alignments: &FxHashMap<Type, usize>,
    ty: Type,
    offsets: &mut Vec<usize>,
    end: &mut usize,
) {
    if types.components(ty) == 0 {
        return;
    }
    *end = end.next_multiple_of(alignments[&ty]);
    if let TypeKind::Scalar(_) | TypeKind::Vector(..) = types.kind(ty) {
        let first = *end;
        *end += types.components(ty);
        offsets.extend(first..*end);
        return;
    }
    let is_structure = types.structure(ty).is_some();
    for part in types.parts(ty) {
        put_offsets(types, alignments, part, offsets, end);
        if !is_structure {
            *end = end.next_multiple_of(alignments[&part]);
        }
    }
    *end = end.next_multiple_of(alignments[&ty]);
}

/// Appends a value in the layout std140. (Types nest a few hundred deep at most.)
fn put(types: &Types, ty: Type, value: &[u32], words: &mut Vec<u32>) {
    let large = 4;
    match *types.kind(ty) {
        TypeKind::Scalar(_) | TypeKind::Vector(..) => {
            align(words, if value.len() == 3 { large } else { value.len() });
            words.extend_from_slice(value);
        }
        // Columns have the layout of array elements; so do fields, but without padding after each.
        _ => {
            align(words, large);
            let is_structure = types.structure(ty).is_some();
            for index in 0..types.parts(ty).len() {
                let (part, first) = types.part(ty, index).expect("there are so many");
                put(types, part, &value[first..][..types.components(part)], words);
                if !is_structure {
                    align(words, large);
                }
            }
            align(words, large);
        }
    }
}

fn align(words: &mut Vec<u32>, to: usize) {
    words.resize(words.len().next_multiple_of(to), 0);
}
