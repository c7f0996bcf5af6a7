//! Files as cases, commands and checks, and files with other expected lines.

use crate::checks::{Check, Claim};

/// A file.
pub(crate) struct File {
    pub(crate) cases: Vec<Case>,
}

/// A program and its commands.
#[derive(Default)]
pub(crate) struct Case {
    /// The line of its beginning, from 1.
    line: usize,
    /// The number of lines between the first case and this one.
    offset: usize,
    /// The program. Each line has the number that it has if the case is the first.
    pub(crate) program: String,
    pub(crate) runs: Vec<Run>,
}

/// A command and the checks of its output.
#[derive(Clone)]
pub(crate) struct Run {
    /// The line of the command, from 1.
    pub(crate) line: usize,
    /// The name of the command and its options.
    pub(crate) command: String,
    pub(crate) checks: Vec<Check>,
}

/// A line of a file and a message about it.
type Failure = (usize, String);

/// The beginning of a directive.
const DIRECTIVE: &str = ";;";

/// The beginning of an expected line.
const EXPECTED: &str = ";|";

/// A directive.
enum Directive {
    Case,
    Command(String),
    Claim(Claim),
}

/// Reads a file.
///
/// # Errors
///
/// The first violation of the format.
pub(crate) fn read(text: &str) -> Result<File, Failure> {
    let mut head = Case { line: 1, ..Case::default() };
    let mut cases: Vec<Case> = Vec::new();
    // The command above all cases, for those without one of their own.
    let mut common: Option<Run> = None;
    for (line, text) in (1..).zip(text.lines()) {
        let has_cases = !cases.is_empty();
        let case = cases.last_mut().unwrap_or(&mut head);
        if let Some(expected) = text.strip_prefix(EXPECTED) {
            let check = case.runs.last_mut().and_then(|run| run.checks.last_mut());
            let excerpt = check.filter(|check| check.line + check.expected.len() + 1 == line);
            let excerpt = excerpt.filter(|check| check.claim.has_lines());
            let Some(check) = excerpt else {
                return Err((line, "an expected line follows `lines` or `all lines`".into()));
            };
            check.expected.push(expected.strip_prefix(' ').unwrap_or(expected).to_owned());
        } else if let Some(directive) = text.strip_prefix(DIRECTIVE) {
            match self::directive(directive.trim()).map_err(|message| (line, message))? {
                Directive::Case => {
                    if !has_cases {
                        common = head.runs.pop();
                        let is_plain = common.as_ref().is_none_or(|run| run.checks.is_empty());
                        if !(head.runs.is_empty() && is_plain) {
                            return Err((line, "checks stand below the first case".into()));
                        }
                    }
                    let offset = line - cases.first().map_or(line, |first| first.line);
                    let program = padded(&head.program, line - offset);
                    let runs = common.iter().cloned().collect();
                    cases.push(Case { line, offset, program, runs });
                }
                Directive::Command(command) => {
                    // A case may replace the common command.
                    let is_common = |run: &Run| {
                        has_cases && common.as_ref().is_some_and(|of| of.line == run.line)
                    };
                    if let Some(last) = case.runs.pop_if(|last| last.checks.is_empty())
                        && !is_common(&last)
                    {
                        return Err((last.line, "the command has no check".into()));
                    }
                    case.runs.push(Run { line, command, checks: Vec::new() });
                }
                Directive::Claim(claim) => {
                    let Some(run) = case.runs.last_mut() else {
                        return Err((line, "a check follows a command".into()));
                    };
                    run.checks.push(Check { line, claim, expected: Vec::new() });
                }
            }
        } else {
            case.program = padded(&case.program, line - case.offset);
            case.program.push_str(text);
        }
    }
    if cases.is_empty() {
        cases.push(head);
    }
    for case in &cases {
        let Some(last) = case.runs.last() else {
            return Err((case.line, "there is no command".into()));
        };
        if last.checks.is_empty() {
            let is_common = common.as_ref().is_some_and(|of| of.line == last.line);
            let line = if is_common { case.line } else { last.line };
            return Err((line, "the command has no check".into()));
        }
    }
    Ok(File { cases })
}

/// The program with so many line breaks that the given line begins.
fn padded(program: &str, line: usize) -> String {
    let breaks = program.matches('\n').count();
    let more = (line - 1).saturating_sub(breaks);
    [program, &"\n".repeat(more)].concat()
}

fn directive(text: &str) -> Result<Directive, String> {
    if text == "all lines" {
        return Ok(Directive::Claim(Claim::All));
    }
    let unknown = || format!("`{text}` is no directive");
    let (words, value) = text.split_once(':').ok_or_else(unknown)?;
    let value = value.trim();
    if value.is_empty() {
        return Err(format!("`{words}:` has no text"));
    }
    let words: Vec<&str> = words.split(' ').collect();
    let number = |word: &str| match word.parse::<usize>() {
        Ok(0) | Err(_) => {
            Err(format!("`{word}` is no number above 0; `not` says that there is none"))
        }
        Ok(number) => Ok(number),
    };
    let text = value.to_owned();
    Ok(match words[..] {
        ["case"] => Directive::Case,
        ["command"] => Directive::Command(text),
        ["lines", count, "from"] => Directive::Claim(Claim::From { count: number(count)?, text }),
        ["count", count] => Directive::Claim(Claim::Count { count: number(count)?, text }),
        ["not"] => Directive::Claim(Claim::Not { text }),
        _ => return Err(unknown()),
    })
}

/// The text of a file with other expected lines below some checks.
pub(crate) fn rewritten(text: &str, edits: &[(&Check, Vec<String>)]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|(check, _)| check.line);
    let (mut result, mut next) = (Vec::new(), 0);
    for (check, found) in edits {
        result.extend(lines[next..check.line].iter().map(|&line| line.to_owned()));
        result.extend(found.iter().map(|line| format!("{EXPECTED} {line}").trim_end().to_owned()));
        next = check.line + check.expected.len();
    }
    result.extend(lines[next..].iter().map(|&line| line.to_owned()));
    let mut result = result.join("\n");
    if text.ends_with('\n') {
        result.push('\n');
    }
    result
}
