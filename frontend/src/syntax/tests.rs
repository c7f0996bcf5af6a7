//! Each rule of the syntax, accepted and refused; and properties of the parser on random texts.

use proptest::prelude::*;

use super::*;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_core::types::Scalar;

fn read(text: &str) -> (Tree, Vec<Diagnostic>) {
    let (tree, diagnostics) = parse(&SourceFile::new("test.lv", text));
    (tree, diagnostics.into_vec())
}

/// The tree as text; `!` stands for an error.
fn print(tree: &Tree) -> String {
    enum Step {
        Node(ExprId),
        Close,
    }
    let mut text = String::new();
    let mut steps: Vec<Step> = tree.roots.iter().rev().map(|&id| Step::Node(id)).collect();
    while let Some(step) = steps.pop() {
        let separate = !text.is_empty() && !text.ends_with('(');
        match step {
            Step::Close => text.push(')'),
            Step::Node(id) => {
                if separate {
                    text.push(' ');
                }
                match &tree.get(id).kind {
                    ExprKind::Number { index: Some(n), .. } => text.push_str(&n.to_string()),
                    ExprKind::Number { value, .. } => text.push_str(&format!("{value:?}")),
                    ExprKind::Integer(Scalar::I32, bits) => {
                        text.push_str(&format!("{}i", *bits as i32));
                    }
                    ExprKind::Integer(_, bits) => text.push_str(&format!("{bits}u")),
                    ExprKind::Bool(b) => text.push_str(&b.to_string()),
                    ExprKind::Identifier(name) => text.push_str(name),
                    ExprKind::String(content) => text.push_str(&format!("\"{content}\"")),
                    ExprKind::Error => text.push('!'),
                    ExprKind::List(children) => {
                        text.push('(');
                        steps.push(Step::Close);
                        steps.extend(children.iter().rev().map(|&id| Step::Node(id)));
                    }
                }
            }
        }
    }
    text
}

/// The text must be read without findings, and print as `expected`.
#[track_caller]
fn accepts(text: &str, expected: &str) {
    let (tree, diagnostics) = read(text);
    assert_eq!(diagnostics, []);
    assert_eq!(print(&tree), expected);
}

/// The text must give these findings: code, and the text that the primary label points at.
#[track_caller]
fn refuses(text: &str, expected: &[(&str, &str)]) -> Vec<Diagnostic> {
    let source = SourceFile::new("test.lv", text);
    let (_, diagnostics) = parse(&source);
    let found: Vec<_> =
        diagnostics.iter().map(|d| (d.code.as_str(), source.slice(d.primary.span))).collect();
    assert_eq!(found, expected, "{diagnostics:#?}");
    for d in &diagnostics {
        assert!(!d.primary.message.is_empty() && d.help.is_some(), "{d:?}");
    }
    diagnostics.into_vec()
}

#[track_caller]
fn number(text: &str) -> (f32, Option<u32>) {
    let (tree, diagnostics) = read(text);
    assert_eq!(diagnostics, [], "{text}");
    match tree.get(tree.roots[0]).kind {
        ExprKind::Number { value, index } => (value, index),
        ref other => panic!("{text} is {other:?}"),
    }
}

#[test]
fn white_space_and_comments_separate() {
    accepts("", "");
    accepts(" \t\r\n\x0b\x0c", "");
    accepts("a\tb\nc\x0bd\x0ce\rf g", "a b c d e f g");
    accepts("a;b ( 1x \n c;", "a c");
    accepts("(a(b)c)(d)", "(a (b) c) (d)");
    accepts("\u{feff}(a)", "(a)");
}

#[test]
fn only_ascii_white_space_separates() {
    accepts("a\u{a0}b\u{3000}c\u{2028}d", "a\u{a0}b\u{3000}c\u{2028}d");
}

#[test]
fn words_are_literals_or_identifiers() {
    accepts(
        "true false True .xy + - . -. +.x -e5 ..5 ٣",
        "true false True .xy + - . -. +.x -e5 ..5 ٣",
    );
    let (tree, _) = read("true True inf nan infinity +inf -nan");
    let kinds: Vec<_> = tree.iter().map(|(_, e)| e.kind.clone()).collect();
    assert_eq!(kinds[0], ExprKind::Bool(true));
    assert!(kinds[1..].iter().all(|k| matches!(k, ExprKind::Identifier(_))));
}

#[test]
fn numbers_are_rounded_once() {
    for (text, value) in [
        ("1", 1.0),
        ("+1", 1.0),
        ("-0", -0.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e+1", -5.0),
        ("1.e2", 100.0),
        ("1E-2", 0.01),
        ("0.1", 0.1),
        ("16777217", 16_777_216.0),
        // Just above a tie between two neighbours; rounding to binary64 first would make it a tie and round
        // down.
        ("1.00000005960464477540", f32::from_bits(0x3f80_0001)),
        ("3.4028235e38", f32::MAX),
        ("340282356779733661637539395458142568447", f32::MAX),
        ("1e-45", f32::from_bits(1)),
        ("7e-46", 0.0),
        ("0e999999999999999999999999", 0.0),
        ("1e-999999999999999999999999", 0.0),
    ] {
        assert_eq!(number(text).0.to_bits(), f32::to_bits(value), "{text}");
    }
}

#[test]
fn numbers_of_digits_alone_are_indices() {
    assert_eq!(number("0").1, Some(0));
    assert_eq!(number("007").1, Some(7));
    assert_eq!(number("4294967295").1, Some(u32::MAX));
    for text in ["4294967296", "+1", "-1", "1.", "1.0", "1e0"] {
        assert_eq!(number(text).1, None, "{text}");
    }
}

#[test]
fn malformed_numbers_are_refused() {
    for word in [
        "1x", "1.2.3", "1e", "1e+", "1_0", "0x10", ".5.", "+1+", "-.5x", "1e5e5", "1e1.5", "1.5f",
        "1,5", "2d-noise", "1é", "1.e",
    ] {
        let found = refuses(&format!("(a {word})"), &[("LV0102", word)]);
        assert!(found[0].message.contains(word));
    }
    assert!(refuses("1.5f", &[("LV0102", "1.5f")])[0].help.as_ref().unwrap().contains("`f`"));
}

#[test]
fn infinite_numbers_are_refused() {
    for word in [
        "3.4028236e38",
        "340282356779733661637539395458142568448",
        "-1e39",
        "1e999999999999999999999",
    ] {
        refuses(word, &[("LV0103", word)]);
    }
}

#[test]
fn several_findings_come_from_one_text() {
    refuses(
        "(a 1x) ) (b 1e99",
        &[("LV0102", "1x"), ("LV0105", ")"), ("LV0104", "("), ("LV0103", "1e99")],
    );
}

#[test]
fn a_run_of_unmatched_parentheses_is_one_finding() {
    let found = refuses("a))) ; x\n )b)", &[("LV0105", ")"), ("LV0105", ")")]);
    assert!(found[0].message.starts_with("4 closing"), "{found:?}");
    assert!(found[1].message.starts_with("this closing"), "{found:?}");
}

#[test]
fn the_innermost_unclosed_list_is_shown() {
    let found = refuses("(a (b (c) (d e", &[("LV0104", "(")]);
    assert_eq!(found[0].primary.span, Span::new(10, 11));
    assert_eq!(found[0].secondary[0].span, Span::new(0, 1));
    assert_eq!(found[0].notes, ["3 lists are open at the end of the text"]);
    refuses("(", &[("LV0104", "(")]);
}

#[test]
fn indentation_tells_which_list_is_unclosed() {
    let text = "(define (f x)\n  (* x (+ x 1))\n\n(define (g x)\n  x)\n(vec4 (f 1) (g 2) 0 1)\n";
    let found = refuses(text, &[("LV0104", "(")]);
    assert_eq!(found[0].primary.span, Span::new(0, 1));
    assert_eq!(found[0].secondary[0].span.start as usize, text.find("(define (g").unwrap());
    // A line indented less is no sign of an error if its list is closed.
    let text = "(f\n(g\n(h)))\n(vec4\n  (f 1\n  2)";
    let found = refuses(text, &[("LV0104", "(")]);
    assert_eq!(found[0].primary.span.start as usize, text.find("(vec4").unwrap());
    assert!(found[0].secondary.is_empty());
}

#[test]
fn an_unclosed_list_is_an_error_node_and_what_precedes_it_is_kept() {
    let (tree, _) = read("(a b) (c (d) ; e");
    assert_eq!(print(&tree), "(a b) !");
}

#[test]
fn control_characters_are_refused_once_per_run() {
    refuses("a \0\x01\x02 b", &[("LV0107", "\0\x01\x02")]);
    refuses("a\x1b[0m\x7f", &[("LV0107", "\x1b"), ("LV0107", "\x7f")]);
    refuses("; comment \t \r\x08 \u{85}\na", &[("LV0107", "\x08"), ("LV0107", "\u{85}")]);
    // White space is allowed between words and in comments, but not in a string.
    refuses("(a \"b\tc\")", &[("LV0107", "\t")]);
    refuses("\"\x0b\"", &[("LV0107", "\x0b")]);
    let (tree, _) = read("(a \x01 b\x02)");
    assert_eq!(print(&tree), "(a !)");
}

#[test]
fn random_text_has_few_findings() {
    let text = "\x01a ".repeat(100_000);
    let (_, diagnostics) = parse(&SourceFile::new("test.lv", text.as_str()));
    assert_eq!(diagnostics.len(), limits::ERRORS);
    assert_eq!(diagnostics.omitted().errors, 100_000 - limits::ERRORS);
    let (_, diagnostics) = parse_within(&SourceFile::new("test.lv", text), 100);
    assert_eq!((diagnostics.len(), diagnostics.omitted().errors), (100, 99_900));
}

#[test]
fn nesting_has_a_limit() {
    let nested = |n: usize| "(".repeat(n) + &")".repeat(n);
    assert_eq!(read(&nested(limits::LIST_NESTING)).1, []);
    let (tree, diagnostics) =
        read(&(nested(limits::LIST_NESTING + 2) + " a " + &nested(limits::LIST_NESTING + 1)));
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code, DiagnosticCode::NestedTooDeep);
    assert_eq!(diagnostics[0].primary.span.start as usize, limits::LIST_NESTING);
    assert_eq!(tree.roots.len(), 3);
}

#[test]
fn a_million_parentheses_are_one_finding() {
    let (tree, diagnostics) = read(&"(".repeat(1_000_000));
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code, DiagnosticCode::NestedTooDeep);
    assert_eq!(print(&tree), "!");
    let (_, diagnostics) = read(&")".repeat(1_000_000));
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn the_length_has_a_limit() {
    assert_eq!(read(&" ".repeat(limits::TEXT)).1, []);
    let (tree, diagnostics) = read(&" ".repeat(limits::TEXT + 1));
    assert!(tree.is_empty());
    assert_eq!(diagnostics[0].code, DiagnosticCode::TextTooLong);
    let (source, diagnostic) = decode("x", vec![b' '; limits::TEXT + 1]).unwrap_err();
    assert_eq!((source.text().len(), diagnostic.code), (limits::TEXT, DiagnosticCode::TextTooLong));
}

#[test]
fn long_texts_take_linear_time() {
    // Deep lists that do not begin a line, with many lines inside, once took quadratic time.
    let text = String::from("x ") + &"(".repeat(19_000) + &"\n()".repeat(500_000);
    assert_eq!(read(&text).1.len(), 1);
}

#[test]
fn bytes_are_decoded() {
    assert_eq!(decode("x", "é".into()).unwrap().text(), "é");
    let (source, diagnostic) = decode("x", b"(a\n \xc3( \xff)".to_vec()).unwrap_err();
    assert_eq!(diagnostic.code, DiagnosticCode::NotUtf8);
    assert_eq!(diagnostic.message, "byte 0xc3 at offset 4 (line 2, column 2) is not UTF-8");
    assert_eq!(source.slice(diagnostic.primary.span), "\u{fffd}");
    let (_, diagnostic) = decode("x", b"\xff\xfea\0".to_vec()).unwrap_err();
    assert!(diagnostic.help.unwrap().contains("UTF-16"));
    assert_eq!(decode("x", b"a\xe2\x82".to_vec()).unwrap_err().1.primary.span.start, 1);
}

#[test]
fn a_byte_order_mark_is_no_column() {
    let source = SourceFile::new("x", "\u{feff}1x");
    let span = parse(&source).1[0].primary.span;
    assert_eq!((span.start, source.line_column(span.start).column), (3, 1));
    assert_eq!(source.line_column(0).column, 1);
}

/// The column at any position of a long line of characters of one to four bytes is the number of characters.
#[test]
fn columns_of_long_lines() {
    let text = format!("first\n{}\nlast", "aé∀𝄞".repeat(2000));
    let source = SourceFile::new("t.lv", text.as_str());
    let start = 6;
    for (count, (at, _)) in text[start..].char_indices().take(8000).enumerate().step_by(7) {
        let place = source.line_column((start + at) as u32);
        assert_eq!((place.line, place.column as usize), (2, count + 1));
    }
}

/// Invariants of every tree.
fn check_tree(source: &SourceFile, tree: &Tree, diagnostics: &[Diagnostic]) {
    let length = source.text().len() as u32;
    for (id, expr) in tree.iter() {
        assert!(expr.span.start < expr.span.end && expr.span.end <= length);
        let ExprKind::List(children) = &expr.kind else { continue };
        assert_eq!(source.slice(expr.span).chars().next(), Some('('));
        assert_eq!(source.slice(expr.span).chars().last(), Some(')'));
        let mut end = expr.span.start + 1;
        for &child in children {
            let span = tree.get(child).span;
            assert!(child < id && span.start >= end && span.end < expr.span.end);
            end = span.end;
        }
    }
    let mut end = 0;
    for &root in &tree.roots {
        assert!(tree.get(root).span.start >= end);
        end = tree.get(root).span.end;
    }
    let errors = tree.iter().any(|(_, e)| e.kind == ExprKind::Error);
    assert!(!errors || !diagnostics.is_empty());
    assert!(diagnostics.is_sorted_by_key(|d| d.primary.span));
    for d in diagnostics {
        assert!(d.primary.span.start <= d.primary.span.end && d.primary.span.end <= length);
        source.slice(d.primary.span);
    }
}

fn check(text: &str) {
    let source = SourceFile::new("test.lv", text);
    let (tree, diagnostics) = parse(&source);
    check_tree(&source, &tree, &diagnostics);
    if diagnostics.is_empty() {
        let printed = print(&tree);
        let (again, diagnostics) = read(&printed);
        assert_eq!(diagnostics, [], "{printed}");
        assert!(tree.iter().map(|(_, e)| &e.kind).eq(again.iter().map(|(_, e)| &e.kind)));
        assert_eq!(tree.roots, again.roots);
    }
}

proptest! {
    #[test]
    fn token_soup_is_read(tokens in proptest::collection::vec(
        prop_oneof![
            4 => Just("(".to_owned()),
            4 => Just(")".to_owned()),
            2 => prop_oneof![Just("\n"), Just("\n "), Just(" "), Just("; c\n"), Just("\t")]
                .prop_map(str::to_owned),
            2 => prop_oneof![Just("a"), Just("é"), Just("true"), Just("."), Just("\x01"), Just("1x")]
                .prop_map(str::to_owned),
            1 => "[+-]?[0-9]{0,12}\\.?[0-9]{0,12}([eE][+-]?[0-9]{1,2})?",
        ],
        0..60,
    )) {
        check(&tokens.concat());
    }

    #[test]
    fn balanced_soup_prints_and_reads_back(words in proptest::collection::vec(
        prop_oneof![
            Just("(a ".to_owned()),
            Just(") ".to_owned()),
            any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?} ")),
            any::<u32>().prop_map(|n| format!("{n} ")),
            "[a-z.*/<=]{1,4} ",
        ],
        0..60,
    )) {
        let mut depth = 0_usize;
        let mut text = String::new();
        for word in &words {
            match &word[..1] {
                "(" => depth += 1,
                ")" if depth == 0 => continue,
                ")" => depth -= 1,
                _ => {}
            }
            text += word;
        }
        text += &")".repeat(depth);
        prop_assert!(read(&text).1.is_empty());
        check(&text);
    }

    #[test]
    fn random_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        match decode("x", bytes) {
            Ok(source) => check(source.text()),
            Err((source, diagnostic)) => {
                let _ = source.slice(diagnostic.primary.span);
                check(source.text());
            }
        }
    }

    #[test]
    fn random_texts_are_answered(text in any::<String>()) {
        check(&text);
    }
}

#[test]
fn strings() {
    accepts("(include \"a b;(c).lv\")x\"y \"\"\"z\"", "(include \"a b;(c).lv\") x\"y \"\" \"z\"");
    for text in ["(a \"b", "(a \"b)\n c", "\"", "(a \"b)\r\n\" c"] {
        let (tree, diagnostics) = read(text);
        let is_told = diagnostics.iter().any(|d| d.code == DiagnosticCode::UnclosedString);
        assert!(is_told, "{text:?}");
        assert!(print(&tree).contains('!'));
    }
    let (_, diagnostics) = read("(a \"b\u{7}c\")");
    assert_eq!(diagnostics[0].code, DiagnosticCode::ControlCharacter);
}
