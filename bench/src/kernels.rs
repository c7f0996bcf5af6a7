//! The kernels in scalar Rust: the formulas of the shaders, in the same order, a pixel at a time.

/// A kernel: a shader, and the same in Rust.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) shader: &'static str,
    /// A pixel from its centre and the size of the image.
    pub(crate) scalar: fn([f32; 2], [f32; 2]) -> [f32; 4],
}

/// All of them.
pub(crate) const KERNELS: &[Kernel] = &[Kernel {
    name: "mandelbrot",
    shader: include_str!("../shaders/mandelbrot.lv"),
    scalar: mandelbrot,
}];

fn mandelbrot([px, py]: [f32; 2], [width, height]: [f32; 2]) -> [f32; 4] {
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
