//! Name resolution: compiles the syntax tree to code in which every name is replaced by its denotation, and
//! every special form has been recognised and its shape checked.
//!
//! Special forms are ordinary identifiers that can be renamed and shadowed, so the meaning of a list depends
//! on its scope. Resolution settles it once. `define (f …)` and `let*` are rewritten. Names have no meaning
//! any more: a local is addressed by the level of its scope and its index there. The names stay with their
//! bindings, for debuggers.
//!
//! Each piece of code also gets a *key* (equal keys mean equal code, positions aside) and the set of its free
//! locals or, if they are many, the scopes of these locals. Key and values of the free locals together
//! identify a closure or an argument; they are the memo key of elaboration.
//!
//! Resolution does not recurse: its stack is on the heap.

mod cases;
mod code;
mod declarations;
mod declared;
mod elsewhere;
mod expressions;
mod forms;
mod items;
mod lints;
mod names;
mod resolver;

pub(crate) use code::{Case, Code, CodeArena, CodeId, Free, Key, Local, Parameter};
pub(crate) use declarations::too_large;
pub(crate) use declared::{Annotation, Declarations, FieldName, Former, StructureIndex};
pub(crate) use expressions::resolve_expansion;
pub(crate) use items::{
    GlobalValue, Items, Pass, PassSize, ResultItem, ResultLength, UniformItem, VaryingItem,
    WriteIndex, WriteItem, resolve,
};
