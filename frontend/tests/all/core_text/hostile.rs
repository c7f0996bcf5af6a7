//! Malformed texts.

use super::programs::PROGRAMS;
use super::*;
use lambdav_test_support::Random;

fn mistakes(body: &str) -> Vec<Diagnostic> {
    let text = format!("lambdav-core 1\n{body}\n");
    let (core, diagnostics) = read_text(&text);
    assert_eq!(core.is_none(), !diagnostics.is_empty());
    for diagnostic in &diagnostics {
        let span = diagnostic.primary.span;
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{diagnostic:?}");
    }
    diagnostics.into_vec()
}

/// A loop over `%0` with this tail.
fn tail(body: &str) -> String {
    format!(
        "%0: num = input time\n%1: bool = less %0, %0\n\
         %2: num = loop (%3: num = %0, %4: bool = %1) {{\n{body}\n}}\noutput 0 = %2"
    )
}

#[test]
fn each_mistake_is_reported_once_in_its_place() {
    let with =
        |lines: &str| format!("%0: num = input time\n%1: bool = true\n{lines}\noutput 0 = %0");
    let cases: Vec<(String, &str, &str)> = vec![
        (with("%2: num = frobnicate %0"), "no operation `frobnicate`", "frobnicate"),
        (with("%2: num = add %0"), "not defined on these operands", "add %0"),
        (with("%2: num = add %0, %1"), "not defined on these operands", "add %0, %1"),
        (with("%2: vec2 = add %0, %0"), "gives a num here, not a vec2", "add %0, %0"),
        (with("%2: num = add %0 %0"), "the line must end", "%0"),
        (with("%2: num = add %7, %7\n%3: num = neg %2"), "%7 is not defined", "%7"),
        (with("%0: num = 1.0"), "a second time", "%0"),
        (with("%2: num = 1e40"), "not a component", "1e40"),
        (with("%2: num = 1.0 2.0"), "must end", "2.0"),
        (with("%2: vec2 = (1.0)"), "has 2 components", "(1.0)"),
        (with("%2: vec2 = (1.0, true)"), "not a component", "true"),
        (with("%2: vec9 = (1.0, 1.0)"), "not a type", "vec9"),
        (with("%2: num = input tine"), "no input `tine`", "tine"),
        (with("%2: vec2 = input time"), "this is a num", "input time"),
        (with("%2: num = uniform \"u\""), "no uniform `u`", "\"u\""),
        (with("uniform \"u\": bvec2 = (true, true)"), "cannot be a bvec2", "bvec2"),
        (with("uniform \"u\": num = 1\nuniform \"u\": num = 1"), "already", "\"u\""),
        (with("uniform \"\": num = 1"), "a uniform has a name", "\"\""),
        (with("uniform \"\\u{d800}\": num = 1"), "the digits of a character", "\"\\u{d800}\""),
        (with("uniform \"\\u{+41}\": num = 1"), "the digits of a character", "\"\\u{+41}\""),
        (with("uniform \"\\n\": num = 1"), "stands before", "\"\\n\""),
        (with("uniform \"u: num = 1"), "not closed", "\"u: num = 1"),
        (with("output 0 = %0"), "there is an output 0 already", "output 0 = %0"),
        (with("output 8 = %0"), "from 0 to 7", "8"),
        (with("output 99999999999999999999 = %0"), "from 0 to 7", "99999999999999999999"),
        (with("output 1 = %1"), "cannot be a bool", "output 1 = %1"),
        (with("%99999999999999999999: num = 1.0"), "is not a value", "%99999999999999999999"),
        (with("%2: num = if %0 {\nyield %0\n} else {\nyield %0\n}"), "a condition is a bool", "%0"),
        (with("%2: num = if %1 {\nyield %0\n}"), "must follow", "}"),
        (with("%2: num = if %1 {\n} else {\nyield %0\n}"), "has no end", "}"),
        (with("%2: num = if %1 {\nyield %1\n} else {\nyield %0\n}"), "yields a bool", "yield %1"),
        (with("%2: num = if %1 {\nyield %2\n} else {\nyield %0\n}"), "no value yet", "%2"),
        (with("%2: num = if %1 {\nrec %0\n} else {\nyield %0\n}"), "tails of loops only", "rec"),
        (
            with(
                "%2: num = if %1 {\nif %1 {\nyield %0\n} else {\nyield %0\n}\n} else {\nyield %0\n}",
            ),
            "tails of loops only",
            "if",
        ),
        (
            with("%2: num = if %1 {\nyield %0\n%3: num = neg %0\n} else {\nyield %0\n}"),
            "has ended",
            "%3",
        ),
        (
            with("%2: num = if %1 {\n%3: num = neg %0\nyield %3\n} else {\nyield %3\n}"),
            "cannot be used",
            "%3",
        ),
        (with("%2: num = guard %1 {\nyield %0\n} else {\nyield %0\n}"), "no `else`", "} else {"),
        (with("%2: num = guard %1 {\noutput 1 = %0\nyield %0\n}"), "outside all blocks", "output"),
        (with("discard %0 = (0, 0, 0, 0)"), "a condition is a bool", "discard %0 = (0, 0, 0, 0)"),
        (with("discard %1 = (0, 0, 0)"), "has 4 components", "(0, 0, 0)"),
        (with("discard not not %1 = (0, 0, 0, 0)"), "is not a value", "not"),
        (
            with("discard %1 = (0, 0, 0, 0)\ndiscard not %1 = (1, 0, 0, 0)"),
            "there is a `discard` already",
            "discard not %1 = (1, 0, 0, 0)",
        ),
        (
            with("%2: num = guard %1 {\ndiscard %1 = (0, 0, 0, 0)\nyield %0\n}"),
            "outside all blocks",
            "discard",
        ),
        (with("yield %0"), "stands in blocks only", "yield"),
        (with("}"), "no block to close", "}"),
        (with("%2: num = guard %1 {"), "outside all blocks", "output"),
        (with("hello %0"), "begins no statement", "hello"),
        (tail("rec %0, %1"), "ends in `yield`", "%2: num = loop"),
        (tail("yield %0"), "ends in `rec`", "%2: num = loop"),
        (tail("if %1 {\nrec %0\n} else {\nyield %0\n}"), "one value for each", "rec %0"),
        (tail("if %1 {\nrec %1, %1\n} else {\nyield %0\n}"), "one value for each", "rec %1, %1"),
        (tail("if %1 {\nrec %0, %1\n} else {\nyield %1\n}"), "yields a bool", "yield %1"),
        (
            tail("%5: num = if %1 {\nrec %0, %1\n} else {\nyield %0\n}\nrec %5, %4"),
            "tails of loops only",
            "rec",
        ),
        (
            with(
                "%2: num = loop (%3: num = %1) {\nif %1 {\nrec %3\n} else {\nyield %3\n}\n}\n%4: num = neg %2",
            ),
            "begins as a bool",
            "%3: num = %1",
        ),
        (
            with(
                "%2: num = loop (%3: num = %0, %3: num = %0) {\nif %1 {\nrec %3, %3\n} else {\nyield %3\n}\n}",
            ),
            "a second time",
            "%3",
        ),
        ("".into(), "no output", ""),
    ];
    for (body, message, place) in cases {
        let found = mistakes(&body);
        let text = format!("lambdav-core 1\n{body}\n");
        let span = found.first().map_or(Span::default(), |d| d.primary.span);
        let slice = &text[span.start as usize..span.end as usize];
        assert!(found[0].message.contains(message), "{body}\n{found:?}");
        assert!(slice.starts_with(place), "{body}\n{slice}");
        assert!(found.iter().all(|d| d.code == DiagnosticCode::MalformedCore));
        if !body.contains("guard %1 {\noutput 0") {
            assert_eq!(found.len(), 1, "{body}\n{found:?}");
        }
    }
}

#[test]
fn another_version() {
    for text in ["lambdav-core 3\n%0: what", "lambdav-core", "lambdav-core one"] {
        let (core, diagnostics) = read_text(text);
        assert!(core.is_none());
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].code, DiagnosticCode::CoreVersion);
    }
    assert_eq!(read_text("").1[0].code, DiagnosticCode::MalformedCore);
    assert_eq!(read_text("(f)").1[0].code, DiagnosticCode::MalformedCore);
}

#[test]
fn a_million_brackets_are_one_mistake() {
    for bracket in ["(", "{", "}", "{\n", "(\n", "\"", "\\", "%", "\u{0}", "é"] {
        let found = mistakes(&bracket.repeat(1_000_000));
        assert_eq!(found.len(), 1, "{bracket:?}: {:?}", &found[..2]);
    }
    let open = "%0: bool = true\n".to_owned() + &"%1: num = if %0 {\n".repeat(1_000_000);
    assert!(mistakes(&open).len() <= limits::ERRORS);
    assert!(mistakes(&"}\n".repeat(1_000_000)).len() <= limits::ERRORS);
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<Vec<String>> =
        text.lines().map(|line| line.split_inclusive(' ').map(str::to_owned).collect()).collect();
    for _ in 0..=random.below(3) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        let (word, another) = (random.below(lines[at].len()), random.below(lines[other].len()));
        match random.below(8) {
            0 if lines.len() > 1 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 if !lines[at].is_empty() => drop(lines[at].remove(word)),
            4 | 5 if !lines[at].is_empty() && !lines[other].is_empty() => {
                lines[at][word] = lines[other][another].clone();
            }
            6 if !lines[at].is_empty() && !lines[other].is_empty() => {
                let moved = lines[other][another].clone();
                lines[at].insert(word, moved);
            }
            _ => {
                if let Some(word) = lines[at].get_mut(word) {
                    let mut bytes = word.clone().into_bytes();
                    let position = random.below(bytes.len());
                    const LIKELY: &[u8] = b"0123456789%.,(){}=: ;\"\\-enx\n\0\xff";
                    bytes[position] = LIKELY[random.below(LIKELY.len())];
                    *word = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
        }
    }
    lines.iter().map(|line| line.concat() + "\n").collect()
}

#[test]
fn mutations_are_refused_or_run() {
    // Mutations per program; `LAMBDAV_MUTATIONS` overrides the number.
    let count = std::env::var("LAMBDAV_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut random = Random::new(count as u64);
    let mut accepted = 0;
    for program in PROGRAMS {
        let text = printed(&compiled(program));
        for _ in 0..count {
            let mutated = mutate(&text, &mut random);
            let (core, diagnostics) = read_text(&mutated);
            assert_eq!(core.is_none(), !diagnostics.is_empty());
            let Some(core) = core else { continue };
            accepted += 1;
            let result = std::panic::catch_unwind(|| {
                let first = printed(&core);
                let again = read_whole(&first);
                let second = printed(&again);
                assert_eq!(printed(&read_whole(&second)), second, "not stable");
                assert_eq!(values(&core, 50), values(&again, 50));
            });
            assert!(result.is_ok(), "{mutated}");
        }
    }
    assert!(accepted > count, "only {accepted} were taken");
}
