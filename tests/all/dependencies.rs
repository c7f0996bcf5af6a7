//! Rules for the lock file: packages come from one registry and have checksums, their licences are compatible
//! with ours, and their advisories have been looked up.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Each package must be available under one of these licences.
const LICENCES: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Zlib",
    "CC0-1.0",
];

/// True if an SPDX licence expression can be met by the licences above.
fn is_allowed(expression: &str) -> bool {
    // `/` is an older spelling of `OR`. Parentheses surround only choices.
    let plain = expression.replace('/', " OR ");
    let choice = |part: &str| part.split(" OR ").any(|one| LICENCES.contains(&one.trim()));
    if plain.contains('(') {
        let parts = plain.split(" AND ").map(|part| part.trim_matches(['(', ')', ' ']));
        return parts.into_iter().all(choice);
    }
    plain.split(" OR ").any(|one| one.split(" AND ").all(|part| LICENCES.contains(&part.trim())))
}

#[test]
fn expressions_of_licences() {
    for allowed in [
        "MIT",
        "MIT OR Apache-2.0",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-3-Clause AND MIT",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND LGPL-2.1", "", "MPL-2.0"] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn all_packages_come_from_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = std::fs::read_to_string(path).expect("the lock file is there");
    let mut sources = BTreeSet::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| package.lines().find_map(|line| line.strip_prefix(key));
        let name = value("name = ").expect("packages have names");
        match value("source = ") {
            None => assert!(name.contains("lambdav"), "{name} has no source"),
            Some(source) => {
                assert!(source.starts_with("\"registry+"), "{name} comes from {source}");
                assert!(value("checksum = ").is_some(), "{name} has no sum");
                sources.insert(source);
            }
        }
    }
    assert_eq!(sources.len(), 1, "{sources:?}");
}

/// Advisories must be looked up for every new package. `.ci/release` compares them with the versions in the
/// lock file.
#[test]
fn advisories_of_all_packages_are_kept() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = std::fs::read_to_string(project.join("Cargo.lock")).expect("it is there");
    let looked_up = project.join("tests/advisories/packages");
    let looked_up = std::fs::read_to_string(looked_up).expect("it is there");
    let looked_up: BTreeSet<&str> = looked_up.lines().collect();
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let unknown: BTreeSet<&str> =
        names.filter(|name| !name.starts_with("lambdav") && !looked_up.contains(name)).collect();
    assert!(unknown.is_empty(), "tests/advisories/update has not looked up {unknown:?}");
}

#[test]
fn all_licences_are_allowed() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    // Only packages needed on this machine, since others may not have been fetched.
    cargo.args([
        "tree",
        "--locked",
        "--offline",
        "--edges=normal,build,dev",
        "--prefix=none",
        "--format={p}\t{l}",
    ]);
    let output = cargo.output().expect("there is Cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let packages = String::from_utf8(output.stdout).expect("UTF-8");
    // A star marks packages that are listed before.
    let packages: BTreeSet<&str> = packages
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    assert!(packages.len() > 50);
    for package in packages {
        let (name, licence) = package.split_once('\t').expect("a licence follows");
        assert!(is_allowed(licence), "{name}: {licence}");
    }
}
