//! Reads of textures by samplers, by every engine against the oracle, bit for bit.
//!
//! `SAMPLERS=100000` takes so many random samplers, each at 256 places by machine code.

use lambdav_core::float::canonical_bits;
use lambdav_engine::{Engine, Options, Shader, ShaderOptions, TextLanguage};
use lambdav_oracle::samplers::{GROUP, Trial};
use lambdav_test_support::Random;
use rayon::prelude::*;

/// Runs a trial by an engine and compares all that it finds.
fn check(trial: &Trial, engine: Engine) {
    let text = trial.text();
    let mut options = ShaderOptions::default().compute().sampler("t", trial.sampler);
    options = options.language(TextLanguage::Glsl);
    if trial.mipmaps {
        options = options.mipmaps("t");
    }
    let shader = Shader::with_options("trial.comp", &text, &options);
    let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = shader.compute_pipeline(&Options::default().engine(engine)).expect("it is run");
    let mut bindings = pipeline.bindings();
    match trial.is_integer {
        true => bindings.bind_integers("t", trial.size(), &trial.integers()),
        false => bindings.bind_planes("t", trial.size(), &trial.texels()),
    }
    .expect("it is a texture");
    bindings.bind("Given", &trial.given()[..]).expect("it is a buffer");
    let count = trial.places.len();
    bindings.bind_zeros("Found", count as u32).expect("it is a buffer");
    pipeline.dispatch(&mut bindings, [(count / GROUP) as u32, 1, 1]).expect("it ends");
    let found = bindings.words("Found").expect("it is a buffer");
    for (number, found) in found.chunks(4).enumerate() {
        let wanted = trial.wanted(number);
        let [place, a, b] = trial.places[number];
        assert_eq!(
            found,
            wanted.map(canonical_bits),
            "{text}\n{:?} {:?}\n{place:?} {a:?} {b:?}\n{:?} {wanted:?}",
            trial.size(),
            trial.sampler,
            found.iter().map(|&word| f32::from_bits(word)).collect::<Vec<_>>(),
        );
    }
}

fn trials(seed: u64, count: u64) -> impl ParallelIterator<Item = u64> {
    (0..count).into_par_iter().map(move |k| seed + k)
}

#[test]
fn machine_code_reads_by_samplers_as_the_oracle_does() {
    let count = std::env::var("SAMPLERS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    trials(4_600, count).for_each(|seed| {
        let trial = Trial::new(&mut Random::new(seed), 4 * GROUP, seed % 4 == 0);
        check(&trial, Engine::Simd);
    });
}

#[test]
fn evaluators_read_by_samplers_as_the_oracle_does() {
    trials(4_700, 200).for_each(|seed| {
        let trial = Trial::new(&mut Random::new(seed), GROUP, false);
        check(&trial, Engine::Core);
        check(&trial, Engine::Spirv);
    });
}
