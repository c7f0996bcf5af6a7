//! Mutants of the front end: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is a mistake that a compiler of GLSL could really contain. Mutants exist only with the feature
//! `mutants`; without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Initialisers of global variables are lost.
    LostInitialiser = 1,
    /// `&&` and `||` evaluate both sides.
    BothSides,
    /// `continue` in a `do`-`while` skips the condition: it leaves the loop.
    SkippedCondition,
    /// An implicit conversion keeps the bits.
    LostConversion,
    /// A macro's parameter stands for the argument behind its own.
    OtherArgument,
    /// The constructor of a square matrix fills rows instead of columns.
    RowsForColumns,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::LostInitialiser,
        Self::BothSides,
        Self::SkippedCondition,
        Self::LostConversion,
        Self::OtherArgument,
        Self::RowsForColumns,
    ];
}

lambdav_core::mutants!();
