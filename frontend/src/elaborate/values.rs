//! What expressions denote while a program is elaborated.

use super::constancy::Constancy;
use crate::builtins::Builtin;
use crate::resolve::{CodeId, Former, StructureIndex};
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::source::Span;
use std::rc::Rc;

/// A number, vector, … or a tail (`Rec τ`, `PureRec`): the node knows its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Data {
    pub(super) node: NodeId,
    /// What of it is constant. Of a tail, and of what might not end, nothing is.
    pub(super) constancy: Constancy,
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Data(Data),
    /// A function; equal functions have equal identities.
    Function(FunctionId),
    /// A structure that holds functions; equal ones have equal identities.
    Structure(HeldId),
    /// Something ill-typed that has been reported; it makes what uses it ill-typed silently.
    Error,
}

/// A structure of the table in [`super::elaborator::Elaborator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldId(pub(super) u32);

/// A structure with at least one function in it, or in a structure in it. It exists at compile time
/// only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldStructure {
    pub(super) declaration: StructureIndex,
    pub(super) fields: Rc<[Value]>,
    /// What has been evaluated for it and might not end.
    pub(super) strict: Option<NodeId>,
    /// The parameter of a loop that it is, seen from the body: a `rec` must pass on this very value
    /// in this very place. Another one of equal fields is another structure.
    pub(super) parameter: Option<(LoopId, u32)>,
}

/// A function of the table in [`super::elaborator::Elaborator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FunctionId(pub(super) u32);

/// A function value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FunctionValue {
    /// A `func` or `rec-func` with the scopes around it. `expansion`: it is the definition of a
    /// builtin, whose inside the user never sees.
    Closure {
        code: CodeId,
        env: EnvId,
        expansion: bool,
    },
    Builtin(Builtin),
    Former(Former),
    /// A function that was taken out of a structure; what was evaluated for that might not end.
    After {
        function: FunctionId,
        other: NodeId,
    },
    /// `rec` of a loop.
    Rec(LoopId),
    /// `rec` of a round that is being unrolled.
    Next(RoundId),
    /// A function chosen by an `if`.
    Choice {
        condition: Data,
        then: FunctionId,
        otherwise: FunctionId,
    },
    /// A function parameter of a `rec-func`, seen from its body. A `rec` must pass on this very
    /// value in this very place.
    Static {
        of: LoopId,
        parameter: u32,
        function: FunctionId,
    },
}

/// A round of a `rec-func` that is being unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RoundId(pub(super) u32);

/// An argument or binding whose value is found when it is first needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ThunkId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Thunk {
    pub(super) code: CodeId,
    pub(super) env: EnvId,
    pub(super) value: Option<Value>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Denotation {
    Value(Value),
    Thunk(ThunkId),
}

/// Arguments of an application.
pub(super) type Arguments = Rc<[Denotation]>;

/// The innermost scope around some code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EnvId(pub(super) u32);

/// A chain of scopes by what is in them: equal ones are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContentsId(pub(super) u32);

/// What the locals that some code uses denote: of each one, or, where they are many, of all scopes
/// that these are of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Captured {
    Each(Arguments),
    All(ContentsId),
}

/// The scope of the top level, without locals.
pub(super) const ROOT: EnvId = EnvId(0);

#[derive(Clone, Debug)]
pub(super) struct Env {
    pub(super) parent: EnvId,
    /// A scope further out, so that any is found in logarithmic time (Myers, "An applicative
    /// random-access stack", 1983).
    pub(super) jump: EnvId,
    /// What this scope and those around it are called together, once somebody has asked.
    pub(super) contents: Option<ContentsId>,
    pub(super) level: u32,
    pub(super) slots: Arguments,
    pub(super) activation: ActivationId,
}

/// One application of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ActivationId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Activation {
    /// The activation whose code contains the application.
    pub(super) caller: ActivationId,
    /// How many applications this one is nested in.
    pub(super) depth: u32,
    /// The function that was applied.
    pub(super) function: Option<CodeId>,
    /// Where it was applied.
    pub(super) site: Span,
    /// Inside the expansion of a builtin: where that builtin was applied.
    pub(super) expansion: Option<Span>,
    /// What is applied there is elaborated eagerly, because of this `@`.
    pub(super) eager: Option<Span>,
}

/// An application that is under way, for positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// A [`crate::resolve::Code::Apply`].
    pub(super) code: CodeId,
    /// The activation whose code contains it.
    pub(super) activation: ActivationId,
}
