//! Texts in other languages, given by mistake.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::{SourceFile, Span};

/// How lines begin in other languages, and in no text of λV that is right: there a line that is no
/// comment begins with a word or a parenthesis.
const BEGINNINGS: [(&str, &str); 27] = [
    ("#version", "GLSL"),
    ("#extension", "GLSL"),
    ("#ifdef GL_ES", "GLSL"),
    ("precision highp", "GLSL"),
    ("precision mediump", "GLSL"),
    ("layout(", "GLSL"),
    ("layout (", "GLSL"),
    ("out vec4 ", "GLSL"),
    ("varying vec", "GLSL"),
    ("uniform vec", "GLSL"),
    ("uniform float ", "GLSL"),
    ("uniform sampler", "GLSL"),
    ("void main", "GLSL"),
    ("@fragment", "WGSL"),
    ("@vertex", "WGSL"),
    ("@compute", "WGSL"),
    ("@group(", "WGSL"),
    ("fn ", "WGSL"),
    ("var<", "WGSL"),
    ("float4 ", "HLSL"),
    ("cbuffer ", "HLSL"),
    ("struct VSOutput", "HLSL"),
    ("Texture2D", "HLSL"),
    ("OpCapability", "SPIR-V assembly"),
    ("OpMemoryModel", "SPIR-V assembly"),
    ("; SPIR-V", "SPIR-V assembly"),
    ("#include", "C"),
];

/// LV0217, if the text of the program's own file, in which something is wrong, seems to be in another
/// language.
pub fn foreign(source: &SourceFile) -> Option<Diagnostic> {
    let file = source.files()[0].span;
    let mut start = file.start;
    for line in source.slice(file).split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len()) as u32;
        let found =
            BEGINNINGS.iter().find(|(beginning, _)| line.trim_start().starts_with(beginning));
        if let Some((beginning, language)) = found {
            let span = Span::new(at, at + beginning.len() as u32);
            let message = format!("this is {language}, not λV");
            return Some(
                Diagnostic::new(DiagnosticCode::ForeignText, span, message)
                    .label(format!("{language} is written so"))
                    .help("a program in λV is an expression like `(vec4 1 0.5 0 1)`"),
            );
        }
        start += line.len() as u32;
    }
    None
}
