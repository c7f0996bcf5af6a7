//! `shaders/plasma.lv`.

use super::bodies::sin;
use super::builtins::{Vec2, div, length};

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let [x, y] = div(at, resolution).map(|part| 8.0 * part - 4.0);
    let sum = sin(1.7 * x + 0.3 * y)
        + sin((-0.4 * x + 1.3 * y) + 0.5)
        + sin(0.9 * x + 1.1 * y)
        + sin(2.1 * length([x, y]));
    let wave = |phase: f32| 0.5 + 0.5 * sin(1.5 * sum + phase);
    [0.5 + 0.5 * sin(1.5 * sum), wave(2.1), wave(4.2), 1.0]
}
