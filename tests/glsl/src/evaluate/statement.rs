//! Statements.

use super::{Invocation, Stop};
use crate::program::{Case, Expr, Scalar, Statement, Type, message_format};
use lambdav_core::float::canonical;
use lambdav_trace::{Argument, Value, printf};

/// What a statement is followed by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    /// The end of the function, with its result.
    Return(Vec<u32>),
}

/// The text of a message.
fn message(number: usize, arguments: &[(Type, Vec<u32>)]) -> String {
    let types: Vec<&Type> = arguments.iter().map(|(ty, _)| ty).collect();
    let argument = |(ty, words): &(Type, Vec<u32>)| {
        let scalar = match ty.scalar() {
            Some(Scalar::Int) => lambdav_trace::Scalar::Int,
            Some(Scalar::Uint) => lambdav_trace::Scalar::Uint,
            Some(Scalar::Bool) => lambdav_trace::Scalar::Bool,
            _ => lambdav_trace::Scalar::Num,
        };
        let is_float = scalar == lambdav_trace::Scalar::Num;
        let words = words.iter().map(|&word| if is_float { canonical(word) } else { word });
        let words = words.collect();
        Argument::Value(Value::Words { ty: "".into(), scalar, words })
    };
    let arguments: Vec<Argument> = arguments.iter().map(argument).collect();
    printf(&message_format(number, &types), &arguments)
}

/// The effect of a loop's body on the loop.
enum Round {
    Again,
    Over,
    Return(Vec<u32>),
}

impl From<Flow> for Round {
    fn from(flow: Flow) -> Self {
        match flow {
            Flow::Next | Flow::Continue => Self::Again,
            Flow::Break => Self::Over,
            Flow::Return(words) => Self::Return(words),
        }
    }
}

impl Invocation<'_> {
    pub(super) fn statements(&mut self, all: &[Statement]) -> Result<Flow, Stop> {
        for statement in all {
            let flow = self.statement(statement)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn condition(&mut self, of: &Expr) -> Result<bool, Stop> {
        Ok(self.value(of)?[0] != 0)
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        self.step()?;
        match statement {
            Statement::Declare { variables, .. } => {
                for (variable, value) in variables {
                    let words = match value {
                        Some(value) => self.value(value)?,
                        None => Vec::new(),
                    };
                    self.set(*variable, words);
                }
            }
            Statement::Expression(expr) => self.dropped(expr)?,
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
                loop {
                    self.step()?;
                    self.history.rounds += 1;
                    if let Some(condition) = condition
                        && !self.condition(condition)?
                    {
                        break;
                    }
                    match self.statements(body)?.into() {
                        Round::Again => {}
                        Round::Over => break,
                        Round::Return(words) => return Ok(Flow::Return(words)),
                    }
                    if let Some(step) = step {
                        self.value(step)?;
                    }
                }
            }
            Statement::While(condition, body) => loop {
                self.history.rounds += 1;
                if !self.condition(condition)? {
                    break;
                }
                self.step()?;
                match self.statements(body)?.into() {
                    Round::Again => {}
                    Round::Over => break,
                    Round::Return(words) => return Ok(Flow::Return(words)),
                }
            },
            Statement::DoWhile(body, condition) => loop {
                self.step()?;
                self.history.rounds += 1;
                match self.statements(body)?.into() {
                    Round::Again => {}
                    Round::Over => break,
                    Round::Return(words) => return Ok(Flow::Return(words)),
                }
                if !self.condition(condition)? {
                    break;
                }
            },
            Statement::Switch(selector, cases) => {
                let selector = self.value(selector)?[0];
                return self.switch(selector, cases);
            }
            Statement::Block(body) => return self.statements(body),
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Return(value) => {
                let words = match value {
                    Some(value) => self.value(value)?,
                    None => Vec::new(),
                };
                return Ok(Flow::Return(words));
            }
            Statement::Discard => return Err(Stop::Discard),
            Statement::Text(_) => {}
            Statement::Print(number, variables) => {
                let mut arguments = Vec::new();
                for &variable in variables {
                    let read = self.program.read(variable);
                    arguments.push((read.ty.clone(), self.value(&read)?));
                }
                self.history.messages.push(message(*number, &arguments));
            }
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, selector: u32, cases: &[Case]) -> Result<Flow, Stop> {
        let with = |label| cases.iter().position(|case: &Case| case.labels.contains(&label));
        let Some(first) = with(Some(selector)).or_else(|| with(None)) else {
            return Ok(Flow::Next);
        };
        for case in &cases[first..] {
            match self.statements(&case.body)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }
}
