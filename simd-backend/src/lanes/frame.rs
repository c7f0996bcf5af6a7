//! Values of a scheduled program that are computed once for the frame, before all groups.
//!
//! A statement of the root is *of the frame* if all values that it computes, nested ones included, have the
//! rate of the frame, and all its operands are of the frame. [`hoist`](super::dead_code::hoist) moves such
//! a statement to the front after lowering.
//!
//! If all values of an array type are of the frame, these arrays do not lie in memory: their words are
//! values of the frame. They are computed once, and an index that varies between pixels reads one of the
//! words ([`LaneExpr::Lookup`](super::LaneExpr::Lookup)).

use lambdav_core::schedule::{End, Event, Places, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};
use rustc_hash::FxHashSet;

use super::Rate;
use super::arrays::{Arrays, Choice, chosen};
use super::rates::{Of, Rates};
use crate::cost;

/// The arrays of a program with these choices that lie in memory. Without hoisting there are no words of
/// the frame, so all of them do.
pub(super) fn arrays(
    program: &Program,
    places: &Places,
    of: Of<'_>,
    hoist: bool,
    choices: &[Choice],
) -> Arrays {
    let mut chosen = chosen(program, places, choices);
    if hoist && !chosen.is_empty() {
        for ty in words_of_frame(program, places, of, choices, &chosen) {
            chosen.remove(&ty);
        }
    }
    Arrays::new(program, chosen)
}

/// The array types whose arrays are words of the frame.
fn words_of_frame(
    program: &Program,
    places: &Places,
    of: Of<'_>,
    choices: &[Choice],
    chosen: &FxHashSet<Type>,
) -> FxHashSet<Type> {
    let types = &program.types;
    // A truth value is not a word.
    let is_of_words = |ty: &Type| {
        types.components(*ty) <= cost::MAX_FRAME_WORDS
            && types.scalars(*ty).all(|scalar| scalar != Scalar::Bool)
    };
    let mut found: FxHashSet<Type> = chosen.iter().copied().filter(is_of_words).collect();
    // A type is of the frame only if the types that it depends on are. Remove types until a fixed point is
    // reached.
    loop {
        let others = chosen.difference(&found).copied().collect();
        let rates = Rates::new(program, places, &Arrays::of_types(program, others), of);
        let is_of_frame = of_frame(program, &rates);
        let before = found.len();
        found.retain(|&ty| {
            let is_large = types.components(ty) > cost::MAX_SELECTED_WORDS;
            let mut choices = choices.iter().filter(|choice| choice.ty == ty);
            let is_same =
                |choice: &Choice| rates.of(choice.value).iter().all(|&rate| rate == Rate::FRAME);
            let are_selected = is_large && choices.any(is_same);
            let arrays = Arrays::of_types(program, std::iter::once(ty).collect());
            let is_fine = |&value: &ValueId| {
                is_of_frame[value.index()]
                    || places.is_in_memory(value)
                    || arrays.of(program.ty(value)).is_empty()
            };
            !are_selected
                && program.walk().all(|event| match event {
                    Event::Statement(
                        _,
                        Statement::Let { value, .. } | Statement::If { value, .. },
                    ) => is_fine(value),
                    Event::Statement(_, Statement::Loop { value, params, .. }) => {
                        is_fine(value) && params.iter().all(is_fine)
                    }
                    _ => true,
                })
        });
        if found.len() == before {
            return found;
        }
    }
}

/// `of_frame[v]`: v is computed once for the frame.
pub(super) fn of_frame(program: &Program, rates: &Rates) -> Vec<bool> {
    let mut search = Search {
        rates,
        known: vec![false; program.values.len()],
        inside: Vec::new(),
        fits: true,
        open: 0,
    };
    for event in program.walk() {
        search.look(event);
    }
    search.known
}

struct Search<'p> {
    rates: &'p Rates,
    /// True for values of statements known to be of the frame, and for values of the current statement.
    known: Vec<bool>,
    /// The values that the current statement of the root has defined so far, nested ones included.
    inside: Vec<ValueId>,
    /// True if the current statement may still be of the frame.
    fits: bool,
    /// Number of open statements with inner blocks.
    open: usize,
}

impl Search<'_> {
    fn look(&mut self, event: Event<'_>) {
        match event {
            Event::Statement(_, statement) => {
                self.take(statement.uses());
                match statement {
                    Statement::Let { value, .. } => {
                        self.define(*value);
                        self.close();
                        return;
                    }
                    Statement::If { .. } => {}
                    Statement::Loop { params, .. } => {
                        params.iter().for_each(|&param| self.define(param));
                    }
                }
                self.open += 1;
            }
            Event::End(_, end) => match end {
                End::Yield(values) | End::Rec(values) => self.take(values),
                End::If { condition, .. } => self.take(&[*condition]),
            },
            Event::After(_, statement) => {
                if let Statement::If { value, .. } | Statement::Loop { value, .. } = statement {
                    self.define(*value);
                    self.open -= 1;
                    self.close();
                }
            }
            Event::Enter(..) | Event::Leave(_) => {}
        }
    }

    fn take(&mut self, values: &[ValueId]) {
        self.fits &= values.iter().all(|value| self.known[value.index()]);
    }

    fn define(&mut self, value: ValueId) {
        self.fits &= self.rates.of(value).iter().all(|&rate| rate == Rate::FRAME);
        self.known[value.index()] = true;
        self.inside.push(value);
    }

    /// The end of a statement. At the root it decides if the values defined are of the frame.
    fn close(&mut self) {
        if self.open > 0 {
            return;
        }
        let fits = std::mem::replace(&mut self.fits, true);
        for value in self.inside.drain(..) {
            self.known[value.index()] = fits;
        }
    }
}
