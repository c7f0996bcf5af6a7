//! Mutants: plausible mistakes of reports, switched on to show that the tests find them.
//!
//! They exist only with the feature `mutants`; without it `is_active` is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// A pixel that meets a site counts twice.
    DoubledUnit = 1,
    /// The pixel of a report is the last one that met the site.
    LastPixel,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::DoubledUnit, Self::LastPixel];
}

lambdav_core::mutants!();
