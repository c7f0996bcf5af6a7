//! Checks of a command's output.

use crate::ids::{Ids, renumbered};

/// A check.
#[derive(Clone)]
pub(crate) struct Check {
    /// The line of the directive, from 1. Its expected lines follow.
    pub(crate) line: usize,
    pub(crate) claim: Claim,
    /// The expected lines.
    pub(crate) expected: Vec<String>,
}

/// The claim of a check about the output.
#[derive(Clone)]
pub(crate) enum Claim {
    /// These are the lines from the first one with the text on.
    From { count: usize, text: String },
    /// These are all lines.
    All,
    /// So many lines contain the text.
    Count { count: usize, text: String },
    /// No line contains the text.
    Not { text: String },
}

impl Claim {
    /// True if expected lines follow it.
    pub(crate) fn has_lines(&self) -> bool {
        matches!(self, Self::From { .. } | Self::All)
    }
}

/// The result of a check.
pub(crate) struct Found {
    /// The failure, if it fails.
    pub(crate) message: Option<String>,
    /// The lines to expect, for a claim that has some.
    pub(crate) lines: Option<Vec<String>>,
}

/// Checks the output of a command with these ids.
pub(crate) fn check(check: &Check, output: &str, ids: Ids) -> Found {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let failed = |message: String| Found { message: Some(message), lines: None };
    let found = match &check.claim {
        Claim::From { count, text } => match lines.iter().position(|line| contains(line, text)) {
            Some(first) => &lines[first..lines.len().min(first + count)],
            None => return failed(format!("no line of the output contains `{text}`\n{output}")),
        },
        Claim::All => &lines[..],
        Claim::Count { count, text } => {
            let found = lines.iter().filter(|line| contains(line, text)).count();
            let message =
                format!("{found} lines of the output contain `{text}`, not {count}\n{output}");
            return Found { message: (found != *count).then_some(message), lines: None };
        }
        Claim::Not { text } => {
            let line = lines.iter().find(|line| contains(line, text));
            let message = |line: &&str| format!("the output contains `{text}`\n{line}\n\n{output}");
            return Found { message: line.map(message), lines: None };
        }
    };
    let found = renumbered(found, ids);
    let expected: Vec<&str> = check.expected.iter().map(|line| line.trim_end()).collect();
    let message = (renumbered(&expected, ids) != found)
        .then(|| format!("expected\n{}\n\nfound\n{}", expected.join("\n"), found.join("\n")));
    Found { message, lines: Some(found) }
}

/// True if the text occurs in the line, and neither end of it divides a word.
fn contains(line: &str, text: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let divides = |before: Option<char>, after: Option<char>| {
        before.is_some_and(is_of_word) && after.is_some_and(is_of_word)
    };
    line.match_indices(text).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + text.len()..]);
        !divides(before.chars().next_back(), text.chars().next())
            && !divides(text.chars().next_back(), after.chars().next())
    })
}
