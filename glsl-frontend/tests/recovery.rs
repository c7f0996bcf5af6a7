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

/// A message names the line as `#line` counts it, beside the line of the file.
#[test]
fn lines_of_joined_texts_are_named() {
    let text = "#version 460\nfloat a = x;\n#line 40 \"joined.frag\"\nfloat b = y;\n#line 7 3\nfloat c = z;";
    let compiled =
        compile(SourceFile::new("a.frag", text), &Options::new(Stage::Fragment), &mut NoFiles);
    let notes: Vec<&[String]> = compiled.diagnostics.iter().map(|found| &*found.notes).collect();
    let expected =
        ["`#line` calls this line 40 of joined.frag", "`#line` calls this line 7 of string 3"];
    assert_eq!(notes, [&[] as &[String], &[expected[0].into()], &[expected[1].into()]]);
}

/// Outputs and inputs have locations of their own; two halves of a location are no conflict.
#[test]
fn locations_do_not_overlap() {
    let found = |declarations: &str| {
        let text = format!("#version 450\n{declarations}\nvoid main() {{ }}");
        let compiled =
            compile(SourceFile::new("a.frag", text), &Options::new(Stage::Fragment), &mut NoFiles);
        let all = compiled.diagnostics.iter();
        all.map(|found| format!("{} {}", found.code.as_str(), found.message)).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    let two = "LV0619 two outputs have the location 1";
    for (declarations, expected) in [
        ("layout(location = 1) out vec4 a; layout(location = 1) out vec4 b;", &[two][..]),
        ("layout(location = 0) out vec4 a[2]; layout(location = 1) out float b;", &[two]),
        ("out float b; layout(location = 0) out vec4 a; out vec4 c;", &none),
        (
            "layout(location = 2) in mat3 a; layout(location = 4) flat in int b;",
            &["LV0619 two inputs have the location 4"],
        ),
        (
            "layout(location = 0, component = 1) in vec2 a;\n\
             layout(location = 0, component = 2) in float b;",
            &["LV0619 two inputs have the location 0"],
        ),
        (
            "layout(location = 0, component = 0) in vec2 a;\n\
             layout(location = 0, component = 2) in vec2 b;",
            &none,
        ),
        ("layout(location = 0) out vec4 a; layout(location = 0, index = 1) out vec4 b;", &none),
        ("layout(location = 4095) in vec4 a; in vec4 b;", &none),
        (
            "layout(location = 4095) in vec4 a[2];",
            &["LV0619 inputs and outputs have locations up to 4095"],
        ),
        ("in vec4 a[5000];", &["LV0619 inputs and outputs take too many locations"]),
        (
            "layout(location = 2147483647) in vec4 a[4];",
            &["LV0619 inputs and outputs have locations up to 4095"],
        ),
    ] {
        assert_eq!(found(declarations), expected, "{declarations}");
    }
}

/// `int` becomes `uint` from version 400 on, or by an extension.
#[test]
fn integers_become_unsigned_from_version_400() {
    for (head, converts) in [
        ("#version 330", false),
        ("#version 400", true),
        ("#version 330\n#extension GL_ARB_gpu_shader5 : enable", true),
        ("#version 330\n#extension GL_ARB_gpu_shader5 : disable", false),
        ("#version 310 es", false),
        ("", true),
    ] {
        let text = format!("{head}\nprecision highp float;\nvoid main() {{ uint a = 3; }}");
        let compiled =
            compile(SourceFile::new("a.frag", text), &Options::new(Stage::Fragment), &mut NoFiles);
        assert_eq!(compiled.words.is_some(), converts, "{head}");
    }
}
