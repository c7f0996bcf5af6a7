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
