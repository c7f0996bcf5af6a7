//! Detection of texts in other languages.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::{SourceFile, Span};

/// Beginnings of lines in other languages, and the language. A line of valid λV that is no comment begins
/// with a word or a parenthesis, so none of these occurs in valid λV.
const BEGINNINGS: [(&str, &str); 30] = [
    ("shader_type ", "Godot's shading language"),
    ("[shader(", "Slang or HLSL"),
    ("#pragma", "C"),
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

/// The advice for a text in such a language.
fn help(language: &str) -> &'static str {
    match language {
        "GLSL" => {
            "a fragment shader in GLSL is read from a file whose name ends in `.frag`; a program in λV \
             is an expression like `(vec4 1 0.5 0 1)`"
        }
        "WGSL" => {
            "WGSL is read from a file whose name ends in `.wgsl`; a program in λV is an expression like \
             `(vec4 1 0.5 0 1)`"
        }
        _ => "a program in λV is an expression like `(vec4 1 0.5 0 1)`",
    }
}

/// LV0217 if the main file, which must contain an error, seems to be in another language.
pub fn foreign(source: &SourceFile) -> Option<Diagnostic> {
    let file = source.files()[0].span;
    let mut start = file.start;
    for line in source.slice(file).split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len()) as u32;
        let found =
            BEGINNINGS.iter().find(|(beginning, _)| line.trim_start().starts_with(beginning));
        if let Some((beginning, language)) = found {
            let span = Span::new(at, at + beginning.trim_end().len() as u32);
            let message = format!("this is {language}, not λV");
            return Some(
                Diagnostic::new(DiagnosticCode::ForeignText, span, message)
                    .label(format!("{language} is written so"))
                    .help(help(language)),
            );
        }
        start += line.len() as u32;
    }
    statements(source)
}

/// LV0217 for a text without such lines, if at least half of it is statements as in C and its descendants.
fn statements(source: &SourceFile) -> Option<Diagnostic> {
    let file = source.files()[0].span;
    let (mut first, mut count, mut all) = (None, 0, 0);
    let mut start = file.start;
    for whole in source.slice(file).split_inclusive('\n') {
        let at = start + (whole.len() - whole.trim_start().len()) as u32;
        start += whole.len() as u32;
        let line = whole.split("//").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with(';') || line.starts_with("/*") {
            continue;
        }
        all += 1;
        if is_statement(line) {
            count += 1;
            first.get_or_insert(Span::new(at, at + line.len() as u32));
        }
    }
    let span = first.filter(|_| 2 * count >= all)?;
    Some(
        Diagnostic::new(DiagnosticCode::ForeignText, span, "this is written as C is, not λV")
            .label("a statement, as in C, GLSL, HLSL or WGSL")
            .help(
                "a program in λV is an expression like `(vec4 1 0.5 0 1)`; GLSL is read from a file whose \
                 name ends in `.frag`, WGSL from one in `.wgsl`",
            ),
    )
}

/// True if a line is a statement of C, or the beginning or end of a block.
fn is_statement(line: &str) -> bool {
    let begins_a_list = line.starts_with(['(', ')', '"']);
    let ends_it = line.ends_with([';', '{', '}', ',']);
    let assigns = [" = ", " += ", " -= ", " *= "].iter().any(|sign| line.contains(sign));
    !begins_a_list && (ends_it || assigns)
}

/// The beginnings of comments in other languages; false: only at the beginning of a line.
const COMMENTS: [(&str, bool); 5] =
    [("//", true), ("/*", true), ("#", false), ("--", false), ("<!--", false)];

/// The text with comments of other languages blanked out, and LV0217 for the first one. `None` if there are
/// none.
pub fn foreign_comments(source: &SourceFile) -> Option<(SourceFile, Diagnostic)> {
    let text = source.text();
    let mut blank = text.as_bytes().to_vec();
    let mut found: Vec<Span> = Vec::new();
    let (mut at, mut line_begins, mut is_in_word) = (0, true, false);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let line = || rest.find('\n').unwrap_or(rest.len());
        let comment = COMMENTS.iter().find(|(begin, anywhere)| {
            rest.starts_with(begin) && !is_in_word && (*anywhere || line_begins)
        });
        let length = match (comment, c) {
            (Some(("/*", _)), _) => rest.find("*/").map_or(rest.len(), |end| end + 2),
            (Some(_), _) | (None, ';') => line(),
            (None, '"') if !is_in_word => {
                let line = line();
                rest[1..line].find('"').map_or(line, |end| end + 2)
            }
            _ => c.len_utf8(),
        };
        if comment.is_some() {
            let bytes = blank[at..at + length].iter_mut();
            bytes.filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b' ');
            found.push(Span::new(at as u32, (at + length) as u32));
        }
        is_in_word = !(c.is_whitespace() || matches!(c, '(' | ')'));
        line_begins = c == '\n' || line_begins && c.is_whitespace();
        at += length;
    }
    let first = *found.first()?;
    let begin = COMMENTS.iter().find(|(begin, _)| source.slice(first).starts_with(begin))?.0;
    let more = match found.len() {
        1 => String::new(),
        2 => "; there is one more".to_owned(),
        all => format!("; there are {} more", all - 1),
    };
    let message = "a comment begins with `;`";
    let diagnostic = Diagnostic::new(DiagnosticCode::ForeignText, first, message)
        .label(format!("`{begin}` begins none"))
        .help(format!("write `;` in place of `{begin}`: it goes to the end of the line{more}"));
    let blank = String::from_utf8(blank).expect("whole characters were replaced");
    Some((source.with_text(blank), diagnostic))
}
