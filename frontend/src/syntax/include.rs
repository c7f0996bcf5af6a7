//! `include`: adds the other files of a program to its source, behind the main file.
//!
//! The top level of each file is searched for `(include "path")`, first to last; an included file is read and
//! searched before the search continues. So a second `include` of a file, which stands for nothing, is second
//! in the order of the forms. The [`SourceFile`] records all inclusions, and the parser uses them to replace
//! each `include` by the forms of its file.
//!
//! A span of the joined source says which file it is in, so later stages know nothing of files.

use super::lexer::{Lexer, Token, TokenKind};
use lambdav_core::decode::{decode, too_long};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, quote};
use lambdav_core::files::{Files, relative};
use lambdav_core::limits::{INCLUDE_NESTING, TEXT};
use lambdav_core::source::{Inclusion, SourceFile, Span};
use rustc_hash::FxHashSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A program with all its included files.
#[derive(Debug)]
pub struct Included {
    /// The text of all files.
    pub source: SourceFile,
    /// The canonical paths of the included files.
    pub paths: Vec<PathBuf>,
    /// The errors of files that could not be included.
    pub diagnostics: Diagnostics,
}

/// A file whose `include`s are being processed.
struct OpenFile {
    /// The path in messages.
    path: PathBuf,
    canonical: PathBuf,
    /// The remaining `include`s, the next one last.
    forms: Vec<Form>,
}

/// An `include`.
#[derive(Clone, Copy)]
struct Form {
    at: u32,
    /// The span of the string, with its quotes.
    path: Span,
}

/// Adds all included files to `source`, which must consist of the main file, with at most `most` findings.
/// `path` is the main file's path; without one, paths are relative to the working directory.
pub fn include(
    mut source: SourceFile,
    path: Option<&Path>,
    files: &mut dyn Files,
    most: usize,
) -> Included {
    let mut diagnostics = Diagnostics::new(most);
    let mut paths = Vec::new();
    let forms = includes(&source, 0);
    if forms.is_empty() || source.text().len() > TEXT {
        return Included { source, paths, diagnostics };
    }
    // A missing folder is reported by the error for the file in it.
    let canonical = path.and_then(|path| files.canonical(path).ok());
    let folder = match &canonical {
        Some(path) => path.parent().map(Path::to_owned),
        None => files.canonical(Path::new(".")).ok(),
    };
    let folder = folder.unwrap_or_default();
    let mut known: FxHashSet<PathBuf> = canonical.iter().cloned().collect();
    let path = path.unwrap_or(Path::new("")).to_owned();
    let mut open = vec![OpenFile { path, canonical: canonical.unwrap_or_default(), forms }];
    let mut inclusions = Vec::new();
    while let Some(file) = open.last_mut() {
        let Some(form) = file.forms.pop() else {
            open.pop();
            continue;
        };
        let name = source.slice(Span::new(form.path.start + 1, form.path.end - 1)).to_owned();
        let path = file.path.parent().unwrap_or(Path::new("")).join(&name);
        let file = match next(&source, &open, &mut known, files, form, &path) {
            Ok(None) => None,
            Ok(Some((canonical, bytes))) => {
                let module_name = relative(&canonical, &folder);
                let (name, text, bad) = decoded(&path, bytes);
                let index = source.append(name, module_name, &text);
                if let Some(bad) = bad {
                    diagnostics.push(moved(bad, source.files()[index].span.start));
                } else {
                    let forms = includes(&source, index);
                    open.push(OpenFile { path, canonical: canonical.clone(), forms });
                }
                paths.push(canonical);
                Some(index)
            }
            Err(finding) => {
                diagnostics.push(*finding);
                None
            }
        };
        inclusions.push(Inclusion { at: form.at, file });
    }
    source.set_inclusions(inclusions);
    Included { source, paths, diagnostics }
}

/// The path and contents of an included file; `None` if it was included before.
fn next(
    source: &SourceFile,
    open: &[OpenFile],
    known: &mut FxHashSet<PathBuf>,
    files: &mut dyn Files,
    form: Form,
    path: &Path,
) -> Result<Option<(PathBuf, Vec<u8>)>, Box<Diagnostic>> {
    let shown = quote(&path.to_string_lossy());
    let finding =
        |message: String| Diagnostic::new(DiagnosticCode::CannotInclude, form.path, message);
    let unreadable = |error: io::Error| {
        let finding = finding(format!("cannot read {shown}: {error}"));
        Box::new(match error.kind() {
            ErrorKind::NotFound => finding
                .label("there is no such file")
                .help("a path is relative to the folder of the file that includes it"),
            _ => finding.label("included here"),
        })
    };
    let canonical = files.canonical(path).map_err(unreadable)?;
    if let Some(cycle) = open.iter().position(|file| file.canonical == canonical) {
        let mut finding = finding(format!("{shown} includes itself"))
            .label("its text is being read")
            .help("move what both need to a file of its own, which both include");
        if cycle + 1 < open.len() {
            let through = open[cycle + 1..].iter().map(|file| quote(&file.path.to_string_lossy()));
            finding = finding.note(format!("through {}", through.collect::<Vec<_>>().join(", ")));
        }
        return Err(Box::new(finding));
    }
    if !known.insert(canonical.clone()) {
        return Ok(None);
    }
    if open.len() > INCLUDE_NESTING {
        let what =
            format!("files include one another {INCLUDE_NESTING} deep, the most that can be");
        return Err(Box::new(finding(what).label("this file is not read")));
    }
    let most = TEXT.saturating_sub(source.text().len());
    let bytes = files.read(&canonical, most).map_err(unreadable)?;
    if bytes.len() >= most {
        return Err(Box::new(Diagnostic {
            primary: finding(String::new()).label("with this file").primary,
            ..too_long(TEXT)
        }));
    }
    Ok(Some((canonical, bytes)))
}

/// The file's name in messages, its text, and the error in its bytes, if any.
fn decoded(path: &Path, bytes: Vec<u8>) -> (String, String, Option<Diagnostic>) {
    let name = path.to_string_lossy().into_owned();
    match decode(name.as_str(), bytes, TEXT) {
        Ok(file) => (name, file.text().to_owned(), None),
        Err((file, finding)) => (name, file.text().to_owned(), Some(finding)),
    }
}

/// A finding, moved to a text that begins at `by`.
fn moved(mut finding: Diagnostic, by: u32) -> Diagnostic {
    let labels = std::iter::once(&mut finding.primary).chain(&mut finding.secondary);
    labels.for_each(|label| label.span = Span::new(label.span.start + by, label.span.end + by));
    finding
}

/// The `include`s of a file, the last one first. Resolution reports malformed ones.
fn includes(source: &SourceFile, file: usize) -> Vec<Form> {
    let (mut all, mut depth, mut begun) = (Vec::new(), 0_usize, Vec::new());
    for token in Lexer::new(source, source.files()[file].span) {
        match token.kind {
            TokenKind::Comment => continue,
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Word | TokenKind::String => {}
        }
        begun.push(token);
        if depth == 0 {
            if let [open, word, path, _] = begun[..]
                && (open.kind, word.kind) == (TokenKind::Open, TokenKind::Word)
                && source.slice(word.span) == "include"
                && is_string(path, source)
            {
                all.push(Form { at: open.span.start, path: path.span });
            }
            begun.clear();
        } else {
            // Four tokens are an `include`; a fifth makes it none.
            begun.truncate(5);
        }
    }
    all.reverse();
    all
}

/// True if the parser accepts the token as a string.
fn is_string(token: Token, source: &SourceFile) -> bool {
    let text = source.slice(token.span);
    token.kind == TokenKind::String
        && text.len() > 1
        && text.ends_with('"')
        && !text.contains(char::is_control)
}
