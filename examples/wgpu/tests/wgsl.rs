//! Compares what wgpu draws of a text in WGSL with the golden that `lambdav test` draws. docs/wgsl.md shows this file.

use lambdav::Size;
use lambdav_example_wgpu::Gpu;
use lambdav_test::{CompareOptions, assert_image};

#[test]
fn wgpu_draws_the_golden() {
    let Some(gpu) = Gpu::open().expect("a device that there is can be opened") else {
        lambdav_test_support::skipped("there is no Vulkan driver for wgpu");
        return;
    };
    let text = include_str!("../shaders/waves.wgsl");
    let params = [1.0, 0.6, 0.2, 0.05, 160.0, 100.0, 0.3, 0.0_f32];
    let bytes: Vec<u8> = params.into_iter().flat_map(f32::to_le_bytes).collect();
    let size = Size::new(160, 100).expect("small");
    let drawn = gpu.draw_wgsl(text, ["whole", "waves"], &bytes, size).expect("it is drawn");
    // A GPU rounds in its own way: one level of 8 bits.
    let allowed = CompareOptions { tolerance: Some([1.0; 4]), ..CompareOptions::default() };
    assert_image!(drawn, "shaders/waves.png", allowed);
}
