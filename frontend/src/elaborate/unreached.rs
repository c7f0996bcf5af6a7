//! Warnings of ill-typed arguments, definitions and functions that are never reached.
//!
//! Typing follows substitution from the outputs, so such code does not make a program wrong. But its author
//! should know. A function that is never applied is typed if annotations give the types of its arguments.

use super::constancy::Constancy;
use super::elaborator::Elaborator;
use super::values::{
    Activation, ActivationId, Denotation, FunctionId, FunctionValue, ThunkId, Value,
};
use crate::resolve::{Annotation, Code, CodeId, GlobalValue, Items};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use rustc_hash::FxHashSet;

/// Adds the warnings, one for each piece of code, to a program without errors.
pub(super) fn warn(elaborator: &mut Elaborator, globals: &[Denotation], items: &Items) {
    let reached: FxHashSet<CodeId> =
        elaborator.thunks.iter().filter(|t| t.value.is_some()).map(|t| t.code).collect();
    let mut tried = FxHashSet::default();
    let mut candidates: Vec<(CodeId, Denotation)> = elaborator
        .thunks
        .iter()
        .enumerate()
        .filter(|(_, t)| t.value.is_none() && !reached.contains(&t.code))
        .map(|(i, t)| (t.code, Denotation::Thunk(ThunkId(i as u32))))
        .collect();
    for (global, &denotation) in items.globals.iter().zip(globals) {
        if let (GlobalValue::Code(_, code), Denotation::Thunk(_)) = (global, denotation)
            && !reached.contains(code)
        {
            candidates.push((*code, denotation));
        }
    }
    for (code, denotation) in candidates {
        if !tried.insert(code) {
            continue;
        }
        let what = ("this is never used, and ill-typed", "nothing needs its value");
        attempt(elaborator, code, what, |elaborator| elaborator.force(denotation));
        if elaborator.is_stopped() {
            return;
        }
    }
    let applied: FxHashSet<CodeId> =
        elaborator.activations.iter().filter_map(|activation| activation.function).collect();
    tried.clear();
    let mut next = 0;
    // Applying one may make more functions.
    while elaborator.has_function(FunctionId(next)) {
        let function = FunctionId(next);
        next += 1;
        let FunctionValue::Closure { code, expansion: false, .. } = elaborator.function(function)
        else {
            continue;
        };
        if applied.contains(&code) || !tried.insert(code) {
            continue;
        }
        let what = ("this is never applied, and ill-typed", "no application needs its body");
        attempt(elaborator, code, what, |elaborator| apply_to_any(elaborator, function));
        if elaborator.is_stopped() {
            return;
        }
    }
}

/// Warns of this code if it is ill-typed, with a message, and a label for why no error was reported.
fn attempt(
    elaborator: &mut Elaborator,
    code: CodeId,
    (message, label): (&str, &str),
    run: impl FnOnce(&mut Elaborator) -> Value,
) {
    let before = std::mem::replace(&mut elaborator.diagnostics, Diagnostics::new(usize::MAX));
    let value = run(elaborator);
    let errors = std::mem::replace(&mut elaborator.diagnostics, before);
    let cause = errors.into_iter().find(Diagnostic::is_error);
    let Some(cause) = cause.filter(|_| value == Value::Error) else { return };
    if cause.code == DiagnosticCode::ExpansionTooLarge {
        return;
    }
    let span = elaborator.arena.span(code);
    elaborator.report(
        Diagnostic::new(DiagnosticCode::UnreachedIllTyped, span, message)
            .label(label)
            .also(cause.primary.span, format!("{} [{}]", cause.message, cause.code.as_str()))
            .help("remove it or mend it"),
    );
}

/// The value of a `func` whose parameters, at least one, are all annotated with types, for arguments of these
/// types. Other functions are not applied.
fn apply_to_any(elaborator: &mut Elaborator, function: FunctionId) -> Value {
    let whole = Value::Function(function);
    let (code, env) = elaborator.closure_parts(function);
    let Code::Function(f) = elaborator.arena.get(code) else { return whole };
    let (body, recursive, parameters) = (f.body, f.recursive, f.parameters.clone());
    let types = parameters.iter().map(|parameter| match parameter.annotation {
        Some((Annotation::Type(ty), _)) => Some(ty),
        Some((Annotation::Instance(_), _)) | None => None,
    });
    let types: Vec<_> = types.collect::<Option<_>>().unwrap_or_default();
    if types.is_empty() || recursive {
        return whole;
    }
    let span = elaborator.arena.span(code);
    // Uniforms that do not exist: these nodes are never part of the core.
    let argument = |(i, ty)| {
        let node = elaborator.graph.uniform(u32::MAX - i, ty, span);
        Denotation::Value(elaborator.data(node, Constancy::Varies))
    };
    let arguments = (0..).zip(types).map(argument).collect();
    let activation = Activation {
        caller: ActivationId(0),
        depth: 1,
        function: Some(code),
        site: span,
        expansion: None,
        eager: None,
    };
    elaborator.activations.push(activation);
    let activation = ActivationId(elaborator.activations.len() as u32 - 1);
    let inner = elaborator.push_env(env, arguments, activation);
    elaborator.evaluate_in(body, inner)
}
