//! Families of texts that grow: each ends with tokens or with one error.

use super::{Memory, run, settings, with_files};
use lambdav_core::limits::MACRO_TOKENS;

/// Refused by the limit on macros, in one error.
#[track_caller]
fn refused(text: &str) {
    let (source, done) = run(text);
    let all = super::found(&source, &done);
    assert!(all.len() == 1 && all[0].contains("macros expand to more than"), "{all:?}");
    assert!(!done.complete && done.tokens.len() <= MACRO_TOKENS + 1);
}

#[track_caller]
fn accepted(text: &str, tokens: usize) {
    let (_, done) = run(text);
    assert!(done.diagnostics.is_empty() && done.complete, "{:?}", done.diagnostics.first());
    assert_eq!(done.tokens.len() - 1, tokens);
}

fn chain(count: usize, body: impl Fn(usize) -> String) -> String {
    (1..count).map(|index| format!("#define A{index}{}\n", body(index - 1))).collect()
}

#[test]
fn macros_that_double() {
    let names = chain(40, |i| format!(" A{i} A{i}"));
    refused(&format!("#define A0 1\n{names}A39"));
    let calls = chain(40, |i| format!("(x) A{i}(A{i}(x))"));
    refused(&format!("#define A0(x) (x x)\n{calls}A39(1)"));
    let arguments = chain(40, |i| format!("(x) A{i}(x x)"));
    refused(&format!("#define A0(x) x\n{arguments}A39(1)"));
    refused(&format!("#define A0 1\n{names}#if A39\n#endif"));
    refused(&format!("#define A(x) x x\n{}1{}", "A(".repeat(40), ")".repeat(40)));
    // Even those without tokens.
    refused(&format!("#define A0\n{names}A39"));
    refused(&format!("#define A0(x)\n{calls}A39()"));
}

#[test]
fn names_that_double() {
    let text = "#define J(a, b) a##b\n#define K(a, b) J(a, b)\n".to_owned();
    let names = chain(40, |i| format!(" K(A{i}, A{i})"));
    let (source, done) = run(&format!("{text}#define A0 a\n{names}A39"));
    assert!(super::found(&source, &done)[0].contains("`##` cannot join"));
}

#[test]
fn nesting() {
    accepted(&format!("{}1\n{}", "#if 1\n".repeat(50_000), "#endif\n".repeat(50_000)), 1);
    accepted(&format!("#if {}1{}\n1\n#endif", "(".repeat(200_000), ")".repeat(200_000)), 1);
    accepted(&format!("#if {}1\n1\n#endif", "!!".repeat(200_000)), 1);
    accepted(&format!("#if {}1\n1\n#endif", "1 + ".repeat(200_000)), 1);
    accepted(
        &format!("#define F(x) x\nF({}1{})", "(".repeat(200_000), ")".repeat(200_000)),
        400_001,
    );
    accepted(&format!("#define F(x) x\n{}1{}", "F(".repeat(500), ")".repeat(500)), 1);
    refused(&format!("#define F(x) x\n{}1{}", "F(".repeat(100_000), ")".repeat(100_000)));
    accepted(&format!("#define A0 1\n{}A20000", chain(20_001, |i| format!(" A{i}"))), 1);
    let opening = chain(20_001, |i| format!("(x) A{i}(x)"));
    accepted(&format!("#define A0(x) x\n{opening}A1000(1)"), 1);
}

#[test]
fn width() {
    accepted(&"x ".repeat(500_000), 500_000);
    accepted(&format!("#define X y\n{}", "X ".repeat(200_000)), 200_000);
    accepted(&format!("#define F(x) x\n{}", "F(1) ".repeat(100_000)), 100_000);
    let parameters: Vec<String> = (0..50_000).map(|i| format!("p{i}")).collect();
    let (all, sum) = (parameters.join(","), parameters.join("+"));
    accepted(
        &format!("#define X 1\n#define F({all}) {sum}\nF({})", vec!["X"; 50_000].join(",")),
        99_999,
    );
    accepted(&"#define X y\n#undef X\n".repeat(50_000), 0);
    accepted(&"\\\n".repeat(500_000), 0);
    accepted(&format!("x{}y", "\\\n".repeat(500_000)), 1);
    accepted(&format!("#define F(x) x\n{}", "F\n\n\n\n\n".repeat(100_000)), 100_000);
    accepted(&"__LINE__ ".repeat(100_000), 100_000);
    accepted(&"#line 5\n__LINE__\n".repeat(50_000), 50_000);
}

/// The first errors are shown, the others counted.
#[test]
fn errors() {
    for text in [
        "@ ",
        "#x\n",
        "#if 1\n",
        "#endif\n",
        "08 ",
        "\" \n",
        "#define\n",
        "#include \"a\"\n",
        "#error a\n",
    ] {
        let (_, done) = run(&text.repeat(50_000));
        assert_eq!(
            (done.diagnostics.len(), done.diagnostics.omitted().errors),
            (20, 49_980),
            "{text}"
        );
    }
}

#[test]
fn repeated_inclusions() {
    let mut memory = Memory::with(&[("/work/a", &"x ".repeat(10_000))]);
    let (source, done) = with_files(&"#include \"a\"\n".repeat(1000), &mut memory, &settings());
    let all = super::found(&source, &done);
    assert!(all.len() == 1 && all[0].contains("included again and again"), "{all:?}");
    let mut memory = Memory::with(&[("/work/a", "#pragma once\nx")]);
    let (_, done) = with_files(&"#include \"a\"\n".repeat(50_000), &mut memory, &settings());
    assert_eq!((done.tokens.len(), done.diagnostics.len()), (2, 0));
}
