//! The variables that expressions and statements read and change.

use crate::program::{Direction, Expr, Function, Kind, Statement, VariableId};
use std::collections::BTreeSet;

/// Effects of a part of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Variables that are read.
    pub(crate) reads: BTreeSet<VariableId>,
    /// Variables that are changed.
    pub(crate) writes: BTreeSet<VariableId>,
    /// True if the pixel may be discarded.
    pub(crate) discards: bool,
}

impl Effects {
    /// True if it matters which of the two runs first.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        let meets = |a: &BTreeSet<VariableId>, b: &BTreeSet<VariableId>| !a.is_disjoint(b);
        meets(&self.writes, &other.reads)
            || meets(&self.writes, &other.writes)
            || meets(&self.reads, &other.writes)
    }

    /// True if nothing but the value matters.
    pub(crate) fn is_pure(&self) -> bool {
        self.writes.is_empty() && !self.discards
    }

    fn add(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.discards |= other.discards;
    }
}

/// The variable of a place.
pub(crate) fn root(of: &Expr) -> Option<VariableId> {
    match &of.kind {
        Kind::Variable(variable) => Some(*variable),
        Kind::Field(a, _) | Kind::Index(a, _) | Kind::Swizzle(a, ..) => root(a),
        _ => None,
    }
}

/// Finds effects, with those of the functions known.
pub(crate) struct Finder<'a> {
    /// The functions.
    pub(crate) functions: &'a [Function],
    /// Their effects on global variables.
    pub(crate) known: &'a [Effects],
}

impl Finder<'_> {
    /// Effects of the evaluation of an expression.
    pub(crate) fn of(&self, of: &Expr) -> Effects {
        let mut all = Effects::default();
        self.value(of, &mut all);
        all
    }

    /// Effects of the evaluation of a place alone.
    pub(crate) fn of_place(&self, of: &Expr) -> Effects {
        let mut all = Effects::default();
        self.place(of, &mut all);
        all
    }

    /// Effects of statements.
    pub(crate) fn of_statements(&self, statements: &[Statement]) -> Effects {
        let mut all = Effects::default();
        statements.iter().for_each(|statement| self.statement(statement, &mut all));
        all
    }

    fn place(&self, of: &Expr, all: &mut Effects) {
        match &of.kind {
            Kind::Field(a, _) | Kind::Swizzle(a, ..) => self.place(a, all),
            Kind::Index(a, index) => {
                self.place(a, all);
                self.value(index, all);
            }
            Kind::Variable(_) => {}
            _ => self.value(of, all),
        }
    }

    fn changed(&self, of: &Expr, all: &mut Effects) {
        self.place(of, all);
        all.writes.extend(root(of));
    }

    fn value(&self, of: &Expr, all: &mut Effects) {
        match &of.kind {
            Kind::Variable(variable) => {
                all.reads.insert(*variable);
            }
            Kind::Length(_) => {}
            Kind::Step { target, .. } => {
                self.changed(target, all);
                all.reads.extend(root(target));
            }
            Kind::Assign(op, target, value) => {
                self.value(value, all);
                self.changed(target, all);
                if op.is_some() {
                    all.reads.extend(root(target));
                }
            }
            Kind::Call(function, arguments) => {
                let parameters = &self.functions[*function].parameters;
                for (argument, (_, direction)) in arguments.iter().zip(parameters) {
                    match direction.is_out() {
                        true => self.changed(argument, all),
                        false => self.value(argument, all),
                    }
                    if *direction == Direction::InOut {
                        all.reads.extend(root(argument));
                    }
                }
                all.add(&self.known[*function]);
            }
            Kind::Builtin(builtin, arguments) => {
                let count = builtin.first_out().unwrap_or(arguments.len());
                arguments[..count].iter().for_each(|argument| self.value(argument, all));
                arguments[count..].iter().for_each(|argument| self.changed(argument, all));
            }
            _ => of.operands().into_iter().for_each(|operand| self.value(operand, all)),
        }
    }

    fn statement(&self, statement: &Statement, all: &mut Effects) {
        let mut bodies: Vec<&[Statement]> = Vec::new();
        match statement {
            Statement::Declare { variables, .. } => {
                for (variable, value) in variables {
                    all.writes.insert(*variable);
                    if let Some(value) = value {
                        self.value(value, all);
                    }
                }
            }
            Statement::Expression(of) | Statement::Return(Some(of)) => self.value(of, all),
            Statement::If(condition, yes, no) => {
                self.value(condition, all);
                bodies.extend([&yes[..]].into_iter().chain(no.as_deref()));
            }
            Statement::For { first, condition, step, body } => {
                if let Some(first) = first {
                    self.statement(first, all);
                }
                for of in condition.iter().chain(step) {
                    self.value(of, all);
                }
                bodies.push(body);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                self.value(condition, all);
                bodies.push(body);
            }
            Statement::Switch(selector, cases) => {
                self.value(selector, all);
                bodies.extend(cases.iter().map(|case| &case.body[..]));
            }
            Statement::Block(body) => bodies.push(body),
            Statement::Discard => all.discards = true,
            Statement::Break
            | Statement::Continue
            | Statement::Return(None)
            | Statement::Text(_)
            | Statement::Print(..) => {}
        }
        for statement in bodies.into_iter().flatten() {
            self.statement(statement, all);
        }
    }
}
