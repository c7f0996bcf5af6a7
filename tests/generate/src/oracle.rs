//! A differential oracle: two implementations that read one text must not contradict each other.
//!
//! The compiler resolves names everywhere and derives types by elaboration. The `source` evaluator has no
//! types: it resolves names by itself, substitutes in the syntax tree, and is *stuck* where no rule applies.
//! The two share the parser, the table of builtins and the operations on numbers, but nothing else, so
//! neither can hide a mistake of the other.
//!
//! The report's theorem, that well-typed programs do not get stuck, is one direction:
//!
//! - *Accepted*: the source evaluator reads the program and is stuck at no pixel, and its values are those of
//!   the core evaluator.
//!
//! The other direction does not hold in general: typing looks at both branches of an `if`, evaluation at one,
//! and both branches may be functions. It holds where evaluation reaches the place of the compiler's error,
//! and no `if` decides which function is applied there:
//!
//! - *Refused for a name* (unbound, a form as a value, an empty list): the source evaluator refuses the text,
//!   too, since names are resolved everywhere.
//! - *Refused for a type*: only errors about an expression outside of all function bodies are checked, since
//!   such an expression has one instance. A second program has a *probe* in the place of the expression.
//!   Evaluation is stuck on the probe, so this program shows whether evaluation reaches the place. If it
//!   does, the original program must be stuck, too, or exceed a limit.

use crate::resources::resources;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, render_json, render_text};
use lambdav_core::evaluate::{self, EvaluationFault};
use lambdav_core::float::same_words;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::builtins::Builtin;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram};
use lambdav_frontend::syntax::{ExprId, ExprKind, Tree, parse};
use std::cell::Cell;
use std::sync::Arc;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both accept the text, and all values that both computed are equal.
    Accepted {
        /// Number of compared values.
        values: u32,
    },
    /// Only the compiler refuses the text: for a reason that the source evaluator does not check, or in a
    /// place that evaluation does not reach.
    RefusedByOne,
    /// Both refuse the text for a name.
    UnboundInBoth,
    /// The compiler refuses a type, and evaluation is stuck.
    StuckInBoth,
    /// The text has syntax errors.
    Malformed,
}

/// Largest number of cancellation polls of the core evaluator for one program.
const POLLS: u32 = 1 << 12;

/// Limits of rounds of a loop, and of steps of the source evaluator: mistaken programs need not end.
const ROUNDS: u64 = 24;
const STEPS: u64 = 20_000;

/// Number of compiler errors that are checked.
const COMPLAINTS: usize = 4;

/// Both read this expression, and the source evaluator is stuck on it.
const PROBE: &str = "(the num true)";

/// Errors about an expression on which evaluation is stuck.
const STUCK: [DiagnosticCode; 7] = [
    DiagnosticCode::OperandTypes,
    DiagnosticCode::OperandCount,
    DiagnosticCode::ArgumentCount,
    DiagnosticCode::NotAFunction,
    DiagnosticCode::ConditionType,
    DiagnosticCode::FunctionAsValue,
    DiagnosticCode::IndexLiteral,
];

/// Checks the diagnostics of a text: each must have a place inside the text, a known code with a page, and a
/// message. There must be an error exactly if the program is refused. The result describes the first fault.
pub fn unfit(file: &SourceFile, diagnostics: &[Diagnostic], accepted: bool) -> Option<String> {
    for diagnostic in diagnostics {
        let Diagnostic { code, message, primary, secondary, .. } = diagnostic;
        for label in [primary].into_iter().chain(secondary) {
            let Span { start, end } = label.span;
            if start > end || file.text().get(start as usize..end as usize).is_none() {
                return Some(format!("{} is at {start}..{end}, not in the text", code.as_str()));
            }
        }
        if DiagnosticCode::parse(code.as_str()) != Some(*code) || code.page().is_empty() {
            return Some(format!("{} has no page", code.as_str()));
        }
        if message.is_empty() || message.ends_with('.') {
            return Some(format!("{} says {message:?}", code.as_str()));
        }
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    if accepted != (errors == 0) {
        return Some(format!("accepted: {accepted}, with {errors} errors"));
    }
    let shown = render_text(diagnostics, file, false);
    let objects = render_json(diagnostics, file);
    for diagnostic in diagnostics {
        let code = diagnostic.code.as_str();
        if !shown.contains(code) || !objects.contains(code) {
            return Some(format!("{code} is not shown"));
        }
    }
    None
}

/// True if a program is refused because an `@` exceeds a limit. Unrolling may be endless where the loop ends.
pub fn is_refused_for_rounds(text: &str, diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().find(|diagnostic| diagnostic.is_error()).is_some_and(|diagnostic| {
        let at = diagnostic.primary.span.start as usize;
        diagnostic.code == DiagnosticCode::ExpansionTooLarge && text[at..].starts_with("(@ ")
    })
}

/// Compares the compiler and the source evaluator on a text.
///
/// # Errors
///
/// The contradiction, or a fault of the diagnostics.
pub fn compare(text: &str) -> Result<Agreement, String> {
    let file = SourceFile::new("compared.lv", text);
    let (core, diagnostics) = lambdav_frontend::compile(&file);
    if let Some(what) = unfit(&file, &diagnostics, core.is_some()) {
        return Err(what);
    }
    let (tree, errors) = parse(&file);
    let literal = SourceProgram::new(&tree);
    match (core, literal) {
        (Some(core), Ok(literal)) => accepted(&file, &core, &literal),
        (Some(_), Err(SourceFault::Limit(_))) => Ok(Agreement::Accepted { values: 0 }),
        (Some(_), Err(fault)) => {
            Err(format!("compiled, but the source evaluator does not read it: {fault:?}"))
        }
        (None, _) if !errors.is_empty() => Ok(Agreement::Malformed),
        (None, Err(_)) => Ok(Agreement::UnboundInBoth),
        (None, Ok(literal)) => refused(&file, &tree, &diagnostics, &literal),
    }
}

/// Pixels whose coordinates differ.
fn pixels() -> impl Iterator<Item = Inputs> {
    [[0.5, 0.5], [2.5, 1.5], [6.5, 4.5]].into_iter().map(|[x, y]| Inputs {
        frag_coord: [x, y, 0.0, 1.0],
        resolution: [7.0, 5.0],
        time: 1.25,
        frame: 1.0,
        mouse: [3.5, 2.0, 1.0, -1.0],
        uniforms: Vec::new(),
        resources: Vec::new(),
    })
}

fn limits() -> Limits {
    Limits { max_iterations: ROUNDS, max_steps: STEPS }
}

fn accepted(file: &SourceFile, core: &Core, literal: &SourceProgram) -> Result<Agreement, String> {
    let stuck = |span, what| Err(format!("compiled, but stuck at {:?}: {what}", file.slice(span)));
    let mut values = 0;
    match literal.uniform_defaults(limits(), &|| false) {
        Ok(defaults) => {
            for (words, uniform) in defaults.iter().zip(&core.uniforms) {
                if !same_words(words, &uniform.default) {
                    return Err(format!("the default of {} differs", uniform.name));
                }
                values += 1;
            }
        }
        Err(SourceFault::Unexpected(span, what)) => return stuck(span, what),
        Err(_) => {}
    }
    // Stages of triangles read more than a pixel; scenes of triangles compare them.
    if core.triangles.is_some() {
        return Ok(Agreement::Accepted { values });
    }
    let uniforms: Vec<Arc<[u32]>> = core.uniforms.iter().map(|u| u.default.clone()).collect();
    // A program that takes too long is not compared.
    let polls = Cell::new(0);
    let takes_long = || polls.replace(polls.get() + 1) > POLLS;
    for output in &core.outputs {
        let Ok(program) = schedule(core, &[output.location]) else { continue };
        let mut evaluator = evaluate::Evaluator::new(&program, ROUNDS);
        let resources = resources(core.graph.types());
        let of_program = |inputs| {
            let (uniforms, resources) = (uniforms.clone(), resources.clone());
            Inputs { uniforms, resources, ..inputs }
        };
        for inputs in pixels().map(of_program) {
            let found = literal.run(output.location, &inputs, limits(), &|| false);
            let expected = evaluator.run(&inputs, &takes_long);
            match (found, expected) {
                (Err(SourceFault::Unexpected(span, what)), _) => return stuck(span, what),
                (Ok(words), Ok(())) => {
                    if !same_words(&words, evaluator.output(0)) {
                        let core = evaluator.output(0);
                        return Err(format!("core says {core:x?}, source {words:x?}"));
                    }
                    values += 1;
                }
                // Other limits belong to one engine alone. Rounds of unrolled loops are counted by the source
                // evaluator alone.
                (Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_))), Ok(()))
                    if !file.text().contains('@') =>
                {
                    return Err("only source exceeds the limit of a loop".into());
                }
                (Ok(_), Err(EvaluationFault::LoopLimit(_))) => {
                    return Err("only core exceeds the limit of a loop".into());
                }
                _ => {}
            }
        }
    }
    Ok(Agreement::Accepted { values })
}

fn refused(
    file: &SourceFile,
    tree: &Tree,
    diagnostics: &[Diagnostic],
    literal: &SourceProgram,
) -> Result<Agreement, String> {
    let by_name =
        [DiagnosticCode::UnboundName, DiagnosticCode::FormAsValue, DiagnosticCode::EmptyList];
    if let Some(found) = diagnostics.iter().find(|d| by_name.contains(&d.code)) {
        return Err(format!("only the compiler says: {}", found.message));
    }
    let mut agreement = Agreement::RefusedByOne;
    let about_types = diagnostics.iter().filter(|d| STUCK.contains(&d.code));
    for diagnostic in about_types.take(COMPLAINTS) {
        let Span { start, end } = diagnostic.primary.span;
        let place = diagnostic.primary.span;
        // The source evaluator substitutes, so it sees a literal behind a name that is bound to one.
        let substituted = diagnostic.code == DiagnosticCode::IndexLiteral
            && !file.slice(place).starts_with(|c: char| c.is_ascii_digit());
        if substituted || !has_one_instance(tree, place) || chooses_function(tree, place) {
            continue;
        }
        let text = file.text();
        let (before, after) = (&text[..start as usize], &text[end as usize..]);
        let probed = SourceFile::new("probed.lv", format!("{before}{PROBE}{after}"));
        let Ok(probed) = SourceProgram::new(&parse(&probed).0) else { continue };
        for location in literal.locations() {
            // One pixel suffices: evaluation reaches the same places at most pixels.
            for inputs in pixels().take(1) {
                match run(&probed, location, &inputs) {
                    Err(SourceFault::Unexpected(span, _)) if span.start == start => {}
                    // Evaluation does not reach the place, or is stuck before it.
                    _ => continue,
                }
                match run(literal, location, &inputs) {
                    Err(SourceFault::Unexpected(..)) => agreement = Agreement::StuckInBoth,
                    Err(_) => {}
                    Ok(words) => {
                        return Err(format!(
                            "only the compiler says: {}: {}; source says {words:x?}",
                            diagnostic.message,
                            file.slice(diagnostic.primary.span)
                        ));
                    }
                }
            }
        }
    }
    Ok(agreement)
}

/// The value of an output, with the defaults of uniforms.
fn run(program: &SourceProgram, location: u32, inputs: &Inputs) -> Result<Box<[u32]>, SourceFault> {
    let uniforms = program.uniform_defaults(limits(), &|| false)?;
    let inputs = Inputs { uniforms, resources: resources(program.types()), ..inputs.clone() };
    program.run(location, &inputs, limits(), &|| false)
}

/// True if the application at that place may apply a function that an `if` chooses. Typing looks at every
/// such function, evaluation at the chosen one.
fn chooses_function(tree: &Tree, place: Span) -> bool {
    let name = |id: ExprId| match &tree.get(id).kind {
        ExprKind::Identifier(name) => Some(&**name),
        _ => None,
    };
    let has_if = tree.iter().any(|(id, _)| name(id) == Some("if"));
    let of_builtin = tree.iter().any(|(_, expr)| match &expr.kind {
        ExprKind::List(parts) => {
            let head = parts.first().and_then(|&head| name(head));
            expr.span == place && head.is_some_and(|name| Builtin::names().any(|n| n == name))
        }
        _ => expr.span == place,
    });
    has_if && !of_builtin
}

/// True if an expression has that span and is in the body of no function. Where forms may have other names,
/// the answer is false.
fn has_one_instance(tree: &Tree, place: Span) -> bool {
    let makes_functions = |id: ExprId| match &tree.get(id).kind {
        ExprKind::Identifier(name) => matches!(&**name, "func" | "rec-func"),
        _ => false,
    };
    let mut found = false;
    for (_, expr) in tree.iter() {
        found |= expr.span == place;
        let ExprKind::List(parts) = &expr.kind else { continue };
        let Some((&head, rest)) = parts.split_first() else { continue };
        let around = expr.span.start < place.start && place.end < expr.span.end;
        let is_define = matches!(&tree.get(head).kind, ExprKind::Identifier(n) if **n == *"define");
        let has_parameters = is_define
            && rest.first().is_some_and(|&id| matches!(tree.get(id).kind, ExprKind::List(_)));
        if around && (makes_functions(head) || has_parameters) {
            return false;
        }
        if rest.iter().any(|&id| makes_functions(id)) {
            return false;
        }
    }
    found
}
