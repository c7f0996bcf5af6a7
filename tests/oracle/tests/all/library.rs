//! The library of exact modules at a sample of arguments; `SAMPLES=100000000` takes more. All arguments:
//! `cargo run --release -p lambdav-oracle -- library`.

use lambdav_oracle::compare::{Arguments, compare, each};
use lambdav_oracle::library::LibraryCode;
use lambdav_oracle::soft::{self, SoftReport};
use lambdav_oracle::{coremath, exact};
use lambdav_simd_backend::Target;
use lambdav_spirv_backend::library::LibraryFunction;

fn samples() -> u64 {
    std::env::var("SAMPLES").map_or(1 << 18, |text| text.parse().expect("SAMPLES is a number"))
}

fn code(function: LibraryFunction) -> LibraryCode {
    let target = Target::host().expect("a machine that is not too old");
    LibraryCode::new(function, &target).expect("it compiles")
}

/// Addition, multiplication, division, square root and fma against the processor's.
#[test]
fn operations() {
    let mut compared = 0;
    for &function in LibraryFunction::ALL {
        if matches!(function, LibraryFunction::Elementary(_)) {
            continue;
        }
        let code = code(function);
        let SoftReport { inputs, differing, first } =
            soft::special(function, &code).and(soft::random(function, &code, samples(), 1));
        assert_eq!(differing, 0, "{}: {first:x?}", function.name());
        assert!(inputs > samples());
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// Elementary functions against CORE-MATH: special arguments, all exponents, random arguments.
#[test]
fn elementary_functions() {
    for &function in LibraryFunction::ALL {
        let LibraryFunction::Elementary(f) = function else { continue };
        let code = code(function);
        let found = |pairs: &[(f32, f32)], results: &mut [f32]| code.evaluate_pairs(pairs, results);
        let expected = each(|x, y| coremath::evaluate(f, x, y));
        let mut arguments =
            vec![Arguments::special(f), Arguments::Random { count: samples(), seed: 5 }];
        if f.arity() == 1 {
            let step = 32 - samples().ilog2().min(32) as u8;
            arguments.push(Arguments::Numbers { step, second: 0.0 });
        }
        if function.name() == "pow" {
            let powers = exact::with_neighbours(&exact::powers());
            arguments.push(Arguments::These(powers.into_iter().step_by(8).collect()));
        }
        for arguments in arguments {
            let report = compare(f, &arguments, &found, &expected);
            assert_eq!(
                report.differing,
                0,
                "{}, the first: {:x?}",
                f.name(),
                report.differences[0]
            );
        }
    }
}
