//! Mutants of the core: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is a mistake that a scheduler or evaluator could really contain. Mutants exist only with the feature
//! `mutants`; without it [`is_active`] is false at compile time. Every crate with mutants has such a module,
//! with a switch made by [`mutants!`](crate::mutants!).

use crate::types::{Type, Types};

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Folded products are one ulp too large.
    InexactFolding = 1,
    /// An `if` with a constant condition becomes the arm not taken.
    FoldedToOtherArm,
    /// The scheduler evaluates a guarded node even if no arm that needs it is taken.
    EscapedGuard,
    /// The scheduler takes one arm of a decision for both.
    OneArm,
    /// The scheduler hoists a loop out of the arm that contains it.
    ShallowLoop,
    /// The scheduler hoists computations out of loops whose parameters they use.
    IgnoredParameter,
    /// The scheduler swaps the arms of the `if`s in a loop's tail.
    SwappedTails,
    /// The evaluator assigns the parameters of a loop one after the other.
    SequentialRec,
    /// The evaluator returns the wrong operand of a minimum if both are equal or one is a NaN.
    WrongMinimum,
    /// Simplification drops operands that come before a part of a value and might not end.
    DroppedOperand,
    /// The odd row of a derivative is one row too low.
    WrongRow,
    /// A pixel that is not discarded gets the clear colour, too.
    KeptColour,
    /// Equal operations with effects are hash-consed.
    MergedEffects,
    /// The scheduler moves loads past the operations that consume their states.
    LateLoad,
    /// The scheduler guards operations with effects like loops.
    GuardedEffect,
    /// The checker of states accepts an access to a state that is not the current one.
    StaleState,
    /// A dispatch goes on at barriers without waiting.
    SkippedBarrier,
    /// A dispatch runs the invocations of a workgroup in reverse order.
    ReversedInvocations,
    /// A dispatch runs the workgroups in reverse order.
    ReversedWorkgroups,
    /// The atomic sum and maximum are exchanged.
    ExchangedAtomics,
    /// The result of an atomic operation is the new word.
    NewWord,
    /// A store beyond the end goes to the last word.
    ClampedStore,
    /// A workgroup finds the words that the one before it has left.
    KeptWorkgroup,
    /// A pass does not ask whether the element that it writes exists.
    UncheckedElement,
    /// A pass combines an element that is a NaN.
    ReplacedNan,
    /// An appended element is the next but one.
    SkippedElement,
    /// The record of a unique scatter forgets that it was unique.
    ForgottenUnique,
    /// A lane reports the sites of an arm that it does not execute.
    InactiveProbe,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::InexactFolding,
        Self::FoldedToOtherArm,
        Self::EscapedGuard,
        Self::OneArm,
        Self::ShallowLoop,
        Self::IgnoredParameter,
        Self::SwappedTails,
        Self::SequentialRec,
        Self::WrongMinimum,
        Self::KeptColour,
    ];

    /// The mutants of memory.
    pub const OF_MEMORY: [Self; 11] = [
        Self::MergedEffects,
        Self::LateLoad,
        Self::GuardedEffect,
        Self::StaleState,
        Self::SkippedBarrier,
        Self::ReversedInvocations,
        Self::ReversedWorkgroups,
        Self::ExchangedAtomics,
        Self::NewWord,
        Self::ClampedStore,
        Self::KeptWorkgroup,
    ];

    /// The mutants of passes.
    pub const OF_PASSES: [Self; 4] =
        [Self::UncheckedElement, Self::ReplacedNan, Self::SkippedElement, Self::ForgottenUnique];

    /// The mutants of values with parts.
    pub const OF_PARTS: [Self; 1] = [Self::DroppedOperand];

    /// The mutants of reports.
    pub const OF_REPORTS: [Self; 1] = [Self::InactiveProbe];

    /// The mutants of derivatives.
    pub const OF_DERIVATIVES: [Self; 1] = [Self::WrongRow];
}

/// The case and field whose words a mutant reads instead of the given ones: another case's field of the same
/// type at other words, if there is one.
pub fn mistaken_payload(types: &Types, ty: Type, case: u32, field: u32) -> (u32, u32) {
    let wanted = types.payload(ty, case, field);
    let Some((of, places)) = wanted else { return (case, field) };
    let cases = types.variant(ty).map_or(&[][..], |variant| &variant.cases);
    let others = (0..).zip(cases).filter(|&(other, _)| other != case);
    let mut fields = others.flat_map(|(other, found)| {
        let count = found.fields.len() as u32;
        (0..count).map(move |field| (other, field))
    });
    let is_mistaken = |&(other, field): &(u32, u32)| {
        let found = types.payload(ty, other, field);
        found.is_some_and(|(ty, elsewhere)| ty == of && elsewhere != places)
    };
    fields.find(is_mistaken).unwrap_or((case, field))
}

/// Defines the switch, the functions `activate` and `is_active`, for an enumeration `Mutant` whose numbers
/// begin at 1, in a crate with the feature `mutants`.
#[macro_export]
macro_rules! mutants {
    () => {
        static ACTIVE: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

        /// Activates one mutant for the whole process, or none.
        #[cfg(feature = "mutants")]
        pub fn activate(mutant: Option<Mutant>) {
            let number = mutant.map_or(0, |mutant| mutant as u8);
            ACTIVE.store(number, std::sync::atomic::Ordering::Relaxed);
        }

        /// True if this mutant is active.
        pub(crate) fn is_active(mutant: Mutant) -> bool {
            cfg!(feature = "mutants")
                && ACTIVE.load(std::sync::atomic::Ordering::Relaxed) == mutant as u8
        }
    };
}

mutants!();
