//! The modules of the crate depend on one another in one direction.

use lambdav_test_support::cycles;
use std::path::Path;

#[test]
fn no_module_depends_on_itself_by_way_of_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for source in ["src", "raster/src", "simd-backend/src"] {
        assert_eq!(cycles(&root.join(source)), [""; 0], "{source}");
    }
}
