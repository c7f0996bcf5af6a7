//! Distances between binary32 numbers in units in the last place.

/// Number of binary32 values from `a` to `b`, where the two zeros are one value and the infinities are
/// the ends; 0 between NaNs, none between a NaN and a number.
pub fn ulp_distance(a: f32, b: f32) -> Option<u32> {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Some(0),
        (false, false) => Some(ordinal(a).abs_diff(ordinal(b))),
        _ => None,
    }
}

/// Index of a number in the order of all numbers; that of the zeros is 0.
fn ordinal(value: f32) -> i32 {
    // Without the sign, a number's bits are its distance from 0; they never use the sign bit.
    let magnitude = (value.to_bits() & 0x7fff_ffff) as i32;
    if value.is_sign_negative() { -magnitude } else { magnitude }
}

/// Histogram of the distances of samples in ULP, in buckets that double: 0, 1, 2, 3–4, 5–8, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UlpHistogram {
    buckets: [u64; BUCKETS],
    nan: u64,
}

/// One bucket for 0, and one for each power of two up to 2^32.
const BUCKETS: usize = 34;

impl Default for UlpHistogram {
    fn default() -> Self {
        Self { buckets: [0; BUCKETS], nan: 0 }
    }
}

impl UlpHistogram {
    /// Adds one sample; `None` is a NaN against a number.
    pub(super) fn count(&mut self, distance: Option<u32>) {
        match distance {
            None => self.nan += 1,
            Some(distance) => self.buckets[bucket(distance)] += 1,
        }
    }

    /// Adds equal samples.
    pub(super) fn count_equal(&mut self, samples: u64) {
        self.buckets[0] += samples;
    }

    /// Adds the samples of another histogram.
    pub(super) fn add(&mut self, other: &Self) {
        for (count, more) in self.buckets.iter_mut().zip(other.buckets) {
            *count += more;
        }
        self.nan += other.nan;
    }

    /// Number of samples with a NaN against a number.
    pub fn nan_against_number(&self) -> u64 {
        self.nan
    }

    /// Nonempty buckets in ascending order: smallest and largest distance, and number of samples. The
    /// bucket of distance 0 holds the equal samples and pairs of −0 and +0.
    pub fn buckets(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let filled = self.buckets.iter().enumerate().filter(|&(_, &samples)| samples != 0);
        filled.map(|(bucket, &samples)| {
            let (least, most) = range(bucket);
            (least, most, samples)
        })
    }
}

/// Bucket of a distance: 0 for 0, else 1 plus the logarithm to base 2, rounded up.
fn bucket(distance: u32) -> usize {
    match distance.checked_sub(1) {
        None => 0,
        Some(less) => 1 + (u32::BITS - less.leading_zeros()) as usize,
    }
}

/// Smallest and largest distance of a bucket.
fn range(bucket: usize) -> (u32, u32) {
    match bucket {
        0 => (0, 0),
        1 => (1, 1),
        _ => {
            let most = 1u64 << (bucket - 1);
            // The last bucket ends at 2^32, a distance that never occurs.
            ((most / 2) as u32 + 1, most.min(u32::MAX.into()) as u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let tiny = f32::from_bits(1);
        for (a, b, distance) in [
            (1.0, 1.0, 0),
            (1.0, 1.0f32.next_up(), 1),
            (0.0, -0.0, 0),
            (0.0, tiny, 1),
            (-0.0, tiny, 1),
            (-tiny, tiny, 2),
            (1.0, 2.0, 1 << 23),
            (f32::MAX, f32::INFINITY, 1),
            (f32::NEG_INFINITY, f32::INFINITY, 2 * 0x7f80_0000),
        ] {
            assert_eq!(ulp_distance(a, b), Some(distance), "{a} {b}");
            assert_eq!(ulp_distance(b, a), Some(distance), "{b} {a}");
            assert_eq!(ulp_distance(-a, -b), Some(distance), "{b} {a}");
        }
        assert_eq!(ulp_distance(f32::NAN, -f32::NAN), Some(0));
        assert_eq!(ulp_distance(f32::NAN, f32::INFINITY), None);
        assert_eq!(ulp_distance(0.0, f32::NAN), None);
    }

    #[test]
    fn distances_count_steps() {
        for start in [0.0f32, -3e-45, 1.0, -1.0, 0.999_999, -f32::MIN_POSITIVE] {
            let mut value = start;
            for steps in 0..100 {
                // From −0 or from the least negative number, a step up leads past both zeros.
                assert_eq!(ulp_distance(start, value), Some(steps), "{start} {value}");
                value = value.next_up();
                if value == 0.0 && value.is_sign_negative() {
                    value = 0.0;
                }
            }
        }
    }

    #[test]
    fn buckets_double() {
        let buckets = [0u32, 1, 2, 3, 4, 5, 8, 9, 16, 17, u32::MAX].map(bucket);
        assert_eq!(buckets, [0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 33]);
        let mut next = 0;
        for index in 0..BUCKETS {
            let (least, most) = range(index);
            assert_eq!(u64::from(least), next);
            assert_eq!((bucket(least), bucket(most)), (index, index));
            next = u64::from(most) + 1;
        }
        assert_eq!(next, 1 << 32);
    }

    #[test]
    fn histograms_count() {
        let mut histogram = UlpHistogram::default();
        for distance in [Some(0), Some(3), Some(4), Some(1), None, Some(u32::MAX)] {
            histogram.count(distance);
        }
        histogram.count_equal(10);
        let buckets: Vec<_> = histogram.buckets().collect();
        assert_eq!(buckets, [(0, 0, 11), (1, 1, 1), (3, 4, 2), ((1 << 31) + 1, u32::MAX, 1)]);
        assert_eq!(histogram.nan_against_number(), 1);
    }
}
