//! Which values of a scheduled program are computed once for the whole frame, before all groups.
//!
//! A statement of the root is, if all that it computes, inside it too, is of the rate of the frame, and
//! so is all that it takes. That is what [`hoist`](super::dead_code::hoist) moves to the front once the
//! statement has been lowered.
//!
//! Where all values of a type of arrays are, these arrays do not lie in memory: their words are values of the
//! frame. What they go through is done once, and an index that differs between pixels reads one of the
//! words ([`Expr::Lookup`](super::Expr::Lookup)).

use lambdav_core::schedule::{End, Event, Places, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};
use rustc_hash::FxHashSet;

use super::Rate;
use super::arrays::{Arrays, Choice, chosen};
use super::rates::{Of, Rates};
use crate::cost;

/// The arrays of a program with these choices that lie in memory; all of them, if nothing is computed once
/// for the frame.
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

/// Those of these types whose arrays are words of the frame.
fn words_of_frame(
    program: &Program,
    places: &Places,
    of: Of<'_>,
    choices: &[Choice],
    chosen: &FxHashSet<Type>,
) -> FxHashSet<Type> {
    let types = &program.types;
    // (A truth value is no word.)
    let is_of_words = |ty: &Type| {
        types.components(*ty) <= cost::MOST_FRAME_WORDS
            && types.scalars(*ty).all(|scalar| scalar != Scalar::Bool)
    };
    let mut found: FxHashSet<Type> = chosen.iter().copied().filter(is_of_words).collect();
    // What is of the frame as long as others are that turn out not to be.
    loop {
        let others = chosen.difference(&found).copied().collect();
        let rates = Rates::new(program, places, &Arrays::of_types(program, others), of);
        let is_of_frame = of_frame(program, &rates);
        let before = found.len();
        found.retain(|&ty| {
            let is_large = types.components(ty) > cost::MOST_SELECTED_WORDS;
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

/// Of each value, whether it is.
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
    /// The values of statements that are, and those of the statement that is looked at.
    known: Vec<bool>,
    /// The values that the statement of the root has defined so far, inside it too.
    inside: Vec<ValueId>,
    /// Whether it may still be one.
    fits: bool,
    /// How many statements around this one have blocks.
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

    /// After a statement: if it is one of the root, what it has defined is of the frame, or is not.
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
