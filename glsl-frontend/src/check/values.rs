//! Values, variables and constants during the check.

use crate::syntax::tree::{Mark, Qualifiers};
use crate::token::Name;
use crate::types::{Scalar, Type};
use lambdav_core::source::Span;
use rspirv::spirv::StorageClass;
use std::rc::Rc;

/// A constant, known while the text is compiled.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// The bits of a scalar of 32 bits; a bool is 0 or 1.
    Scalar(Scalar, u32),
    /// The parts of a vector, matrix (columns), array or structure.
    Composite(Vec<Constant>),
}

/// A value: an id, a constant, or both for one that specialisation may change.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Type,
    /// 0 if it is a constant without an id.
    pub(super) id: u32,
    pub(super) constant: Option<Rc<Constant>>,
}

impl Value {
    pub(super) fn new(ty: Type, id: u32) -> Self {
        Self { ty, id, constant: None }
    }

    pub(super) fn constant(ty: Type, constant: Constant) -> Self {
        Self { ty, id: 0, constant: Some(Rc::new(constant)) }
    }

    /// The bits of a scalar constant.
    pub(super) fn bits(&self) -> Option<u32> {
        match self.constant.as_deref()? {
            Constant::Scalar(_, bits) => Some(*bits),
            Constant::Composite(_) => None,
        }
    }
}

/// How data lie in the memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Layout {
    pub(super) rules: Rules,
    pub(super) row_major: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rules {
    Std140,
    Std430,
    Scalar,
}

/// A variable or a part of it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) pointer: u32,
    pub(super) class: StorageClass,
    /// Indices into it.
    pub(super) chain: Vec<u32>,
    /// The type of the whole part, before the swizzle.
    pub(super) whole: Type,
    /// The components of a vector that are meant.
    pub(super) swizzle: Option<Vec<u8>>,
    /// The type of what is meant.
    pub(super) ty: Type,
    pub(super) layout: Option<Layout>,
    /// Why it cannot be written.
    pub(super) constant: Option<&'static str>,
    /// The qualifiers of an image.
    pub(super) memory: Memory,
}

/// The memory qualifiers of an image that a call must keep. (It may drop `restrict`.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) read_only: bool,
    pub(super) write_only: bool,
    pub(super) coherent: bool,
    pub(super) volatile: bool,
}

impl Memory {
    /// The memory qualifiers among these.
    pub(super) fn of(qualifiers: &Qualifiers) -> Self {
        Self {
            read_only: qualifiers.marked(Mark::ReadOnly),
            write_only: qualifiers.marked(Mark::WriteOnly),
            coherent: qualifiers.marked(Mark::Coherent),
            volatile: qualifiers.marked(Mark::Volatile),
        }
    }

    /// The first qualifier that a parameter with `other` lacks.
    pub(super) fn lost(self, other: Self) -> Option<&'static str> {
        let all = [
            (self.read_only, other.read_only, "readonly"),
            (self.write_only, other.write_only, "writeonly"),
            (self.coherent, other.coherent, "coherent"),
            (self.volatile, other.volatile, "volatile"),
        ];
        all.into_iter().find(|(own, other, _)| *own && !other).map(|(.., name)| name)
    }
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Value(Value),
    Place(Place),
    /// A block with an instance name whose members are variables of their own, and the name to show.
    Block(usize),
    /// An initialiser list.
    List(Vec<(Operand, Span)>),
    /// A string: a whole argument.
    Text(Name),
    /// Something that was reported.
    Error,
}
