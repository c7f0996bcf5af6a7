//! Which values are right in every lane, active or not.
//!
//! A value is *whole* if each lane, wherever its block is executed, holds what the source says of the
//! lane's pixel. Coordinates, inputs and constants are; so is what total operations and loads make of
//! whole values. What masks have a say in is not:
//!
//! - what depends on the lanes that are active, by [`Expr::ExecutionMask`] or [`Expr::Any`];
//! - the values of an `if` or a loop, and a loop's parameters, of which a condition is not whole: lanes
//!   that nobody asked for may not have been where they belong;
//! - an elementary function in the lanes of a mask, and arrays, which are stored under masks.
//!
//! A loop whose conditions are whole makes the same rounds for all lanes, since conditions are the same
//! for all of a group. If it ends for one lane, it ends for all of them.

use super::walk::{Event, Walk, tail};
use super::{BlockId, End, Expr, Kind, LaneProgram, Statement, ValueId};
use crate::mutants::{Mutant, is_active};

/// What each value is made of, and which values are not whole of themselves.
pub(super) struct Whole {
    is: Vec<bool>,
    /// What each value is made of, conditions included, masks of functions not.
    sources: Vec<Vec<ValueId>>,
}

impl Whole {
    /// Of a program, where elementary functions count by `is_total`: whether one with that mask is
    /// computed in every lane.
    pub(super) fn new(program: &LaneProgram, is_total: impl Fn(Option<ValueId>) -> bool) -> Self {
        let count = program.values.len();
        let mut sources = Sources {
            program,
            of: vec![Vec::new(); count],
            partial: Vec::new(),
            targets: vec![[&[], &[]]; program.blocks.len()],
        };
        for event in Walk::new().events(program) {
            sources.event(event, &is_total);
        }
        let Sources { of: sources, partial, .. } = sources;
        let mut users = vec![Vec::new(); count];
        for (value, of) in (0..).map(ValueId).zip(&sources) {
            for source in of {
                users[source.index()].push(value);
            }
        }
        let partial = if is_active(Mutant::PartialQuad) { Vec::new() } else { partial };
        let (mut is, mut stack) = (vec![true; count], partial);
        while let Some(value) = stack.pop() {
            if std::mem::replace(&mut is[value.index()], false) {
                stack.extend(&users[value.index()]);
            }
        }
        Self { is, sources }
    }

    /// Whether a value is whole.
    pub(super) fn contains(&self, value: ValueId) -> bool {
        self.is[value.index()]
    }

    /// These values and all that they are made of.
    pub(super) fn cone(&self, of: impl IntoIterator<Item = ValueId>) -> Vec<bool> {
        let mut seen = vec![false; self.is.len()];
        let mut stack: Vec<ValueId> = of.into_iter().collect();
        while let Some(value) = stack.pop() {
            if !std::mem::replace(&mut seen[value.index()], true) {
                stack.extend(&self.sources[value.index()]);
            }
        }
        seen
    }
}

struct Sources<'p> {
    program: &'p LaneProgram,
    of: Vec<Vec<ValueId>>,
    /// What is not whole, whatever it is made of.
    partial: Vec<ValueId>,
    /// What the yields and the `rec`s of each block become.
    targets: Vec<[&'p [ValueId]; 2]>,
}

impl Sources<'_> {
    fn event(&mut self, event: Event, is_total: &impl Fn(Option<ValueId>) -> bool) {
        let program = self.program;
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                Statement::Let { value, expr } => self.computation(*value, expr, is_total),
                Statement::If { values, condition, then, otherwise } => {
                    self.depend(values, &[*condition]);
                    for arm in [then, otherwise] {
                        self.targets[arm.index()] = [values, &[]];
                    }
                }
                Statement::Loop { values, params, inits, body, .. } => {
                    self.flow(params, inits);
                    let conditions = conditions(program, *body);
                    self.depend(values, &conditions);
                    self.depend(params, &conditions);
                    self.targets[body.index()] = [values, params];
                }
            },
            Event::End(id) => {
                let [results, params] = self.targets[id.index()];
                match &program.block(id).end {
                    End::Yield(values) => self.flow(results, values),
                    End::Rec(values) => self.flow(params, values),
                    End::If { then, otherwise, .. } => {
                        for arm in [then, otherwise] {
                            self.targets[arm.index()] = [results, params];
                        }
                    }
                }
            }
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => {}
        }
    }

    fn computation(
        &mut self,
        value: ValueId,
        expr: &Expr,
        is_total: &impl Fn(Option<ValueId>) -> bool,
    ) {
        let is_partial = match expr {
            Expr::Undefined | Expr::ExecutionMask | Expr::Any(_) | Expr::At { .. } => true,
            Expr::Elementary { mask, .. } => !is_total(*mask),
            _ => matches!(self.program.kind(value), Kind::Array(_)),
        };
        if is_partial {
            self.partial.push(value);
        }
        match expr {
            Expr::Elementary { operands, .. } => self.depend(&[value], operands),
            _ => self.of[value.index()].extend(expr.operands()),
        }
    }

    fn flow(&mut self, to: &[ValueId], from: &[ValueId]) {
        for (to, &from) in to.iter().zip(from) {
            self.of[to.index()].push(from);
        }
    }

    fn depend(&mut self, values: &[ValueId], on: &[ValueId]) {
        for value in values {
            self.of[value.index()].extend(on);
        }
    }
}

/// The conditions by which a loop's rounds end.
fn conditions(program: &LaneProgram, body: BlockId) -> Vec<ValueId> {
    let ends = tail(program, body).into_iter().map(|id| &program.block(id).end);
    let conditions = ends.filter_map(|end| match end {
        End::If { condition, .. } => Some(*condition),
        End::Yield(_) | End::Rec(_) => None,
    });
    conditions.collect()
}
