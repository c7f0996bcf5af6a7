//! Detection of antialiased pixels.
//!
//! After V. Vyšniauskas, *Anti-aliased pixel and intensity slope detector* (2009), in the form common
//! in image tests. A pixel is antialiased if it lies on a slope of luminance, between a darker and a
//! lighter neighbour, has at most two neighbours of its own luminance, and its darkest or lightest
//! neighbour belongs to an area of one colour in both images.

use super::sample::Compare;
use lambdav_image::pixels::Image;
use std::ops::{Range, RangeInclusive};

/// Two images of one size, with the luminances of a band of rows.
pub(super) struct Antialias<'a, T> {
    images: [&'a Image<T>; 2],
    /// The first row with luminances.
    top: u32,
    /// Luminances of each image, row by row.
    luminances: [Vec<f64>; 2],
}

impl<'a, T: Compare> Antialias<'a, T> {
    /// Detector for the pixels in these rows.
    pub(super) fn new(a: &'a Image<T>, b: &'a Image<T>, rows: Range<u32>) -> Self {
        let width = a.size().width() as usize;
        let (top, bottom) = (rows.start.saturating_sub(1), (rows.end + 1).min(a.size().height()));
        let part = top as usize * width..bottom as usize * width;
        let images = [a, b];
        let luminances = images.map(|image| {
            image.pixels()[part.clone()].iter().map(|&pixel| luminance(pixel)).collect()
        });
        Self { images, top, luminances }
    }

    /// True if the pixel is antialiased in either image.
    pub(super) fn is_antialiased(&self, x: u32, y: u32) -> bool {
        self.is_on_edge(0, x, y) || self.is_on_edge(1, x, y)
    }

    /// True if the image's pixel lies between areas that both images have.
    fn is_on_edge(&self, image: usize, x: u32, y: u32) -> bool {
        let size = self.images[image].size();
        let width = size.width() as usize;
        let (columns, rows) = (around(x, size.width()), around(y, size.height()));
        let row = |y: u32| {
            let from = (y - self.top) as usize * width;
            &self.luminances[image][from..from + width]
        };
        let own = row(y)[x as usize];
        // The pixel itself counts once, so subtract it; beyond the border the image continues with
        // equal luminance.
        let mut same = i32::from(is_at_border(&columns, &rows)) - 1;
        let (mut darkest, mut lightest) = ((0.0, (x, y)), (0.0, (x, y)));
        for y in rows {
            let row = row(y);
            for x in columns.clone() {
                let slope = row[x as usize] - own;
                if slope == 0.0 {
                    same += 1;
                } else if slope < darkest.0 {
                    darkest = (slope, (x, y));
                } else if slope > lightest.0 {
                    lightest = (slope, (x, y));
                }
            }
        }
        if same > 2 || darkest.0 == 0.0 || lightest.0 == 0.0 {
            return false;
        }
        let in_area = |(x, y)| self.images.iter().all(|image| has_area(image, x, y));
        in_area(darkest.1) || in_area(lightest.1)
    }
}

/// True if a pixel equals more than two of its neighbours.
fn has_area<T: Compare>(image: &Image<T>, x: u32, y: u32) -> bool {
    let size = image.size();
    let width = size.width() as usize;
    let (columns, rows) = (around(x, size.width()), around(y, size.height()));
    let row = |y: u32| &image.pixels()[y as usize * width..][..width];
    let own = row(y)[x as usize];
    let mut same = usize::from(is_at_border(&columns, &rows));
    for y in rows {
        let row = &row(y)[*columns.start() as usize..=*columns.end() as usize];
        same += row.iter().filter(|&&pixel| pixel == own).count();
    }
    // The count includes the pixel itself. A pixel with a NaN equals no pixel, not even itself.
    same > 3
}

/// A coordinate and its neighbours inside the image.
fn around(at: u32, length: u32) -> RangeInclusive<u32> {
    at.saturating_sub(1)..=(at + 1).min(length - 1)
}

fn is_at_border(columns: &RangeInclusive<u32>, rows: &RangeInclusive<u32>) -> bool {
    let count = |range: &RangeInclusive<u32>| range.end() - range.start() + 1;
    count(columns) * count(rows) < 9
}

/// Luma with the weights of NTSC, over white. Non-finite values count as black.
fn luminance<T: Compare>([r, g, b, a]: [T; 4]) -> f64 {
    let [r, g, b, a] = [r, g, b, a].map(|sample| sample.into() / T::FULL);
    let luma = 0.298_895_31 * r + 0.586_622_47 * g + 0.114_482_23 * b;
    let luma = 1.0 + (luma - 1.0) * a;
    if luma.is_finite() { luma } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_image::size::Size;

    /// An edge between black and white, smoothed in one of the images: only its pixels are antialiased.
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
        let antialias = Antialias::new(&hard, &smooth, 0..9);
        for (x, y) in (0..9).flat_map(|y| (0..9).map(move |x| (x, y))) {
            let differs = hard.pixel(x, y) != smooth.pixel(x, y);
            if differs && (1..8).contains(&x) && (1..8).contains(&y) {
                assert!(antialias.is_antialiased(x, y), "({x}, {y})");
                seen += 1;
            }
        }
        assert!(seen > 5);
        assert!(!antialias.is_antialiased(0, 4));
        // An isolated pixel in an area is not antialiased.
        let spot = Image::from_fn(size, |x, y| [if (x, y) == (4, 4) { 9u8 } else { 0 }; 4]);
        let area = Image::from_fn(size, |_, _| [0u8; 4]);
        assert!(!Antialias::new(&spot, &area, 4..5).is_antialiased(4, 4));
    }
}
