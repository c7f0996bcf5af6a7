//! The command line: its options, its exit status, and what is common to its subcommands.
//!
//! Exit status: 0 done; 1 the program, image or comparison is at fault; 2 the command line is;
//! 3 the machine is.

mod check;
mod compile;
mod diff;
mod explain;
mod interrupt;
mod render;
mod stats;
mod values;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lambdav::core::LANGUAGE_VERSION;
use lambdav::core::core_text::MAX_TEXT;
use lambdav::core::diagnostics::{Diagnostic, render_json, render_text};
use lambdav::core::source::SourceFile;
use lambdav::program::Loaded;
use lambdav::raster::file::{Metadata, SaveError};
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (λV language version 1)");
const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  the program, the image or the comparison is at fault
  2  the command line is
  3  the machine is: disk full, time out, no memory";

const _: () = assert!(LANGUAGE_VERSION == 1, "VERSION names the language version");

/// Compiler and exact CPU renderer for the shader language λV
///
/// The same program, inputs and size give the same bits on every machine.
#[derive(Parser)]
#[command(
    name = "lambdav",
    version = VERSION,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXIT_STATUS
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Render(render::Options),
    Compile(compile::Options),
    Check(check::Options),
    Diff(diff::Options),
    Explain(explain::Options),
}

/// How diagnostics are written.
#[derive(Args, Clone, Copy)]
struct Messages {
    /// How diagnostics are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// For people, on standard error
    Text,
    /// For programs, on standard output: one object per line
    Json,
}

/// Why a command did not do what it was asked for. What is to be said is in the message, or has been
/// said.
#[derive(Debug)]
struct Failure {
    status: u8,
    message: Option<String>,
}

impl Failure {
    /// The program, image or comparison is at fault, and that has been said.
    fn reported() -> Self {
        Self { status: 1, message: None }
    }

    /// The program, image or comparison is at fault.
    fn input(message: impl Into<String>) -> Self {
        Self { status: 1, message: Some(message.into()) }
    }

    /// The command line is at fault.
    fn usage(message: impl Into<String>) -> Self {
        Self { status: 2, message: Some(message.into()) }
    }

    /// The machine is at fault.
    fn machine(message: impl Into<String>) -> Self {
        Self { status: 3, message: Some(message.into()) }
    }

    /// A file cannot be read or written: the fault of whoever named it, or of the machine.
    fn file(message: impl Into<String>, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidFilename => Self::usage(message),
            _ => Self::machine(message),
        }
    }
}

type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Runs the command that the process was given.
pub(crate) fn run() -> ExitCode {
    interrupt::watch();
    let result = match CommandLine::parse().command {
        Command::Render(options) => render::run(&options),
        Command::Compile(options) => compile::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Diff(options) => diff::run(&options),
        Command::Explain(options) => explain::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { status, message }) => {
            if let Some(message) = message {
                complain(&message);
            }
            ExitCode::from(status)
        }
    }
}

/// Says on standard error what went wrong.
fn complain(message: &str) {
    // Nothing is left to do where even this cannot be written.
    let _ = writeln!(io::stderr(), "error: {message}");
}

/// The message of an error with those of its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !message.ends_with(&next) {
            message = format!("{message}: {next}");
        }
        cause = error.source();
    }
    message
}

/// Writes to standard output. A reader that has gone away is no fault.
fn print(content: impl AsRef<[u8]>) -> Result {
    let mut out = io::stdout().lock();
    match out.write_all(content.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::machine(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Standard input can be read once.
fn one_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result {
    match paths.into_iter().filter(|path| *path == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::usage("standard input, `-`, can be given only once")),
    }
}

/// Standard output cannot take both a result and what is to be said of the program.
fn one_standard_output(messages: Messages, result: &str, instead: &str) -> Result {
    match messages.message_format {
        MessageFormat::Text => Ok(()),
        MessageFormat::Json => Err(Failure::usage(format!(
            "--message-format json writes to standard output, and so would {result}; {instead}"
        ))),
    }
}

/// Reads and compiles the program at `path`, or at standard input for `-`; says all that is to be
/// said about it.
fn load(path: &Path, messages: Messages) -> Result<Loaded> {
    let loaded = read(path)?;
    report(&loaded.source, &loaded.diagnostics, messages)?;
    Ok(loaded)
}

/// Reads and compiles without saying anything.
fn read(path: &Path) -> Result<Loaded> {
    let (name, bytes) = read_bytes(path)?;
    Ok(Loaded::from_bytes(&name, bytes))
}

/// The name by which messages call the file at `path`, or standard input for `-`, and what it holds.
fn read_bytes(path: &Path) -> Result<(String, Vec<u8>)> {
    if path == Path::new("-") {
        let bytes = read_all(io::stdin().lock())
            .map_err(|e| Failure::machine(format!("cannot read standard input: {e}")))?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    let bytes = File::open(path)
        .and_then(read_all)
        .map_err(|e| Failure::file(format!("cannot read `{}`: {e}", path.display()), &e))?;
    Ok((path.to_string_lossy().into_owned(), bytes))
}

/// All bytes, or, of an endless stream, one more than any program may have.
fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says before a long run what would be said after it: that the file cannot be written.
fn check_target(path: &Path) -> Result {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let why = match folder.metadata() {
        _ if path.is_dir() => "it is a folder".to_owned(),
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => format!("`{}` is not a folder", folder.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("there is no folder `{}`", folder.display())
        }
        Err(error) => {
            return Err(Failure::file(
                format!("cannot write `{}`: {error}", path.display()),
                &error,
            ));
        }
    };
    Err(Failure::usage(format!("cannot write `{}`: {why}", path.display())))
}

/// Says what is to be said about a program.
fn report(source: &SourceFile, diagnostics: &[Diagnostic], messages: Messages) -> Result {
    if diagnostics.is_empty() {
        return Ok(());
    }
    match messages.message_format {
        MessageFormat::Json => print(render_json(diagnostics, source)),
        MessageFormat::Text => {
            let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let text = render_text(diagnostics, source, color);
            // Nothing is left to do where even this cannot be written.
            let _ = io::stderr().write_all(text.as_bytes());
            Ok(())
        }
    }
}

/// The failure of a program for a single reason, which is said.
fn fault(source: &SourceFile, diagnostic: Diagnostic, messages: Messages) -> Failure {
    match report(source, &[diagnostic], messages) {
        Ok(()) => Failure::reported(),
        Err(failure) => failure,
    }
}

/// What image files say of their origin.
fn metadata() -> Metadata {
    Metadata {
        language_version: LANGUAGE_VERSION.to_string(),
        software: concat!("lambdav ", env!("CARGO_PKG_VERSION")).to_owned(),
        comment: None,
    }
}

/// The failure of a file that was not written.
fn save_failure<E: std::error::Error>(error: &SaveError<E>) -> Failure {
    let message = chain(error);
    match error {
        SaveError::File { source, .. } => Failure::file(message, source),
        SaveError::Content { .. } => Failure::machine(message),
    }
}
