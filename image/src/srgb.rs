//! The sRGB transfer function (IEC 61966-2-1), correctly rounded.
//!
//! Encoding maps a linear intensity x to `12.92 x` up to 0.0031308 and to `1.055 x^(1/2.4) - 0.055`
//! above it. A file needs that value times 255 or 65535, rounded to the nearest integer, with the same
//! result on all machines. No power is computed at run time. The function is monotonic, so the result
//! is at least k exactly from some binary32 on; a table holds these *thresholds*, one for each k. The
//! encoded value of a sample is the number of thresholds that do not exceed it, found by binary search
//! among the few that share its exponent and leading fraction bits.
//!
//! At a threshold the encoded value is k - ½, so the threshold is `((v + 0.055) / 1.055)^(12/5)` for v
//! = (k - ½) / 255. It is computed in binary64 with the four operations only, which IEEE 754 defines
//! exactly (unlike `powf` of a platform's library), and rounded up to binary32. A test, not an
//! argument, shows that rounding errors of these steps never select a neighbour: it compares all 65,790
//! thresholds with the exact definition, `x^5` against `r^12` in integers. No ties exist, so rounding
//! to even does not matter.
//!
//! Decoding is the same formula at v = k / 255, rounded to the nearest binary32. A similar test
//! compares all 65,792 results with the midpoints between them and their neighbours.

use lambdav_float_environment::with_default;
use std::sync::LazyLock;

/// The end of the linear piece, as a linear intensity; exclusive for the curved piece.
const KNEE: f64 = 0.003_130_8;

/// Bits of a binary32 below those that select its bucket.
const SHIFT: u32 = 15;

/// Encodes and quantises to `0..=MAX`.
#[derive(Debug)]
pub struct Encoder {
    /// At index k - 1, the least binary32 that is encoded as k or more.
    thresholds: Vec<f32>,
    /// At index b, the number of thresholds whose bits are below `b << SHIFT`.
    below: Vec<u16>,
}

impl Encoder {
    /// The encoder to 8 bits.
    pub fn to_8_bits() -> &'static Self {
        static ENCODER: LazyLock<Encoder> = LazyLock::new(|| Encoder::new(u8::MAX.into()));
        &ENCODER
    }

    /// The encoder to 16 bits.
    pub fn to_16_bits() -> &'static Self {
        static ENCODER: LazyLock<Encoder> = LazyLock::new(|| Encoder::new(u16::MAX));
        &ENCODER
    }

    fn new(max: u16) -> Self {
        let thresholds: Vec<f32> = with_default(|| (1..=max).map(|k| threshold(k, max)).collect());
        let buckets = 0..=1.0f32.to_bits() >> SHIFT;
        let below = buckets
            .map(|bucket| thresholds.partition_point(|t| t.to_bits() >> SHIFT < bucket) as u16)
            .collect();
        Self { thresholds, below }
    }

    /// Encodes a linear intensity, clamped to [0, 1]; NaN counts as 0.
    #[inline]
    pub fn encode(&self, linear: f32) -> u16 {
        if linear >= 1.0 {
            return self.thresholds.len() as u16;
        }
        if linear.is_nan() || linear <= 0.0 {
            return 0;
        }
        // Positive binary32 numbers are ordered as their bits are.
        let bucket = (linear.to_bits() >> SHIFT) as usize;
        let (start, end) = (self.below[bucket], self.below[bucket + 1]);
        let bucket = &self.thresholds[start.into()..end.into()];
        start + bucket.partition_point(|&threshold| threshold <= linear) as u16
    }
}

/// Decodes samples: a table of the nearest binary32 to each exact result.
#[derive(Debug)]
pub struct Decoder {
    values: Vec<f32>,
}

impl Decoder {
    /// The decoder of 8 bits.
    pub fn of_8_bits() -> &'static Self {
        static DECODER: LazyLock<Decoder> = LazyLock::new(|| Decoder::new(u8::MAX.into()));
        &DECODER
    }

    /// The decoder of 16 bits.
    pub fn of_16_bits() -> &'static Self {
        static DECODER: LazyLock<Decoder> = LazyLock::new(|| Decoder::new(u16::MAX));
        &DECODER
    }

    fn new(max: u16) -> Self {
        let value = |k| linear(f64::from(k) / f64::from(max)) as f32;
        Self { values: with_default(|| (0..=max).map(value).collect()) }
    }

    /// Linear intensity of each sample.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// Linear intensity of an encoded value. The pieces meet between two samples, of 8 and of 16 bits, for
/// both of the standard's constants for that place.
fn linear(encoded: f64) -> f64 {
    if encoded <= 12.92 * KNEE {
        return encoded / 12.92;
    }
    let root = (encoded + 0.055) / 1.055;
    let square = root * root;
    square * fifth_root(square)
}

/// The least binary32 whose encoded value, times `max`, is `k - ½` or more.
fn threshold(k: u16, max: u16) -> f32 {
    let encoded = (f64::from(k) - 0.5) / f64::from(max);
    let linear = linear(encoded);
    let nearest = linear as f32;
    if f64::from(nearest) < linear { nearest.next_up() } else { nearest }
}

/// Fifth root of a number in (0, 1), with an error of a few ULP of binary64.
fn fifth_root(a: f64) -> f64 {
    // Newton's iteration from above decreases until it reaches the root.
    let mut y = 1.0;
    loop {
        let fourth = (y * y) * (y * y);
        let next = (4.0 * y + a / fourth) / 5.0;
        if next >= y {
            return y;
        }
        y = next;
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use num_bigint::BigUint;

    use super::*;

    /// Compares the encoded value of `x` with `(2k - 1) / 2max`, in integers: an independent statement
    /// of the standard's formula.
    fn compare_exactly(x: f32, k: u16, max: u16) -> Ordering {
        assert!(x > 0.0 && x.is_normal());
        // x = mantissa / 2^shift
        let mantissa = BigUint::from((x.to_bits() & 0x007f_ffff) | 0x0080_0000);
        let shift = 127 + 23 - (x.to_bits() >> 23);
        let (twice_k, max) = (2 * u64::from(k) - 1, u64::from(max));
        // x <= 0.0031308 = 31308 / 10^7?
        if &mantissa * 10_000_000u32 <= BigUint::from(31_308u32) << shift {
            // 1292/100 x against twice_k / 2 max
            let left = mantissa * 1292u32 * (2 * max);
            left.cmp(&((BigUint::from(twice_k) * 100u32) << shift))
        } else {
            // x^(5/12) against (twice_k / 2max + 55/1000) / (1055/1000), raised to 12
            let numerator = BigUint::from(twice_k * 1000 + 55 * 2 * max);
            let denominator = BigUint::from(1055 * 2 * max);
            let left = mantissa.pow(5) * denominator.pow(12);
            left.cmp(&(numerator.pow(12) << (5 * shift)))
        }
    }

    fn thresholds_are_exact(max: u16) {
        for k in 1..=max {
            let x = threshold(k, max);
            assert_eq!(compare_exactly(x, k, max), Ordering::Greater, "{k} of {max}");
            assert_eq!(compare_exactly(x.next_down(), k, max), Ordering::Less, "{k} of {max}");
        }
    }

    #[test]
    fn thresholds_to_8_bits_are_exact() {
        thresholds_are_exact(u8::MAX.into());
    }

    #[test]
    fn thresholds_to_16_bits_are_exact() {
        thresholds_are_exact(u16::MAX);
    }

    /// Compares the midpoint of two neighbouring binary32 with the decoded value of k / max, in
    /// integers.
    fn compare_midpoint(below: f32, k: u16, max: u16) -> Ordering {
        // Twice the midpoint; both numbers are multiples of one power of two.
        let above = below.next_up();
        let parts = |x: f32| {
            let exponent = (x.to_bits() >> 23).max(1);
            let hidden = if x.is_normal() { 0x0080_0000 } else { 0 };
            (u64::from((x.to_bits() & 0x007f_ffff) | hidden), 127 + 23 - exponent)
        };
        let ((a, shift), (b, other)) = (parts(below), parts(above));
        let sum = BigUint::from(a) + BigUint::from(b << (shift - other));
        let shift = shift + 1;
        let (k, max) = (u64::from(k), u64::from(max));
        // k / max <= 0.04045?
        if k * 100_000 <= 4045 * max {
            // sum / 2^shift against k / max / 12.92
            (sum * 1292u32 * max).cmp(&(BigUint::from(k * 100) << shift))
        } else {
            let numerator = BigUint::from(k * 1000 + 55 * max);
            let denominator = BigUint::from(1055 * max);
            (sum.pow(5) * denominator.pow(12)).cmp(&(numerator.pow(12) << (5 * shift)))
        }
    }

    /// The first sample whose table entry is not the nearest binary32.
    fn wrong_entry(values: &[f32], max: u16) -> Option<u16> {
        assert_eq!(values.len(), usize::from(max) + 1);
        let is_nearest = |k: u16| match (k, values[usize::from(k)]) {
            (0, x) => x.to_bits() == 0,
            (k, x) if k == max => x == 1.0,
            (k, x) => {
                compare_midpoint(x, k, max) == Ordering::Greater
                    && compare_midpoint(x.next_down(), k, max) == Ordering::Less
            }
        };
        (0..=max).find(|&k| !is_nearest(k))
    }

    fn decoding_is_nearest(decoder: &Decoder, max: u16) {
        assert_eq!(wrong_entry(decoder.values(), max), None, "of {max}");
    }

    /// An error of one ULP in any entry is found.
    #[test]
    fn wrong_entries_are_found() {
        let max = u8::MAX.into();
        for k in 0..=max {
            for wrong in [f32::next_up, f32::next_down] {
                let mut values = Decoder::of_8_bits().values().to_vec();
                let entry = &mut values[usize::from(k)];
                *entry = wrong(*entry);
                assert_eq!(wrong_entry(&values, max), Some(k));
            }
        }
    }

    #[test]
    fn decoding_8_bits_is_nearest() {
        decoding_is_nearest(Decoder::of_8_bits(), u8::MAX.into());
    }

    #[test]
    fn decoding_16_bits_is_nearest() {
        decoding_is_nearest(Decoder::of_16_bits(), u16::MAX);
    }

    #[test]
    fn encoding_counts_thresholds() {
        for encoder in [Encoder::to_8_bits(), Encoder::to_16_bits()] {
            let max = encoder.thresholds.len() as u16;
            assert!(encoder.thresholds.is_sorted_by(|a, b| a < b));
            for k in 1..=max {
                let threshold = encoder.thresholds[usize::from(k) - 1];
                assert_eq!(encoder.encode(threshold), k);
                assert_eq!(encoder.encode(threshold.next_down()), k - 1);
            }
            for (x, expected) in [
                (0.0, 0),
                (-0.0, 0),
                (f32::NAN, 0),
                (-f32::NAN, 0),
                (-1.0, 0),
                (f32::NEG_INFINITY, 0),
                (f32::MIN_POSITIVE, 0),
                (f32::from_bits(1), 0),
                (1.0f32.next_down(), max),
                (1.0, max),
                (1.5, max),
                (f32::INFINITY, max),
            ] {
                assert_eq!(encoder.encode(x), expected, "{x}");
            }
        }
    }

    #[test]
    fn known_values() {
        let encoder = Encoder::to_8_bits();
        // 50 % linear grey is 188 in sRGB, 18 % grey is 118.
        assert_eq!(encoder.encode(0.5), 188);
        assert_eq!(encoder.encode(0.18), 118);
        assert_eq!(encoder.encode(0.214_041_14), 128);
    }
}
