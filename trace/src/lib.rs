//! The trace of a pixel, or of another unit: the values, conditions, calls and loops of its evaluation.
//!
//! # Events
//!
//! An evaluator with an observer sends [`Event`]s to a [`Sink`]. They are the same for all languages:
//!
//! | event | is |
//! |---|---|
//! | [`EventKind::Binding`] | a name got a value |
//! | [`EventKind::Condition`] | a decision: its value, and the place where the evaluation goes on |
//! | [`EventKind::Open`] | a scope begins: a call, a loop, or a round of a loop |
//! | [`EventKind::Argument`] | a parameter of a call or a round got a value |
//! | [`EventKind::Message`] | the value of a `probe`, or the text of a `printf` |
//! | [`EventKind::Close`] | a scope ends, with its result |
//!
//! Each event names its scope by a number; 0 is the unit. An evaluator by need computes the argument of a call, or the
//! value of a `let`, in the middle of another function: the event names the scope in which the author wrote the
//! expression. So scopes are a tree of the text's own shape, whatever the order of evaluation.
//!
//! The evaluators are those that check the engines: the source evaluator for λV, the evaluator of SPIR-V for GLSL, WGSL
//! and modules. Values are their exact bits. Without an observer their hooks compile away. The engine translates from
//! their own events; this crate knows no language, evaluator or file.
//!
//! # Tree
//!
//! [`Recorder`] is the sink that keeps events. A loop may have millions of rounds, so the number of kept events is
//! limited: middle rounds are dropped, never the first or the last two. The last round is the deciding one: its condition
//! ended the loop. [`Trace`] is the finished tree, an arena: nothing here recurses on its depth.
//!
//! [`Messages`] is the sink of `--probe`: it keeps the author's messages in their order, and nothing else.
//!
//! # Forms
//!
//! - [`Trace::text`]: about a screen, backwards from the output, nearest first: the dynamic slice of the output. An
//!   evaluation by need computes nothing but the needs of its result. Other evaluators give the slice by the numbers of
//!   events.
//! - [`Trace::json`]: all kept events, in the order of the text; `docs/debugging.md` documents the members.
//! - [`Trace::page`]: the same in HTML: values beside the lines, a slider for the rounds of each loop.
//!
//! [`Condition`] is the condition of `--break`, which a [`Watch`] tests at each binding. [`NamedValues`] compares the values
//! of two evaluators.
#![forbid(unsafe_code)]

mod condition;
mod event;
mod json;
mod messages;
mod page;
mod printf;
mod recorder;
mod subject;
mod text;
mod tree;
mod values;

pub use condition::{Condition, ConditionError, Watch};
pub use event::{Event, EventKind, PIXEL, Place, Scalar, ScopeKind, Sink, Value};
pub use messages::Messages;
pub use page::Page;
pub use printf::{Argument, printf};
pub use recorder::Recorder;
pub use subject::{Against, Subject, Unit};
pub use tree::{Item, ItemKind, Scope, Trace};
pub use values::{Comparison, Difference, NamedValues};
