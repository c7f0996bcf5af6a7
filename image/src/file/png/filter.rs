//! The filters of PNG: bytes as differences from those on their left and above.

use std::ops::RangeInclusive;

/// Numbers of all filters; `UP` fits repeated rows.
const FILTERS: RangeInclusive<u8> = 0..=4;
const UP: u8 = 2;

/// Filters each row with the filter that minimises the sum of the absolute differences, taken as signed
/// bytes. The sum predicts the deflated length well (advice of the PNG specification).
pub(super) struct Filter {
    /// Bytes per pixel.
    step: usize,
    best: Vec<u8>,
    candidate: Vec<u8>,
    /// The row above the first row of the image: zeros.
    zeros: Vec<u8>,
}

impl Filter {
    /// Filter for rows of `row` bytes and pixels of `step` bytes.
    pub(super) fn new(row: usize, step: usize) -> Self {
        let zeros = vec![0; row];
        Self { step, best: zeros.clone(), candidate: zeros.clone(), zeros }
    }

    /// Appends the number of the filter and the filtered row.
    pub(super) fn row(&mut self, row: &[u8], above: Option<&[u8]>, out: &mut Vec<u8>) {
        let above = above.unwrap_or(&self.zeros);
        if row == above {
            out.push(UP);
            out.resize(out.len() + row.len(), 0);
            return;
        }
        let (mut chosen, mut least) = (0, u64::MAX);
        for filter in FILTERS {
            apply(filter, self.step, row, above, &mut self.candidate);
            let size = size(&self.candidate);
            if size < least {
                (chosen, least) = (filter, size);
                std::mem::swap(&mut self.best, &mut self.candidate);
            }
        }
        out.push(chosen);
        out.extend_from_slice(&self.best);
    }
}

/// Sum of the absolute values of signed bytes.
fn size(bytes: &[u8]) -> u64 {
    let of = |part: &[u8]| part.iter().map(|&b| u32::from((b as i8).unsigned_abs())).sum::<u32>();
    bytes.chunks(1 << 16).map(|part| u64::from(of(part))).sum()
}

/// Subtracts a filter's prediction from the row. The first pixel has zeros on its left.
fn apply(filter: u8, step: usize, row: &[u8], above: &[u8], to: &mut [u8]) {
    let (first, rest) = to.split_at_mut(step);
    let left = row.iter();
    let corner = above.iter();
    let inner = row[step..].iter().zip(left).zip(above[step..].iter().zip(corner));
    let inner = rest.iter_mut().zip(inner);
    let outer = first.iter_mut().zip(row.iter().zip(above));
    match filter {
        0 => to.copy_from_slice(row),
        1 => {
            inner.for_each(|(to, ((x, a), _))| *to = x.wrapping_sub(*a));
            outer.for_each(|(to, (x, _))| *to = *x);
        }
        UP => {
            inner.for_each(|(to, ((x, _), (b, _)))| *to = x.wrapping_sub(*b));
            outer.for_each(|(to, (x, b))| *to = x.wrapping_sub(*b));
        }
        3 => {
            // The average, rounded down: the common bits, and half of the differing ones.
            inner.for_each(|(to, ((x, a), (b, _)))| *to = x.wrapping_sub((a & b) + ((a ^ b) >> 1)));
            outer.for_each(|(to, (x, b))| *to = x.wrapping_sub(b / 2));
        }
        _ => {
            inner.for_each(|(to, ((x, a), (b, c)))| *to = x.wrapping_sub(paeth(*a, *b, *c)));
            outer.for_each(|(to, (x, b))| *to = x.wrapping_sub(*b));
        }
    }
}

/// The nearest to `a + b - c` of left, above, and above on the left.
#[inline]
fn paeth(a: u8, b: u8, c: u8) -> u8 {
    let [x, y, z] = [a, b, c].map(i16::from);
    let (from_a, from_b) = (y - z, x - z);
    let from_c = (from_a + from_b).abs();
    let (from_a, from_b) = (from_a.abs(), from_b.abs());
    let b_or_c = if from_b <= from_c { b } else { c };
    if from_a <= from_b && from_a <= from_c { a } else { b_or_c }
}
