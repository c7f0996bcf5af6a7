//! All engines that take graphs, on random programs of structures, variants and arrays, and on handwritten
//! ones.

mod arrays;
mod graph;

use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::source::SourceFile;
use lambdav_differential::{Case, Conditions, Engine, compare_all, engines};
use lambdav_test_support::Random;

/// A case with the conditions of all these tests and the default values of uniforms.
fn case(source: SourceFile, core: Core, max_iterations: u64) -> Case {
    let uniforms = core.uniforms.iter().map(|uniform| uniform.default.clone()).collect();
    let (width, height) = (9, 7);
    let (time, frame, mouse) = (0.0, 0.0, [0.0; 4]);
    let conditions = Conditions { width, height, time, frame, mouse, max_iterations };
    let inputs = Inputs { resolution: [9.0, 7.0], uniforms, ..Inputs::default() };
    Case { source, core, inputs, conditions }
}

/// Compares the engines whose names are accepted.
fn compare(programs: std::ops::Range<u64>, wanted: impl Fn(&str) -> bool) {
    let all = engines::all();
    let engines = all.iter().map(|engine| &**engine);
    let engines: Vec<&dyn Engine> = engines.filter(|engine| wanted(engine.name())).collect();
    for seed in programs {
        let mut random = Random::new(seed);
        let operations = 4 + random.below(40);
        let core = graph::aggregates(&mut random, operations);
        let case = case(SourceFile::new("no text", ""), core, 100);
        if let Err(failure) = compare_all(&case, &engines) {
            panic!("program {seed}: {:?} {}", failure.bug, failure.detail);
        }
    }
}

/// The fast engines, on many programs.
#[test]
fn lane_programs_and_code() {
    compare(0..100, |name| {
        ["lanes", "simd1", "simd8", "avx2-16", "avx512-32", "evex-16", "registers8", "starved4"]
            .contains(&name)
    });
}

/// All engines that need no text, on few programs.
#[test]
fn all_engines() {
    compare(100..112, |name| !["source", "core-text"].contains(&name));
}

#[test]
fn spirv() {
    compare(0..300, |name| name == "spirv");
}
