//! No module of this crate depends on itself by way of another.

use std::path::Path;

#[test]
fn modules_form_no_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(lambdav_test_support::cycles(&source), [""; 0]);
}
