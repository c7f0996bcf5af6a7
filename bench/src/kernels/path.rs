//! `shaders/path.lv`.

use super::builtins::{Vec2, Vec3, add, div, dot, max, mix, normalize, scale, sub, zip};
use crate::bodies;

struct Ball {
    centre: Vec3,
    radius: f32,
    colour: Vec3,
}

struct Hit {
    distance: f32,
    normal: Vec3,
    colour: Vec3,
}

struct Path {
    origin: Vec3,
    direction: Vec3,
    weight: Vec3,
    state: u32,
    left: i32,
}

const BALLS: [Ball; 4] = [
    Ball { centre: [0.0, 100.5, 3.0], radius: 100.0, colour: [0.7, 0.7, 0.6] },
    Ball { centre: [0.0, 0.0, 3.0], radius: 0.5, colour: [0.8, 0.3, 0.2] },
    Ball { centre: [-1.1, 0.1, 3.3], radius: 0.4, colour: [0.9; 3] },
    Ball { centre: [0.9, 0.2, 2.6], radius: 0.3, colour: [0.3, 0.5, 0.9] },
];

/// A random number from 0 to 1. Advances the state.
fn random(state: &mut u32) -> f32 {
    let word = ((*state >> ((*state >> 28) + 4)) ^ *state).wrapping_mul(277_803_737);
    *state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    (((word >> 22) ^ word) >> 8) as f32 / 16_777_216.0
}

fn meet(path: &Path) -> Hit {
    let mut hit = Hit { distance: 1e9, normal: [0.0; 3], colour: [0.0; 3] };
    for ball in &BALLS {
        let to = sub(path.origin, ball.centre);
        let b = dot(to, path.direction);
        let under = b * b - (dot(to, to) - ball.radius * ball.radius);
        let t = -b - max(0.0, under).sqrt();
        if under > 0.0 && t > 1e-3 && t < hit.distance {
            let normal = add(to, scale(path.direction, t)).map(|part| part / ball.radius);
            hit = Hit { distance: t, normal, colour: ball.colour };
        }
    }
    hit
}

fn reflected(path: &Path, hit: &Hit) -> Path {
    let mut state = path.state;
    let (a, b) = (random(&mut state), random(&mut state));
    let h = 1.0 - 2.0 * a;
    let r = (1.0 - h * h).sqrt();
    let turn = std::f32::consts::TAU * b;
    let on_ball = [r * bodies::cos(turn), r * bodies::sin(turn), h];
    Path {
        origin: add(path.origin, scale(path.direction, hit.distance)),
        direction: normalize(add(hit.normal, scale(on_ball, 0.999))),
        weight: zip(path.weight, hit.colour, |a, b| a * b),
        state,
        left: path.left - 1,
    }
}

fn follow(mut path: Path) -> Path {
    loop {
        let hit = meet(&path);
        if hit.distance >= 1e8 {
            let t = 0.5 * (1.0 - path.direction[1]);
            let sky = zip([1.0; 3], [0.5, 0.7, 1.0], |low, high| mix(low, high, t));
            return Path { weight: zip(path.weight, sky, |a, b| a * b), ..path };
        }
        if path.left <= 0 {
            return Path { weight: [0.0; 3], ..path };
        }
        path = reflected(&path, &hit);
    }
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let [x, y] = at.map(|part| part as u32);
    let mut state = x.wrapping_mul(1973).wrapping_add(y.wrapping_mul(9277));
    let mut light = [0.0; 3];
    for _ in 0..4 {
        let jitter = [random(&mut state), random(&mut state)];
        let p = add(at.map(f32::floor), jitter);
        let uv = div(sub(p, scale(resolution, 0.5)), [resolution[1]; 2]);
        let direction = normalize([uv[0], uv[1], 1.5]);
        let begun = Path { origin: [0.0; 3], direction, weight: [1.0; 3], state, left: 5 };
        let path = follow(begun);
        light = add(light, path.weight);
        state = path.state;
    }
    let [r, g, b] = light.map(|part| (part / 4.0).sqrt());
    [r, g, b, 1.0]
}
