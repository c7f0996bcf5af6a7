//! Tests of the compiler's stages as text files: a program, a command, and checks of the command's output.
//!
//! ```text
//! ; The parameters of a divergent loop are not blended: the only select captures the result.
//! ;; command: lanes
//! ((rec-func (x y) (if (less x 50) (rec (* x x) (+ y x)) y)) (.x (frag-coord)) 0)
//! ;; count 1: = select
//! ;; not: = blend
//! ;; lines 2 from: loop #0
//! ;|   v0: varying f32, v1: … = loop #0 (…) from (…) {
//! ;|     v2: varying mask = less v3, v4
//! ```
//!
//! `tests/stages` has one folder for each stage, and in it one file for each behaviour.
//!
//! # Files
//!
//! A line that begins with `;;` is a directive, one that begins with `;|` an expected line. All other lines are
//! the program; `;` begins a comment in every language of programs. A case is numbered as if it were the first, so
//! that numbers in messages about a program do not depend on other cases.
//!
//! | directive | meaning |
//! |---|---|
//! | `case: TITLE` | begins another program. Text and commands above the first case belong to all cases |
//! | `command: NAME OPTIONS` | the command of the checks that follow; `commands` lists them |
//! | `lines N from: TEXT` | an excerpt: N lines of the output, from the first that contains the text on, are the expected lines that follow |
//! | `all lines` | the expected lines that follow are the whole output |
//! | `count N: TEXT` | so many lines of the output contain the text |
//! | `not: TEXT` | no line contains it |
//!
//! A text matches whole words: `= mul` does not match `= mul-high`. A word is made of letters, digits, `_` and `-`.
//!
//! # Ids
//!
//! Ids that the compiler hands out (values, registers, blocks) say nothing, and change with any earlier stage.
//! In excerpts, the expected and the found ones alike, they are numbered again: from 0, in the order of their
//! first occurrences in the excerpt. So excerpts are compared up to a renaming. The output of a command that
//! reads registers from the file keeps its ids, which stand in the file.
//!
//! # Strictness
//!
//! Failures: an unknown directive, command or option; a case without a check; a command without a check; an
//! expected line without its directive; a program that the stage refuses. Every printed lane program and
//! register program is verified, and every printed register program is read back.
//!
//! `BLESS=1 cargo test -p lambdav-stages` writes the expected lines of all files. Texts of `count` and `not`
//! are claims about the output: they are never rewritten.
#![forbid(unsafe_code)]

mod checks;
mod commands;
mod file;
mod ids;

use std::fmt::Write;
use std::path::Path;

use lambdav_test_support::files_below;

/// The outcome of a file.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Lines of the file, from 1, with messages.
    pub failures: Vec<(usize, String)>,
    /// The text of the file with the found lines in place of the expected ones.
    pub blessed: String,
}

/// Runs the cases of a file.
pub fn run(text: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let file = match file::read(text) {
        Ok(file) => file,
        Err(failure) => {
            outcome.failures.push(failure);
            outcome.blessed = text.to_owned();
            return outcome;
        }
    };
    let mut edits = Vec::new();
    for case in &file.cases {
        for run in &case.runs {
            let output = match commands::output(&run.command, &case.program) {
                Ok(output) => output,
                Err(message) => {
                    outcome.failures.push((run.line, message));
                    continue;
                }
            };
            for check in &run.checks {
                let found = checks::check(check, &output.text, output.ids);
                outcome.failures.extend(found.message.map(|message| (check.line, message)));
                edits.extend(found.lines.map(|lines| (check, lines)));
            }
        }
    }
    outcome.blessed = file::rewritten(text, &edits);
    outcome
}

/// Checks the files of a folder beside this package's manifest, those whose paths contain the environment's
/// `CASES`. With `BLESS` in the environment, writes their expected lines.
///
/// # Panics
///
/// If there is no file, or any fails.
pub fn check_folder(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let only = std::env::var("CASES").unwrap_or_default();
    let blesses = std::env::var_os("BLESS").is_some();
    let files = files_below(&root.join(name), &[]);
    assert!(!files.is_empty(), "{name} has no files");
    let (mut failures, mut count) = (String::new(), 0);
    for path in files {
        let shown = path.strip_prefix(root).expect("it lies in the package").display().to_string();
        if !shown.contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("files of tests can be read");
        let mut outcome = run(&text);
        if blesses && outcome.blessed != text {
            std::fs::write(&path, &outcome.blessed).expect("files of tests can be written");
            outcome = run(&outcome.blessed);
        }
        for (line, message) in outcome.failures {
            count += 1;
            let _ = writeln!(failures, "\ntests/stages/{shown}:{line}: {message}");
        }
    }
    assert!(failures.is_empty(), "{count} checks fail; BLESS=1 writes expected lines\n{failures}");
}
