//! `shaders/noise.lv`.

use super::bodies::sin;
use super::builtins::{Vec2, add, div, dot, fract, mix, scale};

fn hash(p: Vec2) -> f32 {
    fract(43_758.547 * sin(dot(p, [12.989_8, 78.233])))
}

fn noise(p: Vec2) -> f32 {
    let cell = p.map(f32::floor);
    let [x, y] = p.map(fract).map(|f| f * f * (3.0 - 2.0 * f));
    let corner = |by| hash(add(cell, by));
    let upper = mix(hash(cell), corner([1.0, 0.0]), x);
    mix(upper, mix(corner([0.0, 1.0]), corner([1.0, 1.0]), x), y)
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let mut p = scale(div(at, resolution), 8.0);
    let (mut strength, mut sum, mut i) = (0.5, 0.0, 0.0);
    while i < 5.0 {
        sum += strength * noise(p);
        p = [1.6 * p[0] - 1.2 * p[1], 1.2 * p[0] + 1.6 * p[1]];
        (strength, i) = (0.5 * strength, i + 1.0);
    }
    [sum, sum, sum, 1.0]
}
