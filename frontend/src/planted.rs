//! Mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that a compiler or evaluator of a functional language could really make. They are there only with
//! the feature `planted-bugs`; without it [`is_planted`] is false at compile time.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bug {
    /// Elaboration takes arguments for the same that differ in the last of the locals that they use.
    ForgottenLocal = 1,
    /// Folded products are one ulp too large.
    InexactFolding,
    /// An `if` of a constant condition becomes the arm that is not taken.
    FoldedToOtherArm,
    /// The scheduler evaluates what several arms need before them, whether or not one of them is taken.
    EscapedGuard,
    /// The scheduler takes a loop out of the arm that it stands in.
    ShallowLoop,
    /// The scheduler takes computations out of loops that they depend on.
    IgnoredParameter,
    /// The scheduler swaps the arms of decisions that end rounds of loops.
    SwappedTails,
    /// The core evaluator gives the parameters of a loop their values one after the other.
    SequentialRec,
    /// The core evaluator takes the wrong operand of a minimum where they are equal or a NaN.
    WrongMinimum,
    /// The source evaluator lets names mean what they do outside the function whose parameters they are.
    CapturedName,
    /// The source evaluator allows a loop one round more.
    OneRoundMore,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::ForgottenLocal,
        Self::InexactFolding,
        Self::FoldedToOtherArm,
        Self::EscapedGuard,
        Self::ShallowLoop,
        Self::IgnoredParameter,
        Self::SwappedTails,
        Self::SequentialRec,
        Self::WrongMinimum,
        Self::CapturedName,
        Self::OneRoundMore,
    ];
}

/// The switch of an enumeration `Bug` of a crate with the feature `planted-bugs`, whose numbers begin at 1: `plant` and
/// `is_planted`.
#[doc(hidden)]
#[macro_export]
macro_rules! switch_of_planted_bugs {
    () => {
        static PLANTED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

        /// Switches a mistake on, for the whole process, or all off.
        #[cfg(feature = "planted-bugs")]
        pub fn plant(bug: Option<Bug>) {
            let number = bug.map_or(0, |bug| bug as u8);
            PLANTED.store(number, std::sync::atomic::Ordering::Relaxed);
        }

        /// Whether a mistake is to be made.
        pub(crate) fn is_planted(bug: Bug) -> bool {
            cfg!(feature = "planted-bugs")
                && PLANTED.load(std::sync::atomic::Ordering::Relaxed) == bug as u8
        }
    };
}

switch_of_planted_bugs!();
