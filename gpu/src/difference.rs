//! Distance of two float images.

use lambdav_core::float::same_bits;

/// The difference of two images of one size. All NaNs are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Components whose bits differ.
    pub components: usize,
    /// Differing components that are NaN in one image only.
    pub nans: usize,
    /// The largest distance of the other components in units in the last place.
    pub ulps: u32,
    /// The largest distance of 8-bit samples.
    pub levels: u32,
}

impl Difference {
    /// Compares two images.
    ///
    /// # Panics
    ///
    /// If their sizes differ.
    pub fn new(wanted: &[[u32; 4]], found: &[[u32; 4]]) -> Self {
        let mut difference = Self::default();
        assert_eq!(wanted.len(), found.len(), "images of one size");
        for (&a, &b) in wanted.iter().flatten().zip(found.iter().flatten()) {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            if same_bits(a, b) {
                continue;
            }
            difference.components += 1;
            if x.is_nan() || y.is_nan() {
                difference.nans += 1;
            } else {
                difference.ulps = difference.ulps.max(ulps(x, y));
            }
            difference.levels = difference.levels.max(level(x).abs_diff(level(y)));
        }
        difference
    }
}

/// Distance in ULP: the number of binary32 values from `x` to `y`; −0 and +0 are neighbours.
pub fn ulps(x: f32, y: f32) -> u32 {
    // Maps floats to integers of the same order.
    let order = |x: f32| match x.to_bits() {
        word if word >> 31 == 1 => !word,
        word => word | 1 << 31,
    };
    order(x).abs_diff(order(y))
}

/// The 8-bit sample; 0 for NaN.
fn level(x: f32) -> u32 {
    (x.clamp(0.0, 1.0) * 255.0).round_ties_even() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let frame = |x: f32| vec![[x.to_bits(); 4]];
        let between = |x, y| Difference::new(&frame(x), &frame(y));
        assert_eq!(between(f32::NAN, -f32::NAN), Difference::default());
        assert_eq!(
            between(-0.0, 0.0),
            Difference { components: 4, ulps: 1, ..Difference::default() }
        );
        let next = 1.0_f32.next_up();
        assert_eq!(
            between(next, 1.0),
            Difference { components: 4, ulps: 1, ..Difference::default() }
        );
        assert_eq!(
            between(0.5, f32::NAN),
            Difference { components: 4, nans: 4, ulps: 0, levels: 128 }
        );
        assert_eq!(between(-1.0, 1.0).levels, 255);
        assert_eq!(ulps(-f32::from_bits(3), f32::from_bits(2)), 6);
    }
}
