//! Compute shaders by drivers, from exact modules: the buffers of the engines.
//!
//! Without a driver the tests are skipped with a message.

use lambdav_engine::Bindings;
use lambdav_gpu_tests::dispatches::{Bind, first_difference, generated};
use lambdav_gpu_tests::{open, without_float64};
use lambdav_spirv_backend::emit::EmitOptions;
use lambdav_test_support::{Random, skipped};
use std::error::Error;
use std::path::Path;

const NO_DEVICE: &str = "there is no Vulkan device; .ci/install-tools installs one without a GPU";

#[test]
fn dispatches_without_races_leave_the_buffers_of_the_oracle() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped(NO_DEVICE);
    };
    let exact = device.exact(false, None);
    let kinds = [EmitOptions::default(), exact, without_float64(&device, exact)];
    let mut count = 0;
    for seed in 7_000..7_240 {
        let is_run = generated(seed, &device, &kinds[seed as usize % 3]);
        count += usize::from(is_run.unwrap_or_else(|error| panic!("{error}")));
    }
    assert!(count >= 60, "{count} dispatches");
}

/// Binds numbers below 1.
fn numbers(bindings: &mut Bindings, name: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(count as u64);
    let values: Vec<f32> =
        (0..count).map(|_| (random.bits() >> 40) as f32 / (1 << 24) as f32).collect();
    bindings.bind(name, &values[..])?;
    Ok(())
}

/// A named compute shader with its workgroups, its buffers, and their data.
type Case<'a> = (&'a str, [u32; 3], &'a [&'a str], Bind);

#[test]
fn the_gallery_leaves_the_buffers_of_machine_code() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped(NO_DEVICE);
    };
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders/compute");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dispatches");
    let cases: [Case<'_>; 6] = [
        ("histogram.wgsl", [16, 1, 1], &["histogram"], |b| numbers(b, "values", 1000)),
        ("prefix-sum.wgsl", [2, 1, 1], &["sums", "totals"], |b| {
            let values: Vec<u32> = (0..512).map(|k| k * k % 10).collect();
            b.bind("values", &values[..])?.bind_zeros("sums", 512)?.bind_zeros("totals", 2)?;
            Ok(())
        }),
        ("matrix-product.wgsl", [2, 2, 1], &["product"], |b| {
            numbers(b, "a", 256)?;
            numbers(b, "b", 256)?;
            b.bind_zeros("product", 256)?;
            Ok(())
        }),
        ("particles.wgsl", [4, 1, 1], &["particles"], |b| {
            b.bind_zeros("particles", 200)?;
            Ok(())
        }),
        ("boids.wgsl", [2, 1, 1], &["after"], |b| {
            b.bind_zeros("before", 100)?.bind_zeros("after", 100)?;
            Ok(())
        }),
        // Each function on any bits, between barriers.
        ("functions.wgsl", [8, 1, 1], &["results"], |b| {
            let mut random = Random::new(5);
            let any: Vec<u32> = (0..1024).map(|_| random.bits() as u32).collect();
            b.bind("operands", &any[..])?.bind_zeros("results", 512 * 16)?;
            Ok(())
        }),
    ];
    for (name, groups, buffers, bind) in cases {
        let folder = if name == "functions.wgsl" { &own } else { &shaders };
        let found = first_difference(&folder.join(name), &device, groups, buffers, bind);
        assert_eq!(found.unwrap_or_else(|error| panic!("{name}: {error}")), None, "{name}");
    }
}
