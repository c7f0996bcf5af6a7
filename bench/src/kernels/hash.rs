//! `shaders/hash.lv`.

use super::builtins::Vec2;

fn pcg(n: u32) -> u32 {
    let state = n.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

pub(super) fn pixel(at: Vec2, _resolution: Vec2) -> [f32; 4] {
    let [x, y] = at.map(|part| part as u32);
    let mut state = pcg(x.wrapping_add(pcg(y)));
    let mut sum = 0.0;
    for _ in 0..16 {
        sum += (state >> 8) as f32;
        state = pcg(state);
    }
    let grey = sum / 268_435_456.0;
    [grey, grey, grey, 1.0]
}
