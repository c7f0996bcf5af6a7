//! Directives with the expectations below them.

use super::comments::{Kind, Written};
use super::directive::{self, Directive, GoldenFormat, Wrong};
use super::expectation::Expectation;
use std::path::PathBuf;

/// A directive with the expectations below it, or an expectation without a directive above it.
pub(super) struct Group {
    pub(super) file: PathBuf,
    /// Line of the directive, or of the expectation.
    pub(super) line: usize,
    /// The words of the directive.
    pub(super) words: Option<String>,
    pub(super) expectations: Vec<Expectation>,
}

/// The directives of a program, in order. An expectation belongs to the nearest directive above it in its file.
pub(super) fn grouped(found: Vec<(PathBuf, Written)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (file, Written { line, column, kind, words }) in found {
        if kind == Kind::Test {
            groups.push(Group { file, line, words: Some(words), expectations: Vec::new() });
            continue;
        }
        let of_undefined = kind == Kind::Undefined;
        let expectation = Expectation { file: file.clone(), line, column, of_undefined, words };
        match groups.last_mut() {
            Some(group) if group.words.is_some() && group.file == file => {
                group.expectations.push(expectation);
            }
            _ => groups.push(Group { file, line, words: None, expectations: vec![expectation] }),
        }
    }
    groups
}

/// The words of an expectation without a directive.
const ALONE: &str = "--format none";

/// The directive of a group, and its words.
pub(super) fn directive_of(group: &Group) -> (Result<Directive, Wrong>, String) {
    let words = group.words.clone().unwrap_or_else(|| ALONE.to_owned());
    let directive = directive::read(&words).map_err(Wrong::Directive);
    let directive = directive.and_then(|directive| {
        if directive.kind == GoldenFormat::None && group.expectations.is_empty() {
            let what = match directive.groups {
                Some(_) => {
                    "nothing is compared: name a buffer, --save NAME, or write expectations below"
                }
                None => {
                    "without a golden, a test has expectations below it: `; expect: VALUE == VALUE`"
                }
            };
            return Err(Wrong::Directive(what.to_owned()));
        }
        let malformed = group.expectations.iter().find_map(|of| Some((of, of.malformed()?)));
        match malformed {
            Some((of, wrong)) => {
                Err(Wrong::Placed(format!("{}: {}", of.at(wrong.column), wrong.message)))
            }
            None => Ok(directive),
        }
    });
    (directive, words)
}
