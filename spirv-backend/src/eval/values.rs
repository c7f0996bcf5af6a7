//! Types, and what ids stand for.

use super::binary::Instruction;
use super::error::LoadError;
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
}

impl ComponentType {
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint)
    }
}

/// The type of a value: `columns` vectors of `rows` components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueType {
    pub(super) scalar: ComponentType,
    pub(super) rows: u8,
    pub(super) columns: u8,
}

impl ValueType {
    pub(super) fn scalar(scalar: ComponentType) -> Self {
        Self { scalar, rows: 1, columns: 1 }
    }

    /// How many words it takes.
    pub(super) fn words(self) -> usize {
        usize::from(self.rows) * usize::from(self.columns)
    }

    pub(super) fn is_scalar(self) -> bool {
        self.words() == 1
    }

    pub(super) fn is_matrix(self) -> bool {
        self.columns > 1
    }

    /// The type of a part of it (a column, or a component), and how many there are.
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
    /// A function without parameters and result.
    Main,
    Value(ValueType),
    /// The ids of the members' types.
    Struct(Rc<[u32]>),
    Pointer(StorageClass, u32),
}

/// The memory in which a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    FragCoord,
    PushConstants,
    Uniforms,
    Outputs,
}

/// Where a value lies in a space, in words; of a matrix, where its first column lies, and how far
/// the next is.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryRegion {
    pub(super) space: Space,
    pub(super) at: usize,
    pub(super) kind: ValueType,
    pub(super) stride: usize,
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(super) enum Pointee {
    Value(MemoryRegion),
    /// The block of that type, which begins at the beginning of its space.
    Block(Space, u32),
}

/// What an id stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Type(SpirvType),
    /// A value; its words lie there in memory.
    Value(ValueType, usize),
    /// A pointer of that type.
    Pointer(u32, Pointee),
    Label,
    Function,
    /// The instruction set GLSL.std.450.
    Glsl,
    String(Rc<str>),
}

/// The ids that are defined so far, and the memory that their values take.
#[derive(Debug, Default)]
pub(super) struct Ids {
    entities: FxHashMap<u32, Entity>,
    pub(super) words: usize,
}

impl Ids {
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
        match self.entities.insert(id, entity) {
            None if id != 0 => Ok(()),
            _ => Err(instruction.malformed(format!("%{id} cannot be defined here, or again"))),
        }
    }

    /// Takes memory for a value.
    pub(super) fn allocate(&mut self, kind: ValueType) -> usize {
        self.words += kind.words();
        self.words - kind.words()
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
            _ => Err(instruction.malformed(format!("%{id} is no type of values"))),
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

    /// The place of a value, which must have that type.
    pub(super) fn value_of(
        &self,
        instruction: &Instruction<'_>,
        id: u32,
        wanted: ValueType,
    ) -> Result<usize, LoadError> {
        let (kind, at) = self.value(instruction, id)?;
        if kind == wanted {
            return Ok(at);
        }
        Err(instruction.malformed(format!("%{id} is of another type")))
    }
}
