//! Names and paths of a module: to which declarations they lead.

use super::state::Loader;
use super::{Dialect, Import};
use crate::syntax::tree::Reference;
use crate::token::{Name, Punctuation as P, TokenKind};
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;
use std::path::Path;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Target {
    Module(usize),
    Declaration(usize, String),
}

/// Resolves the imports and paths of a module; reads the modules that they name.
pub(super) fn module(loader: &mut Loader<'_>, number: usize) {
    let mut aliases: FxHashMap<String, Target> = FxHashMap::default();
    for import in loader.program.modules[number].imports.clone() {
        // naga_oil does not read a module without references to it: it may need names that are not defined.
        if import.dialect == Dialect::Oil && !is_named(loader, number, import.name()) {
            let count = import.path.len();
            let paths = [count, count.saturating_sub(1)].map(|n| import.path[..n].join("::"));
            if !paths.iter().any(|path| loader.oil_file(path).is_some()) {
                loader.no_module(&import);
            }
            continue;
        }
        match target(loader, number, &import) {
            Some(target) => {
                if let Target::Declaration(module, item) = &target {
                    note(loader, number, import.name(), *module, item);
                }
                aliases.insert(import.name().to_owned(), target);
            }
            None => loader.no_module(&import),
        }
    }
    let mut paths: FxHashMap<Box<[Name]>, Reference> = FxHashMap::default();
    for (names, at) in paths_of(loader, number) {
        if paths.contains_key(&names[..]) {
            continue;
        }
        let texts: Vec<String> =
            names.iter().map(|&name| loader.names.text(name).to_owned()).collect();
        if let Some((module, item)) = path(loader, number, &aliases, &texts, at) {
            let name = loader.names.number(&item);
            paths.insert(names.into(), Reference { module: module as u32, name });
        }
    }
    loader.program.paths.push(paths);
}

/// True if a name stands in the text of a module. A name that is none, such as `*`, counts.
fn is_named(loader: &Loader<'_>, number: usize, name: &str) -> bool {
    let mut tokens = loader.program.modules[number].tokens.iter();
    let is_word = name.chars().all(|c| c == '_' || c.is_alphanumeric());
    !is_word
        || tokens.any(|token| match token.kind {
            TokenKind::Name(own) => loader.names.text(own) == name,
            _ => false,
        })
}

/// Notes that a name of a module is declared elsewhere.
fn note(loader: &mut Loader<'_>, number: usize, name: &str, module: usize, item: &str) {
    let name = loader.names.number(name);
    let item = loader.names.number(item);
    let own = Reference { module: number as u32, name };
    loader.program.imports.insert(own, Reference { module: module as u32, name: item });
}

/// All paths in the tokens of a module, each once or more.
fn paths_of(loader: &Loader<'_>, number: usize) -> Vec<(Vec<Name>, Span)> {
    let tokens = &loader.program.modules[number].tokens;
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let TokenKind::Name(first) = token.kind else {
            at += 1;
            continue;
        };
        let mut names = vec![first];
        let mut span = token.span;
        at += 1;
        while tokens.get(at).is_some_and(|one| one.kind == TokenKind::Punctuation(P::Path))
            && let Some(next) = tokens.get(at + 1)
            && let TokenKind::Name(name) = next.kind
        {
            names.push(name);
            span = span.to(next.span);
            at += 2;
        }
        if names.len() > 1 {
            all.push((names, span));
        }
    }
    all
}

/// The declaration that a path leads to.
fn path(
    loader: &mut Loader<'_>,
    number: usize,
    aliases: &FxHashMap<String, Target>,
    texts: &[String],
    at: Span,
) -> Option<(usize, String)> {
    let (item, modules) = texts.split_last()?;
    // The first name may be imported.
    if let Some(Target::Module(module)) = modules.first().and_then(|first| aliases.get(first)) {
        if modules.len() == 1 {
            return Some((*module, item.clone()));
        }
        let mut whole = loader.program.modules[*module].path.clone();
        whole.extend_from_slice(&modules[1..]);
        let module = loader.oil_module(&whole.join("::"))?;
        return Some((module, item.clone()));
    }
    for dialect in [Dialect::Oil, Dialect::Wesl] {
        let import = Import { path: texts.to_vec(), alias: None, at, dialect };
        if let Some(Target::Declaration(module, item)) = target(loader, number, &import) {
            return Some((module, item));
        }
    }
    None
}

/// What an import names.
fn target(loader: &mut Loader<'_>, number: usize, import: &Import) -> Option<Target> {
    let (item, modules) = import.path.split_last()?;
    match import.dialect {
        Dialect::Oil => {
            if let Some(module) = loader.oil_module(&import.path.join("::")) {
                return Some(Target::Module(module));
            }
            if modules.is_empty() {
                return None;
            }
            let module = loader.oil_module(&modules.join("::"))?;
            Some(Target::Declaration(module, item.clone()))
        }
        Dialect::Wesl => {
            if let Some(module) = wesl_module(loader, number, modules) {
                return Some(Target::Declaration(module, item.clone()));
            }
            wesl_module(loader, number, &import.path).map(Target::Module)
        }
    }
}

/// The module of a path of WESL.
fn wesl_module(loader: &mut Loader<'_>, number: usize, path: &[String]) -> Option<usize> {
    let (first, mut rest) = path.split_first()?;
    let own = loader.program.modules[number].path.clone();
    let mut segments: Vec<String> = match first.as_str() {
        "package" => Vec::new(),
        "self" => own,
        "super" => {
            let mut above = own;
            above.pop();
            while let Some((next, behind)) = rest.split_first()
                && next == "super"
            {
                above.pop()?;
                rest = behind;
            }
            above
        }
        // Another package: a folder below a root, or a root of that name.
        package => {
            for root in loader.roots {
                let is_root = root.file_name().is_some_and(|name| name == package);
                let folder = if is_root { root.clone() } else { root.join(package) };
                let found = wesl_file(loader, &folder, rest, path);
                if found.is_some() {
                    return found;
                }
            }
            return None;
        }
    };
    segments.extend_from_slice(rest);
    let folder = loader.folder.clone();
    let full = segments.clone();
    wesl_file(loader, &folder, &segments, &full)
}

/// The module in a file below a folder.
fn wesl_file(
    loader: &mut Loader<'_>,
    folder: &Path,
    segments: &[String],
    path: &[String],
) -> Option<usize> {
    let is_plain = |segment: &String| segment.chars().all(|c| c == '_' || c.is_alphanumeric());
    if segments.is_empty() || !segments.iter().all(is_plain) {
        return None;
    }
    let mut file = folder.to_owned();
    file.extend(segments);
    for ending in ["wesl", "wgsl"] {
        let file = file.with_extension(ending);
        if let Some(module) = loader.module_of(&file, path.to_vec()) {
            return Some(module);
        }
    }
    None
}
