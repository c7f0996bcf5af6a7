//! Events of the source evaluator.

use super::pixel::{Stop, Traced, place_of};
use crate::engines::{explain_source, fill};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::inputs::Inputs;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type, TypeKind};
use lambdav_frontend::reduction::{
    Limits, Observer, SourceEvent, SourceFault, SourceProgram, SourceValue,
};
use lambdav_trace::{self as trace, Event, EventKind, PIXEL, ScopeKind, Sink, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Most characters of a condition's text.
const CONDITION: usize = 200;

/// Translates events of the source evaluator.
pub(super) struct Adapter<'a> {
    source: &'a SourceFile,
    sink: &'a mut dyn Sink,
    last: u32,
    /// The program's own names that have their values: the condition of `discard-if` is evaluated apart from the output.
    known: HashSet<Span>,
    is_discarded: bool,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(source: &'a SourceFile, sink: &'a mut dyn Sink) -> Self {
        Self { source, sink, last: PIXEL, known: HashSet::new(), is_discarded: false }
    }

    /// Evaluates a pixel.
    pub(super) fn pixel(
        &mut self,
        program: &SourceProgram,
        output: u32,
        inputs: &Inputs,
        max_iterations: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, Stop> {
        let limits = Limits { max_iterations, ..Limits::default() };
        let words = program.run_observed(output, inputs, limits, cancelled, self);
        let words = words.map_err(|fault| match fault {
            SourceFault::Pixel(EvaluationFault::Cancelled) => Stop::Cancelled,
            SourceFault::Limit(limit) => {
                let message = format!("the source evaluator gave up: too many {limit}");
                let code = DiagnosticCode::EvaluatorLimit;
                let help = "trace the module that `lambdav compile` makes of it, which keeps names and lines";
                Stop::Fault(Diagnostic::new(code, Span::default(), message).help(help).into())
            }
            fault => Stop::Fault(explain_source(fault, max_iterations).into()),
        })?;
        Ok(Traced { colour: fill(&words).map(f32::to_bits), is_discarded: self.is_discarded })
    }

    fn name(&self, name: Span) -> Arc<str> {
        self.source.slice(name).into()
    }

    fn send(&mut self, scope: u32, at: Span, kind: EventKind) {
        let place = Some(place_of(self.source, at.start));
        self.sink.event(Event { scope, place, kind });
    }
}

impl Observer for Adapter<'_> {
    fn open(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn event(&mut self, outer: u32, event: SourceEvent) {
        match event {
            SourceEvent::Binding { name, value } => {
                if outer != PIXEL || self.known.insert(name) {
                    let kind = EventKind::Binding { name: self.name(name), value: of_value(value) };
                    self.send(outer, name, kind);
                }
            }
            SourceEvent::Condition { at, condition, value, arm } => {
                let text: String = self.source.slice(condition).chars().take(CONDITION).collect();
                let arm = Some(place_of(self.source, arm.start));
                let kind =
                    EventKind::Condition { text: Some(text.into()), value: of_value(value), arm };
                self.send(outer, at, kind);
            }
            SourceEvent::Discard { condition, is_discarded } => {
                self.is_discarded = is_discarded;
                let text: String = self.source.slice(condition).chars().take(CONDITION).collect();
                let value = of_value(SourceValue::Data(Type::BOOL, [is_discarded.into()].into()));
                let text = format!("discard-if {text}");
                let kind = EventKind::Condition { text: Some(text.into()), value, arm: None };
                self.send(outer, condition, kind);
            }
            SourceEvent::Call { scope, name, at } => {
                let name = name.map(|name| self.name(name));
                self.send(outer, at, EventKind::Open { scope, kind: ScopeKind::Call, name });
            }
            SourceEvent::Loop { scope, name, at } => {
                let name = name.map(|name| self.name(name));
                self.send(outer, at, EventKind::Open { scope, kind: ScopeKind::Loop, name });
            }
            SourceEvent::Round { scope, at } => {
                self.send(outer, at, EventKind::Open { scope, kind: ScopeKind::Round, name: None });
            }
            SourceEvent::Argument { name, value } => {
                let kind = EventKind::Argument { name: self.name(name), value: of_value(value) };
                self.send(outer, name, kind);
            }
            SourceEvent::Close(result) => {
                let kind = EventKind::Close { result: result.map(of_value) };
                self.sink.event(Event { scope: outer, place: None, kind });
            }
            SourceEvent::Operation { .. } => {}
        }
    }
}

/// A value. The depth of values is limited, so the recursion is.
fn of_value(value: SourceValue) -> Value {
    match value {
        SourceValue::Data(ty, words) => {
            let name = ty.name().unwrap_or("array");
            let scalar = match ty.builtin() {
                Some(
                    TypeKind::Scalar(scalar)
                    | TypeKind::Vector(scalar, _)
                    | TypeKind::Matrix(scalar, _),
                ) => scalar,
                _ => Scalar::U32,
            };
            let scalar = match scalar {
                Scalar::F32 => trace::Scalar::Num,
                Scalar::I32 => trace::Scalar::Int,
                Scalar::U32 => trace::Scalar::Uint,
                Scalar::Bool => trace::Scalar::Bool,
            };
            Value::Words { ty: name.into(), scalar, words }
        }
        SourceValue::Parts { name, parts, more } => {
            let part = |(name, value): (Option<Arc<str>>, SourceValue)| {
                (name.unwrap_or_default(), of_value(value))
            };
            let ty = name.unwrap_or_else(|| "array".into());
            Value::Parts { ty, parts: parts.into_iter().map(part).collect(), more }
        }
    }
}
