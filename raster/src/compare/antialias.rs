//! Which pixels are antialiased.
//!
//! After V. Vyšniauskas, *Anti-aliased pixel and intensity slope detector* (2009), as image tests have
//! come to use it: a pixel lies on a slope of luminance, between a darker and a lighter neighbour,
//! has at most two neighbours of its own luminance, and the darkest or the lightest of its neighbours
//! belongs to an area of one colour in both images.

use super::sample::Compare;
use crate::image::Image;

/// Whether the pixel is antialiased in either image.
pub(super) fn is_antialiased<T: Compare>(a: &Image<T>, b: &Image<T>, x: u32, y: u32) -> bool {
    is_on_edge(a, b, x, y) || is_on_edge(b, a, x, y)
}

/// Whether the pixel of `image` lies between areas that both images have.
fn is_on_edge<T: Compare>(image: &Image<T>, other: &Image<T>, x: u32, y: u32) -> bool {
    let at = |x, y| image.pixel(x, y).map_or(0.0, luminance);
    let own = at(x, y);
    let mut same = 0;
    let (mut darkest, mut lightest) = ((0.0, (x, y)), (0.0, (x, y)));
    let (neighbours, count) = neighbours(image, x, y);
    for &(x, y) in &neighbours[..count] {
        let slope = at(x, y) - own;
        if slope == 0.0 {
            same += 1;
        } else if slope < darkest.0 {
            darkest = (slope, (x, y));
        } else if slope > lightest.0 {
            lightest = (slope, (x, y));
        }
    }
    // Beyond the border it goes on as it is.
    same += usize::from(count < 8);
    if same > 2 || darkest.0 == 0.0 || lightest.0 == 0.0 {
        return false;
    }
    let in_area = |(x, y)| has_area(image, x, y) && has_area(other, x, y);
    in_area(darkest.1) || in_area(lightest.1)
}

/// Whether more than two neighbours of a pixel equal it.
fn has_area<T: Compare>(image: &Image<T>, x: u32, y: u32) -> bool {
    let own = image.pixel(x, y);
    let (neighbours, count) = neighbours(image, x, y);
    let same = neighbours[..count].iter().filter(|&&(x, y)| image.pixel(x, y) == own).count();
    same + usize::from(count < 8) > 2
}

/// The pixels around one, inside the image, and how many they are.
fn neighbours<T: Compare>(image: &Image<T>, x: u32, y: u32) -> ([(u32, u32); 8], usize) {
    let (right, bottom) = (image.size().width() - 1, image.size().height() - 1);
    let (mut found, mut count) = ([(0, 0); 8], 0);
    for row in y.saturating_sub(1)..=(y + 1).min(bottom) {
        for column in x.saturating_sub(1)..=(x + 1).min(right) {
            if (column, row) != (x, y) {
                found[count] = (column, row);
                count += 1;
            }
        }
    }
    (found, count)
}

/// Luma by the weights of NTSC, over white. Not a number counts as black.
fn luminance<T: Compare>([r, g, b, a]: [T; 4]) -> f64 {
    let [r, g, b, a] = [r, g, b, a].map(|sample| sample.into() / T::FULL);
    let luma = 0.298_895_31 * r + 0.586_622_47 * g + 0.114_482_23 * b;
    let luma = 1.0 + (luma - 1.0) * a;
    if luma.is_finite() { luma } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::Size;

    /// An edge between black and white, smoothed in one of the two: only its pixels are antialiased.
    #[test]
    fn smoothed_edges() {
        let size = Size::new(9, 9).expect("within the limits");
        let hard = Image::from_fn(size, |x, y| {
            let level = if 2 * x > y + 6 { 255u8 } else { 0 };
            [level, level, level, 255]
        });
        let smooth = Image::from_fn(size, |x, y| {
            let distance = 2 * i64::from(x) - i64::from(y) - 6;
            let level = (127 + 80 * distance).clamp(0, 255) as u8;
            [level, level, level, 255]
        });
        let mut seen = 0;
        for (x, y) in (0..9).flat_map(|y| (0..9).map(move |x| (x, y))) {
            let differs = hard.pixel(x, y) != smooth.pixel(x, y);
            if differs && (1..8).contains(&x) && (1..8).contains(&y) {
                assert!(is_antialiased(&hard, &smooth, x, y), "({x}, {y})");
                seen += 1;
            }
        }
        assert!(seen > 5);
        assert!(!is_antialiased(&hard, &smooth, 0, 4));
        // A spot in the middle of an area is none.
        let spot = Image::from_fn(size, |x, y| [if (x, y) == (4, 4) { 9u8 } else { 0 }; 4]);
        let area = Image::from_fn(size, |_, _| [0u8; 4]);
        assert!(!is_antialiased(&spot, &area, 4, 4));
    }
}
