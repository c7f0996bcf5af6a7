//! Statements: structured control flow of SPIR-V, and where it leads.

use super::checker::{Checker, Target};
use super::functions::Need;
use super::values::{Operand, Place, Symbol, Value};
use crate::const_eval::Constant;
use crate::syntax::tree::{Binary, Clause, Expression, Loop, Statement, Variable, What};
use crate::token::Name;
use crate::types::{Access, Kind, Scalar, Space, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::limits::WORDS;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, Op};
use rustc_hash::FxHashSet;

/// Most operands of an instruction.
pub(super) const OPERANDS: usize = 65_000;

/// Where control goes from a statement: a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow(u8);

impl Flow {
    pub(super) const NEXT: Self = Self(1);
    const BREAK: Self = Self(2);
    const CONTINUE: Self = Self(4);
    const RETURN: Self = Self(8);

    pub(super) fn goes_on(self) -> bool {
        self.has(Self::NEXT)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Checker<'_> {
    pub(super) fn statements(&mut self, all: &[Statement]) -> Flow {
        let mut flow = Flow::NEXT;
        for statement in all {
            let own = self.statement(statement);
            // What cannot be reached leads nowhere.
            if flow.goes_on() {
                flow = flow.without(Flow::NEXT).with(own);
            }
        }
        flow
    }

    fn scoped(&mut self, all: &[Statement]) -> Flow {
        self.scopes.enter();
        let flow = self.statements(all);
        self.scopes.leave();
        flow
    }

    /// Code that cannot be reached still needs a block.
    fn reopen(&mut self) {
        if self.body().builder.ended() {
            let label = self.module.id();
            self.begin_block(label);
        }
    }

    fn misplaced(&mut self, at: Span, message: &str) -> Flow {
        self.wrong(DiagnosticCode::WgslPlacement, at, message);
        Flow::NEXT
    }

    fn statement(&mut self, of: &Statement) -> Flow {
        self.reopen();
        self.line(of.span);
        match &of.what {
            What::Block(all) => return self.scoped(all),
            What::Let(name, at, ty, value) => self.let_value(*name, *at, *ty, *value),
            What::Const(name, at, ty, value) => {
                let found = self.initial(*ty, *value, "the constant has the type");
                let symbol = match found {
                    Some(value) if value.constant.is_some() => Symbol::Value(value),
                    Some(_) => {
                        self.not_constant(value.span, "this value");
                        Symbol::Error
                    }
                    None => Symbol::Error,
                };
                self.bind(*name, symbol, *at);
            }
            What::Var(name, at, variable) => self.local(*name, *at, variable),
            What::Assign { target, op, value } => self.assign(*target, *op, *value, of.span),
            What::Step { target, down } => self.step(*target, *down, of.span),
            What::Call(call) => self.call_statement(*call),
            What::If { arms, otherwise } => return self.selection(arms, otherwise.as_deref()),
            What::Switch { value, clauses } => return self.switch(*value, clauses, of.span),
            What::Loop(one) => return self.repeat(one, of.span),
            What::Break => {
                return match self.body().targets.last().map(|target| target.merge) {
                    Some(0) => {
                        self.misplaced(of.span, "`continuing` has no `break` but `break if`")
                    }
                    Some(merge) => {
                        self.end(Op::Branch, &[merge]);
                        Flow::BREAK
                    }
                    None => self.misplaced(of.span, "`break` stands outside of loops and switches"),
                };
            }
            What::Continue => return self.again(of.span),
            What::Return(value) => {
                if self.body().targets.iter().any(|target| target.merge == 0) {
                    return self.misplaced(of.span, "`continuing` has no `return`");
                }
                self.result(*value, of.span);
                return Flow::RETURN;
            }
            What::Discard => {
                self.need(Need::Discard, of.span);
                self.module.capability(Capability::DemoteToHelperInvocation);
                self.module.extension("SPV_EXT_demote_to_helper_invocation");
                self.act(Op::DemoteToHelperInvocation, &[]);
            }
            What::Assert(value) => self.assertion(*value),
        }
        Flow::NEXT
    }

    fn again(&mut self, at: Span) -> Flow {
        let is_end = |target: &Target| target.next.is_some() || target.merge == 0;
        let Some(k) = self.body().targets.iter().rposition(is_end) else {
            return self.misplaced(at, "`continue` stands outside of loops");
        };
        if self.body().targets[k].merge == 0 {
            return self.misplaced(at, "`continuing` has no `continue`");
        }
        let scope = self.body().targets[k].scope;
        let count = self.scopes.count(scope);
        let target = &mut self.body().targets[k];
        target.names.get_or_insert(count);
        let next = target.next.unwrap_or_default();
        self.end(Op::Branch, &[next]);
        Flow::CONTINUE
    }

    fn let_value(&mut self, name: Name, at: Span, ty: Option<Expression>, value: Expression) {
        let wanted = ty.map(|ty| self.type_of(ty));
        let operand = self.expression(value);
        let symbol = match operand {
            Operand::Pointer(place) => {
                if let Some(wanted) = wanted {
                    let own = Kind::Pointer(place.space, place.ty, place.access);
                    let own = self.types.of(own);
                    if own != wanted && wanted != Types::ERROR {
                        let [a, b] = [wanted, own].map(|ty| self.type_name(ty));
                        let message = format!("the value has the type {a}, and this is {b}");
                        self.wrong(DiagnosticCode::WgslTypes, value.span, message);
                    }
                }
                Symbol::Pointer(place)
            }
            Operand::Place(place) if place.space == Space::Handle => Symbol::Place(place),
            operand => {
                let found = self.value_of(operand, value.span);
                let found = found.and_then(|found| match wanted {
                    Some(wanted) => {
                        self.coerce(&found, wanted, value.span, "the value has the type")
                    }
                    None => self.concrete(&found, value.span),
                });
                match found {
                    // A `let` is no constant.
                    Some(found) => {
                        let id = self.id(&found);
                        Symbol::Value(Value::new(found.ty, id))
                    }
                    None => Symbol::Error,
                }
            }
        };
        self.bind(name, symbol, at);
    }

    fn local(&mut self, name: Name, at: Span, of: &Variable) {
        let symbol = match self.local_place(at, of) {
            Some(place) => {
                let text = self.text(name);
                self.body().builder.name(place.root, text);
                Symbol::Place(place)
            }
            None => Symbol::Error,
        };
        self.bind(name, symbol, at);
    }

    fn local_place(&mut self, at: Span, of: &Variable) -> Option<Place> {
        if let Some(space) = of.template.first() {
            let is_function = matches!(self.expression(*space), Operand::Word(word) if self.text(word) == "function");
            if !is_function {
                let message = "a variable of a function lies in `function`";
                self.wrong(DiagnosticCode::WgslTypes, space.span, message);
                self.help("variables of other address spaces stand outside of functions");
                return None;
            }
        }
        let value = match of.value {
            Some(value) => {
                let found = self.initial(of.ty, value, "the variable has the type")?;
                Some(self.concrete(&found, value.span)?)
            }
            None => None,
        };
        let ty = match (&value, of.ty) {
            (Some(value), _) => value.ty,
            (None, Some(ty)) => self.type_of(ty),
            (None, None) => {
                let message = "a variable has a type or a value";
                self.wrong(DiagnosticCode::WgslSyntax, at, message);
                return None;
            }
        };
        if ty == Types::ERROR {
            return None;
        }
        let facts = self.types.facts(ty);
        if !facts.is_constructible {
            let found = self.type_name(ty);
            let message = format!("a variable of a function does not have the type {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        }
        if facts.words > u64::from(WORDS) {
            let found = self.type_name(ty);
            let message = format!("{found} has more than {WORDS} words");
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return None;
        }
        let place = self.local_variable(ty);
        // Each time that control comes here, the variable begins anew.
        let value = value.unwrap_or_else(|| self.zero_value(ty));
        self.store(&place, &value);
        Some(place)
    }

    /// The place that an assignment writes.
    fn written(&mut self, of: Expression) -> Option<Place> {
        match self.expression(of) {
            Operand::Error => None,
            Operand::Place(place)
                if place.space != Space::Handle && place.access != Access::Read =>
            {
                Some(place)
            }
            Operand::Place(place) => {
                let message = format!("a variable in `{}` is read only here", place.space.name());
                self.wrong(DiagnosticCode::WgslNotAssignable, of.span, message);
                if place.space == Space::Storage {
                    self.help("write `var<storage, read_write>`");
                }
                None
            }
            Operand::Pointer(_) => {
                let message = "a pointer is not assigned";
                self.wrong(DiagnosticCode::WgslNotAssignable, of.span, message);
                self.help("write `*` in front of it");
                None
            }
            _ => {
                let message = "only a `var`, or a part of one, is assigned";
                self.wrong(DiagnosticCode::WgslNotAssignable, of.span, message);
                let unit = self.set.unit;
                let last = unit.nodes[of.start as usize..of.end as usize].last();
                if matches!(last.map(|node| node.code), Some(crate::syntax::tree::Code::Field(_))) {
                    self.help("assign the components one by one, or the whole vector");
                } else {
                    self.help("declare it by `var`: a `let` and a parameter are values");
                }
                None
            }
        }
    }

    fn assign(
        &mut self,
        target: Option<Expression>,
        op: Option<Binary>,
        value: Expression,
        at: Span,
    ) {
        let Some(target) = target else {
            let operand = self.expression(value);
            if !matches!(operand, Operand::Place(ref place) if place.space == Space::Handle)
                && !matches!(operand, Operand::Pointer(_))
                && let Some(found) = self.value_of(operand, value.span)
            {
                self.concrete(&found, value.span);
            }
            return;
        };
        let place = self.written(target);
        let place = place.filter(|place| {
            let is_whole = self.types.facts(place.ty).is_constructible;
            if !is_whole {
                let found = self.type_name(place.ty);
                let message = format!("a variable of type {found} is not assigned");
                self.wrong(DiagnosticCode::WgslNotAssignable, target.span, message);
                if self.types.facts(place.ty).has_atomics {
                    self.help("write it by `atomicStore(&…, …)`");
                }
            }
            is_whole
        });
        let old = match (&place, op) {
            (Some(place), Some(_)) => Some(self.load(place)),
            _ => None,
        };
        let Some(found) = self.value(value) else { return };
        let Some(place) = place else { return };
        let found = match (op, old) {
            (Some(op), Some(old)) => match self.binary(op, &old, &found, at) {
                Some(found) => found,
                None => return,
            },
            _ => found,
        };
        if let Some(found) = self.coerce(&found, place.ty, value.span, "the variable has the type")
        {
            self.store(&place, &found);
        }
    }

    fn step(&mut self, target: Expression, down: bool, at: Span) {
        let Some(place) = self.written(target) else { return };
        let is_integer =
            matches!(self.types.kind(place.ty), Kind::Scalar(Scalar::Int | Scalar::Uint));
        if !is_integer {
            let found = self.type_name(place.ty);
            let text = if down { "--" } else { "++" };
            let message = format!("`{text}` takes an integer, and this is {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return;
        }
        let old = self.load(&place);
        let one = self.splat_constant(place.ty, 1);
        let op = if down { Op::ISub } else { Op::IAdd };
        let new = self.compute(op, place.ty, &[old.id, one]);
        self.store(&place, &new);
    }

    fn result(&mut self, value: Option<Expression>, at: Span) {
        let wanted = self.body().result;
        match (value, wanted) {
            (None, Types::VOID) => self.end(Op::Return, &[]),
            (None, _) => {
                let name = self.type_name(wanted);
                let message = format!("the function returns {name}, and here is no value");
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                self.end(Op::Unreachable, &[]);
            }
            (Some(value), Types::VOID) => {
                let message = "a function without a result returns no value";
                self.wrong(DiagnosticCode::WgslTypes, value.span, message);
                self.end(Op::Unreachable, &[]);
            }
            (Some(value), wanted) => {
                let found = self.value(value);
                let found = found
                    .and_then(|found| self.coerce(&found, wanted, value.span, "the function returns"));
                match found {
                    Some(found) => {
                        let id = self.id(&found);
                        self.end(Op::ReturnValue, &[id]);
                    }
                    None => self.end(Op::Unreachable, &[]),
                }
            }
        }
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
    fn selection(
        &mut self,
        arms: &[(Expression, Vec<Statement>)],
        otherwise: Option<&[Statement]>,
    ) -> Flow {
        let mut merges = Vec::new();
        let mut flow = if otherwise.is_some() { Flow(0) } else { Flow::NEXT };
        for (k, (condition, body)) in arms.iter().enumerate() {
            self.line(condition.span);
            let test = self.test(*condition);
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
            flow = flow.with(self.scoped(otherwise));
        }
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

    fn repeat(&mut self, of: &Loop, at: Span) -> Flow {
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
        match of.test {
            Some(test) => {
                let test = self.test(test);
                self.end(Op::BranchConditional, &[test, body, merge]);
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
        self.scopes.enter();
        self.statements(&of.continuing);
        self.body().targets.pop();
        self.reopen();
        match of.break_if {
            Some(test) => {
                self.line(test.span);
                let test = self.test(test);
                self.end(Op::BranchConditional, &[test, merge, header]);
            }
            None => self.end(Op::Branch, &[header]),
        }
        self.scopes.leave();
        self.scopes.leave();
        self.scopes.leave();
        self.begin_block(merge);
        let leaves = flow.has(Flow::BREAK) || of.test.is_some() || of.break_if.is_some();
        let mut all = Flow(0);
        if leaves {
            all = all.with(Flow::NEXT);
        }
        if flow.has(Flow::RETURN) {
            all = all.with(Flow::RETURN);
        }
        if all == Flow(0) {
            self.misplaced(at, "the loop never ends");
            self.help("leave it by `break`, `break if` or `return`");
            return Flow::NEXT;
        }
        self.close_dead(all);
        all
    }

    fn switch(&mut self, value: Expression, clauses: &[Clause], at: Span) -> Flow {
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
                let Some(found) = self.value(*expression) else { continue };
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
        let mut flow = Flow(0);
        for (clause, label) in clauses.iter().zip(labels) {
            self.begin_block(label);
            let scope = self.scopes.depth() + 1;
            self.body().targets.push(Target { merge, next: None, scope, names: None });
            flow = flow.with(self.scoped(&clause.body));
            self.body().targets.pop();
            self.branch(merge);
        }
        self.begin_block(merge);
        if flow.has(Flow::BREAK) {
            flow = flow.without(Flow::BREAK).with(Flow::NEXT);
        }
        self.close_dead(flow);
        flow
    }
}
