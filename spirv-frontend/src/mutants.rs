//! Mutants: plausible mistakes of the raise, switched on to show that the tests find them.
//!
//! They exist only with the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// A case of a switch does not continue with the case that it falls into.
    LostFallThrough = 1,
    /// Only one of several ways to continue a loop executes the continue construct.
    SkippedContinue,
    /// A partial store in one arm is visible after the other arm, too.
    UnmaskedStore,
    /// A return inside a loop continues after the loop.
    LostReturn,
}

impl Mutant {
    /// All mutants.
    pub const ALL: [Self; 4] =
        [Self::LostFallThrough, Self::SkippedContinue, Self::UnmaskedStore, Self::LostReturn];
}

lambdav_core::mutants!();
