//! Scanner for test directives in comments, and for comments that resemble directives.
//!
//! One rule holds for all languages: a directive is a comment that begins with `test:`, `expect:` or `undefined:` and has its
//! own line. Comments begin with `;` in λV, core text and SPIR-V text. In WGSL and GLSL they begin with
//! `//`; a line of a block comment counts, too. In the file of directives beside a program both begin
//! comments, and a line without a comment is a directive as well, by default a test.
//!
//! A comment that resembles a directive would be a test that never runs, so each is reported. Of comments that contain
//! the word `expect` those with a comparison are.

use crate::files::glsl;
use lambdav_core::diagnostics::{nearest_name, printable, quote};
use std::ffi::OsStr;
use std::path::Path;

/// Comment syntax of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// From `;` to the end of the line.
    Semicolon,
    /// From `//` to the end of the line, and between `/*` and `*/`, nested if `nests`.
    Slashes { nests: bool },
    /// The file of directives beside a program.
    Beside,
}

impl Syntax {
    /// Syntax of a program, by its file name extension.
    pub(super) fn of(program: &Path) -> Self {
        match program.extension().and_then(OsStr::to_str) {
            Some("wgsl") => Self::Slashes { nests: true },
            Some(ending) if glsl().any(|known| known == ending) => Self::Slashes { nests: false },
            _ => Self::Semicolon,
        }
    }

    /// Beginning of a directive of this kind.
    pub(super) fn marker(self, kind: Kind) -> String {
        let comment = match self {
            Self::Slashes { .. } => "//",
            Self::Semicolon | Self::Beside => ";",
        };
        format!("{comment} {}", kind.prefix())
    }
}

/// Kind of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `test:`
    Test,
    /// `expect:`
    Expectation,
    /// `undefined:`, an expectation, too.
    Undefined,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Test, Self::Expectation, Self::Undefined];

    /// Beginning of the comment.
    fn prefix(self) -> &'static str {
        match self {
            Self::Test => "test:",
            Self::Expectation => "expect:",
            Self::Undefined => "undefined:",
        }
    }

    /// What such a directive is.
    fn what(self) -> &'static str {
        match self {
            Self::Test => "a test",
            Self::Expectation | Self::Undefined => "an expectation",
        }
    }

    /// The kind of a text that begins with a prefix, and the rest of the text.
    fn of(text: &str) -> Option<(Self, &str)> {
        Self::ALL.into_iter().find_map(|kind| Some((kind, text.strip_prefix(kind.prefix())?)))
    }
}

/// A directive as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Its line, from 1.
    pub(super) line: usize,
    /// The column of its words, from 1.
    pub(super) column: usize,
    /// Its kind.
    pub(super) kind: Kind,
    /// Text after the prefix.
    pub(super) words: String,
}

impl Written {
    /// A directive whose words are a part of a line.
    fn new(number: usize, line: &str, words: &str, kind: Kind) -> Self {
        // The words are a slice of the line.
        let before = words.as_ptr() as usize - line.as_ptr() as usize;
        let column = line[..before].chars().count() + 1;
        Self { line: number, column, kind, words: words.to_owned() }
    }
}

/// A comment that resembles a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearMiss {
    /// Its line, from 1.
    pub(super) line: usize,
    /// Its text.
    pub(super) text: String,
    /// Reason why it is no directive.
    pub(super) message: String,
}

/// Result of scanning a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scanned {
    /// The directives, in order.
    pub(super) directives: Vec<Written>,
    /// Comments that resemble directives.
    pub(super) near: Vec<NearMiss>,
}

/// A part of a line that is a comment.
struct Comment<'a> {
    /// True if only blanks precede it on the line.
    has_line: bool,
    text: &'a str,
}

/// Scans a text.
pub(super) fn scan(text: &str, syntax: Syntax) -> Scanned {
    let mut found = Scanned::default();
    let mut depth = 0;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let comments = match syntax {
            Syntax::Semicolon => after_semicolon(line),
            Syntax::Slashes { nests } => after_slashes(line, nests, &mut depth),
            Syntax::Beside => match foreign_comment(line) {
                Some(text) => vec![Comment { has_line: true, text }],
                None => {
                    let words = line.trim();
                    let (kind, words) = Kind::of(words).unwrap_or((Kind::Test, words));
                    if kind != Kind::Test || !words.is_empty() {
                        found.directives.push(Written::new(number, line, words, kind));
                    }
                    continue;
                }
            },
        };
        let is_comment = !comments.is_empty();
        for Comment { has_line, text } in comments {
            let near = |message| NearMiss { line: number, text: text.to_owned(), message };
            let Some(meaning) = meaning(text) else { continue };
            let (marker, what) = (syntax.marker(meaning.kind), meaning.kind.what());
            match meaning.words {
                Some(words) if has_line => {
                    let written = Written::new(number, line, words, meaning.kind);
                    found.directives.push(written);
                }
                Some(_) => {
                    found.near.push(near(format!("{what} has a line of its own: `{marker} …`")));
                }
                None => {
                    let shown = quote(&printable(text.get(..60).unwrap_or(text)));
                    let none = what.trim_start_matches("a ").trim_start_matches("an ");
                    let message = format!("{shown} is no {none}; {what} begins with `{marker}`");
                    found.near.push(near(message));
                }
            }
        }
        // A directive in the comment syntax of another language.
        if let (false, Some(text)) = (is_comment, foreign_comment(line))
            && let Some(meaning) = meaning(text)
        {
            let (marker, what) = (syntax.marker(meaning.kind), meaning.kind.what());
            let message = format!("{what} begins with `{marker}` in this language");
            found.near.push(NearMiss { line: number, text: text.to_owned(), message });
        }
    }
    found
}

/// A comment that is a directive, or resembles one.
struct Meaning<'a> {
    kind: Kind,
    /// The words of a directive; none if it was probably meant as one.
    words: Option<&'a str>,
}

fn meaning(comment: &str) -> Option<Meaning<'_>> {
    if let Some((kind, words)) = Kind::of(comment) {
        return Some(Meaning { kind, words: Some(words) });
    }
    let end = comment.find(|c: char| !c.is_alphabetic()).unwrap_or(comment.len());
    let (word, rest) = comment.split_at(end);
    let word = word.to_lowercase();
    let begins = rest.trim_start().chars().next();
    let is_colon = matches!(begins, Some(':' | '：'));
    if word.starts_with("exp") || nearest_name(&word, ["expect"]).is_some() {
        let compares = rest.contains("==");
        let is_near = match &*word {
            "expect" => is_colon || compares,
            "expects" => compares,
            // Words of English.
            "except" | "expert" | "export" => false,
            _ => is_colon && compares,
        };
        return is_near.then_some(Meaning { kind: Kind::Expectation, words: None });
    }
    if word.starts_with("undef") || nearest_name(&word, ["undefined"]).is_some() {
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || ":：=".contains(c));
        let is_near = rest.eq_ignore_ascii_case("none");
        return is_near.then_some(Meaning { kind: Kind::Undefined, words: None });
    }
    let is_test = word == "test" || word == "tests";
    let is_near = || nearest_name(&word, ["test"]).is_some() || word.starts_with("test");
    let is_option = |word: &str| {
        let name = word.strip_prefix("--").and_then(|name| name.chars().next());
        name.is_some_and(|first| first.is_ascii_lowercase())
    };
    let has_option = || rest.split_whitespace().any(is_option);
    let is_near =
        is_test && (is_colon || begins == Some('=')) || (is_test || is_near()) && has_option();
    is_near.then_some(Meaning { kind: Kind::Test, words: None })
}

/// Text of a line that is a comment in one of the languages.
fn foreign_comment(line: &str) -> Option<&str> {
    let line = line.trim();
    [";", "//", "#"].iter().find_map(|&marker| {
        let rest = line.strip_prefix(marker)?;
        Some(rest.trim_start_matches([';', '/', '#']).trim())
    })
}

/// Comment in a line of λV, core text or SPIR-V text.
fn after_semicolon(line: &str) -> Vec<Comment<'_>> {
    let (mut is_string, mut is_escaped) = (false, false);
    let begin = line.char_indices().find(|&(_, c)| {
        let is_begin = c == ';' && !is_string;
        if c == '"' && !is_escaped {
            is_string = !is_string;
        }
        is_escaped = c == '\\' && !is_escaped;
        is_begin
    });
    let Some((at, _)) = begin else { return Vec::new() };
    let has_line = line[..at].trim().is_empty();
    vec![Comment { has_line, text: line[at..].trim_start_matches(';').trim() }]
}

/// Comments in a line of WGSL or GLSL; `depth` counts open block comments.
fn after_slashes<'a>(line: &'a str, nests: bool, depth: &mut usize) -> Vec<Comment<'a>> {
    let mut comments = Vec::new();
    let (mut rest, mut has_line) = (line, true);
    loop {
        if *depth > 0 {
            let (length, closes) = block(rest, nests, depth);
            let text = rest[..length].trim().trim_start_matches(['*', '!']).trim();
            comments.push(Comment { has_line, text });
            if !closes {
                return comments;
            }
            rest = &rest[length + 2..];
            continue;
        }
        let begin = rest.match_indices('/').find_map(|(at, _)| {
            let next = rest.as_bytes().get(at + 1)?;
            matches!(next, b'/' | b'*').then_some((at, *next == b'*'))
        });
        let Some((at, is_block)) = begin else { return comments };
        has_line &= rest[..at].trim().is_empty();
        if !is_block {
            let text = rest[at..].trim_start_matches(['/', '!']).trim();
            comments.push(Comment { has_line, text });
            return comments;
        }
        *depth = 1;
        rest = &rest[at + 2..];
    }
}

/// Length of a line's part that belongs to the open block comments, without the last `*/`; true if that
/// `*/` is there.
fn block(line: &str, nests: bool, depth: &mut usize) -> (usize, bool) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"*/" => {
                *depth -= 1;
                if *depth == 0 {
                    return (at, true);
                }
                at += 2;
            }
            b"/*" if nests => {
                *depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    (line.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WGSL: Syntax = Syntax::Slashes { nests: true };
    const GLSL: Syntax = Syntax::Slashes { nests: false };

    /// Lines of directives, with their words.
    fn directives(text: &str, syntax: Syntax) -> Vec<(usize, String)> {
        let found = scan(text, syntax);
        assert_eq!(found.near, [], "{text}");
        found.directives.into_iter().map(|d| (d.line, d.words.trim().to_owned())).collect()
    }

    fn near(text: &str, syntax: Syntax) -> Vec<usize> {
        let found = scan(text, syntax);
        assert_eq!(found.directives, [], "{text}");
        found.near.into_iter().map(|near| near.line).collect()
    }

    #[test]
    fn each_language_has_its_comments() {
        let two = |text, syntax| {
            let found = directives(text, syntax);
            assert_eq!(found, [(2, "--size 4x4".to_owned()), (3, "b --time 1".to_owned())]);
        };
        two("; A disk.\n  ;; test: --size 4x4\n;test: b --time 1\r\n(vec4 1)", Syntax::Semicolon);
        two("// A disk.\n  /// test: --size 4x4\n//test: b --time 1\nfn", WGSL);
        two("/* A\n * test: --size 4x4\n   test: b --time 1 */ void", GLSL);
        two("/* A /* b */\n * test: --size 4x4 */\n/* test: b --time 1 */ fn", WGSL);
        two("; A\n; test: --size 4x4\n// test: b --time 1\n", Syntax::Beside);
        two("# A\n--size 4x4\nb --time 1\n\n", Syntax::Beside);
        assert_eq!(directives("/* a /* b */\nint test: --size; // x", GLSL), []);
        assert_eq!(directives("\u{feff}; test: a", Syntax::Semicolon).len(), 1);
        assert_eq!(directives("(include \"; test: a.lv\") ; b", Syntax::Semicolon), []);
    }

    #[test]
    fn what_is_nearly_a_directive() {
        for text in [
            "tests: --size 4x4",
            "Test: --size 4x4",
            "TEST: x",
            "test --size 4x4",
            "test : --size 4x4",
            "test= a",
            "tets: --size 4x4",
            "tst --time 1",
            "testing: --size 4x4",
            "test a --size 4x4",
        ] {
            assert_eq!(near(&format!("a\n; {text}"), Syntax::Semicolon), [2], "{text}");
            assert_eq!(near(&format!("a\n//{text}"), WGSL), [2], "{text}");
            assert_eq!(near(&format!("/*\n * {text}\n*/"), GLSL), [2], "{text}");
            assert_eq!(near(&format!("// {text}"), Syntax::Beside), [1], "{text}");
        }
        // Directives after code, or in a comment of another language.
        assert_eq!(near("(vec4 1) ; test: --size 4x4", Syntax::Semicolon), [1]);
        assert_eq!(near("fn f() {} // test: --size 4x4", WGSL), [1]);
        assert_eq!(near("; test: --size 4x4\n# test: a", GLSL), [1, 2]);
        assert_eq!(near("// test: --size 4x4", Syntax::Semicolon), [1]);
    }

    #[test]
    fn expectations_have_their_place() {
        let found = |text: &str, syntax| {
            let found = scan(text, syntax);
            assert_eq!(found.near, [], "{text}");
            let all = found.directives.into_iter();
            let all = all.map(|d| (d.kind, d.line, d.column, d.words));
            all.collect::<Vec<_>>()
        };
        let words = " (f 1) == 2";
        let wanted = |column| vec![(Kind::Expectation, 2, column, words.to_owned())];
        assert_eq!(found(&format!("a\n; expect:{words}"), Syntax::Semicolon), wanted(10));
        assert_eq!(found(&format!("a\n  //expect:{words}"), WGSL), wanted(12));
        assert_eq!(found(&format!("/* ü\n ü* expect:{words} */"), GLSL), []);
        assert_eq!(found(&format!("/*\n * expect:{words}"), GLSL), wanted(11));
        assert_eq!(found(&format!("# a\nexpect:{words}"), Syntax::Beside), wanted(8));
        let both = found("; test: a\n; expect: x\n;undefined: none\n; test: b", Syntax::Semicolon);
        let kinds = [Kind::Test, Kind::Expectation, Kind::Undefined, Kind::Test];
        assert_eq!(both.iter().map(|one| one.0).collect::<Vec<_>>(), kinds);
        assert_eq!(found("expect:", Syntax::Beside), [(Kind::Expectation, 1, 8, String::new())]);
        let undefined = [(Kind::Undefined, 1, 11, " none".to_owned())];
        assert_eq!(found("undefined: none", Syntax::Beside), undefined);
    }

    #[test]
    fn what_is_nearly_an_expectation() {
        for text in [
            "Expect: (f 1) == 1",
            "EXPECT: x",
            "expect (f 1) == 1",
            "expect : 1",
            "expects: f(1) == 1",
            "expects f(1) == 1",
            "expcet: f(1) == 1",
            "expected: f(1) == 1",
            "expectation: f(1) == 1",
            "Undefined: none",
            "undefined none",
            "undefind: none",
            "undef: none",
        ] {
            assert_eq!(near(&format!("a\n; {text}"), Syntax::Semicolon), [2], "{text}");
            assert_eq!(near(&format!("a\n//{text}"), WGSL), [2], "{text}");
            assert_eq!(near(&format!("# {text}"), Syntax::Beside), [1], "{text}");
        }
        assert_eq!(near("(vec4 1) ; expect: a == b", Syntax::Semicolon), [1]);
        assert_eq!(near("// expect: a == b", Syntax::Semicolon), [1]);
        for text in [
            "expect the edge",
            "expects: two",
            "expected a == b",
            "except where a == b",
            "experts: a == b?",
            "we expect: a == b",
            "export a == b",
            "exposure: 2",
            "undefined where x is 0",
            "undefined behaviour: none of it",
        ] {
            let wanted: &[usize] = if text.starts_with("experts") { &[1] } else { &[] };
            assert_eq!(near(&format!("; {text}"), Syntax::Semicolon), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "test the edge",
            "a test: no",
            "text: a line",
            "testimony -- 1",
            "rest --",
            "best",
            "",
            "λ",
            "test",
            "test 1: of three",
        ] {
            assert_eq!(near(&format!("; {text}\n;{text}"), Syntax::Semicolon), [0; 0], "{text}");
            assert_eq!(near(&format!("// {text}\n/*{text}*/"), WGSL), [0; 0], "{text}");
        }
    }
}
