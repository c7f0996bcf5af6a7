//! Discovery of tests.

use super::comments::{Kind, NearMiss, Scanned, Syntax, Written, scan};
use super::directive::{self, Directive, GoldenFormat, Wrong};
use super::expectation::Expectation;
use super::folders::{beside, in_folder, is_script, is_vertex, key, look_through, stamp};
use super::groups::{Group, directive_of, grouped};
use crate::failure::{Failure, Result};
use crate::watch;
use lambdav_core::limits;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One test.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// Path of the program, as messages show it.
    pub(super) program: Arc<Path>,
    /// File and line (from 1) of the directive.
    pub(super) place: (PathBuf, usize),
    /// Name among the tests of the program. Empty if the directive has none and is the only one.
    pub(super) name: String,
    /// The words of the directive.
    pub(super) words: String,
    /// The parsed directive, or its error.
    pub(super) directive: std::result::Result<Directive, Wrong>,
    /// The expectations below the directive.
    pub(super) expectations: Vec<Expectation>,
    /// Path of the golden; empty for a test without one.
    pub(super) golden: PathBuf,
    /// Path of the golden relative to the searched folder; empty for a test without one.
    pub(super) within: PathBuf,
    /// Files that the test must not write.
    pub(super) kept: Kept,
}

/// Reasons never to write or remove a file of a test; none if it may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) golden: Option<String>,
    pub(super) new: Option<String>,
    pub(super) differences: Option<String>,
}

impl Test {
    /// Name in messages: the program, and the test's own name.
    pub(super) fn id(&self) -> String {
        let program = self.program.to_string_lossy();
        let program = program.strip_prefix("./").unwrap_or(&program);
        match self.name.as_str() {
            "" => program.to_owned(),
            name => format!("{program}:{name}"),
        }
    }

    /// False for a test that has expectations alone.
    pub(super) fn has_golden(&self) -> bool {
        self.golden != Path::new("")
    }

    /// Path of the picture of a failed test.
    pub(super) fn new_picture(&self) -> PathBuf {
        let kind = self.directive.as_ref().map_or(GoldenFormat::Png, |directive| directive.kind);
        let ending = if kind == GoldenFormat::Digest { "png" } else { kind.ending() };
        self.golden.with_extension(format!("new.{ending}"))
    }

    /// Path of the heat map of a failed test.
    pub(super) fn differences(&self) -> PathBuf {
        self.golden.with_extension("diff.png")
    }
}

/// All tests of the given files and folders.
#[derive(Debug, Default)]
pub(super) struct Planned {
    /// Tests, sorted by program.
    pub(super) tests: Vec<Test>,
    /// The searched folders.
    pub(super) folders: Vec<PathBuf>,
    /// Programs in folders that have no test and that no other program includes.
    pub(super) untested: Vec<PathBuf>,
    /// Warnings: comments that resemble tests, and files of directives without their program.
    pub(super) warnings: Vec<String>,
    /// Programs with malformed directives.
    pub(super) unsure: BTreeSet<PathBuf>,
    /// Files that directives name, by their [keys](key), with the naming test.
    pub(super) inputs: BTreeMap<PathBuf, String>,
}

impl Planned {
    /// The test that has this file as input.
    pub(super) fn reads(&self, path: &Path) -> Option<&String> {
        let target = path.canonicalize().ok();
        self.inputs.get(&key(path)).or_else(|| self.inputs.get(&target?))
    }
}

/// A program as found.
struct Program {
    path: PathBuf,
    tests: Vec<Test>,
    scanned: Vec<(PathBuf, Vec<NearMiss>)>,
    /// [Keys](key) of the files that it includes.
    includes: Vec<PathBuf>,
    is_in_folder: bool,
}

/// Finds the tests of these files and folders, each once, for any spelling of its path.
pub(super) fn plan(paths: &[PathBuf]) -> Result<Planned> {
    let mut programs: BTreeMap<PathBuf, Program> = BTreeMap::new();
    let mut planned = Planned::default();
    for path in paths {
        if path.is_dir() {
            watch::note_as(path, stamp);
            let contents = look_through(path);
            for (name, error) in contents.unreadable {
                let at = if name == Path::new("") { path.clone() } else { in_folder(path, &name) };
                if at == *path {
                    let at = at.display();
                    let message = format!("cannot read the folder `{at}`: {error}");
                    return Err(Failure::file(message, &error));
                }
                let program = broken(&at, &name, format!("cannot read the folder: {error}"));
                programs.entry(key(&at)).or_insert(program);
            }
            for (file, program) in contents.alone {
                let [file, program] = [file, program].map(|name| in_folder(path, &name));
                let (file, program) = (file.display(), program.display());
                planned.warnings.push(format!(
                    "`{file}` is a file of tests, and its program `{program}` is not there"
                ));
            }
            for name in contents.programs {
                let program = in_folder(path, &name);
                // A vertex shader need not have a test.
                let is_drawn = !is_vertex(&name);
                programs
                    .entry(key(&program))
                    .or_insert_with(|| of_program(&program, &name, is_drawn));
            }
            planned.folders.push(path.clone());
        } else if path.exists() {
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            let program = of_program(path, &name, false);
            if program.tests.is_empty() {
                let near = program.scanned.iter().find_map(|(file, near)| {
                    let near = near.first()?;
                    Some(format!("\n{}:{}: {}", file.display(), near.line, near.message))
                });
                let marker = Syntax::of(path).marker(Kind::Test);
                let (path, near) = (path.display(), near.unwrap_or_default());
                return Err(Failure::input(format!(
                    "`{path}` has no test; a test is a comment such as `{marker} --size 64x64`{near}"
                )));
            }
            programs.entry(key(path)).or_insert(program);
        } else {
            let path = path.display();
            return Err(Failure::usage(format!("there is neither a file nor a folder `{path}`")));
        }
    }
    let included: BTreeSet<PathBuf> =
        programs.values().flat_map(|program| program.includes.iter().cloned()).collect();
    let mut all: Vec<(PathBuf, Program)> = programs.into_iter().collect();
    all.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    for (key, program) in all {
        if program.tests.is_empty() && program.is_in_folder && !included.contains(&key) {
            planned.untested.push(program.path.clone());
        }
        planned.add(program);
    }
    planned.keep_apart();
    Ok(planned)
}

impl Planned {
    fn add(&mut self, program: Program) {
        let folder = program.path.parent().unwrap_or(Path::new(""));
        let name = |file: &Path, line: usize| format!("{}:{line}", file.display());
        let mut inputs = Vec::new();
        for test in &program.tests {
            inputs.extend(directive::inputs(&test.words).into_iter().map(|path| (path, test.id())));
        }
        for (file, near) in &program.scanned {
            for near in near {
                let at = name(file, near.line);
                self.warnings.push(format!("{at}: {}", near.message));
                let named = directive::inputs(&near.text).into_iter();
                inputs.extend(named.map(|path| (path, at.clone())));
            }
        }
        let is_unsure = program.tests.iter().any(|test| test.directive.is_err())
            || program.scanned.iter().any(|(_, near)| !near.is_empty());
        if is_unsure && !is_script(&program.path) {
            self.unsure.insert(program.path.clone());
        }
        for (path, id) in inputs {
            let path = folder.join(path);
            if let Ok(target) = path.canonicalize() {
                self.inputs.entry(target).or_insert_with(|| id.clone());
            }
            self.inputs.entry(key(&path)).or_insert(id);
        }
        self.tests.extend(program.tests);
    }

    /// Resolves conflicts of file names: two tests with one golden would overwrite each other's. A
    /// failed test's pictures never replace another test's golden, and no output replaces an input.
    fn keep_apart(&mut self) {
        let mut goldens: BTreeMap<PathBuf, String> = BTreeMap::new();
        for test in &mut self.tests {
            if is_script(&test.program) || !test.has_golden() {
                continue;
            }
            let other = goldens.insert(key(&test.golden), test.id());
            if let (Some(other), Ok(_)) = (other, &test.directive) {
                let golden = test.golden.display();
                let message = format!("its golden `{golden}` is also that of `{other}`");
                test.directive = Err(Wrong::Directive(message));
            }
        }
        let kept = |test: &Test| {
            let input = |path: &Path| {
                let of = self.reads(path)?;
                Some(format!("`{}` is an input of `{of}`", path.display()))
            };
            let beside = |path: PathBuf| {
                let golden = goldens.get(&key(&path));
                let golden =
                    golden.map(|of| format!("`{}` is the golden of `{of}`", path.display()));
                golden.or_else(|| input(&path))
            };
            Kept {
                golden: input(&test.golden),
                new: beside(test.new_picture()),
                differences: beside(test.differences()),
            }
        };
        let all: Vec<Kept> = self.tests.iter().map(kept).collect();
        self.tests.iter_mut().zip(all).for_each(|(test, kept)| test.kept = kept);
    }
}

/// Bytes of a file that may be a program, at most as many as the largest program has.
fn read(path: &Path) -> std::result::Result<Vec<u8>, String> {
    watch::note(path);
    let fail = |error: std::io::Error| format!("cannot read `{}`: {error}", path.display());
    if !path.metadata().map_err(fail)?.is_file() {
        return Err(format!("`{}` is no regular file", path.display()));
    }
    let mut bytes = Vec::new();
    let most = limits::CORE_TEXT as u64 + 1;
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(fail)?;
    Ok(bytes)
}

/// Magic numbers of SPIR-V modules, which have no comments.
const MODULE: [[u8; 4]; 2] = [[0x03, 0x02, 0x23, 0x07], [0x07, 0x23, 0x02, 0x03]];

/// Tests of a program: from its comments, and from the file of directives beside it.
fn of_program(path: &Path, within: &Path, is_in_folder: bool) -> Program {
    if is_script(path) {
        return Program {
            path: path.to_owned(),
            tests: vec![of_script(path, within)],
            scanned: Vec::new(),
            includes: Vec::new(),
            is_in_folder,
        };
    }
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(wrong) => return broken(path, within, wrong),
    };
    let mut includes = Vec::new();
    let mut all: Vec<(PathBuf, Scanned)> = Vec::new();
    if !MODULE.iter().any(|magic| bytes.starts_with(magic)) {
        let text = String::from_utf8_lossy(&bytes);
        let syntax = Syntax::of(path);
        let folder = path.parent().unwrap_or(Path::new(""));
        match syntax {
            Syntax::Semicolon => {
                includes.extend(included(&text).map(|name| key(&folder.join(name))));
            }
            _ => includes.extend(included_by_glsl(&text).map(|name| key(&folder.join(name)))),
        }
        all.push((path.to_owned(), scan(&text, syntax)));
    }
    let beside = beside(path);
    watch::note(&beside);
    if beside.symlink_metadata().is_ok() {
        match read(&beside) {
            Ok(bytes) => {
                let found = scan(&String::from_utf8_lossy(&bytes), Syntax::Beside);
                all.push((beside, found));
            }
            Err(wrong) => return broken(path, within, wrong),
        }
    }
    let mut found: Vec<(PathBuf, Written)> = Vec::new();
    let mut scanned = Vec::new();
    for (file, Scanned { directives, near }) in all {
        found.extend(directives.into_iter().map(|written| (file.clone(), written)));
        scanned.push((file, near));
    }
    let tests = named(path, within, found);
    Program { path: path.to_owned(), tests, scanned, includes, is_in_folder }
}

/// Tests of directives and of expectations without a directive. Several directives need names.
fn named(path: &Path, within: &Path, found: Vec<(PathBuf, Written)>) -> Vec<Test> {
    let program: Arc<Path> = path.into();
    let groups = grouped(found);
    let several = groups.iter().filter(|group| group.words.is_some()).count() > 1;
    let read: Vec<_> = groups.iter().map(directive_of).collect();
    let given = read.iter().filter_map(|(directive, _)| directive.as_ref().ok()?.name.clone());
    let mut taken: BTreeSet<String> = given.collect();
    let mut names = BTreeSet::new();
    let mut by_line = |line: usize| {
        let begins = ["line", "test-line"].map(|word| format!("{word}-{line}"));
        let more = (2..).map(|k: usize| format!("line-{line}-{k}"));
        let mut all = begins.into_iter().chain(more);
        all.find(|name| taken.insert(name.clone())).expect("there is always another name")
    };
    let mut test = |(group, (directive, words)): (Group, (_, String))| {
        let Group { file, line, words: written, expectations } = group;
        let directive: std::result::Result<Directive, Wrong> = directive;
        let name = directive.as_ref().ok().and_then(|directive| directive.name.clone());
        let directive = directive.and_then(|directive| match &name {
            None if several && written.is_some() => {
                let message = "several tests each need a name: `; test: NAME …`";
                Err(Wrong::Directive(message.to_owned()))
            }
            Some(name) if !names.insert(name.clone()) => {
                Err(Wrong::Directive(format!("`{name}` is used twice")))
            }
            _ => Ok(directive),
        });
        // A test without a valid name is named by its line.
        let name = match (name, &directive) {
            (Some(name), Ok(_)) => name,
            (None, Ok(_)) if written.is_some() => String::new(),
            _ => by_line(line),
        };
        let kind = directive.as_ref().map_or(GoldenFormat::Png, |directive| directive.kind);
        let (golden, within) = match kind {
            GoldenFormat::None => (PathBuf::new(), PathBuf::new()),
            kind => (golden(path, &name, kind), golden(within, &name, kind)),
        };
        let (program, place, kept) = (program.clone(), (file, line), Kept::default());
        Test { program, place, name, words, directive, expectations, golden, within, kept }
    };
    groups.into_iter().zip(read).map(&mut test).collect()
}

/// Names in `(include "…")` forms of a text, found without parsing the program.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.split("(include").skip(1).filter_map(|rest| {
        let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        Some(name)
    })
}

/// Names in lines `#include "…"` of a text in GLSL, found without reading it.
fn included_by_glsl(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let name = directive.strip_prefix("include")?.trim_start();
        let (name, _) = name.strip_prefix('"')?.split_once('"')?;
        Some(name)
    })
}

/// Placeholder for a program that cannot be read.
fn broken(path: &Path, within: &Path, wrong: String) -> Program {
    let test = Test { directive: Err(Wrong::Placed(wrong)), ..of_script(path, within) };
    Program {
        path: path.to_owned(),
        tests: vec![test],
        scanned: Vec::new(),
        includes: Vec::new(),
        is_in_folder: true,
    }
}

/// The one test of a script, which holds its own expectations.
fn of_script(path: &Path, within: &Path) -> Test {
    Test {
        program: path.into(),
        place: (path.to_owned(), 1),
        name: String::new(),
        words: String::new(),
        directive: Err(Wrong::Placed("a script has no directive".to_owned())),
        expectations: Vec::new(),
        golden: path.to_owned(),
        within: within.to_owned(),
        kept: Kept::default(),
    }
}

/// Path of a golden.
fn golden(program: &Path, name: &str, kind: GoldenFormat) -> PathBuf {
    let mut file = program.file_stem().unwrap_or_default().to_owned();
    if !name.is_empty() {
        file.push(".");
        file.push(name);
    }
    file.push(".");
    file.push(kind.ending());
    program.with_file_name(file)
}
