//! Statements: structured control flow of SPIR-V.

use super::checker::Checker;
use super::declarations::OPERANDS;
use super::items::Stage;
use super::values::Value;
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{Condition, Expression, Loop, Statement, What};
use crate::types::{Kind, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(super) fn statements(&mut self, all: &[Statement]) {
        for statement in all {
            self.statement(statement);
        }
    }

    /// A statement in a scope of its own.
    fn scoped(&mut self, of: &Statement) {
        self.scopes.enter();
        match &of.what {
            What::Block(statements) => self.statements(statements),
            _ => self.statement(of),
        }
        self.scopes.leave();
    }

    /// Notes the author's line for the instructions that follow.
    pub(super) fn line(&mut self, at: Span) {
        self.statement_at = at;
        let Some(place) = self.place_of(at) else { return };
        if self.body().line != place {
            self.body().line = place;
            self.act(Op::Line, &place);
        }
    }

    /// Notes the author's line for the instructions behind a position of the function, if there are any.
    pub(super) fn line_before(&mut self, position: usize, at: Span) {
        let code = self.body().builder.split(position);
        if !code.is_empty() {
            self.line(at);
        }
        self.body().builder.append(&code, false);
    }

    /// The id of the file's name, line and column.
    pub(super) fn place_of(&mut self, at: Span) -> Option<[u32; 3]> {
        let file = *self.files.get(self.set.source.file_index(at.start))?;
        let first = self.positions.of(at.start, self.set.source);
        Some([file, first.line, first.column])
    }

    /// Code that cannot be reached still needs a block.
    fn reopen(&mut self) {
        if self.body().builder.ended() {
            let label = self.module.id();
            self.begin_block(label);
        }
    }

    fn statement(&mut self, of: &Statement) {
        self.reopen();
        self.line(of.span);
        match &of.what {
            What::Empty => {}
            What::Expression(expression) => {
                self.expression(*expression);
            }
            What::Declaration(declaration) => self.local(declaration),
            What::Prototype(function) => self.function(function),
            What::Block(statements) => {
                self.scopes.enter();
                self.statements(statements);
                self.scopes.leave();
            }
            What::If { arms, otherwise } => self.selection(arms, otherwise.as_deref()),
            What::Switch { value, body } => self.switch(*value, body),
            What::Case(_) => {
                self.wrong(
                    DiagnosticCode::GlslPlacement,
                    of.span,
                    "a label of a `switch` stands outside of one, or in a block in it",
                );
            }
            What::Loop(one) => self.repeat(one),
            What::Break => match self.body().targets.last() {
                Some(&(merge, _)) => self.end(Op::Branch, &[merge]),
                None => self.misplaced(of.span, "`break` stands outside of loops and switches"),
            },
            What::Continue => {
                let target = self.body().targets.iter().rev().find_map(|&(_, to)| to);
                match target {
                    Some(label) => self.end(Op::Branch, &[label]),
                    None => self.misplaced(of.span, "`continue` stands outside of loops"),
                }
            }
            What::Return(value) => self.result(*value, of.span),
            What::Discard | What::Demote if self.set.stage != Stage::Fragment => {
                self.misplaced(of.span, "`discard` belongs to the fragment stage");
            }
            What::Discard => self.end(Op::Kill, &[]),
            What::Demote => {
                self.module.capability(rspirv::spirv::Capability::DemoteToHelperInvocation);
                self.module.extension("SPV_EXT_demote_to_helper_invocation");
                self.act(Op::DemoteToHelperInvocation, &[]);
            }
        }
    }

    fn misplaced(&mut self, at: Span, message: &str) {
        self.wrong(DiagnosticCode::GlslPlacement, at, message);
    }

    fn result(&mut self, value: Option<Expression>, at: Span) {
        let wanted = self.body().result;
        match (value, wanted) {
            (None, Types::VOID) => self.end(Op::Return, &[]),
            (None, _) => {
                let name = self.type_name(wanted);
                self.wrong(
                    DiagnosticCode::GlslTypes,
                    at,
                    format!("the function returns {name}, and here is no value"),
                );
            }
            (Some(value), Types::VOID) => {
                let found = self.rvalue(value);
                if found.is_some_and(|found| found.ty == Types::VOID) {
                    self.end(Op::Return, &[]);
                    return;
                }
                self.wrong(
                    DiagnosticCode::GlslTypes,
                    value.span,
                    "a `void` function returns no value",
                );
            }
            (Some(value), wanted) => {
                let Some(found) = self.rvalue(value) else { return };
                let found = self.coerce(&found, wanted, value.span, "the function returns");
                if let Some(found) = found {
                    let id = self.id(&found);
                    self.end(Op::ReturnValue, &[id]);
                }
            }
        }
    }

    /// The condition of a statement; false after an error.
    fn test(&mut self, of: Expression) -> Value {
        let operand = self.expression(of);
        match self.condition(operand, of.span) {
            Some(value) => value,
            None => self.splat_value(Types::BOOL, 0),
        }
    }

    /// `if` and its `else if`s. The merge blocks of the arms follow one another at the end.
    fn selection(&mut self, arms: &[(Expression, Statement)], otherwise: Option<&Statement>) {
        let mut merges = Vec::new();
        for (k, (condition, body)) in arms.iter().enumerate() {
            self.line(condition.span);
            let test = self.test(*condition);
            let test = self.id(&test);
            let [yes, merge] = [self.module.id(), self.module.id()];
            let is_last = k + 1 == arms.len() && otherwise.is_none();
            let no = if is_last { merge } else { self.module.id() };
            self.act(Op::SelectionMerge, &[merge, 0]);
            self.end(Op::BranchConditional, &[test, yes, no]);
            self.begin_block(yes);
            self.scoped(body);
            self.branch(merge);
            merges.push(merge);
            if !is_last {
                self.begin_block(no);
            }
        }
        if let Some(otherwise) = otherwise {
            self.scoped(otherwise);
        }
        let is_open = otherwise.is_some();
        for (k, merge) in merges.into_iter().rev().enumerate() {
            if k > 0 || is_open {
                self.branch(merge);
            }
            self.begin_block(merge);
        }
    }

    /// Ends the open block, if it is open.
    fn branch(&mut self, to: u32) {
        if !self.body().builder.ended() {
            self.end(Op::Branch, &[to]);
        }
    }

    fn repeat(&mut self, of: &Loop) {
        self.scopes.enter();
        if let Some(first) = &of.first {
            self.statement(first);
        }
        let [header, first, body, next, merge] = [(); 5].map(|()| self.module.id());
        self.branch(header);
        self.begin_block(header);
        if let Some(Condition::Expression(expression)) = &of.condition {
            self.line(expression.span);
        }
        self.act(Op::LoopMerge, &[merge, next, 0]);
        self.end(Op::Branch, &[first]);
        self.begin_block(first);
        if !of.test_behind {
            match self.loop_test(of.condition.as_ref()) {
                Some(test) => self.end(Op::BranchConditional, &[test, body, merge]),
                None => self.end(Op::Branch, &[body]),
            }
            self.begin_block(body);
        }
        let is_skipped = of.test_behind && is_active(Mutant::SkippedCondition);
        let again = if is_skipped { merge } else { next };
        self.body().targets.push((merge, Some(again)));
        self.scoped(&of.body);
        self.body().targets.pop();
        self.branch(next);
        self.begin_block(next);
        if let Some(step) = of.step {
            self.line(step.span);
            self.expression(step);
        }
        if of.test_behind
            && let Some(Condition::Expression(expression)) = &of.condition
        {
            self.line(expression.span);
        }
        match of.test_behind.then(|| self.loop_test(of.condition.as_ref())).flatten() {
            Some(test) => self.end(Op::BranchConditional, &[test, header, merge]),
            None => self.end(Op::Branch, &[header]),
        }
        self.begin_block(merge);
        self.scopes.leave();
    }

    fn loop_test(&mut self, condition: Option<&Condition>) -> Option<u32> {
        let value = match condition? {
            Condition::Expression(expression) => self.test(*expression),
            Condition::Declaration(declaration) => {
                self.local(declaration);
                let [declarator] = &declaration.declarators[..] else { return None };
                let operand = self.named_variable(declarator.name);
                match self.condition(operand, declarator.span) {
                    Some(value) => value,
                    None => self.splat_value(Types::BOOL, 0),
                }
            }
        };
        Some(self.id(&value))
    }

    fn switch(&mut self, value: Expression, body: &[Statement]) {
        let selector = self.rvalue(value);
        let is_integer =
            |ty| matches!(self.types.kind(ty), Kind::Scalar(scalar) if scalar.is_integer());
        let selector = match selector {
            Some(of) if is_integer(of.ty) => of,
            Some(of) => {
                if of.ty != Types::ERROR {
                    let found = self.type_name(of.ty);
                    let message = format!("`switch` takes an integer, and this is {found}");
                    self.wrong(DiagnosticCode::GlslTypes, value.span, message);
                }
                self.splat_value(Types::INT, 0)
            }
            None => self.splat_value(Types::INT, 0),
        };
        let id = self.id(&selector);
        let merge = self.module.id();
        let from = self.body().builder.position();
        let before = self.body().label;
        let mut cases: Vec<(u32, u32)> = Vec::new();
        let mut values = FxHashSet::default();
        let mut default = None;
        // The label of the open case, as long as it has no statement.
        let mut fresh: Option<u32> = None;
        let mut opened = false;
        self.scopes.enter();
        self.body().targets.push((merge, None));
        for statement in body {
            let What::Case(case) = &statement.what else {
                if !opened {
                    self.misplaced(
                        statement.span,
                        "a statement of a `switch` stands before its first label",
                    );
                    break;
                }
                fresh = None;
                self.statement(statement);
                continue;
            };
            let label = match fresh {
                Some(label) => label,
                None => {
                    let label = self.module.id();
                    if opened {
                        self.branch(label);
                        self.begin_block(label);
                    } else {
                        // OpSwitch itself is added behind.
                        self.body().builder.end_later();
                        self.begin_block(label);
                    }
                    label
                }
            };
            (fresh, opened) = (Some(label), true);
            match case {
                None if default.is_some() => {
                    self.misplaced(statement.span, "a `switch` has two `default`s");
                }
                None => default = Some(label),
                Some(case) => {
                    let Some(number) = self.constant_integer(*case, "the value of a case") else {
                        continue;
                    };
                    let number = number as u32;
                    if values.len() == OPERANDS / 2 {
                        let message = format!("a `switch` has at most {} values", OPERANDS / 2);
                        self.wrong(DiagnosticCode::GlslTooLarge, case.span, message);
                        break;
                    }
                    if !values.insert(number) {
                        self.misplaced(case.span, "this value has a case already");
                        continue;
                    }
                    cases.push((number, label));
                }
            }
        }
        self.body().targets.pop();
        self.scopes.leave();
        if opened {
            self.branch(merge);
        }
        let code = self.body().builder.split(from);
        self.body().label = before;
        self.body().builder.reopen();
        self.act(Op::SelectionMerge, &[merge, 0]);
        let mut operands = vec![id, default.unwrap_or(merge)];
        operands.extend(cases.into_iter().flat_map(|(number, label)| [number, label]));
        self.end(Op::Switch, &operands);
        self.body().builder.append(&code, true);
        self.begin_block(merge);
    }
}
