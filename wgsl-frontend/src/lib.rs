//! WGSL to SPIR-V.
#![forbid(unsafe_code)]

mod check;
mod const_eval;
mod imports;
mod lexer;
mod numbers;
mod syntax;
mod templates;
mod token;
mod types;

pub use check::Override;

use check::{Checked, Setting};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::files::Files;
use lambdav_core::limits::{self, FOREIGN_TEXT};
use lambdav_core::source::{SourceFile, Span};
use std::path::{Path, PathBuf};
use syntax::tree::Unit;
use token::Names;

/// What a text is compiled with.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Features and constants of conditions, with their values.
    pub defines: &'a [(String, String)],
    /// Folders in which imported modules are searched.
    pub roots: &'a [PathBuf],
    /// The path of the file.
    pub path: Option<&'a Path>,
    /// Bits of the values of overrides, by name or by the number of `@id`.
    pub overrides: &'a [(String, u32)],
    /// Most errors, and most warnings, that are kept.
    pub most: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { defines: &[], roots: &[], path: None, overrides: &[], most: limits::ERRORS }
    }
}

/// A compiled text.
#[derive(Debug)]
pub struct Compiled {
    /// The text of all files; spans point into it.
    pub source: SourceFile,
    /// The words of the module; `None` if there are errors.
    pub words: Option<Vec<u32>>,
    /// The overrides of the text.
    pub overrides: Vec<Override>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// Canonical paths of imported files.
    pub paths: Vec<PathBuf>,
}

/// Compiles a text, the only file of `source`.
pub fn compile(mut source: SourceFile, options: &Options<'_>, files: &mut dyn Files) -> Compiled {
    let mut diagnostics = Diagnostics::new(options.most);
    let length = source.text().len();
    let failed = |source, diagnostics, paths| Compiled {
        source,
        words: None,
        overrides: Vec::new(),
        diagnostics,
        paths,
    };
    if length > FOREIGN_TEXT {
        let message = format!("the text has {length} bytes; WGSL may have {FOREIGN_TEXT}");
        diagnostics.push(Diagnostic::new(DiagnosticCode::WgslTooLarge, Span::default(), message));
        return failed(source, diagnostics, Vec::new());
    }
    let mut names = Names::default();
    for name in MEMBERS {
        names.number(name);
    }
    let program = imports::load(&mut source, &mut names, options, files, &mut diagnostics);
    if diagnostics.has_errors() {
        return failed(source, diagnostics, program.files);
    }
    let mut unit = Unit::default();
    let features = |name: &str| {
        program.defines.get(name).is_some_and(|value| !matches!(&**value, "false" | "0"))
    };
    for (number, (module, paths)) in (0..).zip(program.modules.iter().zip(&program.paths)) {
        let context = syntax::Context { names: &names, module: number, paths, features: &features };
        syntax::parse(&module.tokens, module.end, context, &mut unit, &mut diagnostics);
    }
    if diagnostics.has_errors() {
        return failed(source, diagnostics, program.files);
    }
    let set = Setting {
        source: &source,
        names: &names,
        unit: &unit,
        imports: &program.imports,
        overrides: options.overrides,
        most: options.most,
    };
    let Checked { words, overrides, diagnostics: found } = check::check(set);
    diagnostics.append(found);
    Compiled { source, words, overrides, diagnostics, paths: program.files }
}

/// Members of the structures that functions of the language return.
const MEMBERS: [&str; 5] = ["fract", "whole", "exp", "old_value", "exchanged"];
