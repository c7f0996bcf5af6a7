//! What is known of a function before it is raised: predecessors, loops, and which variables matter.
//!
//! A *root* is what a pointer goes back to: a parameter of the function, a variable of its own, or one
//! of the module that is written (Private or Output). Functions that call one another in a circle are
//! refused.

mod analysis;
mod facts;
mod liveness;
mod loops;
mod roots;
mod sets;

pub(crate) use analysis::analyse;
pub(crate) use facts::FunctionFacts;
