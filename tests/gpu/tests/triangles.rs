//! Triangles by drivers, beside the rasterizer of the language: a sample of `lambdav-gpu-tests triangles`.
//!
//! Without a driver the tests are skipped with a message.

use lambdav_gpu_tests::open;
use lambdav_gpu_tests::triangles::{Differences, exact};
use lambdav_test_support::skipped;
use std::path::Path;
use std::process::Command;

const NO_DEVICE: &str = "there is no Vulkan device; .ci/install-tools installs one without a GPU";

#[test]
fn scenes_on_the_grid_are_equal_to_the_bit() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped(NO_DEVICE);
    };
    for seed in 5_000..5_150 {
        assert_eq!(exact(seed, &device, 256), Ok(()));
    }
}

#[test]
fn usual_scenes_differ_little() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped(NO_DEVICE);
    };
    let mut found = Differences::default();
    for seed in 5_000..5_040 {
        found.add(seed, &device).expect("it is drawn");
    }
    assert!(found.covered > 50_000, "{found}");
    assert!(found.coverage * 10_000 <= found.pixels, "{found}");
    assert!(found.colours * 1_000 <= found.covered, "{found}");
    // The device's depths may be worse; ours are not.
    assert!(found.errors[0] < 2.0_f64.powi(-21), "{found}");
}

/// Chromium comes with SwiftShader, a driver that snaps vertices to 1/16 of a pixel.
#[test]
fn scenes_on_the_grid_of_another_driver_are_equal_to_the_bit() {
    let driver = Path::new("/usr/lib/chromium/vk_swiftshader_icd.json");
    if !driver.exists() || !cfg!(target_os = "linux") {
        return skipped("there is no SwiftShader; .ci/install-tools installs it with Chromium");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_lambdav-gpu-tests"))
        .args(["triangles", "--scenes", "40", "--steps", "16"])
        .env("VK_DRIVER_FILES", driver)
        .env("VK_ICD_FILENAMES", driver)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("On SwiftShader") && output.status.success(), "{text}");
}
