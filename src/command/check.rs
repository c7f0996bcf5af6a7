//! `lambdav check`: diagnostics only.

use super::failure::{Failure, Result, complain};
use super::files::{files_under, no_standard_input, one_standard_input, read};
use super::messages::{Messages, fault, report};
use super::module::ModuleArguments;
use super::supervise::Deadline;
use super::values::seconds;
use clap::{Args, ValueEnum};
use lambdav::core::diagnostics::{DiagnosticCode, Severity};
use lambdav::core::schedule;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Check programs and say what is wrong with them
///
/// Nothing is said of a program that is right. Exit status 0: all are right, warnings apart unless
/// these are denied; 1: some are not.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// Shaders, core texts or SPIR-V modules, or folders of them; `-` is standard input. In a folder these
    /// are all files whose names end in .lv, .core, .spv, .spvasm, .wgsl, .frag or .glsl
    #[arg(required = true, value_name = "SHADER")]
    shaders: Vec<PathBuf>,
    /// A warning that is not told, by its code; may be given more than once
    #[arg(long, value_name = "CODE", value_parser = warning)]
    allow: Vec<DiagnosticCode>,
    /// Fail with exit status 1 where there are warnings
    #[arg(long, value_name = "WHAT", value_enum)]
    deny: Option<Denied>,
    /// How many seconds checking a program may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    /// Check again whenever a program or what it includes changes, until it is interrupted
    #[arg(long)]
    pub(super) watch: bool,
    #[command(flatten)]
    module: ModuleArguments,
    #[command(flatten)]
    messages: Messages,
}

/// What is not let pass.
#[derive(Clone, Copy, ValueEnum)]
enum Denied {
    /// Warnings that are not allowed
    Warnings,
}

/// The endings of files that are programs, by which they are found in folders.
const ENDINGS: [&str; 7] = ["lv", "core", "spv", "spvasm", "wgsl", "frag", "glsl"];

/// The files that these are, with those in folders in the order of their names.
fn programs(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let is_program = |path: &Path| {
        path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
    };
    let mut all = Vec::new();
    for path in given {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let found = files_under(path, &is_program)?;
        if found.is_empty() {
            let endings = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
            let folder = path.display();
            return Err(Failure::usage(format!(
                "there is no program in the folder `{folder}`, whose names end in {endings}"
            )));
        }
        all.extend(found.into_iter().map(|within| path.join(within)));
    }
    Ok(all)
}

/// The code of a warning.
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
    }
    let (how, _) = options.module.read()?;
    let mut failure: Option<Failure> = None;
    for path in &programs(&options.shaders)? {
        Deadline::set_for("checking", options.timeout);
        let outcome = read(path, options.messages, &how).and_then(|mut loaded| {
            loaded.diagnostics.retain(|finding| !options.allow.contains(&finding.code));
            report(&loaded.source, &loaded.diagnostics, options.messages)?;
            let is_warned = !loaded.diagnostics.is_empty();
            if options.deny.is_some() && is_warned {
                return Err(Failure::reported());
            }
            let core = loaded.core.ok_or_else(Failure::reported)?;
            let all: Vec<u32> = core.outputs.iter().map(|o| o.location).collect();
            schedule::schedule(&core, &all)
                .map(|_| ())
                .map_err(|diagnostic| fault(&loaded.source, diagnostic, options.messages))
        });
        if let Err(new) = outcome {
            // Go on with the others, but say at once what will not be said otherwise.
            if let Some(message) = &new.message {
                complain(message);
            }
            let status = failure.map_or(0, |f| f.status).max(new.status);
            failure = Some(Failure { status, message: None });
        }
    }
    Deadline::lift();
    failure.map_or(Ok(()), Err)
}
