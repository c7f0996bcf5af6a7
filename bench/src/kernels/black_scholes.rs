//! `shaders/black-scholes.lv`.

use super::bodies::{exp, log};
use super::builtins::{Vec2, div};

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

/// The normal distribution (Abramowitz and Stegun 26.2.17).
fn normal_below(x: f32) -> f32 {
    let size = x.abs();
    let k = 1.0 / (1.0 + 0.231_641_9 * size);
    let p = k * 1.330_274_5 - 1.821_255_9;
    let p = 0.319_381_53 + k * (k * (1.781_477_9 + k * p) - 0.356_563_78);
    let tail = (0.398_942_3 * exp((-0.5 * size) * size)) * (k * p);
    if x > 0.0 { 1.0 - tail } else { tail }
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let [x, y] = div(at, resolution);
    let price = 10.0 + 90.0 * x;
    let strike = 10.0 + 90.0 * y;
    let years = 0.25 + 9.75 * (x * y);

    let root = VOLATILITY * years.sqrt();
    let drift = (RATE + 0.5 * (VOLATILITY * VOLATILITY)) * years;
    let d1 = (log(price / strike) + drift) / root;
    let d2 = d1 - root;
    let discounted = strike * exp(-RATE * years);
    let n1 = normal_below(d1);
    let call = price * n1 - discounted * normal_below(d2);
    let put = (call - price) + discounted;
    [0.01 * call, 0.01 * put, n1, 1.0]
}
