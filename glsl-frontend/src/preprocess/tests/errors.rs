//! Each error, with its position.

use super::{fails, run};

#[test]
fn definitions() {
    fails("#define", "LV0611 1:1 #define: `#define` lacks the name of a macro");
    fails("#define 1 2", "LV0611 1:9 1: `1` is not the name of a macro");
    fails("#define F(a", "LV0611 1:10 (: the parameters of a macro are not closed");
    fails("#define F(", "LV0611 1:10 (: the parameters of a macro are not closed");
    fails("#define F(1) 1", "LV0611 1:11 1: the name of a parameter is expected");
    fails("#define F(a, ...) 1", "LV0611 1:14 .: the name of a parameter is expected");
    fails("#define F(a b) 1", "LV0611 1:13 b: `,` or `)` is expected");
    fails("#define F(a, a) 1", "LV0611 1:14 a: two parameters are named `a`");
    fails("#define F(a) #a", "LV0611 1:14 #: GLSL has no `#` in the text of a macro");
    fails("#define A ## b", "LV0611 1:11 ##: `##` lacks an operand");
    fails("#define A b ##", "LV0611 1:13 ##: `##` lacks an operand");
    fails("#define A b ## ## c", "LV0611 1:16 ##: `##` lacks an operand");
    fails("#define __LINE__ 1", "LV0611 1:9 __LINE__: `__LINE__` belongs to the language");
    fails("#undef defined", "LV0611 1:8 defined: `defined` belongs to the language");
    fails("#undef", "LV0611 1:1 #undef: `#undef` lacks the name of a macro");
    fails("#undef A B", "LV0611 1:10 B: `#undef` takes one name");
}

#[test]
fn invocations() {
    fails(
        "#define F(a, b) a b\nx = F(1);",
        "
        LV0611 2:5 F(1): the macro `F` takes 2 arguments, not 1 + 1:9 F",
    );
    fails(
        "#define F(a) a\nF(1, 2) F",
        "
        LV0611 2:1 F(1, 2): the macro `F` takes 1 argument, not 2 + 1:9 F",
    );
    fails(
        "#define F() a\nF(1)",
        "
        LV0611 2:1 F(1): the macro `F` takes 0 arguments, not 1 + 1:9 F",
    );
    fails(
        "#define F(a) a\nF(1, (2)\n3",
        "
        LV0611 2:1 F: the arguments of `F` do not end + 1:9 F",
    );
    fails(
        "#define J(a) + ## a\nJ(1) J(2)",
        "
        LV0611 2:1 J(1): `##` cannot join `+` and `1` to one token + 1:9 J",
    );
    fails(
        "#define J(a, b) a ## b\nJ(/, /) J(/, *)",
        "
        LV0611 2:1 J(/, /): `##` cannot join `/` and `/` to one token + 1:9 J",
    );
}

#[test]
fn conditionals() {
    fails("a\n#if 1\nb", "LV0611 2:1 #if: a conditional is not closed");
    fails("#ifdef A\n#else\nb", "LV0611 1:1 #ifdef: a conditional is not closed + 2:1 #else");
    fails("#endif", "LV0611 1:1 #endif: `#endif` has no `#if` before it");
    fails(
        "#else\n#elif 1",
        "
        LV0611 1:1 #else: `#else` has no `#if` before it
        LV0611 2:1 #elif: `#elif` has no `#if` before it",
    );
    fails(
        "#if 1\n#else\n#else\n#endif",
        "
        LV0611 3:1 #else: `#else` stands behind the `#else` of its `#if` + 2:1 #else + 1:1 #if",
    );
    fails(
        "#if 1\n#else\n#elif 1\n#endif",
        "
        LV0611 3:1 #elif: `#elif` stands behind the `#else` of its `#if` + 2:1 #else + 1:1 #if",
    );
    fails("#if 1\n#endif A", "LV0611 2:8 A: `#endif` has nothing behind it");
    fails("#if 1\n#else A\n#endif", "LV0611 2:7 A: `#else` has nothing behind it");
    fails("#ifdef\n#endif", "LV0611 1:1 #ifdef: `#ifdef` lacks a name");
    fails("#ifndef 1\n#endif", "LV0611 1:9 1: `#ifndef` lacks a name");
    fails("#ifdef A B\n#endif", "LV0611 1:10 B: `#ifdef` takes one name");
}

#[test]
fn conditions() {
    let case = |line: &str, expected: &str| fails(&format!("{line}\n#endif"), expected);
    case("#if", "LV0611 1:1 #if: the condition is empty");
    case("#if 1 +", "LV0611 1:7 +: the condition ends where a value is expected");
    case("#if (1", "LV0611 1:5 (: a parenthesis is not closed");
    case("#if 1)", "LV0611 1:6 ): a closing parenthesis has no opening one");
    case("#if 1 2", "LV0611 1:7 2: `2` stands where an operator is expected");
    case("#if A(1)", "LV0611 1:6 (: `(` stands where an operator is expected");
    case("#if * 1", "LV0611 1:5 *: `*` stands where a value is expected");
    case("#if 1 / 0", "LV0611 1:7 /: a division by zero");
    case("#if 1 && 5 % (1 - 1)", "LV0611 1:12 %: a division by zero");
    case("#if 1 << 64", "LV0611 1:7 <<: a shift by fewer than 0 or more than 63 bits");
    case("#if 1.5 > 1", "LV0611 1:5 1.5: `1.5` is not an integer");
    case("#if defined", "LV0611 1:5 defined: `defined` is not followed by a name");
    case("#if defined(A", "LV0611 1:5 defined: `defined` is not followed by a name");
    case("#if 1 ? 2 : 3", "LV0611 1:7 ?: `?` stands where an operator is expected");
    case("#if A = 1", "LV0611 1:7 =: `=` stands where an operator is expected");
    case("#if @", "LV0611 1:5 @: this stands where a value is expected");
    fails("#if 0\n#elif 1 / 0\n#else\n#endif", "LV0611 2:9 /: a division by zero");
    fails(
        "#define F(x) x\n#if F(1\n#endif",
        "
        LV0611 2:5 F: the arguments of `F` do not end + 1:9 F
        LV0611 2:1 #if: the condition is empty",
    );
}

#[test]
fn others() {
    fails("#defin A", "LV0611 1:2 defin: there is no directive `defin`");
    let (_, done) = run("#defin A");
    assert_eq!(done.diagnostics[0].help.as_deref(), Some("did you mean `#define`?"));
    fails("#1 2", "LV0611 1:2 1: the name of a directive is expected");
    fails("#error  no\t GPU don't", "LV0611 1:1 #error  no\t GPU don't: #error: no GPU don't");
    fails("#error", "LV0611 1:1 #error: #error");
    fails(
        "#line x y",
        "LV0611 1:1 #line x y: `#line` takes the number of a line, and perhaps of a file",
    );
    fails("#line", "LV0611 1:1 #line: `#line` takes the number of a line, and perhaps of a file");
    fails("#extension", "LV0611 1:1 #extension: the name of an extension is expected");
    fails("#extension A enable", "LV0611 1:14 enable: `:` is expected");
    fails(
        "#extension A : on",
        "LV0611 1:16 on: `require`, `enable`, `warn` or `disable` is expected",
    );
    fails("#extension A : enable;", "LV0611 1:22 ;: the end of the line is expected");
    fails("#extension all : enable", "LV0611 1:12 all: `all` extensions cannot be enabled");
    fails(
        "#extension GL_EXT_unknown : require",
        "
        LV0605 1:12 GL_EXT_unknown: the extension `GL_EXT_unknown` is not supported",
    );
}

#[test]
fn versions() {
    fails("#version", "LV0611 1:1 #version: `#version` lacks a number");
    fails("#version es", "LV0611 1:10 es: `#version` lacks a number");
    fails("#version 470", "LV0611 1:10 470: there is no version `470` of GLSL");
    fails("#version 200 es", "LV0611 1:10 200: there is no version `200` of GLSL");
    fails("#version 4.5", "LV0611 1:10 4.5: there is no version `4.5` of GLSL");
    fails("#version 300", "LV0611 1:1 #version 300: version 300 is of GLSL ES only");
    fails("#version 130 core", "LV0611 1:14 core: version 130 has no profiles");
    fails("#version 450 gl", "LV0611 1:14 gl: there is no profile `gl`");
    fails("#version 450 core x", "LV0611 1:19 x: `#version` has more than a number and a profile");
    fails(
        "#version 450\n#version 330",
        "
        LV0611 2:1 #version 330: a second `#version` has another number + 1:1 #version 450",
    );
}

/// One run finds all.
#[test]
fn several() {
    fails(
        "#defin A\n#if 1 / 0\n#endif\n@\n08\n#endif",
        "
        LV0611 1:2 defin: there is no directive `defin`
        LV0611 2:7 /: a division by zero
        LV0612 4:1 @: `@` does not belong to GLSL
        LV0612 5:1 08: `08` is not a number
        LV0611 6:1 #endif: `#endif` has no `#if` before it",
    );
}

/// The pages' wrong examples are wrong, their corrections right.
#[test]
fn pages() {
    use lambdav_core::diagnostics::{DiagnosticCode, page_examples};
    for code in [DiagnosticCode::GlslDirective, DiagnosticCode::GlslToken] {
        let examples = page_examples(code);
        let [(_, wrong), (_, right)] = &examples[..] else { panic!("{}", code.as_str()) };
        let codes: Vec<_> = run(wrong).1.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!((codes, run(right).1.diagnostics.len()), (vec![code], 0));
    }
}
