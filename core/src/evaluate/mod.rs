//! The core evaluator: the semantics of a scheduled program, as plain code.
//!
//! It is the oracle for the backends: short, obvious, one pixel at a time.

mod constant;
mod evaluator;
mod fault;
mod observer;

pub use constant::constant;
pub use evaluator::Evaluator;
pub use fault::{EvaluationFault, loop_limit_diagnostic};
pub use observer::{Evaluated, Observer};
