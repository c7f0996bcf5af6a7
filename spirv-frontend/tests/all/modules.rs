//! Modules of the crate depend on one another in one direction.

use lambdav_test_support::cycles;
use std::path::Path;

#[test]
fn no_cycles() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(cycles(&source), Vec::<String>::new());
}
