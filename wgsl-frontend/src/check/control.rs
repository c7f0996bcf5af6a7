//! Branches, loops and switches.

use super::checker::{Checker, Target};
use super::statements::{Flow, OPERANDS};
use crate::const_eval::Constant;
use crate::syntax::tree::{Clause, Expression, Loop, Statement};
use crate::types::{Kind, Scalar, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// `continue`
    pub(super) fn again(&mut self, at: Span) -> Flow {
        let is_end = |target: &Target| target.next.is_some() || target.merge == 0;
        let Some(k) = self.body().targets.iter().rposition(is_end) else {
            return self.misplaced(at, "`continue` stands outside of loops");
        };
        if self.body().targets[k].merge == 0 {
            return self.misplaced(at, "`continuing` has no `continue`");
        }
        let scope = self.body().targets[k].scope;
        let count = self.scopes.count(scope);
        self.note_continue();
        let target = &mut self.body().targets[k];
        target.names.get_or_insert(count);
        let next = target.next.unwrap_or_default();
        self.end(Op::Branch, &[next]);
        Flow::CONTINUE
    }

    /// The id of the condition of a statement; false after an error.
    fn test(&mut self, of: Expression) -> u32 {
        let operand = self.expression(of);
        match self.condition(operand, of.span, "a condition") {
            Some(value) => self.id(&value),
            None => self.splat_constant(Types::BOOL, 0),
        }
    }

    /// `if` and its `else if`s. The merge blocks of the arms follow one another at the end.
    pub(super) fn selection(
        &mut self,
        arms: &[(Expression, Vec<Statement>)],
        otherwise: Option<&[Statement]>,
    ) -> Flow {
        let mut merges = Vec::new();
        let mut branch = self.enter_branch(0);
        let mut flow = if otherwise.is_some() { Flow::NOWHERE } else { Flow::NEXT };
        for (k, (condition, body)) in arms.iter().enumerate() {
            self.line(condition.span);
            self.next_arm(&mut branch, 0);
            let test = self.test(*condition);
            // What follows an `else` is under the condition, too.
            self.next_arm(&mut branch, test);
            let [yes, merge] = [self.module.id(), self.module.id()];
            let is_last = k + 1 == arms.len() && otherwise.is_none();
            let no = if is_last { merge } else { self.module.id() };
            self.act(Op::SelectionMerge, &[merge, 0]);
            self.end(Op::BranchConditional, &[test, yes, no]);
            self.begin_block(yes);
            flow = flow.with(self.scoped(body));
            self.branch(merge);
            merges.push(merge);
            if !is_last {
                self.begin_block(no);
            }
        }
        if let Some(otherwise) = otherwise {
            self.next_arm(&mut branch, 0);
            flow = flow.with(self.scoped(otherwise));
        }
        self.leave_branch(branch);
        for (k, merge) in merges.into_iter().rev().enumerate() {
            if k > 0 || otherwise.is_some() {
                self.branch(merge);
            }
            self.begin_block(merge);
        }
        self.close_dead(flow);
        flow
    }

    /// Ends the open block if control never comes there.
    fn close_dead(&mut self, flow: Flow) {
        if !flow.goes_on() {
            self.end(Op::Unreachable, &[]);
        }
    }

    pub(super) fn repeat(&mut self, of: &Loop, at: Span) -> Flow {
        self.scopes.enter();
        if let Some(first) = &of.first {
            self.statement(first);
        }
        let [header, first, body, next, merge] = [(); 5].map(|()| self.module.id());
        self.branch(header);
        self.begin_block(header);
        if let Some(test) = of.test {
            self.line(test.span);
        }
        self.act(Op::LoopMerge, &[merge, next, 0]);
        self.end(Op::Branch, &[first]);
        self.begin_block(first);
        let mut branch = self.enter_branch(0);
        match of.test {
            Some(test) => {
                let test = self.test(test);
                self.end(Op::BranchConditional, &[test, body, merge]);
                self.note_exit(test);
                branch.inside |= self.varying.of(test);
                self.varying.here = branch.inside;
            }
            None => self.end(Op::Branch, &[body]),
        }
        self.begin_block(body);
        self.scopes.enter();
        let scope = self.scopes.depth();
        self.body().targets.push(Target { merge, next: Some(next), scope, names: None });
        let flow = self.statements(&of.body);
        let names = self.body().targets.pop().and_then(|target| target.names);
        self.branch(next);
        self.begin_block(next);
        if let Some(names) = names {
            self.scopes.bypass(names);
        }
        // No statement leads out of `continuing`.
        self.body().targets.push(Target { merge: 0, next: None, scope, names: None });
        self.begin_continuing(&branch);
        self.scopes.enter();
        self.statements(&of.continuing);
        self.body().targets.pop();
        self.reopen();
        match of.break_if {
            Some(test) => {
                self.line(test.span);
                let test = self.test(test);
                self.end(Op::BranchConditional, &[test, merge, header]);
                self.note_exit(test);
            }
            None => self.end(Op::Branch, &[header]),
        }
        self.leave_loop(branch);
        self.scopes.leave();
        self.scopes.leave();
        self.scopes.leave();
        self.begin_block(merge);
        let leaves = flow.has(Flow::BREAK) || of.test.is_some() || of.break_if.is_some();
        let mut all = Flow::NOWHERE;
        if leaves {
            all = all.with(Flow::NEXT);
        }
        if flow.has(Flow::RETURN) {
            all = all.with(Flow::RETURN);
        }
        if all == Flow::NOWHERE {
            self.misplaced(at, "the loop never ends");
            self.help("leave it by `break`, `break if` or `return`");
            return Flow::NEXT;
        }
        self.close_dead(all);
        all
    }

    pub(super) fn switch(&mut self, value: Expression, clauses: &[Clause], at: Span) -> Flow {
        let selector = self.value(value).and_then(|found| self.concrete(&found, value.span));
        let is_integer = |checker: &Self, ty| {
            matches!(checker.types.kind(ty), Kind::Scalar(Scalar::Int | Scalar::Uint))
        };
        let selector = match selector {
            Some(found) if is_integer(self, found.ty) => found,
            Some(found) => {
                let name = self.type_name(found.ty);
                let message = format!("`switch` takes an integer, and this is {name}");
                self.wrong(DiagnosticCode::WgslTypes, value.span, message);
                self.zero_value(Types::INT)
            }
            None => self.zero_value(Types::INT),
        };
        let id = self.id(&selector);
        let merge = self.module.id();
        let mut operands = Vec::new();
        let mut known = FxHashSet::default();
        let mut default = None;
        let mut labels = Vec::new();
        for clause in clauses {
            let label = self.module.id();
            labels.push(label);
            for selector_of in &clause.selectors {
                let Some(expression) = selector_of else {
                    if default.replace(label).is_some() {
                        self.misplaced(clause.span, "a `switch` has two `default`s");
                    }
                    continue;
                };
                let found = self.without_overrides(|own| own.value(*expression));
                let Some(found) = found else { continue };
                let what = "the value of the `switch` has the type";
                let Some(found) = self.coerce(&found, selector.ty, expression.span, what) else {
                    continue;
                };
                let Some(Constant::Word(word)) = found.constant else {
                    self.not_constant(expression.span, "this value");
                    continue;
                };
                if !known.insert(word) {
                    self.misplaced(expression.span, "this value has a case already");
                    continue;
                }
                operands.extend([word, label]);
            }
        }
        if operands.len() > OPERANDS {
            let message = format!("a `switch` has at most {} values", OPERANDS / 2);
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return Flow::NEXT;
        }
        let Some(default) = default else {
            self.misplaced(at, "a `switch` has a `default`");
            self.help("write `default: {}` at its end");
            return Flow::NEXT;
        };
        self.act(Op::SelectionMerge, &[merge, 0]);
        let mut all = vec![id, default];
        all.extend(operands);
        self.end(Op::Switch, &all);
        let mut branch = self.enter_branch(id);
        let mut flow = Flow::NOWHERE;
        for (clause, label) in clauses.iter().zip(labels) {
            self.begin_block(label);
            self.next_arm(&mut branch, 0);
            let scope = self.scopes.depth() + 1;
            self.body().targets.push(Target { merge, next: None, scope, names: None });
            flow = flow.with(self.scoped(&clause.body));
            self.body().targets.pop();
            self.branch(merge);
        }
        self.leave_switch(branch);
        self.begin_block(merge);
        if flow.has(Flow::BREAK) {
            flow = flow.without(Flow::BREAK).with(Flow::NEXT);
        }
        self.close_dead(flow);
        flow
    }
}
