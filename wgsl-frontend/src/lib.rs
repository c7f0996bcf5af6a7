//! WGSL to SPIR-V.
//!
//! [`compile`] takes a text and returns the words of a module, plain and unoptimised, with names and lines, or
//! diagnostics.
//!
//! # How
//!
//! 1. The files of the program become tokens, with conditions and imports (`imports`); brackets of template lists are
//!    told from comparisons (`templates`).
//! 2. The parser makes a tree (`syntax`). Expressions are sequences of nodes in the order of evaluation, so nothing
//!    recurses on their depth; statements nest up to a limit. (The crate `wgsl-parse` was not taken: on a text with two
//!    faults it reports the first and stops, and its tree of boxes recurses on depth.)
//! 3. The check goes through the declarations in the order of their uses and writes SPIR-V (`check`). It enforces the
//!    rules of the language, so that what comes out is a valid module.
//!
//! # Guarantees
//!
//! - *Any text gives a module or diagnostics, in time and memory linear in the text*, never a panic.
//! - Operands and arguments are evaluated from left to right.
//! - *Const-expressions have the same value on every machine* (`const_eval`), that of the running program for concrete
//!   types; no function of the host's mathematical library is called.
//! - Integer division by zero, shifts, indices and conversions have the results that docs/spirv.md gives to the
//!   instructions, which are those that WGSL demands or allows.
//!
//! Modules depend on one another in this order only: `mutants`, `token` → `numbers` → `lexer`, `templates` → `syntax`, `types` →
//! `const_eval`, `imports` → `check`.
#![forbid(unsafe_code)]

mod check;
mod const_eval;
mod imports;
mod lexer;
pub mod mutants;
mod numbers;
mod syntax;
mod templates;
mod token;
mod types;

pub use check::Override;

use check::{Checked, Setting};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::files::Files;
#[cfg(doc)]
use lambdav_core::flat::FLAT_ENTRY;
use lambdav_core::flat::{FlatType, PlacedExpression};
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
    /// An expression in the scope of the main file. The module has one more entry point, [`FLAT_ENTRY`], a fragment
    /// stage whose outputs are the words of its value, as [`lambdav_core::flat`] defines.
    pub expression: Option<&'a PlacedExpression>,
    /// Most errors, and most warnings, that are kept.
    pub most: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            defines: &[],
            roots: &[],
            path: None,
            overrides: &[],
            expression: None,
            most: limits::ERRORS,
        }
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
    /// The type of the expression, if the options have one and there is no error.
    pub expression: Option<FlatType>,
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
        expression: None,
        diagnostics,
        paths,
    };
    if length > FOREIGN_TEXT {
        let message = format!("the text has {length} bytes; WGSL may have {FOREIGN_TEXT}");
        diagnostics.push(Diagnostic::new(DiagnosticCode::WgslTooLarge, Span::default(), message));
        return failed(source, diagnostics, Vec::new());
    }
    let expression = options.expression.map(|of| {
        let file = source.append(of.file.clone(), of.file.clone(), &of.text);
        source.files()[file].span
    });
    let mut names = Names::default();
    for name in MEMBERS {
        names.number(name);
    }
    let (defines, roots, path) = (options.defines, options.roots, options.path);
    let given = imports::Given { defines, roots, path, expression };
    let program = imports::load(&mut source, &mut names, given, files, &mut diagnostics);
    if diagnostics.has_errors() {
        return failed(source, diagnostics, program.files);
    }
    let mut unit = Unit::default();
    let features = |name: &str| {
        program.defines.get(name).is_some_and(|value| !matches!(&**value, "false" | "0"))
    };
    for (number, (module, paths)) in (0..).zip(program.modules.iter().zip(&program.paths)) {
        let context = syntax::Context { names: &names, module: number, paths, features: &features };
        let expression = expression.filter(|_| number == 0);
        syntax::parse(&module.tokens, module.end, expression, context, &mut unit, &mut diagnostics);
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
    let Checked { words, overrides, expression, diagnostics: found } = check::check(set);
    diagnostics.append(found);
    Compiled { source, words, overrides, expression, diagnostics, paths: program.files }
}

/// Members of the structures that functions of the language return.
const MEMBERS: [&str; 5] = ["fract", "whole", "exp", "old_value", "exchanged"];
