//! Checks a case of the conformance suite.

use crate::engines::{Accepted, ENGINES, Stop};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;
use lambdav_generate::suite::{Case, Expected, ExpectedVerdict, Finding, hide_literals};
use std::fmt::Write as _;

/// Compiles the program and evaluates it with every engine. The error describes the first unexpected result.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let source = SourceFile::new("program.lv", case.program.as_str());
    let (core, diagnostics) = compile(&source);
    let found: Vec<Finding> = diagnostics.iter().map(|d| finding(d, &source)).collect();
    let errors = diagnostics.iter().zip(&found).filter(|(d, _)| d.is_error());
    let first = errors.map(|(_, f)| f).next();
    match (&case.verdict, core, first) {
        (ExpectedVerdict::Rejected(expected), None, Some(first)) => {
            if first != expected {
                return Err(format!("the first error is {}", show(&diagnostics, &source)));
            }
            Ok(())
        }
        (ExpectedVerdict::Rejected(_), Some(_), None) => Err("it was accepted".into()),
        (_, Some(core), None) => {
            // Most small programs give lints. They count only where a case expects one.
            let is_lint =
                |code: &str| DiagnosticCode::parse(code).is_some_and(DiagnosticCode::is_lint);
            let lints = case.warnings.iter().any(|warning| is_lint(&warning.code));
            let warnings: Vec<&Finding> =
                found.iter().filter(|found| lints || !is_lint(&found.code)).collect();
            if warnings != case.warnings.iter().collect::<Vec<_>>() {
                return Err(format!("other warnings: {}", show(&diagnostics, &source)));
            }
            evaluate(case, &source, &core, true)?;
            if let Some(hidden) = hide_literals(&source) {
                let source = SourceFile::new("hidden.lv", hidden);
                let (core, diagnostics) = compile(&source);
                let core = core.ok_or_else(|| {
                    format!("refused with hidden literals: {}", show(&diagnostics, &source))
                })?;
                evaluate(case, &source, &core, false)
                    .map_err(|e| format!("with hidden literals {e}"))?;
            }
            Ok(())
        }
        (_, None, Some(_)) => Err(format!("it was refused: {}", show(&diagnostics, &source))),
        _ => Err("there is a core if, and only if, there is no error".into()),
    }
}

fn evaluate(
    case: &Case,
    source: &SourceFile,
    core: &Core,
    places_count: bool,
) -> Result<(), String> {
    let locations = match &case.asked {
        Some(asked) => asked.clone(),
        None => core.outputs.iter().map(|o| o.location).collect(),
    };
    let program = Accepted { source, core, locations };
    let inputs = case.inputs_of(core.graph.types());
    for (name, engine) in ENGINES {
        let result = engine(&program, &inputs, case.max_iterations);
        match (&case.verdict, result) {
            (ExpectedVerdict::Accepted(expected), Ok(outputs)) => {
                compare(expected, &outputs).map_err(|e| format!("{name}: {e}"))?;
            }
            (ExpectedVerdict::Exceeds(expected), Err(Stop::Diagnostic(fault))) => {
                let found = finding(&fault, source);
                if found.code != expected.code || places_count && found != *expected {
                    return Err(format!("{name}: {}", show(&[*fault], source)));
                }
            }
            (ExpectedVerdict::Exceeds(_), Err(Stop::LoopLimit)) => {}
            (_, Ok(_)) => return Err(format!("{name}: it ended")),
            (_, Err(Stop::Diagnostic(fault))) => {
                return Err(format!("{name}: {}", show(&[*fault], source)));
            }
            (_, Err(Stop::LoopLimit)) => return Err(format!("{name}: a loop exceeds the limit")),
            (_, Err(Stop::Other(what))) => return Err(format!("{name}: {what}")),
        }
    }
    Ok(())
}

fn compare(expected: &[(u32, Expected)], outputs: &[(u32, Vec<u32>)]) -> Result<(), String> {
    for (location, value) in expected {
        let found = outputs.iter().find(|(l, _)| l == location);
        let (_, words) = found.ok_or_else(|| format!("there is no output {location}"))?;
        if !value.matches(words) {
            let numbers: Vec<f32> = words.iter().map(|&w| f32::from_bits(w)).collect();
            return Err(format!("output {location} is {numbers:?}, {words:#010x?}"));
        }
    }
    if outputs.len() > expected.len() {
        return Err("there are more outputs".into());
    }
    Ok(())
}

fn finding(diagnostic: &Diagnostic, source: &SourceFile) -> Finding {
    let at = source.line_column(diagnostic.primary.span.start);
    Finding { code: diagnostic.code.as_str().to_owned(), at: (at.line, at.column) }
}

fn show(diagnostics: &[Diagnostic], source: &SourceFile) -> String {
    let mut shown = String::new();
    for diagnostic in diagnostics {
        let Finding { code, at: (line, column) } = finding(diagnostic, source);
        let _ = write!(shown, "\n  {code} at {line}:{column}: {}", diagnostic.message);
    }
    shown
}
