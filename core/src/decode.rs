//! Decodes bytes into source text.

use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::source::{SourceFile, Span};

/// The first bytes of files of images or numbers, and their kind. No text begins with them.
const IMAGES: [(&[u8], &str); 11] = [
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP image"),
    (b"\x76\x2f\x31\x01", "an OpenEXR image"),
    (b"\x93NUMPY", "an NPY file"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"#?RADIANCE", "a Radiance image"),
    (b"qoif", "a QOI image"),
    (b"\xabKTX", "a KTX texture"),
];

/// Decodes a text of at most `limit` bytes; messages call it `name`.
///
/// # Errors
///
/// LV0217 for a SPIR-V module or an image, LV0101 at the first byte that is not UTF-8, LV0108 for more than
/// `limit` bytes. The source file that comes with the error is only for showing the message: invalid bytes
/// are replaced by U+FFFD, and the text beyond the limit is cut off.
pub fn decode(
    name: impl Into<String>,
    mut bytes: Vec<u8>,
    limit: usize,
) -> Result<SourceFile, (SourceFile, Diagnostic)> {
    if let [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] = *bytes {
        let message = "this is a SPIR-V module, not the text of a program";
        let diagnostic = Diagnostic::new(DiagnosticCode::ForeignText, Span::new(0, 0), message)
            .help("`lambdav render MODULE OUT` draws one; give this the shader");
        return Err((SourceFile::new(name, ""), diagnostic));
    }
    if let Some((_, kind)) = IMAGES.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        let message = format!("this is {kind}, not the text of a program");
        let diagnostic = Diagnostic::new(DiagnosticCode::ForeignText, Span::new(0, 0), message)
            .help("a program reads one as a texture or buffer: `(texture NAME)`, with `--bind NAME=FILE`");
        return Err((SourceFile::new(name, ""), diagnostic));
    }
    if bytes.len() > limit {
        bytes.truncate(limit);
        let file = SourceFile::new(name, String::from_utf8_lossy(&bytes));
        return Err((file, too_long(limit)));
    }
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(SourceFile::new(name, text)),
        Err(error) => error,
    };
    // Up to the first invalid byte the replaced text is the same, so the offsets agree.
    let offset = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let bad = bytes[offset];
    let help = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the text seems to be UTF-16: save it as UTF-8",
        _ => "save the text as UTF-8",
    };
    let file = SourceFile::new(name, String::from_utf8_lossy(bytes));
    let at = offset as u32;
    let place = file.line_column(at);
    let diagnostic = Diagnostic::new(
        DiagnosticCode::NotUtf8,
        Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8() as u32),
        format!(
            "byte 0x{bad:02x} at offset {offset} (line {}, column {}) is not UTF-8",
            place.line, place.column
        ),
    )
    .label("shown as \u{fffd}")
    .help(help);
    Err((file, diagnostic))
}

/// LV0108 for a text of more than `limit` bytes.
pub fn too_long(limit: usize) -> Diagnostic {
    let mib = limit >> 20;
    Diagnostic::new(
        DiagnosticCode::TextTooLong,
        Span::new(0, 0),
        format!("the text is longer than {limit} bytes ({mib} MiB), the most that are read"),
    )
    .help("check that this is the file that you mean")
}
