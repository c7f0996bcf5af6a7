//! Special forms: checks their shapes and schedules their tasks.

use super::code::{Code, Parameter};
use super::declarations::too_large;
use super::resolver::{Form, Resolver, Task, Unfinished};
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::Name;
use lambdav_core::limits::WORDS;
use lambdav_core::source::Span;
use lambdav_core::types::TypeLimit;

/// A parameter in the text.
struct ParsedParameter<'t> {
    name: &'t str,
    parameter: Parameter,
}

impl<'t> Resolver<'t> {
    pub(super) fn malformed(&mut self, form: Form, span: Span, what: impl Into<String>) {
        let usage = form.usage();
        self.report(
            Diagnostic::new(DiagnosticCode::MalformedForm, span, what)
                .help(format!("write `{usage}`")),
        );
    }

    pub(super) fn form(
        &mut self,
        form: Form,
        span: Span,
        head: ExprId,
        rest: &'t [ExprId],
    ) -> Option<()> {
        match form {
            Form::With => return self.with(span, rest),
            Form::Case => return self.case(span, rest),
            _ => {}
        }
        let wanted = match form {
            Form::If => 3,
            Form::Eager | Form::Ordinary => 1,
            _ => 2,
        };
        if rest.len() != wanted {
            let name = self.identifier(head).unwrap_or_default();
            let has = rest.len();
            // Point at the first surplus part, otherwise at the whole form.
            let at = rest.get(wanted).map_or(span, |&extra| self.tree.get(extra).span);
            self.malformed(
                form,
                at,
                match wanted {
                    1 => format!("`{name}` has 1 part after its name, not {has}"),
                    _ => format!("`{name}` has {wanted} parts after its name, not {has}"),
                },
            );
            return None;
        }
        match form {
            Form::If => {
                let visits = rest.iter().map(|&c| Task::Visit(c));
                self.schedule(visits.chain([Task::If { span }]));
            }
            Form::The => {
                let ty = self.type_name(rest[0])?;
                self.schedule([Task::Visit(rest[1]), Task::The { span, ty }]);
            }
            Form::Func | Form::RecFunc => {
                let Some(parameters) = self.list(rest[0]) else {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "the parameters are a list of names");
                    return None;
                };
                if form == Form::RecFunc && parameters.is_empty() {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "a `rec-func` has at least one parameter");
                    return None;
                }
                self.function_tasks(span, form == Form::RecFunc, parameters, rest[1], None)?;
            }
            Form::Tabulate => {
                let at = self.tree.get(rest[0]).span;
                let ExprKind::Number { index: Some(count @ 1..), .. } = self.tree.get(rest[0]).kind
                else {
                    self.malformed(form, at, "the length is a token of digits, at least 1");
                    return None;
                };
                if count > WORDS {
                    self.report(too_large(at, TypeLimit::Parts));
                    return None;
                }
                self.schedule([Task::Visit(rest[1]), Task::Tabulate { span, count }]);
            }
            Form::Probe => {
                if !matches!(self.tree.get(rest[0]).kind, ExprKind::String(_)) {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "the name is a text between quotes");
                    return None;
                }
                // It is its expression; the source evaluator tells its values.
                self.tasks.push(Task::Visit(rest[1]));
            }
            Form::Eager | Form::Ordinary => {
                let eager = form == Form::Eager;
                self.schedule([Task::Visit(rest[0]), Task::Mode { span, eager }]);
            }
            Form::With | Form::Case => unreachable!("they have been handled"),
            Form::Let => self.let_(span, rest)?,
            Form::LetStar => {
                let Some(bindings) = self.list(rest[0]) else {
                    let at = self.tree.get(rest[0]).span;
                    self.malformed(form, at, "the bindings are a list of lists");
                    return None;
                };
                self.tasks.push(Task::LetStar { form: span, bindings, body: rest[1] });
            }
        }
        Some(())
    }

    pub(super) fn function_tasks(
        &mut self,
        span: Span,
        recursive: bool,
        parameters: &'t [ExprId],
        body: ExprId,
        name: Option<&'t str>,
    ) -> Option<()> {
        let form = if recursive { Form::RecFunc } else { Form::Func };
        let mut parsed = Vec::with_capacity(parameters.len());
        for &parameter in parameters {
            parsed.push(self.parameter(form, parameter)?);
        }
        let mut names: Vec<(&str, Option<Form>)> = parsed.iter().map(|p| (p.name, None)).collect();
        self.check_names(parsed.iter().map(|p| (p.name, p.parameter.span)))?;
        if recursive {
            if let Some(rec) = parsed.iter().find(|p| p.name == "rec") {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::RecAsParameter,
                        rec.parameter.span,
                        "a parameter of a `rec-func` cannot be named `rec`",
                    )
                    .label("would hide the loop's own `rec`")
                    .help("choose another name"),
                );
                return None;
            }
            names.push(("rec", None));
        }
        let parameters: Vec<Parameter> = parsed.into_iter().map(|p| p.parameter).collect();
        // The scope must be closed before the function is made, whose level is that of the scope outside. A
        // function without parameters opens a scope, too.
        let open = if names.is_empty() { vec![("", None)] } else { names };
        let begin = recursive.then_some(Task::Recursion(parameters.len()));
        let bind = [Task::Bind(open.clone())].into_iter().chain(begin);
        self.schedule(bind.chain([
            Task::Visit(body),
            Task::Unbind(open),
            Task::Function { span, recursive, parameters, name },
        ]));
        Some(())
    }

    fn parameter(&mut self, form: Form, id: ExprId) -> Option<ParsedParameter<'t>> {
        let span = self.tree.get(id).span;
        if let Some(name) = self.identifier(id) {
            let parameter = Parameter { name: Name::new(name), annotation: None, span };
            return Some(ParsedParameter { name, parameter });
        }
        if let Some(&[name, ty]) = self.list(id)
            && let Some(name) = self.identifier(name)
        {
            let annotation = Some((self.type_name(ty)?, span));
            let parameter = Parameter { name: Name::new(name), annotation, span };
            return Some(ParsedParameter { name, parameter });
        }
        if !matches!(self.tree.get(id).kind, ExprKind::Error) {
            self.malformed(
                form,
                span,
                "a parameter is a name, or a name and a type in parentheses",
            );
        }
        None
    }

    fn binding(&mut self, form: Form, id: ExprId) -> Option<(&'t str, ExprId, Span)> {
        if let Some(&[name, value]) = self.list(id)
            && let Some(text) = self.identifier(name)
        {
            return Some((text, value, self.tree.get(name).span));
        }
        if !matches!(self.tree.get(id).kind, ExprKind::Error) {
            let span = self.tree.get(id).span;
            self.malformed(form, span, "a binding is a list of a name and an expression");
        }
        None
    }

    fn let_(&mut self, span: Span, rest: &'t [ExprId]) -> Option<()> {
        let Some(bindings) = self.list(rest[0]) else {
            let at = self.tree.get(rest[0]).span;
            self.malformed(Form::Let, at, "the bindings are a list of lists");
            return None;
        };
        let mut parsed = Vec::with_capacity(bindings.len());
        for &binding in bindings {
            parsed.push(self.binding(Form::Let, binding)?);
        }
        self.check_names(parsed.iter().map(|&(name, _, span)| (name, span)))?;
        let names: Vec<_> = parsed.iter().map(|&(n, value, _)| (n, self.form_of(value))).collect();
        let (mut named, mut tasks) = (Vec::new(), Vec::new());
        for (i, (&(name, value, _), (_, form))) in parsed.iter().zip(&names).enumerate() {
            if form.is_none() {
                named.push(name);
                let this = Unfinished::Binding(bindings, i);
                tasks.extend([Task::Begin(this), Task::Visit(value), Task::Finish]);
            }
        }
        tasks.extend([Task::Bind(names.clone()), Task::Visit(rest[1]), Task::Unbind(names)]);
        if !named.is_empty() {
            tasks.push(Task::Let { span, names: named });
        }
        self.schedule(tasks);
        Some(())
    }

    pub(super) fn let_star(&mut self, span: Span, bindings: &'t [ExprId], body: ExprId) {
        let Some((&first, rest)) = bindings.split_first() else {
            self.tasks.push(Task::Visit(body));
            return;
        };
        let binding = self.binding(Form::LetStar, first);
        let binding = binding.filter(|&(name, _, at)| self.may_bind(name, at));
        let Some((name, value, _)) = binding else {
            let error = self.push(Code::Error, span);
            self.results.push(error);
            return;
        };
        let form = self.form_of(value);
        let names = vec![(name, form)];
        let next = Task::LetStar { form: span, bindings: rest, body };
        if form.is_some() {
            self.schedule([Task::Bind(names.clone()), next, Task::Unbind(names)]);
        } else {
            self.schedule([
                Task::Begin(Unfinished::Binding(bindings, 0)),
                Task::Visit(value),
                Task::Finish,
                Task::Bind(names.clone()),
                next,
                Task::Unbind(names),
                Task::Let { span, names: vec![name] },
            ]);
        }
    }
}
