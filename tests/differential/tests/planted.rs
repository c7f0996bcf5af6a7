//! Do the tests bite? Each mistake that can be planted in the lowering to masks is found by a
//! campaign no larger than that of the gate, both with and without machine code.
//!
//! `cargo test -p lambdav-differential --features planted-bugs --test planted`

use lambdav_differential::{Campaign, Engine, engines};
use lambdav_simd_backend::planted::{Bug, plant};

#[test]
fn planted_bugs_are_found() {
    let all = engines::all();
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
    for name in ["lanes", "simd8"] {
        let engine: &dyn Engine =
            &**all.iter().find(|engine| engine.name() == name).expect("there is such an engine");
        assert!(sound.run(&[engine]).found.is_empty(), "{name}: nothing is planted");
        for bug in Bug::ALL {
            plant(Some(bug));
            let report = Campaign { programs: 1200, ..sound }.run(&[engine]);
            plant(None);
            assert!(!report.found.is_empty(), "{name}: {bug:?} is not found");
            println!("{name}: {bug:?} is found after {} programs", report.programs);
        }
    }
}
