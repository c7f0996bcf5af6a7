//! The core evaluator: the semantics of a scheduled program, as plain code.
//!
//! It is the oracle for the backends: short, obvious, one pixel at a time. A compute program is run by a [`Dispatch`], one
//! invocation at a time.

mod constant;
mod dispatch;
mod evaluator;
mod fault;
mod memory;
mod observer;

pub use constant::constant;
pub use dispatch::{Dispatch, DispatchFault, has_barrier, needs_whole_workgroups};
pub use evaluator::{Evaluator, Invocation};
pub use fault::{EvaluationFault, loop_limit_diagnostic};
pub use memory::Memory;
pub use observer::{Evaluated, Observer};
