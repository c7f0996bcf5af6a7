//! The rendering of messages: no span or text makes it fail or grow long.

use proptest::prelude::*;

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, render_json, render_text};
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::syntax::parse;

/// The parser's findings on a text.
fn said(text: &str) -> String {
    let source = SourceFile::new("a.lv", text);
    render_text(&parse(&source).1, &source, false)
}

/// The message for an error at the bytes `start..end` of a text.
fn shown(text: &str, start: usize, end: usize) -> String {
    render_text(&[at(start, end)], &SourceFile::new("a.lv", text), false)
}

fn at(start: usize, end: usize) -> Diagnostic {
    let span = Span::new(start as u32, end as u32);
    Diagnostic::new(DiagnosticCode::OperandTypes, span, "wrong").label("here")
}

#[test]
fn a_message_has_place_snippet_labels_notes_and_help() {
    assert_eq!(
        said("(define (f x)\n  (* x (+ 1 2)\n\n\n\n\n(vec4 (f 1) 0 0 1)\n"),
        "\
error[LV0104]: this list is not closed
 --> a.lv:1:1
  |
1 | (define (f x)
  | ^ opened here
...
7 | (vec4 (f 1) 0 0 1)
  | - indented as if that list had ended before
  |
  = note: 2 lists are open at the end of the text
  = help: close it with `)` before that line

"
    );
}

#[test]
fn spans_may_be_empty_at_the_end_or_beyond() {
    let expected = |line: usize, text: &str, marks: &str| {
        let text = if text.is_empty() { String::new() } else { format!(" {text}") };
        let column = marks.len();
        format!(
            "error[LV0401]: wrong\n --> a.lv:{line}:{column}\n  |\n{line} |{text}\n  | {marks} here\n\n"
        )
    };
    assert_eq!(shown("", 0, 0), expected(1, "", "^"));
    assert_eq!(shown("", 7, 9), expected(1, "", "^"));
    assert_eq!(shown("ab", 2, 2), expected(1, "ab", "  ^"));
    assert_eq!(shown("ab\r\nc\r\n", 2, 4), expected(1, "ab", "  ^"));
    assert_eq!(shown("ab\r\nc\r\n", 7, 7), expected(3, "", "^"));
    assert_eq!(shown("\u{feff}ab", 4, 5), expected(1, "ab", " ^"));
}

#[test]
fn spans_may_cover_lines() {
    assert_eq!(
        shown("a (b\n c\n  d) e", 2, 12),
        "\
error[LV0401]: wrong
 --> a.lv:1:3
  |
1 |   a (b
  |  ___^
2 | |  c
3 | |   d) e
  | |____^ here

"
    );
    // A long span is shown by its first line.
    let long = shown(&"x\n".repeat(100_000), 20, 100_000);
    assert!(long.contains("11 | x\n") && long.len() < 200, "{long}");
}

#[test]
fn distant_labels_have_their_own_snippets() {
    let source = SourceFile::new("a.lv", "x\n".repeat(3000));
    let diagnostic = at(4000, 4001).also(Span::new(0, 1), "there").note("so").help("do");
    assert_eq!(
        render_text(&[diagnostic], &source, false),
        "\
error[LV0401]: wrong
    --> a.lv:2001:1
     |
2001 | x
     | ^ here
     |
    ::: a.lv:1:1
     |
   1 | x
     | - there
     |
     = note: so
     = help: do

"
    );
}

#[test]
fn long_lines_are_cut_and_columns_are_right() {
    let text = format!("{}1.2.3 {}", "é世 ".repeat(100_000), "b ".repeat(100_000));
    let message = said(&text);
    assert!(message.contains("\n --> a.lv:1:300001\n"), "{message}");
    assert!(message.contains("\n1 | ...") && message.contains(" 1.2.3 b b"), "{message}");
    assert!(message.len() < 1000, "{message}");
    // A label elsewhere on the line is moved to the end of the shown part.
    let source = SourceFile::new("a.lv", text.as_str());
    let both = at(5, 6).also(Span::new(700_000, 700_001), "far");
    assert!(render_text(&[both], &source, false).len() < 1500);
    let long_word = said(&format!("({}x)", "1".repeat(1_000_000)));
    assert!(long_word.len() < 2000, "{long_word}");
}

#[test]
fn tabs_wide_and_control_characters_keep_the_marks_in_place() {
    assert!(said("\t1x").contains("1 |     1x\n  |     ^^ not"), "{}", said("\t1x"));
    assert!(said("世 1x").contains("1 | 世 1x\n  |    ^^ not"), "{}", said("世 1x"));
    let escape = said("a \x1b[31m");
    assert!(escape.contains("a.lv:1:3") && !escape.contains('\x1b'), "{escape}");
}

#[test]
fn colour_is_only_where_asked() {
    let source = SourceFile::new("a.lv", "1x");
    let diagnostics = parse(&source).1;
    assert!(!render_text(&diagnostics, &source, false).contains('\x1b'));
    assert!(render_text(&diagnostics, &source, true).contains("\x1b["));
}

#[test]
fn messages_come_in_order_and_once() {
    let source = SourceFile::new("a.lv", "a b c");
    let warning = Diagnostic::new(DiagnosticCode::HighLocation, Span::new(2, 3), "careful");
    let text = render_text(&[at(4, 5), warning, at(0, 1), at(4, 5)], &source, false);
    let titles: Vec<_> = text.lines().filter(|line| line.contains("[LV")).collect();
    let expected = ["error[LV0401]: wrong", "warning[LV0206]: careful", "error[LV0401]: wrong"];
    assert_eq!(titles, expected);
}

#[test]
fn json_is_one_object_per_line() {
    let source = SourceFile::new("a \"b\".lv", "é\n 1x )");
    let text = render_json(&parse(&source).1, &source);
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[1]["code"], "LV0105");
    let first = &objects[0];
    assert_eq!(first["severity"], "error");
    assert_eq!(first["file"], "a \"b\".lv");
    assert_eq!(
        first["primary"],
        serde_json::json!({
            "file": "a \"b\".lv", "start": 4, "end": 6, "line": 2, "column": 2, "endLine": 2,
            "endColumn": 4, "label": "not a number",
        })
    );
    assert_eq!(first["secondary"], serde_json::json!([]));
    assert!(first["rendered"].as_str().unwrap().starts_with("error[LV0102]: `1x`"));
    assert_eq!(render_json(&[], &source), "");
}

proptest! {
    #[test]
    fn no_span_or_text_makes_a_message_fail(
        text in prop_oneof![
            any::<String>(),
            "[a\n\r\té世\u{feff}\u{0}\u{301}() ]{0,80}",
            "(\u{feff})?[a世]{0,900}\n?[b\n]{0,900}",
        ],
        spans in proptest::collection::vec((0..1500_u32, 0..1500_u32), 1..5),
        color in any::<bool>(),
    ) {
        let source = SourceFile::new("a.lv", text);
        let span = |&(start, length)| Span::new(start, start + length);
        let mut diagnostic = at(0, 0);
        diagnostic.primary.span = span(&spans[0]);
        for other in &spans[1..] {
            diagnostic = diagnostic.also(span(other), "other");
        }
        let message = render_text(&[diagnostic.clone()], &source, color);
        prop_assert!(message.contains("LV0401") && message.len() < 100_000);
        render_json(&[diagnostic], &source);
    }
}
