//! Programs of several files.
//!
//! Three ways to use another file are read, and may be mixed:
//!
//! - WESL: `import package::a::{b, c as d};`, and paths in the text. A module is a file below the main file's folder
//!   (`package`), beside the file (`super`), or below a folder of `--include`.
//! - naga_oil (Bevy): `#import a::b::{c, d as e}`. A module is the file that says `#define_import_path a::b`, below the
//!   main file's folder or a folder of `--include`. Lines that begin with `#if` and the like choose text.
//! - Text in place of a line: `#include "path"`, `#import <path>` (rerun), `#import name` (vello), each file once.
//!
//! *Files are read below the main file's folder and the folders of `--include` only*, all together up to the limit of
//! one text.

mod clauses;
mod conditions;
mod loader;
mod reader;
mod resolve;
mod search;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use loader::load;
pub(crate) use state::Given;

use crate::token::Token;
use lambdav_core::source::Span;

/// A file with its imports.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Its tokens; those of text in place of lines are among them.
    pub(crate) tokens: Vec<Token>,
    /// Where it ends.
    pub(crate) end: u32,
    imports: Vec<Import>,
    /// The path of naga_oil, or the folders and the name of WESL.
    path: Vec<String>,
    /// The folder of the file.
    folder: std::path::PathBuf,
    /// The number of the file in the source.
    file: usize,
}

/// A name that an import makes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    /// Modules and, perhaps, a declaration.
    path: Vec<String>,
    /// The name in this file; by default the last one.
    alias: Option<String>,
    at: Span,
    dialect: Dialect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Wesl,
    Oil,
}

impl Import {
    /// The name in this file.
    fn name(&self) -> &str {
        self.alias.as_deref().or(self.path.last().map(String::as_str)).unwrap_or_default()
    }
}
