//! A differential oracle: two implementations that read one text must not contradict each other.
//!
//! One is the compiler: names are resolved everywhere, types are derived by elaboration. The other
//! is the `source` evaluator, which has no types: it resolves names by itself, substitutes in the
//! syntax tree, and is *stuck* where no rule applies. They share the parser, the table of builtins
//! and the operations on numbers, and nothing else, so neither can hide a mistake of the other.
//!
//! The report's theorem, that what is well typed does not get stuck, is one direction:
//!
//! - *Accepted*: the source evaluator reads the program and is stuck at no pixel, and its values
//!   are those of the core evaluator.
//!
//! The other direction does not hold in general: types look at both branches of an `if`, evaluation
//! at one, and both branches may be functions. It holds where evaluation comes to the place that
//! the compiler complains of, and no `if` decides what is applied there:
//!
//! - *Refused for a name* (unbound, a form as a value, an empty list): the source evaluator refuses
//!   the text, too, since names are resolved everywhere.
//! - *Refused for a type*: let the complaint be about an expression that lies in the body of no
//!   function, so that it has one instance. The same program with a *probe* in the place of the
//!   expression, on which evaluation is stuck, tells whether evaluation comes to that place. If it
//!   does, the original program must be stuck, too, or exceed a limit.

use crate::resources::resources;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, render_json, render_text};
use lambdav_core::evaluate::{self, EvaluationFault};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::builtins::Builtin;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram};
use lambdav_frontend::syntax::{ExprId, ExprKind, Tree, parse};
use std::cell::Cell;
use std::sync::Arc;

/// What the two make of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both accept it, and all values that both computed are the same; so many.
    Accepted {
        /// How many values were compared.
        values: u32,
    },
    /// The compiler refuses it for a reason that the source evaluator does not look for, or in a
    /// place to which evaluation does not come.
    RefusedByOne,
    /// Both refuse it for a name.
    UnboundInBoth,
    /// The compiler refuses a type, and evaluation is stuck.
    StuckInBoth,
    /// The text is not even parsed.
    Malformed,
}

/// How often the core evaluator may poll for one program.
const POLLS: u32 = 1 << 12;

/// Rounds of each loop, and steps of the source evaluator: mistaken programs need not end.
const ROUNDS: u64 = 24;
const STEPS: u64 = 20_000;

/// How many complaints of the compiler are looked into.
const COMPLAINTS: usize = 4;

/// On which the source evaluator is stuck, and which both read.
const PROBE: &str = "(the num true)";

/// Errors about an expression on whose evaluation the source evaluator is stuck.
const STUCK: [DiagnosticCode; 7] = [
    DiagnosticCode::OperandTypes,
    DiagnosticCode::OperandCount,
    DiagnosticCode::ArgumentCount,
    DiagnosticCode::NotAFunction,
    DiagnosticCode::ConditionType,
    DiagnosticCode::FunctionAsValue,
    DiagnosticCode::IndexLiteral,
];

/// What is wrong with the diagnostics of a text: each must have a place inside the text, a known
/// code and something to say, and there is an error unless the program is accepted.
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

/// Whether a program is refused since an `@` takes it beyond a limit: unrolling may have no end where the
/// loop has one.
pub fn is_refused_for_rounds(text: &str, diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().find(|diagnostic| diagnostic.is_error()).is_some_and(|diagnostic| {
        let at = diagnostic.primary.span.start as usize;
        diagnostic.code == DiagnosticCode::ExpansionTooLarge && text[at..].starts_with("(@ ")
    })
}

/// Compares what the two make of a text.
///
/// # Errors
///
/// How they contradict each other, or what is wrong with the diagnostics.
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

fn same(a: &[u32], b: &[u32]) -> bool {
    let one =
        |(&a, &b): (&u32, &u32)| a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan();
    a.len() == b.len() && a.iter().zip(b).all(one)
}

fn accepted(file: &SourceFile, core: &Core, literal: &SourceProgram) -> Result<Agreement, String> {
    let stuck = |span, what| Err(format!("compiled, but stuck at {:?}: {what}", file.slice(span)));
    let mut values = 0;
    match literal.uniform_defaults(limits(), &|| false) {
        Ok(defaults) => {
            for (words, uniform) in defaults.iter().zip(&core.uniforms) {
                if !same(words, &uniform.default) {
                    return Err(format!("the default of {} differs", uniform.name));
                }
                values += 1;
            }
        }
        Err(SourceFault::Unexpected(span, what)) => return stuck(span, what),
        Err(_) => {}
    }
    let uniforms: Vec<Arc<[u32]>> = core.uniforms.iter().map(|u| u.default.clone()).collect();
    // A program that takes long has nothing to compare.
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
                    if !same(&words, evaluator.output(0)) {
                        let core = evaluator.output(0);
                        return Err(format!("core says {core:x?}, source {words:x?}"));
                    }
                    values += 1;
                }
                // The other limits are those of one engine alone.
                // Rounds that are unrolled are counted by this one alone.
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
        // To the source evaluator, which substitutes, a name bound to a literal is one.
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
            // Evaluation comes to the same places at most pixels.
            for inputs in pixels().take(1) {
                match run(&probed, location, &inputs) {
                    Err(SourceFault::Unexpected(span, _)) if span.start == start => {}
                    // Evaluation does not come there, or not before something else.
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

/// The value of an output with the defaults of uniforms as far as they have values.
fn run(program: &SourceProgram, location: u32, inputs: &Inputs) -> Result<Box<[u32]>, SourceFault> {
    let uniforms = program.uniform_defaults(limits(), &|| false)?;
    let inputs = Inputs { uniforms, resources: resources(program.types()), ..inputs.clone() };
    program.run(location, &inputs, limits(), &|| false)
}

/// Whether the application there may be of a function that an `if` chooses: types look at every
/// function that it might be, evaluation at the one that it is.
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

/// Whether that is the place of an expression that is not in the body of a function. Where forms
/// may have other names than their own, no place is known.
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
