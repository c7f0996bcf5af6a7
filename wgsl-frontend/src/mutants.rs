//! Mutants of the front end: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is a mistake that a compiler of WGSL could really contain. Mutants exist only with the feature `mutants`;
//! without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Floats without a type are computed in binary32.
    SingleConstants = 1,
    /// `&&` and `||` evaluate both sides.
    BothSides,
    /// The constructor of a square matrix fills rows instead of columns.
    RowsForColumns,
    /// A variable without an initial value keeps the one that it had in the iteration before.
    KeptVariable,
    /// `a += b` reads `a` behind `b`.
    LateLoad,
    /// What a function writes through a pointer to a part of a variable is lost.
    LostCopy,
    /// `break` in a `switch` leaves the loop around it.
    LeftLoop,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::SingleConstants,
        Self::BothSides,
        Self::RowsForColumns,
        Self::KeptVariable,
        Self::LateLoad,
        Self::LostCopy,
        Self::LeftLoop,
    ];
}

lambdav_core::mutants!();
