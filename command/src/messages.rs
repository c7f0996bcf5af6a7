//! Messages about programs, and the streams that they are written to.

use super::failure::{Failure, Result};
use clap::{Args, ColorChoice, ValueEnum};
use lambdav_core::diagnostics::{
    Diagnostics, is_control, one_line, printable, render_json, render_json_omitted, render_text,
};
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// Format and number of diagnostics.
#[derive(Args, Clone, Copy)]
pub(super) struct Messages {
    /// Format of diagnostics
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
    /// Most errors, and most warnings, to report
    #[arg(long, value_name = "N", default_value_t = limits::ERRORS)]
    pub(super) max_errors: usize,
}

impl Messages {
    /// Messages in that format, with the default number of diagnostics.
    pub(super) fn of(message_format: MessageFormat) -> Self {
        Self { message_format, max_errors: limits::ERRORS }
    }

    /// The requested format.
    pub(super) fn format(self) -> MessageFormat {
        self.message_format
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// For people, on standard error
    Text,
    /// For programs, on standard output: one object per line
    Json,
}

/// Value of `--color`.
static COLOR: OnceLock<ColorChoice> = OnceLock::new();

/// Sets the colour choice, once.
pub(super) fn set_color(choice: ColorChoice) {
    let _ = COLOR.set(choice);
}

/// True if messages on standard error are coloured.
fn has_color() -> bool {
    match COLOR.get() {
        Some(ColorChoice::Always) => true,
        Some(ColorChoice::Never) => false,
        _ => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Rejects JSON messages where the result itself goes to standard output.
pub(super) fn one_standard_output(messages: Messages, result: &str, instead: &str) -> Result {
    match messages.message_format {
        MessageFormat::Text => Ok(()),
        MessageFormat::Json => Err(Failure::usage(format!(
            "--message-format json writes to standard output, and so would {result}; {instead}"
        ))),
    }
}

/// Prints the diagnostics of a program.
pub(super) fn report(source: &SourceFile, diagnostics: &Diagnostics, messages: Messages) -> Result {
    let omitted = diagnostics.omitted();
    if diagnostics.is_empty() && omitted.is_none() {
        return Ok(());
    }
    match messages.message_format {
        MessageFormat::Json => {
            let mut text = render_json(diagnostics, source);
            if !omitted.is_none() {
                text += &render_json_omitted(omitted, source);
            }
            print(text)
        }
        MessageFormat::Text => {
            let mut text = render_text(diagnostics, source, has_color());
            if !omitted.is_none() {
                text += &format!("{omitted}; --max-errors shows more\n");
            }
            // Standard error failed: no channel is left for an error.
            let _ = io::stderr().write_all(text.as_bytes());
            Ok(())
        }
    }
}

/// Prints a note for people; JSON has none.
pub(super) fn note(text: &str, messages: Messages) {
    if messages.message_format == MessageFormat::Text {
        // Standard error failed: no channel is left for an error.
        let _ = writeln!(io::stderr(), "note: {}", one_line(text));
    }
}

/// Prints a line of a report to standard error, as it is.
pub(super) fn report_line(text: &str) {
    // Standard error failed: no channel is left for an error.
    let _ = writeln!(io::stderr(), "{}", one_line(text));
}

/// Prints clap's output: an error, or the help or version.
pub(super) fn print_clap(said: &clap::Error) -> Result {
    written(said.print().and_then(|()| io::stdout().flush())).map(|_| ())
}

/// Writes text or JSON objects to standard output, without characters that control terminals. A closed
/// pipe is no error.
pub(super) fn print(text: impl AsRef<str>) -> Result {
    write_out(shown(text.as_ref()).as_bytes()).map(|_| ())
}

/// Like [`print()`], but exact, byte for byte, unless standard output is a terminal.
pub(super) fn print_exact(text: &str) -> Result {
    match io::stdout().is_terminal() {
        true => print(text),
        false => write_out(text.as_bytes()).map(|_| ()),
    }
}

/// Escapes characters that control terminals. JSON has escaped those below U+0020; the others get JSON
/// escapes.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Writing to a string does not fail.
            '\u{7f}'.. if is_control(c) => drop(write!(shown, "\\u{:04x}", u32::from(c))),
            c if is_control(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown.into()
}

/// Rejects binary output `what` on a terminal; the error suggests `instead`.
pub(super) fn no_terminal(what: &str, instead: &str) -> Result {
    match io::stdout().is_terminal() {
        true => Err(Failure::usage(format!(
            "standard output is a terminal, and {what} is binary; {instead}, or add `| PROGRAM`"
        ))),
        false => Ok(()),
    }
}

/// Prints text to standard error.
pub(super) fn say(text: &str) {
    // Standard error failed: no channel is left for an error.
    let _ = io::stderr().write_all(printable(text).as_bytes());
}

/// Writes bytes to standard output. Returns false if the reader has closed the pipe.
pub(super) fn write_out(content: &[u8]) -> Result<bool> {
    let mut out = io::stdout().lock();
    written(out.write_all(content).and_then(|()| out.flush()))
}

/// Turns a closed pipe into `false`, other errors into failures.
fn written(result: io::Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::machine(format!("cannot write to standard output: {error}"))),
    }
}
