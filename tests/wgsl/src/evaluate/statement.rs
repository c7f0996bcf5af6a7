//! Statements.

use super::{Invocation, Words};
use crate::program::{Case, Expr, Statement};

/// The continuation after a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    /// The end of the function, with its result.
    Return(Words),
}

impl Invocation<'_> {
    pub(super) fn statements(&mut self, all: &[Statement]) -> Result<Flow, String> {
        for statement in all {
            let flow = self.statement(statement)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn condition(&mut self, of: &Expr) -> Result<bool, String> {
        Ok(self.value(of)?[0] != 0)
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<Flow, String> {
        self.step()?;
        match statement {
            Statement::Declare { variable, value, .. } => {
                self.declare(*variable, value.as_ref())?;
            }
            Statement::Pointer(variable, place) => {
                let place = self.place(place)?;
                self.memory.pointers[*variable] = Some(place);
            }
            Statement::Assign(None, target, value) => {
                let place = self.place(target)?;
                let words = self.value(value)?;
                self.write(&place, &words)?;
            }
            Statement::Assign(Some(op), target, value) => {
                let place = self.place(target)?;
                let old = self.read(&place)?;
                let words = self.value(value)?;
                let new = self.compound(*op, (&target.ty, &old), (&value.ty, &words));
                self.write(&place, &new)?;
            }
            Statement::Phony(of) | Statement::Call(of) => drop(self.value(of)?),
            Statement::Step { target, is_decrement } => {
                let place = self.place(target)?;
                let old = self.read(&place)?[0];
                let new = if *is_decrement { old.wrapping_sub(1) } else { old.wrapping_add(1) };
                self.write(&place, &[new])?;
            }
            Statement::If(condition, yes, no) => {
                return match (self.condition(condition)?, no) {
                    (true, _) => self.statements(yes),
                    (false, Some(no)) => self.statements(no),
                    (false, None) => Ok(Flow::Next),
                };
            }
            Statement::For { first, condition, step, body } => {
                if let Some(first) = first {
                    self.statement(first)?;
                }
                return self.rounds(condition.as_ref(), body, step.as_deref(), None);
            }
            Statement::While(condition, body) => {
                return self.rounds(Some(condition), body, None, None);
            }
            Statement::Loop { body, continuing, end } => {
                return self.rounds(None, body, continuing, end.as_ref());
            }
            Statement::Switch(selector, cases) => return self.switch(selector, cases),
            Statement::Block(body) => return self.statements(body),
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Return(value) => {
                let words = value.as_ref().map_or(Ok(Vec::new()), |value| self.value(value))?;
                return Ok(Flow::Return(words));
            }
            Statement::Discard => self.is_discarded = true,
            Statement::Assert(of) => {
                if !self.condition(of)? {
                    return Err("`const_assert` is false".into());
                }
            }
        }
        Ok(Flow::Next)
    }

    /// The rounds of a loop; `end` is the condition after each.
    fn rounds<'s>(
        &mut self,
        condition: Option<&Expr>,
        body: &[Statement],
        continuing: impl IntoIterator<Item = &'s Statement> + Clone,
        end: Option<&Expr>,
    ) -> Result<Flow, String> {
        loop {
            self.step()?;
            self.history.rounds += 1;
            if let Some(condition) = condition
                && !self.condition(condition)?
            {
                return Ok(Flow::Next);
            }
            match self.statements(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ Flow::Return(_) => return Ok(flow),
            }
            for statement in continuing.clone() {
                self.statement(statement)?;
            }
            if let Some(end) = end
                && self.condition(end)?
            {
                return Ok(Flow::Next);
            }
        }
    }

    fn switch(&mut self, selector: &Expr, cases: &[Case]) -> Result<Flow, String> {
        let selector = self.value(selector)?;
        let mut chosen = None;
        for case in cases {
            for label in &case.labels {
                match label {
                    Some(label) if self.value(label)? == selector => chosen = Some(case),
                    None if chosen.is_none() => chosen = Some(case),
                    _ => continue,
                }
                if label.is_some() {
                    return self.clause(case);
                }
            }
        }
        chosen.map_or(Ok(Flow::Next), |case| self.clause(case))
    }

    fn clause(&mut self, case: &Case) -> Result<Flow, String> {
        match self.statements(&case.body)? {
            Flow::Break => Ok(Flow::Next),
            flow => Ok(flow),
        }
    }
}
