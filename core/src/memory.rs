//! Memory that programs write: states, operations on them, atomic operations.
//!
//! An invocation of a compute program is a pure function from memory to memory. Its graph has no impure node: a
//! memory is a [resource](crate::resource), and a value of its type is a *state* of it, all its words at one point of the
//! program. A state has no components, so it costs nothing and may be passed through `if`s, loops and structures like
//! any value.
//!
//! - There is one memory, with a type of its own, for each alias class: for each buffer that the host binds, however
//!   often, and for each variable of a workgroup. Its words have 32 bits. Access chains become arithmetic on
//!   indices; numbers become words by [`Op::Bits`](crate::op::Op::Bits), so a stored NaN is 0x7fc00000.
//! - [`MemoryOp::State`] is the state that the invocation finds. An operation with an effect takes a state and makes
//!   the next one. A *load* takes a state and makes none.
//! - A word beyond the end is read as 0. Stores and atomic operations beyond the end have no effect, and the old
//!   word of such an atomic operation is 0.
//! - The results of a program are final states: [`Effect`](crate::graph::Effect), beside its outputs. It has one for each
//!   memory that it changes, workgroups' variables included, since other invocations read them.
//!
//! # Rules for graphs
//!
//! The machine has one content for each memory, so a state must be consumed in the order of execution. The
//! schedule of a graph that breaks one of these rules is refused ([`crate::schedule`]).
//!
//! 1. *States are linear.* On each path of control each state is consumed once: by an effect, by an `if` or loop that
//!    makes another state of it, by a `rec`, or as a result. Afterwards only the new state is accessed.
//! 2. An `if` or loop with effects yields their states. One decision is one `if`: an `if` of a structure that holds all
//!    values and states, not an `if` for each.
//! 3. A loop in which a state is consumed has a parameter for it. Loads alone need none; then the state that goes on waits
//!    for the loop ([`Graph::after`](crate::graph::Graph::after)).
//! 4. Operands of a load that might not end, or that depend on effects, are evaluated before the state is consumed:
//!    [`Graph::load`](crate::graph::Graph::load) makes the state wait for them.
//! 5. A barrier takes the states of all memories of the program, in the order of their numbers. So each access has a
//!    segment, the part of an invocation between two barriers.
//! 6. Arms of a loop's tail share no decision with effects below it: such a decision becomes data, by several `if`s.
//!
//! # Later
//!
//! Storage images are a further [`MemoryKind`](crate::types::MemoryKind). Subgroup operations take a state of their own,
//! so nothing moves or merges them. A fragment's effects stand in `if`s by a condition "is no helper". The race detector
//! needs the position of an access, which its node has.

use crate::types::{Type, TypeKind, Types};

/// An operation on states. The result is known only while a dispatch runs, so nothing is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryOp {
    /// `()`: the state of the memory of this type that the invocation finds.
    State(Type),
    /// `(state)`: the number of words of the memory, a `uint`, whatever the state.
    Size,
    /// `(state, index)`: the word at an index, a `uint`.
    Load,
    /// `(state, index, word)`: the state with another word at an index. Index and word are `uint`s.
    Store,
    /// `(state, index, operand)`, for [`Atomic::CompareExchange`] `(state, index, operand, comparand)`: a structure of
    /// this type with two fields, the old word, a `uint`, and the next state.
    Atomic(Atomic, Type),
    /// `(states…)`: a structure of this type, whose fields are the states that the invocation finds after all invocations
    /// of its workgroup have arrived here.
    Barrier(Type),
}

/// The function of an atomic operation, from the old word and the operand to the new word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atomic {
    /// The sum, modulo 2^32.
    Add,
    /// The lesser, as signed integers.
    IntMin,
    /// The greater, as signed integers.
    IntMax,
    /// The lesser, as unsigned integers.
    UintMin,
    /// The greater, as unsigned integers.
    UintMax,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// The operand.
    Exchange,
    /// The operand if the old word equals the comparand, else the old word.
    CompareExchange,
}

impl Atomic {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Add,
        Self::IntMin,
        Self::IntMax,
        Self::UintMin,
        Self::UintMax,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Exchange,
        Self::CompareExchange,
    ];

    /// Its name in core text, after `atomic.`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::IntMin => "int-min",
            Self::IntMax => "int-max",
            Self::UintMin => "uint-min",
            Self::UintMax => "uint-max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Exchange => "exchange",
            Self::CompareExchange => "compare-exchange",
        }
    }

    /// The number of words that it takes beside the index: 1 or 2.
    pub fn words(self) -> usize {
        if self == Self::CompareExchange { 2 } else { 1 }
    }

    /// The new word. `comparand` is ignored by all but [`Self::CompareExchange`].
    pub fn apply(self, old: u32, operand: u32, comparand: u32) -> u32 {
        let (old_int, operand_int) = (old as i32, operand as i32);
        match self {
            Self::Add => old.wrapping_add(operand),
            Self::IntMin => old_int.min(operand_int) as u32,
            Self::IntMax => old_int.max(operand_int) as u32,
            Self::UintMin => old.min(operand),
            Self::UintMax => old.max(operand),
            Self::And => old & operand,
            Self::Or => old | operand,
            Self::Xor => old ^ operand,
            Self::Exchange => operand,
            Self::CompareExchange if old == comparand => operand,
            Self::CompareExchange => old,
        }
    }
}

impl MemoryOp {
    /// True for an operation that takes a state and makes the next one.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::Store | Self::Atomic(..) | Self::Barrier(_))
    }

    /// The type of the result for operands of these types; `None` if the operation is not defined on them.
    pub fn result_type(self, types: &Types, operands: &[Type]) -> Option<Type> {
        let is_state = |ty: Type| types.memory(ty).is_some();
        match (self, operands) {
            (Self::State(ty), []) if is_state(ty) => Some(ty),
            (Self::Size, &[state]) | (Self::Load, &[state, Type::UINT]) if is_state(state) => {
                Some(Type::UINT)
            }
            (Self::Store, &[state, Type::UINT, Type::UINT]) if is_state(state) => Some(state),
            (Self::Atomic(atomic, ty), &[state, Type::UINT, ref words @ ..])
                if is_state(state)
                    && words.len() == atomic.words()
                    && words.iter().all(|&word| word == Type::UINT) =>
            {
                is_structure(types, ty, &[Type::UINT, state]).then_some(ty)
            }
            (Self::Barrier(ty), states)
                if !states.is_empty() && states.iter().all(|&state| is_state(state)) =>
            {
                is_structure(types, ty, states).then_some(ty)
            }
            _ => None,
        }
    }
}

/// True if a type is a structure of fields of these types.
fn is_structure(types: &Types, ty: Type, fields: &[Type]) -> bool {
    matches!(types.kind(ty), TypeKind::Structure(_)) && types.parts(ty).eq(fields.iter().copied())
}

/// A built-in input of an invocation of a compute program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InvocationInput {
    /// The index of the invocation in the dispatch, by axes: a `uvec3`.
    GlobalId,
    /// The index of the invocation in its workgroup, by axes: a `uvec3`.
    LocalId,
    /// The index of the workgroup in the dispatch, by axes: a `uvec3`.
    WorkgroupId,
    /// The index of the invocation in its workgroup, x fastest: a `uint`.
    LocalIndex,
    /// The number of workgroups, by axes: a `uvec3`.
    Workgroups,
}

impl InvocationInput {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::GlobalId, Self::LocalId, Self::WorkgroupId, Self::LocalIndex, Self::Workgroups];

    /// Its type.
    pub fn ty(self) -> Type {
        match self {
            Self::LocalIndex => Type::UINT,
            _ => Type::of(crate::types::Scalar::U32, 3),
        }
    }

    /// Its name in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::GlobalId => "global-id",
            Self::LocalId => "local-id",
            Self::WorkgroupId => "workgroup-id",
            Self::LocalIndex => "local-index",
            Self::Workgroups => "workgroups",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Field, MemoryKind, Structure};

    #[test]
    fn atomic_functions() {
        let (one, minus_one) = (1, u32::MAX);
        for (atomic, new) in [
            (Atomic::Add, 0),
            (Atomic::IntMin, minus_one),
            (Atomic::IntMax, one),
            (Atomic::UintMin, one),
            (Atomic::UintMax, minus_one),
            (Atomic::And, 1),
            (Atomic::Or, minus_one),
            (Atomic::Xor, minus_one - 1),
            (Atomic::Exchange, minus_one),
        ] {
            assert_eq!(atomic.apply(one, minus_one, 7), new, "{atomic:?}");
        }
        assert_eq!(Atomic::CompareExchange.apply(3, 4, 3), 4);
        assert_eq!(Atomic::CompareExchange.apply(3, 4, 5), 3);
    }

    #[test]
    fn operations_are_typed() {
        let mut types = Types::default();
        let mut memory = |name: &str, kind| types.add_memory(name.into(), kind).expect("few");
        let [s, w] = [memory("s", MemoryKind::Storage), memory("w", MemoryKind::Workgroup(4))];
        let field = |ty| Field { name: "".into(), ty, is_generic: false };
        let mut structure = |fields: &[Type]| {
            let fields = fields.iter().copied().map(field).collect();
            types.add_structure(Structure { name: "S".into(), fields }).expect("it is small")
        };
        let (old, both, number) =
            (structure(&[Type::UINT, s]), structure(&[s, w]), structure(&[Type::UINT]));
        let (u, add) = (Type::UINT, MemoryOp::Atomic(Atomic::Add, old));
        let exchange = MemoryOp::Atomic(Atomic::CompareExchange, old);
        for (op, operands, result) in [
            (MemoryOp::State(s), &[][..], Some(s)),
            (MemoryOp::State(u), &[], None),
            (MemoryOp::Size, &[w], Some(u)),
            (MemoryOp::Load, &[s, u], Some(u)),
            (MemoryOp::Load, &[s, Type::INT], None),
            (MemoryOp::Load, &[u, u], None),
            (MemoryOp::Store, &[w, u, u], Some(w)),
            (MemoryOp::Store, &[w, u, Type::NUM], None),
            (add, &[s, u, u], Some(old)),
            (add, &[w, u, u], None),
            (add, &[s, u, u, u], None),
            (exchange, &[s, u, u, u], Some(old)),
            (exchange, &[s, u, u], None),
            (MemoryOp::Atomic(Atomic::Add, number), &[s, u, u], None),
            (MemoryOp::Barrier(both), &[s, w], Some(both)),
            (MemoryOp::Barrier(both), &[w, s], None),
            (MemoryOp::Barrier(number), &[u], None),
        ] {
            assert_eq!(op.result_type(&types, operands), result, "{op:?}");
        }
        assert!(types.holds_state(both) && types.holds_state(s) && !types.holds_state(number));
        assert_eq!(types.states(both), [0, 1]);
    }
}
