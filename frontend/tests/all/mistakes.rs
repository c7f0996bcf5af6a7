//! Typical mistakes of newcomers: each is one clear message with its position and the remedy.

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::source::SourceFile;

fn errors(file: &SourceFile) -> Vec<Diagnostic> {
    let (_, diagnostics) = lambdav_frontend::compile(file);
    diagnostics.iter().filter(|found| found.is_error()).cloned().collect()
}

/// A text, the position and code of its only error, and a part of its message, labels or help.
const ONE: [(&str, &str, &str); 29] = [
    ("(define uv (vec2 1 2))\n(vec3 uv.x 0 0)", "LV0301 2:7", "write `(.x uv)`"),
    ("(define v (vec3 1))\n(vec3 (sin v.xy.x))", "LV0301 2:12", "write `(.x (.xy v))`"),
    ("(define a (array 1 2))\n(vec3 a[1])", "LV0301 2:7", "write `(at a 1)`"),
    (
        "// red\n(vec3 1 0 0)",
        "LV0217 1:1",
        "write `;` in place of `//`: it goes to the end of the line",
    ),
    ("(vec3 1 0 0) // it's (red", "LV0217 1:14", "a comment begins with `;`"),
    ("// one\n(vec3 1) // two\n// three", "LV0217 1:1", "there are 2 more"),
    ("/* one (\n two */\n(vec3 1)", "LV0217 1:1", "write `;` in place of `/*`"),
    ("# red\n(vec3 1)", "LV0217 1:1", "write `;` in place of `#`"),
    ("  -- red\n(vec3 1)", "LV0217 1:3", "write `;` in place of `--`"),
    ("(if (&& (> 1 0) true) 1 0)", "LV0301 1:6", "`(and p q)`"),
    ("(if (|| (> 1 0) true) 1 0)", "LV0301 1:6", "`(or p q)`"),
    ("(vec3 (float 3i))", "LV0301 1:8", "`(num i)`"),
    ("(texture t)\n(texture2D t (vec2 0))", "LV0301 2:2", "`(sample image uv)`"),
    ("(if (xor true false) 1 0)", "LV0301 1:6", "of bools write `(!= p q)`"),
    ("(define sq (lambda (x y) (* x y)))\n(vec3 (sq 2 3))", "LV0301 1:13", "`(func (x) (* x x))`"),
    ("(let-rec ((f (func (n) (f n)))) (f 1))", "LV0301 1:2", "rec-func"),
    (
        "(struct Ray (origin vec3) speed)\n(.heading (Ray (vec3 0) 1))",
        "LV0301 2:2",
        "Ray has `.origin`, `.speed`",
    ),
    (
        "(struct Ray (origin vec3) speed)\n(.origan (Ray (vec3 0) 1))",
        "LV0301 2:2",
        "did you mean `.origin`?",
    ),
    (
        "(struct A far)\n(struct B near size)\n(.far (B 1 2))",
        "LV0423 3:1",
        "its fields are `near`, `size`",
    ),
    ("(vec3 (late 2))\n(define (late x) x)", "LV0301 1:8", "defined on line 2, below"),
    ("(vec3 speed)\n\n(uniform speed num)", "LV0301 1:7", "defined on line 3, below"),
    (
        "(define c (Red 1))\n(variant V (Blue) (Red (x num)))\n1",
        "LV0301 1:12",
        "defined on line 2, below",
    ),
    (
        "(uniform p Point)\n(struct Point (x num))\n(vec3 (.x p))",
        "LV0207 1:12",
        "defined on line 2, below",
    ),
    (
        "(struct A (b B))\n(struct B (x num))\n(vec3 (.x (.b (A (B 1)))))",
        "LV0207 1:14",
        "move it before this",
    ),
    ("vec3 c = vec3(1.0, 0.0, 0.0);\nfloat x = 3.0;\nc *= x;", "LV0217 1:1", "written as C is"),
    ("for (int i = 0; i < 10; i++) {\n  color.x += 0.1;\n}", "LV0217 1:1", "a statement"),
    ("shader_type canvas_item;\nvoid fragment() {}", "LV0217 1:1", "Godot"),
    ("#version 450\nvoid main() {}", "LV0217 1:1", "`.frag`"),
    ("@fragment fn main() -> @location(0) vec4f { return vec4f(1); }", "LV0217 1:1", "`.wgsl`"),
];

#[test]
fn each_is_told_once() {
    for (text, place, part) in ONE {
        let file = SourceFile::new("a.lv", text);
        let errors = errors(&file);
        let [only] = &errors[..] else { panic!("{text}: {errors:?}") };
        let at = file.line_column(only.primary.span.start);
        assert_eq!(format!("{} {}:{}", only.code.as_str(), at.line, at.column), place, "{text}");
        let labels = only.secondary.iter().chain([&only.primary]).map(|label| &*label.message);
        let said: Vec<&str> = labels.chain([&*only.message]).chain(only.help.as_deref()).collect();
        assert!(said.iter().any(|said| said.contains(part)), "{text}: {said:?}");
    }
}

/// Other mistakes beside foreign comments are reported, too, at their positions.
#[test]
fn comments_hide_no_other_mistake() {
    let file = SourceFile::new("a.lv", "// it's λ (\n(vec3 oops) // more\n");
    let errors = errors(&file);
    let places = errors.iter().map(|error| file.line_column(error.primary.span.start));
    let places: Vec<(u32, u32)> = places.map(|at| (at.line, at.column)).collect();
    assert_eq!(places, [(1, 1), (2, 7)], "{errors:?}");
}

/// If a program binds these words, they are ordinary names.
#[test]
fn names_may_look_like_comments() {
    for text in [
        "(define // div)\n(vec3 (num (// 7i 2i)))",
        "(define -- 1)\n(vec3\n-- 0 0)",
        "(let ((/* 2)) (vec3 /*))",
        "(define lambda func)\n(vec3 ((lambda (x) x) 1))",
    ] {
        let file = SourceFile::new("a.lv", text);
        let (core, diagnostics) = lambdav_frontend::compile(&file);
        assert!(core.is_some(), "{text}: {diagnostics:?}");
    }
}
