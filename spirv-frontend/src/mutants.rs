//! Mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that raising could really make. They are there only with the feature `mutants`; without it
//! [`is_active`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// A case of a switch does not go on with the one that it falls into.
    LostFallThrough = 1,
    /// Of several ways to continue a loop, only one executes the continue construct.
    SkippedContinue,
    /// What one arm stores into a part of a variable is there after the other one, too.
    UnmaskedStore,
    /// A return in a loop goes on behind the loop.
    LostReturn,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::LostFallThrough, Self::SkippedContinue, Self::UnmaskedStore, Self::LostReturn];
}

lambdav_core::mutants!();
