//! Values, variables and their parts, and what names mean.

use crate::const_eval::Constant;
use crate::token::Name;
use crate::types::{Access, Space, Type};

/// A value: an id, or a constant, which gets one when it is needed.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Type,
    /// 0 for a constant.
    pub(super) id: u32,
    pub(super) constant: Option<Constant>,
}

impl Value {
    pub(super) fn new(ty: Type, id: u32) -> Self {
        Self { ty, id, constant: None }
    }

    pub(super) fn constant(ty: Type, constant: Constant) -> Self {
        Self { ty, id: 0, constant: Some(constant) }
    }
}

/// An index into a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Index {
    pub(super) id: u32,
    /// The type of an index that the running program computes.
    pub(super) dynamic: Option<Type>,
}

/// A variable, or a part of it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The variable, or the parameter that points to one.
    pub(super) root: u32,
    pub(super) space: Space,
    pub(super) access: Access,
    pub(super) chain: Vec<Index>,
    pub(super) ty: Type,
    /// The number of the member in the block, for an array that is as long as the buffer.
    pub(super) member: u32,
    /// A pointer to the part that the first indices choose, if there is one: its id, and the number of these indices.
    pub(super) known: Option<(u32, usize)>,
}

impl Place {
    /// A whole variable.
    pub(super) fn whole(root: u32, space: Space, access: Access, ty: Type) -> Self {
        Self { root, space, access, chain: Vec::new(), ty, member: 0, known: None }
    }
}

/// The kinds of types whose parameters may be inferred from arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generator {
    Vector(u8),
    Matrix(u8, u8),
    Array,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Value(Value),
    /// A reference to memory, or a texture or sampler.
    Place(Place),
    /// A pointer to a place.
    Pointer(Place),
    Type(Type),
    Generator(Generator),
    /// A function of the program, by its number.
    Function(usize),
    /// A function of the language, with the type of its template list.
    Builtin(Name, Option<Type>),
    /// A word that only template lists take: an address space, an access, a format.
    Word(Name),
    /// Something that was reported.
    Error,
}

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Value(Value),
    Place(Place),
    Pointer(Place),
    Type(Type),
    Function(usize),
    /// A `continue` before the declaration may have passed over it.
    Bypassed,
    /// Something that was reported.
    Error,
}
