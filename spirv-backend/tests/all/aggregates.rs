//! Structures, variants and arrays: `spirv-val` accepts random programs.

#[path = "../../../tests/differential/tests/aggregates/graph.rs"]
mod graph;

use crate::validity::accepted_in_all_versions;
use lambdav_core::schedule::schedule;
use lambdav_test_support::Random;

#[test]
fn spirv_val_accepts_aggregates() {
    for seed in 1000..1060 {
        let mut random = Random::new(seed);
        let core = graph::aggregates(&mut random, 25);
        let program = schedule(&core, &[0]).expect("it nests little");
        accepted_in_all_versions(&program, &format!("program {seed}"));
    }
}
