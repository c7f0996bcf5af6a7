//! Dependencies point one way, between crates and between the modules of a crate; documents for contributors are
//! short, and name files that exist; comments begin with nouns.

use lambdav_test_support::{cycles, files_below};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file is there")
}

/// The folders of the published crates.
fn product() -> Vec<String> {
    let manifest = text("Cargo.toml");
    let (_, list) = manifest.split_once("\nmembers = [").expect("it is a workspace");
    let (list, _) = list.split_once(']').expect("the list ends");
    let members = list.split('"').skip(1).step_by(2);
    let is_product =
        |member: &&str| !["bench", "examples/", "tests/"].iter().any(|of| member.starts_with(of));
    let is_published = |member: &&str| {
        let manifest =
            if *member == "." { "Cargo.toml".to_owned() } else { format!("{member}/Cargo.toml") };
        !text(&manifest).contains("\npublish = false")
    };
    members.filter(is_product).filter(is_published).map(str::to_owned).collect()
}

#[test]
fn modules_form_no_circle() {
    let product = product();
    assert!(product.len() > 10, "{product:?}");
    for folder in product {
        assert_eq!(cycles(&root().join(&folder).join("src")), [""; 0], "{folder}");
    }
}

/// The dependencies of the crates are those listed in ARCHITECTURE.md, where each crate stands below its
/// dependencies.
#[test]
fn crates_depend_on_what_is_listed() {
    let page = text("ARCHITECTURE.md");
    let (_, arrows) = page.split_once("### Arrows\n\n```\n").expect("it lists the arrows");
    let (arrows, _) = arrows.split_once("```").expect("the list ends");
    let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in arrows.lines() {
        let (name, uses) = line.split_once('→').expect("each line has an arrow");
        let uses = match uses.trim() {
            "" => BTreeSet::new(),
            uses => uses.split(", ").map(str::to_owned).collect(),
        };
        let is_above = uses.iter().all(|used| listed.contains_key(used));
        assert!(is_above, "`{line}` stands above what it depends on");
        listed.insert(name.trim().to_owned(), uses);
    }
    let found = product().into_iter().map(|folder| {
        let manifest = text(&format!("{folder}/Cargo.toml"));
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
        let (dependencies, _) = dependencies.split_once("\n[").unwrap_or((dependencies, ""));
        let uses = dependencies.lines().filter_map(|line| {
            let (name, _) = line.split_once(['.', ' '])?;
            Some(name.strip_prefix("lambdav")?.trim_start_matches('-'))
        });
        let called = |name: &str| if name.is_empty() { "lambdav" } else { name }.to_owned();
        (called(folder.trim_start_matches('.')), uses.map(called).collect())
    });
    let found: BTreeMap<String, BTreeSet<String>> = found.collect();
    // The command draws only through the engine.
    let is_of_engine = |name: &&String| name.ends_with("frontend") || name.ends_with("backend");
    assert_eq!(found["command"].iter().find(is_of_engine), None);
    assert_eq!(found, listed);
}

/// The documents for contributors. Their paths begin at the root of the repository.
const DOCUMENTS: [&str; 7] = [
    "ADD-A-BUILTIN.md",
    "ARCHITECTURE.md",
    "docs/contributing.md",
    "docs/performance.md",
    "docs/testing.md",
    "tests/gpu/README.md",
    "tests/language/README.md",
];

/// ARCHITECTURE.md is a map: details stand at the heads of modules.
#[test]
fn architecture_is_short() {
    let bytes = text("ARCHITECTURE.md").len();
    assert!(bytes <= 20_000, "ARCHITECTURE.md has {bytes} bytes, more than 20,000");
}

/// Recognises a path of the repository between backquotes: `core/src/op.rs`, `tests/fuzz/`, `.ci/run`, `Cargo.toml`.
fn is_path(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let ends_as = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(*ending));
    let is_below = word.contains('/') && ends_as(&["/", ".lv", ".md", ".rs", ".toml", ".txt"]);
    let is_at_root = !word.contains('/') && ends_as(&[".md", ".toml"]);
    word.chars().all(is_plain) && (is_below || is_at_root || word.starts_with(".ci/"))
}

/// Documents name files and folders of the repository that exist.
#[test]
fn documents_name_what_exists() {
    let mut count = 0;
    for document in DOCUMENTS {
        let page = text(document);
        let beside = root().join(document);
        let beside = beside.parent().expect("it lies in a folder");
        for word in page.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
            // THEME stands for any of several names.
            if !word.contains("THEME") {
                assert!(root().join(word).exists(), "{document}: `{word}` is not there");
                count += 1;
            }
        }
        for link in page.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap_or_default();
            if !link.is_empty() && !link.contains("://") {
                assert!(beside.join(link).exists(), "{document}: the link to {link} leads nowhere");
            }
        }
    }
    assert!(count > 80, "{count} paths are found");
}

/// Recognises a comment that begins with one of the words that stand where a noun belongs.
fn begins_without_noun(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
    let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment).trim_start();
    let word = comment.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    matches!(word, Some("What" | "Whether" | "Who" | "Of" | "Nothing" | "That"))
}

/// Comments begin with the noun that they are about. Few lines begin with another word, by the way the text breaks.
#[test]
fn comments_begin_with_nouns() {
    const LIMIT: usize = 150;
    let entries = std::fs::read_dir(root()).expect("the root can be listed");
    let folders = entries.map(|entry| entry.expect("it is listed")).filter(|entry| {
        let name = entry.file_name();
        entry.path().is_dir() && name != "target" && !name.to_string_lossy().starts_with('.')
    });
    let files = folders.flat_map(|folder| files_below(&folder.path(), &["rs"]));
    let mut counts: Vec<(usize, String)> = files
        .map(|path| {
            let source = std::fs::read_to_string(&path).expect("it can be read");
            let count = source.lines().filter(|line| begins_without_noun(line)).count();
            (count, path.display().to_string())
        })
        .filter(|(count, _)| *count > 0)
        .collect();
    counts.sort();
    counts.reverse();
    let all: usize = counts.iter().map(|(count, _)| count).sum();
    assert!(
        all < LIMIT,
        "{all} comments begin with What, Whether, Who, Of, Nothing or That: {counts:#?}"
    );
}

#[test]
fn words_at_the_beginning_of_comments_are_found() {
    for line in ["// What", "    /// Of it.", "//! Whether-or", "//Nothing", "//!  That is"] {
        assert!(begins_without_noun(line), "{line}");
    }
    for line in ["What", "// Whatever", "// of it", "//// What", "let a = 1; // What", "// Often"] {
        assert!(!begins_without_noun(line), "{line}");
    }
}
