//! Cyclic dependencies between modules of a crate.
//!
//! The sources are read as text: paths that begin with `crate`, `super`, `self` or the name of a child
//! module, in `use` declarations and elsewhere. Tests are left out, and so is every `pub use`, since a
//! re-export is no dependency. Sibling modules that name one another, with all modules inside them, are a
//! cycle. So are a module with code of its own and a module inside it; the former is called `self`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type ModulePath = Vec<String>;

/// The cycles among the modules of a crate. `source` is the folder of its sources. Each cycle is given as the
/// names of its modules, with their parent in front.
///
/// # Panics
///
/// If the folder cannot be read.
pub fn cycles(source: &Path) -> Vec<String> {
    let files = files(source);
    let mut edges: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (module, text) in &files {
        for path in paths(text) {
            let Some(target) = resolve(module, &path, &files) else { continue };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            let part = |all: &ModulePath| all.get(common).map_or("self", String::as_str).to_owned();
            let (from, to) = (part(module), part(&target));
            if from != to {
                let siblings = edges.entry(module[..common].to_vec()).or_default();
                siblings.entry(from).or_default().insert(to);
            }
        }
    }
    let circle = |(parent, mut siblings): (ModulePath, BTreeMap<String, BTreeSet<String>>)| {
        // A module without remaining dependencies or dependents is in no cycle.
        loop {
            let all: BTreeSet<String> = siblings.keys().cloned().collect();
            siblings.values_mut().for_each(|uses| uses.retain(|used| all.contains(used)));
            let used: BTreeSet<String> = siblings.values().flatten().cloned().collect();
            let before = siblings.len();
            siblings.retain(|name, uses| !uses.is_empty() && used.contains(name));
            if siblings.len() == before {
                break;
            }
        }
        let names: Vec<String> = siblings.into_keys().collect();
        (!names.is_empty()).then(|| format!("{}::{{{}}}", parent.join("::"), names.join(", ")))
    };
    edges.into_iter().filter_map(circle).collect()
}

/// The modules of a crate and their texts, without comments, tests and re-exports.
fn files(source: &Path) -> BTreeMap<ModulePath, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path: PathBuf = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let inside = path.strip_prefix(source).expect("it lies there").with_extension("");
                let mut module: ModulePath =
                    inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                    module.pop();
                }
                if !module.iter().any(|part| part == "tests") {
                    let text = fs::read_to_string(&path).expect("it can be read");
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
                    let code = lines.collect::<Vec<_>>().join("\n");
                    all.insert(module, without_reexports(&code));
                }
            }
        }
    }
    all
}

/// The text without `pub use`, `pub(crate) use` and the like.
fn without_reexports(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("pub") {
        let (before, from) = rest.split_at(at);
        kept += before;
        let visibility = match from[3..].starts_with('(') {
            true => from.find(')').map_or(from.len(), |end| end + 1),
            false => 3,
        };
        let skipped = match from[visibility..].starts_with(" use ") {
            true => from.find(';').map_or(from.len(), |end| end + 1),
            false => visibility,
        };
        rest = &from[skipped..];
    }
    kept + rest
}

/// All paths in a text, with braces expanded.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in text.match_indices("::") {
        let before = text[..at].trim_end_matches(is_word);
        if before.ends_with("::") || before.ends_with('$') || before.len() == at {
            continue;
        }
        expand(&text[before.len()..], "", &mut found);
    }
    found
}

/// The paths at the beginning of a text, with a prefix.
fn expand(text: &str, prefix: &str, found: &mut Vec<String>) {
    let mut pending = vec![(text, prefix.to_owned())];
    while let Some((text, prefix)) = pending.pop() {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        if let Some(inner) = rest.strip_prefix("::") {
            pending.push((inner, format!("{prefix}{word}::")));
        } else if word.is_empty() && rest.starts_with('{') {
            let mut depth = 0;
            let mut start = 1;
            for (at, c) in rest.char_indices() {
                depth += i32::from(c == '{') - i32::from(c == '}');
                if (c == ',' && depth == 1) || depth == 0 {
                    pending.push((&rest[start..at], prefix.clone()));
                    start = at + 1;
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            found.push(format!("{prefix}{word}"));
        }
    }
}

/// The innermost module that a path in `module` names.
fn resolve(
    module: &ModulePath,
    path: &str,
    files: &BTreeMap<ModulePath, String>,
) -> Option<ModulePath> {
    let mut parts = path.split("::").peekable();
    let mut base = match *parts.peek()? {
        "crate" => Vec::new(),
        "self" | "super" => module.clone(),
        child => {
            let inside = [&module[..], &[child.to_owned()]].concat();
            return files.contains_key(&inside).then_some(inside);
        }
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => drop(base.pop()),
            _ => {
                base.push(part.to_owned());
                if !files.contains_key(&base) {
                    base.pop();
                    break;
                }
            }
        }
    }
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            fs::write(path, text).expect("the file can be written");
        }
    }

    #[test]
    fn circles_are_found() {
        let folder = std::env::temp_dir().join(format!("lambdav-modules-{}", std::process::id()));
        write(
            &folder,
            &[
                ("lib.rs", "mod a; mod b; mod c; use a::A; pub(crate) use b::Other;"),
                ("a.rs", "use crate::{b::{inner::B, Other}, c};"),
                ("b/mod.rs", "pub mod inner; pub struct Other; // crate::a"),
                ("b/inner.rs", "use super::Other; fn f() { crate::c::g() }"),
                ("c.rs", "pub fn g() {}\n#[cfg(test)]\nmod tests { use crate::a; }"),
            ],
        );
        let sound = cycles(&folder);
        write(&folder, &[("c.rs", "fn f() -> super::a::A { super::a::make() }")]);
        write(&folder, &[("b/mod.rs", "pub mod inner; pub struct Other(inner::B);")]);
        let circular = cycles(&folder);
        fs::remove_dir_all(&folder).expect("it was made here");
        assert_eq!(sound, [""; 0]);
        assert_eq!(circular, ["::{a, b, c}", "b::{inner, self}"]);
    }
}
