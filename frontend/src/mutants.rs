//! Mutants of the frontend: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that a compiler or evaluator of a functional language could really contain. They are
//! there only with the feature `mutants`; without it [`is_active`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Elaboration takes arguments for the same that differ in the last of the locals that they
    /// use.
    ForgottenLocal = 1,
    /// Elaboration gives a name in a clause of a `case` the words of another case's field.
    WrongField,
    /// Elaboration takes the other arm where a decision under `@` is constant.
    OtherArm,
    /// Elaboration forgets the decisions that stay in a round that is unrolled.
    ForgottenDecision,
    /// A mirrored texture is read one texel too far.
    FarMirror,
    /// The source evaluator lets names mean what they do outside the function whose parameters they
    /// are.
    CapturedName,
    /// The source evaluator allows a loop one round more.
    OneRoundMore,
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

    /// Those of textures. All engines have them alike, so only an oracle finds them.
    pub const OF_TEXTURES: [Self; 1] = [Self::FarMirror];

    /// Those of values with parts.
    pub const OF_PARTS: [Self; 1] = [Self::WrongField];
}

lambdav_core::mutants!();
