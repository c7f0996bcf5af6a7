//! Mutants: plausible mistakes of an evaluator of SPIR-V, switched on to show that the tests find them.
//!
//! They exist only with the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Assigns the φ's of a block one after the other.
    SequentialPhis = 1,
    /// Keeps the count of a loop's rounds when the loop is entered again.
    RoundsKept,
    /// Selects all components by the first condition.
    OneCondition,
    /// Keeps the values of a function's variables when the function is called again.
    KeptVariables,
    /// Takes the default of a switch if the selector has the highest bit.
    LostCase,
    /// Treats a discarded pixel as if it had returned.
    LostDiscard,
    /// Passes the address of a whole variable in place of its part's.
    LostPart,
    /// Computes derivatives from the same pixel twice.
    FlatQuad,
    /// Does not wait at barriers.
    SkippedBarrier,
    /// Runs the invocations of a workgroup in the opposite order.
    ReversedInvocations,
    /// The result of an atomic operation is the new word.
    NewWord,
    /// What is stored beyond the end of a memory goes to its last word.
    ClampedStore,
    /// Variables of the workgroup keep what the workgroup before left.
    KeptWorkgroup,
    /// An observer is told of each round of a loop twice.
    DoubledRound,
    /// An observer is told of a function's steps at the line of its call.
    CallersLine,
}

impl Mutant {
    /// Mutants that any emitted program can reveal.
    pub const ALL: [Self; 3] = [Self::SequentialPhis, Self::RoundsKept, Self::OneCondition];

    /// Mutants in features that the emitter does not use.
    pub const OF_WORDS: [Self; 5] =
        [Self::KeptVariables, Self::LostCase, Self::LostDiscard, Self::LostPart, Self::FlatQuad];

    /// Mutants of observation.
    pub const OF_TRACES: [Self; 2] = [Self::DoubledRound, Self::CallersLine];

    /// Mutants of dispatches.
    pub const OF_DISPATCHES: [Self; 5] = [
        Self::SkippedBarrier,
        Self::ReversedInvocations,
        Self::NewWord,
        Self::ClampedStore,
        Self::KeptWorkgroup,
    ];
}

lambdav_core::mutants!();
