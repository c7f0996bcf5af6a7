//! The elaborator's control as data: its states, and the continuations that wait for values.

use super::rounds::Unrolled;
use super::values::{
    Arguments, Data, Denotation, EnvId, FunctionId, RoundId, Site, ThunkId, Value,
};
use crate::builtins::Builtin;
use crate::resolve::CodeId;
use crate::resolve::Former;
use lambdav_core::graph::{LoopId, NodeId};
use lambdav_core::sets::SetId;

/// The elaborator's next step.
#[derive(Debug)]
pub(super) enum State {
    Evaluate(CodeId, EnvId),
    Force(Denotation),
    Apply(FunctionId, Site, Arguments),
    Return(Value),
}

/// A continuation: waits for a value and then goes on.
#[derive(Debug)]
pub(super) enum Continuation {
    /// Waits for the callee of an application.
    Callee {
        code: CodeId,
        env: EnvId,
    },
    /// Waits for the next operand of a builtin.
    Operands {
        builtin: Builtin,
        site: Site,
        source: OperandSource,
        values: Vec<Value>,
    },
    /// Waits for the next operand of a former.
    FormerOperands {
        former: Former,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// Waits for the value of a function that was taken out of a structure and applied.
    After {
        other: NodeId,
        site: Site,
    },
    /// Waits for the value of a `with`, and then for its new fields.
    With {
        code: CodeId,
        env: EnvId,
        values: Vec<Value>,
    },
    /// Waits for the function of a `tabulate`.
    Tabulate {
        code: CodeId,
        env: EnvId,
    },
    /// Waits for the next element of a `tabulate`.
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
    /// Waits for the next body of a `case`. No scrutinee: it was ill-typed.
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
    /// Waits for the arm taken by a constant decision; the set is the origin of the condition.
    Decided(SetId),
    The {
        code: CodeId,
        env: EnvId,
    },
    Thunk(ThunkId),
    /// Waits for the result of an application, and memoises it.
    Remember {
        function: FunctionId,
        arguments: Arguments,
        eager: bool,
    },
    /// Waits for the next annotated argument of a closure.
    Annotated {
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        next: usize,
    },
    /// Waits for the next argument of a `rec-func`.
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
        /// Under `@`: the arguments for elaborating as usual, if the body turns out to be no loop.
        again: Option<(FunctionId, Site, Vec<Value>)>,
    },
    /// Waits for the body of a round under `@`; `values` are the round's arguments.
    Round {
        round: RoundId,
        values: Vec<Value>,
    },
    /// Waits for the next argument of a `rec` of such a round.
    NextArguments {
        round: RoundId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// Waits for the value of the next round.
    Unrolled(Unrolled),
    /// Waits for the next argument of a `rec`.
    RecArguments {
        of: LoopId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// Waits for the application of the first of two functions chosen by an `if`.
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

/// The source of a builtin's operands.
#[derive(Debug)]
pub(super) enum OperandSource {
    /// The text of the application. No other code can need these operands, so they are not thunks.
    Text(EnvId),
    Arguments(Arguments),
}
