//! GLSL of all dialects to SPIR-V.
//!
//! [`compile`] takes a text, finds its [`Dialect`], and returns the words of a module, plain and unoptimised,
//! with names and lines, or diagnostics.
//!
//! # How
//!
//! 1. A dialect is text around the shader (`dialect`).
//! 2. The preprocessor reads all of it, with includes and macros ([`mod@preprocess`]).
//! 3. The parser makes a tree (`syntax`). Expressions are sequences of nodes in the order of evaluation, so
//!    nothing recurses on their depth; statements nest up to a limit.
//! 4. The check goes through the tree once and writes SPIR-V (`check`). It enforces all rules of the language,
//!    so that what comes out is a valid module.
//!
//! # Guarantees
//!
//! - *Any text gives a module or diagnostics, in time and memory linear in the text*, never a panic.
//! - Left operands are evaluated before right ones, arguments from left to right; `out` parameters are copied
//!   back in their order.
//! - Nothing is folded but constant expressions of the language, by operations that IEEE 754 defines. No
//!   function is folded.
//!
//! Modules depend on one another in this order only: `mutants`, `token`, `version` → [`mod@preprocess`], `types` → `dialect`,
//! `syntax` → `check`.
#![forbid(unsafe_code)]

mod check;
mod dialect;
pub mod mutants;
pub mod preprocess;
mod syntax;
pub mod token;
mod types;
pub mod version;

pub use check::{Stage, UniformDefault};
pub use dialect::{Dialect, defines_main, is_glsl};

use check::{Checked, Setting};
use dialect::{TextWords, without_comments};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::files::Files;
use lambdav_core::flat::{FlatType, PlacedExpression};
use lambdav_core::limits::{self, FOREIGN_TEXT};
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv::Guard;
use preprocess::{Preprocessed, SourceString, preprocess};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use syntax::Words;
use token::Token;

/// What a text is compiled with.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The dialect; by default the one that the text looks like.
    pub dialect: Option<Dialect>,
    /// The stage.
    pub stage: Stage,
    /// Macros and their replacements.
    pub defines: &'a [(String, String)],
    /// Folders that `#include` searches.
    pub roots: &'a [PathBuf],
    /// The path of the file.
    pub path: Option<&'a Path>,
    /// An expression in the scope behind the text. The module has one entry point, a fragment stage whose outputs are
    /// the words of its value, as [`lambdav_core::flat`] defines; the text needs no `main`.
    pub expression: Option<&'a PlacedExpression>,
    /// Most errors, and most warnings, that are kept.
    pub most: usize,
}

impl Options<'_> {
    /// Options of a text in memory: no dialect is given, and nothing can be included.
    pub fn new(stage: Stage) -> Self {
        Self {
            dialect: None,
            stage,
            defines: &[],
            roots: &[],
            path: None,
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
    /// The dialect.
    pub dialect: Dialect,
    /// Defaults of uniforms; others are zero.
    pub defaults: Vec<UniformDefault>,
    /// Instructions that are executed although the text does not ask for it.
    pub guards: Vec<Guard>,
    /// The type of the expression, if the options have one and there is no error.
    pub expression: Option<FlatType>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// Canonical paths of included files.
    pub paths: Vec<PathBuf>,
    /// What is worth a note to the user.
    pub notes: Vec<String>,
}

impl Compiled {
    fn failed(source: SourceFile, diagnostics: Diagnostics) -> Self {
        Self {
            source,
            words: None,
            dialect: Dialect::OpenGl,
            defaults: Vec::new(),
            guards: Vec::new(),
            expression: None,
            diagnostics,
            paths: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Compiles a text, the only file of `source`.
pub fn compile(source: SourceFile, options: &Options<'_>, files: &mut dyn Files) -> Compiled {
    let (compiled, cubes) = compile_with(source.clone(), options, files, &[]);
    // Shadertoy says elsewhere of what kind a channel is; the text says it by the coordinates.
    match compiled.dialect == Dialect::Shadertoy && !cubes.is_empty() {
        true => compile_with(source, options, files, &cubes).0,
        false => compiled,
    }
}

/// Compiles a text whose channels `cubes` are cube maps. Also returns the textures that should be.
fn compile_with(
    mut source: SourceFile,
    options: &Options<'_>,
    files: &mut dyn Files,
    cubes: &[String],
) -> (Compiled, Vec<String>) {
    let length = source.text().len();
    if length > FOREIGN_TEXT {
        let mut diagnostics = Diagnostics::new(options.most);
        let message = format!("the text has {length} bytes; GLSL may have {FOREIGN_TEXT}");
        diagnostics.push(Diagnostic::new(DiagnosticCode::GlslTooLarge, Span::default(), message));
        return (Compiled::failed(source, diagnostics), Vec::new());
    }
    let mut code = without_comments(source.text());
    let mut words = TextWords::of(&code);
    let dialect = options.dialect.unwrap_or_else(|| Dialect::of(source.text(), &words));
    let common = match dialect {
        Dialect::Shadertoy => common(options.path, files),
        _ => None,
    };
    let text = match &common {
        Some((_, text)) => Cow::Owned(format!("{text}\n{}", source.text())),
        None => Cow::Borrowed(source.text()),
    };
    if common.is_some() {
        code = without_comments(&text);
        words = TextWords::of(&code);
    }
    let (frame, default_version) = dialect::frame(dialect, &text, &words, options.path, cubes);
    let mut order = vec![0];
    let mut paths = Vec::new();
    let mut notes = frame.notes;
    if let Some((path, text)) = common {
        notes.push(format!("`{}` is read in front of the text", path.display()));
        let name = path.to_string_lossy().into_owned();
        let module_name = "Common.glsl".to_owned();
        order.insert(0, source.append(name, module_name, &text));
        paths.push(path);
    }
    if !frame.before.is_empty() {
        let name = format!("<{}>", dialect.name());
        order.insert(0, source.append(name.clone(), name, &frame.before));
    }
    if !frame.behind.is_empty() {
        let name = format!("<end of {}>", dialect.name());
        order.push(source.append(name.clone(), name, &frame.behind));
    }
    let expression = options.expression.map(|of| {
        let file = source.append(of.file.clone(), of.file.clone(), &of.text);
        order.push(file);
        source.files()[file].span
    });
    let settings = preprocess::Settings {
        defines: options.defines,
        default_version,
        vulkan: dialect == Dialect::Vulkan,
        roots: options.roots,
        path: options.path,
        most: options.most,
    };
    let preprocessed = preprocess(&mut source, &order, &settings, files);
    let int_to_uint = preprocessed.int_to_uint();
    let Preprocessed { tokens, names, version, lines, diagnostics, paths: included, .. } =
        preprocessed;
    paths.extend(included);
    let mut compiled = Compiled {
        source,
        words: None,
        dialect,
        defaults: Vec::new(),
        guards: Vec::new(),
        expression: None,
        diagnostics,
        paths,
        notes,
    };
    let mut cubes = Vec::new();
    if !compiled.diagnostics.has_errors() {
        let setting = Setting {
            source: &compiled.source,
            names: &names,
            version,
            int_to_uint,
            stage: options.stage,
            is_expression: expression.is_some(),
            most: options.most,
        };
        let (checked, diagnostics) = compile_tokens(&tokens, expression, setting, dialect);
        compiled.diagnostics.append(diagnostics);
        if !compiled.diagnostics.has_errors() {
            compiled.words = Some(checked.words);
            compiled.defaults = checked.defaults;
            compiled.guards = checked.guards;
            compiled.expression = checked.expression;
        }
        cubes = checked.deeper;
    }
    for found in compiled.diagnostics.iter_mut() {
        let place = lines.place(&compiled.source, found.primary.span.start);
        found.notes.extend(place.map(|(line, string)| match string {
            Some(SourceString::Path(path)) => format!("`#line` calls this line {line} of {path}"),
            Some(SourceString::Number(number)) => {
                format!("`#line` calls this line {line} of string {number}")
            }
            None => format!("`#line` calls this line {line}"),
        }));
    }
    (compiled, cubes)
}

/// Parses and checks. `expression` is the place of the expression behind the text.
fn compile_tokens(
    tokens: &[Token],
    expression: Option<Span>,
    setting: Setting<'_>,
    dialect: Dialect,
) -> (Checked, Diagnostics) {
    let words = Words::new(setting.names, setting.version, dialect == Dialect::Vulkan);
    let (unit, mut diagnostics) =
        syntax::parse(tokens, expression, setting.names, &words, setting.most);
    if diagnostics.has_errors() {
        return (Checked::default(), diagnostics);
    }
    let (checked, found) = check::check(&unit, setting);
    diagnostics.append(found);
    (checked, diagnostics)
}

/// Shadertoy's tab `Common`: the file `Common.glsl` beside the text.
fn common(path: Option<&Path>, files: &mut dyn Files) -> Option<(PathBuf, String)> {
    let path = path?;
    let beside = path.with_file_name("Common.glsl");
    let [own, canonical] = [path, &*beside].map(|path| files.canonical(path).ok());
    let canonical = canonical.filter(|canonical| own.as_ref() != Some(canonical))?;
    let bytes = files.read(&canonical, FOREIGN_TEXT).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= FOREIGN_TEXT)?;
    Some((beside, text))
}
