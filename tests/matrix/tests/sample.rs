//! A sample of the matrix: each picture in some configurations, and each configuration with some
//! pictures. All of it: `cargo run --release -p lambdav-matrix`.

use lambdav_matrix::compare::compare;
use lambdav_matrix::configurations::{PROCESSORS, lanes};
use lambdav_matrix::emulated::{self, Unable};
use std::io::Write;

/// A prime that does not divide the number of kernels of a picture, so each of these is taken in
/// turn.
const HERE: usize = 11;

/// See [`HERE`].
const ELSEWHERE: usize = 17;

#[test]
fn here() {
    let kernels = 1 + PROCESSORS.len() * lanes().count();
    assert!(![HERE, ELSEWHERE].iter().any(|&prime| kernels.is_multiple_of(prime)));
    let report = compare(|number| number % HERE == 0);
    assert!(report.differences.is_empty(), "{report}");
    assert!(report.pictures > 500, "{report}");
}

/// On another architecture, where there is an emulator of one.
#[test]
fn emulated() {
    if cfg!(target_arch = "aarch64") {
        return;
    }
    match emulated::run(&["--here".to_owned(), format!("--every={ELSEWHERE}")]) {
        Ok(equal) => assert!(equal, "see above"),
        Err(missing @ Unable::Missing(_)) => skipped(&missing.to_string()),
        Err(error) => panic!("{error}"),
    }
}

/// Says that a test is skipped. What `println` prints would be shown of failing tests only.
fn skipped(why: &str) {
    let line = format!("\nskipped: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error can be written");
}
