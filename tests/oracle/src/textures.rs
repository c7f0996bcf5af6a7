//! Samples of textures as LANGUAGE §12 defines them, one texel at a time.
//!
//! It shares no code with the implementation, only the options of declarations. Each step is computed in
//! binary64 and rounded to binary32. For sums, differences and products of binary32 numbers this double
//! rounding equals a single one, since 53 ≥ 2·24 + 2 (Figueroa).

use lambdav_core::op::Elementary;
use lambdav_core::texture::{Filter, TextureOptions, Wrap};

use crate::evaluate;

/// One level of a texture.
#[derive(Clone, Debug)]
pub struct Image {
    /// Width and height in texels.
    pub size: [i64; 2],
    /// The texels, row by row.
    pub texels: Vec<[f32; 4]>,
}

pub(crate) fn add(a: f32, b: f32) -> f32 {
    (f64::from(a) + f64::from(b)) as f32
}

pub(crate) fn sub(a: f32, b: f32) -> f32 {
    (f64::from(a) - f64::from(b)) as f32
}

pub(crate) fn mul(a: f32, b: f32) -> f32 {
    (f64::from(a) * f64::from(b)) as f32
}

/// (The same holds for quotients.)
pub(crate) fn div(a: f32, b: f32) -> f32 {
    (f64::from(a) / f64::from(b)) as f32
}

/// `a*(1-t) + b*t`.
pub(crate) fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    std::array::from_fn(|k| add(mul(a[k], sub(1.0, t)), mul(b[k], t)))
}

pub(crate) fn floor(x: f32) -> f32 {
    // From 2^23 on, every number is an integer.
    if !x.is_finite() || x.abs() >= 8_388_608.0 {
        return x;
    }
    let whole = x as i64;
    let below = if (whole as f32) > x { whole - 1 } else { whole };
    // The floor of minus zero is minus zero. No other number has that floor.
    if below == 0 && x.is_sign_negative() { -0.0 } else { below as f32 }
}

/// Converts to a 32-bit integer: toward zero, saturating; NaN gives 0.
pub(crate) fn int(x: f32) -> i64 {
    if x.is_nan() {
        return 0;
    }
    f64::from(x).trunc().clamp(-2_147_483_648.0, 2_147_483_647.0) as i64
}

/// The next 32-bit integer, with wrap-around.
pub(crate) fn next(k: i64) -> i64 {
    if k == 2_147_483_647 { -2_147_483_648 } else { k + 1 }
}

/// All levels of an image, from the image to a single texel.
pub fn pyramid(image: Image) -> Vec<Image> {
    let mut all = vec![image];
    loop {
        let Image { size: [width, height], texels } = &all[all.len() - 1];
        if (*width, *height) == (1, 1) {
            return all;
        }
        let half = |side: i64| if side == 1 { 1 } else { side / 2 };
        let (across, down) = (half(*width), half(*height));
        let at = |x: i64, y: i64| texels[(y.min(height - 1) * width + x.min(width - 1)) as usize];
        let mut smaller = Vec::new();
        for y in 0..down {
            for x in 0..across {
                let (x, y) = (2 * x, 2 * y);
                let four = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
                smaller.push(std::array::from_fn(|k| {
                    let [a, b, c, d] = four.map(|texel| texel[k]);
                    mul(add(add(a, b), add(c, d)), 0.25)
                }));
            }
        }
        all.push(Image { size: [across, down], texels: smaller });
    }
}

/// The texel that a mode without a colour takes.
pub(crate) fn wrap(wrap: Wrap, k: i64, n: i64) -> i64 {
    match wrap {
        Wrap::Border | Wrap::MirrorOnce => panic!("samplers are in another module"),
        Wrap::Clamp => k.clamp(0, n - 1),
        Wrap::Repeat => k.rem_euclid(n),
        Wrap::Mirror => {
            let m = k.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
    }
}

pub(crate) fn of_level(image: &Image, options: TextureOptions, uv: [f32; 2]) -> [f32; 4] {
    let [width, height] = image.size;
    let texel = |x: i64, y: i64| {
        let (x, y) = (wrap(options.wrap[0], x, width), wrap(options.wrap[1], y, height));
        image.texels[(y * width + x) as usize]
    };
    let scaled = [mul(uv[0], width as f32), mul(uv[1], height as f32)];
    match options.filter {
        Filter::Nearest => {
            let [x, y] = scaled.map(|q| int(floor(q)));
            texel(x, y)
        }
        Filter::Linear => {
            let q = scaled.map(|q| sub(q, 0.5));
            let [fx, fy] = q.map(|q| sub(q, floor(q)));
            let [x, y] = q.map(|q| int(floor(q)));
            let upper = mix(texel(x, y), texel(next(x), y), fx);
            mix(upper, mix(texel(x, next(y)), texel(next(x), next(y)), fx), fy)
        }
    }
}

/// `sample-level` of a texture; `levels` has all levels, or the first only.
pub fn sample(levels: &[Image], options: TextureOptions, uv: [f32; 2], l: f32) -> [f32; 4] {
    if !options.mipmaps {
        return of_level(&levels[0], options, uv);
    }
    let last = (levels.len() - 1) as f32;
    let l = if l > 0.0 { l } else { 0.0 };
    let l = if last < l { last } else { l };
    let level = |k: f32| &levels[(k as usize).min(levels.len() - 1)];
    match options.filter {
        Filter::Nearest => {
            let (below, rest) = (floor(l), sub(l, floor(l)));
            let is_up = rest > 0.5 || (rest == 0.5 && below as i64 % 2 == 1);
            of_level(level(if is_up { below + 1.0 } else { below }), options, uv)
        }
        Filter::Linear => {
            let below = floor(l);
            let [a, b] = [below, below + 1.0].map(|k| of_level(level(k), options, uv));
            mix(a, b, sub(l, below))
        }
    }
}

/// `sample-grad` of a texture.
pub fn sample_grad(
    levels: &[Image],
    options: TextureOptions,
    uv: [f32; 2],
    [dx, dy]: [[f32; 2]; 2],
) -> [f32; 4] {
    let [width, height] = levels[0].size;
    let square = |d: [f32; 2]| {
        let (x, y) = (mul(d[0], width as f32), mul(d[1], height as f32));
        add(mul(x, x), mul(y, y))
    };
    let (a, b) = (square(dx), square(dy));
    let larger = if a < b { b } else { a };
    sample(levels, options, uv, mul(0.5, evaluate(Elementary::Log2, larger, 0.0)))
}
