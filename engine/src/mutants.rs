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
    /// The operands of a pixel are those of its first fragment alone.
    FirstFragment,
    /// Vertices are in the order of their indices, then of instances.
    VerticesByIndex,
    /// The stage of a fragment's depth meets nothing.
    UnwatchedTest,
    /// A dispatch that begins again keeps what it has met.
    KeptReport,
    /// The first invocation that met a site is evaluated on the original memories.
    OriginalMemory,
}

impl Mutant {
    /// Those of all pictures.
    pub const OF_PICTURES: [Self; 2] = [Self::DoubledUnit, Self::LastPixel];

    /// Those of programs that draw triangles.
    pub const OF_TRIANGLES: [Self; 3] =
        [Self::FirstFragment, Self::VerticesByIndex, Self::UnwatchedTest];

    /// Those of dispatches.
    pub const OF_DISPATCHES: [Self; 2] = [Self::KeptReport, Self::OriginalMemory];
}

lambdav_core::mutants!();
