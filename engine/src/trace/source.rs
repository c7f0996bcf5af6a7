//! Events of the source evaluator.

use super::pixel::{Needed, Stop, Traced, place_of};
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
    /// The scope of the program itself: the pixel, or one of its fragments.
    root: u32,
    /// Names and forms of the program itself of which this evaluation has told, and those of the evaluations before. The
    /// condition of `discard-if` is evaluated apart from the output, and so is each result of another unit.
    told: HashSet<Span>,
    known: HashSet<Span>,
    /// Scopes that an evaluation before has told of.
    repeated: HashSet<u32>,
    is_discarded: bool,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(source: &'a SourceFile, sink: &'a mut dyn Sink) -> Self {
        Self {
            source,
            sink,
            last: PIXEL,
            root: PIXEL,
            told: HashSet::new(),
            known: HashSet::new(),
            repeated: HashSet::new(),
            is_discarded: false,
        }
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
        let words = words.map_err(|fault| stop(fault, max_iterations))?;
        let (colour, is_discarded) = (fill(&words).map(f32::to_bits), self.is_discarded);
        // An evaluation by need does nothing else.
        Ok(Traced { colour, is_discarded, needed: Needed::default() })
    }

    /// Opens the scope of a fragment of a triangle, which is evaluated next.
    pub(super) fn open_fragment(&mut self, name: &str, primitive: u32) {
        let scope = self.open();
        let of = |scope, kind| Event { scope, place: None, number: 0, kind };
        let (kind, name) = (ScopeKind::Call, Some(name.into()));
        self.sink.event(of(PIXEL, EventKind::Open { scope, kind, name }));
        let (name, value) = ("primitive-index".into(), of_words(Type::INT, [primitive].into()));
        self.sink.event(of(scope, EventKind::Argument { name, value }));
        self.root = scope;
        self.told.clear();
        self.known.clear();
    }

    /// Closes the scope of a fragment, with its output, if it has one.
    pub(super) fn close_fragment(&mut self, result: Option<Value>) {
        let scope = std::mem::replace(&mut self.root, PIXEL);
        let kind = EventKind::Close { result };
        self.sink.event(Event { scope, place: None, number: 0, kind });
    }

    fn name(&self, name: Span) -> Arc<str> {
        self.source.slice(name).into()
    }

    fn send(&mut self, scope: u32, at: Span, kind: EventKind) {
        let place = Some(place_of(self.source, at.start));
        let scope = if scope == PIXEL { self.root } else { scope };
        self.sink.event(Event { scope, place, number: 0, kind });
    }

    /// True if an evaluation before has told of an event of this scope at this place.
    fn is_repeated(&mut self, scope: u32, at: Span) -> bool {
        if scope != PIXEL {
            return self.repeated.contains(&scope);
        }
        self.told.insert(at);
        self.known.contains(&at)
    }
}

/// The stop of a faulty evaluation.
pub(super) fn stop(fault: SourceFault, max_iterations: u64) -> Stop {
    match fault {
        SourceFault::Pixel(EvaluationFault::Cancelled) => Stop::Cancelled,
        SourceFault::Limit(limit) => {
            let message = format!("the source evaluator gave up: too many {limit}");
            let code = DiagnosticCode::EvaluatorLimit;
            let help =
                "trace the module that `lambdav compile` makes of it, which keeps names and lines";
            Stop::Fault(Diagnostic::new(code, Span::default(), message).help(help).into())
        }
        fault => Stop::Fault(explain_source(fault, max_iterations).into()),
    }
}

impl Observer for Adapter<'_> {
    fn open(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn begin(&mut self) {
        self.known.extend(self.told.drain());
    }

    fn event(&mut self, outer: u32, event: SourceEvent) {
        let at = match event {
            SourceEvent::Binding { name, .. } | SourceEvent::Argument { name, .. } => Some(name),
            SourceEvent::Condition { at, .. }
            | SourceEvent::Call { at, .. }
            | SourceEvent::Loop { at, .. }
            | SourceEvent::Round { at, .. }
            | SourceEvent::Probe { at, .. } => Some(at),
            SourceEvent::Discard { .. } | SourceEvent::Operation { .. } => None,
            SourceEvent::Close(_) if self.repeated.contains(&outer) => return,
            SourceEvent::Close(_) => None,
        };
        if at.is_some_and(|at| self.is_repeated(outer, at)) {
            if let SourceEvent::Call { scope, .. }
            | SourceEvent::Loop { scope, .. }
            | SourceEvent::Round { scope, .. } = event
            {
                self.repeated.insert(scope);
            }
            return;
        }
        match event {
            SourceEvent::Binding { name, value } => {
                let kind = EventKind::Binding { name: self.name(name), value: of_value(value) };
                self.send(outer, name, kind);
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
            SourceEvent::Probe { name, at, value } => {
                let name = Span::new(name.start + 1, name.end - 1);
                let text = format!("{} = {}", self.source.slice(name), of_value(value));
                self.send(outer, at, EventKind::Message(text.into()));
            }
            SourceEvent::Argument { name, value } => {
                let kind = EventKind::Argument { name: self.name(name), value: of_value(value) };
                self.send(outer, name, kind);
            }
            SourceEvent::Close(result) => {
                let kind = EventKind::Close { result: result.map(of_value) };
                self.sink.event(Event { scope: outer, place: None, number: 0, kind });
            }
            SourceEvent::Operation { .. } => {}
        }
    }
}

/// A scalar, vector or matrix.
pub(super) fn of_words(ty: Type, words: Box<[u32]>) -> Value {
    let name = ty.name().unwrap_or("array");
    let scalar = match ty.builtin() {
        Some(
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::Matrix(scalar, _),
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

/// A value. The depth of values is limited, so the recursion is.
pub(super) fn of_value(value: SourceValue) -> Value {
    match value {
        SourceValue::Data(ty, words) => of_words(ty, words),
        SourceValue::Parts { name, parts, more } => {
            let part = |(name, value): (Option<Arc<str>>, SourceValue)| {
                (name.unwrap_or_default(), of_value(value))
            };
            let ty = name.unwrap_or_else(|| "array".into());
            Value::Parts { ty, parts: parts.into_iter().map(part).collect(), more }
        }
    }
}
