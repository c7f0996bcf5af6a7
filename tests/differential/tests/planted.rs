//! Do the tests bite? Each mistake that can be planted in the lowering to masks, in the emitter of SPIR-V or in
//! its evaluator is found by a campaign no larger than that of the gate.
//!
//! `cargo test -p lambdav-differential --features planted-bugs --test planted -- --nocapture`

use lambdav_differential::{Campaign, Engine, engines};
use lambdav_simd_backend::planted as simd;
use lambdav_spirv_backend::planted as spirv;
use std::fmt::Debug;

/// Demands that an engine is sound, and that it is not with any of the mistakes.
fn each_is_found<B: Copy + Debug>(name: &str, bugs: &[B], plant: fn(Option<B>)) {
    let all = engines::all();
    let engine: &dyn Engine =
        &**all.iter().find(|engine| engine.name() == name).expect("there is such an engine");
    let sound = Campaign {
        seed: 2,
        first: 0,
        programs: 50,
        size: 160,
        endless: 50,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        attempts: 0,
        max_bugs: 1,
    };
    assert!(sound.run(&[engine]).found.is_empty(), "{name}: nothing is planted");
    for &bug in bugs {
        plant(Some(bug));
        let report = Campaign { programs: 1200, ..sound }.run(&[engine]);
        plant(None);
        assert!(!report.found.is_empty(), "{name}: {bug:?} is not found");
        println!("{name}: {bug:?} is found after {} programs", report.programs);
    }
}

/// Both without and with machine code.
#[test]
fn planted_bugs_in_masks_are_found() {
    for name in ["lanes", "simd8"] {
        each_is_found(name, &simd::Bug::ALL, simd::plant);
    }
}

#[test]
fn planted_bugs_in_spirv_are_found() {
    each_is_found("spirv", &spirv::Bug::ALL, spirv::plant);
}
