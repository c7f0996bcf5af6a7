//! Texts in other languages: GLSL by a front end of our own, WGSL by naga. Both give SPIR-V, which is raised.
//!
//! *Every text gets a result, in bounded time and memory*: naga runs on its own thread ([`guard`]), and
//! texts that would cost it too much time or stack are refused beforehand ([`budget`], [`nesting`]).
//!
//! naga's own diagnostics are shown in the format of ours, with our positions. Loops stay as written,
//! and indices are clamped as LANGUAGE defines (`Restrict`), so that no arithmetic is added.

mod budget;
mod guard;
mod nesting;

use crate::endings::{COMPUTE, FRAGMENT, VERTEX};
use crate::error::error_chain;
use budget::Budget;
use guard::Stopped;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::files::NoFiles;
use lambdav_core::limits;
use lambdav_core::source::{SourceFile, Span};
use lambdav_glsl_frontend::Stage;
use naga::Module;
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::front::wgsl;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest text, in bytes, for which naga records lines: it counts them from the beginning for each
/// statement.
const NOTED: usize = 1 << 18;

/// A shading language other than λV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL: `.wgsl`.
    Wgsl,
    /// GLSL of a stage.
    Glsl(Stage),
}

impl Language {
    /// The language of a file name extension.
    pub fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "wgsl" => Self::Wgsl,
            ending if FRAGMENT.contains(&ending) => Self::Glsl(Stage::Fragment),
            ending if VERTEX.contains(&ending) => Self::Glsl(Stage::Vertex),
            ending if COMPUTE.contains(&ending) => Self::Glsl(Stage::Compute),
            _ => return None,
        })
    }
}

/// Compiles a text that includes no files to the words of a SPIR-V module.
///
/// # Errors
///
/// All errors of the text.
pub fn to_spirv(language: Language, source: &SourceFile) -> Result<Vec<u32>, Vec<Diagnostic>> {
    match language {
        Language::Wgsl => wgsl_to_spirv(source),
        Language::Glsl(stage) => {
            let options = lambdav_glsl_frontend::Options::new(stage);
            let compiled = lambdav_glsl_frontend::compile(source.clone(), &options, &mut NoFiles);
            compiled.words.ok_or_else(|| compiled.diagnostics.into_vec())
        }
    }
}

/// Compiles a text in WGSL.
///
/// Runs on its own thread, for which the caller waits. A panic there becomes an error.
fn wgsl_to_spirv(source: &SourceFile) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let (length, most) = (source.text().len(), limits::FOREIGN_TEXT);
    if length > most {
        let message = format!("the text has {length} bytes; WGSL may have {most}");
        return Err(vec![wrong(Span::default(), message).help(ELSEWHERE)]);
    }
    let source = Arc::new(source.clone());
    let read = Arc::clone(&source);
    let result = guard::run(move || {
        check(read.text())?;
        let module = parse(read.text())?;
        write(&read, &module).map_err(|diagnostic| vec![diagnostic])
    });
    result.unwrap_or_else(|stopped| {
        let at = match stopped {
            Stopped::Panicked => panics_at(&source).unwrap_or_default(),
            _ => Span::default(),
        };
        Err(vec![stopped_diagnostic(&stopped, at)])
    })
}

/// Time limit of the search for the cause of a panic.
const SEARCH: Duration = Duration::from_secs(4);

/// The first line of the declaration with which naga begins to panic, found by bisection.
fn panics_at(source: &SourceFile) -> Option<Span> {
    let all = nesting::declarations(source.text());
    let begun = Instant::now();
    let panics = |end: usize| {
        let part = SourceFile::new(source.name(), &source.text()[..end]);
        let read = move || {
            let module = parse(part.text()).ok()?;
            write(&part, &module).ok()
        };
        match guard::run_within(SEARCH.saturating_sub(begun.elapsed()), read) {
            Ok(_) => Some(false),
            Err(Stopped::Panicked) => Some(true),
            Err(Stopped::Late | Stopped::NoThread(_)) => None,
        }
    };
    let (mut before, mut behind) = (0, all.len());
    while behind - before > 1 {
        let middle = before.midpoint(behind);
        if panics(all[middle - 1][1])? { behind = middle } else { before = middle }
    }
    let [start, end] = *all.get(before)?;
    let line = source.text()[start..end].lines().next()?;
    Some(Span::new(start as u32, (start + line.len()) as u32))
}

/// Help for a refused text.
const ELSEWHERE: &str = "compile it to SPIR-V with another compiler: `tint a.wgsl -o a.spv`";

fn wrong(at: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::ForeignProgram, at, message)
}

/// Refuses texts that would cost naga too much time or stack.
fn check(text: &str) -> Result<(), Vec<Diagnostic>> {
    let mut budget = Budget::default();
    let refused = nesting::wgsl_tokens(text)
        .find_map(|(token, at)| Some((at, budget.take(token, nesting::WGSL_OPERATOR).err()?)));
    let Some(([start, end], what)) = refused else { return Ok(()) };
    let at = Span::new(start as u32, end as u32);
    Err(vec![wrong(at, what).help("name inner expressions, write loops, or several functions")])
}

fn stopped_diagnostic(stopped: &Stopped, at: Span) -> Diagnostic {
    let message = match stopped {
        Stopped::Panicked => "naga, which reads WGSL, gave up on this text".to_owned(),
        Stopped::Late => {
            let seconds = guard::DEADLINE.as_secs();
            format!("naga, which reads WGSL, takes longer than {seconds} s for this text")
        }
        Stopped::NoThread(error) => {
            format!("no thread could be started for naga, which reads WGSL: {error}")
        }
    };
    wrong(at, message).help(ELSEWHERE)
}

fn span(of: naga::Span) -> Option<Span> {
    of.to_range().map(|range| Span::new(range.start as u32, range.end as u32))
}

fn parse(text: &str) -> Result<Module, Vec<Diagnostic>> {
    wgsl::parse_str(text).map_err(|error| {
        let mut labels = error.labels().filter_map(|(at, what)| Some((span(at)?, what)));
        let (at, label) = labels.next().unwrap_or_default();
        let code = DiagnosticCode::ForeignProgram;
        let diagnostic = Diagnostic::new(code, at, error.message()).label(label);
        vec![labels.fold(diagnostic, |diagnostic, (at, what)| diagnostic.also(at, what))]
    })
}

fn write(source: &SourceFile, module: &Module) -> Result<Vec<u32>, Diagnostic> {
    let code = DiagnosticCode::ForeignProgram;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).map_err(|error| {
        // naga's internal names help no user.
        let said = |what: &String| if what.starts_with("naga::") { "" } else { what }.to_owned();
        let mut labels = error.spans().filter_map(|(at, what)| Some((span(*at)?, said(what))));
        let (at, label) = labels.next().unwrap_or_default();
        let diagnostic = Diagnostic::new(code, at, error_chain(error.as_inner())).label(label);
        labels.fold(diagnostic, |diagnostic, (at, what)| diagnostic.also(at, what))
    })?;
    let debug_info = spv::DebugInfo {
        source_code: source.text(),
        file_name: source.name(),
        language: spv::SourceLanguage::WGSL,
    };
    let restrict = BoundsCheckPolicy::Restrict;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        bounds_check_policies: BoundsCheckPolicies {
            index: restrict,
            buffer: restrict,
            image_load: restrict,
            binding_array: restrict,
        },
        force_loop_bounding: false,
        debug_info: (source.text().len() <= NOTED).then_some(debug_info),
        ..spv::Options::default()
    };
    let fail = |error: &dyn Error| Diagnostic::new(code, Span::default(), error_chain(error));
    let defaults = PipelineConstants::default();
    let (module, info) =
        process_overrides(module, &info, None, &defaults).map_err(|error| fail(&error))?;
    spv::write_vec(&module, &info, &options, None).map_err(|error| fail(&error))
}
