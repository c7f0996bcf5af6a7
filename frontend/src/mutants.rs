//! Mutants of the frontend: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is a mistake that a compiler or evaluator of a functional language could really contain. Mutants
//! exist only with the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// The memo key of elaboration ignores the last captured local.
    ForgottenLocal = 1,
    /// Elaboration binds a name in a clause of a `case` to another case's field.
    WrongField,
    /// Elaboration takes the wrong arm of a constant decision under `@`.
    OtherArm,
    /// Elaboration forgets decisions left open in an unrolled round.
    ForgottenDecision,
    /// A mirrored texture is read one texel too far.
    FarMirror,
    /// The source evaluator resolves a name to its outermost binding instead of its innermost.
    CapturedName,
    /// The source evaluator allows a loop one round too many.
    OneRoundMore,
    /// An observer is told of each round of a loop twice.
    DoubledRound,
    /// An observer is told of probes at other pixels of the quad.
    NeighboursProbe,
    /// An observer is not told of a probe of a value that is known.
    FoldedProbe,
    /// Behind the edge of a cube's face lies the face's own last texel.
    FlatSeam,
    /// A texel beyond two edges of a cube's face is that behind one of them.
    OpenCorner,
    /// The border of a texture begins one texel too late on one side.
    WideBorder,
    /// A texture that is mirrored once is mirrored again and again.
    MirroredTwice,
    /// The first wrap mode of a declaration is that of all axes.
    SharedWrap,
    /// The texel is on the left of a comparison.
    SwappedComparison,
    /// A gather begins with the upper row.
    GatheredRows,
    /// `sample-offset` takes the texels at the place.
    IgnoredOffset,
    /// `sample-bias` takes the level of `sample`.
    IgnoredOperand,
    /// The bias of a declaration is not added.
    IgnoredBias,
    /// A level of detail may lie outside the limits of a declaration.
    IgnoredLimits,
    /// `sample-projected` does not divide.
    UndividedPlace,
    /// `texture-lod` gives the level that is taken twice.
    LimitedQuery,
    /// Behind the greatest coordinate the repetition goes on.
    EndlessCoordinates,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ForgottenLocal,
        Self::OtherArm,
        Self::ForgottenDecision,
        Self::CapturedName,
        Self::OneRoundMore,
    ];

    /// The mutants of textures. All engines share them, so only an oracle finds them.
    pub const OF_TEXTURES: [Self; 1] = [Self::FarMirror];

    /// The mutants of observation.
    pub const OF_TRACES: [Self; 3] = [Self::DoubledRound, Self::NeighboursProbe, Self::FoldedProbe];

    /// The mutants of cubes, likewise.
    pub const OF_CUBES: [Self; 2] = [Self::FlatSeam, Self::OpenCorner];

    /// The mutants of further samplers, likewise.
    pub const OF_SAMPLERS: [Self; 12] = [
        Self::WideBorder,
        Self::MirroredTwice,
        Self::SharedWrap,
        Self::SwappedComparison,
        Self::GatheredRows,
        Self::IgnoredOffset,
        Self::IgnoredOperand,
        Self::IgnoredBias,
        Self::IgnoredLimits,
        Self::UndividedPlace,
        Self::LimitedQuery,
        Self::EndlessCoordinates,
    ];

    /// The mutants of values with parts.
    pub const OF_PARTS: [Self; 1] = [Self::WrongField];
}

lambdav_core::mutants!();
