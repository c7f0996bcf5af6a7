//! Reads of textures by samplers, by every engine against the oracle, bit for bit.
//!
//! `SAMPLERS=100000` takes so many random samplers, each at 256 places by machine code, and so many twins.

use crate::sampled::twins::Twin;
use crate::sampled::{first_difference, wrong_element, wrong_projection};
use lambdav_engine::Engine;
use lambdav_oracle::samplers::{GROUP, Trial};
use lambdav_test_support::Random;
use rayon::prelude::*;

/// The first difference among trials with these seeds.
fn check(seeds: std::ops::Range<u64>, count: usize, engines: &[Engine]) {
    let difference = |seed: u64| {
        let trial = Trial::new(&mut Random::new(seed), count, seed.is_multiple_of(4));
        engines.iter().find_map(|engine| first_difference(&trial, engine.clone()))
    };
    let found = seeds.into_par_iter().find_map_first(difference);
    assert!(found.is_none(), "{}", found.unwrap_or_default());
}

/// The first difference between twins with these seeds.
fn check_twins(seeds: std::ops::Range<u64>, engines: &[Engine]) {
    let difference = |seed: u64| {
        let twin = Twin::new(&mut Random::new(seed));
        engines.iter().find_map(|engine| twin.first_difference(engine.clone()))
    };
    let found = seeds.into_par_iter().find_map_first(difference);
    assert!(found.is_none(), "{}", found.unwrap_or_default());
}

#[test]
fn declarations_sample_as_samplers_do() {
    let count = std::env::var("SAMPLERS").ok().and_then(|text| text.parse().ok());
    let count: u64 = count.unwrap_or(600);
    check_twins(4_800..4_800 + count, &[Engine::Simd]);
}

#[test]
fn evaluators_sample_by_declarations_as_by_samplers() {
    check_twins(9_000..9_200, &[Engine::Core, Engine::Spirv]);
    check_twins(9_200..9_260, &[Engine::Source]);
}

#[test]
fn machine_code_reads_by_samplers_as_the_oracle_does() {
    let count = std::env::var("SAMPLERS").ok().and_then(|text| text.parse().ok());
    let count: u64 = count.unwrap_or(400);
    check(4_600..4_600 + count, 4 * GROUP, &[Engine::Simd]);
}

#[test]
fn evaluators_read_by_samplers_as_the_oracle_does() {
    check(4_700..4_900, GROUP, &[Engine::Core, Engine::Spirv]);
}

#[test]
fn projections_divide_places_and_references() {
    for engine in [Engine::Simd, Engine::Core, Engine::Spirv] {
        assert_eq!(wrong_projection(engine), None);
    }
}

#[test]
fn an_index_chooses_the_nearest_texture_of_an_array() {
    for engine in [Engine::Simd, Engine::Core, Engine::Spirv] {
        assert_eq!(wrong_element(engine), None);
    }
}
