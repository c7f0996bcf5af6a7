//! A sample of the matrix on another architecture. It builds all of the product for that one, so it
//! has a feature: `cargo test -p lambdav-matrix --features emulator --test emulated`.

use lambdav_matrix::configurations::{PROCESSORS, lanes};
use lambdav_matrix::emulated::{self, Unable};
use lambdav_test_support::skipped;

/// A prime that does not divide the number of kernels of a picture, so each of these is taken in
/// turn.
const ELSEWHERE: usize = 61;

/// On another architecture, where there is an emulator of one.
#[test]
fn emulated() {
    if cfg!(target_arch = "aarch64") {
        return;
    }
    let kernels = 1 + PROCESSORS.len() * lanes().count();
    assert!(!kernels.is_multiple_of(ELSEWHERE));
    match emulated::run(&["--here".to_owned(), format!("--every={ELSEWHERE}")]) {
        Ok(equal) => assert!(equal, "see above"),
        Err(missing @ Unable::Missing(_)) => skipped(&missing.to_string()),
        Err(error) => panic!("{error}"),
    }
}
