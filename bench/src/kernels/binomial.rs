//! `shaders/binomial.lv`.

use super::bodies::exp;
use super::builtins::{Vec2, div, max};

const STEPS: f32 = 64.0;
const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

fn power_64(x: f32) -> f32 {
    (0..6).fold(x, |x, _| x * x)
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let [x, y] = div(at, resolution);
    let price = 10.0 + 90.0 * x;
    let strike = 10.0 + 90.0 * y;
    let years = 0.25 + 9.75 * (x * y);

    let dt = years / STEPS;
    let up = exp(VOLATILITY * dt.sqrt());
    let down = 1.0 / up;
    let growth = exp(RATE * dt);
    let p_up = (growth - down) / (up - down);
    let p_down = 1.0 - p_up;
    let odds = p_up / p_down;
    let lowest = price * power_64(down);
    let discount = 1.0 / power_64(growth);
    let up_2 = up * up;

    let call = |strike: f32| {
        let (mut j, mut probability, mut leaf, mut sum) = (0.0, power_64(p_down), lowest, 0.0);
        while j <= STEPS {
            sum += probability * max(0.0, leaf - strike);
            probability = (probability * odds) * ((STEPS - j) / (j + 1.0));
            leaf *= up_2;
            j += 1.0;
        }
        discount * sum
    };
    let (mut k, mut total) = (0.0, 0.0);
    while k < 4.0 {
        (total, k) = (total + call(strike * (0.7 + 0.2 * k)), k + 1.0);
    }
    [total * 0.004, 0.0, 0.0, 1.0]
}
