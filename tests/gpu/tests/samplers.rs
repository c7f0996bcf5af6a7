//! Samplers of a device and those of docs/textures.md.
//!
//! Without a driver the test is skipped with a message.

use lambdav_gpu_tests::open;
use lambdav_gpu_tests::samplers::beside;
use lambdav_oracle::samplers::Trial;
use lambdav_test_support::{Random, skipped};

#[test]
fn samplers_mean_what_vulkan_says() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    };
    let count = std::env::var("SAMPLERS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let (mut values, mut off, mut wrong) = (0, 0, Vec::new());
    for seed in 0..count {
        let trial = Trial::new(&mut Random::new(46_000 + seed), 256, true);
        let beside = beside(&trial, &device).unwrap_or_else(|error| panic!("{error}"));
        let Some(difference) = beside else { continue };
        values += difference.values;
        off += difference.off;
        if difference.off * 50 > difference.values {
            let (number, found, wanted) = difference.first.expect("something differs");
            wrong.push(format!(
                "seed {seed}: {:?} {:?} array {} shadow {} mipmaps {} {:?} {:?}\n  {} of {} off; {number}: {:?} {found:?}, and not {wanted:?}",
                trial.dimension,
                trial.call,
                trial.is_array,
                trial.is_shadow,
                trial.mipmaps,
                trial.size(),
                trial.sampler,
                difference.off,
                difference.values,
                trial.places[number],
            ));
        }
    }
    println!("{off} of {values} values differ by more than 1/255");
    assert!(wrong.is_empty(), "{} trials:\n{}", wrong.len(), wrong.join("\n"));
    assert!(off * 1000 <= values, "{off} of {values} values");
}
