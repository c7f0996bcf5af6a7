//! The conformance suite of the language: every program under `tests/language` is one test.
//!
//! A file is about one rule of LANGUAGE.md and holds several small programs, each under a header
//! that says what must come of it; `tests/language/README.md` describes the form. The verdicts come
//! from LANGUAGE.md, never from running the compiler. What is accepted is computed by every engine
//! of [`support::engines::ENGINES`], and all must give the bits that are written down.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use support::case::{Case, read_cases};
use support::check::check;

/// The compiler and the engines must not depend on a large stack.
const STACK: usize = 2 << 20;

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut trials = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&root).expect("it was found there").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let cases = read_cases(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in cases {
            let test = format!("{name}: {}", case.title);
            let kind = if case.fixme.is_some() { "fixme" } else { "" };
            trials.push(Trial::test(test, move || run(case)).with_kind(kind));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).expect("the directory of the suite can be read");
    for entry in entries {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "lv") {
            files.push(path);
        }
    }
}

fn run(case: Case) -> Result<(), Failed> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        check(&case).map_err(|what| format!("line {}: {what}\n\n{}", case.line, case.program))
    });
    match thread.expect("a thread can be started").join() {
        Ok(result) => result.map_err(Failed::from),
        Err(_) => Err("it panicked".into()),
    }
}
