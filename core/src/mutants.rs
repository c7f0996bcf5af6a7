//! Mutants of the core: mistakes that can be switched on, to show that the tests find them.
//!
//! Each is one that a scheduler or evaluator could really contain. They are there only with the
//! feature `mutants`; without it [`is_active`] is false at compile time. Every crate with mutants
//! has a module like this one, and the switch that [`mutants!`](crate::mutants!) makes.

use crate::types::{Type, Types};

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mutant {
    /// Folded products are one ulp too large.
    InexactFolding = 1,
    /// An `if` of a constant condition becomes the arm that is not taken.
    FoldedToOtherArm,
    /// The scheduler evaluates what several arms need before them, whether or not one of them is
    /// taken.
    EscapedGuard,
    /// The scheduler takes a loop out of the arm that it stands in.
    ShallowLoop,
    /// The scheduler takes computations out of loops that they depend on.
    IgnoredParameter,
    /// The scheduler swaps the arms of decisions that end rounds of loops.
    SwappedTails,
    /// The evaluator sets the parameters of a loop to their values one after the other.
    SequentialRec,
    /// The evaluator takes the wrong operand of a minimum where they are equal or a NaN.
    WrongMinimum,
    /// Simplification forgets what was to be evaluated before a part of a value, although it might
    /// not end.
    DroppedOperand,
    /// The lower neighbour of a derivative is taken a row too low.
    WrongRow,
    /// A pixel that is not discarded keeps its colour, too.
    KeptColour,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::InexactFolding,
        Self::FoldedToOtherArm,
        Self::EscapedGuard,
        Self::ShallowLoop,
        Self::IgnoredParameter,
        Self::SwappedTails,
        Self::SequentialRec,
        Self::WrongMinimum,
        Self::KeptColour,
    ];

    /// Those of values with parts.
    pub const OF_PARTS: [Self; 1] = [Self::DroppedOperand];

    /// Those of derivatives.
    pub const OF_DERIVATIVES: [Self; 1] = [Self::WrongRow];
}

/// The case and field whose words a mistaken reader of variants takes for those of another: another
/// case's field of the same type, where there is one that lies elsewhere.
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

/// The switch of an enumeration `Mutant` in a crate with the feature `mutants`, whose numbers begin
/// at 1: the functions `activate` and `is_active`.
#[macro_export]
macro_rules! mutants {
    () => {
        static ACTIVE: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

        /// Switches a mutant on, for the whole process, or all off.
        #[cfg(feature = "mutants")]
        pub fn activate(mutant: Option<Mutant>) {
            let number = mutant.map_or(0, |mutant| mutant as u8);
            ACTIVE.store(number, std::sync::atomic::Ordering::Relaxed);
        }

        /// Whether that mistake is to be made.
        pub(crate) fn is_active(mutant: Mutant) -> bool {
            cfg!(feature = "mutants")
                && ACTIVE.load(std::sync::atomic::Ordering::Relaxed) == mutant as u8
        }
    };
}

mutants!();
