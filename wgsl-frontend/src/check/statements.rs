//! Statements: structured control flow of SPIR-V, and where it leads.

use super::checker::Checker;
use super::items::Need;
use super::values::{Operand, Place, Symbol, Value};
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{Binary, Expression, Statement, Variable, What};
use crate::token::Name;
use crate::types::{Access, Kind, Scalar, Space, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::limits::WORDS;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, Op};

/// Most operands of an instruction.
pub(super) const OPERANDS: usize = 65_000;

/// Where control goes from a statement: a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow(u8);

impl Flow {
    pub(super) const NOWHERE: Self = Self(0);
    pub(super) const NEXT: Self = Self(1);
    pub(super) const BREAK: Self = Self(2);
    pub(super) const CONTINUE: Self = Self(4);
    pub(super) const RETURN: Self = Self(8);

    pub(super) fn goes_on(self) -> bool {
        self.has(Self::NEXT)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
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

    pub(super) fn scoped(&mut self, all: &[Statement]) -> Flow {
        self.scopes.enter();
        let flow = self.statements(all);
        self.scopes.leave();
        flow
    }

    /// Code that cannot be reached still needs a block.
    pub(super) fn reopen(&mut self) {
        if self.body().builder.ended() {
            let label = self.module.id();
            self.begin_block(label);
        }
    }

    pub(super) fn misplaced(&mut self, at: Span, message: &str) -> Flow {
        self.wrong(DiagnosticCode::WgslPlacement, at, message);
        Flow::NEXT
    }

    pub(super) fn statement(&mut self, of: &Statement) -> Flow {
        self.reopen();
        self.line(of.span);
        match &of.what {
            What::Block(all) => return self.scoped(all),
            What::Let(name, at, ty, value) => self.let_value(*name, *at, *ty, *value),
            What::Const(name, at, ty, value) => {
                let what = "the constant has the type";
                let found = self.without_overrides(|own| own.initial(*ty, *value, what));
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
                let all = &self.body().targets;
                let target = match is_active(Mutant::LeftLoop) {
                    true => all.iter().rfind(|one| one.next.is_some()).or(all.last()),
                    false => all.last(),
                };
                return match target.map(|target| target.merge) {
                    Some(0) => {
                        self.misplaced(of.span, "`continuing` has no `break` but `break if`")
                    }
                    Some(merge) => {
                        self.end(Op::Branch, &[merge]);
                        self.note_break();
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

    fn let_value(&mut self, name: Name, at: Span, ty: Option<Expression>, value: Expression) {
        let wanted = ty.map(|ty| self.type_of(ty));
        let before = self.module.ids();
        let operand = self.expression(value);
        let symbol = match operand {
            Operand::Pointer(mut place) => {
                // An index that the program computes is one here, whether or not the pointer is used.
                if place.chain.iter().any(|index| index.dynamic.is_some()) {
                    place.known = Some((self.pointer_to(&place), place.chain.len()));
                }
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
                        // A constant has no name, and another name's value keeps that.
                        if found.id > before {
                            let text = self.text(name);
                            self.body().builder.name(id, text);
                        }
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
        if value.is_none() && is_active(Mutant::KeptVariable) {
            return Some(place);
        }
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
        let old = match old {
            Some(_) if is_active(Mutant::LateLoad) => Some(self.load(&place)),
            old => old,
        };
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
            (None, Types::VOID) => {
                self.end(Op::Return, &[]);
                self.note_return(0);
            }
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
                let found = found.and_then(|found| {
                    self.coerce(&found, wanted, value.span, "the function returns")
                });
                match found {
                    Some(found) => {
                        let id = self.id(&found);
                        self.end(Op::ReturnValue, &[id]);
                        self.note_return(id);
                    }
                    None => self.end(Op::Unreachable, &[]),
                }
            }
        }
    }
}
