//! Types, and what ids stand for.

use super::binary::Instruction;
use super::error::LoadError;
use super::options::Undefined;
use rspirv::spirv::StorageClass;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The type of a component. Each takes a word; a bool is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    Bool,
    Float,
    /// With a sign.
    Int,
    /// Without.
    Uint,
    /// A float of 64 bits, and an integer of so many without sign: scalars of two words.
    Double,
    Long,
    /// Of several types, or none: of structures and arrays.
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

/// A structure or an array: the id of its type, and how many words it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aggregate {
    pub(super) ty: u32,
    pub(super) words: usize,
}

impl ValueType {
    pub(super) fn scalar(scalar: ComponentType) -> Self {
        Self { scalar, rows: 1, columns: 1, aggregate: None }
    }

    /// That of a vector of numbers.
    pub(super) fn numbers(rows: u8) -> Self {
        Self { rows, ..Self::scalar(ComponentType::Float) }
    }

    fn aggregate(ty: u32, words: usize) -> Self {
        let aggregate = Some(Aggregate { ty, words });
        Self { aggregate, ..Self::scalar(ComponentType::Various) }
    }

    /// How many words it takes.
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

    /// The type of a part of it (a column, or a component), and how many there are; none of a
    /// structure or array.
    pub(super) fn part(self) -> Option<(Self, usize)> {
        match (self.columns, self.rows) {
            (1, 1) => None,
            (1, rows) => Some((Self::scalar(self.scalar), rows.into())),
            (columns, _) => Some((Self { columns: 1, ..self }, columns.into())),
        }
    }

    /// The same shape of another scalar.
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
    /// The kinds of the members, and how many words lie before each; and how many there are.
    Struct(Rc<[(ValueType, usize)]>, usize),
    /// The kind of the elements, and how many there are.
    Array(ValueType, usize),
    /// So many elements as there are: their kind.
    RuntimeArray(ValueType),
    /// A block of such an array alone, of that id.
    Buffer(u32),
    Pointer(StorageClass, u32),
    /// A texture, a sampler, or both.
    Opaque(OpaqueType),
}

/// What has no words of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpaqueType {
    /// A 2D image of floats.
    Image,
    Sampler,
    /// Such an image with a sampler.
    SampledImage,
}

/// The memory in which a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The variable of that number, in the memory of the module's own ones.
    Own(usize),
    /// The same memory, by an address that is computed.
    Pointed,
    /// The block of that number.
    Block(usize),
    /// The buffer of that number.
    Buffer(usize),
}

impl Space {
    /// Whether a module says how values lie there.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Block(_) | Self::Buffer(_))
    }
}

/// How matrices lie in memory, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatrixLayout {
    /// From one column to the next; 0 if nothing is said.
    pub(super) column: usize,
    /// From one component of a column to the next; 0 if nothing is said.
    pub(super) row: usize,
}

/// Where a value lies in a space, in words.
#[derive(Clone, Debug)]
pub(super) struct MemoryRegion {
    pub(super) space: Space,
    /// Where the address lies in memory that is to be added.
    pub(super) base: Option<usize>,
    pub(super) at: usize,
    /// What is added for indices that are computed.
    pub(super) indices: Vec<Index>,
    pub(super) kind: ValueType,
    /// Of a matrix, of an array of such, or of a column.
    pub(super) layout: MatrixLayout,
}

/// An index that is computed: where it lies in memory, below what it must be, and how many words it
/// counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub(super) value: usize,
    /// [`ELEMENTS`] of a buffer that is as long as what is bound.
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) is_signed: bool,
}

/// As many as there are.
pub(super) const ELEMENTS: usize = usize::MAX;

/// What an id stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Type(SpirvType),
    /// A value; its words lie there in memory.
    Value(ValueType, usize),
    /// A pointer of that type.
    Pointer(u32, MemoryRegion),
    /// A pointer to the buffer of that number, whose block is of that type.
    Buffer {
        block: u32,
        number: usize,
    },
    /// A texture or a sampler, or a pointer to it; its number lies there in memory.
    Opaque {
        of: OpaqueType,
        is_pointer: bool,
        place: usize,
    },
    Label,
    /// The function with that signature.
    Function(usize),
    /// The instruction set GLSL.std.450.
    Glsl,
    /// One whose instructions do nothing.
    NonSemantic,
    /// The one of these that says where things come from, and a file of it.
    DebugInfo,
    DebugFile,
    /// The result of a function that has none.
    Nothing,
    /// What was defined in another function.
    Elsewhere,
    String(Rc<str>),
}

/// Where a zero lies in memory.
pub(super) const ZERO: usize = 0;

/// How many words a structure or an array may have, and how many all values.
pub(super) const MAX_AGGREGATE: usize = 1 << 20;
const MAX_WORDS: usize = 1 << 26;

/// The ids that are defined so far, and the memory that their values take.
#[derive(Debug)]
pub(super) struct Ids {
    entities: FxHashMap<u32, Entity>,
    pub(super) words: usize,
    /// The ids of the function that is being read.
    locals: Vec<u32>,
    /// Declarations that cannot be executed, and why: errors where they are used.
    refused: FxHashMap<u32, LoadError>,
    undefined: Undefined,
}

impl Ids {
    /// Without any.
    pub(super) fn new(undefined: Undefined) -> Self {
        Self {
            entities: FxHashMap::default(),
            // The first one is zero.
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
        // What is defined stays as it is: some errors here are none in the end.
        if id == 0 || self.entities.contains_key(&id) {
            return Err(instruction.malformed(format!("%{id} cannot be defined here, or again")));
        }
        self.entities.insert(id, entity);
        self.locals.push(id);
        Ok(())
    }

    /// Says that a function begins, whose ids are its own.
    pub(super) fn open(&mut self) {
        self.locals.clear();
    }

    /// Says that it ends.
    pub(super) fn close(&mut self) {
        for id in self.locals.drain(..) {
            self.entities.insert(id, Entity::Elsewhere);
        }
    }

    /// Remembers that a declaration cannot be executed.
    pub(super) fn refuse(&mut self, id: u32, error: LoadError) {
        self.refused.entry(id).or_insert(error);
    }

    /// Why an instruction cannot be executed: because of what it uses, or for that reason.
    pub(super) fn reason(&self, instruction: &Instruction<'_>, error: LoadError) -> LoadError {
        let mut used = instruction.operands.iter();
        used.find_map(|id| self.refused.get(id)).cloned().unwrap_or(error)
    }

    /// Takes memory for a value.
    pub(super) fn allocate(&mut self, kind: ValueType) -> usize {
        // What has no words has a place all the same, which says whether it is defined.
        let words = kind.words().max(1);
        self.words += words;
        self.words - words
    }

    /// Whether the values take more memory than there is.
    pub(super) fn is_full(&self) -> bool {
        self.words > MAX_WORDS
    }

    /// The type of that id.
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

    /// The type of a value.
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
            _ => Err(instruction.malformed(format!("%{id} is no type of values"))),
        }
    }

    /// A part of a value of that type, and how many words lie before it.
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

    /// How many parts a value of that type has.
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

    /// The place of a value, which must have that type; where all is defined, up to signs of integers.
    pub(super) fn value_of(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
        wanted: ValueType,
    ) -> Result<usize, LoadError> {
        let (kind, at) = self.value(instruction, id)?;
        // naga writes constants of vectors of uints with ints as parts.
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
