//! Compares the pictures of a GPU with λV's own.

use lambdav::{Options, Shader, Size};
use lambdav_example_wgpu::Gpu;
use lambdav_test::{CompareOptions, assert_image};

/// The golden is the exact picture, drawn without a GPU, and kept. The picture of wgpu differs from it
/// by rounding, at most by one level of 8 bits.
#[test]
fn a_gpu_draws_the_golden() {
    let shader = Shader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/rings.lv"));
    let shader = shader.expect("it is right");
    let size = Size::new(160, 100).expect("small");
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    let mut bindings = pipeline.bindings();
    bindings.time(0.3);
    let exact = pipeline.render(&bindings, size).expect("it ends");
    assert_image!(exact, "goldens/rings.png");

    let Some(gpu) = Gpu::open().expect("a device that there is can be opened") else {
        lambdav_test_support::skipped("there is no Vulkan driver for wgpu");
        return;
    };
    let drawn = gpu.draw(&shader, size, &bindings).expect("it is drawn");
    let allowed = CompareOptions { tolerance: Some([1.0; 4]), ..CompareOptions::default() };
    assert_image!(drawn, "goldens/rings.png", allowed);

    // The picture at another time differs.
    bindings.time(0.32);
    let other = gpu.draw(&shader, size, &bindings).expect("it is drawn");
    assert!(other.samples() != drawn.samples(), "time makes no difference");
}
