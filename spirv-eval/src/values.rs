//! Types, and the meanings of ids.

use super::binary::Instruction;
use super::error::LoadError;
use super::options::Undefined;
use rspirv::spirv::{Dim, StorageClass};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The type of a component. Each takes one word, or two if it is wide; a bool is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    Bool,
    Float,
    /// Signed.
    Int,
    /// Unsigned.
    Uint,
    /// `Double` is a 64-bit float and `Long` an unsigned 64-bit integer: scalars of two words.
    Double,
    Long,
    /// Mixed or none, for structures and arrays.
    Various,
}

impl ComponentType {
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint)
    }

    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::Double | Self::Long)
    }
}

/// The type of a value: `columns` vectors of `rows` components, or a structure or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueType {
    pub(super) scalar: ComponentType,
    pub(super) rows: u8,
    pub(super) columns: u8,
    pub(super) aggregate: Option<Aggregate>,
}

/// A structure or an array: the id of its type, and its size in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aggregate {
    pub(super) ty: u32,
    pub(super) words: usize,
}

impl ValueType {
    pub(super) fn scalar(scalar: ComponentType) -> Self {
        Self { scalar, rows: 1, columns: 1, aggregate: None }
    }

    /// A vector of floats.
    pub(super) fn numbers(rows: u8) -> Self {
        Self { rows, ..Self::scalar(ComponentType::Float) }
    }

    fn aggregate(ty: u32, words: usize) -> Self {
        let aggregate = Some(Aggregate { ty, words });
        Self { aggregate, ..Self::scalar(ComponentType::Various) }
    }

    /// Size in words.
    pub(super) fn words(self) -> usize {
        let words = usize::from(self.rows) * usize::from(self.columns);
        let words = words * if self.scalar.is_wide() { 2 } else { 1 };
        self.aggregate.map_or(words, |aggregate| aggregate.words)
    }

    pub(super) fn is_scalar(self) -> bool {
        self.aggregate.is_none() && self.rows == 1
    }

    pub(super) fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// Type and number of its parts: columns of a matrix, components of a vector; `None` for scalars,
    /// structures and arrays.
    pub(super) fn part(self) -> Option<(Self, usize)> {
        match (self.columns, self.rows) {
            (1, 1) => None,
            (1, rows) => Some((Self::scalar(self.scalar), rows.into())),
            (columns, _) => Some((Self { columns: 1, ..self }, columns.into())),
        }
    }

    /// The same shape with another scalar.
    pub(super) fn of(self, scalar: ComponentType) -> Self {
        Self { scalar, ..self }
    }
}

/// A type.
#[derive(Clone, Debug)]
pub(super) enum SpirvType {
    Void,
    Function,
    Value(ValueType),
    /// Type and offset of each member, and the total size in words.
    Struct(Rc<[(ValueType, usize)]>, usize),
    /// Type and number of the elements.
    Array(ValueType, usize),
    /// An array whose length the bound data determine; type of the elements.
    RuntimeArray(ValueType),
    /// A block of one such array; the array type's id.
    Buffer(u32),
    /// A block of several members, of which the last one is such an array; the ids of their types.
    Open(Rc<[u32]>),
    Pointer(StorageClass, u32),
    /// A texture, a sampler, or both.
    Opaque(OpaqueType),
    /// So many of them; 0 for an array without a length.
    Opaques(OpaqueType, usize),
}

/// Kinds of opaque types, which have no words of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpaqueType {
    /// An image of floats.
    Image(ImageType),
    Sampler,
    /// The same with a sampler.
    SampledImage(ImageType),
}

/// The type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageType {
    pub(super) dimension: Dim,
    pub(super) is_array: bool,
    pub(super) is_multisampled: bool,
    /// The type of a texel's components: a number or an integer.
    pub(super) component: ComponentType,
}

impl ImageType {
    /// Components of the place of a sample or of its move: for cubes of a direction. The layer is not counted.
    pub(super) fn axes(self) -> usize {
        match self.dimension {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// Components of a place, with its layer.
    pub(super) fn components(self) -> usize {
        self.axes() + usize::from(self.is_array)
    }

    /// Components of a size; the faces of a cube are squares.
    pub(super) fn sides(self) -> usize {
        self.components() - usize::from(self.dimension == Dim::DimCube)
    }
}

/// The address space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The module's own memory; number of the variable.
    Own(usize),
    /// The module's own memory, by a computed address.
    Pointed,
    /// A block, by number.
    Block(usize),
    /// A buffer, by number.
    Buffer(usize),
    /// A memory that invocations of a compute shader write, by number of the resource.
    Memory(usize),
    /// A variable of the workgroup, by number.
    Shared(usize),
}

impl Space {
    /// True if decorations in the module determine the layout of values.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Block(_) | Self::Buffer(_) | Self::Memory(_))
    }

    /// True for memory that other invocations write, too.
    pub(super) fn is_written_by_others(self) -> bool {
        matches!(self, Self::Memory(_) | Self::Shared(_))
    }
}

/// Layout of a matrix in memory, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatrixLayout {
    /// Stride of columns; 0 if undecorated.
    pub(super) column: usize,
    /// Stride of components in a column; 0 if undecorated.
    pub(super) row: usize,
}

/// Place of a value in a space, in words.
#[derive(Clone, Debug)]
pub(super) struct MemoryRegion {
    pub(super) space: Space,
    /// Place of a base address, which is added.
    pub(super) base: Option<usize>,
    pub(super) at: usize,
    /// Dynamic indices, which are added.
    pub(super) indices: Vec<Index>,
    pub(super) kind: ValueType,
    /// Layout of a matrix, of an array of matrices, or of a column.
    pub(super) layout: MatrixLayout,
}

impl MemoryRegion {
    /// All of a space, which holds one value.
    pub(super) fn of(space: Space, kind: ValueType) -> Self {
        let layout = MatrixLayout::default();
        Self { space, base: None, at: 0, indices: Vec::new(), kind, layout }
    }
}

/// A dynamic index: its place in memory, its exclusive upper bound, and its stride in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub(super) value: usize,
    /// [`ELEMENTS`] for a buffer, whose length the bound data determine.
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) is_signed: bool,
}

/// Bound of an index into a runtime array.
pub(super) const ELEMENTS: usize = usize::MAX;

/// Meaning of an id.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Type(SpirvType),
    /// A value and the place of its words in memory.
    Value(ValueType, usize),
    /// A pointer, with the id of its type.
    Pointer(u32, MemoryRegion),
    /// A pointer to the buffer `number`; `block` is the id of its block's type.
    Buffer {
        block: u32,
        number: usize,
    },
    /// A texture, a sampler, or a pointer to one. The texture's number is stored at `place`, the sampler's at
    /// `sampler`; what there is not has any.
    Opaque {
        of: OpaqueType,
        is_pointer: bool,
        place: usize,
        sampler: usize,
    },
    /// A pointer to `count` of them, which are numbered in order; the numbers stored are those of the first.
    Opaques {
        of: OpaqueType,
        count: usize,
        place: usize,
        sampler: usize,
    },
    Label,
    /// A function, by index of its signature.
    Function(usize),
    /// The instruction set GLSL.std.450.
    Glsl,
    /// An instruction set without effect.
    NonSemantic,
    /// The instruction set whose messages an observer sees.
    DebugPrintf,
    /// The instruction set for debug information, and a source file in it.
    DebugInfo,
    DebugFile,
    /// The result of a function without one.
    Nothing,
    /// An id defined in another function.
    Elsewhere,
    String(Rc<str>),
}

/// A place in memory that holds zero.
pub(super) const ZERO: usize = 0;

/// Limits in words: of a structure or array, and of all values together.
pub(super) const MAX_AGGREGATE: usize = 1 << 20;
const MAX_WORDS: usize = 1 << 26;

/// The ids defined so far, and the memory of their values.
#[derive(Debug)]
pub(super) struct Ids {
    entities: FxHashMap<u32, Entity>,
    pub(super) words: usize,
    /// Ids of the function that is being read.
    locals: Vec<u32>,
    /// Unsupported declarations, with the errors that their uses report.
    refused: FxHashMap<u32, LoadError>,
    undefined: Undefined,
}

impl Ids {
    /// No ids yet.
    pub(super) fn new(undefined: Undefined) -> Self {
        Self {
            entities: FxHashMap::default(),
            // The first place holds zero.
            words: ZERO + 1,
            locals: Vec::new(),
            refused: FxHashMap::default(),
            undefined,
        }
    }

    pub(super) fn get(&self, id: u32) -> Option<&Entity> {
        self.entities.get(&id)
    }

    /// Defines an id.
    pub(super) fn define(
        &mut self,
        instruction: &Instruction<'_>,
        id: u32,
        entity: Entity,
    ) -> Result<(), LoadError> {
        // The first definition stays: some errors here are discarded later.
        if id == 0 || self.entities.contains_key(&id) {
            return Err(instruction.malformed(format!("%{id} is zero or defined twice")));
        }
        self.entities.insert(id, entity);
        self.locals.push(id);
        Ok(())
    }

    /// Begins a function, whose ids are local.
    pub(super) fn open(&mut self) {
        self.locals.clear();
    }

    /// Ends a function.
    pub(super) fn close(&mut self) {
        for id in self.locals.drain(..) {
            self.entities.insert(id, Entity::Elsewhere);
        }
    }

    /// Records a declaration that cannot be executed.
    pub(super) fn refuse(&mut self, id: u32, error: LoadError) {
        self.refused.entry(id).or_insert(error);
    }

    /// The reason why an instruction cannot be executed: an unsupported declaration that it uses, or
    /// else `error`.
    pub(super) fn reason(&self, instruction: &Instruction<'_>, error: LoadError) -> LoadError {
        let mut used = instruction.operands.iter();
        used.find_map(|id| self.refused.get(id)).cloned().unwrap_or(error)
    }

    /// Allocates memory for a value.
    pub(super) fn allocate(&mut self, kind: ValueType) -> usize {
        // An empty value has a place, too, which marks it as defined.
        let words = kind.words().max(1);
        self.words += words;
        self.words - words
    }

    /// True if the values exceed the memory limit.
    pub(super) fn is_full(&self) -> bool {
        self.words > MAX_WORDS
    }

    /// The type with that id.
    pub(super) fn ty(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
    ) -> Result<&SpirvType, LoadError> {
        match self.get(id) {
            Some(Entity::Type(ty)) => Ok(ty),
            _ => Err(instruction.malformed(format!("%{id} is no type"))),
        }
    }

    /// The value type with that id.
    pub(super) fn kind(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
    ) -> Result<ValueType, LoadError> {
        match self.ty(instruction, id)? {
            SpirvType::Value(kind) => Ok(*kind),
            SpirvType::Struct(_, words) => Ok(ValueType::aggregate(id, *words)),
            SpirvType::Array(element, count) => {
                Ok(ValueType::aggregate(id, element.words() * count))
            }
            _ => Err(instruction.malformed(format!("%{id} is no type of a value"))),
        }
    }

    /// Type and offset in words of a part of a value.
    pub(super) fn part(&self, kind: ValueType, index: usize) -> Option<(ValueType, usize)> {
        let Some(aggregate) = kind.aggregate else {
            let (part, count) = kind.part()?;
            return (index < count).then(|| (part, index * part.words()));
        };
        match self.get(aggregate.ty) {
            Some(Entity::Type(SpirvType::Struct(members, _))) => {
                members.get(index).map(|&(kind, before)| (kind, before))
            }
            Some(&Entity::Type(SpirvType::Array(element, count))) => {
                (index < count).then(|| (element, index * element.words()))
            }
            _ => None,
        }
    }

    /// Number of parts of a value.
    pub(super) fn parts(&self, kind: ValueType) -> usize {
        match kind.aggregate.and_then(|aggregate| self.get(aggregate.ty)) {
            Some(Entity::Type(SpirvType::Struct(members, _))) => members.len(),
            Some(&Entity::Type(SpirvType::Array(_, count))) => count,
            _ => kind.part().map_or(0, |(_, count)| count),
        }
    }

    /// Type and place of a value.
    pub(super) fn value(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
    ) -> Result<(ValueType, usize), LoadError> {
        match self.get(id) {
            Some(&Entity::Value(kind, at)) => Ok((kind, at)),
            _ => Err(instruction.malformed(format!("%{id} is no value"))),
        }
    }

    /// The place of a value of type `wanted`; with [`Undefined::Total`], integers of either signedness
    /// match.
    pub(super) fn value_of(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
        wanted: ValueType,
    ) -> Result<usize, LoadError> {
        let (kind, at) = self.value(instruction, id)?;
        // naga writes uint vector constants with int parts.
        let is_like = kind.scalar.is_integer()
            && wanted.scalar.is_integer()
            && kind.of(wanted.scalar) == wanted
            && self.undefined == Undefined::Total;
        if kind == wanted || is_like {
            return Ok(at);
        }
        Err(instruction.malformed(format!("%{id} is of another type")))
    }
}
