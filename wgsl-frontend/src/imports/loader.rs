//! Reads the main file, and all files that it needs.

use super::state::{Given, Loader, Program};
use super::{Module, reader, resolve};
use crate::templates::discover;
use crate::token::Names;
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::files::Files;
use lambdav_core::source::SourceFile;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// Reads the program of a text, the only file of `source`.
pub(crate) fn load(
    source: &mut SourceFile,
    names: &mut Names,
    given: Given<'_>,
    files: &mut dyn Files,
    diagnostics: &mut Diagnostics,
) -> Program {
    let parent = given.path.and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() };
    let canonical_folder = files.canonical(&folder).unwrap_or_default();
    let mut allowed: Vec<PathBuf> = Vec::new();
    if !canonical_folder.as_os_str().is_empty() {
        allowed.push(canonical_folder.clone());
    }
    allowed.extend(given.roots.iter().filter_map(|root| files.canonical(root).ok()));
    let defines = given.defines.iter().cloned().collect();
    let mut loader = Loader {
        source,
        names,
        diagnostics,
        files,
        roots: given.roots,
        folder: folder.clone(),
        allowed,
        canonical_folder,
        program: Program { defines, ..Program::default() },
        by_file: FxHashMap::default(),
        index: None,
        included: FxHashSet::default(),
        reported: FxHashSet::default(),
    };
    if let Some(path) = given.path
        && let Ok(canonical) = loader.files.canonical(path)
    {
        loader.by_file.insert(canonical, 0);
    }
    let stem = given.path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
    let path = vec![stem.unwrap_or("main").to_owned()];
    let end = loader.source.files()[0].span.end;
    loader.program.modules.push(Module { path, folder, end, ..Module::default() });
    let mut next = 0;
    while next < loader.program.modules.len() {
        let mut module = std::mem::take(&mut loader.program.modules[next]);
        let span = loader.source.files()[module.file].span;
        // Others that name this module while it is read know its path.
        loader.program.modules[next].path.clone_from(&module.path);
        reader::read(&mut loader, span, &mut module, next == 0);
        if let Some(expression) = given.expression.filter(|_| next == 0) {
            reader::read_expression(&mut loader, expression, &mut module);
        }
        let tokens = std::mem::take(&mut module.tokens);
        module.tokens = discover(tokens);
        loader.program.modules[next] = module;
        resolve::module(&mut loader, next);
        next += 1;
    }
    loader.program
}
