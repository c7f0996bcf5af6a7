//! `shaders/volume.lv`.

use super::bodies::exp;
use super::builtins::{Vec2, Vec3, add, div, dot, fract, max, min, normalize, scale, sub, zip};

const TOWARDS_LIGHT: Vec3 = [0.48, 0.8, -0.36];
const STEP_LENGTH: f32 = 0.04;

fn blob(p: Vec3, centre: Vec3, radius: f32) -> f32 {
    let d = sub(p, centre);
    let near = max(0.0, 1.0 - dot(d, d) / (radius * radius));
    near * near
}

fn density(p: Vec3) -> f32 {
    let balls = blob(p, [-0.35, -0.1, 0.0], 0.6)
        + blob(p, [0.3, 0.15, 0.2], 0.55)
        + blob(p, [0.1, -0.35, -0.3], 0.45);
    let q = scale(p, 2.5).map(|x| fract(x) - 0.5);
    let holes = 1.5 * dot(q, q);
    max(0.0, balls - holes)
}

fn light_at(p: Vec3) -> f32 {
    let (mut i, mut sum) = (0.0, 0.0);
    while i < 8.0 {
        sum += 0.1 * density(add(p, scale(TOWARDS_LIGHT, 0.1 * (i + 0.5))));
        i += 1.0;
    }
    exp(-1.5 * sum)
}

/// The light that arrives, and the transmittance of the ray.
fn march(origin: Vec3, ray: Vec3, start: f32, end: f32) -> Vec2 {
    let (mut t, mut light, mut through) = (start, 0.0, 1.0);
    while t < end && through > 0.005 {
        let p = add(origin, scale(ray, t));
        let d = density(p);
        if d > 0.0 {
            let passed = exp(-6.0 * STEP_LENGTH * d);
            light += through * (1.0 - passed) * light_at(p);
            through *= passed;
        }
        t += STEP_LENGTH;
    }
    [light, through]
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let [x, y] = div(at, resolution).map(|part| 0.9 * part - 0.45);
    let (origin, ray) = ([0.0, 0.0, -3.0], normalize([x, y, 1.4]));
    let entries = zip(origin, ray, |o, r| (-1.0 - o) / r);
    let exits = zip(origin, ray, |o, r| (1.0 - o) / r);
    let (low, high) = (zip(entries, exits, min), zip(entries, exits, max));
    let start = max(max(low[0], low[1]), max(0.0, low[2]));
    let end = min(min(high[0], high[1]), high[2]);
    let [light, through] = if start < end { march(origin, ray, start, end) } else { [0.0, 1.0] };
    let [r, g, b] = add(scale([1.0, 0.95, 0.85], light), scale([0.1, 0.2, 0.4], through));
    [r, g, b, 1.0]
}
