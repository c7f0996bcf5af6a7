//! Which values of a scheduled program are computed once for the whole frame, before all groups.
//!
//! A statement of the root is, if all that it computes, inside it too, is of the rate of the frame, and
//! so is all that it takes. That is what [`hoist`](super::dead_code::hoist) moves to the front once the
//! statement has been lowered.

use lambdav_core::schedule::{End, Event, Program, Statement, ValueId};

use super::Rate;
use super::rates::Rates;

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
