//! Dependencies between crates, and between the modules of a crate, have no cycles.

use lambdav_test_support::cycles;
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
    members.filter(is_product).map(str::to_owned).collect()
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
