//! Name resolution: from the syntax tree to code in which every name says what it denotes and every
//! special form has been recognised and checked for its shape.
//!
//! Special forms are ordinary identifiers that can be renamed and shadowed, so what a list means
//! depends on the scope; here that is settled once. `define (f …)` and `let*` are rewritten, and
//! names mean nothing any more: a local is addressed by the level of its scope and its index there.
//! They stay with what binds them, for debuggers.
//!
//! Each piece of code also gets a *key* — equal keys mean equal code, positions aside — and the set
//! of locals that it uses, or, where they are many, the scopes that these are of. Together with what those locals denote they identify a closure or an
//! argument, which is what elaboration remembers its results by.
//!
//! Resolution is iterative: its stack is a vector, not the machine's.

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
pub(crate) use items::{GlobalValue, Items, UniformItem, resolve};
