//! What is said about a program, and on which stream.

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

/// How diagnostics are written.
#[derive(Args, Clone, Copy)]
pub(super) struct Messages {
    /// How diagnostics are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
    /// How many errors are told, and how many warnings
    #[arg(long, value_name = "N", default_value_t = limits::ERRORS)]
    pub(super) max_errors: usize,
}

impl Messages {
    /// In that form, as many as there are usually.
    pub(super) fn of(message_format: MessageFormat) -> Self {
        Self { message_format, max_errors: limits::ERRORS }
    }

    /// The form that was asked for.
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

/// What was asked for of colours.
static COLOR: OnceLock<ColorChoice> = OnceLock::new();

/// Says what was asked for of colours, once.
pub(super) fn set_color(choice: ColorChoice) {
    let _ = COLOR.set(choice);
}

/// Whether what is said on standard error is in colours.
fn has_color() -> bool {
    match COLOR.get() {
        Some(ColorChoice::Always) => true,
        Some(ColorChoice::Never) => false,
        _ => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Standard output cannot take both a result and what is to be said of the program.
pub(super) fn one_standard_output(messages: Messages, result: &str, instead: &str) -> Result {
    match messages.message_format {
        MessageFormat::Text => Ok(()),
        MessageFormat::Json => Err(Failure::usage(format!(
            "--message-format json writes to standard output, and so would {result}; {instead}"
        ))),
    }
}

/// Says what is to be said about a program.
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
            // Nothing is left to do where even this cannot be written.
            let _ = io::stderr().write_all(text.as_bytes());
            Ok(())
        }
    }
}

/// Says something that nobody is at fault for, to people.
pub(super) fn note(text: &str, messages: Messages) {
    if messages.message_format == MessageFormat::Text {
        // Nothing is left to do where even this cannot be written.
        let _ = writeln!(io::stderr(), "note: {}", one_line(text));
    }
}

/// Writes what clap has to say, which may be the help that was asked for.
pub(super) fn print_clap(said: &clap::Error) -> Result {
    written(said.print().and_then(|()| io::stdout().flush())).map(|_| ())
}

/// Writes text, or objects of JSON, to standard output, with nothing that would control a terminal. A
/// reader that has gone away is no fault.
pub(super) fn print(text: impl AsRef<str>) -> Result {
    write_out(shown(text.as_ref()).as_bytes()).map(|_| ())
}

/// The same with text that is read back, byte by byte, unless a terminal reads it.
pub(super) fn print_exact(text: &str) -> Result {
    match io::stdout().is_terminal() {
        true => print(text),
        false => write_out(text.as_bytes()).map(|_| ()),
    }
}

/// Text without characters that control terminals. In JSON, which has escaped those below U+0020 itself,
/// the others are escaped as there.
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

/// Binary content is not for a terminal: whether standard output takes `what`. `instead` is a way out.
pub(super) fn no_terminal(what: &str, instead: &str) -> Result {
    match io::stdout().is_terminal() {
        true => Err(Failure::usage(format!(
            "standard output is a terminal, and {what} is binary; {instead}, or add `| PROGRAM`"
        ))),
        false => Ok(()),
    }
}

/// Says text on standard error.
pub(super) fn say(text: &str) {
    // Nothing is left to do where even this cannot be written.
    let _ = io::stderr().write_all(printable(text).as_bytes());
}

/// Writes bytes to standard output; whether there still is a reader.
pub(super) fn write_out(content: &[u8]) -> Result<bool> {
    let mut out = io::stdout().lock();
    written(out.write_all(content).and_then(|()| out.flush()))
}

/// A reader that has gone away is no fault; whether there still is one.
fn written(result: io::Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::machine(format!("cannot write to standard output: {error}"))),
    }
}
