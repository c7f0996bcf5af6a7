//! Structures: their fields, and structures that hold functions, which exist only at compile time.

use super::constancy::Constancy;
use super::continuation::State;
use super::elaborator::Elaborator;
use super::values::{Data, FunctionValue, HeldId, HeldStructure, Site, Value};
use crate::builtins::Builtin;
use crate::elaborate::values::EnvId;
use crate::resolve::{Code, CodeId, FieldName, StructureIndex, too_large};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{LoopId, Node, NodeId};
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use std::fmt;

impl Elaborator {
    /// The declaration of the structure that is the node's type; `None` for other types.
    pub(super) fn declaration_of(&self, node: NodeId) -> Option<StructureIndex> {
        let ty = self.graph.expr_type(node).value()?;
        let structure = self.graph.types().structure(ty)?;
        Some(self.declarations.declaration_of(structure))
    }

    /// The declaration of a value's structure; `Some(None)` for other values. `None` after reporting a value
    /// that is none.
    fn require_declaration(
        &mut self,
        value: Value,
        at: Span,
        role: impl fmt::Display,
        site: Site,
    ) -> Option<Option<StructureIndex>> {
        if let Value::Structure(id) = value {
            return Some(Some(self.held(id).declaration));
        }
        let data = self.require_value(value, at, role, Some(site.activation))?;
        Some(self.declaration_of(data.node))
    }

    /// A structure with these fields.
    pub(super) fn structure(
        &mut self,
        declaration: StructureIndex,
        fields: Vec<Value>,
        site: Site,
    ) -> Value {
        let declarations = self.declarations.clone();
        let declared = declarations.structure(declaration);
        let (mut nodes, mut types, mut constancies) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (field, &value)) in declared.fields.iter().zip(&fields).enumerate() {
            let span = self.argument_span(site, i);
            let name = declarations.field_name(field.name);
            let role = format_args!("the field `{name}` of `{}`", declared.name);
            if let (Value::Function(_) | Value::Structure(_), None) = (value, field.ty) {
                continue;
            }
            let declared = Some(declared.span);
            match self.field_value(value, field.ty, role, span, declared, site) {
                Some(data) => {
                    nodes.push(data.node);
                    types.push(self.graph.value_type(data.node));
                    constancies.push(data.constancy);
                }
                None => return Value::Error,
            }
        }
        if nodes.len() < fields.len() {
            return self.hold(declaration, fields, None, self.site_span(site));
        }
        let span = self.site_span(site);
        match declarations.instance(self.graph.types_mut(), declaration, &types) {
            Ok(ty) => {
                let constancy = self.constancies.made_of(&constancies);
                let node = self.graph.op(Op::Construct(ty), nodes, span);
                self.data(node, constancy)
            }
            Err(limit) => {
                self.report_in(too_large(span, limit), site.activation);
                Value::Error
            }
        }
    }

    /// A structure that holds functions; `strict` is evaluated with it.
    fn hold(
        &mut self,
        declaration: StructureIndex,
        fields: Vec<Value>,
        strict: Option<NodeId>,
        span: Span,
    ) -> Value {
        let mut evaluated: Vec<NodeId> = strict.into_iter().collect();
        for &field in &fields {
            match field {
                Value::Data(data) if self.graph.may_diverge(data.node) => evaluated.push(data.node),
                Value::Structure(id) => evaluated.extend(self.held(id).strict),
                _ => {}
            }
        }
        let strict = match *evaluated {
            [] => None,
            [first, ref rest @ ..] => Some(self.graph.after(first, rest.iter().copied(), span)),
        };
        let fields = fields.into();
        let held = HeldStructure { declaration, fields, strict, parameter: None };
        Value::Structure(self.held_id(held))
    }

    /// The same structure, as a parameter of a loop or as none.
    pub(super) fn held_as(&mut self, id: HeldId, parameter: Option<(LoopId, u32)>) -> HeldId {
        let held = HeldStructure { parameter, ..self.held(id).clone() };
        self.held_id(held)
    }

    /// True if two structures that hold functions have the same type, as far as they have types.
    pub(super) fn are_alike(&self, a: HeldId, b: HeldId) -> bool {
        let mut pairs = vec![(a, b)];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((a, b)) = pairs.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            let (a, b) = (self.held(a), self.held(b));
            if a.declaration != b.declaration {
                return false;
            }
            for (&a, &b) in a.fields.iter().zip(&*b.fields) {
                match (a, b) {
                    (Value::Data(a), Value::Data(b))
                        if self.graph.value_type(a.node) == self.graph.value_type(b.node) => {}
                    (Value::Function(_), Value::Function(_)) => {}
                    (Value::Structure(a), Value::Structure(b)) => pairs.push((a, b)),
                    _ => return false,
                }
            }
        }
        true
    }

    /// A value after those of `others` that might not end.
    pub(super) fn after_value(
        &mut self,
        value: Value,
        others: impl IntoIterator<Item = NodeId>,
        span: Span,
    ) -> Value {
        let others: Vec<NodeId> =
            others.into_iter().filter(|&other| self.graph.may_diverge(other)).collect();
        let Some((&first, rest)) = others.split_first() else { return value };
        let other = self.graph.after(first, rest.iter().copied(), span);
        match value {
            Value::Error => Value::Error,
            Value::Function(function) => {
                Value::Function(self.function_id(FunctionValue::After { function, other }))
            }
            Value::Structure(id) => {
                let held = self.held(id).clone();
                self.hold(held.declaration, held.fields.to_vec(), Some(other), span)
            }
            // A value after others is not constant.
            Value::Data(Data { node, .. }) => {
                let node = self.data_after(node, other, span);
                self.data(node, Constancy::Varies)
            }
        }
    }

    fn data_after(&mut self, node: NodeId, other: NodeId, span: Span) -> NodeId {
        match self.graph.node(node).clone() {
            // A tail with `rec` decides after them.
            Node::If([condition, then, otherwise])
                if self.graph.expr_type(node).value().is_none() =>
            {
                let condition = self.graph.after(condition, [other], span);
                self.graph.if_([condition, then, otherwise], span)
            }
            Node::Rec(..) => {
                let decided = self.graph.bool(true, span);
                let condition = self.graph.after(decided, [other], span);
                self.graph.if_([condition, node, node], span)
            }
            _ => self.graph.after(node, [other], span),
        }
    }

    /// `(.f value)`.
    pub(super) fn take_field(&mut self, field: FieldName, value: Value, site: Site) -> State {
        let declarations = self.declarations.clone();
        let (span, name) = (self.site_span(site), declarations.field_name(field));
        let role = format_args!("the operand of `.{name}`");
        let at = self.argument_span(site, 0);
        let Some(declaration) = self.require_declaration(value, at, role, site) else {
            return State::Return(Value::Error);
        };
        let position = declaration.and_then(|d| declarations.structure(d).position(field));
        match (value, position) {
            (Value::Structure(id), Some(position)) => {
                let held = self.held(id);
                let (taken, strict) = (held.fields[position], held.strict);
                State::Return(self.after_value(taken, strict, span))
            }
            (Value::Data(data), Some(position)) => {
                State::Return(self.field(data, position as u32, span))
            }
            _ => {
                if declaration.is_none()
                    && let Some(swizzle) = Builtin::lookup(&format!(".{name}"))
                {
                    return self.apply_to_values(swizzle, site, &[value]);
                }
                let found = self.describe(value);
                self.no_field(name, &found, declaration, span, site);
                State::Return(Value::Error)
            }
        }
    }

    fn field(&mut self, of: Data, position: u32, span: Span) -> Value {
        let count = self.graph.types().parts(self.graph.value_type(of.node)).len();
        let constancy = self.constancies.part(of.constancy, position as usize, count);
        let node = self.graph.op(Op::Field(position), vec![of.node], span);
        self.data(node, constancy)
    }

    fn no_field(
        &mut self,
        name: &str,
        found: &str,
        declaration: Option<StructureIndex>,
        span: Span,
        site: Site,
    ) {
        let mut diagnostic = Diagnostic::new(
            DiagnosticCode::NoSuchField,
            span,
            format!("{found} has no field `{name}`"),
        );
        if let Some(declaration) = declaration {
            let declared = self.declarations.structure(declaration);
            let names = declared.fields.iter().take(8);
            let names: Vec<String> =
                names.map(|f| format!("`{}`", self.declarations.field_name(f.name))).collect();
            diagnostic = match names.as_slice() {
                [] => diagnostic.also(declared.span, "it has none"),
                all => diagnostic
                    .also(declared.span, "declared here")
                    .help(format!("its fields are {}", all.join(", "))),
            };
        } else {
            diagnostic = diagnostic.help("an accessor takes a structure");
        }
        self.report_in(diagnostic, site.activation);
    }

    /// Evaluates the next new field of a `with`; `values` begins with the structure.
    pub(super) fn next_with(&mut self, code: CodeId, env: EnvId, values: Vec<Value>) -> State {
        let Code::With { fields, .. } = self.arena.get(code) else {
            unreachable!("the continuation was made for it")
        };
        if let Some(&(_, next)) = fields.get(values.len() - 1) {
            self.wait(super::continuation::Continuation::With { code, env, values });
            return State::Evaluate(next, env);
        }
        let fields = fields.clone();
        State::Return(self.with(code, env, &fields, &values))
    }

    fn with(
        &mut self,
        code: CodeId,
        env: EnvId,
        fields: &[(FieldName, CodeId)],
        values: &[Value],
    ) -> Value {
        let (span, site) = (self.span(code, env), self.site(code, env));
        let Code::With { value: target_code, .. } = *self.arena.get(code) else {
            unreachable!("the continuation was made for it")
        };
        let target_span = self.span(target_code, env);
        let target = values[0];
        let declarations = self.declarations.clone();
        let role = "the operand of `with`";
        let Some(declaration) = self.require_declaration(target, target_span, role, site) else {
            return Value::Error;
        };
        let Some(declaration) = declaration else {
            let found = self.describe(target);
            self.report_in(
                Diagnostic::new(
                    DiagnosticCode::NoSuchField,
                    target_span,
                    "the operand of `with` is not a structure",
                )
                .label(format!("this is {found}"))
                .help("a component of a vector is replaced by `(update v i e)`"),
                site.activation,
            );
            return Value::Error;
        };
        let declared = declarations.structure(declaration);
        let mut parts: Vec<Value> = match target {
            Value::Structure(id) => self.held(id).fields.to_vec(),
            Value::Data(data) => {
                (0..declared.fields.len() as u32).map(|k| self.field(data, k, span)).collect()
            }
            _ => unreachable!("it is a structure"),
        };
        for (&(field, field_code), &value) in fields.iter().zip(&values[1..]) {
            let at = self.span(field_code, env);
            let name = declarations.field_name(field);
            let Some(position) = declared.position(field) else {
                let found = self.describe(target);
                self.no_field(name, &found, Some(declaration), at, site);
                return Value::Error;
            };
            let old = parts[position];
            let fits = match (old, value) {
                (_, Value::Error) => return Value::Error,
                (Value::Data(old), Value::Data(new)) => {
                    let role = format_args!("the field `{name}`");
                    match self.require_value(value, at, role, Some(site.activation)) {
                        Some(_) => {
                            self.graph.value_type(old.node) == self.graph.value_type(new.node)
                        }
                        None => return Value::Error,
                    }
                }
                (Value::Function(_), Value::Function(_)) => true,
                (Value::Structure(a), Value::Structure(b)) => self.are_alike(a, b),
                _ => false,
            };
            if !fits {
                let [old, new] = [old, value].map(|value| self.describe(value));
                self.report_in(
                    Diagnostic::new(
                        DiagnosticCode::AnnotationMismatch,
                        at,
                        format!("the field `{name}` is {old}, not {new}"),
                    )
                    .label(format!("this is {new}"))
                    .help("`with` changes values, not types: construct a new structure instead"),
                    site.activation,
                );
                return Value::Error;
            }
            parts[position] = value;
        }
        match target {
            Value::Data(Data { node, .. }) => {
                let ty: Type = self.graph.value_type(node);
                let parts = parts.into_iter().map(|part| match part {
                    Value::Data(part) => (part.node, part.constancy),
                    _ => unreachable!("fields of a node are nodes"),
                });
                let (nodes, constancies): (Vec<NodeId>, Vec<Constancy>) = parts.unzip();
                let constancy = self.constancies.made_of(&constancies);
                let made = self.graph.op(Op::Construct(ty), nodes, span);
                let made = self.graph.after(made, [node], span);
                self.data(made, constancy)
            }
            Value::Structure(id) => {
                let strict = self.held(id).strict;
                self.hold(declaration, parts, strict, span)
            }
            _ => unreachable!("it is a structure"),
        }
    }
}
