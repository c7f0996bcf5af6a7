//! Reads the main file, and all files that it needs.

use super::conditions::Defines;
use super::search::{Index, index};
use super::{Dialect, Import, Module, resolve};
use crate::Options;
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

/// The state of reading.
pub(super) struct Loader<'a> {
    pub(super) source: &'a mut SourceFile,
    pub(super) names: &'a mut Names,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) files: &'a mut dyn Files,
    pub(super) roots: &'a [PathBuf],
    /// The folder of the main file, and canonical folders below which files may lie.
    pub(super) folder: PathBuf,
    allowed: Vec<PathBuf>,
    canonical_folder: PathBuf,
    pub(super) program: Program,
    /// Modules by canonical path.
    by_file: FxHashMap<PathBuf, usize>,
    index: Option<Index>,
    /// Files whose text stands in place of a line already.
    included: FxHashSet<PathBuf>,
    reported: FxHashSet<String>,
}

/// Reads the program of a text, the only file of `source`.
pub(crate) fn load(
    source: &mut SourceFile,
    names: &mut Names,
    options: &Options<'_>,
    files: &mut dyn Files,
    diagnostics: &mut Diagnostics,
) -> Program {
    let parent = options.path.and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() };
    let canonical_folder = files.canonical(&folder).unwrap_or_default();
    let mut allowed: Vec<PathBuf> = Vec::new();
    if !canonical_folder.as_os_str().is_empty() {
        allowed.push(canonical_folder.clone());
    }
    allowed.extend(options.roots.iter().filter_map(|root| files.canonical(root).ok()));
    let defines = options.defines.iter().cloned().collect();
    let mut loader = Loader {
        source,
        names,
        diagnostics,
        files,
        roots: options.roots,
        folder: folder.clone(),
        allowed,
        canonical_folder,
        program: Program { defines, ..Program::default() },
        by_file: FxHashMap::default(),
        index: None,
        included: FxHashSet::default(),
        reported: FxHashSet::default(),
    };
    if let Some(path) = options.path
        && let Ok(canonical) = loader.files.canonical(path)
    {
        loader.by_file.insert(canonical, 0);
    }
    let stem = options.path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
    let module =
        Module { path: vec![stem.unwrap_or("main").to_owned()], folder, ..Module::default() };
    loader.read(0, module);
    let mut next = 0;
    while next < loader.program.modules.len() {
        resolve::module(&mut loader, next);
        next += 1;
    }
    loader.program
}

impl Loader<'_> {
    pub(super) fn wrong(&mut self, at: Span, message: impl Into<String>) -> &mut Self {
        self.diagnostics.push(Diagnostic::new(DiagnosticCode::WgslDirective, at, message));
        self
    }

    pub(super) fn help(&mut self, help: impl Into<String>) {
        self.diagnostics.amend(|last| last.help(help));
    }

    /// Reads a file of the source as a module.
    fn read(&mut self, file: usize, mut module: Module) -> usize {
        let span = self.source.files()[file].span;
        module.end = span.end;
        let number = self.program.modules.len();
        let is_main = number == 0;
        self.program.modules.push(Module::default());
        super::reader::read(self, span, &mut module, is_main);
        let tokens = std::mem::take(&mut module.tokens);
        module.tokens = crate::templates::discover(tokens);
        self.program.modules[number] = module;
        number
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

    /// The module of naga_oil with this path.
    pub(super) fn oil_module(&mut self, path: &str) -> Option<usize> {
        let file = match self.index().modules.get(path) {
            Some(file) => file.clone(),
            // A path in quotation marks is a file.
            None if path.ends_with(".wgsl") => {
                let folders = self.folders(&self.folder.clone());
                find(self.files, path, &folders, &self.allowed).ok()?.path
            }
            None => return None,
        };
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
        Some(self.read(file, Module { path: segments, folder, ..Module::default() }))
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
                format!("all files together are longer than {FOREIGN_TEXT} bytes (1 MiB)");
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
            Dialect::Oil => {
                "a file says `#define_import_path` with the module's path; name its folder by `--include`"
            }
            Dialect::Wesl => {
                "`package::a::b` is `a.wesl` or `a.wgsl` in the main file's folder; `--include` names other folders"
            }
        });
    }
}
