//! The types of values: an open set, interned.
//!
//! A [`Type`] is a handle of four bytes, cheap to compare, hash and copy. The program's table [`Types`] maps
//! it to a [`TypeKind`] and answers questions about any type: the number of components, the scalar type of
//! each, the parts, and the offset of each part. The table is part of the graph, and is handed on with the
//! schedule.
//!
//! Scalars, vectors and matrices have the same handles in all tables. So [`Type::NUM`] and [`Type::vec`] need
//! no table, and neither does [`Type::builtin`]. A program adds structures, variants and arrays
//! ([`Types::add_structure`], [`Types::add_variant`], [`Types::add_array`]), and one type for each of its
//! resources, textures and buffers ([`Types::add_resource`]).
//!
//! # Layout
//!
//! A value is a sequence of words, its components. The parts of a structure (its fields) and of an array (its
//! elements) follow one another. A variant has no parts: its cases share words. Its first word is the tag,
//! the index of the case, as a `uint`. The payload follows: slots for `num`s, slots for integers of either
//! type, slots for `bool`s. The fields of each case take slots of each kind in order, from the first. Slots
//! that a case does not use are zero.
//!
//! # Invariants
//!
//! - Equal types have one handle in a table, so equality of handles is equality of types.
//! - The parts of a type have smaller handles than the type, so a loop over [`Types::all`] visits parts
//!   first.
//! - A type has at most [`WORDS`] components and as many parts, and types nest at most [`TYPE_NESTING`] deep. No
//!   function recurses to that depth.

use crate::limits::{MEMORIES, TYPE_NESTING, WORDS};
use crate::texture::{Texels, TextureOptions};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// IEEE 754 binary32: `num`.
    F32,
    /// `bool`, stored as 0 or 1.
    Bool,
    /// 32 bits, two's complement: `int`.
    I32,
    /// 32 bits, unsigned: `uint`.
    U32,
}

impl From<Texels> for Scalar {
    fn from(texels: Texels) -> Self {
        match texels {
            Texels::Numbers => Self::F32,
            Texels::Integers => Self::I32,
            Texels::Unsigned => Self::U32,
        }
    }
}

/// The structure of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    /// `num`, `bool`, `int` or `uint`.
    Scalar(Scalar),
    /// `vec2`…`vec4`, `bvec2`…`bvec4`, `ivec2`…`ivec4`, `uvec2`…`uvec4`: component type and count.
    Vector(Scalar, u8),
    /// `mat2`…`mat4`: component type and number of columns (= rows). Stored by columns.
    Matrix(Scalar, u8),
    /// A [`Structure`].
    Structure(StructureId),
    /// A [`Variant`].
    Variant(VariantId),
    /// An array: type and number of its elements.
    Array(Type, u32),
    /// A [`Resource`]. A value has no components. It is the texture or buffer, or a state of the memory.
    Resource(ResourceId),
}

/// A resource in a table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(u32);

/// A texture, buffer or memory that a program declares by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// Its name, unique in the program.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: ResourceKind,
}

/// The kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A 2D texture with the options of its declaration.
    Texture(TextureOptions),
    /// An array of elements of this type, whose length is known when data is bound.
    Buffer(Type),
    /// Words that the program writes ([`crate::memory`]).
    Memory(MemoryKind),
}

/// The kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Bound by the host, with any number of words.
    Storage,
    /// A variable of each workgroup, with this number of words, at most [`WORKGROUP_WORDS`](crate::limits::WORKGROUP_WORDS).
    /// Zero when the workgroup begins.
    Workgroup(u32),
}

impl ResourceKind {
    /// The kind's name in λV, in core text and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Texture(_) => "texture",
            Self::Buffer(_) => "buffer",
            Self::Memory(MemoryKind::Storage) => "memory",
            Self::Memory(MemoryKind::Workgroup(_)) => "workgroup",
        }
    }
}

/// A structure in a table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructureId(u32);

/// A variant in a table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariantId(u32);

/// Named fields. Structures with equal names and fields are one type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    /// Its name. The instances of a declaration with generic fields share it.
    pub name: Arc<str>,
    /// Its fields.
    pub fields: Box<[Field]>,
}

/// A field of a structure, or of a case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// The declaration leaves the field's type open.
    pub is_generic: bool,
}

/// Named cases; a value is of one of them. Variants with equal names and cases are one type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Its name.
    pub name: Arc<str>,
    /// Its cases, at least one.
    pub cases: Box<[Case]>,
}

/// A case of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// Its name.
    pub name: Arc<str>,
    /// Its fields.
    pub fields: Box<[Field]>,
}

/// An exceeded limit on types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeLimit {
    /// Its values would have too many words.
    Words,
    /// It would have too many parts.
    Parts,
    /// It would nest too deep.
    Nesting,
    /// It would hold too many states, or its program would have too many memories.
    States,
}

impl std::error::Error for TypeLimit {}

impl fmt::Display for TypeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words => write!(f, "a value has at most {WORDS} words"),
            Self::Parts => write!(f, "a value has at most {WORDS} parts"),
            Self::Nesting => write!(f, "types nest at most {TYPE_NESTING} deep"),
            Self::States => {
                write!(f, "a program has at most {MEMORIES} memories, and a value as many states")
            }
        }
    }
}

/// The type of a value: a handle into the [`Types`] of its program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u32);

/// The kinds that every table has, in the order of their handles, and their names in λV.
const BUILTIN: [(TypeKind, &str); 19] = {
    use Scalar::{Bool, F32, I32, U32};
    use TypeKind::{Matrix, Vector};
    [
        (TypeKind::Scalar(F32), "num"),
        (Vector(F32, 2), "vec2"),
        (Vector(F32, 3), "vec3"),
        (Vector(F32, 4), "vec4"),
        (TypeKind::Scalar(Bool), "bool"),
        (Vector(Bool, 2), "bvec2"),
        (Vector(Bool, 3), "bvec3"),
        (Vector(Bool, 4), "bvec4"),
        (Matrix(F32, 2), "mat2"),
        (Matrix(F32, 3), "mat3"),
        (Matrix(F32, 4), "mat4"),
        (TypeKind::Scalar(I32), "int"),
        (Vector(I32, 2), "ivec2"),
        (Vector(I32, 3), "ivec3"),
        (Vector(I32, 4), "ivec4"),
        (TypeKind::Scalar(U32), "uint"),
        (Vector(U32, 2), "uvec2"),
        (Vector(U32, 3), "uvec3"),
        (Vector(U32, 4), "uvec4"),
    ]
};

impl Type {
    /// `num`.
    pub const NUM: Self = Self(0);
    /// `bool`.
    pub const BOOL: Self = Self(4);
    /// `int`.
    pub const INT: Self = Self(11);
    /// `uint`.
    pub const UINT: Self = Self(15);

    /// `vecN`, or `num` for 1.
    pub const fn vec(n: u8) -> Self {
        Self::of(Scalar::F32, n)
    }

    /// `bvecN`, or `bool` for 1.
    pub const fn bvec(n: u8) -> Self {
        Self::of(Scalar::Bool, n)
    }

    /// `matN`.
    pub const fn mat(n: u8) -> Self {
        assert!(2 <= n && n <= 4, "matrices have 2 to 4 columns");
        Self(6 + n as u32)
    }

    /// The scalar (`n` = 1) or vector type with `n` components.
    pub const fn of(scalar: Scalar, n: u8) -> Self {
        assert!(1 <= n && n <= 4, "vectors have 2 to 4 components");
        match scalar {
            Scalar::F32 => Self(Self::NUM.0 + n as u32 - 1),
            Scalar::Bool => Self(Self::BOOL.0 + n as u32 - 1),
            Scalar::I32 => Self(Self::INT.0 + n as u32 - 1),
            Scalar::U32 => Self(Self::UINT.0 + n as u32 - 1),
        }
    }

    /// The kind of a type that every program has; `None` for a declared type.
    pub const fn builtin(self) -> Option<TypeKind> {
        let index = self.0 as usize;
        if index < BUILTIN.len() { Some(BUILTIN[index].0) } else { None }
    }

    /// The name of a type that every program has; `None` for a declared type.
    pub fn name(self) -> Option<&'static str> {
        BUILTIN.get(self.0 as usize).map(|(_, name)| *name)
    }

    /// The type that every program has under this name, as written in `uniform`, `the` and parameter
    /// annotations.
    pub fn from_name(name: &str) -> Option<Self> {
        BUILTIN.iter().zip(0..).find(|((_, known), _)| *known == name).map(|(_, id)| Self(id))
    }

    /// The names that [`Type::from_name`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(_, name)| *name)
    }

    /// The component type of a scalar or vector; `None` for any other type.
    pub const fn scalar(self) -> Option<Scalar> {
        match self.builtin() {
            Some(TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _)) => Some(scalar),
            _ => None,
        }
    }

    /// True for `num` and vectors of it.
    pub fn is_num(self) -> bool {
        self.scalar() == Some(Scalar::F32)
    }

    /// True for `bool` and vectors of it.
    pub fn is_bool(self) -> bool {
        self.scalar() == Some(Scalar::Bool)
    }

    /// True for `int`, `uint` and vectors of them.
    pub fn is_integer(self) -> bool {
        matches!(self.scalar(), Some(Scalar::I32 | Scalar::U32))
    }

    /// True for square matrices.
    pub fn is_matrix(self) -> bool {
        matches!(self.builtin(), Some(TypeKind::Matrix(..)))
    }

    /// The number of components of a scalar (1) or vector; `None` for any other type.
    pub fn width(self) -> Option<u8> {
        match self.builtin()? {
            TypeKind::Scalar(_) => Some(1),
            TypeKind::Vector(_, n) => Some(n),
            _ => None,
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "type {}", self.0),
        }
    }
}

/// The types of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Types {
    kinds: Vec<TypeKind>,
    layouts: Vec<Layout>,
    ids: FxHashMap<TypeKind, Type>,
    structures: Vec<Arc<Structure>>,
    variants: Vec<Arc<Variant>>,
    resources: Vec<Arc<Resource>>,
    structure_ids: FxHashMap<Arc<Structure>, StructureId>,
    variant_ids: FxHashMap<Arc<Variant>, VariantId>,
}

/// The components of a type.
#[derive(Clone, Debug, Default, PartialEq)]
struct Layout {
    /// The number of components of each [`kind_of_slot`].
    slots: [u32; 3],
    /// The offset of each field of a structure.
    offsets: Box<[u32]>,
    /// The depth to which types nest inside this one.
    nesting: u32,
    /// The number of states of memories in a value.
    states: u32,
}

/// The kind of slot of a variant that holds such a component: for `num`s, for integers, for `bool`s.
fn kind_of_slot(scalar: Scalar) -> usize {
    match scalar {
        Scalar::F32 => 0,
        Scalar::I32 | Scalar::U32 => 1,
        Scalar::Bool => 2,
    }
}

impl Layout {
    fn components(&self) -> u32 {
        self.slots.iter().sum()
    }

    fn of(scalar: Scalar, count: u32) -> Self {
        let mut layout = Self::default();
        layout.slots[kind_of_slot(scalar)] = count;
        layout
    }

    /// Appends `count` values of another type.
    fn append(&mut self, part: &Self, count: u32) -> Result<(), TypeLimit> {
        self.nesting = self.nesting.max(part.nesting + 1);
        if self.nesting > TYPE_NESTING {
            return Err(TypeLimit::Nesting);
        }
        // The operands are bounded: `part` and `self` have at most `WORDS` components each.
        let total = u64::from(self.components())
            + u64::from(part.components()).saturating_mul(count.into());
        if total > WORDS.into() {
            return Err(TypeLimit::Words);
        }
        let states = u64::from(self.states) + u64::from(part.states) * u64::from(count);
        if states > MEMORIES as u64 {
            return Err(TypeLimit::States);
        }
        self.states = states as u32;
        for (slots, more) in self.slots.iter_mut().zip(part.slots) {
            *slots += more * count;
        }
        Ok(())
    }
}

impl Default for Types {
    /// The table of the types that every program has.
    fn default() -> Self {
        let mut types = Self {
            kinds: vec![],
            layouts: vec![],
            ids: FxHashMap::default(),
            structures: vec![],
            variants: vec![],
            resources: vec![],
            structure_ids: FxHashMap::default(),
            variant_ids: FxHashMap::default(),
        };
        for (kind, _) in BUILTIN {
            let layout = match kind {
                TypeKind::Scalar(scalar) => Layout::of(scalar, 1),
                TypeKind::Vector(scalar, n) => Layout::of(scalar, n.into()),
                TypeKind::Matrix(scalar, n) => Layout::of(scalar, u32::from(n) * u32::from(n)),
                TypeKind::Structure(_)
                | TypeKind::Variant(_)
                | TypeKind::Array(..)
                | TypeKind::Resource(_) => unreachable!("a program declares it"),
            };
            types.intern(kind, layout);
        }
        types
    }
}

impl Types {
    fn intern(&mut self, kind: TypeKind, layout: Layout) -> Type {
        let next = Type(self.kinds.len() as u32);
        let id = *self.ids.entry(kind).or_insert(next);
        if id == next {
            self.kinds.push(kind);
            self.layouts.push(layout);
        }
        id
    }

    fn layout(&self, ty: Type) -> &Layout {
        &self.layouts[ty.0 as usize]
    }

    /// The type of a structure, whose fields have types of this table.
    ///
    /// # Errors
    ///
    /// If the type would exceed a limit.
    pub fn add_structure(&mut self, structure: Structure) -> Result<Type, TypeLimit> {
        if let Some(&id) = self.structure_ids.get(&structure) {
            return Ok(self.ids[&TypeKind::Structure(id)]);
        }
        let mut layout = Layout { nesting: 1, ..Layout::default() };
        let mut offsets = Vec::with_capacity(structure.fields.len());
        check_parts(structure.fields.len())?;
        for field in &structure.fields {
            offsets.push(layout.components());
            layout.append(self.layout(field.ty), 1)?;
        }
        layout.offsets = offsets.into();
        let (id, structure) = (StructureId(self.structures.len() as u32), Arc::new(structure));
        self.structures.push(Arc::clone(&structure));
        self.structure_ids.insert(structure, id);
        Ok(self.intern(TypeKind::Structure(id), layout))
    }

    /// The type of a variant, whose fields have types of this table.
    ///
    /// # Errors
    ///
    /// If the type would exceed a limit.
    pub fn add_variant(&mut self, variant: Variant) -> Result<Type, TypeLimit> {
        if let Some(&id) = self.variant_ids.get(&variant) {
            return Ok(self.ids[&TypeKind::Variant(id)]);
        }
        check_parts(variant.cases.len())?;
        let mut payload = Layout::default();
        for case in &variant.cases {
            check_parts(case.fields.len())?;
            let mut layout = Layout::default();
            for field in &case.fields {
                layout.append(self.layout(field.ty), 1)?;
            }
            payload.nesting = payload.nesting.max(layout.nesting);
            payload.states = payload.states.max(layout.states);
            for (slots, needed) in payload.slots.iter_mut().zip(layout.slots) {
                *slots = needed.max(*slots);
            }
        }
        let nesting = payload.nesting;
        let mut layout = Layout::of(Scalar::U32, 1);
        layout.append(&Layout { nesting: 0, ..payload }, 1)?;
        layout.nesting = nesting.max(1);
        let (id, variant) = (VariantId(self.variants.len() as u32), Arc::new(variant));
        self.variants.push(Arc::clone(&variant));
        self.variant_ids.insert(variant, id);
        Ok(self.intern(TypeKind::Variant(id), layout))
    }

    /// The type of an array of `count` elements, at least one, of a type of this table.
    ///
    /// # Errors
    ///
    /// If the type would exceed a limit.
    pub fn add_array(&mut self, element: Type, count: u32) -> Result<Type, TypeLimit> {
        assert!(count > 0, "an array has an element");
        check_parts(count as usize)?;
        let mut layout = Layout::default();
        layout.append(self.layout(element), count)?;
        Ok(self.intern(TypeKind::Array(element, count), layout))
    }

    /// The type of a texture or buffer, whose name must be unique. Resources are numbered in the order of these
    /// calls and those of [`Self::add_memory`].
    pub fn add_resource(&mut self, resource: Resource) -> Type {
        let states = u32::from(matches!(resource.kind, ResourceKind::Memory(_)));
        let id = ResourceId(self.resources.len() as u32);
        self.resources.push(resource.into());
        self.intern(TypeKind::Resource(id), Layout { states, ..Layout::default() })
    }

    /// The type of the states of a memory, whose name must be unique.
    ///
    /// # Errors
    ///
    /// [`TypeLimit::States`] if there are [`MEMORIES`] already.
    pub fn add_memory(&mut self, name: Arc<str>, kind: MemoryKind) -> Result<Type, TypeLimit> {
        if self.memories().count() == MEMORIES {
            return Err(TypeLimit::States);
        }
        Ok(self.add_resource(Resource { name, kind: ResourceKind::Memory(kind) }))
    }

    /// Lets the device sample all textures ([`TextureOptions::native`]) but those with planes and those whose options a device's
    /// sampler does not have.
    pub fn sample_natively(&mut self) {
        for resource in &mut self.resources {
            if let ResourceKind::Texture(options) = resource.kind {
                // Only a texture of one plane is sampled by a device.
                let native = !options.kind.has_planes() && options.fits_device();
                let kind = ResourceKind::Texture(TextureOptions { native, ..options });
                *resource = Resource { kind, name: Arc::clone(&resource.name) }.into();
            }
        }
    }

    /// The resources of the program, by index.
    pub fn resources(&self) -> &[Arc<Resource>] {
        &self.resources
    }

    /// The index of the resource with this type; `None` for other types.
    pub fn resource(&self, ty: Type) -> Option<usize> {
        match *self.kind(ty) {
            TypeKind::Resource(id) => Some(id.0 as usize),
            _ => None,
        }
    }

    /// The kind of the resource with this type; `None` for other types.
    pub fn resource_kind(&self, ty: Type) -> Option<ResourceKind> {
        self.resource(ty).map(|number| self.resources[number].kind)
    }

    /// The memory whose states have this type; `None` for other types.
    pub fn memory(&self, ty: Type) -> Option<MemoryKind> {
        match self.resource_kind(ty)? {
            ResourceKind::Memory(kind) => Some(kind),
            ResourceKind::Texture(_) | ResourceKind::Buffer(_) => None,
        }
    }

    /// The memories of the program: their numbers among the resources, ascending, and kinds.
    pub fn memories(&self) -> impl Iterator<Item = (usize, MemoryKind)> {
        self.resources.iter().enumerate().filter_map(|(number, of)| match of.kind {
            ResourceKind::Memory(kind) => Some((number, kind)),
            ResourceKind::Texture(_) | ResourceKind::Buffer(_) => None,
        })
    }

    /// True if a value of this type has a state of a memory, as a whole or as a part.
    pub fn holds_state(&self, ty: Type) -> bool {
        self.layout(ty).states > 0
    }

    /// The numbers of the memories whose states are parts of a value of this type, in order. Empty for types of
    /// which no value is made: variants and arrays with states.
    pub fn states(&self, ty: Type) -> Vec<usize> {
        let (mut states, mut stack) = (Vec::new(), vec![ty]);
        while let Some(ty) = stack.pop() {
            match self.memory(ty).and(self.resource(ty)) {
                Some(number) => states.push(number),
                None => {
                    let parts = self.structure(ty).map_or(&[][..], |of| &of.fields).iter().rev();
                    stack.extend(parts.map(|field| field.ty).filter(|&ty| self.holds_state(ty)));
                }
            }
        }
        states
    }

    /// All types, parts before types that contain them.
    pub fn all(&self) -> impl Iterator<Item = Type> + use<> {
        (0..self.kinds.len() as u32).map(Type)
    }

    /// The kind of a type.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty.0 as usize]
    }

    /// The structure; `None` for other types.
    pub fn structure(&self, ty: Type) -> Option<&Structure> {
        match *self.kind(ty) {
            TypeKind::Structure(id) => Some(&self.structures[id.0 as usize]),
            _ => None,
        }
    }

    /// The variant; `None` for other types.
    pub fn variant(&self, ty: Type) -> Option<&Variant> {
        match *self.kind(ty) {
            TypeKind::Variant(id) => Some(&self.variants[id.0 as usize]),
            _ => None,
        }
    }

    /// A case of a variant, by index.
    pub fn case(&self, ty: Type, index: u32) -> Option<&Case> {
        self.variant(ty)?.cases.get(index as usize)
    }

    /// The number of components of a value (16 for `mat4`), a word each.
    pub fn components(&self, ty: Type) -> usize {
        self.layout(ty).components() as usize
    }

    /// The type of a component, by its index in the order of parts (matrices by columns).
    pub fn component(&self, mut ty: Type, mut index: usize) -> Scalar {
        debug_assert!(index < self.components(ty), "there is no such component");
        loop {
            match *self.kind(ty) {
                TypeKind::Scalar(scalar)
                | TypeKind::Vector(scalar, _)
                | TypeKind::Matrix(scalar, _) => return scalar,
                TypeKind::Structure(_) | TypeKind::Array(..) => {
                    let part = self.part_with(ty, index);
                    let (inner, first) = self.part(ty, part).expect("it is one of them");
                    (ty, index) = (inner, index - first);
                }
                TypeKind::Resource(_) => unreachable!("it has no components"),
                TypeKind::Variant(_) => {
                    let [nums, integers, _] = self.layout(ty).slots;
                    return match index as u32 {
                        0 => Scalar::U32,
                        slot if slot <= nums => Scalar::F32,
                        slot if slot < nums + integers => Scalar::U32,
                        _ => Scalar::Bool,
                    };
                }
            }
        }
    }

    /// The index of the part that contains a component, for a type with parts.
    pub fn part_with(&self, ty: Type, component: usize) -> usize {
        match *self.kind(ty) {
            // The last field that begins at or before the component. Earlier fields with the same offset have
            // no components.
            TypeKind::Structure(_) => {
                let offsets = &self.layout(ty).offsets;
                offsets.partition_point(|&offset| offset as usize <= component) - 1
            }
            TypeKind::Array(element, _) => component / self.components(element),
            TypeKind::Matrix(_, n) => component / usize::from(n),
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Variant(_)
            | TypeKind::Resource(_) => component,
        }
    }

    /// The type of each component, in order.
    pub fn scalars(&self, ty: Type) -> impl ExactSizeIterator<Item = Scalar> {
        (0..self.components(ty)).map(move |index| self.component(ty, index))
    }

    /// The parts from which a value is constructed: the components of a vector, the columns of a matrix, the
    /// fields of a structure, the elements of an array; none for other types.
    pub fn parts(&self, ty: Type) -> impl ExactSizeIterator<Item = Type> {
        let count = match *self.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Variant(_) | TypeKind::Resource(_) => 0,
            TypeKind::Vector(_, n) | TypeKind::Matrix(_, n) => n.into(),
            TypeKind::Structure(id) => self.structures[id.0 as usize].fields.len(),
            TypeKind::Array(_, count) => count as usize,
        };
        (0..count).map(move |index| self.part(ty, index).expect("it is below the count").0)
    }

    /// A part's type, and the index of its first component.
    pub fn part(&self, ty: Type, index: usize) -> Option<(Type, usize)> {
        match *self.kind(ty) {
            TypeKind::Vector(scalar, n) if index < n.into() => Some((Type::of(scalar, 1), index)),
            TypeKind::Matrix(scalar, n) if index < n.into() => {
                Some((Type::of(scalar, n), index * usize::from(n)))
            }
            TypeKind::Array(element, count) if index < count as usize => {
                Some((element, index * self.components(element)))
            }
            TypeKind::Structure(id) => {
                let field = self.structures[id.0 as usize].fields.get(index)?;
                Some((field.ty, self.layout(ty).offsets[index] as usize))
            }
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Matrix(..)
            | TypeKind::Array(..)
            | TypeKind::Variant(_)
            | TypeKind::Resource(_) => None,
        }
    }

    /// The type of a case's field, and for each of its components the index of the variant's component that
    /// holds it if the variant is of this case; `None` if there is no such field.
    pub fn payload(&self, ty: Type, case: u32, field: u32) -> Option<(Type, Box<[u32]>)> {
        let case = self.case(ty, case)?;
        let field = field as usize;
        let of = case.fields.get(field)?.ty;
        let [nums, integers, _] = self.layout(ty).slots;
        // The tag comes first, and counts as one of the integers; the slots of each kind follow.
        let mut next = [1, 1 + nums, nums + integers];
        for before in &case.fields[..field] {
            for (next, taken) in next.iter_mut().zip(self.layout(before.ty).slots) {
                *next += taken;
            }
        }
        let take = |scalar| {
            let next = &mut next[kind_of_slot(scalar)];
            *next += 1;
            *next - 1
        };
        Some((of, self.scalars(of).map(take).collect()))
    }

    /// True if a uniform can have this type: `bvec`s, variants and resources have no layout in shared memory.
    pub fn fits_uniform(&self, ty: Type) -> bool {
        let (mut stack, mut seen) = (vec![ty], FxHashSet::default());
        while let Some(ty) = stack.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match *self.kind(ty) {
                TypeKind::Variant(_)
                | TypeKind::Resource(_)
                | TypeKind::Vector(Scalar::Bool, _) => {
                    return false;
                }
                TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix(..) => {}
                TypeKind::Array(element, _) => stack.push(element),
                TypeKind::Structure(id) => {
                    let fields = &self.structures[id.0 as usize].fields;
                    stack.extend(fields.iter().map(|field| field.ty));
                }
            }
        }
        true
    }

    /// True if an element of a buffer can have this type: it fits a uniform and has components.
    pub fn fits_element(&self, ty: Type) -> bool {
        self.components(ty) > 0 && self.fits_uniform(ty)
    }

    /// The type as written in λV and in messages. A structure with generic fields is shown with their types,
    /// as in `(Pair num vec2)`. Long names are cut off.
    pub fn name(&self, ty: Type) -> impl fmt::Display + use<> {
        const LONG: usize = 200;
        enum Piece<'a> {
            Text(&'a str),
            Of(Type),
        }
        let (mut name, mut stack) = (String::new(), vec![Piece::Of(ty)]);
        while let Some(piece) = stack.pop() {
            if name.len() > LONG {
                name.push('…');
                break;
            }
            let ty = match piece {
                Piece::Text(text) => {
                    name.push_str(text);
                    continue;
                }
                Piece::Of(ty) => ty,
            };
            match *self.kind(ty) {
                TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix(..) => {
                    name.push_str(ty.name().expect("every program has it"));
                }
                TypeKind::Variant(id) => name.push_str(&self.variants[id.0 as usize].name),
                TypeKind::Resource(id) => {
                    let Resource { name: of, kind } = &*self.resources[id.0 as usize];
                    let _ = write!(name, "{} {of}", kind.word());
                }
                TypeKind::Array(element, count) => {
                    // Writing to a string does not fail.
                    let _ = write!(name, "(array {count} ");
                    stack.extend([Piece::Text(")"), Piece::Of(element)]);
                }
                TypeKind::Structure(id) => {
                    let structure = &self.structures[id.0 as usize];
                    let generic = structure.fields.iter().filter(|field| field.is_generic);
                    if generic.clone().next().is_none() {
                        name.push_str(&structure.name);
                        continue;
                    }
                    let _ = write!(name, "({}", structure.name);
                    stack.push(Piece::Text(")"));
                    for field in generic.rev() {
                        stack.extend([Piece::Of(field.ty), Piece::Text(" ")]);
                    }
                }
            }
        }
        name
    }
}

fn check_parts(count: usize) -> Result<(), TypeLimit> {
    if count <= WORDS as usize { Ok(()) } else { Err(TypeLimit::Parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_handles_in_every_table() {
        let types = Types::default();
        for (ty, (kind, name)) in types.all().zip(BUILTIN) {
            assert_eq!(types.kind(ty), &kind);
            assert_eq!(ty.builtin(), Some(kind));
            assert_eq!(types.name(ty).to_string(), name);
            assert_eq!(Type::from_name(name), Some(ty));
            let made = match kind {
                TypeKind::Scalar(scalar) => Type::of(scalar, 1),
                TypeKind::Vector(scalar, n) => Type::of(scalar, n),
                TypeKind::Matrix(_, n) => Type::mat(n),
                other => panic!("{other:?} is declared"),
            };
            assert_eq!(made, ty);
        }
        assert_eq!(types.all().count(), BUILTIN.len());
        assert_eq!([Type::NUM, Type::BOOL], [Type::vec(1), Type::bvec(1)]);
        let integers = [Type::INT, Type::UINT];
        assert_eq!(integers, [Scalar::I32, Scalar::U32].map(|scalar| Type::of(scalar, 1)));
    }

    fn fields<const N: usize>(fields: [(&str, Type); N]) -> Box<[Field]> {
        let field = |(name, ty): (&str, Type)| Field { name: name.into(), ty, is_generic: false };
        fields.map(field).into()
    }

    fn structure<const N: usize>(types: &mut Types, of: [(&str, Type); N]) -> Type {
        types.add_structure(Structure { name: "S".into(), fields: fields(of) }).expect("is small")
    }

    #[test]
    fn equal_types_are_one() {
        let mut types = Types::default();
        let one = structure(&mut types, [("a", Type::NUM), ("b", Type::BOOL)]);
        assert_eq!(structure(&mut types, [("a", Type::NUM), ("b", Type::BOOL)]), one);
        assert_ne!(structure(&mut types, [("a", Type::BOOL), ("b", Type::NUM)]), one);
        let array = types.add_array(one, 3);
        assert_eq!(types.add_array(one, 3), array);
        assert_ne!(types.add_array(one, 4), array);
        assert_eq!(types.name(array.expect("is small")).to_string(), "(array 3 S)");
    }

    #[test]
    fn cases_share_the_words_of_a_variant() {
        use Scalar::{Bool, F32, U32};
        let mut types = Types::default();
        let case = |name: &str, fields| Case { name: name.into(), fields };
        let cases = [
            case("A", fields([("x", Type::INT), ("y", Type::vec(2)), ("z", Type::UINT)])),
            case("B", fields([("b", Type::BOOL), ("x", Type::NUM)])),
            case("C", fields([])),
        ];
        let inner = Variant { name: "V".into(), cases: cases.into() };
        let inner = types.add_variant(inner).expect("is small");
        let all = |types: &Types, ty| types.scalars(ty).collect::<Vec<_>>();
        assert_eq!(all(&types, inner), [U32, F32, F32, U32, U32, Bool]);
        let payload = |types: &Types, ty, case, field| {
            types.payload(ty, case, field).map(|(ty, slots)| (ty, slots.into_vec()))
        };
        assert_eq!(payload(&types, inner, 0, 0), Some((Type::INT, vec![3])));
        assert_eq!(payload(&types, inner, 0, 1), Some((Type::vec(2), vec![1, 2])));
        assert_eq!(payload(&types, inner, 0, 2), Some((Type::UINT, vec![4])));
        assert_eq!(payload(&types, inner, 1, 0), Some((Type::BOOL, vec![5])));
        assert_eq!(payload(&types, inner, 1, 1), Some((Type::NUM, vec![1])));
        assert_eq!(payload(&types, inner, 2, 0), None);
        assert_eq!(payload(&types, inner, 3, 0), None);
        let cases = [case("D", fields([("n", Type::NUM), ("v", inner)]))];
        let outer = Variant { name: "W".into(), cases: cases.into() };
        let outer = types.add_variant(outer).expect("is small");
        assert_eq!(all(&types, outer), [U32, F32, F32, F32, U32, U32, U32, Bool]);
        assert_eq!(payload(&types, outer, 0, 1), Some((inner, vec![4, 2, 3, 5, 6, 7])));
        assert_eq!(types.parts(outer).len(), 0);
    }

    #[test]
    fn types_are_limited() {
        let mut types = Types::default();
        let large = types.add_array(Type::NUM, WORDS).expect("is not too large");
        assert_eq!(types.components(large), WORDS as usize);
        assert_eq!(types.add_array(Type::NUM, WORDS + 1), Err(TypeLimit::Parts));
        assert_eq!(types.add_array(Type::vec(2), WORDS / 2 + 1), Err(TypeLimit::Words));
        let of = fields([("a", large), ("b", Type::BOOL)]);
        let too_large = Structure { name: "S".into(), fields: of.clone() };
        assert_eq!(types.add_structure(too_large), Err(TypeLimit::Words));
        let cases = [Case { name: "C".into(), fields: of }];
        let too_large = Variant { name: "V".into(), cases: cases.into() };
        assert_eq!(types.add_variant(too_large), Err(TypeLimit::Words));
        let unit = structure(&mut types, []);
        let mut nested = types.add_array(unit, WORDS).expect("has no words");
        assert_eq!(types.components(nested), 0);
        for _ in 2..TYPE_NESTING {
            nested = structure(&mut types, [("a", nested), ("b", nested)]);
        }
        let name = types.name(nested).to_string();
        assert!(name.len() < 300, "{name}");
        let mut generic = nested;
        assert_eq!(types.layout(generic).nesting, TYPE_NESTING);
        assert_eq!(types.add_array(generic, 1), Err(TypeLimit::Nesting));
        generic = Type::NUM;
        for _ in 1..TYPE_NESTING {
            let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: true };
            let fields = [field("a", unit), field("b", generic)].into();
            generic = types
                .add_structure(Structure { name: "Pair".into(), fields })
                .expect("is not too deep");
        }
        let name = types.name(generic).to_string();
        assert!(name.starts_with("(Pair S (Pair S ") && name.len() < 300, "{name}");
        assert_eq!(types.component(generic, 0), Scalar::F32);
    }

    #[test]
    fn parts_make_up_the_components() {
        let mut types = Types::default();
        let unit = structure(&mut types, []);
        let inner = structure(&mut types, [("a", Type::BOOL), ("u", unit), ("m", Type::mat(2))]);
        let array = types.add_array(inner, 3).expect("is small");
        let cases = [Case { name: "C".into(), fields: fields([("a", array)]) }].into();
        let variant = types.add_variant(Variant { name: "V".into(), cases }).expect("is small");
        structure(&mut types, [("a", array), ("b", unit), ("c", Type::NUM), ("d", variant)]);
        for ty in types.all() {
            let scalars: Vec<Scalar> = types.scalars(ty).collect();
            assert_eq!(scalars.len(), types.components(ty));
            let mut all = Vec::new();
            for (k, part) in types.parts(ty).enumerate() {
                assert!(part < ty);
                assert_eq!(types.part(ty, k), Some((part, all.len())));
                all.extend(types.scalars(part));
            }
            assert_eq!(types.part(ty, types.parts(ty).len()), None);
            if !matches!(types.kind(ty), TypeKind::Scalar(_) | TypeKind::Variant(_)) {
                assert_eq!(all, scalars);
            }
        }
    }
}
