//! The theorem on small modules in the style of other compilers.

use crate::written::{compare, written};
use lambdav_test_support::{has_tool, spirv_opt};

#[test]
fn they_agree() {
    for (name, words) in written() {
        let counts = compare(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
        let some = match name {
            "kill" | "demoted" | "terminated" => 20..180,
            _ => 0..1,
        };
        assert!(some.contains(&counts.discarded), "{name}: {counts:?}");
        assert_eq!(counts.endless, 0, "{name}");
        // spirv-opt requires whole variables as arguments, and no selects of structures.
        if !["pointers", "phis"].contains(&name) && has_tool("spirv-opt") {
            let counts = compare(&spirv_opt(&words));
            counts.unwrap_or_else(|error| panic!("{name}, optimised: {error}"));
        }
    }
}
