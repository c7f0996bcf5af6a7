//! What the elaborator does, as data: its states, and the continuations that wait for values.

use super::rounds::Unrolled;
use super::values::{
    Arguments, Data, Denotation, EnvId, FunctionId, RoundId, Site, ThunkId, Value,
};
use crate::builtins::Builtin;
use crate::resolve::CodeId;
use crate::resolve::Former;
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::sets::SetId;

/// What the elaborator does next.
#[derive(Debug)]
pub(super) enum State {
    Evaluate(CodeId, EnvId),
    Force(Denotation),
    Apply(FunctionId, Site, Arguments),
    Return(Value),
}

/// What waits for a value.
#[derive(Debug)]
pub(super) enum Continuation {
    /// The callee of an application.
    Callee {
        code: CodeId,
        env: EnvId,
    },
    /// The next operand of a builtin.
    Operands {
        builtin: Builtin,
        site: Site,
        source: OperandSource,
        values: Vec<Value>,
    },
    /// The next operand of a former.
    FormerOperands {
        former: Former,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// The value of an application of a function that was taken out of a structure.
    After {
        other: NodeId,
        site: Site,
    },
    /// The value of a `with`, and then its new fields.
    With {
        code: CodeId,
        env: EnvId,
        values: Vec<Value>,
    },
    /// The function of a `tabulate`.
    Tabulate {
        code: CodeId,
        env: EnvId,
    },
    /// The next element of a `tabulate`.
    Elements {
        function: FunctionId,
        site: Site,
        count: u32,
        values: Vec<Value>,
    },
    Scrutinee {
        code: CodeId,
        env: EnvId,
    },
    /// The next body of a `case`; without a scrutinee it was ill-typed.
    Bodies {
        code: CodeId,
        env: EnvId,
        scrutinee: Option<Data>,
        values: Vec<Value>,
    },
    Condition {
        code: CodeId,
        env: EnvId,
    },
    Then {
        code: CodeId,
        env: EnvId,
        condition: Option<Data>,
    },
    Otherwise {
        code: CodeId,
        env: EnvId,
        condition: Option<Data>,
        then: Value,
    },
    /// The arm that something constant decided for, which was computed from these.
    Decided(SetId),
    The {
        code: CodeId,
        env: EnvId,
    },
    Thunk(ThunkId),
    /// The result of an application, to be remembered.
    Remember {
        function: FunctionId,
        arguments: Arguments,
        eager: bool,
    },
    /// The next annotated argument of a closure.
    Annotated {
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        next: usize,
    },
    /// The next argument of a `rec-func`.
    LoopArguments {
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    LoopBody {
        of: LoopId,
        params: Vec<NodeId>,
        inits: Vec<NodeId>,
        code: CodeId,
        /// Where it is elaborated eagerly: what to do as usual if it is no loop so.
        again: Option<(FunctionId, Site, Vec<Value>)>,
    },
    /// The body of a round that is unrolled if it can be, with the arguments of the round.
    Round {
        round: RoundId,
        values: Vec<Value>,
    },
    /// The next argument of a `rec` of such a round.
    NextArguments {
        round: RoundId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// The value of the next round.
    Unrolled(Unrolled),
    /// The next argument of a `rec`.
    RecArguments {
        of: LoopId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// The application of the first of two functions chosen by an `if`.
    ChoiceThen {
        condition: Data,
        otherwise: FunctionId,
        site: Site,
        arguments: Arguments,
    },
    ChoiceOtherwise {
        condition: Data,
        then: Value,
        site: Site,
    },
}

/// Where the operands of a builtin come from.
#[derive(Debug)]
pub(super) enum OperandSource {
    /// From the text of the application: nobody else can need them, so they are no thunks.
    Text(EnvId),
    Arguments(Arguments),
}
