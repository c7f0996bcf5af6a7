//! Directives.

use super::{DESKTOP, Memory, fails, gives, run, settings, with_files, words};
use crate::preprocess::{Behaviour, Settings, SourceString, preprocess, scan_version};
use crate::version::Version;
use lambdav_core::source::SourceFile;

#[track_caller]
fn holds(condition: &str, expected: bool) {
    let text = format!("#define ONE 1\n#define F(x) (x)\n#if {condition}\nyes\n#else\nno\n#endif");
    gives(&text, if expected { "yes" } else { "no" });
}

#[test]
fn conditions() {
    for condition in [
        "1",
        "ONE",
        "F(1)",
        "F(ONE) == 1",
        "defined ONE",
        "defined(ONE)",
        "defined ( ONE ) && !defined X",
        "2 + 3 * 4 == 14",
        "(2 + 3) * 4 == 20",
        "10 - 4 - 3 == 3",
        "1 << 2 + 1 == 8",
        "7 / 2 == 3",
        "-7 / 2 == -3",
        "-7 % 3 == -1",
        "~0 == -1",
        "!0",
        "- - 1 == 1",
        "1 | 0 ^ 0 & 0",
        "(5 & 3) == 1",
        "(5 ^ 3) == 6",
        "1 == 1 == 1",
        "3 > 2 > 0",
        "2 <= 2 && 2 >= 2",
        "0 || 1 && 1",
        "1 || 1 / 0",
        "!(0 && 1 / 0)",
        "0x10 == 16 && 010 == 8 && 1u",
        "X == 0",
        "-1 < 0",
        "0xFFFFFFFF > 0",
        "9223372036854775807 + 1 < 0",
        "__VERSION__ >= 450",
        "defined(VULKAN) && VULKAN == 100",
        "defined __LINE__ && __LINE__ == 3",
        "GL_core_profile",
        "!defined GL_ES",
        "1 >> 0 == 1",
    ] {
        holds(condition, true);
    }
    for condition in ["0", "X", "!ONE", "defined X", "1 == 2", "1 && 0", "0 || 0", "F(0)", "GL_ES"]
    {
        holds(condition, false);
    }
    gives("#define HAS defined(A) || defined B\n#define B\n#if HAS\n1\n#endif", "1");
    gives("#define A B\n#if defined(A) && !defined(B)\n1\n#endif", "1");
}

#[test]
fn groups() {
    let text = |a: u8, b: u8| {
        format!("#if {a}\n1\n#elif {b}\n2\n#elif 1/{b}\n3\n#else\n4\n#endif 5")
            .replace("1/0", "0")
            .replace(" 5", "\n5")
    };
    gives(&text(1, 0), "1 5");
    gives(&text(0, 1), "2 5");
    gives(&text(0, 0), "4 5");
    gives("#if 1\n1\n#elif 1 / 0 (\n#endif", "1");
    gives("#if 0\n#if 1 / 0\n#elif (\n#else x\n#endif y\n#error no\n#unknown\n#endif\n1", "1");
    gives("#ifdef A\n1\n#else\n2\n#endif\n#ifndef A\n3\n#endif", "2 3");
    gives("  #  if 1 /* a\n b */ // c\n1\n/* */ # endif", "1");
    gives("#\n# // nothing\n1", "1");
    gives("#if 1 \\\n && 0\n1\n#endif\n2", "2");
}

#[test]
fn versions() {
    let all = |text: &str| {
        let (_, done) = run(text);
        assert_eq!(*done.diagnostics, [], "{text}");
        (done.version.number, done.version.es, done.compatibility, words(&done))
    };
    let names = "\n__VERSION__ GL_ES GL_core_profile GL_compatibility_profile GL_es_profile";
    let of = |line: &str| all(&format!("{line}{names}"));
    let names = "GL_ES GL_core_profile GL_compatibility_profile GL_es_profile";
    assert_eq!(
        of(""),
        (450, false, false, format!("450 {}", names.replace("GL_core_profile", "1")))
    );
    assert_eq!(of("#version 120"), (120, false, false, format!("120 {names}")));
    let compatible = names.replace("GL_compatibility_profile", "1");
    assert_eq!(of("#version 330 compatibility"), (330, false, true, format!("330 {compatible}")));
    let es = names.replace("GL_ES", "1");
    assert_eq!(of("#version 100"), (100, true, false, format!("100 {es}")));
    assert_eq!(
        of("// a\n\n #version 300 es").3,
        format!("300 {}", es.replace("GL_es_profile", "1"))
    );
    assert_eq!(of("precision highp float;\n#version 310 es").0, 310);
    assert_eq!(of("#version 300 es\n#version 300 es").0, 300);
    assert_eq!(
        scan_version("/* #version 100 */ # version 460 core // a"),
        Some((Version { number: 460, es: false }, lambdav_core::source::Span::new(19, 37)))
    );
    assert_eq!(scan_version("x #version 100\n"), None);
    assert_eq!(scan_version(""), None);
}

#[test]
fn lines_and_files() {
    gives("__LINE__\n__LINE__ /*\n*/ __LINE__", "1 2 3");
    gives("#define F(a) a __LINE__\n\nF(\n__LINE__\n)", "4 3");
    gives("#line 10\n__LINE__\n__LINE__ __FILE__", "10 11 0");
    gives("#line 10 3\n__LINE__ __FILE__\n#line 5\n__FILE__ __LINE__", "10 3 3 5");
    gives("#define N 7\n#line N\n__LINE__\n#line N + 1\n__LINE__", "7 8");
    gives("#version 100\n#line 10\n__LINE__", "11");
    let (source, done) = run("a\n#line 20 \"b.glsl\"\nb\nc");
    let places: Vec<_> =
        done.tokens.iter().map(|token| done.lines.place(&source, token.span.start)).collect();
    let path = SourceString::Path("b.glsl".into());
    assert_eq!(places[..3], [None, Some((20, Some(&path))), Some((21, Some(&path)))]);
}

#[test]
fn extensions_and_pragmas() {
    let (_, done) = run("#extension GL_OES_standard_derivatives : enable
        #extension all : disable
        #extension GL_UNKNOWN_thing : warn
        #extension GL_GOOGLE_include_directive : require
        #pragma optimize(on) // fast
        #pragma
        #pragma STDGL invariant(all)");
    assert_eq!(*done.diagnostics, []);
    let all: Vec<_> = done.extensions.iter().map(|e| (e.name.as_str(), e.behaviour)).collect();
    assert_eq!(
        all,
        [
            ("GL_OES_standard_derivatives", Behaviour::Enable),
            ("all", Behaviour::Disable),
            ("GL_UNKNOWN_thing", Behaviour::Warn),
            ("GL_GOOGLE_include_directive", Behaviour::Require),
        ]
    );
    let all: Vec<_> = done.pragmas.iter().map(|pragma| pragma.text.as_str()).collect();
    assert_eq!(all, ["optimize(on)", "STDGL invariant(all)"]);
    gives("#version 100\n#ifdef GL_OES_standard_derivatives\nGL_EXT_frag_depth\n#endif", "1");
    gives(
        "GL_OES_standard_derivatives GL_ARB_shading_language_420pack",
        "GL_OES_standard_derivatives 1",
    );
}

#[test]
fn defines_of_the_command_line() {
    let defines =
        [("A", "1"), ("B", ""), ("F(x)", "x+1"), ("C", "A")].map(|(a, b)| (a.into(), b.into()));
    let with = Settings { defines: &defines, ..settings() };
    let of = |text: &str| with_files(text, &mut Memory::default(), &with).1;
    assert_eq!(words(&of("A B F(2) C\n#define A 1\n#ifdef B\nyes\n#endif")), "1 2 + 1 1 yes");
    let done = of("#define A 2\nA");
    assert_eq!(done.diagnostics.len(), 1);
    assert!(done.diagnostics[0].help.as_ref().is_some_and(|help| help.contains("#ifndef")));
    for (name, value) in [("1x", "1"), ("", "1"), ("A", "1\n#error"), ("A(", "1"), ("A", "#")] {
        let defines = [(name.to_owned(), value.to_owned())];
        let with = Settings { defines: &defines, ..settings() };
        let (_, done) = with_files("", &mut Memory::default(), &with);
        assert_eq!(done.diagnostics.len(), 1, "{name}={value}");
    }
}

/// Files of a dialect share their macros, but neither conditionals nor invocations.
#[test]
fn files_in_order() {
    let all = |first: &str, second: &str| {
        let mut source = SourceFile::new("main.frag", second);
        let prologue = source.append("prologue".into(), String::new(), first);
        let done = preprocess(&mut source, &[prologue, 0], &settings(), &mut Memory::default());
        (words(&done), super::found(&source, &done), done.version)
    };
    let (tokens, found, version) = all("#define F(x) x\nF", "(1) F(2)\n#version 300 es");
    assert_eq!((tokens.as_str(), found.len()), ("F ( 1 ) 2", 0));
    assert_ne!(version, DESKTOP);
    let (tokens, found, _) = all("#if 1\n1 F", "2\n#endif");
    assert_eq!((tokens.as_str(), found.len()), ("1 F 2", 2));
}

#[test]
fn redefinitions() {
    gives("#define A 1\n#define A   1\n#undef A\n#define A 2\n#undef B\nA", "2");
    gives(
        "#define GL_EXT_gpu_shader5 2\n#define GL_FRAGMENT_PRECISION_HIGH 1\nGL_EXT_gpu_shader5",
        "2",
    );
    fails(
        "#define A 1\n#define A 2\n",
        "
        LV0611 2:9 A: `A` is defined twice, with different texts + 1:9 A",
    );
    fails(
        "#define F(a) a\n#define F(b) b b\n",
        "
        LV0611 2:9 F: `F` is defined twice, with different texts + 1:9 F",
    );
}
