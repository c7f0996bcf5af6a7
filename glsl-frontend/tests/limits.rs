//! Texts that SPIR-V has no room for, or no meaning, are refused with a place.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::{Options, Stage, compile};

/// The codes of the errors of a text.
fn codes(text: &str) -> Vec<DiagnosticCode> {
    let options = Options::new(Stage::Fragment);
    let compiled = compile(SourceFile::new("a.frag", text), &options, &mut NoFiles);
    assert_eq!(compiled.words.is_none(), compiled.diagnostics.has_errors());
    compiled.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn long_lists_and_names_are_refused() {
    use DiagnosticCode::GlslTooLarge;
    let main = "void main() { gl_FragColor = vec4(1.0); }\n";
    for (length, wanted) in [(65_000, vec![]), (65_001, vec![GlslTooLarge])] {
        let list = vec!["1."; length].join(",");
        assert_eq!(codes(&format!("#version 330\nfloat a[] = float[]({list});\n{main}")), wanted);
        let list = format!("#version 420\nfloat a[{length}] = {{{list}}};\nout vec4 o;\n");
        assert_eq!(codes(&(list + "void main() { o = vec4(a[0]); }")), wanted);
        let members: String = (0..length).map(|k| format!("int m{k};")).collect();
        assert_eq!(codes(&format!("struct S {{{members}}};\n{main}")), wanted);
    }
    for (length, wanted) in [(1024, vec![]), (1025, vec![GlslTooLarge])] {
        assert_eq!(codes(&format!("float {};\n{main}", "a".repeat(length))), wanted);
    }
}

/// Outputs are declared, or `gl_FragColor`, or `gl_FragData`.
#[test]
fn forms_of_outputs_exclude_one_another() {
    let mixed = [
        "#version 330\nout vec4 o;\nvoid main() { o = vec4(1.0); gl_FragColor.x; gl_FragColor.y; }",
        "void main() { gl_FragColor = vec4(1.0); gl_FragData[0] = vec4(1.0); }",
        "#version 330\nvoid main() { gl_FragData[1] = vec4(1.0); }\nout vec4 o;",
    ];
    for text in mixed {
        assert_eq!(codes(text), [DiagnosticCode::GlslQualifier], "{text}");
    }
    assert_eq!(codes("void main() { gl_FragData[0] = gl_FragData[1] = vec4(1.0); }"), []);
}

#[test]
fn arrays_have_elements() {
    let text = "#version 330\nfloat a[] = float[]();\nvoid main() { gl_FragColor = vec4(1.0); }";
    assert_eq!(codes(text), [DiagnosticCode::GlslArguments]);
}

/// Copies of whole structures of a block, and comparisons, have a limit, and so has a `switch`.
#[test]
fn what_grows_faster_than_its_text_is_refused() {
    let head = "#version 450\nlayout(location = 0) out vec4 o;\n";
    let doubled: String =
        (1..40).map(|k| format!("struct S{k} {{ S{0} a, b; }};\n", k - 1)).collect();
    let text = format!("{head}struct S0 {{ float a; }};\n{doubled}void main() {{ S39 s; }}\n");
    assert_eq!(codes(&text), [DiagnosticCode::GlslTooLarge]);
    let block = "layout(binding = 0) uniform B { float a[LENGTH]; } b;\n";
    let copies = |length: &str, count: usize| {
        let block = block.replace("LENGTH", length);
        let copies = format!("{{ float[{length}] c = b.a; o.x += c[0]; }}\n").repeat(count);
        format!("{head}{block}void main() {{ o = vec4(0);\n{copies} }}\n")
    };
    assert_eq!(codes(&copies("100", 20)), []);
    assert_eq!(codes(&copies("70000", 1)), [DiagnosticCode::GlslTooLarge]);
    assert_eq!(codes(&copies("60000", 40)), [DiagnosticCode::GlslTooLarge]);
    let equal = "float[60000] c, d; o.x = float(c == d);\n";
    let equal = |count: usize| {
        let all = format!("{{ {equal} }}\n").repeat(count);
        format!("{head}void main() {{ o = vec4(0);\n{all} }}\n")
    };
    assert_eq!(codes(&equal(1)), []);
    assert_eq!(codes(&equal(40)), [DiagnosticCode::GlslTooLarge]);
    let switch = |count: usize| {
        let cases: String = (0..count).map(|k| format!("case {k}:\n")).collect();
        format!("{head}void main() {{ switch (int(gl_FragCoord.x)) {{ {cases} o = vec4(0); }} }}\n")
    };
    assert_eq!(codes(&switch(32_500)), []);
    assert_eq!(codes(&switch(33_000)), [DiagnosticCode::GlslTooLarge]);
}

/// Help belongs to its own error, also where errors are only counted.
#[test]
fn errors_that_are_not_kept_change_no_others() {
    let text =
        "#version 450\nvoid main() { float colour; float a = colur; a = 1.0 + b; float a = 2; }\n";
    let options = Options { most: 1, ..Options::new(Stage::Fragment) };
    let compiled = compile(SourceFile::new("a.frag", text), &options, &mut NoFiles);
    let [first] = &compiled.diagnostics[..] else { panic!("{:?}", compiled.diagnostics) };
    assert_eq!(first.help.as_deref(), Some("`colour` is similar"));
    assert_eq!((first.secondary.len(), compiled.diagnostics.omitted().errors), (0, 2));
}
