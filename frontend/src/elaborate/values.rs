//! The denotations of expressions during elaboration.

use super::constancy::Constancy;
use crate::builtins::Builtin;
use crate::resolve::{CodeId, Former, StructureIndex};
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::source::Span;
use std::rc::Rc;

/// A number, vector, … or a tail (`Rec τ`, `PureRec`), by the type of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Data {
    pub(super) node: NodeId,
    /// The constant parts of the value; none for tails and for values that might not end.
    pub(super) constancy: Constancy,
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Data(Data),
    /// A function, by identity: equal functions have one.
    Function(FunctionId),
    /// A structure that holds functions, by identity: equal ones have one.
    Structure(HeldId),
    /// An ill-typed value, already reported; its uses are errors that are not reported.
    Error,
}

/// A structure of the table in [`super::elaborator::Elaborator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldId(pub(super) u32);

/// A structure with at least one function in it, or in a structure in it. It exists only at compile time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldStructure {
    pub(super) declaration: StructureIndex,
    pub(super) fields: Rc<[Value]>,
    /// The computations for it that might not end.
    pub(super) strict: Option<NodeId>,
    /// The loop parameter that it is, inside the loop's body: a `rec` must pass on this very value in the
    /// same position. A structure with equal fields is another one.
    pub(super) parameter: Option<(LoopId, u32)>,
}

/// A function of the table in [`super::elaborator::Elaborator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FunctionId(pub(super) u32);

/// A function value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FunctionValue {
    /// A `func` or `rec-func` with its scopes. `expansion`: the definition of a builtin, whose inside users
    /// never see.
    Closure {
        code: CodeId,
        env: EnvId,
        expansion: bool,
    },
    Builtin(Builtin),
    Former(Former),
    /// A function taken out of a structure, after a computation that might not end.
    After {
        function: FunctionId,
        other: NodeId,
    },
    /// The `rec` of a loop.
    Rec(LoopId),
    /// The `rec` of a round that is being unrolled.
    Next(RoundId),
    /// A function chosen by an `if`.
    Choice {
        condition: Data,
        then: FunctionId,
        otherwise: FunctionId,
    },
    /// A function parameter of a `rec-func`, inside its body. A `rec` must pass on this very value in the
    /// same position.
    Static {
        of: LoopId,
        parameter: u32,
        function: FunctionId,
    },
}

/// A round of a `rec-func` that is being unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RoundId(pub(super) u32);

/// An argument or binding that is evaluated on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ThunkId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Thunk {
    pub(super) code: CodeId,
    pub(super) env: EnvId,
    pub(super) value: Option<Value>,
}

/// The denotation of a name.
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

/// The contents of a chain of scopes, hash-consed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContentsId(pub(super) u32);

/// The denotations of some code's free locals: of each one or, if they are many, of all scopes with some of
/// them.
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
    /// An outer scope, for finding scopes in logarithmic time (Myers, "An applicative random-access stack",
    /// 1983).
    pub(super) jump: EnvId,
    /// The contents of this scope and the outer ones, once computed.
    pub(super) contents: Option<ContentsId>,
    pub(super) level: u32,
    pub(super) slots: Arguments,
    pub(super) activation: ActivationId,
}

/// An application of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ActivationId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Activation {
    /// The activation whose code contains the application.
    pub(super) caller: ActivationId,
    /// The number of applications around this one.
    pub(super) depth: u32,
    /// The applied function.
    pub(super) function: Option<CodeId>,
    /// The position of the application.
    pub(super) site: Span,
    /// Inside the expansion of a builtin: the position of the builtin's application.
    pub(super) expansion: Option<Span>,
    /// The `@` because of which its code is elaborated eagerly, if so.
    pub(super) eager: Option<Span>,
}

/// An application in progress, for positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// A [`crate::resolve::Code::Apply`].
    pub(super) code: CodeId,
    /// The activation whose code contains the application.
    pub(super) activation: ActivationId,
}
