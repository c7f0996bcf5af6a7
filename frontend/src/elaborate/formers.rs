//! Formers: constructors, accessors, `array`, `size-of`, `tabulate`. They evaluate all their operands except
//! functions.

use super::constancy::Constancy;
use super::continuation::{Continuation, State};
use super::elaborator::Elaborator;
use super::values::{Arguments, Data, Denotation, EnvId, FunctionId, FunctionValue, Site, Value};
use crate::resolve::{Code, CodeId, Former, too_large};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::StageInput;
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::{Case, ResourceKind, Scalar, Type, TypeKind};
use std::fmt;

impl Elaborator {
    /// The value of a former that is not applied; a case without fields is a variant.
    pub(super) fn former_value(&mut self, former: Former, span: Span) -> Value {
        match former {
            Former::Case(ty, case) if self.arity(former) == 0 => {
                let node = self.graph.op(Op::Inject(ty, case), vec![], span);
                self.data(node, Constancy::LITERAL)
            }
            _ => Value::Function(self.function_id(FunctionValue::Former(former))),
        }
    }

    /// A case that resolution has found.
    pub(super) fn case(&self, ty: Type, index: u32) -> &Case {
        self.graph.types().case(ty, index).expect("the variant has this case")
    }

    /// The number of operands of a former; for `array` the least.
    fn arity(&self, former: Former) -> usize {
        match former {
            Former::Structure(index) => self.declarations.structure(index).fields.len(),
            Former::Case(ty, case) => self.case(ty, case).fields.len(),
            Former::Field(_) | Former::Array | Former::SizeOf | Former::Count => 1,
            Former::Id => 0,
        }
    }

    /// The name in messages.
    fn former_name(&self, former: Former) -> String {
        match former {
            Former::Structure(index) => self.declarations.structure(index).name.to_string(),
            Former::Case(ty, case) => self.case(ty, case).name.to_string(),
            Former::Field(field) => format!(".{}", self.declarations.field_name(field)),
            Former::Array => "array".to_owned(),
            Former::SizeOf => "size-of".to_owned(),
            Former::Count => "count".to_owned(),
            Former::Id => "id".to_owned(),
        }
    }

    pub(super) fn apply_former(
        &mut self,
        former: Former,
        site: Site,
        arguments: Arguments,
    ) -> State {
        let (wanted, found) = (self.arity(former), arguments.len());
        if found < wanted || (found > wanted && former != Former::Array) {
            let plural = if wanted == 1 { "operand" } else { "operands" };
            let least = if former == Former::Array { "at least " } else { "" };
            let name = self.former_name(former);
            let message = format!("`{name}` takes {least}{wanted} {plural}, not {found}");
            let mut diagnostic =
                Diagnostic::new(DiagnosticCode::OperandCount, self.site_span(site), message);
            diagnostic = match former {
                Former::Structure(index) => diagnostic
                    .also(self.declarations.structure(index).span, "declared here")
                    .help("give one value for each field"),
                Former::Case(..) => diagnostic.help("give one value for each field"),
                Former::Field(_) => diagnostic.help(format!("write `({name} structure)`")),
                Former::Array => diagnostic.help("write `(array e …)`"),
                Former::SizeOf => diagnostic.help("write `(size-of a)`"),
                Former::Count => diagnostic.help("write `(count buffer)`"),
                Former::Id => diagnostic.help("write `(id)`"),
            };
            self.report_in(diagnostic, site.activation);
            return State::Return(Value::Error);
        }
        self.next_former_operand(former, site, arguments, Vec::with_capacity(found))
    }

    pub(super) fn next_former_operand(
        &mut self,
        former: Former,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    ) -> State {
        if let Some(&argument) = arguments.get(values.len()) {
            self.wait(Continuation::FormerOperands { former, site, arguments, values });
            return State::Force(argument);
        }
        if values.contains(&Value::Error) {
            return State::Return(Value::Error);
        }
        State::Return(match former {
            Former::Structure(index) => self.structure(index, values, site),
            Former::Case(ty, case) => self.case_value(ty, case, &values, site),
            Former::Field(field) => return self.take_field(field, values[0], site),
            Former::SizeOf => self.size_of(values[0], site),
            Former::Count => self.count(values[0], site),
            Former::Id => self.id(site),
            Former::Array => {
                let spans: Vec<Span> =
                    (0..values.len()).map(|i| self.argument_span(site, i)).collect();
                self.array(&values, |i| spans[i], site)
            }
        })
    }

    fn case_value(&mut self, ty: Type, case: u32, values: &[Value], site: Site) -> Value {
        let of = self.case(ty, case).clone();
        let mut fields = Vec::with_capacity(values.len());
        for (i, (field, &value)) in of.fields.iter().zip(values).enumerate() {
            let place = self.argument_span(site, i);
            let role = format_args!("the field `{}` of `{}`", field.name, of.name);
            match self.field_value(value, Some(field.ty), role, place, None, site) {
                Some(data) => fields.push(data),
                None => return Value::Error,
            }
        }
        let span = self.site_span(site);
        let constancies: Vec<Constancy> = fields.iter().map(|field| field.constancy).collect();
        let constancy = self.constancies.case(&constancies);
        let nodes = fields.iter().map(|field| field.node).collect();
        let node = self.graph.op(Op::Inject(ty, case), nodes, span);
        self.data(node, constancy)
    }

    /// The value of a field, which must have the declared type, if there is one.
    pub(super) fn field_value(
        &mut self,
        value: Value,
        wanted: Option<Type>,
        role: fmt::Arguments<'_>,
        place: Span,
        declared: Option<Span>,
        site: Site,
    ) -> Option<Data> {
        let data = self.require_value(value, place, role, Some(site.activation))?;
        let found = self.graph.value_type(data.node);
        let Some(wanted) = wanted.filter(|&wanted| wanted != found) else { return Some(data) };
        let message = format!("{role} is {}, not {}", self.a(wanted), self.a(found));
        let mut diagnostic = Diagnostic::new(DiagnosticCode::AnnotationMismatch, place, message)
            .label(format!("this is {}", self.a(found)))
            .help("give a value of the declared type; nothing is converted by itself");
        if let Some(declared) = declared {
            diagnostic = diagnostic.also(declared, "by this declaration");
        }
        self.report_in(diagnostic, site.activation);
        None
    }

    /// The array of these elements, with their positions.
    fn array(&mut self, values: &[Value], place: impl Fn(usize) -> Span, site: Site) -> Value {
        let (mut nodes, mut constancies) = (Vec::with_capacity(values.len()), Vec::new());
        for (i, &value) in values.iter().enumerate() {
            let role = "an element of an array";
            match self.require_value(value, place(i), role, Some(site.activation)) {
                Some(data) => {
                    nodes.push(data.node);
                    constancies.push(data.constancy);
                }
                None => return Value::Error,
            }
        }
        let span = self.site_span(site);
        let first = self.graph.value_type(nodes[0]);
        if let Some(other) = nodes.iter().position(|&node| self.graph.value_type(node) != first) {
            let found = self.graph.value_type(nodes[other]);
            let message =
                format!("element {other} is {}, element 0 {}", self.a(found), self.a(first));
            let mut diagnostic =
                Diagnostic::new(DiagnosticCode::OperandTypes, place(other), message)
                    .label(format!("this is {}", self.a(found)));
            if place(0) != place(other) {
                diagnostic = diagnostic.also(place(0), format!("this is {}", self.a(first)));
            }
            let diagnostic = diagnostic.help("all elements of an array have one type");
            self.report_in(diagnostic, site.activation);
            return Value::Error;
        }
        let count = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        match self.graph.types_mut().add_array(first, count) {
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

    fn size_of(&mut self, value: Value, site: Site) -> Value {
        let (span, at) = (self.site_span(site), self.argument_span(site, 0));
        let role = "the operand of `size-of`";
        let Some(Data { node, .. }) = self.require_value(value, at, role, Some(site.activation))
        else {
            return Value::Error;
        };
        if let TypeKind::Array(_, count) = *self.graph.types().kind(self.graph.value_type(node)) {
            let size = self.graph.constant(Type::INT, &[count], span);
            let size = self.graph.after(size, [node], span);
            return self.data(size, Constancy::LITERAL);
        }
        let of = self.graph.types().resource_kind(self.graph.value_type(node));
        if let Some(ResourceKind::Buffer(_)) = of {
            let size = self.graph.op(Op::Length, vec![node], span);
            return self.data(size, Constancy::Varies);
        }
        let found = self.describe(value);
        let message = "`size-of` takes an array or a buffer";
        self.report_in(
            Diagnostic::new(DiagnosticCode::OperandTypes, span, message)
                .also(at, format!("this is {found}"))
                .help("a vector has as many components as its type says"),
            site.activation,
        );
        Value::Error
    }

    /// The number of elements that passes appended to a buffer; of others its length.
    fn count(&mut self, value: Value, site: Site) -> Value {
        let (span, at) = (self.site_span(site), self.argument_span(site, 0));
        let role = "the operand of `count`";
        let Some(Data { node, .. }) = self.require_value(value, at, role, Some(site.activation))
        else {
            return Value::Error;
        };
        let ty = self.graph.value_type(node);
        if let Some(ResourceKind::Buffer(_)) = self.graph.types().resource_kind(ty) {
            let count = match self.counters.get(&ty) {
                Some(&counter) => {
                    let counter = self.graph.constant(counter, &[], span);
                    let first = self.graph.constant(Type::UINT, &[0], span);
                    let count = self.graph.op(Op::Element, vec![counter, first], span);
                    self.graph.op(Op::Convert(Scalar::I32), vec![count], span)
                }
                None => self.graph.op(Op::Length, vec![node], span),
            };
            return self.data(count, Constancy::Varies);
        }
        let found = self.describe(value);
        self.report_in(
            Diagnostic::new(DiagnosticCode::OperandTypes, span, "`count` takes a buffer")
                .also(at, format!("this is {found}"))
                .help("the number of elements of an array is `(size-of array)`"),
            site.activation,
        );
        Value::Error
    }

    /// The id of a pass. Elsewhere there is none, which has been reported.
    fn id(&mut self, site: Site) -> Value {
        let Some(axes) = self.axes else { return Value::Error };
        let (input, span) = (StageInput::Id(axes), self.site_span(site));
        let node = self.graph.stage_input(input, input.ty(&[], &[]), span);
        self.data(node, Constancy::Varies)
    }

    pub(super) fn begin_tabulate(&mut self, code: CodeId, env: EnvId, value: Value) -> State {
        let Code::Tabulate(count, function_code) = *self.arena.get(code) else {
            unreachable!("the continuation was made for it")
        };
        let site = self.site(code, env);
        match value {
            Value::Error => State::Return(Value::Error),
            Value::Function(function) => {
                self.next_element(function, site, count, Vec::with_capacity(count as usize))
            }
            _ => {
                let help = "`(tabulate N f)` is `(array (f 0i) … (f N-1i))`";
                self.not_a_function(value, self.span(function_code, env), help, site.activation)
            }
        }
    }

    /// Evaluates the next element of a `tabulate`.
    pub(super) fn next_element(
        &mut self,
        function: FunctionId,
        site: Site,
        count: u32,
        values: Vec<Value>,
    ) -> State {
        if values.last() == Some(&Value::Error) {
            return State::Return(Value::Error);
        }
        let (next, span) = (values.len() as u32, self.site_span(site));
        if next == count {
            let at = self.argument_span(site, 0);
            return State::Return(self.array(&values, |_| at, site));
        }
        let index = self.graph.constant(Type::INT, &[next], span);
        self.wait(Continuation::Elements { function, site, count, values });
        let arguments: Arguments = [Denotation::Value(self.data(index, Constancy::LITERAL))].into();
        State::Apply(function, site, arguments)
    }
}
