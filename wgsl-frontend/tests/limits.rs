//! Texts that are large, deep or repetitive are accepted in linear time, or refused with a place.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_wgsl_frontend::{Options, compile};
use std::time::{Duration, Instant};

/// The codes of the errors of a text.
fn codes(text: &str) -> Vec<DiagnosticCode> {
    let begun = Instant::now();
    let compiled = compile(SourceFile::new("a.wgsl", text), &Options::default(), &mut NoFiles);
    assert_eq!(compiled.words.is_none(), compiled.diagnostics.has_errors());
    let start = &text[..text.floor_char_boundary(80)];
    assert!(begun.elapsed() < Duration::from_secs(8), "{start}: {:?}", begun.elapsed());
    compiled.diagnostics.iter().map(|found| found.code).collect()
}

fn many(n: usize, of: impl Fn(usize) -> String) -> String {
    (0..n).map(of).collect()
}

/// The number before, or `first`.
fn before(k: usize, prefix: &str, first: &str) -> String {
    k.checked_sub(1).map_or(first.to_owned(), |k| format!("{prefix}{k}"))
}

#[test]
fn long_texts_take_linear_time() {
    let body = |inner: &str| format!("fn f(p: vec4f) {{ var x = p.x; {inner} }}");
    let deep = |n: usize, open: &str| body(&format!("x = {}x{};", open.repeat(n), ")".repeat(n)));
    let members = many(16_000, |k| format!("m{k}: f32, "));
    let sum = many(16_000, |k| format!("s.m{k} + "));
    let texts = [
        body(&"x = x * 2.0 + p.y;".repeat(40_000)),
        body(&"if x > 1.0 { x += 1.0; } ".repeat(20_000)),
        body(&format!("x = {}x;", "p.x + ".repeat(100_000))),
        deep(200_000, "("),
        deep(100_000, "abs("),
        body(&format!("if x > 0 {{ }} {}", "else if x > 1.0 { x = 2.0; } ".repeat(20_000))),
        many(20_000, |k| format!("fn g{k}(x: f32) -> f32 {{ return x; }}\n")),
        many(20_000, |k| format!("const c{k} = {};\n", before(k, "c", "1"))),
        many(15_000, |k| {
            let inner = before(k, "g", "abs");
            format!("fn g{k}(x: f32) -> f32 {{ return {inner}(x); }}\n")
        }),
        many(10_000, |k| format!("struct S{k} {{ a: f32 }}\nvar<private> v{k}: S{k};\n")),
        format!("struct S {{ {members} }} fn f(s: S) -> f32 {{ return {sum} 0.0; }}"),
        format!(
            "const a = array({}); fn f(i: u32) -> i32 {{ return {} 0; }}",
            "1, ".repeat(30_000),
            "a[i] + ".repeat(30_000)
        ),
    ];
    for text in texts {
        assert_eq!(codes(&text), [], "{}", &text[..text.len().min(100)]);
    }
}

#[test]
fn texts_that_would_grow_are_refused() {
    use DiagnosticCode::{WgslPlacement, WgslTooLarge};
    let doubled = many(40, |k| {
        let inner = before(k, "c", "1.0");
        format!("const c{k} = array({inner}, {inner});\n")
    });
    let nested = format!("{}f32{}", "array<".repeat(300), ", 1>".repeat(300));
    let structures = many(300, |k| {
        let inner = before(k, "S", "f32");
        format!("struct S{k} {{ s: {inner} }}\n")
    });
    let calls = many(12_000, |k| format!("f(&a[{k}]);"));
    let buffer = "@group(0) @binding(0) var<storage> a: array<u32, 12000>;";
    let cases = [
        (doubled, WgslTooLarge),
        (format!("var<private> a: {nested};"), WgslTooLarge),
        (structures, WgslTooLarge),
        ("fn f() {".to_owned() + &"{".repeat(100_000), WgslTooLarge),
        (format!("const {} = 1;", "a".repeat(2000)), WgslTooLarge),
        (format!("{}const a = 1;", "@must_use ".repeat(50_000)), WgslTooLarge),
        (
            format!("{buffer} fn f(p: ptr<storage, u32>) {{ let x = *p; }} fn g() {{ {calls} }}"),
            WgslTooLarge,
        ),
        (many(20_000, |k| format!("const c{k} = c{};\n", (k + 1) % 20_000)), WgslPlacement),
        (" ".repeat(5_000_000), WgslTooLarge),
    ];
    for (text, code) in cases {
        let found = codes(&text);
        let start = &text[..text.len().min(80)];
        assert_eq!(found.first(), Some(&code), "{start}: {found:?}");
    }
}
