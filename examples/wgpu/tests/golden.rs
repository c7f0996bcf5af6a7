//! The pictures of a GPU, compared with λV's own.

use lambdav::{Shader, Size};
use lambdav_engine::Settings;
use lambdav_example_wgpu::Gpu;
use lambdav_test::{CompareOptions, assert_image};

/// The golden is the exact picture, drawn without a GPU, and kept. What wgpu draws differs from it by
/// rounding: by one level of 8 bits at most.
#[test]
fn a_gpu_draws_the_golden() {
    let shader = Shader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/rings.lv"));
    let shader = shader.expect("it is right");
    let size = Size::new(160, 100).expect("small");
    assert_image!(shader.renderer(size).time(0.3), "goldens/rings.png");

    let Some(gpu) = Gpu::open().expect("a device that there is can be opened") else {
        lambdav_test_support::skipped("there is no Vulkan driver for wgpu");
        return;
    };
    let mut settings = Settings::new(shader.core(), size);
    settings.inputs.time = 0.3;
    let drawn = gpu.draw(&shader, size, &settings).expect("it is drawn");
    let allowed = CompareOptions { tolerance: Some([1.0; 4]), ..CompareOptions::default() };
    assert_image!(drawn, "goldens/rings.png", allowed);

    // That of another time is another.
    settings.inputs.time = 0.32;
    let other = gpu.draw(&shader, size, &settings).expect("it is drawn");
    assert!(other.samples() != drawn.samples(), "time makes no difference");
}
