//! Diagnostics as JSON for programs: one object per line.
//!
//! | member | type | meaning |
//! |---|---|---|
//! | `code` | string | `"LV0401"`; stable |
//! | `severity` | string | `"error"` or `"warning"` |
//! | `message` | string | the fault, one sentence without a full stop |
//! | `file` | string | the name of the file of the primary place |
//! | `primary` | place | the place of the fault |
//! | `secondary` | array of places | other relevant places |
//! | `notes` | array of strings | facts that help to understand the fault |
//! | `help` | string or null | the remedy |
//! | `rendered` | string | the output of [`render_text`] without colour |
//!
//! A place is an object:
//!
//! | member | type | meaning |
//! |---|---|---|
//! | `file` | string | the name of the file: as given, or as it was included |
//! | `start`, `end` | number | half-open range of byte offsets into the file |
//! | `line`, `column` | number | position of `start`, both from 1; columns count Unicode scalar values |
//! | `endLine`, `endColumn` | number | position of `end`, likewise |
//! | `label` | string | a remark on the place; may be empty |
//!
//! If some diagnostics are omitted, the last line is an object with other members:
//!
//! | member | type | meaning |
//! |---|---|---|
//! | `file` | string | the name of the file, as given |
//! | `omittedErrors`, `omittedWarnings` | number | the numbers of omitted diagnostics |
//! | `rendered` | string | the same as a sentence |
//!
//! Members may be added; readers ignore those that they do not know.

use serde::Serialize;

use super::{Diagnostic, Label, Omitted, in_order, render_text};
use crate::source::SourceFile;

#[derive(Serialize)]
struct Object<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    file: &'a str,
    primary: Place<'a>,
    secondary: Vec<Place<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    rendered: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
    pub(super) label: &'a str,
}

impl<'a> Place<'a> {
    pub(super) fn new(label: &'a Label, source: &'a SourceFile) -> Self {
        let file = source.file(label.span.start);
        let start = source.line_column(label.span.start);
        let end = source.line_column(label.span.end);
        Self {
            file: &file.name,
            start: label.span.start - file.span.start,
            end: label.span.end.saturating_sub(file.span.start),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            label: &label.message,
        }
    }
}

/// The diagnostics in order of position, without duplicates, as one JSON object per line. The head of the
/// module lists the members.
pub fn render_json(diagnostics: &[Diagnostic], source: &SourceFile) -> String {
    let mut text = String::new();
    for diagnostic in in_order(diagnostics) {
        let object = Object {
            code: diagnostic.code.as_str(),
            severity: diagnostic.code.severity().as_str(),
            message: &diagnostic.message,
            file: &source.file(diagnostic.primary.span.start).name,
            primary: Place::new(&diagnostic.primary, source),
            secondary: diagnostic.secondary.iter().map(|l| Place::new(l, source)).collect(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_deref(),
            rendered: render_text(std::slice::from_ref(diagnostic), source, false),
        };
        // Fails only for maps whose keys are not strings, and for types with a failing `Serialize`.
        text += &serde_json::to_string(&object).expect("strings and numbers are always JSON");
        text.push('\n');
    }
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OmittedObject<'a> {
    file: &'a str,
    omitted_errors: usize,
    omitted_warnings: usize,
    rendered: String,
}

/// The line with the number of omitted diagnostics.
pub fn render_json_omitted(omitted: Omitted, source: &SourceFile) -> String {
    let object = OmittedObject {
        file: source.name(),
        omitted_errors: omitted.errors,
        omitted_warnings: omitted.warnings,
        rendered: omitted.to_string(),
    };
    serde_json::to_string(&object).expect("strings and numbers are always JSON") + "\n"
}
