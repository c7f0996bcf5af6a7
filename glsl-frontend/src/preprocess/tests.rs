//! Tests of the preprocessor. Expected errors are `start of the message @ marked text`.

mod directives;
mod errors;
mod includes;
mod limits;
mod macros;
mod numbers;
mod random;

use super::{Preprocessed, Settings, preprocess};
use crate::token::{Token, TokenKind};
use crate::version::Version;
use lambdav_core::files::Files;
use lambdav_core::source::SourceFile;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Files in memory; a link leads to a canonical path.
#[derive(Default)]
struct Memory {
    texts: BTreeMap<PathBuf, Vec<u8>>,
    links: BTreeMap<PathBuf, PathBuf>,
    reads: Vec<PathBuf>,
}

impl Memory {
    fn with(texts: &[(&str, &str)]) -> Self {
        let texts =
            texts.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        Self { texts: texts.collect(), ..Self::default() }
    }
}

impl Files for Memory {
    fn canonical(&mut self, path: &Path) -> io::Result<PathBuf> {
        let mut canonical = PathBuf::from("/work");
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    canonical.pop();
                }
                Component::CurDir => {}
                part => canonical.push(part),
            }
            if let Some(target) = self.links.get(&canonical) {
                canonical = target.clone();
            }
        }
        let exists = self.texts.keys().any(|file| file.starts_with(&canonical));
        if exists { Ok(canonical) } else { Err(ErrorKind::NotFound.into()) }
    }

    fn read(&mut self, path: &Path, _most: usize) -> io::Result<Vec<u8>> {
        self.reads.push(path.to_owned());
        self.texts.get(path).cloned().ok_or_else(|| ErrorKind::IsADirectory.into())
    }
}

const DESKTOP: Version = Version { number: 450, es: false };

fn settings() -> Settings<'static> {
    Settings {
        defines: &[],
        default_version: DESKTOP,
        vulkan: true,
        roots: &[],
        path: Some(Path::new("/work/main.frag")),
        most: 20,
    }
}

/// Preprocesses a main file that lies among others.
fn with_files(
    text: &str,
    files: &mut Memory,
    settings: &Settings<'_>,
) -> (SourceFile, Preprocessed) {
    if let Some(path) = settings.path {
        files.texts.insert(path.to_owned(), text.as_bytes().to_vec());
    }
    let mut source = SourceFile::new("main.frag", text);
    let done = preprocess(&mut source, &[0], settings, files);
    (source, done)
}

fn run(text: &str) -> (SourceFile, Preprocessed) {
    with_files(text, &mut Memory::default(), &settings())
}

fn spelled(token: &Token, done: &Preprocessed) -> String {
    match token.kind {
        TokenKind::Name(name) => done.names.text(name).to_owned(),
        TokenKind::Integer { value, unsigned } => {
            format!("{value}{}", if unsigned { "u" } else { "" })
        }
        TokenKind::Float(value) => format!("{value:?}"),
        TokenKind::Double(value) => format!("{value:?}lf"),
        TokenKind::Text(text) => format!("{:?}", done.names.text(text)),
        TokenKind::Punctuation(punctuation) => punctuation.text().to_owned(),
        TokenKind::End => String::new(),
    }
}

/// The tokens, separated by blanks.
fn words(done: &Preprocessed) -> String {
    let tokens: Vec<String> = done.tokens.iter().map(|token| spelled(token, done)).collect();
    tokens.join(" ").trim().to_owned()
}

/// The tokens of a text without errors.
#[track_caller]
fn tokens(text: &str) -> String {
    let (_, done) = run(text);
    assert_eq!(*done.diagnostics, [], "{text}");
    words(&done)
}

#[track_caller]
fn gives(text: &str, expected: &str) {
    assert_eq!(tokens(text), expected, "{text}");
}

/// The errors, each with its code, the marked text and the texts of other labels.
fn found(source: &SourceFile, done: &Preprocessed) -> Vec<String> {
    let all = done.diagnostics.iter().map(|found| {
        let place = source.line_column(found.primary.span.start);
        let marked = source.slice(found.primary.span);
        assert!(!found.primary.message.is_empty() && found.help.is_some(), "{found:?}");
        let others = found.secondary.iter().map(|label| {
            let place = source.line_column(label.span.start);
            format!(" + {}:{} {}", place.line, place.column, source.slice(label.span))
        });
        let others: String = others.collect();
        let (code, message) = (found.code.as_str(), &found.message);
        format!("{code} {}:{} {marked}: {message}{others}", place.line, place.column)
    });
    all.collect()
}

/// Each line of `expected` is one error.
#[track_caller]
fn fails(text: &str, expected: &str) {
    let (source, done) = run(text);
    let expected: Vec<&str> =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found(&source, &done), expected, "{text}");
}
