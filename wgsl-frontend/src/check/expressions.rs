//! Expressions: a loop over their nodes, with a stack of operands.

use super::causes::Branch;
use super::checker::Checker;
use super::items::Need;
use super::values::{Operand, Symbol, Value};
use crate::const_eval::Constant;
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{Code, Expression, Item, Reference};
use crate::token::Number;
use crate::types::{Space, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;
use rspirv::spirv::Op;

/// The left side of `&&` or `||`.
struct Short {
    /// `None` after an error.
    left: Option<Value>,
    /// Label of the block of the left side, and of the merge block, if the program decides.
    labels: Option<[u32; 2]>,
    /// Length of the code and label before the right side, if it is left out.
    dropped: Option<(usize, u32)>,
    /// What differed between invocations before the right side.
    control: Option<Branch>,
}

impl Checker<'_> {
    /// What an expression stands for.
    pub(super) fn expression(&mut self, of: Expression) -> Operand {
        let unit = self.set.unit;
        let nodes = &unit.nodes[of.start as usize..of.end as usize];
        let mut stack: Vec<(Operand, Span)> = Vec::new();
        let mut shorts: Vec<Short> = Vec::new();
        for node in nodes {
            let at = node.span;
            let mut pop = || stack.pop().unwrap_or((Operand::Error, at));
            let operand = match node.code {
                Code::Number(number) => self.number(number, at),
                Code::Bool(value) => {
                    Operand::Value(Value::constant(Types::BOOL, Constant::bool(value)))
                }
                Code::Name(reference) => self.name(reference, at),
                Code::Template(reference, count) => {
                    let from = stack.len().saturating_sub(count as usize);
                    let arguments = stack.split_off(from);
                    self.template(reference, arguments, at)
                }
                Code::Load => {
                    let (operand, at) = pop();
                    stack.push((self.loaded(operand, at), at));
                    continue;
                }
                Code::Unary(op) => {
                    let (operand, _) = pop();
                    self.unary(op, operand, at)
                }
                Code::Binary(op) => {
                    let (right, right_at) = pop();
                    let (left, left_at) = pop();
                    let right = self.value_of(right, right_at);
                    let left = self.value_of(left, left_at);
                    match (left, right) {
                        (Some(left), Some(right)) => match self.binary(op, &left, &right, at) {
                            Some(value) => Operand::Value(value),
                            None => Operand::Error,
                        },
                        _ => Operand::Error,
                    }
                }
                Code::Short(and) => {
                    let (left, at) = pop();
                    let short = self.short(left, at, and);
                    shorts.push(short);
                    continue;
                }
                Code::ShortEnd(and) => {
                    let (right, right_at) = pop();
                    match shorts.pop() {
                        Some(short) => self.short_end(short, right, right_at, and),
                        None => Operand::Error,
                    }
                }
                Code::Field(name) => {
                    let (operand, _) = pop();
                    self.field(operand, name, at)
                }
                Code::Index => {
                    let (index, index_at) = pop();
                    let (operand, _) = pop();
                    self.index(operand, index, index_at, at)
                }
                Code::Call(count) => {
                    let from = stack.len().saturating_sub(count as usize);
                    let arguments = stack.split_off(from);
                    let (callee, callee_at) = stack.pop().unwrap_or((Operand::Error, at));
                    self.call(callee, callee_at, arguments, at)
                }
            };
            stack.push((operand, at));
        }
        stack.pop().map_or(Operand::Error, |(operand, _)| operand)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, of: Expression) -> Option<Value> {
        let operand = self.expression(of);
        self.value_of(operand, of.span)
    }

    fn number(&mut self, number: Number, at: Span) -> Operand {
        let (ty, constant) = match number {
            Number::AbstractInt(value) => (Types::ABSTRACT_INT, Constant::Int(value)),
            Number::Int(value) => (Types::INT, Constant::Word(value as u32)),
            Number::Uint(value) => (Types::UINT, Constant::Word(value)),
            Number::AbstractFloat(value) => (Types::ABSTRACT_FLOAT, Constant::Wide(value)),
            Number::Float(value) => (Types::FLOAT, Constant::Word(value.to_bits())),
            Number::Other => {
                self.unsupported(at, "numbers of 16 and of 64 bits are");
                self.help("numbers have 32 bits: their suffixes are `f`, `i`, `u`");
                return Operand::Error;
            }
        };
        Operand::Value(Value::constant(ty, constant))
    }

    /// True if a name is declared by the program here.
    pub(super) fn is_declared(&self, reference: Reference) -> bool {
        let is_own = reference.module == self.module_of_current();
        (is_own && self.scopes.find(reference.name).is_some())
            || self.global_of(reference).is_some()
    }

    fn module_of_current(&self) -> u32 {
        self.set.unit.globals.get(self.current).map_or(0, |global| global.module)
    }

    fn name(&mut self, reference: Reference, at: Span) -> Operand {
        let is_own = reference.module == self.module_of_current();
        if is_own && let Some(symbol) = self.scopes.find(reference.name) {
            return match symbol.clone() {
                Symbol::Bypassed => {
                    let text = self.text(reference.name);
                    let message =
                        format!("a `continue` passes over the declaration of {}", quote(text));
                    self.wrong(DiagnosticCode::WgslPlacement, at, message);
                    self.help("declare it in front of the loop");
                    Operand::Error
                }
                symbol => operand(symbol),
            };
        }
        let Some(number) = self.target(self.current, reference) else {
            return self.predeclared(reference.name, at);
        };
        if matches!(self.set.unit.globals[number].what, Item::Override { .. }) {
            self.override_at.get_or_insert(at);
        }
        if let Some(ty) = self.missing.get(&number) {
            let text = self.text(reference.name);
            let found = self.types.name(*ty);
            let message = format!("the override {} has no value", quote(text));
            self.wrong(DiagnosticCode::WgslConstant, at, message);
            self.help(format!("give it one: `--set {text}=…` (a value of type {found})"));
            return Operand::Error;
        }
        let symbol = self.symbols[number].clone().unwrap_or(Symbol::Error);
        if matches!(&symbol, Symbol::Place(place) if place.space == Space::Workgroup) {
            self.need(Need::Workgroup, at);
        }
        operand(symbol)
    }

    /// Behind the left side of `&&` (true) or `||`.
    fn short(&mut self, left: Operand, at: Span, and: bool) -> Short {
        let what = if and { "an operand of `&&`" } else { "an operand of `||`" };
        let left = self.condition(left, at, what);
        let mut short = Short { left, labels: None, dropped: None, control: None };
        match short.left.as_ref().map(|left| left.constant.clone()) {
            Some(Some(Constant::Word(word))) => {
                let decides = (word == 0) == and;
                if decides {
                    self.unevaluated += 1;
                    let position = self
                        .body
                        .as_ref()
                        .map_or((0, 0), |body| (body.builder.position(), body.label));
                    short.dropped = Some(position);
                }
            }
            Some(_) if self.body.is_some() && !is_active(Mutant::BothSides) => {
                let id = short.left.as_ref().map_or(0, |left| left.id);
                let [right, merge] = [self.module.id(), self.module.id()];
                let from = self.body().label;
                self.act(Op::SelectionMerge, &[merge, 0]);
                let branch = if and { [id, right, merge] } else { [id, merge, right] };
                short.control = Some(self.enter_branch(id));
                self.end(Op::BranchConditional, &branch);
                self.begin_block(right);
                short.labels = Some([from, merge]);
            }
            _ => {}
        }
        short
    }

    /// Behind both sides.
    fn short_end(&mut self, short: Short, right: Operand, at: Span, and: bool) -> Operand {
        let what = if and { "an operand of `&&`" } else { "an operand of `||`" };
        let right = self.condition(right, at, what);
        if let Some(branch) = short.control {
            self.leave_branch(branch);
        }
        if let Some((position, label)) = short.dropped {
            self.unevaluated -= 1;
            if let Some(body) = &mut self.body {
                body.builder.split(position);
                body.builder.reopen();
                body.label = label;
            }
            return match right {
                // A constant only if both sides are.
                Some(right) if right.constant.is_none() && self.body.is_some() => {
                    let id = self.splat_constant(Types::BOOL, (!and).into());
                    Operand::Value(Value::new(Types::BOOL, id))
                }
                Some(_) => Operand::Value(Value::constant(Types::BOOL, Constant::bool(!and))),
                None => Operand::Error,
            };
        }
        if let Some([from, merge]) = short.labels {
            let right = match &right {
                Some(right) => self.id(right),
                None => self.splat_constant(Types::BOOL, 0),
            };
            let end = self.body().label;
            self.branch(merge);
            self.begin_block(merge);
            let decided = self.splat_constant(Types::BOOL, (!and).into());
            let value = self.compute(Op::Phi, Types::BOOL, &[decided, from, right, end]);
            return Operand::Value(value);
        }
        match (short.left, right) {
            (Some(left), Some(right))
                if is_active(Mutant::BothSides)
                    && left.constant.is_none()
                    && self.body.is_some() =>
            {
                let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
                let operands = [&left, &right].map(|value| self.id(value));
                Operand::Value(self.compute(op, Types::BOOL, &operands))
            }
            // The left side is a constant that does not decide.
            (Some(_), Some(right)) => Operand::Value(right),
            _ => Operand::Error,
        }
    }
}

/// What a symbol stands for.
fn operand(symbol: Symbol) -> Operand {
    match symbol {
        Symbol::Value(value) => Operand::Value(value),
        Symbol::Place(place) => Operand::Place(place),
        Symbol::Pointer(place) => Operand::Pointer(place),
        Symbol::Type(ty) => Operand::Type(ty),
        Symbol::Function(number) => Operand::Function(number),
        Symbol::Bypassed | Symbol::Error => Operand::Error,
    }
}
