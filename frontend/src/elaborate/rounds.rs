//! What is known of the rounds that are unrolled.

use super::values::{ActivationId, FunctionId, Site, Value};
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::source::Span;

/// A round.
#[derive(Debug)]
pub(super) struct Round {
    /// What its `rec`s are called in tails.
    pub(super) of: LoopId,
    pub(super) function: FunctionId,
    /// Where the `rec-func` is applied.
    pub(super) site: Site,
    /// Whether it had a constant decision.
    pub(super) decided: bool,
}

/// A `rec` of a round.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) site: Site,
    pub(super) values: Vec<Value>,
}

/// All that is unrolled.
#[derive(Debug, Default)]
pub(super) struct Unrolling {
    /// The `@` under which the latest expression was evaluated.
    pub(super) at: Option<Span>,
    pub(super) rounds: Vec<Round>,
    pub(super) calls: Vec<Call>,
    /// How many rounds have begun, and had no constant decision yet.
    pub(super) undecided: usize,
}

/// What is to be done with the value of a next round.
#[derive(Debug)]
pub(super) struct Unrolled {
    /// Decisions around its `rec`, outermost first.
    pub(super) decisions: Vec<Decision>,
    /// What this round was given that might not end.
    pub(super) strict: Vec<NodeId>,
    pub(super) span: Span,
    pub(super) activation: ActivationId,
}

/// A decision around a `rec`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) condition: NodeId,
    /// Where the value comes from, and which arm it is, if it does not go on.
    pub(super) other: Option<(NodeId, usize)>,
    pub(super) span: Span,
}
