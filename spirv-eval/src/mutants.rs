//! Mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that an evaluator of SPIR-V could really make. They are there only with
//! the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// The evaluator assigns the φ's of a block one after the other.
    SequentialPhis = 1,
    /// The evaluator counts rounds of a loop on where it is entered again.
    RoundsKept,
    /// The evaluator selects all components by the first condition.
    OneCondition,
    /// The evaluator does not give variables their first values where their function is called again.
    KeptVariables,
    /// The evaluator takes the default where a switch has a case with the highest bit.
    LostCase,
    /// The evaluator goes on as if a pixel that is discarded had returned.
    LostDiscard,
    /// The evaluator passes the beginning of a variable in place of its part.
    LostPart,
    /// The evaluator takes both pixels of a derivative for the same.
    FlatQuad,
}

impl Mutant {
    /// Those that every program may show.
    pub const ALL: [Self; 3] = [Self::SequentialPhis, Self::RoundsKept, Self::OneCondition];

    /// Those in what the emitter does not write.
    pub const OF_WORDS: [Self; 5] =
        [Self::KeptVariables, Self::LostCase, Self::LostDiscard, Self::LostPart, Self::FlatQuad];
}

lambdav_core::mutants!();
