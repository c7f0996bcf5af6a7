//! Violations of the invariants listed in [`super`].

use super::program::{BlockId, Program, ValueId};
use crate::source::Span;
use std::fmt;

/// A violated invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// A block uses a value that is not defined before it.
    Undefined {
        /// The block.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A value is defined twice.
    Redefined {
        /// The block of the second definition.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A value has another type than its definition says, or an operation is not defined on its operands.
    Type {
        /// The block of the definition.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A condition is not a `bool`.
    Condition {
        /// The block that ends or contains the `if`.
        block: BlockId,
        /// The condition.
        value: ValueId,
    },
    /// The kind of a block's end is not allowed in its context, or it has the wrong number or types of
    /// values.
    End {
        /// The block.
        block: BlockId,
    },
    /// A loop has no `rec`, or no exit.
    Loop {
        /// Its body.
        block: BlockId,
    },
    /// A block is referred to twice, or not at all, or does not exist.
    Tree {
        /// The block.
        block: BlockId,
    },
    /// A value with a state that is not the current one of its memory, where it is accessed or passed on.
    StaleState {
        /// The block.
        block: BlockId,
        /// The value.
        value: ValueId,
    },
    /// A barrier that does not take all memories of the program, in the order of their numbers.
    Barrier {
        /// The block.
        block: BlockId,
        /// Its value.
        value: ValueId,
    },
    /// A uniform, a constant or the list of outputs does not fit its declaration.
    Interface {
        /// The block.
        block: BlockId,
    },
}

impl VerifyError {
    /// The position in the source of the value at fault; the default if the fault is a block's.
    pub(super) fn span(&self, program: &Program) -> Span {
        match *self {
            Self::StaleState { value, .. } | Self::Barrier { value, .. } => {
                program.values[value.index()].span
            }
            _ => Span::default(),
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined { block, value } => {
                write!(f, "block {} uses %{} which is not defined before", block.0, value.0)
            }
            Self::Redefined { block, value } => {
                write!(f, "block {} defines %{} a second time", block.0, value.0)
            }
            Self::Type { block, value } => {
                write!(f, "%{} in block {} is ill-typed", value.0, block.0)
            }
            Self::Condition { block, value } => {
                write!(f, "the condition %{} in block {} is no bool", value.0, block.0)
            }
            Self::End { block } => write!(f, "block {} ends wrongly", block.0),
            Self::Loop { block } => {
                write!(f, "the loop with body {} lacks a rec or a way out", block.0)
            }
            Self::Tree { block } => {
                write!(f, "block {} is not referred to exactly once", block.0)
            }
            Self::StaleState { block, value } => {
                write!(f, "%{} in block {} is not the current state of a memory", value.0, block.0)
            }
            Self::Barrier { block, value } => {
                write!(f, "the barrier %{} in block {} leaves out a memory", value.0, block.0)
            }
            Self::Interface { block } => {
                write!(f, "block {} does not fit the declared interface", block.0)
            }
        }
    }
}
