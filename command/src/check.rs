//! `lambdav check`: diagnostics only.

use super::failure::{Failure, Result, complain};
use super::files::{
    compile_fixed, drawn, files_under, no_standard_input, one_standard_input, read_bytes, undrawn,
};
use super::messages::{MessageFormat, Messages, note, print, report};
use super::module::{ModuleArguments, ProgramKind, some_of};
use super::supervise::Deadline;
use super::values::seconds;
use clap::{Args, ValueEnum};
use lambdav_core::diagnostics::{
    DiagnosticCode, Diagnostics, SarifLog, Severity, render_github, render_github_error,
    render_github_omitted,
};
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_engine::ShaderOptions;
use lambdav_engine::program::Loaded;
use lambdav_spirv::inspect;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Check programs and report errors and warnings
///
/// Correct programs print nothing. Exit status 0: no errors, and no warnings if these are denied; 1:
/// some program has errors or denied warnings.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// Shaders in λV, GLSL or WGSL, core texts or SPIR-V modules, or folders of them; `-` is standard
    /// input. In a folder, all files whose names end in .lv, .core, .spv, .spvasm, .wgsl, .frag, .glsl,
    /// .fs, .fsh, .fragment, .isf, .shadertoy, .vert, .vs or .comp are checked; a .glsl without `main`
    /// that others include is passed over
    #[arg(required = true, value_name = "SHADER")]
    shaders: Vec<PathBuf>,
    /// Suppress a warning, by its code; may be given more than once
    #[arg(long, value_name = "CODE", value_parser = warning)]
    allow: Vec<DiagnosticCode>,
    /// Fail with exit status 1 where there are warnings
    #[arg(long, value_name = "WHAT", value_enum)]
    deny: Option<Denied>,
    /// Seconds that checking a program may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    /// Check again whenever a program or a file that it includes changes, until interrupted
    #[arg(long)]
    pub(super) watch: bool,
    #[command(flatten)]
    module: ModuleArguments,
    /// Format of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Text)]
    message_format: CheckFormat,
    /// Most errors, and most warnings, to report for a program
    #[arg(long, value_name = "N", default_value_t = limits::ERRORS)]
    max_errors: usize,
}

/// Format of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For people, on standard error
    Text,
    /// For programs, on standard output: one object per line
    Json,
    /// For GitHub Actions, on standard output: annotations of the lines
    Github,
    /// For code scanning and editors, on standard output: one SARIF 2.1.0 log of all programs
    Sarif,
}

/// Destination of diagnostics.
enum Sink {
    /// The format that all commands share.
    Messages(Messages),
    Github,
    /// A log of all programs, written at the end.
    Sarif(SarifLog),
}

impl Sink {
    fn new(options: &CheckArguments) -> Self {
        let messages = |format| {
            let mut messages = Messages::of(format);
            messages.max_errors = options.max_errors;
            Self::Messages(messages)
        };
        match options.message_format {
            CheckFormat::Text => messages(MessageFormat::Text),
            CheckFormat::Json => messages(MessageFormat::Json),
            CheckFormat::Github => Self::Github,
            CheckFormat::Sarif => Self::Sarif(SarifLog::default()),
        }
    }

    /// Reports the diagnostics of a program.
    fn tell(&mut self, source: &SourceFile, diagnostics: &Diagnostics) -> Result {
        let omitted = diagnostics.omitted();
        match self {
            Self::Messages(messages) => report(source, diagnostics, *messages),
            Self::Github => {
                let mut text = render_github(diagnostics, source);
                if !omitted.is_none() {
                    text += &render_github_omitted(omitted, source);
                }
                print(text)
            }
            Self::Sarif(log) => {
                log.add(diagnostics, source);
                if !omitted.is_none() {
                    log.add_omitted(omitted, source);
                }
                Ok(())
            }
        }
    }

    /// Reports an error that has no place in a program.
    fn tell_error(&mut self, message: &str) -> Result {
        match self {
            Self::Messages(_) => {}
            Self::Github => print(render_github_error(message))?,
            Self::Sarif(log) => log.add_error(message),
        }
        complain(message);
        Ok(())
    }

    /// Reports a program whose check timed out.
    fn tell_late(&mut self, file: &str, message: &str) -> Result {
        let text = format!("`{file}`: {message}");
        if let Self::Sarif(log) = self {
            log.add_unchecked(file, message);
            complain(&text);
            return Ok(());
        }
        self.tell_error(&text)
    }

    /// Writes the output that all programs share: the SARIF log.
    fn finish(&mut self) -> Result {
        match self {
            Self::Messages(_) | Self::Github => Ok(()),
            Self::Sarif(log) => print(std::mem::take(log).render(env!("CARGO_PKG_VERSION"))),
        }
    }
}

/// Severities that fail the command.
#[derive(Clone, Copy, ValueEnum)]
enum Denied {
    /// Warnings that --allow does not suppress
    Warnings,
}

/// Expands folders to the programs in them, sorted by name. The second of each pair is true for those.
fn programs(given: &[PathBuf]) -> Result<Vec<(PathBuf, bool)>> {
    let endings = || drawn().chain(undrawn()).filter(|ending| *ending != "amber");
    let is_program =
        |path: &Path| path.extension().is_some_and(|ending| endings().any(|known| ending == known));
    let mut all = Vec::new();
    for path in given {
        if !path.is_dir() {
            all.push((path.clone(), false));
            continue;
        }
        let found = files_under(path, &is_program)?;
        if found.is_empty() {
            let endings: Vec<String> = endings().map(|ending| format!(".{ending}")).collect();
            let endings = endings.join(", ");
            let folder = path.display();
            return Err(Failure::usage(format!(
                "there is no program in the folder `{folder}`; names of programs end in {endings}"
            )));
        }
        all.extend(found.into_iter().map(|within| (path.join(within), true)));
    }
    Ok(all)
}

/// Parses the code of a warning.
fn warning(text: &str) -> std::result::Result<DiagnosticCode, String> {
    match DiagnosticCode::parse(text) {
        Some(code) if code.severity() == Severity::Warning => Ok(code),
        Some(code) => Err(format!("{} is an error, which cannot be allowed", code.as_str())),
        None => Err(format!("there is no code `{text}`")),
    }
}

pub(super) fn run(options: &CheckArguments) -> Result {
    one_standard_input(&options.shaders)?;
    if options.watch {
        no_standard_input(&options.shaders)?;
        if options.message_format == CheckFormat::Sarif {
            return Err(Failure::usage(
                "--message-format sarif is one log, and --watch does not end",
            ));
        }
    }
    let (shader_options, ..) = options.module.read()?;
    let sink = Arc::new(Mutex::new(Sink::new(options)));
    let mut status = 0;
    let mut kind = ProgramKind::default();
    let programs = programs(&options.shaders)?;
    let mut passed = Vec::new();
    for (path, is_found) in &programs {
        Deadline::set_for("checking", options.timeout);
        let (of_end, name) = (Arc::clone(&sink), path.display().to_string());
        Deadline::say_with(move |message| end_late(&of_end, &name, message));
        // Check the other programs, but report this failure at once: it has no diagnostics.
        match check(path, *is_found, &shader_options, options, &sink) {
            Ok(Some(of_program)) => kind = kind.max(of_program),
            Ok(None) => passed.push(path.display().to_string()),
            Err(failure) => {
                if let Some(message) = &failure.message {
                    locked(&sink).tell_error(message)?;
                }
                status = status.max(failure.status);
            }
        }
    }
    Deadline::lift();
    if let (false, Sink::Messages(messages)) = (passed.is_empty(), &*locked(&sink)) {
        let what = "passed over, for they have no `main`, and others may include them";
        note(&format!("{}: {what}", some_of(&passed)), *messages);
    }
    if status == 0 {
        let first = programs.first().map_or(String::new(), |(path, _)| path.display().to_string());
        options.module.check(kind, &first)?;
    }
    locked(&sink).finish()?;
    if status == 0 { Ok(()) } else { Err(Failure { status, message: None }) }
}

fn locked(sink: &Mutex<Sink>) -> MutexGuard<'_, Sink> {
    sink.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Longest wait at the deadline for a report in progress: its pipe may have no reader.
const LATE: Duration = Duration::from_secs(1);

/// Reports the timeout and finishes the output.
fn end_late(sink: &Mutex<Sink>, file: &str, message: &str) {
    let begun = Instant::now();
    let sink = loop {
        match sink.try_lock() {
            Ok(sink) => break Some(sink),
            Err(TryLockError::Poisoned(sink)) => break Some(sink.into_inner()),
            Err(TryLockError::WouldBlock) if begun.elapsed() > LATE => break None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    };
    match sink {
        // Standard output failed: no channel is left for an error.
        Some(mut sink) => drop(sink.tell_late(file, message).and_then(|()| sink.finish())),
        None => complain(&format!("`{file}`: {message}")),
    }
}

/// Checks and reports one program, all its fragment entry points unless one is named. None, and no report, for a
/// wrong text in a `.glsl` file of a folder that has no `main`: it belongs to the texts that include it.
fn check(
    path: &Path,
    is_found: bool,
    shader_options: &ShaderOptions,
    options: &CheckArguments,
    sink: &Mutex<Sink>,
) -> Result<Option<ProgramKind>> {
    let (_, bytes) = read_bytes(path)?;
    let read = |shader_options: &ShaderOptions| {
        let most = options.max_errors;
        let mut loaded = compile_fixed(path, bytes.clone(), most, &mut |_, _| None, shader_options);
        loaded.diagnostics.retain(|finding| !options.allow.contains(&finding.code));
        loaded.check_nesting();
        loaded
    };
    let mut loaded = read(shader_options);
    let mut is_refused = loaded.core.is_none() && !loaded.accept_undrawn();
    if options.module.entry.is_none() {
        let mut all = entry_points(&loaded);
        // Without a name, `main` was read, or none.
        let before = all.len();
        all.retain(|entry| entry != "main");
        let mut is_read = all.len() < before;
        for entry in all.iter().filter(|_| before > 1) {
            let mut of_entry = read(&shader_options.clone().entry_point(entry));
            let is_wrong = of_entry.core.is_none() && !of_entry.accept_undrawn();
            if !is_read {
                (is_read, is_refused, loaded) = (true, is_wrong, of_entry);
                continue;
            }
            is_refused |= is_wrong;
            for found in of_entry.diagnostics.into_vec() {
                if !loaded.diagnostics.contains(&found) {
                    loaded.diagnostics.push(found);
                }
            }
        }
    }
    let is_glsl = path.extension().is_some_and(|ending| ending == "glsl");
    if is_found && is_glsl && is_refused && loaded.lacks_entry() {
        return Ok(None);
    }
    let found = &loaded.diagnostics;
    locked(sink).tell(&loaded.source, found)?;
    is_refused |= found.has_errors();
    match is_refused || options.deny.is_some() && !found.is_empty() {
        true => Err(Failure::reported()),
        false => Ok(Some(ProgramKind::of_loaded(&loaded))),
    }
}

/// Names of the fragment entry points of a module; empty for other programs.
fn entry_points(loaded: &Loaded) -> Vec<String> {
    let words = loaded.module.as_ref().map_or(&[][..], |module| &module.words);
    let all = inspect::entry_points(words).into_iter();
    all.filter(|(_, stage)| stage.has_pixels()).map(|(name, _)| name).collect()
}
