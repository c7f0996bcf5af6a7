//! Which file a module is.

use crate::lexer::is_line_break;
use lambdav_core::decode::decode;
use lambdav_core::files::Files;
use lambdav_core::limits::FOREIGN_TEXT;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Component, Path, PathBuf};

/// Most entries of folders that are looked at for modules.
const ENTRIES: usize = 500_000;
/// Most bytes of files that are.
const BYTES: usize = 64 << 20;
/// Deepest nesting of folders.
const DEPTH: usize = 16;

/// The modules of naga_oil and all texts below the folders.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Files by `#define_import_path`.
    pub(super) modules: FxHashMap<String, PathBuf>,
    /// Files by their names without endings; of several, the first.
    pub(super) stems: FxHashMap<String, PathBuf>,
    /// All files, in the order of the folders.
    pub(super) files: Vec<PathBuf>,
    /// True if the folders have more than is looked at.
    pub(super) is_cut: bool,
}

impl Index {
    /// The first file whose path ends with a relative one, as paths below a folder of assets do.
    pub(super) fn ending(&self, path: &Path) -> Option<&PathBuf> {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        self.files.iter().find(|file| is_plain && file.ends_with(path))
    }
}

/// Reads what the folders have.
pub(super) fn index(files: &mut dyn Files, folders: &[PathBuf]) -> Index {
    let mut index = Index::default();
    let mut seen = FxHashSet::default();
    let (mut entries, mut bytes) = (0, 0);
    for folder in folders {
        let mut open: Vec<(PathBuf, usize)> = vec![(folder.clone(), 0)];
        while let Some((folder, depth)) = open.pop() {
            let Ok(canonical) = files.canonical(&folder) else { continue };
            if !seen.insert(canonical) {
                continue;
            }
            let Ok(all) = files.list(&folder) else { continue };
            // The last one pushed is read first.
            let mut folders = Vec::new();
            for path in all {
                entries += 1;
                if entries > ENTRIES || bytes > BYTES {
                    index.is_cut = true;
                    return index;
                }
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let is_text = matches!(
                    path.extension().and_then(|ending| ending.to_str()),
                    Some("wgsl" | "wesl")
                );
                if is_text {
                    bytes += take(files, &path, &mut index);
                } else if depth < DEPTH && looks_like_folder(name) {
                    folders.push((path, depth + 1));
                }
            }
            open.extend(folders.into_iter().rev());
        }
    }
    index
}

/// True for names without an ending, and for those like `bevy_pbr-0.19.1`, `bevy-0.19.0-rc.2` and
/// `index.crates.io-1949cf8c6b5b557f`; not for hidden folders and those of builds.
fn looks_like_folder(name: &str) -> bool {
    let is_hidden = name.starts_with('.') || matches!(name, "target" | "node_modules");
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_version =
        |ending: &str| ending.contains('-') || ending.chars().all(|c| c.is_ascii_digit());
    !is_hidden && ending.is_none_or(is_version)
}

/// Notes a text; returns its length.
fn take(files: &mut dyn Files, path: &Path, index: &mut Index) -> usize {
    let Ok(bytes) = files.read(path, FOREIGN_TEXT) else { return 0 };
    let length = bytes.len();
    index.files.push(path.to_owned());
    if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) {
        index.stems.entry(stem.to_owned()).or_insert_with(|| path.to_owned());
    }
    let Ok(source) = decode("", bytes, FOREIGN_TEXT) else { return length };
    let defined = source.text().split(is_line_break).find_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("define_import_path")?;
        rest.split_whitespace().next().map(str::to_owned)
    });
    if let Some(path_of_module) = defined {
        index.modules.entry(path_of_module).or_insert_with(|| path.to_owned());
    }
    length
}

#[cfg(test)]
#[test]
fn folders_of_crates_look_like_folders() {
    for name in ["src", "bevy_pbr-0.19.1", "bevy-0.20.0-rc.1", "index.crates.io-1949cf8c6b5b557f"] {
        assert!(looks_like_folder(name), "{name}");
    }
    for name in [".git", "target", "a.wgsl", "lib.rs", "x.tar.gz"] {
        assert!(!looks_like_folder(name), "{name}");
    }
}
