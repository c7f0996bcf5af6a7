//! All engines that take graphs, on random programs of structures, variants and arrays.

mod arrays;
mod graph;

use lambdav_core::inputs::Inputs;
use lambdav_core::source::SourceFile;
use lambdav_differential::{Case, Conditions, Engine, compare_all, engines};
use lambdav_test_support::Random;

/// Those of some names, or all that need no text.
fn compare(programs: std::ops::Range<u64>, wanted: impl Fn(&str) -> bool) {
    let all = engines::all();
    let engines = all.iter().map(|engine| &**engine);
    let engines: Vec<&dyn Engine> = engines.filter(|engine| wanted(engine.name())).collect();
    for seed in programs {
        let mut random = Random::new(seed);
        let operations = 4 + random.below(40);
        let core = graph::aggregates(&mut random, operations);
        let uniforms = core.uniforms.iter().map(|uniform| uniform.default.clone()).collect();
        let conditions = Conditions {
            width: 9,
            height: 7,
            time: 0.0,
            frame: 0.0,
            mouse: [0.0; 4],
            max_iterations: 100,
        };
        let inputs = Inputs { resolution: [9.0, 7.0], uniforms, ..Inputs::default() };
        let source = SourceFile::new("no text", "");
        let case = Case { source, core, inputs, conditions };
        if let Err(failure) = compare_all(&case, &engines) {
            panic!("program {seed}: {:?} {}", failure.bug, failure.detail);
        }
    }
}

/// What is cheap to run.
#[test]
fn lane_programs_and_code() {
    compare(0..100, |name| {
        ["lanes", "simd1", "simd8", "avx2-16", "avx512-32", "evex-16", "registers8", "starved4"]
            .contains(&name)
    });
}

/// All that need no text.
#[test]
fn all_engines() {
    compare(100..112, |name| !["source", "core-text"].contains(&name));
}

#[test]
fn spirv() {
    compare(0..300, |name| name == "spirv");
}
