//! `shaders/raymarch.lv`.

use super::builtins::{Vec2, Vec3, add, clamp, dot, length, max, min, normalize, scale, sub};

const SUN: Vec3 = [0.6, 0.64, 0.48];

fn ball(p: Vec3) -> f32 {
    length(sub(p, [-1.1, 0.6, 0.0])) - 0.6
}

fn block(p: Vec3) -> f32 {
    let q = sub(p, [0.4, 0.45, 0.6]).map(|x| x.abs() - 0.4);
    let outside = length(q.map(|x| max(x, 0.0)));
    outside + min(0.0, max(max(q[0], q[1]), q[2])) - 0.05
}

fn ring(p: Vec3) -> f32 {
    let q = sub(p, [1.4, 0.25, -0.4]);
    let around = length([q[0], q[2]]) - 0.55;
    length([around, q[1]]) - 0.25
}

// The machine code inlines every application too. By default the Rust compiler calls the function, which
// is slower.
#[inline(always)]
fn scene(p: Vec3) -> f32 {
    min(min(p[1], ball(p)), min(block(p), ring(p)))
}

fn distance_along(eye: Vec3, direction: Vec3) -> f32 {
    let (mut t, mut n) = (0.05, 0.0);
    loop {
        let d = scene(add(eye, scale(direction, t)));
        if d < 0.001 * t || t > 20.0 || n >= 96.0 {
            return t;
        }
        (t, n) = (t + d, n + 1.0);
    }
}

fn sunlight(p: Vec3) -> f32 {
    let (mut t, mut light, mut n) = (0.02, 1.0, 0.0);
    loop {
        let d = scene(add(p, scale(SUN, t)));
        let dimmed = min(light, 8.0 * d / t);
        if dimmed < 0.005 || t > 4.0 || n >= 32.0 {
            return max(0.0, dimmed);
        }
        (t, light, n) = (t + clamp(d, 0.02, 0.3), dimmed, n + 1.0);
    }
}

fn normal_at(p: Vec3) -> Vec3 {
    let axes = [[0.001, 0.0, 0.0], [0.0, 0.001, 0.0], [0.0, 0.0, 0.001]];
    normalize(axes.map(|step| scene(add(p, step)) - scene(sub(p, step))))
}

pub(super) fn pixel(at: Vec2, [width, height]: Vec2) -> [f32; 4] {
    let x = (2.0 * at[0] - width) / height;
    let y = (2.0 * at[1] - height) / -height;
    let [x, y, z] = normalize([x, y, -1.8]);
    let direction = [x, 0.96 * y - 0.28 * -z, 0.28 * y + 0.96 * z];
    let eye = [0.0, 1.6, 4.5];
    let t = distance_along(eye, direction);
    let [r, g, b] = if t > 20.0 {
        add([0.3, 0.45, 0.7], scale([0.5, 0.4, 0.2], 1.0 - max(0.0, direction[1])))
    } else {
        let p = add(eye, scale(direction, t));
        let normal = normal_at(p);
        let facing = max(0.0, dot(normal, SUN));
        let direct =
            if facing > 0.0 { facing * sunlight(add(p, scale(normal, 0.005))) } else { 0.0 };
        let sky = scale([0.12, 0.15, 0.2], 0.6 + 0.4 * normal[1]);
        add(scale([0.9, 0.8, 0.6], direct), sky)
    };
    [r, g, b, 1.0]
}
