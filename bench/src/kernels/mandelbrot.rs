//! `shaders/mandelbrot.lv`.

use super::builtins::Vec2;

pub(super) fn pixel([px, py]: Vec2, [width, height]: Vec2) -> [f32; 4] {
    let (cx, cy) = (-2.0 + 3.0 * (px / width), -1.5 + 3.0 * (py / height));
    let (mut x, mut y, mut n) = (0.0_f32, 0.0_f32, 0.0_f32);
    loop {
        let (xx, yy) = (x * x, y * y);
        if n < 256.0 && xx + yy < 4.0 {
            (x, y, n) = (xx - yy + cx, 2.0 * x * y + cy, n + 1.0);
        } else {
            let grey = n / 256.0;
            return [grey, grey, grey, 1.0];
        }
    }
}
