//! Values with a required kind: arms of an `if`, operands, annotated expressions.

use super::constancy::Constancy;
use super::elaborator::Elaborator;
use super::report::with_article;
use super::values::{ActivationId, Data, FunctionValue, Value};
use crate::resolve::Annotation;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::ExprType;
use lambdav_core::source::Span;
use std::fmt;

/// The diagnostic for a `rec-func` with a path that ends in the function at `span`.
pub(super) fn returns_function(span: Span) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::RecFuncResult, span, "a `rec-func` cannot return a function")
        .label("this is a function")
        .help("return a value and let the caller choose the function")
}

/// The diagnostic for a structure with functions where it must be known at compile time.
pub(super) fn held_function(span: Span, role: impl fmt::Display) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::HeldFunction,
        span,
        format!("{role} is a structure that holds a function"),
    )
    .label("which must be known at compile time")
    .help("choose between the functions, or between the other fields")
}

impl Elaborator {
    /// The value of an `if` with this condition.
    pub(super) fn choose(
        &mut self,
        condition: Data,
        [then, otherwise]: [Value; 2],
        span: Span,
        spans: [Span; 2],
        activation: ActivationId,
    ) -> Value {
        match (then, otherwise) {
            (Value::Error, _) | (_, Value::Error) => return Value::Error,
            (Value::Function(then), Value::Function(otherwise)) => {
                let choice = FunctionValue::Choice { condition, then, otherwise };
                return Value::Function(self.function_id(choice));
            }
            (Value::Structure(a), Value::Structure(b)) if self.are_alike(a, b) => {
                if let Some((by, word)) = self.constant(condition) {
                    let taken = if word != 0 { then } else { otherwise };
                    self.constancies.consult(by);
                    return taken;
                }
                if a == b && !self.graph.may_diverge(condition.node) {
                    // The value is known, but not its arm: for a loop it has changed.
                    return Value::Structure(self.held_as(a, None));
                }
                self.report_in(held_function(span, "the value of a choice"), activation);
                return Value::Error;
            }
            (Value::Data(a), Value::Data(b)) => {
                let types = (self.graph.expr_type(a.node), self.graph.expr_type(b.node));
                if types.0.rec_match(types.1).is_some() {
                    let constancy = match self.constant(condition) {
                        Some((by, word)) => {
                            let taken = if word != 0 { a } else { b };
                            self.constancies.decided_by(taken.constancy, by)
                        }
                        None => Constancy::Varies,
                    };
                    let node = self.graph.if_([condition.node, a.node, b.node], span);
                    return self.data(node, constancy);
                }
            }
            _ => {}
        }
        let (a, b) = (self.describe(then), self.describe(otherwise));
        // The other branch goes on with `rec`, so the function would be the loop's result.
        let result = match (then, otherwise) {
            (Value::Function(_) | Value::Structure(_), Value::Data(other)) => {
                Some((other.node, spans[0]))
            }
            (Value::Data(other), Value::Function(_) | Value::Structure(_)) => {
                Some((other.node, spans[1]))
            }
            _ => None,
        };
        if let Some((node, at)) = result
            && !matches!(self.graph.expr_type(node), ExprType::Value(_))
        {
            self.report_in(returns_function(at), activation);
            return Value::Error;
        }
        let is_resource = |value| match value {
            Value::Data(Data { node, .. }) => {
                let ty = self.graph.expr_type(node).value();
                ty.is_some_and(|ty| self.graph.types().resource(ty).is_some())
            }
            _ => false,
        };
        let help = match is_resource(then) && is_resource(otherwise) {
            true => {
                "which texture or buffer is meant must be known at compile time: choose between what is read of each"
            }
            false => "both branches of an `if` must have the same type",
        };
        self.report_in(
            Diagnostic::new(DiagnosticCode::BranchTypes, span, "the branches have different types")
                .also(spans[0], format!("this is {a}"))
                .also(spans[1], format!("this is {b}"))
                .help(help),
            activation,
        );
        Value::Error
    }

    /// Requires a value that is neither a function nor a tail; reports others.
    pub(super) fn require_value(
        &mut self,
        value: Value,
        span: Span,
        role: impl fmt::Display,
        activation: Option<ActivationId>,
    ) -> Option<Data> {
        let diagnostic = match value {
            Value::Error => return None,
            Value::Data(data) => match self.graph.expr_type(data.node) {
                ExprType::Value(_) => return Some(data),
                ExprType::Rec(_) | ExprType::PureRec => {
                    let diagnostic =
                        Diagnostic::new(DiagnosticCode::RecNotTail, span, format!("{role} goes on with `rec`"))
                            .label("`rec` is not in tail position here")
                            .help("make it the last thing that the body does; pass what is to be done with the result as another parameter");
                    match self.graph.span(data.node) {
                        same if same == span => diagnostic,
                        other => diagnostic.also(other, "here is the `rec`, or the `if` around it"),
                    }
                }
            },
            Value::Structure(_) => held_function(span, role),
            Value::Function(_) => Diagnostic::new(
                DiagnosticCode::FunctionAsValue,
                span,
                format!("{role} is a function"),
            )
            .label("a value is needed here")
            .help("apply it: `(f x)`, or `(f)` where it has no parameters"),
        };
        self.report_in(diagnostic, activation.unwrap_or(ActivationId(0)));
        None
    }

    /// `value`, if it has the annotated type.
    pub(super) fn check_annotation(
        &mut self,
        value: Value,
        wanted: Annotation,
        span: Span,
        annotation: Span,
        activation: ActivationId,
    ) -> Value {
        let declared = match (value, wanted) {
            (Value::Error, _) => return Value::Error,
            (Value::Data(data), Annotation::Type(ty)) => {
                if self.graph.expr_type(data.node) == ExprType::Value(ty) {
                    return value;
                }
                None
            }
            (Value::Data(data), Annotation::Instance(_)) => self.declaration_of(data.node),
            (Value::Structure(id), _) => Some(self.held(id).declaration),
            (Value::Function(_), _) => None,
        };
        let wanted = match wanted {
            Annotation::Instance(index) if declared == Some(index) => return value,
            Annotation::Instance(index) => with_article(&self.declarations.structure(index).name),
            Annotation::Type(ty) => self.a(ty),
        };
        let mut diagnostic = Diagnostic::new(
            DiagnosticCode::AnnotationMismatch,
            span,
            format!("this is not {wanted}"),
        )
        .label(format!("this is {}", self.describe(value)))
        .help("change the annotation or the expression");
        if annotation != span {
            diagnostic = diagnostic.also(annotation, format!("{wanted} is wanted here"));
        }
        self.report_in(diagnostic, activation);
        Value::Error
    }
}
