//! Whole values: those that are right in every lane, active or not.
//!
//! A value is *whole* if, wherever its block is executed, each lane holds the source's value at the lane's
//! pixel. Coordinates, inputs and constants are whole. Total operations and loads of whole values are
//! whole. Values that depend on masks are not:
//!
//! - values that depend on the active lanes, by [`LaneExpr::ExecutionMask`] or [`LaneExpr::Any`];
//! - the values of an `if` or a loop, and a loop's parameters, if a condition is not whole: inactive lanes
//!   may have taken another path than their pixels would;
//! - elementary functions under a mask, and words of arrays and memories, which are stored under masks.
//!
//! A loop with whole conditions makes the same rounds for all lanes, since conditions are uniform over a
//! group. If one lane leaves, all lanes leave.

use super::walk::{Event, Walk, tail};
use super::{BlockId, Kind, LaneEnd, LaneExpr, LaneProgram, LaneStatement, ValueId};
use crate::mutants::{Mutant, is_active};

/// The dependencies of each value, and the set of whole values.
pub(super) struct Whole {
    is: Vec<bool>,
    /// Dependencies of each value, conditions included, masks of functions excluded.
    sources: Vec<Vec<ValueId>>,
}

impl Whole {
    /// Analyses a program. `is_total` is true if an elementary function with that mask is computed in every
    /// lane.
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

    /// True if the value is whole.
    pub(super) fn contains(&self, value: ValueId) -> bool {
        self.is[value.index()]
    }

    /// The transitive dependencies of these values, themselves included.
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
    /// Values that are not whole, whatever their dependencies.
    partial: Vec<ValueId>,
    /// Receivers of the yields and of the `rec` arguments of each block.
    targets: Vec<[&'p [ValueId]; 2]>,
}

impl Sources<'_> {
    fn event(&mut self, event: Event, is_total: &impl Fn(Option<ValueId>) -> bool) {
        let program = self.program;
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr } => self.computation(*value, expr, is_total),
                LaneStatement::Access { value, access } => {
                    if let Some(value) = *value {
                        self.partial.push(value);
                        self.of[value.index()].extend(access.operands());
                    }
                }
                LaneStatement::If { values, condition, then, otherwise } => {
                    self.depend(values, &[*condition]);
                    for arm in [then, otherwise] {
                        self.targets[arm.index()] = [values, &[]];
                    }
                }
                LaneStatement::Loop { values, params, inits, body, .. } => {
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
                    LaneEnd::Yield(values) => self.flow(results, values),
                    LaneEnd::Rec(values) => self.flow(params, values),
                    LaneEnd::If { then, otherwise, .. } => {
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
        expr: &LaneExpr,
        is_total: &impl Fn(Option<ValueId>) -> bool,
    ) {
        let is_partial = match expr {
            LaneExpr::Undefined
            | LaneExpr::ExecutionMask
            | LaneExpr::Any(_)
            | LaneExpr::At { .. } => true,
            LaneExpr::Elementary { mask, .. } => !is_total(*mask),
            _ => matches!(self.program.kind(value), Kind::Array(_)),
        };
        if is_partial {
            self.partial.push(value);
        }
        match expr {
            LaneExpr::Elementary { operands, .. } => self.depend(&[value], operands),
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

/// The conditions in a loop's tail.
fn conditions(program: &LaneProgram, body: BlockId) -> Vec<ValueId> {
    let ends = tail(program, body).into_iter().map(|id| &program.block(id).end);
    let conditions = ends.filter_map(|end| match end {
        LaneEnd::If { condition, .. } => Some(*condition),
        LaneEnd::Yield(_) | LaneEnd::Rec(_) => None,
    });
    conditions.collect()
}
