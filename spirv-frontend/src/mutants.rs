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
    /// Ways to several targets that change memories stay apart.
    UngatheredWays,
    /// Where such ways are joined, a variable has its content even if it is not used behind.
    DeadContent,
    /// A loop that only reads a memory does not pass its state on.
    UnpassedState,
    /// The index of an element is not multiplied by its stride.
    IgnoredStride,
    /// The length of an array is that of its buffer.
    LengthOfBuffer,
    /// A barrier is no operation.
    LostBarrier,
    /// The components of a column of a matrix whose rows lie together are taken as if the column did.
    IgnoredRows,
    /// The columns of a matrix lie without a gap.
    TightColumns,
    /// Behind a call, undefined behaviour is reported at the last line of the function that was called.
    LineOfCallee,
    /// A condition that always holds is not reported.
    FoldedProbe,
    /// Both arms of a selection are reported.
    BothArms,
    /// Where a way leads elsewhere, values that may not end are computed all the same.
    EagerWay,
    /// Probes in one arm are lost where it meets the other arm.
    LostArm,
    /// Behind the edge of a cube's face lies the face's own last texel.
    FlatSeam,
    /// A texel beyond two edges of a cube's face is that behind one of them.
    OpenCorner,
    /// All axes are wrapped as the first one.
    SharedWrap,
    /// Magnified textures have the filter of minified ones, and the reverse.
    SwappedFilters,
    /// The limits of levels of detail are ignored.
    IgnoredLimits,
    /// The bias of a sampler is ignored.
    IgnoredBias,
    /// The texel stands on the left of a comparison.
    SwappedComparison,
    /// The four texels of a gather come row by row.
    GatheredRows,
    /// An offset is ignored.
    IgnoredOffset,
    /// A projection does not divide the reference.
    UndividedReference,
    /// The border is the texel at the edge.
    LostBorder,
    /// Behind its mirror image an image goes on as if it were repeated.
    MirroredTwice,
    /// Behind the greatest coordinate the repetition goes on.
    EndlessCoordinates,
    /// An array of textures is its first element.
    FirstElement,
}

impl Mutant {
    /// Those of pixels.
    pub const ALL: [Self; 4] =
        [Self::LostFallThrough, Self::SkippedContinue, Self::UnmaskedStore, Self::LostReturn];

    /// Those of memories.
    pub const OF_MEMORY: [Self; 8] = [
        Self::UngatheredWays,
        Self::DeadContent,
        Self::UnpassedState,
        Self::IgnoredStride,
        Self::LengthOfBuffer,
        Self::LostBarrier,
        Self::IgnoredRows,
        Self::TightColumns,
    ];

    /// Those of cubes.
    pub const OF_CUBES: [Self; 2] = [Self::FlatSeam, Self::OpenCorner];

    /// Those of samplers, and of arrays of textures.
    pub const OF_SAMPLERS: [Self; 12] = [
        Self::SharedWrap,
        Self::SwappedFilters,
        Self::IgnoredLimits,
        Self::IgnoredBias,
        Self::SwappedComparison,
        Self::GatheredRows,
        Self::IgnoredOffset,
        Self::UndividedReference,
        Self::LostBorder,
        Self::MirroredTwice,
        Self::EndlessCoordinates,
        Self::FirstElement,
    ];

    /// Those of reports.
    pub const OF_REPORTS: [Self; 5] =
        [Self::LineOfCallee, Self::FoldedProbe, Self::BothArms, Self::EagerWay, Self::LostArm];
}

lambdav_core::mutants!();
