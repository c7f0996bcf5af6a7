//! Errors inside of brackets, and what follows them: the parser goes on, and ends.

use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::{Options, Stage, compile};

/// The lines of the errors of a text.
fn lines(text: &str) -> Vec<u32> {
    let options = Options::new(Stage::Fragment);
    let compiled = compile(SourceFile::new("a.frag", text), &options, &mut NoFiles);
    assert!(compiled.words.is_none(), "{text} is wrong");
    let line = |at: u32| compiled.source.line_column(at).line;
    compiled.diagnostics.iter().map(|found| line(found.primary.span.start)).collect()
}

/// A brace too many after an error inside a structure, an array's length or an expression.
#[test]
fn lone_braces_are_passed_over() {
    for start in [
        "struct A { float x[",
        "float a[(1",
        "struct A { struct B {",
        "void f() { { if (",
        "float a = ((",
    ] {
        for end in ["}", "};", "} }", "}\n}\n}\nvoid main() {}\n", ";", ""] {
            assert!(!lines(&format!("{start}{end}")).is_empty());
        }
    }
}

/// Each wrong function has its error, and those between have none.
#[test]
fn what_follows_an_error_is_read() {
    let text = "float a() { return (1.0; }
float b() { return 1.0; }
float c() { if (true { return 1.0; } return 2.0; }
struct S { float x y; };
float d() { return b() + 1.0 }
void main() { }
float e( { return 1.0; }
";
    assert_eq!(lines(text), [1, 3, 4, 5, 7]);
}

/// A missing semicolon is behind the last token, and the next token is shown.
#[test]
fn missing_semicolons_are_behind_the_last_token() {
    let text =
        "void main() {\n    float a = 1.0\n\n    // more\n    a = 2.0;\n    float b c;\n}\nfloat d";
    let options = Options::new(Stage::Fragment);
    let compiled = compile(SourceFile::new("a.frag", text), &options, &mut NoFiles);
    let places = compiled.diagnostics.iter().map(|found| {
        let place = |at: u32| {
            let place = compiled.source.line_column(at);
            (place.line, place.column)
        };
        let span = found.primary.span;
        assert_eq!(span.start, span.end);
        let next = found.secondary.iter().map(|label| (place(label.span.start), &*label.message));
        (place(span.start), next.collect::<Vec<_>>())
    });
    let places: Vec<_> = places.collect();
    let wanted = [
        ((2, 18), vec![((5, 5), "`a` stands here")]),
        ((6, 12), vec![((6, 13), "`c` stands here")]),
        ((8, 8), vec![]),
    ];
    assert_eq!(places, wanted);
}
