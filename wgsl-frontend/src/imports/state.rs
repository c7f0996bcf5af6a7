//! The state of reading: files, modules, messages.

use super::conditions::Defines;
use super::search::{Index, index};
use super::{Dialect, Import, Module};
use crate::syntax::tree::Reference;
use crate::token::{Name, Names};
use lambdav_core::decode::decode;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, quote};
use lambdav_core::files::{Files, Found, Unresolved, relative, resolve as find};
use lambdav_core::limits::FOREIGN_TEXT;
use lambdav_core::source::{SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// All modules of a program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The main file first.
    pub(crate) modules: Vec<Module>,
    /// Where the imported names of modules are declared.
    pub(crate) imports: FxHashMap<Reference, Reference>,
    /// For each module, the declarations that paths in it lead to.
    pub(crate) paths: Vec<FxHashMap<Box<[Name]>, Reference>>,
    /// Canonical paths of the other files.
    pub(crate) files: Vec<PathBuf>,
    /// Names that conditions know.
    pub(crate) defines: Defines,
}

/// What a user gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    /// Names that conditions know, with their values.
    pub(crate) defines: &'a [(String, String)],
    /// Folders in which modules are searched.
    pub(crate) roots: &'a [PathBuf],
    /// The path of the main file.
    pub(crate) path: Option<&'a Path>,
    /// The place of an expression that follows the main file's text.
    pub(crate) expression: Option<Span>,
}

/// The state of reading.
pub(super) struct Loader<'a> {
    pub(super) source: &'a mut SourceFile,
    pub(super) names: &'a mut Names,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) files: &'a mut dyn Files,
    pub(super) roots: &'a [PathBuf],
    /// The folder of the main file, and canonical folders below which files may lie.
    pub(super) folder: PathBuf,
    pub(super) allowed: Vec<PathBuf>,
    pub(super) canonical_folder: PathBuf,
    pub(super) program: Program,
    /// Modules by canonical path.
    pub(super) by_file: FxHashMap<PathBuf, usize>,
    pub(super) index: Option<Index>,
    /// Files whose text stands in place of a line already.
    pub(super) included: FxHashSet<PathBuf>,
    pub(super) reported: FxHashSet<String>,
}

impl Loader<'_> {
    pub(super) fn wrong(&mut self, at: Span, message: impl Into<String>) -> &mut Self {
        self.diagnostics.push(Diagnostic::new(DiagnosticCode::WgslDirective, at, message));
        self
    }

    pub(super) fn help(&mut self, help: impl Into<String>) {
        self.diagnostics.amend(|last| last.help(help));
    }

    /// The modules of naga_oil below the folders.
    pub(super) fn index(&mut self) -> &Index {
        if self.index.is_none() {
            let mut folders = self.roots.to_vec();
            if !self.canonical_folder.as_os_str().is_empty() {
                folders.insert(0, self.folder.clone());
            }
            self.index = Some(index(self.files, &folders));
        }
        self.index.get_or_insert_default()
    }

    /// The file of the module of naga_oil with this path.
    pub(super) fn oil_file(&mut self, path: &str) -> Option<PathBuf> {
        match self.index().modules.get(path) {
            Some(file) => Some(file.clone()),
            // A path in quotation marks is a file, often below a folder of assets that nobody names.
            None if path.ends_with(".wgsl") => {
                let folders = self.folders(&self.folder.clone());
                match find(self.files, path, &folders, &self.allowed) {
                    Ok(found) => Some(found.path),
                    Err(_) => self.index().ending(Path::new(path)).cloned(),
                }
            }
            None => None,
        }
    }

    /// The module of naga_oil with this path.
    pub(super) fn oil_module(&mut self, path: &str) -> Option<usize> {
        let file = self.oil_file(path)?;
        let segments = path.split("::").map(str::to_owned).collect();
        self.module_of(&file, segments)
    }

    /// The module of a file below the folders.
    pub(super) fn module_of(&mut self, path: &Path, segments: Vec<String>) -> Option<usize> {
        let canonical = self.files.canonical(path).ok()?;
        if !self.allowed.iter().any(|folder| canonical.starts_with(folder)) {
            return None;
        }
        if let Some(&number) = self.by_file.get(&canonical) {
            return Some(number);
        }
        let file =
            self.append(&Found { path: path.to_owned(), canonical: canonical.clone() }, None)?;
        self.by_file.insert(canonical, self.program.modules.len());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let end = self.source.files()[file].span.end;
        let module = Module { path: segments, folder, file, end, ..Module::default() };
        self.program.modules.push(module);
        Some(self.program.modules.len() - 1)
    }

    pub(super) fn folders(&self, own: &Path) -> Vec<PathBuf> {
        let mut all = vec![own.to_owned()];
        all.extend(self.roots.iter().cloned());
        all
    }

    /// The span of a file that stands in place of a line; nothing if it was read before, or could not be.
    pub(super) fn text_of(&mut self, text: &str, own: &Path, at: Span) -> Option<(Span, PathBuf)> {
        let folders = self.folders(own);
        let found = match find(self.files, text, &folders, &self.allowed) {
            Ok(found) => found,
            Err(why) => {
                let shown = quote(text);
                let message = match why {
                    Unresolved::NoPath => "the path is none".to_owned(),
                    Unresolved::Absolute => format!("{shown} is an absolute path"),
                    Unresolved::Outside => {
                        format!("{shown} lies outside of the folders that may be read")
                    }
                    Unresolved::Missing => format!("cannot read {shown}: there is no such file"),
                    Unresolved::System(why) => format!("cannot read {shown}: {why}"),
                };
                self.wrong(at, message).help(
                    "a path is relative to the folder of the file, or to a folder of `--include`",
                );
                return None;
            }
        };
        self.insert(&found, at)
    }

    /// The span of the file of this name anywhere below the folders.
    pub(super) fn text_by_stem(&mut self, stem: &str, at: Span) -> Option<Option<(Span, PathBuf)>> {
        let path = self.index().stems.get(stem)?.clone();
        let canonical = self.files.canonical(&path).ok()?;
        if !self.allowed.iter().any(|folder| canonical.starts_with(folder)) {
            return None;
        }
        Some(self.insert(&Found { path, canonical }, at))
    }

    fn insert(&mut self, found: &Found, at: Span) -> Option<(Span, PathBuf)> {
        if !self.included.insert(found.canonical.clone()) {
            return None;
        }
        let file = self.append(found, Some(at))?;
        let folder = found.path.parent().unwrap_or(Path::new("")).to_owned();
        Some((self.source.files()[file].span, folder))
    }

    /// Adds a file to the source.
    fn append(&mut self, found: &Found, at: Option<Span>) -> Option<usize> {
        let shown = quote(&found.path.to_string_lossy()).to_string();
        let at = at.unwrap_or_default();
        let room = FOREIGN_TEXT.saturating_sub(self.source.text().len());
        let bytes = match self.files.read(&found.canonical, room) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.wrong(at, format!("cannot read {shown}: {why}"));
                return None;
            }
        };
        if bytes.len() >= room {
            let message =
                format!("all files together are longer than {FOREIGN_TEXT} bytes (4 MiB)");
            self.diagnostics.push(Diagnostic::new(DiagnosticCode::WgslTooLarge, at, message));
            return None;
        }
        // The text of a file that is none stays out of the source.
        let file = match decode(found.path.to_string_lossy(), bytes, FOREIGN_TEXT) {
            Ok(file) => file,
            Err((_, why)) => {
                self.wrong(at, format!("cannot read {shown}: {}", why.message));
                return None;
            }
        };
        let name = found.path.to_string_lossy().into_owned();
        let module_name = relative(&found.canonical, &self.canonical_folder);
        self.program.files.push(found.canonical.clone());
        Some(self.source.append(name, module_name, file.text()))
    }

    /// Reports a module that no file is, once.
    pub(super) fn no_module(&mut self, import: &Import) {
        let path = import.path.join("::");
        if !self.reported.insert(path.clone()) {
            return;
        }
        let message = match import.dialect {
            Dialect::Oil => format!("no file has the module of {}", quote(&path)),
            Dialect::Wesl => format!("no file is the module of {}", quote(&path)),
        };
        self.wrong(import.at, message);
        self.help(match import.dialect {
            Dialect::Oil if self.index.as_ref().is_some_and(|index| index.is_cut) => {
                "the folders have too many files, and not all were searched; name smaller ones by `--include`"
            }
            Dialect::Oil => {
                "a file says `#define_import_path` with the module's path; name its folder by `--include`"
            }
            Dialect::Wesl => {
                "`package::a::b` is `a.wesl` or `a.wgsl` in the main file's folder; `--include` names other folders"
            }
        });
    }
}
