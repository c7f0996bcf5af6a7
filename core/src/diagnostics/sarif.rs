//! Diagnostics as a log in the Static Analysis Results Interchange Format (SARIF), version 2.1.0, of OASIS,
//! for code-scanning services and editors.
//!
//! One run contains the results of all files. A rule is a code, with its title and page. Relative paths stay
//! relative references. Regions count lines and columns from 1, columns in Unicode scalar values, and also
//! give byte offsets. Errors without a position, and the numbers of omitted results, are notifications of the
//! run.

use serde::Serialize;
use std::collections::BTreeSet;

use super::json::Place;
use super::{Diagnostic, DiagnosticCode, Label, Omitted, in_order, without_dot};
use crate::source::SourceFile;

/// A log, filled file by file.
#[derive(Default)]
pub struct SarifLog {
    results: Vec<Outcome>,
    codes: BTreeSet<DiagnosticCode>,
    notifications: Vec<Notification>,
    failed: bool,
}

impl SarifLog {
    /// Adds the diagnostics of a file, in order of position, without duplicates.
    pub fn add(&mut self, diagnostics: &[Diagnostic], source: &SourceFile) {
        for diagnostic in in_order(diagnostics) {
            let code = diagnostic.code;
            self.codes.insert(code);
            self.results.push(Outcome {
                rule_id: Some(code.as_str()),
                level: code.severity().as_str(),
                message: Text { text: diagnostic.paragraphs() },
                locations: [Location::new(&diagnostic.primary, source)],
                related_locations: diagnostic
                    .secondary
                    .iter()
                    .map(|label| Location::new(label, source))
                    .collect(),
            });
        }
    }

    /// Adds the numbers of omitted diagnostics of a file.
    pub fn add_omitted(&mut self, omitted: Omitted, source: &SourceFile) {
        let text = format!("{}: {omitted}", source.name());
        self.notifications.push(Notification { level: "note", message: Text { text } });
    }

    /// Adds an error without a position in a file.
    pub fn add_error(&mut self, message: &str) {
        self.failed = true;
        let message = Text { text: message.to_owned() };
        self.notifications.push(Notification { level: "error", message });
    }

    /// Adds the result for a file that could not be checked.
    pub fn add_unchecked(&mut self, file: &str, message: &str) {
        self.failed = true;
        let artifact_location = Artifact { uri: uri(file) };
        let physical_location = PhysicalLocation { artifact_location, region: None };
        self.results.push(Outcome {
            rule_id: None,
            level: "error",
            message: Text { text: message.to_owned() },
            locations: [Location { physical_location, message: None }],
            related_locations: Vec::new(),
        });
    }

    /// The log of this version of the program, as JSON with a line end.
    pub fn render(self, version: &str) -> String {
        let rules = self.codes.into_iter().map(|code| Rule {
            id: code.as_str(),
            short_description: Text { text: code.title().to_owned() },
            help: Help { text: code.page(), markdown: code.page() },
            default_configuration: Configuration { level: code.severity().as_str() },
        });
        let log = Log {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [Run {
                tool: Tool { driver: Driver { name: "lambdav", version, rules: rules.collect() } },
                column_kind: "unicodeCodePoints",
                invocations: [Invocation {
                    execution_successful: !self.failed,
                    tool_execution_notifications: self.notifications,
                }],
                results: self.results,
            }],
        };
        // Fails only for maps whose keys are not strings, and for types with a failing `Serialize`.
        serde_json::to_string(&log).expect("strings and numbers are always JSON") + "\n"
    }
}

/// A path as a reference of RFC 3986: reserved and invalid bytes are escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri += "file://";
    }
    for byte in without_dot(path).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'a str,
    rules: Vec<Rule>,
}

/// A reporting descriptor.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
    help: Help,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Help {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
}

/// A result; `Result` is Rust's name for something else.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    /// `None` for a result about a file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<&'static str>,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    byte_offset: u32,
    byte_length: u32,
}

impl Location {
    fn new(label: &Label, source: &SourceFile) -> Self {
        let place = Place::new(label, source);
        let message = Some(place.label).filter(|text| !text.is_empty());
        Self {
            physical_location: PhysicalLocation {
                artifact_location: Artifact { uri: uri(place.file) },
                region: Some(Region {
                    start_line: place.line,
                    start_column: place.column,
                    end_line: place.end_line,
                    end_column: place.end_column,
                    byte_offset: place.start,
                    byte_length: place.end.saturating_sub(place.start),
                }),
            },
            message: message.map(|text| Text { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("shaders/a.lv"), "shaders/a.lv");
        assert_eq!(uri("././/a.lv"), "a.lv");
        assert_eq!(uri("/a b/λ.lv"), "file:///a%20b/%CE%BB.lv");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("c:x%y#z?"), "c%3Ax%25y%23z%3F");
    }
}
