//! `shaders/table-uniform.lv`, `table-row.lv` and `table-varying.lv`.

use super::builtins::Vec2;

/// A permutation of the numbers below 64.
const PERMUTATION: [u32; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i as usize] = (i * 37 + 11) & 63;
        i += 1;
    }
    table
};

const COEFFICIENTS: [f32; 64] = {
    let mut table = [0.0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = PERMUTATION[i] as f32 / 32.0 - 1.0;
        i += 1;
    }
    table
};

fn grey(sum: f32) -> [f32; 4] {
    let grey = 0.5 + 0.25 * sum;
    [grey, grey, grey, 1.0]
}

pub(super) fn uniform_pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let x = at[0] / resolution[0] - at[1] / resolution[1];
    grey(COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * x + coefficient))
}

pub(super) fn row_pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let (x, row) = (at[0] / resolution[0], at[1] as usize);
    grey((0..16).fold(0.0, |sum, i| sum * x + COEFFICIENTS[(row + 5 * i) & 63]))
}

pub(super) fn varying_pixel(at: Vec2, _resolution: Vec2) -> [f32; 4] {
    let [x, y] = at.map(|part| part as u32);
    let step = |n: u32| PERMUTATION[(n & 63) as usize];
    let end = (0..16).fold(step(y), |n, _| step(n.wrapping_add(x)));
    let grey = end as f32 / 63.0;
    [grey, grey, grey, 1.0]
}
