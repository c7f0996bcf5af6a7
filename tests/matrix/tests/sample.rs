//! A sample of the matrix: each picture in some configurations, and each configuration with some pictures.
//! The whole matrix: `cargo run --release -p lambdav-matrix`.

use lambdav_matrix::compare::compare;
use lambdav_matrix::configurations::{PROCESSORS, lanes};

/// A prime that does not divide the number of kernels of a picture, so that the sample cycles through all of
/// them.
const HERE: usize = 11;

#[test]
fn here() {
    let kernels = 1 + PROCESSORS.len() * lanes().count();
    assert!(!kernels.is_multiple_of(HERE));
    let report = compare(|number| number % HERE == 0);
    assert!(report.differences.is_empty(), "{report}");
    assert!(report.pictures > 500, "{report}");
}
