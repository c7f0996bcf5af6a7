//! Compares the versions in the lock file with the copy of RustSec's advisories in this package, and reports
//! unexpected ones. It needs no network. `.ci/release` runs it. It is a separate package, since compiling it
//! would slow down every test.
#![forbid(unsafe_code)]

use rustsec::report::Settings;
use rustsec::{Database, Lockfile, Report};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// Accepted advisories.
const ACCEPTED: [&str; 1] = [
    // `paste` is no longer maintained. It is a finished procedural macro, which `exr` needs.
    "RUSTSEC-2024-0436",
];

fn main() -> ExitCode {
    match report() {
        Ok(found) if found == ACCEPTED.map(str::to_owned).into() => ExitCode::SUCCESS,
        Ok(found) => {
            eprintln!("found advisories {found:?}; accepted are {ACCEPTED:?}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The advisories about packages of the lock file.
fn report() -> Result<BTreeSet<String>, rustsec::Error> {
    let copy = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lockfile = Lockfile::load(copy.join("../../Cargo.lock"))?;
    let database = Database::open(copy)?;
    let kinds = ["notice", "unmaintained", "unsound"];
    let informational_warnings =
        kinds.into_iter().map(str::parse).collect::<Result<Vec<_>, rustsec::Error>>()?;
    let settings = Settings { informational_warnings, ..Settings::default() };
    let report = Report::generate(&database, &lockfile, &settings);
    let vulnerable = report.vulnerabilities.list.iter().map(|found| &found.advisory);
    let warnings = report.warnings.values().flatten().filter_map(|found| found.advisory.as_ref());
    Ok(vulnerable.chain(warnings).map(|advisory| advisory.id.to_string()).collect())
}
