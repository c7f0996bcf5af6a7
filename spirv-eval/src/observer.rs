//! Observation of a pixel's execution: named values, conditions, calls and loops, by the names and lines of the module.
//!
//! The observer `()` compiles away. Events of a module without names and lines have none.

use super::code::Position;
use std::sync::Arc;

/// An observer of a pixel's execution.
pub trait Observer {
    /// False for `()`, whose hooks compile away.
    const IS_ACTIVE: bool = true;

    /// Called for each event, in the order of execution.
    fn event(&mut self, position: Option<Position>, event: ModuleEvent);
}

/// Observes nothing; the hooks compile away.
impl Observer for () {
    const IS_ACTIVE: bool = false;

    #[inline]
    fn event(&mut self, _: Option<Position>, _: ModuleEvent) {}
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleEvent {
    /// A named id was computed, or a named variable was stored. A structure or array of which a part was stored is named
    /// with the path of the part.
    Binding {
        /// The name.
        name: Arc<str>,
        /// The value.
        value: ModuleValue,
    },
    /// An input of the stage, or a uniform, was read.
    Input {
        /// The name; of a member of a block, its path in the block.
        name: Arc<str>,
        /// The value.
        value: ModuleValue,
    },
    /// A named parameter of the current function got its value.
    Argument {
        /// The name.
        name: Arc<str>,
        /// The value.
        value: ModuleValue,
    },
    /// The author's message, by DebugPrintf.
    Printed {
        /// The format, as `printf` has it.
        format: Arc<str>,
        /// Its arguments.
        arguments: Vec<Printed>,
    },
    /// A conditional branch or a switch was decided.
    Condition {
        /// The condition or selector.
        value: ModuleValue,
        /// Position of the first line of the block that is executed next.
        arm: Option<Position>,
    },
    /// A call begins.
    Call {
        /// Name of the function.
        name: Option<Arc<str>>,
    },
    /// The innermost call ends, with its loops.
    Return(Option<ModuleValue>),
    /// A loop begins.
    Loop,
    /// A round of the innermost loop begins.
    Round,
    /// The innermost loop ends.
    EndLoop,
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// A value.
    Value(ModuleValue),
    /// A string.
    Text(Arc<str>),
}

/// Kind of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleScalar {
    /// A bool: 0 or 1.
    Bool,
    /// A float of 32 bits.
    Float,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// A float of 64 bits: two words, the low one first.
    Double,
    /// An unsigned integer of 64 bits: two words, the low one first.
    Long,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum ModuleValue {
    /// `columns` vectors of `rows` components.
    Words {
        /// Kind of the components.
        scalar: ModuleScalar,
        /// Components of a column.
        rows: u8,
        /// Columns; 1 for scalars and vectors.
        columns: u8,
        /// The words.
        words: Box<[u32]>,
    },
    /// A structure or an array.
    Parts {
        /// Name of the structure, if it has one; `None` for an array.
        name: Option<Arc<str>>,
        /// The first parts, with the names of members.
        parts: Vec<(Option<Arc<str>>, ModuleValue)>,
        /// Number of further parts.
        more: usize,
    },
}
