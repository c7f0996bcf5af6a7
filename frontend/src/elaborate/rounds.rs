//! The state of unrolling.

use super::values::{ActivationId, Denotation, FunctionId, RoundId, Site, Value};
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::source::Span;

/// A round of a `rec-func` that is being unrolled.
#[derive(Debug)]
pub(super) struct Round {
    /// The loop of its `rec`s in tails.
    pub(super) of: LoopId,
    pub(super) function: FunctionId,
    /// The application of the `rec-func`.
    pub(super) site: Site,
    /// The round had a constant decision.
    pub(super) decided: bool,
    /// The state before the round: older values mention nothing of it.
    pub(super) before: Before,
}

/// The numbers of functions, structures that hold functions, and thunks at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) functions: u32,
    pub(super) held: u32,
    pub(super) thunks: u32,
}

impl Before {
    /// True if the denotation existed then.
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

/// All rounds and their `rec`s.
#[derive(Debug, Default)]
pub(super) struct Unrolling {
    /// The `@` under which the latest expression was evaluated.
    pub(super) at: Option<Span>,
    pub(super) rounds: Vec<Round>,
    pub(super) calls: Vec<Call>,
    /// The rounds in progress without a constant decision yet, in order.
    pub(super) undecided: Vec<RoundId>,
}

/// A pending step: wraps the value of the next round.
#[derive(Debug)]
pub(super) struct Unrolled {
    /// The decisions around its `rec`, outermost first.
    pub(super) decisions: Vec<Decision>,
    /// The round's arguments that might not end.
    pub(super) strict: Vec<NodeId>,
    pub(super) span: Span,
    pub(super) activation: ActivationId,
}

/// A decision around a `rec`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) condition: NodeId,
    /// The value, and the index of its arm, if the other arm goes on; `None` if both do.
    pub(super) other: Option<(NodeId, usize)>,
    pub(super) span: Span,
}
