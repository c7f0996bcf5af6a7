//! Which tests there are.

use super::directive::{self, Directive, Found, Kind};
use crate::command::failure::{Failure, Result};
use crate::command::files::files_under;
use crate::command::watch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ending of the file in which a SPIR-V module, which has no comments, has its directives.
const BESIDE: &str = "test";

/// One test.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// The file of the program, as messages call it.
    pub(super) program: Arc<Path>,
    /// Where the directive is: a file and its line, from 1.
    pub(super) place: (PathBuf, usize),
    /// Its name among the tests of the program; empty if it needs none.
    pub(super) name: String,
    /// What is asked for, or what is wrong with that.
    pub(super) directive: std::result::Result<Directive, String>,
    /// The file of its golden.
    pub(super) golden: PathBuf,
    /// The same, relative to the folder that was looked through for programs.
    pub(super) within: PathBuf,
}

impl Test {
    /// What it is called: the program, and its name.
    pub(super) fn id(&self) -> String {
        let program = self.program.to_string_lossy();
        let program = program.strip_prefix("./").unwrap_or(&program);
        match self.name.as_str() {
            "" => program.to_owned(),
            name => format!("{program}:{name}"),
        }
    }

    /// The file of something else that belongs to it, such as `new.png`.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        self.golden.with_extension(ending)
    }
}

/// All tests of some files and folders.
#[derive(Debug)]
pub(super) struct Planned {
    /// In the order of their names.
    pub(super) tests: Vec<Test>,
    /// The folders that were looked through, with what is under them.
    pub(super) folders: Vec<PathBuf>,
}

/// Finds the tests of these files and folders.
pub(super) fn plan(paths: &[PathBuf]) -> Result<Planned> {
    let mut programs = BTreeMap::new();
    let mut folders = Vec::new();
    for path in paths {
        if path.is_dir() {
            for name in files_under(path, &is_program)? {
                let program = in_folder(path, &name);
                let tests = of_program(&program, &name)?;
                programs.insert(program, tests);
            }
            folders.push(path.clone());
        } else if path.exists() {
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            let tests = of_program(path, &name)?;
            if tests.is_empty() {
                let path = path.display();
                return Err(Failure::input(format!(
                    "`{path}` has no test; a test is a comment such as `; test: --size 64x64`"
                )));
            }
            programs.entry(path.clone()).or_insert(tests);
        } else {
            let path = path.display();
            return Err(Failure::usage(format!("there is neither a file nor a folder `{path}`")));
        }
    }
    let mut tests: Vec<Test> = programs.into_values().flatten().collect();
    // Two tests with one golden would overwrite each other's.
    let mut goldens: BTreeMap<PathBuf, String> = BTreeMap::new();
    for test in &mut tests {
        let other = goldens.insert(test.golden.clone(), test.id());
        if let (Some(other), Ok(_)) = (other, &test.directive) {
            let golden = test.golden.display();
            test.directive = Err(format!("its golden `{golden}` is that of `{other}`, too"));
        }
    }
    Ok(Planned { tests, folders })
}

/// Whether a file may be a program, by its name.
fn is_program(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    let hidden = |part: &Path| part.as_os_str().as_encoded_bytes().starts_with(b".");
    let is_hidden = path.components().any(|part| hidden(part.as_ref()));
    ["lv", "core", "spv", "spvasm", "amber"].iter().any(|known| ending == *known) && !is_hidden
}

/// The path of what a folder holds; of the working directory without the `./`.
pub(super) fn in_folder(folder: &Path, name: &Path) -> PathBuf {
    if folder == Path::new(".") { name.to_owned() } else { folder.join(name) }
}

/// The ending of scripts.
const SCRIPT: &str = "amber";

/// Whether a file is a script, by its name.
pub(super) fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == SCRIPT)
}

/// The tests of a program: those of its comments, or of the file beside it.
fn of_program(path: &Path, within: &Path) -> Result<Vec<Test>> {
    let read = |path: &Path| {
        watch::note(path);
        fs::read(path).map_err(|error| {
            Failure::file(format!("cannot read `{}`: {error}", path.display()), &error)
        })
    };
    if is_script(path) {
        return Ok(vec![of_script(path, within)]);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".");
    beside.push(BESIDE);
    let beside = PathBuf::from(beside);
    let (place, found) = if beside.exists() {
        let found = directive::in_file(&String::from_utf8_lossy(&read(&beside)?));
        (beside, found)
    } else {
        (path.to_owned(), directive::in_comments(&String::from_utf8_lossy(&read(path)?)))
    };
    let program: Arc<Path> = path.into();
    let several = found.len() > 1;
    let mut names = BTreeSet::new();
    let test = |(line, directive): Found| {
        let name = directive.as_ref().ok().and_then(|directive| directive.name.clone());
        let directive = directive.and_then(|directive| match &name {
            None if several => Err("of several tests each has a name: `; test: NAME …`".to_owned()),
            Some(name) if !names.insert(name.clone()) => Err(format!("`{name}` is there twice")),
            _ => Ok(directive),
        });
        // What has no name of its own is told by its line.
        let name = match (name, &directive) {
            (Some(name), Ok(_)) => name,
            (None, Ok(_)) => String::new(),
            _ => format!("line-{line}"),
        };
        let kind = directive.as_ref().map_or(Kind::Png, |directive| directive.kind);
        let (golden, within) = (golden(path, &name, kind), golden(within, &name, kind));
        let (program, place) = (program.clone(), (place.clone(), line));
        Test { program, place, name, directive, golden, within }
    };
    Ok(found.into_iter().map(test).collect())
}

/// The test that a script is: what it expects stands in itself.
fn of_script(path: &Path, within: &Path) -> Test {
    Test {
        program: path.into(),
        place: (path.to_owned(), 1),
        name: String::new(),
        directive: Err("a script has no directive".to_owned()),
        golden: path.to_owned(),
        within: within.to_owned(),
    }
}

/// The file of the golden of a program's test.
fn golden(program: &Path, name: &str, kind: Kind) -> PathBuf {
    let mut file = program.file_stem().unwrap_or_default().to_owned();
    if !name.is_empty() {
        file.push(".");
        file.push(name);
    }
    file.push(".");
    file.push(kind.ending());
    program.with_file_name(file)
}
