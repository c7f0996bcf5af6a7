//! Analyses of a function before it is raised: predecessors, loops, live variables.
//!
//! A *root* is the origin of a pointer: a parameter of the function, a variable of its own, or a
//! writable variable of the module: a Private or Output one, or a memory. Recursion is refused.

mod analysis;
mod facts;
mod liveness;
mod loops;
mod roots;
mod sets;

pub(crate) use analysis::analyse;
pub(crate) use facts::FunctionFacts;
pub(crate) use roots::is_atomic;
