//! Diagnostics as annotations of GitHub Actions: workflow commands, one a line.
//!
//! `::error file=a.lv,line=2,endLine=2,col=3,endColumn=8,title=LV0301::…`, for example. The syntax is that of
//! GitHub's documentation, "Workflow commands": `%`, line ends and, in properties, `:` and `,` are escaped as
//! percent signs with two digits. Lines and columns count from 1, columns Unicode scalar values.

use std::fmt::Write as _;

use super::json::Place;
use super::{Diagnostic, Omitted, in_order, without_dot};
use crate::source::SourceFile;

/// The diagnostics in order of position, without duplicates, each a workflow command. Labels, notes and help
/// follow the message on lines of their own.
pub fn render_github(diagnostics: &[Diagnostic], source: &SourceFile) -> String {
    let mut text = String::new();
    for diagnostic in in_order(diagnostics) {
        let place = Place::new(&diagnostic.primary, source);
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "::{} file={},line={},endLine={}",
            diagnostic.code.severity().as_str(),
            property(without_dot(place.file)),
            place.line,
            place.end_line,
        );
        // Columns are allowed only within one line.
        if place.line == place.end_line {
            let _ = write!(text, ",col={},endColumn={}", place.column, place.end_column);
        }
        let message = data(&diagnostic.paragraphs());
        let _ = writeln!(text, ",title={}::{message}", diagnostic.code.as_str());
    }
    text
}

/// The annotation with the number of omitted diagnostics of a file.
pub fn render_github_omitted(omitted: Omitted, source: &SourceFile) -> String {
    let file = property(without_dot(source.name()));
    format!("::notice file={file}::{}\n", data(&omitted.to_string()))
}

/// The annotation of an error without a position in a file.
pub fn render_github_error(message: &str) -> String {
    format!("::error::{}\n", data(message))
}

/// Escapes the text after `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::DiagnosticCode;
    use crate::source::Span;

    #[test]
    fn syntax_of_workflow_commands_is_escaped() {
        let source = SourceFile::new("a,b:c%.lv", "λ x\ny".to_owned());
        let found = Diagnostic::new(DiagnosticCode::OperandTypes, Span::new(3, 4), "50 %\nof it")
            .help("do\r\nthis");
        let over = Diagnostic::new(DiagnosticCode::UnusedParameter, Span::new(3, 6), "high");
        assert_eq!(
            render_github(&[found, over], &source),
            "::error file=a%2Cb%3Ac%25.lv,line=1,endLine=1,col=3,endColumn=4,title=LV0401::\
             50 %25%0Aof it%0Ahelp: do%0D%0Athis\n\
             ::warning file=a%2Cb%3Ac%25.lv,line=1,endLine=2,title=LV0702::high\n"
        );
    }
}
