//! Faults in texts: the message, and the place.

use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_wgsl_frontend::{Options, compile};

/// Code, place and message of each error.
fn errors(text: &str) -> Vec<(&'static str, String, String)> {
    let compiled = compile(SourceFile::new("a.wgsl", text), &Options::default(), &mut NoFiles);
    let of =
        |span: lambdav_core::source::Span| text[span.start as usize..span.end as usize].to_owned();
    compiled
        .diagnostics
        .iter()
        .map(|one| (one.code.as_str(), of(one.primary.span), one.message.clone()))
        .collect()
}

/// A function with these statements.
fn body(text: &str) -> String {
    format!("fn f(x: f32, i: i32, v: vec3f) -> f32 {{ {text} return x; }}")
}

#[track_caller]
fn is(text: &str, code: &str, place: &str, message: &str) {
    let found = errors(text);
    let [(own, at, said)] = &found[..] else { panic!("{text}: {found:?}") };
    assert_eq!((*own, at.as_str()), (code, place), "{text}: {said}");
    assert!(said.contains(message), "{text}: {said}");
}

#[test]
fn types_do_not_convert() {
    is(&body("let y: i32 = x;"), "LV0636", "x", "the value has the type `i32`, and this is `f32`");
    is(&body("let y = x + i;"), "LV0636", "x + i", "`+` is not defined for `f32` and `i32`");
    is(&body("let y = v * vec2f(1);"), "LV0636", "v * vec2f(1)", "`*` is not defined");
    is(&body("let y = !x;"), "LV0636", "!x", "`!` is not defined for `f32`");
    is(
        &body("let y = -mat2x2f();"),
        "LV0636",
        "-mat2x2f()",
        "`-` is not defined for `mat2x2<f32>`",
    );
    is(&body("if x { }"), "LV0636", "x", "a condition is a `bool`, and this is `f32`");
    is(&body("let y = v.w;"), "LV0634", "v.w", "`vec3<f32>` has no components `w`");
    is(&body("let y = x.a;"), "LV0636", "x.a", "has no members");
    is(&body("let y = i << i;"), "LV0636", "i << i", "`<<` is not defined");
    let list = "array(1, 2, 3)";
    is(&body(&format!("let y: array<f32, 2> = {list};")), "LV0636", list, "array<f32, 2>");
}

#[test]
fn constants_have_values() {
    is("const a = 1 / 0;", "LV0642", "1 / 0", "divided by zero");
    let sum = "0x7fffffffffffffff + 1";
    is(&format!("const a = {sum};"), "LV0642", sum, "does not fit");
    is("const a: u32 = -1;", "LV0642", "-1", "does not fit into u32");
    is("const a: f32 = 1e39;", "LV0642", "1e39", "does not fit into f32");
    is("const a = 1.0 / 0.0;", "LV0642", "1.0 / 0.0", "infinite");
    is("const a = 1u << 32u;", "LV0642", "1u << 32u", "shifted by 32");
    is("const a = array(1, 2)[2];", "LV0642", "2", "lies outside");
    is("const_assert 1 > 2;", "LV0642", "1 > 2", "does not hold");
    is("const a = clamp(1, 3, 2);", "LV0642", "clamp(1, 3, 2)", "lower bound");
    is(&body("const y = x;"), "LV0640", "x", "a constant is needed");
    is("var<private> a: i32; const b = a;", "LV0640", "a", "a constant is needed");
    is("override a: f32; override b = a;", "LV0642", "a", "the override `a` has no value");
    is("const a = acos(1.5);", "LV0642", "acos(1.5)", "infinite or not a number");
    assert_eq!(
        errors(
            "const m = modf(-1.25f); const f = frexp(vec2f(5, 1e-40)); \
             const_assert m.fract == -0.25 && m.whole == -1; \
             const_assert f.fract.x == 0.625 && f.exp.x == 3 && f.exp.y == -132;"
        ),
        []
    );
    assert_eq!(
        errors(
            "const m = modf(-1.25); const f = frexp(vec2(5, 0x1p-1074)); \
             const_assert m.fract == -0.25 && m.whole == -1; \
             const_assert f.fract.x == 0.625 && f.exp.x == 3 && f.exp.y == -1073; \
             const_assert frexp(1e300).exp == 997 && modf(vec3(7)).whole.z == 7; \
             fn g() { let a = modf(1.5); const b = array(frexp(3.0), frexp(0.25)); let c = b; \
             const_assert b[0].exp == 2 && b[1].exp == -1; let x: f32 = a.fract + c[1].fract; }"
        ),
        []
    );
    is("const a: f32 = modf(1.5);", "LV0636", "modf(1.5)", "has the type `f32`");
    is("override a = 1; const b = a;", "LV0640", "a", "an override is none");
    is("override a = 1; const_assert a == 1;", "LV0640", "a", "an override is none");
    is("override a = 16; struct S { @align(a) b: f32 }", "LV0640", "a", "an override is none");
    assert_eq!(errors("override a = 2; override b = a * 3; var<private> c = b;"), []);
    assert_eq!(errors("const a = false && (1 / 0 == 0); const_assert !a;"), []);
    assert_eq!(
        errors("const a = sin(0.5f); const b = u32(-1i); const_assert b == 0xffffffff;"),
        []
    );
}

#[test]
fn names_are_known_and_declared_once() {
    is(&body("let y = colour;"), "LV0634", "colour", "`colour` is unknown");
    is(&body("let x = 1;"), "LV0635", "x", "declared twice");
    is("const a = 1; fn a() {}", "LV0635", "a", "declared twice");
    is("struct S { a: f32, a: f32 }", "LV0635", "a", "declared twice");
    is("const a = b; const b = a;", "LV0641", "a", "depends on itself");
    is("fn f() { g(); } fn g() { f(); }", "LV0641", "f", "calls itself through others");
    assert_eq!(errors("const a = b + 1; const b = c; const c = 2; const_assert a == 3;"), []);
    assert_eq!(errors(&body("{ let x = 1; let v = x; }")), []);
}

#[test]
fn only_variables_are_assigned() {
    is(&body("x = 1.0;"), "LV0638", "x", "only a `var`");
    is(&body("var w = v; w.xy = v.xy;"), "LV0638", "w.xy", "only a `var`");
    let buffer = "@group(0) @binding(0) var<storage, read> a: array<f32>;";
    is(&format!("{buffer} fn g() {{ a[0] = 1.0; }}"), "LV0638", "a[0]", "read only");
    is(&body("let p = &x;"), "LV0636", "&x", "`&` is applied to a variable");
}

#[test]
fn statements_stand_in_their_places() {
    is("fn f() { break; }", "LV0641", "break;", "outside of loops");
    is("fn f() { continue; }", "LV0641", "continue;", "outside of loops");
    is("fn f() -> f32 { loop { } return 1.0; }", "LV0641", "loop { }", "never ends");
    is("fn f(x: f32) -> f32 { if x > 0 { return x; } }", "LV0641", "}", "on every path");
    let passed =
        "loop { if x > 0 { continue; } let y = 1; continuing { let z = y; break if true; } }";
    is(&body(passed), "LV0641", "y", "`continue` passes over");
    is(&body("loop { break; continuing { return 1.0; } }"), "LV0641", "return 1.0;", "no `return`");
    let switch = "switch i { case 1: { } }";
    is(&body(switch), "LV0641", switch, "a `default`");
    is(&body("switch i { case 1, 1: { } default: { } }"), "LV0641", "1", "a case already");
    is(&body("min(x, 1.0);"), "LV0641", "min(x, 1.0)", "is not used");
    let vertex = "@vertex fn f() -> @builtin(position) vec4f { discard; return vec4f(); }";
    is(vertex, "LV0641", "discard;", "fragment stage");
    let compute = "@compute @workgroup_size(1) fn f() { let x = dpdx(1.0); }";
    is(compute, "LV0641", "dpdx(1.0)", "fragment stage");
}

#[test]
fn entry_points_have_their_attributes() {
    is("@fragment fn f(x: f32) {}", "LV0639", "x", "either `@location` or `@builtin`");
    is("@vertex fn f() {}", "LV0639", "f", "`@builtin(position)`");
    is("@compute fn f() {}", "LV0639", "f", "`@workgroup_size`");
    is("var<uniform> u: f32;", "LV0639", "u", "lacks `@group` or `@binding`");
    is("@fragment fn f(@builtin(vertex_index) i: u32) {}", "LV0639", "vertex_index", "this stage");
    is("@fragment fn f(@builtin(position) p: vec3f) {}", "LV0636", "p", "has the type `vec4<f32>`");
    let bound = "@group(0) @binding(0) var<uniform> u";
    is(&format!("{bound}: bool;"), "LV0636", "bool", "does not lie in `uniform`");
    let array = "array<f32, 4>";
    is(&format!("{bound}: {array};"), "LV0636", array, "multiple of 16");
    is("enable f16;", "LV0605", "f16", "not supported");
}

#[test]
fn several_faults_are_found_in_one_run() {
    let found = errors("fn f() { let a = b; let c: u32 = 1.5; d(); }\nconst e = g;");
    let places: Vec<&str> = found.iter().map(|(_, at, _)| at.as_str()).collect();
    assert_eq!(places, ["b", "1.5", "d", "g"]);
}

#[test]
fn control_that_differs_is_warned_of() {
    let entry = |text: &str| {
        format!("@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
            @group(0) @binding(2) var<uniform> u: f32;
            fn d(x: f32) -> f32 {{ return dpdx(x); }}
            fn under(x: f32) -> f32 {{ if x > 0 {{ return dpdx(x); }} return 0; }}
            fn same(x: f32) -> f32 {{ return x; }}
            fn sign_of(x: f32) -> f32 {{ if x > 0 {{ return 1; }} return -1; }}
            fn put(p: ptr<function, f32>, x: f32) {{ *p = x; }}
            @fragment fn main(@location(0) x: vec2f) -> @location(0) vec4f {{ var v = vec4f(); {text} return v; }}")
    };
    let sample = "textureSample(t, s, x)";
    for (text, place) in [
        ("if x.x > 0 { v = textureSample(t, s, x); }", sample),
        (
            "let y = x * 2.0; var w = y.y; while w > 0 { v = textureSample(t, s, x); w -= 1.0; }",
            sample,
        ),
        ("switch i32(x.x) { case 1: { } default: { v.x = d(u); } }", "d(u)"),
        ("let b = x.x > 0 && dpdx(x.x) > 0;", "dpdx(x.x)"),
        ("if x.x > 0 { return v; } v = textureSample(t, s, x);", sample),
        ("if u > 0 { if x.x > 0 { return v; } } else { } v.x = d(u);", "d(u)"),
        ("v.x = under(x.x);", "under(x.x)"),
        ("v.x = under(same(x.x));", "under(same(x.x))"),
        ("if sign_of(x.x) > 0 { v.x = d(u); }", "d(u)"),
        ("var a = u; put(&a, x.x); if a > 0 { v.x = d(u); }", "d(u)"),
        ("loop { v = textureSample(t, s, x); if x.x > 0 { break; } }", sample),
        ("loop { v = textureSample(t, s, x); continuing { break if x.x > 0; } }", sample),
        ("for (var i = 0; i < 3; i++) { if x.x > 0 { continue; } v.x = d(u); }", "d(u)"),
        ("for (var i = 0; i < 3; i++) { if x.x > 0 { return v; } } v.x = d(u);", "d(u)"),
    ] {
        is(&entry(text), "LV0644", place, "not in uniform control flow");
    }
    for text in [
        "v = textureSample(t, s, x); if u > 0 { v = textureSample(t, s, x); }",
        "var w = x.x; w = u; if w > 0 { v.x = dpdx(x.x); }",
        "for (var i = 0; i < 3; i++) { v += textureSample(t, s, x); }",
        "if x.x > 0 { v = textureSampleLevel(t, s, x, 0.0); } v.x = d(x.x);",
        "if x.x > 0 { discard; } v = textureSample(t, s, x);",
        "if u > 0 { return v; } v = textureSample(t, s, x);",
        "v.x = under(u) + under(same(u)); if sign_of(u) > 0 { v.x = d(x.x); }",
        "var a = x.x; put(&a, u); if a > 0 { v.x = d(x.x); }",
        "if u > 0 { if x.x > 0 { return v; } } else { if u < -1 { v.x = 1; } v.x = d(x.x); }",
        "for (var i = 0; i < 3; i++) { if x.x > 0 { break; } } v.x = d(x.x);",
        "for (var i = 0; i < 3; i++) { if x.x > 0 { continue; } } v.x = d(x.x);",
        "switch i32(u) { case 1: { if x.x > 0 { break; } } default: { } } v.x = d(x.x);",
        "switch i32(u) { case 1: { if x.x > 0 { return v; } } default: { v.x = d(x.x); } }",
    ] {
        assert_eq!(errors(&entry(text)), [], "{text}");
    }
    let silent = "diagnostic(off, derivative_uniformity);".to_owned();
    assert_eq!(errors(&(silent + &entry("if x.x > 0 { v.x = dpdx(x.x); }"))), []);
}
