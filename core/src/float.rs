//! The bits of binary32 numbers, where all NaNs are one value.

/// The bits of every NaN that an operation computes.
pub const NAN: u32 = 0x7fc0_0000;

/// The bits of a number; [`NAN`] for every NaN.
#[inline]
pub fn canonical_bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// The bits with [`NAN`] in place of any NaN.
#[inline]
pub fn canonical(bits: u32) -> u32 {
    canonical_bits(f32::from_bits(bits))
}

/// True if two numbers have equal bits or are both NaN.
#[inline]
pub fn same(a: f32, b: f32) -> bool {
    canonical_bits(a) == canonical_bits(b)
}

/// True if the bits of two numbers are equal or both NaN.
#[inline]
pub fn same_bits(a: u32, b: u32) -> bool {
    canonical(a) == canonical(b)
}

/// True if two slices have one length, and [`same_bits`] holds for each pair.
#[inline]
pub fn same_words(a: &[u32], b: &[u32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same_bits(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nans_are_one_value() {
        let nans = [NAN, 0xffc0_0000, 0x7f80_0001, u32::MAX];
        for a in nans {
            assert_eq!(canonical(a), NAN);
            assert!(nans.iter().all(|&b| same_bits(a, b)));
            assert!(!same_bits(a, 0x7f80_0000));
        }
        for bits in [0, 0x8000_0000, 1, 0x7f80_0000, 0xff80_0000] {
            assert_eq!(canonical(bits), bits);
            assert!(same_bits(bits, bits) && !same_bits(bits, bits ^ 1 << 31));
        }
        assert!(same(-f32::NAN, f32::NAN) && !same(-0.0, 0.0));
        assert!(same_words(&nans, &[NAN; 4]) && !same_words(&nans, &[NAN; 3]));
    }
}
