//! Application of function values.

use super::continuation::{Continuation, OperandSource, State};
use super::elaborator::Elaborator;
use super::values::{
    ActivationId, Arguments, Denotation, EnvId, FunctionId, FunctionValue, Site, Value,
};
use crate::resolve::{Code, CodeId, Parameter};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;
use std::rc::Rc;

impl Elaborator {
    pub(super) fn resume_callee(&mut self, code: CodeId, env: EnvId, callee: Value) -> State {
        let site = self.site(code, env);
        match callee {
            Value::Error => State::Return(Value::Error),
            Value::Function(function) => {
                let arguments = self.denote_arguments(code, env);
                State::Apply(function, site, arguments)
            }
            Value::Data(_) | Value::Structure(_) => {
                let Code::Apply { callee: part, .. } = *self.arena.get(code) else {
                    unreachable!("the continuation was made for an application")
                };
                let help = "parentheses apply a function; leave them out around a value";
                self.not_a_function(callee, self.span(part, env), help, site.activation)
            }
        }
    }

    /// Reports a value that should be a function.
    pub(super) fn not_a_function(
        &mut self,
        value: Value,
        span: Span,
        help: &str,
        activation: ActivationId,
    ) -> State {
        let diagnostic =
            Diagnostic::new(DiagnosticCode::NotAFunction, span, "this is not a function")
                .label(format!("this is {}", self.describe(value)))
                .help(help);
        self.report_in(diagnostic, activation);
        State::Return(Value::Error)
    }

    pub(super) fn apply(
        &mut self,
        function: FunctionId,
        site: Site,
        arguments: Arguments,
    ) -> State {
        let eager = self.is_eager(site.activation);
        match self.function(function) {
            FunctionValue::Builtin(builtin) => {
                self.apply_builtin(builtin, site, OperandSource::Arguments(arguments))
            }
            FunctionValue::Former(former) => self.apply_former(former, site, arguments),
            FunctionValue::After { function, other } => {
                self.wait(Continuation::After { other, site });
                State::Apply(function, site, arguments)
            }
            FunctionValue::Static { function, .. } => State::Apply(function, site, arguments),
            FunctionValue::Next(round) => self.apply_next(round, site, arguments),
            FunctionValue::Rec(of) => self.apply_rec(of, site, arguments),
            FunctionValue::Choice { condition, then, otherwise } => {
                if let Some(known) = self.remembered(function, &arguments, eager) {
                    return State::Return(known);
                }
                let remember =
                    Continuation::Remember { function, arguments: arguments.clone(), eager };
                self.wait(remember);
                let first = arguments.clone();
                self.wait(Continuation::ChoiceThen { condition, otherwise, site, arguments });
                State::Apply(then, site, first)
            }
            FunctionValue::Closure { code, .. } => {
                let (parameters, recursive) = self.signature(code);
                if arguments.len() != parameters.len() {
                    self.argument_count(code, site, parameters.len(), arguments.len());
                    return State::Return(Value::Error);
                }
                if let Some(known) = self.remembered(function, &arguments, eager) {
                    return State::Return(known);
                }
                let remember =
                    Continuation::Remember { function, arguments: arguments.clone(), eager };
                self.wait(remember);
                if recursive {
                    self.next_loop_argument(function, site, arguments, Vec::new())
                } else {
                    self.next_annotated(function, site, arguments, 0)
                }
            }
        }
    }

    /// The memoised result of an earlier application to the same arguments.
    fn remembered(
        &self,
        function: FunctionId,
        arguments: &Arguments,
        eager: bool,
    ) -> Option<Value> {
        let result = |arguments| self.results.get(&(function, arguments, eager)).copied();
        result(arguments.clone()).or_else(|| result(self.settled(arguments)))
    }

    /// The parameters of a closure's code; true for a `rec-func`.
    pub(super) fn signature(&self, code: CodeId) -> (Rc<[Parameter]>, bool) {
        match self.arena.get(code) {
            Code::Function(f) => (f.parameters.clone(), f.recursive),
            _ => unreachable!("closures are made of functions"),
        }
    }

    fn argument_count(&mut self, code: CodeId, site: Site, wanted: usize, found: usize) {
        let plural = |n: usize| if n == 1 { "1 argument".into() } else { format!("{n} arguments") };
        let name = self.function_name(code).map_or("the function".into(), |n| format!("`{n}`"));
        let span = self.site_span(site);
        let diagnostic = Diagnostic::new(
            DiagnosticCode::ArgumentCount,
            span,
            format!("{name} takes {}, not {found}", plural(wanted)),
        )
        .label(format!("applied to {}", plural(found)))
        .also(self.arena.span(code), "the function is this")
        .help("give one argument for each parameter; a function that returns a function is applied as `((f a) b)`");
        self.report_in(diagnostic, site.activation);
    }

    /// Evaluates the argument of the next annotated parameter, which is typed even if unused, or enters the
    /// body.
    fn next_annotated(
        &mut self,
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        from: usize,
    ) -> State {
        let (code, env) = self.closure_parts(function);
        let (parameters, _) = self.signature(code);
        if let Some(next) = (from..parameters.len()).find(|&i| parameters[i].annotation.is_some()) {
            let argument = arguments[next];
            self.wait(Continuation::Annotated { function, site, arguments, next });
            return State::Force(argument);
        }
        let Some(activation) = self.activate(function, site) else {
            return State::Return(Value::Error);
        };
        let Code::Function(f) = self.arena.get(code) else {
            unreachable!("closures are made of functions")
        };
        let body = f.body;
        self.name_all(&arguments, parameters.iter().map(|p| &p.name), activation);
        let inner = self.push_env(env, arguments, activation);
        State::Evaluate(body, inner)
    }

    pub(super) fn resume_annotated(
        &mut self,
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        next: usize,
        value: Value,
    ) -> State {
        let (code, _) = self.closure_parts(function);
        let (parameters, _) = self.signature(code);
        let checked = self.check_parameter(&parameters[next], site, next, value);
        if checked == Value::Error {
            return State::Return(Value::Error);
        }
        self.next_annotated(function, site, arguments, next + 1)
    }

    /// The argument for a parameter, checked against its annotation if it has one.
    pub(super) fn check_parameter(
        &mut self,
        parameter: &Parameter,
        site: Site,
        i: usize,
        value: Value,
    ) -> Value {
        match parameter.annotation {
            Some((ty, at)) => {
                let span = self.argument_span(site, i);
                self.check_annotation(value, ty, span, at, site.activation)
            }
            None => value,
        }
    }

    pub(super) fn closure_parts(&self, function: FunctionId) -> (CodeId, EnvId) {
        match self.function(function) {
            FunctionValue::Closure { code, env, .. } => (code, env),
            _ => unreachable!("the continuation was made for a closure"),
        }
    }

    /// The values as denotations.
    pub(super) fn arguments_of(values: impl IntoIterator<Item = Value>) -> Arguments {
        values.into_iter().map(Denotation::Value).collect()
    }
}
