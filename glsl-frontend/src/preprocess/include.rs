//! `#include` and `#pragma once`.
//!
//! A path is relative to the folder of the including file, then to the folders of `--include`. Only files below
//! the main file's folder or one of those folders are read, whatever `..` and links lead to: canonical paths
//! decide. Text of any other file never enters the source, so no diagnostic shows it.

use super::expand::expand_line;
use super::lexer::{RawKind, RawToken};
use super::state::{OpenFile, Preprocessor};
use crate::token::Punctuation as P;
use lambdav_core::decode::decode;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, quote};
use lambdav_core::files::{Found, Unresolved, relative, resolve};
use lambdav_core::limits::{FOREIGN_TEXT, INCLUDE_NESTING};
use lambdav_core::source::Span;
use std::path::{Path, PathBuf};

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::CannotInclude, span, message)
}

impl Preprocessor<'_> {
    /// Reads what follows `#include`; `whole` is the directive.
    pub(super) fn include_line(&mut self, whole: Span, rest: &[RawToken]) {
        let expanded;
        let line = match rest.first().map(|token| token.kind) {
            Some(RawKind::Name(_)) => {
                expanded = expand_line(rest, self);
                &expanded[..]
            }
            _ => rest,
        };
        let (path, span, extra) = match line {
            [first, extra @ ..] if let RawKind::String(text) = first.kind => {
                (self.interned.texts.text(text).to_owned(), first.span, extra.first())
            }
            [first, ..] if first.is(P::Less) => {
                let end = line.iter().position(|token| token.is(P::Greater));
                let Some(end) = end.filter(|_| !first.is_replaced()) else {
                    let found = error(first.span, "the path of `#include` is not closed");
                    let found = found.label("it begins here");
                    return self.diagnostics.push(found.help("write `<path>` or `\"path\"`"));
                };
                let inner = Span::new(first.span.end, line[end].span.start);
                let path = self.source.slice(inner).to_owned();
                (path, first.span.to(line[end].span), line.get(end + 1))
            }
            _ => {
                let at = rest.first().map_or(whole, |token| token.span);
                let found = error(at, "`#include` lacks a path").label("here");
                return self.diagnostics.push(found.help("write `#include \"path\"`"));
            }
        };
        if let Some(extra) = extra {
            let found = error(extra.span, "`#include` takes one path").label("from here");
            self.diagnostics.push(found.help("make a comment of it: `// …`"));
        }
        if let Err(found) = self.include(&path, span) {
            self.diagnostics.push(found);
        }
    }

    fn include(&mut self, text: &str, span: Span) -> Result<(), Diagnostic> {
        let found = self.resolve(text, span)?;
        let shown = quote(&found.path.to_string_lossy());
        if self.open.len() > INCLUDE_NESTING {
            self.stopped = true;
            let what = format!("files include one another more than {INCLUDE_NESTING} deep");
            let known = self.known.get(&found.canonical);
            let is_open =
                known.is_some_and(|index| self.open.iter().any(|file| file.index == *index));
            let finding = error(span, what).label("this file is not read");
            return Err(if is_open {
                let finding = finding.note(format!("{shown} includes itself"));
                finding.help("write `#pragma once` at the head of the file")
            } else {
                finding.help("include fewer files from one another")
            });
        }
        if let Some(&index) = self.known.get(&found.canonical) {
            if self.once.contains(&index) {
                return Ok(());
            }
            let length = self.tokens_of(index).len();
            if self.spend(1 + length / 8) {
                self.open_file(index, found.path, true);
                return Ok(());
            }
            return Err(self.too_much(span));
        }
        let room = FOREIGN_TEXT.saturating_sub(self.source.text().len());
        let bytes = self.files.read(&found.canonical, room).map_err(|why| {
            let finding = error(span, format!("cannot read {shown}: {why}"));
            finding.label("included here").help("the path must lead to a file that can be read")
        })?;
        if bytes.len() >= room {
            let what = format!("all files together are longer than {FOREIGN_TEXT} bytes (4 MiB)");
            let finding = error(span, what).label("with this file");
            return Err(finding.help("check that this is the file that you mean"));
        }
        // The text of a file that is none stays out of the source.
        let file =
            decode(found.path.to_string_lossy(), bytes, FOREIGN_TEXT).map_err(|(_, why)| {
                let finding = error(span, format!("cannot read {shown}: {}", why.message));
                finding.label("included here").help("the file must be a text in UTF-8")
            })?;
        let name = found.path.to_string_lossy().into_owned();
        let module_name = relative(&found.canonical, &self.folder);
        let index = self.source.append(name, module_name, file.text());
        self.known.insert(found.canonical.clone(), index);
        self.paths.push(found.canonical);
        self.open_file(index, found.path, false);
        Ok(())
    }

    /// The error of files that are read too often.
    pub(super) fn too_much(&mut self, span: Span) -> Diagnostic {
        self.stopped = true;
        let found = error(span, "files are included again and again, with too many tokens");
        let found = found.label("this inclusion exceeds the limit");
        found.help("write `#pragma once` at the head of each file")
    }

    /// Finds the file of a path, below one of the allowed folders.
    fn resolve(&mut self, text: &str, span: Span) -> Result<Found, Diagnostic> {
        const RELATIVE: &str = "a path is relative to the folder of the file that includes it, or to a folder of \
                                `--include`";
        let shown = quote(text);
        let own = self.file().path.parent().unwrap_or(Path::new("")).to_owned();
        let folders: Vec<PathBuf> =
            std::iter::once(own).chain(self.settings.roots.iter().cloned()).collect();
        let why = match resolve(self.files, text, &folders, &self.allowed) {
            Ok(found) => return Ok(found),
            Err(why) => why,
        };
        Err(match why {
            Unresolved::NoPath => {
                let finding = error(span, "the path of `#include` is no path").label("here");
                finding.help(RELATIVE)
            }
            Unresolved::Absolute => {
                let finding = error(span, format!("{shown} is an absolute path")).label("not read");
                finding.help(RELATIVE)
            }
            Unresolved::Outside => {
                let what = format!("{shown} lies outside of the folders that may be read");
                let finding = error(span, what).label("not read");
                finding.help(
                    "files lie below the main file's folder, or a folder given by `--include`",
                )
            }
            Unresolved::System(why) => {
                let finding = error(span, format!("cannot read {shown}: {why}"));
                finding.label("included here").help(RELATIVE)
            }
            Unresolved::Missing => {
                let finding = error(span, format!("cannot read {shown}: there is no such file"));
                finding.label("included here").help(RELATIVE)
            }
        })
    }

    /// `#pragma once`
    pub(super) fn once(&mut self) {
        let index = self.file().index;
        self.once.insert(index);
    }

    /// Begins to read a file.
    pub(super) fn open_file(&mut self, index: usize, path: PathBuf, is_repeated: bool) {
        let tokens = self.tokens_of(index);
        self.open.push(OpenFile {
            index,
            path,
            tokens,
            next: 0,
            conditionals: Vec::new(),
            is_active: true,
            is_repeated,
            string: None,
        });
    }
}
