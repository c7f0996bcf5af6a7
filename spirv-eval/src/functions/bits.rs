//! Functions of the bits of integers.

use super::super::arithmetic::halves;
use super::super::code::Operand;
use super::each::{bits, each_word};

pub(super) fn count(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| a.count_ones());
}

pub(super) fn reverse(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| a.reverse_bits());
}

pub(super) fn absolute(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| (a as i32).unsigned_abs());
}

pub(super) fn sign(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| (a as i32).signum() as u32);
}

pub(super) fn clamp_signed(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[x, low, high]| (x as i32).max(low as i32).min(high as i32) as u32);
}

pub(super) fn clamp_unsigned(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[x, low, high]| x.max(low).min(high));
}

pub(super) fn lowest(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| if a == 0 { u32::MAX } else { a.trailing_zeros() });
}

pub(super) fn highest(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| 31_u32.wrapping_sub(a.leading_zeros()));
}

pub(super) fn highest_signed(of: &[Operand<'_>], out: &mut [u32]) {
    each_word(of, out, |[a, ..]| {
        let a = if (a as i32) < 0 { !a } else { a };
        31_u32.wrapping_sub(a.leading_zeros())
    });
}

/// The mask of a bit field, cut at bit 31, and its offset.
fn field(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    let ones = (1_u64 << count.min(32)) - 1;
    ((ones << offset) as u32, offset)
}

pub(super) fn insert(of: &[Operand<'_>], out: &mut [u32]) {
    let (mask, offset) = field(bits(of, 2, 0), bits(of, 3, 0));
    each_word(of, out, |[base, new, _]| {
        (base & !mask) | ((u64::from(new) << offset) as u32 & mask)
    });
}

pub(super) fn extract(of: &[Operand<'_>], out: &mut [u32]) {
    let (mask, offset) = field(bits(of, 1, 0), bits(of, 2, 0));
    each_word(of, out, |[a, ..]| (u64::from(a & mask) >> offset) as u32);
}

pub(super) fn extract_signed(of: &[Operand<'_>], out: &mut [u32]) {
    let (mask, offset) = field(bits(of, 1, 0), bits(of, 2, 0));
    each_word(of, out, |[a, ..]| {
        let part = (u64::from(a & mask) >> offset) as u32;
        let above = mask.count_ones();
        match above {
            0 => 0,
            count => ((part << (32 - count)) as i32 >> (32 - count)) as u32,
        }
    });
}

/// Computes a function with two results, low ones first.
fn both(of: &[Operand<'_>], out: &mut [u32], f: impl Fn(u32, u32) -> (u32, u32)) {
    let (low, high) = out.split_at_mut(out.len() / 2);
    for (k, (low, high)) in low.iter_mut().zip(high).enumerate() {
        (*low, *high) = f(bits(of, 0, k), bits(of, 1, k));
    }
}

pub(super) fn add_carry(of: &[Operand<'_>], out: &mut [u32]) {
    both(of, out, |a, b| {
        let (sum, carries) = a.overflowing_add(b);
        (sum, carries.into())
    });
}

pub(super) fn sub_borrow(of: &[Operand<'_>], out: &mut [u32]) {
    both(of, out, |a, b| {
        let (difference, borrows) = a.overflowing_sub(b);
        (difference, borrows.into())
    });
}

pub(super) fn mul_extended(of: &[Operand<'_>], out: &mut [u32]) {
    both(of, out, |a, b| halves(u64::from(a) * u64::from(b)).into());
}

pub(super) fn mul_extended_signed(of: &[Operand<'_>], out: &mut [u32]) {
    both(of, out, |a, b| halves((i64::from(a as i32) * i64::from(b as i32)) as u64).into());
}
