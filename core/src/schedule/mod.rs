//! The schedule: a place for every node of the core, as nested blocks of `let`, `if` and `loop`.
//!
//! The graph says what is computed, lazily; a [`Program`] says where, strictly: its statements are
//! executed in order. This is Schneider's IL with structure: read as a functional program, blocks
//! bind names and end in a value or a tail call of their loop; read as an imperative one, they are
//! SSA with block parameters. Evaluators and backends work on it.
//!
//! # Placement
//!
//! *Regions* are the program, the arms of each `if` and the body of each loop; they form a tree.
//!
//! 1. What might not end — loops, and `if`s around them — is *pinned*: it runs exactly where
//!    substitution would have run it ([`demand`]). Needed in one region, it is placed there. Needed
//!    in several, it is placed in their common ancestor, under a guard: the disjunction of the
//!    conditions on the ways down. A guard is an ordinary `if`. Where the guard itself would depend
//!    on the node (a condition that needs it in some cases), or on a parameter of a loop that lies
//!    between, the node is copied.
//! 2. All else *floats* ([`place`]): out of every loop that it does not depend on,
//!    and otherwise down to the deepest region that holds all its uses. So work sinks into the arm
//!    that alone needs it, and leaves an arm only together with a loop.
//!
//! # Invariants (checked by [`verify()`])
//!
//! - Each value is defined once, by a statement of a block that encloses (or is) the block of its
//!   use, before it; parameters of a loop in its body only.
//! - Types are those of [`crate::op::Op::result_type`]; the arms of an `if` yield the type of its
//!   value; a loop's yields have the type of its value; initial values and the arguments of
//!   every [`End::Rec`] have the types of the parameters.
//! - [`End::If`] and [`End::Rec`] stand in tails of loop bodies only; arms of an [`Statement::If`]
//!   and the root end in [`End::Yield`]. Each loop has at least one `Rec` and one `Yield`.
//! - Blocks form a tree: each is referred to once.

mod demand;
mod emit;
mod place;
mod places;
mod program;
mod regions;
mod verify;
mod walk;

use crate::diagnostics::Diagnostic;
use crate::graph::Core;

pub use places::Places;
pub use program::{Block, BlockId, End, Expr, Program, Statement, ValueId, ValueInfo};
pub use verify::{VerifyError, verify};
pub use walk::{BlockRole, Event, Walk};

/// Finds a place for what the outputs at `locations` need (which the program must have), and for
/// nothing else: an output that is not asked for is not evaluated. The program's outputs are in the order of their
/// declarations.
pub fn schedule(core: &Core, locations: &[u32]) -> Result<Program, Diagnostic> {
    let outputs: Vec<_> = core
        .outputs
        .iter()
        .filter(|output| locations.contains(&output.location))
        .map(|output| (output.location, output.node))
        .collect();
    let mut placed = demand::pin(core.graph.clone(), outputs.iter().map(|&(_, node)| node))?;
    place::place(&mut placed);
    let locations = outputs.iter().map(|&(location, _)| location).collect();
    let program = emit::emit(&placed, locations, core.uniforms.clone(), core.discard)?;
    if cfg!(debug_assertions)
        && let Err(errors) = verify(&program)
    {
        panic!("the schedule is malformed: {errors:?}");
    }
    Ok(program)
}
