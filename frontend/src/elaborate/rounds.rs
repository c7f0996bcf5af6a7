//! What is known of the rounds that are unrolled.

use super::values::{ActivationId, Denotation, FunctionId, RoundId, Site, Value};
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
    /// What there was when it began, and so mentions nothing of it.
    pub(super) before: Before,
}

/// How many functions, structures that hold some, and thunks there were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) functions: u32,
    pub(super) held: u32,
    pub(super) thunks: u32,
}

impl Before {
    /// Whether it was there.
    pub(super) fn has(&self, denotation: Denotation) -> bool {
        match denotation {
            Denotation::Thunk(id) => id.0 < self.thunks,
            Denotation::Value(Value::Function(id)) => id.0 < self.functions,
            Denotation::Value(Value::Structure(id)) => id.0 < self.held,
            Denotation::Value(Value::Data(_) | Value::Error) => true,
        }
    }
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
    /// The rounds that have begun, and had no constant decision yet, in order.
    pub(super) undecided: Vec<RoundId>,
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
