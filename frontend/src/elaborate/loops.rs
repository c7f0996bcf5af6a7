//! `rec-func` and `rec`.

use super::choice::returns_function;
use super::constancy::Constancy;
use super::continuation::{Continuation, State};
use super::elaborator::{Elaborator, LoopInfo, LoopParameter};
use super::values::{Arguments, Data, Denotation, FunctionId, FunctionValue, Site, Value};
use crate::resolve::{Code, CodeId};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{ExprType, LoopId, Node, NodeId};
use lambdav_core::source::Span;

/// The body of a `rec-func` has no `rec`, or no value.
pub(super) struct NotALoop;

impl Elaborator {
    /// Evaluates the next argument of a `rec-func`, or begins the loop: all arguments are evaluated before
    /// the body is entered.
    pub(super) fn next_loop_argument(
        &mut self,
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    ) -> State {
        match arguments.get(values.len()) {
            Some(&argument) => {
                self.wait(Continuation::LoopArguments { function, site, arguments, values });
                State::Force(argument)
            }
            None if self.is_eager(site.activation) => {
                let of = self.graph.begin_loop();
                self.begin_round(of, function, site, site, values)
            }
            None => self.begin_loop(function, site, values),
        }
    }

    pub(super) fn begin_loop(
        &mut self,
        function: FunctionId,
        site: Site,
        mut values: Vec<Value>,
    ) -> State {
        let (code, env) = self.closure_parts(function);
        let (declared, _) = self.signature(code);
        for (i, parameter) in declared.iter().enumerate() {
            values[i] = self.check_parameter(parameter, site, i, values[i]);
            if let Value::Data(_) = values[i] {
                let span = self.argument_span(site, i);
                let activation = Some(site.activation);
                let data = self.require_value(values[i], span, "an argument of a loop", activation);
                values[i] = data.map_or(Value::Error, Value::Data);
            }
        }
        if values.contains(&Value::Error) {
            return State::Return(Value::Error);
        }
        let Some(activation) = self.activate(function, site) else {
            return State::Return(Value::Error);
        };
        let again = self.is_eager(site.activation).then(|| (function, site, values.clone()));
        let of = self.graph.begin_loop();
        let Code::Function(f) = self.arena.get(code) else {
            unreachable!("closures are made of functions")
        };
        let (body, fixed) = (f.body, f.fixed.clone());
        let (mut params, mut inits, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        let mut slots = Vec::with_capacity(values.len() + 1);
        for (i, &value) in values.iter().enumerate() {
            let index = i as u32;
            slots.push(Denotation::Value(match value {
                Value::Data(init) if fixed[i] && !self.graph.may_diverge(init.node) => {
                    parameters.push(LoopParameter::Outside);
                    value
                }
                Value::Data(Data { node: init, .. }) => {
                    let ty = self.graph.value_type(init);
                    let span = self.span_in(code, activation);
                    let param = self.graph.param(of, index, ty, span);
                    params.push(param);
                    inits.push(init);
                    parameters.push(LoopParameter::Data(ty));
                    // A value that might not end is a parameter, so that it is evaluated on entry; the
                    // parameter itself is not used.
                    self.data(if fixed[i] { init } else { param }, Constancy::Varies)
                }
                Value::Function(function) => {
                    let fixed = FunctionValue::Static { of, parameter: index, function };
                    let fixed = self.function_id(fixed);
                    parameters.push(LoopParameter::Static(fixed));
                    Value::Function(fixed)
                }
                Value::Structure(structure) => {
                    let strict = self.held(structure).strict;
                    if let Some(init) = strict {
                        // Evaluated on entry, as above.
                        let ty = self.graph.value_type(init);
                        let span = self.span_in(code, activation);
                        params.push(self.graph.param(of, index, ty, span));
                        inits.push(init);
                    }
                    let own = self.held_as(structure, Some((of, index)));
                    parameters.push(LoopParameter::Structure(own, strict));
                    Value::Structure(own)
                }
                Value::Error => unreachable!("checked above"),
            }));
        }
        slots.push(Denotation::Value(Value::Function(self.function_id(FunctionValue::Rec(of)))));
        let slots: Arguments = slots.into();
        self.name_all(&slots, declared.iter().map(|p| &p.name), activation);
        let span = self.span_in(code, activation);
        self.loops.insert(of, LoopInfo { parameters, span });
        let inner = self.push_env(env, slots, activation);
        self.wait(Continuation::LoopBody { of, params, inits, code, again });
        State::Evaluate(body, inner)
    }

    /// The value of a loop, from the value of its body. `again`: a body without `rec` or without value is not
    /// reported.
    pub(super) fn end_loop(
        &mut self,
        of: LoopId,
        params: Vec<NodeId>,
        inits: Vec<NodeId>,
        code: CodeId,
        body: Value,
        again: bool,
    ) -> Result<Value, NotALoop> {
        let span = self.loops[&of].span;
        let body_span = match self.arena.get(code) {
            Code::Function(f) => self.arena.span(f.body),
            _ => unreachable!("closures are made of functions"),
        };
        let node = match body {
            Value::Error => return Ok(Value::Error),
            Value::Data(data) => data.node,
            Value::Function(_) | Value::Structure(_) => {
                self.report(returns_function(body_span));
                return Ok(Value::Error);
            }
        };
        if self.has_foreign_rec(node, of, span) {
            return Ok(Value::Error);
        }
        Ok(match self.graph.expr_type(node) {
            ExprType::Rec(_) => {
                let node = self.graph.finish_loop(of, params, inits, node, span);
                self.data(node, Constancy::Varies)
            }
            ExprType::Value(_) | ExprType::PureRec if again => return Err(NotALoop),
            ExprType::Value(_) => {
                self.report(
                    Diagnostic::new(DiagnosticCode::NoRec, span, "this `rec-func` never goes on")
                        .label("there is no `rec` in its body")
                        .help("use `func`, or call `rec` in one branch of an `if`"),
                );
                Value::Error
            }
            ExprType::PureRec => {
                self.report(
                    Diagnostic::new(DiagnosticCode::NoValue, span, "this `rec-func` never ends")
                        .label("every path goes on with `rec`")
                        .help("end in a value in one branch of an `if`"),
                );
                Value::Error
            }
        })
    }

    /// True if a tail reaches a `rec` of another loop, after reporting it.
    pub(super) fn has_foreign_rec(&mut self, node: NodeId, of: LoopId, span: Span) -> bool {
        let foreign = self
            .graph
            .tail_leaves(node)
            .into_iter()
            .find(|&leaf| matches!(self.graph.node(leaf), Node::Rec(other, _) if *other != of));
        if let Some(leaf) = foreign {
            self.report(
                Diagnostic::new(
                    DiagnosticCode::RecOfAnother,
                    self.graph.span(leaf),
                    "this `rec` belongs to another `rec-func`",
                )
                .label("belongs to the `rec-func` around its text")
                .also(span, "but is reached from the body of this one")
                .help("a loop can only go on with itself; return a value and decide outside"),
            );
            return true;
        }
        false
    }

    pub(super) fn apply_rec(&mut self, of: LoopId, site: Site, arguments: Arguments) -> State {
        let wanted = self.loops[&of].parameters.len();
        if arguments.len() != wanted {
            let first = self.loops[&of].span;
            self.rec_count(wanted, arguments.len(), first, site);
            return State::Return(Value::Error);
        }
        self.next_rec_argument(of, site, arguments, Vec::with_capacity(wanted))
    }

    /// Reports a `rec` with the wrong number of arguments.
    pub(super) fn rec_count(&mut self, wanted: usize, found: usize, first: Span, site: Site) {
        let span = self.site_span(site);
        self.report_in(
            Diagnostic::new(
                DiagnosticCode::RecCount,
                span,
                format!("`rec` takes {wanted} here, not {found}"),
            )
            .label("one argument for each parameter of the `rec-func`")
            .also(first, "the `rec-func` is this"),
            site.activation,
        );
    }

    pub(super) fn next_rec_argument(
        &mut self,
        of: LoopId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    ) -> State {
        match arguments.get(values.len()) {
            Some(&argument) => {
                self.wait(Continuation::RecArguments { of, site, arguments, values });
                State::Force(argument)
            }
            None => State::Return(self.rec(of, site, &values)),
        }
    }

    fn rec(&mut self, of: LoopId, site: Site, values: &[Value]) -> Value {
        let mut nodes = Vec::new();
        let mut failed = false;
        for (i, &value) in values.iter().enumerate() {
            let parameter = self.loops[&of].parameters[i];
            match self.rec_argument(of, site, i, value, parameter) {
                Some(node) => nodes.extend(node),
                None => failed = true,
            }
        }
        if failed {
            return Value::Error;
        }
        let span = self.site_span(site);
        let node = self.graph.rec(of, nodes, span);
        self.data(node, Constancy::Varies)
    }

    /// The node passed to a parameter; `Some(None)` if none is passed; `None` after an error.
    fn rec_argument(
        &mut self,
        of: LoopId,
        site: Site,
        i: usize,
        value: Value,
        parameter: LoopParameter,
    ) -> Option<Option<NodeId>> {
        let span = self.argument_span(site, i);
        let first = self.loops[&of].span;
        let diagnostic = match (parameter, value) {
            (_, Value::Error) => return None,
            (LoopParameter::Outside, _) => return Some(None),
            (LoopParameter::Static(fixed), Value::Function(found)) if fixed == found => {
                return Some(None);
            }
            (LoopParameter::Structure(own, strict), Value::Structure(found)) if own == found => {
                return Some(strict);
            }
            (_, Value::Function(_) | Value::Structure(_))
            | (LoopParameter::Static(_) | LoopParameter::Structure(..), Value::Data(_)) => self
                .changed_argument(parameter, value, span)
                .also(first, "in a `rec` of this `rec-func`"),
            (LoopParameter::Data(wanted), Value::Data(_)) => {
                let role = "an argument of `rec`";
                let Data { node, .. } =
                    self.require_value(value, span, role, Some(site.activation))?;
                let found = self.graph.value_type(node);
                if found == wanted {
                    return Some(Some(node));
                }
                Diagnostic::new(
                    DiagnosticCode::RecTypes,
                    span,
                    format!("this is {}, the first call passed {}", self.a(found), self.a(wanted)),
                )
                .label(format!("must be {}", self.a(wanted)))
                .also(first, "in a `rec` of this `rec-func`")
                .help("each parameter keeps the type that the first call gave it")
            }
        };
        self.report_in(diagnostic, site.activation);
        None
    }

    /// The diagnostic for a `rec` argument at `span` that changes a function, or a structure that holds one.
    fn changed_argument(&self, parameter: LoopParameter, value: Value, span: Span) -> Diagnostic {
        let found = self.describe(value);
        let first = match parameter {
            LoopParameter::Static(_) => "a function".to_owned(),
            LoopParameter::Structure(own, _) => self.describe(Value::Structure(own)),
            LoopParameter::Data(ty) => self.a(ty),
            LoopParameter::Outside => unreachable!("what is from outside does not change"),
        };
        let is_one_kind = matches!(
            (parameter, value),
            (LoopParameter::Static(_), Value::Function(_))
                | (LoopParameter::Structure(..), Value::Structure(_))
        );
        let label = match is_one_kind {
            true => "this is not the parameter itself".to_owned(),
            false => format!("this is {found}, the first call passed {first}"),
        };
        if let Value::Data(_) = value {
            let message = format!("the first call passed {first} here");
            return Diagnostic::new(DiagnosticCode::RecTypes, span, message)
                .label("this is a value")
                .help("every `rec` passes what the first call passed");
        }
        let (message, help) = match (parameter, value) {
            (LoopParameter::Structure(..), _) | (_, Value::Structure(_)) => (
                "a structure that holds a function must stay the same in every round",
                "pass the whole parameter on by its name; what changes from round to round is a \
                 parameter of its own",
            ),
            _ => (
                "a function argument must stay the same in every round",
                "pass the parameter on unchanged, or leave it out and use the outer name",
            ),
        };
        Diagnostic::new(DiagnosticCode::NotStatic, span, message).label(label).help(help)
    }
}
