//! The schedule: a place for every node of the core, as nested blocks of `let`, `if` and `loop`.
//!
//! The graph is lazy; a [`Program`] is strict: its statements are executed in order. This is Schneider's IL
//! with structure. Read as a functional program, blocks bind names and end in a value or a tail call of their
//! loop. Read as an imperative program, they are SSA with block parameters. Evaluators and backends use it.
//!
//! # Placement
//!
//! *Regions* are the program, the arms of each `if` and the body of each loop; they form a tree.
//!
//! 1. A node that might not end (a loop, or an `if` around one) is *pinned*: it runs exactly where
//!    substitution would have run it ([`demand`]). If one region needs it, it is placed there. If several do,
//!    it is placed in their common ancestor, under a guard: the disjunction of the conditions on the paths
//!    down. A guard is an ordinary `if`. If the guard itself would depend on the node (a condition needs the
//!    node in some cases), or on a parameter of a loop in between, the node is copied.
//! 2. All other nodes *float* ([`place`]): out of every loop on which they do not depend, and otherwise down
//!    to the deepest region that contains all uses. So work sinks into the only arm that needs it, and leaves
//!    an arm only together with a loop.
//!
//! 3. An *effect* changes a memory: a store, an atomic operation, a barrier, or an `if` or loop around them. It is pinned in the
//!    common ancestor of the regions that need it, without a guard. A load floats, but stays before the statement that
//!    consumes its state ([`loads`]).
//!
//! Code for processors has no barriers: [`phases`] cuts a program at its own.
//!
//! # Invariants (checked by [`verify()`])
//!
//! - Each value is defined once, by a statement before its use, in the same block or an enclosing one.
//!   Parameters of a loop are defined in its body only.
//! - Types are those of [`crate::op::Op::result_type`]. The arms of an `if` yield the type of its value, and
//!   a loop's yields the type of its value. Initial values and the arguments of every [`End::Rec`] have the
//!   types of the parameters.
//! - [`End::If`] and [`End::Rec`] occur only in tails of loop bodies; arms of an [`Statement::If`] and the
//!   root end in [`End::Yield`]. Each loop has at least one `Rec` and one `Yield`.
//! - Blocks form a tree: each is referred to once.
//! - Each access names the current state of its memory, and each arm, `rec` and yield passes it on ([`states`]).

mod demand;
mod emit;
mod loads;
pub mod phases;
mod place;
mod places;
pub mod probes;
mod program;
mod regions;
mod states;
mod verify;
mod violation;
mod walk;

use crate::diagnostics::Diagnostic;
use crate::graph::{Core, Node, NodeId};
use crate::memory::MemoryOp;
use crate::op::Op;
use std::collections::BTreeSet;

use probes::Form;

pub use places::Places;
pub use program::{Block, BlockId, End, Expr, NO_LOCATION, Program, Statement, ValueId, ValueInfo};
pub use verify::verify;
pub use violation::VerifyError;
pub use walk::{BlockRole, Event, Walk};

/// Schedules the nodes that the final states of these memories need, by their numbers among the resources, and no others.
///
/// An invocation reads the words that others have written. So the final states of all memories that these nodes read are
/// asked for as well, and of those that their nodes read, and so on. The program yields all these states in the order of
/// [`Core::effects`], without locations.
///
/// # Errors
///
/// The diagnostic of an exceeded limit, and LV0601 for a graph that breaks a rule for states ([`crate::memory`]).
pub fn schedule_effects(core: &Core, memories: &[usize]) -> Result<Program, Diagnostic> {
    Ok(probes::without(schedule_effects_probed(core, memories)?))
}

/// [`schedule_effects()`], with its probes.
///
/// # Errors
///
/// Those of [`schedule_effects()`].
pub fn schedule_effects_probed(core: &Core, memories: &[usize]) -> Result<Program, Diagnostic> {
    let graph = &core.graph;
    let memory = |state| graph.types().resource(graph.value_type(state));
    let mut asked: BTreeSet<usize> = memories.iter().copied().collect();
    loop {
        let nodes = core.effects.iter().map(|effect| effect.node);
        let roots: Vec<NodeId> =
            nodes.filter(|&node| memory(node).is_some_and(|of| asked.contains(&of))).collect();
        let before = asked.len();
        for node in graph.needed_by(roots.iter().copied()) {
            if let Node::Op(Op::Memory(MemoryOp::Load | MemoryOp::Atomic(..)), operands) =
                graph.node(node)
            {
                asked.extend(memory(operands[0]));
            }
        }
        if asked.len() == before {
            let roots = roots.into_iter().map(|node| (NO_LOCATION, node)).collect();
            return schedule_roots(core, roots);
        }
    }
}

/// [`schedule_effects()`], with `uint`s behind the states, without locations, that tell which sites of the program an invocation
/// meets ([`probes::hits`]); none if the program has no sites.
///
/// # Errors
///
/// Those of [`schedule_effects()`], and LV0502 for too many probes.
pub fn schedule_effects_reported(core: &Core, memories: &[usize]) -> Result<Program, Diagnostic> {
    with_reports(core, schedule_effects_probed(core, memories)?, Form::Words)
}

/// Schedules the nodes that the outputs at `locations` need, and no others: an output that is not listed is
/// not evaluated. The core must have these outputs. The program's outputs are in the order of their
/// declarations.
///
/// # Errors
///
/// The diagnostic of an exceeded limit, and LV0508 for a program with memories: no engine draws it.
pub fn schedule(core: &Core, locations: &[u32]) -> Result<Program, Diagnostic> {
    Ok(probes::without(schedule_probed(core, locations)?))
}

/// [`schedule()`], with outputs behind the others that tell which sites of the program are reported in a pixel
/// ([`probes::is_hit`]); none if the program has no sites.
///
/// # Errors
///
/// Those of [`schedule()`], and LV0502 for too many probes.
pub fn schedule_reported(core: &Core, locations: &[u32]) -> Result<Program, Diagnostic> {
    with_reports(core, schedule_probed(core, locations)?, Form::Attachments)
}

fn with_reports(core: &Core, probed: Program, form: Form) -> Result<Program, Diagnostic> {
    if core.sites.is_empty() {
        return Ok(probes::without(probed));
    }
    let program = probes::reported(&probed, core.sites.len(), form)?;
    if cfg!(debug_assertions)
        && let Err(errors) = verify(&program)
    {
        panic!("the schedule is malformed: {errors:?}");
    }
    Ok(program)
}

/// [`schedule()`], with its probes.
///
/// # Errors
///
/// Those of [`schedule()`].
pub fn schedule_probed(core: &Core, locations: &[u32]) -> Result<Program, Diagnostic> {
    if let Some(dispatched) = core.dispatched() {
        return Err(dispatched);
    }
    let asked = core.outputs.iter().filter(|output| locations.contains(&output.location));
    schedule_roots(core, asked.map(|output| (output.location, output.node)).collect())
}

/// Schedules all roots of a program ([`Core::roots`]). Final states and those of triangles have no location.
///
/// # Errors
///
/// The diagnostic of an exceeded limit.
pub fn schedule_all(core: &Core) -> Result<Program, Diagnostic> {
    let locations = core.outputs.iter().map(|output| output.location);
    let locations = locations.chain(std::iter::repeat(NO_LOCATION));
    Ok(probes::without(schedule_roots(core, locations.zip(core.roots()).collect())?))
}

fn schedule_roots(core: &Core, outputs: Vec<(u32, NodeId)>) -> Result<Program, Diagnostic> {
    let mut placed = demand::pin(core.graph.clone(), outputs.iter().map(|&(_, node)| node))?;
    place::place(&mut placed)?;
    let locations = outputs.iter().map(|&(location, _)| location).collect();
    let program = emit::emit(&placed, locations, core.uniforms.clone(), core.discard)?;
    // Core text may break the rules for states, so these are checked in every build.
    if let Err(errors) = states::verify_states(&program) {
        return Err(emit::out_of_order(errors[0].span(&program)));
    }
    if cfg!(debug_assertions)
        && let Err(errors) = verify(&program)
    {
        panic!("the schedule is malformed: {errors:?}");
    }
    Ok(program)
}
