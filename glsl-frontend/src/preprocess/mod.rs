//! The preprocessor of GLSL: comments, directives and macros (GLSL 4.60 §3.3, GLSL ES 3.20 §3.4).
//!
//! Files are split into [preprocessing tokens](lexer) once each. A stack of open files yields the tokens between
//! directives; [expand] replaces macros. Nothing recurses on the text's nesting, and [`limits`](lambdav_core::limits) bounds what
//! macros and repeated inclusions add, so time and memory are linear in the text.

mod condition;
mod define;
mod directive;
mod expand;
mod expression;
mod include;
mod lexer;
mod lines;
mod number;
mod output;
mod predefined;
mod state;
mod substitute;
#[cfg(test)]
mod tests;
mod version_line;

pub use lines::{Lines, SourceString};
pub use state::{Behaviour, Extension, Pragma, Preprocessed, Settings};
pub use version_line::scan_version;

use lambdav_core::files::Files;
use lambdav_core::source::SourceFile;
use state::Preprocessor;
use std::path::Path;

/// Preprocesses a program. `order` has the indices of the files of `source` that are read one after the other,
/// all with the same macros, such as a prologue, the main file and an epilogue. File 0 is the main file.
/// Included files are added to `source`, each once.
pub fn preprocess(
    source: &mut SourceFile,
    order: &[usize],
    settings: &Settings<'_>,
    files: &mut dyn Files,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(source, settings, files);
    preprocessor.find_folders();
    preprocessor.find_version(order);
    preprocessor.predefine();
    preprocessor.define_all();
    for &index in order {
        if !preprocessor.stopped {
            let path = settings.path.unwrap_or(Path::new("")).to_owned();
            preprocessor.open_file(index, path, false);
            expand::expand_files(&mut preprocessor);
        }
    }
    preprocessor.finish(order)
}
