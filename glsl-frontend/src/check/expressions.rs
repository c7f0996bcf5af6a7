//! Expressions: a loop over the nodes with a stack of operands.
//!
//! The right side of `&&` and the arms of `?:` are written apart, and then joined: by a selection of values if
//! they are short and have no effect, by a branch otherwise.

use super::checker::Checker;
use super::scopes::Symbol;
use super::values::{Constant, Operand, Place, Value};
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{Binary, Code, Expression, Node};
use crate::token::Name;
use crate::types::{Kind, Length, Scalar, Types};
use lambdav_core::diagnostics::{DiagnosticCode, Severity};
use lambdav_core::source::Span;
use lambdav_spirv::Guard;
use rspirv::spirv::{Op, StorageClass};

/// Most words of an arm that is evaluated although it may not be chosen.
const SHORT: usize = 48;

/// Most words of arms that are put in their places, counted once for each operator around them.
const MOVED: usize = 1 << 28;

const REPEATED: &str = "a component occurs twice in the swizzle";

/// An operation with arms that is open.
struct Arms {
    /// The condition, or the left operand.
    condition: Value,
    /// Where the code of the open arm begins.
    from: usize,
    /// The block that branches, and the label of the open arm.
    before: u32,
    label: u32,
    /// The first arm of `?:`: its label, code, value, and last label.
    first: Option<Arm>,
}

struct Arm {
    label: u32,
    code: Vec<u32>,
    value: Option<Value>,
    last: u32,
    at: Span,
}

/// A call whose arguments are being evaluated.
pub(super) struct Call {
    /// True for parameters that take a variable.
    pub(super) keeps: Vec<bool>,
    pub(super) arguments: Vec<(Operand, Span)>,
}

impl Checker<'_> {
    /// Evaluates an expression.
    pub(super) fn expression(&mut self, of: Expression) -> Operand {
        let mut stack: Vec<(Operand, Span)> = Vec::new();
        let mut arms: Vec<Arms> = Vec::new();
        let mut calls: Vec<Call> = Vec::new();
        let mut lists: Vec<usize> = Vec::new();
        for index in self.nodes(of) {
            let node = self.unit.nodes[index];
            self.node(node, &mut stack, &mut arms, &mut calls, &mut lists);
        }
        stack.pop().map_or(Operand::Error, |(operand, _)| operand)
    }

    /// Evaluates an expression to a value.
    pub(super) fn rvalue(&mut self, of: Expression) -> Option<Value> {
        let operand = self.expression(of);
        self.value_of(operand, of.span)
    }

    /// Evaluates an expression that must be an integer constant.
    pub(super) fn constant_integer(&mut self, of: Expression, what: &str) -> Option<i64> {
        // What a constant expression computes is not needed when the program runs.
        let position = self.body().builder.position();
        let value = self.rvalue(of)?;
        let is_integer =
            matches!(self.types.kind(value.ty), Kind::Scalar(scalar) if scalar.is_integer());
        match value.bits() {
            Some(bits) if is_integer => {
                self.body().builder.split(position);
                Some(match value.ty {
                    Types::INT => i64::from(bits as i32),
                    _ => bits.into(),
                })
            }
            _ => {
                self.wrong(
                    DiagnosticCode::GlslNotConstant,
                    of.span,
                    format!("{what} must be a constant integer"),
                );
                None
            }
        }
    }

    fn node(
        &mut self,
        node: Node,
        stack: &mut Vec<(Operand, Span)>,
        arms: &mut Vec<Arms>,
        calls: &mut Vec<Call>,
        lists: &mut Vec<usize>,
    ) {
        let at = node.span;
        let mut pop = || stack.pop().unwrap_or((Operand::Error, at));
        let constant =
            |ty, scalar, bits| Operand::Value(Value::constant(ty, Constant::Scalar(scalar, bits)));
        let result = match node.code {
            Code::Float(value) => constant(Types::FLOAT, Scalar::Float, value.to_bits()),
            Code::Double(value) => {
                let ty = self.types.of(Kind::Scalar(Scalar::Double));
                let id = self.id_of(ty, None);
                let bits = value.to_bits();
                let id =
                    self.module.constant(Op::Constant, id, &[bits as u32, (bits >> 32) as u32]);
                Operand::Value(Value::new(ty, id))
            }
            Code::Int(value) => constant(Types::INT, Scalar::Int, value),
            Code::Uint(value) => constant(Types::UINT, Scalar::Uint, value),
            Code::Bool(value) => constant(Types::BOOL, Scalar::Bool, value.into()),
            Code::Text(text) => Operand::Text(text),
            Code::Name(name) => self.named(name, at),
            Code::Value => {
                let (operand, span) = pop();
                let operand = self.read(operand, span);
                stack.push((operand, span));
                return;
            }
            Code::Unary(op) => {
                let (operand, span) = pop();
                let value = self.value_of(operand, span);
                value_operand(value.and_then(|value| self.unary(op, &value, at)))
            }
            Code::Binary(op) => {
                let ((right, right_at), (left, left_at)) = (pop(), pop());
                let right = self.value_of(right, right_at);
                let left = self.value_of(left, left_at);
                value_operand(
                    left.zip(right).and_then(|(left, right)| self.binary(op, left, right, at)),
                )
            }
            Code::Assign(op) => {
                let (right, (left, left_at)) = (pop(), pop());
                value_operand(self.assign(op, left, left_at, right, at))
            }
            Code::Step { down, before } => {
                let (operand, span) = pop();
                value_operand(self.step(operand, span, down, before, at))
            }
            Code::Field(name) => {
                let (operand, span) = pop();
                self.field(operand, span, name, at)
            }
            Code::Index => {
                let ((index, index_at), (operand, span)) = (pop(), pop());
                match self.value_of(index, index_at) {
                    Some(index) => self.index(operand, span, &index, index_at),
                    None => Operand::Error,
                }
            }
            Code::Length => {
                let (operand, span) = pop();
                value_operand(self.length(operand, span, at))
            }
            Code::Method(name) => {
                pop();
                self.unknown(name, at, "the method");
                Operand::Error
            }
            Code::Begin(callee) => {
                let call = self.begin_call(callee);
                calls.push(call);
                return;
            }
            Code::Argument => {
                let (operand, span) = pop();
                let Some(call) = calls.last_mut() else { return };
                let keeps = call.keeps.get(call.arguments.len()).copied().unwrap_or_default();
                let operand = if keeps { operand } else { self.read(operand, span) };
                call.arguments.push((operand, span));
                return;
            }
            Code::Call { callee, .. } => match calls.pop() {
                Some(call) => self.end_call(callee, call, at),
                None => Operand::Error,
            },
            Code::Short(_) | Code::Choose => {
                let (operand, span) = pop();
                let condition = self.condition(operand, span);
                self.open_arm(arms, condition);
                return;
            }
            Code::ShortEnd(and) => {
                let (operand, span) = pop();
                let right = self.condition(operand, span);
                match arms.pop() {
                    Some(open) => value_operand(self.close_short(open, right, and, span)),
                    None => Operand::Error,
                }
            }
            Code::Otherwise => {
                let (operand, span) = pop();
                let value = self.value_of(operand, span);
                if let Some(open) = arms.last_mut() {
                    self.next_arm(open, value, span);
                }
                return;
            }
            Code::Chosen => {
                let (operand, span) = pop();
                let value = self.value_of(operand, span);
                match arms.pop() {
                    Some(open) => value_operand(self.close_choice(open, value, span, at)),
                    None => Operand::Error,
                }
            }
            Code::Comma => {
                let (right, span) = pop();
                let (left, _) = pop();
                let value = self.value_of(right, span);
                let is_constant =
                    matches!(left, Operand::Value(Value { id: 0, constant: Some(_), .. }));
                // A sequence is a constant expression only if both sides are.
                value_operand(value.map(|value| match value.constant {
                    Some(_) if !is_constant => Value::new(value.ty, self.id(&value)),
                    _ => value,
                }))
            }
            Code::ListBegin => {
                lists.push(stack.len());
                return;
            }
            Code::List(_) => {
                let from = lists.pop().unwrap_or(0).min(stack.len());
                Operand::List(stack.split_off(from))
            }
        };
        stack.push((result, at));
    }

    /// Reads a variable; opaque ones, blocks and lists stay what they are.
    fn read(&mut self, operand: Operand, at: Span) -> Operand {
        match operand {
            Operand::Place(place)
                if !self.types.contents(place.ty).is_opaque
                    && !self.types.contents(place.ty).is_open =>
            {
                value_operand(self.value_of(Operand::Place(place), at))
            }
            other => other,
        }
    }

    fn named(&mut self, name: Name, at: Span) -> Operand {
        match self.scopes.find(name) {
            Some(Symbol::Variable(place, constant)) => {
                let (place, constant) = (place.clone(), constant.clone());
                match constant {
                    // A scalar that specialisation may change keeps its default.
                    Some(constant) => {
                        let mut value = self.load(&place);
                        value.constant = Some(constant);
                        Operand::Value(value)
                    }
                    None => Operand::Place(place),
                }
            }
            Some(Symbol::Constant(ty, constant)) => {
                Operand::Value(Value { ty: *ty, id: 0, constant: Some(constant.clone()) })
            }
            Some(Symbol::Block(number)) => Operand::Block(*number),
            Some(Symbol::Type(_)) => {
                let text = self.text(name).to_owned();
                self.wrong(DiagnosticCode::GlslTypes, at, format!("`{text}` is a type, no value"));
                Operand::Error
            }
            None => match self.built_in(name, at) {
                Some(operand) => operand,
                None => {
                    if self.overloads.contains_key(&name) {
                        let text = self.text(name).to_owned();
                        let message = format!("`{text}` is a function, no value");
                        self.wrong(DiagnosticCode::GlslTypes, at, message);
                        self.help(format!("call it: `{text}(…)`"));
                    } else {
                        self.unknown(name, at, "the name");
                    }
                    Operand::Error
                }
            },
            Some(Symbol::Error) => Operand::Error,
        }
    }

    /// A condition, which must be a bool.
    pub(super) fn condition(&mut self, operand: Operand, at: Span) -> Option<Value> {
        let value = self.value_of(operand, at)?;
        if value.ty == Types::BOOL {
            return Some(value);
        }
        if value.ty != Types::ERROR {
            let found = self.type_name(value.ty);
            self.wrong(
                DiagnosticCode::GlslTypes,
                at,
                format!("a condition is a `bool`, and this is {found}"),
            );
            if self.types.numeric(value.ty).is_some_and(|(_, width)| width == 1) {
                self.help("compare it, as in `x != 0`");
            }
        }
        None
    }

    fn open_arm(&mut self, arms: &mut Vec<Arms>, condition: Option<Value>) {
        let condition = condition.unwrap_or_else(|| self.splat_value(Types::BOOL, 0));
        let label = self.module.id();
        let body = self.body();
        let (from, before) = (body.builder.position(), body.label);
        body.label = label;
        arms.push(Arms { condition, from, before, label, first: None });
    }

    /// Ends the first arm of `?:` and begins the second one.
    fn next_arm(&mut self, open: &mut Arms, value: Option<Value>, at: Span) {
        let label = self.module.id();
        let body = self.body();
        let code = body.builder.split(open.from);
        let last = body.label;
        body.label = label;
        open.first = Some(Arm { label: open.label, code, value, last, at });
        open.label = label;
    }

    /// Counts words of arms that are put in their places, once for each operator around them.
    fn count_moved(&mut self, words: usize, at: Span) -> Option<()> {
        let before = self.moved;
        self.moved = before.saturating_add(words);
        if self.moved <= MOVED {
            return Some(());
        }
        if before <= MOVED {
            let message = "`?:`, `&&` and `||` are nested too deep";
            self.wrong(DiagnosticCode::GlslTooLarge, at, message);
            self.help("write `if`, or functions");
        }
        None
    }

    fn close_short(
        &mut self,
        open: Arms,
        right: Option<Value>,
        and: bool,
        at: Span,
    ) -> Option<Value> {
        let code = self.body().builder.split(open.from);
        let last = self.body().label;
        self.body().label = open.before;
        let right = right?;
        self.count_moved(code.len(), at)?;
        let left = open.condition;
        let folded = match (left.bits(), right.bits()) {
            (Some(left), Some(right)) => {
                let bits = if and { left & right } else { left | right };
                Some(Value::constant(Types::BOOL, Constant::Scalar(Scalar::Bool, bits)))
            }
            _ => None,
        };
        if left.id == 0 && right.id == 0 && folded.is_some() && code.is_empty() {
            return folded;
        }
        let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
        let ids = [self.id(&left), self.id(&right)];
        let mut new = if is_short(&code) {
            self.guards.extend(Guard::all(&code, ids[0], and));
            self.body().builder.append(&code, false);
            self.compute(op, Types::BOOL, &ids)
        } else if is_active(Mutant::BothSides) {
            self.end(Op::Branch, &[open.label]);
            self.begin_block(open.label);
            self.body().builder.append(&code, false);
            self.body().label = last;
            self.compute(op, Types::BOOL, &ids)
        } else {
            let merge = self.module.id();
            let [yes, no] = if and { [open.label, merge] } else { [merge, open.label] };
            self.act(Op::SelectionMerge, &[merge, 0]);
            self.end(Op::BranchConditional, &[ids[0], yes, no]);
            self.begin_block(open.label);
            self.body().builder.append(&code, false);
            self.body().label = last;
            self.end(Op::Branch, &[merge]);
            self.begin_block(merge);
            let ty = self.id_of(Types::BOOL, None);
            let id = self.emit(Op::Phi, ty, &[ids[0], open.before, ids[1], last]);
            Value::new(Types::BOOL, id)
        };
        new.constant = folded.and_then(|of| of.constant);
        Some(new)
    }

    fn close_choice(
        &mut self,
        open: Arms,
        second: Option<Value>,
        second_at: Span,
        at: Span,
    ) -> Option<Value> {
        let second_code = self.body().builder.split(open.from);
        let second_last = self.body().label;
        let first = open.first?;
        let condition = open.condition;
        self.body().label = open.before;
        self.count_moved(first.code.len() + second_code.len(), at)?;
        // Conversions belong to the arms.
        let (mut a, mut b) = (first.value?, second?);
        let mut first_code = first.code;
        let mut second_code = second_code;
        if a.ty != b.ty {
            if self.fits(a.ty, b.ty) {
                let scalar = self.types.scalar(b.ty)?;
                self.body().builder.append(&first_code, false);
                a = self.convert(&a, scalar);
                first_code = self.body().builder.split(open.from);
            } else if self.fits(b.ty, a.ty) {
                let scalar = self.types.scalar(a.ty)?;
                self.body().builder.append(&second_code, false);
                b = self.convert(&b, scalar);
                second_code = self.body().builder.split(open.from);
            } else {
                self.body().label = open.before;
                if ![a.ty, b.ty].contains(&Types::ERROR) {
                    let [x, y] = [self.type_name(a.ty), self.type_name(b.ty)];
                    let message = format!("the arms of `?:` have the types {x} and {y}");
                    self.wrong(DiagnosticCode::GlslTypes, at, message);
                    self.also(first.at, "this is one").also(second_at, "this is the other");
                }
                return None;
            }
        }
        let ty = a.ty;
        self.body().label = open.before;
        if ty == Types::VOID {
            self.wrong(DiagnosticCode::GlslTypes, at, "the arms of `?:` have no value");
            self.help("write `if`");
            return None;
        }
        if self.types.contents(ty).is_opaque {
            self.unsupported(at, "textures chosen by a condition");
            return None;
        }
        if condition.id == 0
            && let Some(bits) = condition.bits()
        {
            // With an arm that is not constant, neither is the whole.
            if a.id != 0 || b.id != 0 {
                for arm in [&mut a, &mut b] {
                    *arm = Value::new(ty, self.id(arm));
                }
            }
            let (code, value) = if bits != 0 { (first_code, a) } else { (second_code, b) };
            if is_short(&code) {
                self.body().builder.append(&code, false);
                return Some(value);
            }
            let (label, last) =
                if bits != 0 { (first.label, first.last) } else { (open.label, second_last) };
            // The code refers to the label of its block.
            self.end(Op::Branch, &[label]);
            self.begin_block(label);
            self.body().builder.append(&code, false);
            self.body().label = last;
            return Some(value);
        }
        let test = self.id(&condition);
        let ids = [self.id(&a), self.id(&b)];
        let numeric = self.types.numeric(ty);
        if let Some((_, width)) = numeric
            && is_short(&first_code)
            && is_short(&second_code)
        {
            self.guards.extend(Guard::all(&first_code, test, true));
            self.guards.extend(Guard::all(&second_code, test, false));
            self.body().builder.append(&first_code, false);
            self.body().builder.append(&second_code, false);
            let test = match width {
                1 => test,
                _ => {
                    let condition = Value::new(Types::BOOL, test);
                    self.splat(&condition, width).id
                }
            };
            return Some(self.compute(Op::Select, ty, &[test, ids[0], ids[1]]));
        }
        let merge = self.module.id();
        self.act(Op::SelectionMerge, &[merge, 0]);
        self.end(Op::BranchConditional, &[test, first.label, open.label]);
        for (label, code, last) in
            [(first.label, first_code, first.last), (open.label, second_code, second_last)]
        {
            self.begin_block(label);
            self.body().builder.append(&code, false);
            self.body().label = last;
            self.end(Op::Branch, &[merge]);
        }
        self.begin_block(merge);
        let result = self.id_of(ty, None);
        let id = self.emit(Op::Phi, result, &[ids[0], first.last, ids[1], second_last]);
        Some(Value::new(ty, id))
    }

    /// Ends the open block.
    pub(super) fn end(&mut self, op: Op, operands: &[u32]) {
        self.body().builder.end(op, operands);
    }

    /// Begins a block.
    pub(super) fn begin_block(&mut self, label: u32) {
        let body = self.body();
        body.builder.label(label);
        body.label = label;
        body.line = [0; 3];
    }

    /// The place that an operand stands for, if it can be written.
    pub(super) fn writable(&mut self, operand: Operand, at: Span) -> Option<Place> {
        let reason = match &operand {
            Operand::Place(place) => match place.constant {
                None => {
                    let repeated = place.swizzle.as_deref().is_some_and(has_repeats);
                    if self.types.contents(place.ty).is_opaque {
                        "a texture is not assigned"
                    } else if repeated {
                        REPEATED
                    } else {
                        let Operand::Place(place) = operand else { return None };
                        return Some(place);
                    }
                }
                Some(reason) => reason,
            },
            Operand::Error | Operand::Text(_) => return None,
            Operand::Value(value) if value.ty == Types::ERROR => return None,
            Operand::Value(_) => "this is a value, no variable",
            Operand::Block(_) => "a block is not assigned",
            Operand::List(_) => "a list is not assigned",
        };
        self.wrong(DiagnosticCode::GlslNotAssignable, at, "this cannot be assigned").label(reason);
        None
    }

    fn assign(
        &mut self,
        op: Option<Binary>,
        left: Operand,
        left_at: Span,
        (right, right_at): (Operand, Span),
        at: Span,
    ) -> Option<Value> {
        let right = self.value_of(right, right_at);
        let place = self.writable(left, left_at)?;
        let right = right?;
        let value = match op {
            None => right,
            Some(op) => {
                let old = self.load(&place);
                self.binary(op, old, right, at)?
            }
        };
        let value = self.coerce(&value, place.ty, right_at, "the variable has the type")?;
        self.store(&place, &value);
        // An assignment is no constant expression.
        let id = self.id(&value);
        Some(Value::new(value.ty, id))
    }

    fn step(
        &mut self,
        operand: Operand,
        operand_at: Span,
        down: bool,
        before: bool,
        at: Span,
    ) -> Option<Value> {
        let place = self.writable(operand, operand_at)?;
        let old = self.load(&place);
        let scalar = self.types.scalar(place.ty).filter(|&scalar| scalar != Scalar::Bool);
        let Some(_) = scalar else {
            let found = self.type_name(place.ty);
            let text = if down { "--" } else { "++" };
            let message = format!("`{text}` does not take {found}");
            self.wrong(DiagnosticCode::GlslTypes, at, message);
            return None;
        };
        let one = self.splat_value(place.ty, 1);
        let op = if down { Binary::Subtract } else { Binary::Add };
        let new = self.binary(op, old.clone(), one, at)?;
        self.store(&place, &new);
        Some(if before { new } else { old })
    }

    /// A member, or a swizzle.
    fn field(&mut self, operand: Operand, span: Span, name: Name, at: Span) -> Operand {
        let ty = match &operand {
            Operand::Value(value) => value.ty,
            Operand::Place(place) => place.ty,
            Operand::Block(number) => return self.block_member(*number, name, at),
            Operand::List(_) | Operand::Text(_) | Operand::Error => return Operand::Error,
        };
        match self.types.kind(ty) {
            Kind::Struct(number) => {
                let Some(k) = self.types.member(number, name) else {
                    // The list of names is as long as the structure.
                    if !self.diagnostics.has_room(Severity::Error) {
                        self.diagnostics.omit(Severity::Error);
                        return Operand::Error;
                    }
                    let members = &self.structure(number).members;
                    let known: Vec<String> =
                        members.iter().map(|member| self.text(member.name).to_owned()).collect();
                    let (text, owner) = (self.text(name).to_owned(), self.type_name(ty));
                    let message = format!("{owner} has no member `{text}`");
                    self.wrong(DiagnosticCode::GlslName, at, message);
                    self.help(format!("its members are {}", known.join(", ")));
                    return Operand::Error;
                };
                match operand {
                    Operand::Place(place) => Operand::Place(self.part_of(place, k)),
                    Operand::Value(value) => Operand::Value(self.extract(&value, k)),
                    other => other,
                }
            }
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) => {
                let width = self.types.numeric(ty).map_or(1, |(_, width)| width);
                let Some(components) = components(self.text(name), width) else {
                    let (text, owner) = (self.text(name).to_owned(), self.type_name(ty));
                    let message = format!("{owner} has no components `{text}`");
                    self.wrong(DiagnosticCode::GlslName, at, message);
                    return Operand::Error;
                };
                if width == 1 && !self.since(420, 9999) {
                    let text = self.text(name).to_owned();
                    let message =
                        format!("a number has components only from version 420 on: `.{text}`");
                    self.wrong(DiagnosticCode::GlslVersion, at, message);
                }
                let result = self.types.vector(scalar, components.len() as u8);
                match operand {
                    Operand::Place(mut place) if width > 1 => {
                        let components = match &place.swizzle {
                            Some(outer) => {
                                components.iter().map(|&k| outer[usize::from(k)]).collect()
                            }
                            None => components,
                        };
                        place.swizzle = Some(components);
                        place.ty = result;
                        Operand::Place(place)
                    }
                    Operand::Place(place) => {
                        let value = self.load(&place);
                        Operand::Value(self.swizzle(&value, &components))
                    }
                    Operand::Value(value) => Operand::Value(self.swizzle(&value, &components)),
                    other => other,
                }
            }
            Kind::Error => Operand::Error,
            _ => {
                let (text, owner) = (self.text(name).to_owned(), self.type_name(ty));
                let message = format!("{owner} has no member `{text}`");
                self.wrong(DiagnosticCode::GlslName, span, message);
                Operand::Error
            }
        }
    }

    /// Member or element k of a place.
    pub(super) fn part_of(&mut self, mut place: Place, k: usize) -> Place {
        let index = self.int(k as i32);
        place.layout = place.layout.map(|layout| self.layout_of_part(place.ty, k, layout));
        place.whole = self.part(place.ty, k);
        place.ty = place.whole;
        place.chain.push(index);
        place
    }

    /// An element of an array, column of a matrix, or component of a vector.
    fn index(&mut self, operand: Operand, span: Span, index: &Value, at: Span) -> Operand {
        let integer =
            matches!(self.types.kind(index.ty), Kind::Scalar(scalar) if scalar.is_integer());
        if !integer {
            if index.ty != Types::ERROR {
                let found = self.type_name(index.ty);
                let message = format!("an index is an integer, and this is {found}");
                self.wrong(DiagnosticCode::GlslTypes, at, message);
            }
            return Operand::Error;
        }
        let ty = match &operand {
            Operand::Value(value) => value.ty,
            Operand::Place(place) => place.ty,
            Operand::Block(_) => {
                self.blocks_indexed(at);
                return Operand::Error;
            }
            Operand::List(_) | Operand::Text(_) | Operand::Error => return Operand::Error,
        };
        let length = match self.types.kind(ty) {
            Kind::Vector(_, width) => Some(u32::from(width)),
            Kind::Matrix(_, columns, _) => Some(u32::from(columns)),
            Kind::Array(_, Length::Known(length)) => Some(length),
            Kind::Array(_, Length::Open) => None,
            Kind::Error => return Operand::Error,
            _ => {
                let found = self.type_name(ty);
                let message = format!("{found} has no elements");
                self.wrong(DiagnosticCode::GlslTypes, span, message);
                return Operand::Error;
            }
        };
        let known = index.bits().filter(|_| index.id == 0);
        if let (Some(bits), Some(length)) = (known, length)
            && bits >= length
        {
            let number = match index.ty {
                Types::INT => (bits as i32).to_string(),
                _ => bits.to_string(),
            };
            let message = format!("the index {number} lies outside: there are {length} elements");
            self.wrong(DiagnosticCode::GlslTypes, at, message);
            return Operand::Error;
        }
        match operand {
            Operand::Value(value) => {
                if let Some(k) = known {
                    return Operand::Value(self.extract(&value, k as usize));
                }
                let id = self.id(index);
                if let Kind::Vector(..) = self.types.kind(ty) {
                    let part = self.part(ty, 0);
                    let vector = self.id(&value);
                    return Operand::Value(self.compute(
                        Op::VectorExtractDynamic,
                        part,
                        &[vector, id],
                    ));
                }
                // A variable holds the value, so that the index may be computed.
                let mut place = self.temporary(ty);
                self.store(&place, &value);
                place.constant = Some("this is a value, no variable");
                self.element(place, id)
            }
            Operand::Place(mut place) => {
                if let Some(components) = place.swizzle.take() {
                    if has_repeats(&components) {
                        place.constant = Some(REPEATED);
                    }
                    if let Some(k) = known {
                        place.swizzle = Some(vec![components[k as usize]]);
                        place.ty = self.part(place.ty, 0);
                        return Operand::Place(place);
                    }
                    let is_vector = matches!(self.types.kind(place.whole), Kind::Vector(..));
                    if !is_vector {
                        place.swizzle = Some(components);
                        let value = self.load(&place);
                        return self.index(Operand::Value(value), span, index, at);
                    }
                    // The index chooses among the numbers of the components.
                    let numbers = components
                        .iter()
                        .map(|&k| Constant::Scalar(Scalar::Int, k.into()))
                        .collect();
                    let ty = self.types.vector(Scalar::Int, components.len() as u8);
                    let numbers = self.constant_id(ty, &Constant::Composite(numbers));
                    let chosen = [numbers, self.id(index)];
                    let component = self.compute(Op::VectorExtractDynamic, Types::INT, &chosen);
                    place.ty = place.whole;
                    return self.element(place, component.id);
                }
                if let Some(k) = known {
                    self.note_index(&place, k);
                } else {
                    self.note_index(&place, u32::MAX);
                }
                let id = self.id(index);
                self.element(place, id)
            }
            other => other,
        }
    }

    fn element(&mut self, mut place: Place, index: u32) -> Operand {
        place.whole = self.part(place.ty, 0);
        place.ty = place.whole;
        place.chain.push(index);
        Operand::Place(place)
    }

    /// `x.length()`.
    fn length(&mut self, operand: Operand, span: Span, at: Span) -> Option<Value> {
        let ty = match &operand {
            Operand::Value(value) => value.ty,
            Operand::Place(place) => place.ty,
            _ => return None,
        };
        let length = match self.types.kind(ty) {
            Kind::Array(_, Length::Known(length)) => length,
            Kind::Vector(_, width) => width.into(),
            Kind::Matrix(_, columns, _) => columns.into(),
            Kind::Array(_, Length::Open) => {
                if let Operand::Place(place) = operand
                    && place.class == StorageClass::StorageBuffer
                    && let [member] = place.chain[..]
                    && let Some(member) = self.small_constant(member)
                {
                    let ty = self.id_of(Types::UINT, None);
                    let id = self.emit(Op::ArrayLength, ty, &[place.pointer, member]);
                    return Some(self.compute(Op::Bitcast, Types::INT, &[id]));
                }
                self.wrong(DiagnosticCode::GlslTypes, at, "this array has no known length yet");
                self.help("give it a length where it is declared");
                return None;
            }
            Kind::Error => return None,
            _ => {
                let found = self.type_name(ty);
                self.wrong(DiagnosticCode::GlslTypes, span, format!("{found} has no length"));
                return None;
            }
        };
        Some(Value::constant(Types::INT, Constant::Scalar(Scalar::Int, length)))
    }

    /// The number of an integer constant below 64, such as the index of a member.
    fn small_constant(&mut self, id: u32) -> Option<u32> {
        (0..64).find(|&k| self.int(k as i32) == id)
    }
}

/// True if a component occurs twice.
fn has_repeats(components: &[u8]) -> bool {
    (1..components.len()).any(|k| components[..k].contains(&components[k]))
}

fn value_operand(value: Option<Value>) -> Operand {
    value.map_or(Operand::Error, Operand::Value)
}

/// True if code has no effect, no blocks, and is short.
fn is_short(code: &[u32]) -> bool {
    if code.len() > SHORT {
        return false;
    }
    let mut rest = code;
    while let Some(&first) = rest.first() {
        let code = first & 0xffff;
        let within = |[from, to]: [Op; 2]| (from as u32..=to as u32).contains(&code);
        let effects = [
            [Op::Store, Op::Store],
            [Op::FunctionCall, Op::FunctionCall],
            [Op::ImageSampleImplicitLod, Op::ImageWrite],
            [Op::DPdx, Op::FwidthCoarse],
            [Op::ControlBarrier, Op::MemoryBarrier],
            // Atomic operations; phis, branches and labels.
            [Op::AtomicLoad, Op::AtomicXor],
            [Op::Phi, Op::Unreachable],
        ];
        if effects.into_iter().any(within) {
            return false;
        }
        rest = &rest[(first >> 16).max(1) as usize..];
    }
    true
}

/// The components that a swizzle names.
fn components(text: &str, width: u8) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > 4 {
        return None;
    }
    ["xyzw", "rgba", "stpq"].iter().find_map(|set| {
        text.chars()
            .map(|c| set.find(c).map(|k| k as u8).filter(|&k| k < width))
            .collect::<Option<Vec<u8>>>()
    })
}
