//! Do the tests bite? Each mistake that can be planted in elaboration, in the scheduler, in an evaluator, in the
//! lowering to masks and registers or in an emitter is found by a campaign no larger than that of the gate.
//!
//! `cargo test -p lambdav-differential --features planted-bugs --test planted -- --nocapture`

use lambdav_differential::{Campaign, Engine, engines};
use lambdav_frontend::planted as frontend;
use lambdav_simd_backend::planted as simd;
use lambdav_spirv_backend::planted as spirv;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

/// Mistakes are those of the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Demands that an engine is sound, and that it is not with any of the mistakes.
fn each_is_found<B: Copy + Debug>(name: &str, bugs: &[B], plant: fn(Option<B>)) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The evaluator of the source finds what is wrong before and in that of the core, and the other way round.
#[test]
fn planted_bugs_in_the_frontend_are_found() {
    each_is_found("source", &frontend::Bug::ALL, frontend::plant);
}

/// Both without and with machine code.
#[test]
fn planted_bugs_in_masks_are_found() {
    for name in ["lanes", "simd8"] {
        each_is_found(name, &simd::Bug::OF_MASKS, simd::plant);
    }
}

#[test]
fn planted_bugs_in_machine_code_are_found() {
    each_is_found("simd8", &simd::Bug::OF_CODE, simd::plant);
    each_is_found("spilled4", &simd::Bug::OF_SPILLING, simd::plant);
}

#[test]
fn planted_bugs_in_spirv_are_found() {
    each_is_found("spirv", &spirv::Bug::ALL, spirv::plant);
}
