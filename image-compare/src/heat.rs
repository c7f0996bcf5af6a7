//! Heat maps: pictures of the differences between two images.

use super::{Compare, CompareOptions, Depth, Pair, distance, pair};
use lambdav_float_environment::with_default;
use lambdav_image::pixels::{AnyImage, Image};

/// Colours of increasing lightness, from the smallest difference to the largest; all are lighter than
/// opaque black, the colour of equal pixels. They are points of Matplotlib's *inferno*.
const RAMP: [[u8; 3]; 7] = [
    [66, 10, 104],
    [120, 28, 109],
    [176, 46, 89],
    [221, 81, 58],
    [245, 125, 21],
    [250, 186, 36],
    [252, 255, 164],
];

/// Heat map of two images, compared as by [`compare`](super::compare()); none if their sizes differ.
///
/// Equal pixels are black, ignored ones dark blue. Other pixels get a colour by the logarithm of their
/// largest difference: the darkest for one level or ULP, the lightest for all levels or 2^32 ULP. NaN
/// against a number is the lightest, −0 against +0 the darkest.
pub fn heat_map(a: &AnyImage, b: &AnyImage, options: &CompareOptions) -> Option<Image<u8>> {
    if a.size() != b.size() {
        return None;
    }
    Some(with_default(|| match pair(a, b, options.transfer) {
        Pair::Unorm8(a, b) => paint(&a, &b, options),
        Pair::Unorm16(a, b) => paint(&a, &b, options),
        Pair::Float(a, b) => paint(a, b, options),
    }))
}

fn paint<T: Compare>(a: &Image<T>, b: &Image<T>, options: &CompareOptions) -> Image<u8> {
    let bits = match T::DEPTH {
        Depth::Unorm8 => 8,
        Depth::Unorm16 => 16,
        Depth::Float => 32,
    };
    let mut pairs = a.pixels().iter().zip(b.pixels());
    Image::from_fn(a.size(), |x, y| {
        let (a, b) = pairs.next().expect("all three images are of one size");
        if options.ignores(x, y) {
            return [0, 0, 64, 255];
        }
        let samples = || a.iter().copied().zip(b.iter().copied());
        if samples().all(|(a, b)| a.equal(b)) {
            return [0, 0, 0, 255];
        }
        let steps = samples().map(|(a, b)| distance(a, b).0.unwrap_or(u32::MAX)).max();
        let [r, g, b] = colour(log2(steps.unwrap_or(0).max(1)), bits << FRACTION);
        [r, g, b, 255]
    })
}

/// Fraction bits of [`log2`].
const FRACTION: u32 = 8;

/// Logarithm to base 2, in fixed point, linear between powers of two. Integer arithmetic makes heat
/// maps equal on all machines.
fn log2(value: u32) -> u32 {
    let whole = value.ilog2();
    let fraction = ((u64::from(value) << FRACTION) >> whole) as u32 & ((1 << FRACTION) - 1);
    (whole << FRACTION) | fraction
}

/// Colour of the ramp at `at` of `end`, interpolated linearly.
fn colour(at: u32, end: u32) -> [u8; 3] {
    let pieces = RAMP.len() as u32 - 1;
    let position = at.min(end) * pieces;
    // The end belongs to the last piece.
    let piece = (position / end).min(pieces - 1);
    let within = position - piece * end;
    let (from, to) = (RAMP[piece as usize], RAMP[piece as usize + 1]);
    [0, 1, 2].map(|channel| {
        let (from, to) = (u32::from(from[channel]), u32::from(to[channel]));
        // The result lies between two bytes, so it fits a byte.
        ((from * (end - within) + to * within) / end) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_image::size::Size;

    /// Relative luminance, a sufficient order for lightness.
    fn luminance([r, g, b]: [u8; 3]) -> f64 {
        let linear = |level: u8| (f64::from(level) / 255.0).powf(2.2);
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn the_ramp_rises() {
        let end = 32 << FRACTION;
        let colours: Vec<f64> = (0..=end).map(|at| luminance(colour(at, end))).collect();
        assert!(colours[0] > 0.0);
        // Truncation to bytes may decrease the luminance slightly between adjacent colours.
        assert!(colours.windows(2).all(|pair| pair[1] > pair[0] - 0.01));
        assert!(colours.windows(65).all(|window| window[64] > window[0]));
        assert_eq!(colour(0, end), RAMP[0]);
        assert_eq!(colour(end, end), RAMP[6]);
    }

    #[test]
    fn logarithms_rise() {
        assert_eq!([1, 2, 4, 1 << 31].map(log2), [0, 1 << 8, 2 << 8, 31 << 8]);
        assert_eq!(log2(3), (1 << 8) + 128);
        assert_eq!(log2(u32::MAX), (31 << 8) + 255);
        assert!((1..70_000).all(|value| log2(value) <= log2(value + 1)));
    }

    #[test]
    fn equal_pixels_are_black() {
        let size = Size::new(4, 1).expect("within the limits");
        let a = Image::from_fn(size, |_, _| [0.0f32, f32::NAN, 0.0, 1.0]);
        let red_green = [[0.0, f32::NAN], [-0.0, f32::NAN], [0.0, 1.0], [1.0, f32::NAN]];
        let b = Image::from_fn(size, |x, _| {
            let [red, green] = red_green[x as usize];
            [red, green, 0.0, 1.0]
        });
        let map = heat_map(&a.into(), &b.into(), &CompareOptions::default()).expect("one size");
        let at = |x| map.pixel(x, 0).expect("inside");
        assert_eq!(at(0), [0, 0, 0, 255]);
        assert_eq!(at(1)[..3], RAMP[0]);
        assert!(at(2)[0] > 245 && at(2)[1] > 250);
        assert!(luminance([at(3)[0], at(3)[1], at(3)[2]]) > luminance(RAMP[4]));
    }
}
