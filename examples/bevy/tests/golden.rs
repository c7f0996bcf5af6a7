//! Compares a Bevy material with λV's picture.

use bevy::prelude::LinearRgba;
use lambdav::{Options, Shader, Size};
use lambdav_example_bevy::{Game, Rings};
use lambdav_test::{CompareOptions, assert_image};

/// The golden is the exact picture, drawn without a GPU, and kept; `lambdav test` draws the same bits from the material
/// itself (docs/wgsl.md). Bevy's picture differs from it by
/// rounding, at most by one level of 8 bits.
#[test]
fn bevy_draws_the_golden() {
    let shader = Shader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/rings.lv"));
    let shader = shader.expect("it is right");
    let size = Size::new(160, 100).expect("small");
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    let mut bindings = pipeline.bindings();
    bindings.time(0.3);
    let exact = pipeline.render(&bindings, size).expect("it ends");
    assert_image!(exact, "assets/rings.png");

    let Some(mut game) = Game::open() else {
        lambdav_test_support::skipped("there is no Vulkan driver for Bevy");
        return;
    };
    let rings = Rings { tint: LinearRgba::rgb(1.0, 0.6, 0.2), time: 0.3, width: 0.05 };
    let drawn = game.draw(rings.clone(), 160, 100).expect("it is drawn");
    let allowed = CompareOptions { tolerance: Some([1.0; 4]), ..CompareOptions::default() };
    assert_image!(drawn.clone(), "assets/rings.png", allowed);

    // The picture at another time differs.
    let other = game.draw(Rings { time: 0.32, ..rings }, 160, 100).expect("it is drawn");
    assert!(other != drawn, "time makes no difference on {}", game.device());
}
