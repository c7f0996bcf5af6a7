//! `sin cos tan` of arguments beyond 2^19: Payne and Hanek's reduction in binary64 ("Radian reduction for
//! trigonometric functions", ACM SIGNUM Newsletter 18, 1983).
//!
//! *Groups.* A group is 16 neighbouring exponents: x = x' 2^(16g) with 2 ≤ |x'| < 2^17. The upper four bits of
//! the exponent field give g, the lower four are those of x'. So g is a shift of the bits of x, and two
//! operations on the bits make x'. Arguments above 2^17 are in groups 1 to 7.
//!
//! *Table.* x' is a multiple of 2^-22. So x/π = x' C modulo 2, where C is 2^(16g)/π modulo 2^23, and |C| ≤
//! 2^22. The table has C for each group, as a sum of parts, each rounded to nearest. All but the last part
//! have so few digits that a product with x' is exact. A table has eight words, which a register holds: a
//! lookup is one permutation ([`BodyOp::Table`]).
//!
//! *Reduction.* f is x/π minus the nearest integer k, or, for the cosine, minus k − ½. k comes from the sum of
//! the first two products, whose rounding may only make k one of two integers that are nearly as near. The
//! first product minus k is exact: a multiple of its last place, and only as large as the second product. So
//! is its sum with the second product, unless that sum is far larger than the third product. The other
//! products are added last. These products are exact, or too small for their error to matter; so fused and
//! separate operations serve alike. The sine is (−1)^k sin πf. The tangent is that of r = f π/2, where f is
//! 2x/π minus an integer; it multiplies 2x' instead of x'.
//!
//! *Error.* Most parts of the table are binary32 numbers ([`NARROW`]), which are cheap to look up and to
//! convert. The four parts have 24 digits each. The remainder of C is at most 2^-78, that of f 2^-61. If
//! |sin πf| < 2^-15, the lane is undecided, one in 50,000; so the relative error of f is below 2^-44.3, and
//! that of sines below 2^-42.3, as in the body for small arguments. For the tangent the error of f is at most
//! 2^-60. If |r| < 2^-15, the lane is undecided; so the error of r is below 2^-44.3, that of tangents below
//! 2^-42.1.
//!
//! *With registers of 512 bits* the table of sines and cosines has parts of 29, 29 and 53 digits ([`WIDE`]),
//! each as two words. The remainder of C is at most 2^-92, that of f 2^-75. The least f beyond 2^19 is
//! 2^-29.86 for the sine, at 16,367,173 · 2^73, and 2^-30.86 for the cosine, at 16,367,173 · 2^72 (by trial of
//! all). So the relative error of f is below 2^-44.1, that of sines and cosines below 2^-42.3. |x'| is scaled
//! by 2^-896, as in the body for small arguments, and the table by 2^896.

use super::builder::{Builder, MAGIC, V};
use super::operation::{BodyKind, BodyOp};
use super::trigonometric::{HALF_TURNS, SCALE, not_below, signed, tangent, wide_end};

/// The first 256 fractional bits of 1/π.
const INVERSE_PI: [u64; 4] =
    [0x517c_c1b7_2722_0a94, 0xfe13_abe8_fa9a_6ee0, 0x6db1_4acc_9e21_c820, 0xff28_b1d5_ef5d_e2b0];

/// The fractional bits of C as an integer.
const FRACTION: u32 = 104;

/// C of a group in units of 2^-[`FRACTION`].
const fn multiplier(group: u32) -> i128 {
    let end = 16 * group + FRACTION;
    let mut bits: u128 = 0;
    // 23 bits before the point. For group 0 these are zero.
    let mut at = end.saturating_sub(FRACTION + 23);
    while at < end {
        let word = INVERSE_PI[(at / 64) as usize];
        bits = bits << 1 | (word >> (63 - at % 64) & 1) as u128;
        at += 1;
    }
    let top = 1 << (FRACTION + 22);
    if bits < top { bits as i128 } else { bits as i128 - top as i128 - top as i128 }
}

const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Splits a number in units of 2^-[`FRACTION`]: the nearest multiple of 2^-`digits`, and the rest.
const fn split(number: i128, digits: u32) -> (f64, i128) {
    let dropped = FRACTION - digits;
    let kept = (number + (1 << (dropped - 1))) >> dropped;
    (kept as f64 * power_of_two(-(digits as i32)), number - (kept << dropped))
}

/// C in four parts: for each part, the bits of a binary32 number for each group.
static NARROW: [[u32; 8]; 4] = {
    let mut table = [[0; 8]; 4];
    let mut group = 0;
    while group < 8 {
        let (first, rest) = split(multiplier(group as u32), 2);
        let (second, rest) = split(rest, 27);
        let (third, rest) = split(rest, 52);
        let last = rest as f32 * power_of_two(-(FRACTION as i32)) as f32;
        let parts = [first as f32, second as f32, third as f32, last];
        let mut part = 0;
        while part < 4 {
            table[part][group] = parts[part].to_bits();
            part += 1;
        }
        group += 1;
    }
    table
};

/// C · 2^896 in three parts: for each part, the upper and the lower words of a binary64 number for each group.
static WIDE: [[[u32; 8]; 2]; 3] = {
    let mut table = [[[0; 8]; 2]; 3];
    let mut group = 0;
    while group < 8 {
        let (first, rest) = split(multiplier(group as u32), 7);
        let (second, rest) = split(rest, 37);
        let parts = [first, second, rest as f64 * power_of_two(-(FRACTION as i32))];
        let mut part = 0;
        while part < 3 {
            let bits = (parts[part] * SCALE).to_bits();
            table[part][0][group] = (bits >> 32) as u32;
            table[part][1][group] = bits as u32;
            part += 1;
        }
        group += 1;
    }
    table
};

/// Arguments of one group differ in these bits and in the sign.
const WITHIN_GROUP: u32 = (1 << 27) - 1;

/// The exponent of 2, which is the least of x'.
const LEAST: u32 = 128 << 23;

/// The group in the last three bits.
fn group(b: &mut Builder) -> V {
    let word = b.bits_of(V(0));
    b.shift_right(word, 27)
}

/// f, and an integer with the last bits of k. `part` looks up one of `N` parts of C, each where it is
/// used, so that few registers are occupied.
fn reduced<const N: usize>(
    b: &mut Builder,
    x: V,
    part: impl Fn(&mut Builder, usize) -> V,
    is_cosine: bool,
) -> (V, V) {
    let first = part(b, 0);
    let start = if is_cosine {
        let half = b.c(0.5);
        b.mul_add(x, first, half)
    } else {
        b.mul(x, first)
    };
    let second = part(b, 1);
    let turns = b.mul_add(x, second, start);
    let magic = b.c(MAGIC);
    let rounded = b.add(turns, magic);
    // −k, or ½ − k.
    let minus = if is_cosine {
        let (half, k) = (b.c(0.5), b.sub(rounded, magic));
        b.sub(half, k)
    } else {
        b.sub(magic, rounded)
    };
    let f = b.mul_add(x, first, minus);
    let f = b.mul_add(x, second, f);
    let f = (2..N).fold(f, |f, number| {
        let part = part(b, number);
        b.mul_add(x, part, f)
    });
    (f, b.bits_of(rounded))
}

/// The same with the four parts of [`NARROW`]; for the tangent, of 2x.
fn narrow_reduced(b: &mut Builder, is_cosine: bool, is_tangent: bool) -> (V, V) {
    let (word, group) = (b.bits_of(V(0)), group(b));
    let mask = b.bits(BodyKind::I32, (1 << 31 | WITHIN_GROUP).into());
    let least = b.bits(BodyKind::I32, LEAST.into());
    let within = b.and(word, mask);
    let x = b.or(within, least);
    let x = b.number_of(x);
    let x = b.promote(x);
    let x = if is_tangent { b.add(x, x) } else { x };
    let part = |b: &mut Builder, part: usize| {
        let part = b.table(&NARROW[part], group);
        let part = b.number_of(part);
        b.promote(part)
    };
    reduced::<4>(b, x, part, is_cosine)
}

/// Infinite arguments are undecided.
fn refuse_infinite(b: &mut Builder) {
    let (size, infinity) = (b.abs(V(0)), b.single(f32::INFINITY));
    let is_infinite = b.equal(size, infinity);
    b.refuse(is_infinite);
}

fn wave(b: &mut Builder, is_cosine: bool) {
    let (f, bits) = narrow_reduced(b, is_cosine, false);
    let square = b.mul(f, f);
    let p = b.polynomial(square, &HALF_TURNS);
    let sine = b.mul(f, p);
    signed(b, sine, bits);
    b.refuse_small(LEAST_RESULT);
    refuse_infinite(b);
}

/// Smaller results are undecided.
const LEAST_RESULT: f32 = 1.0 / 32_768.0;

fn wide_wave(b: &mut Builder, is_cosine: bool) {
    /// The bits of the first operand that the second has, and those of the third.
    const AND_OR: u8 = 0b1110_1010;
    let (word, group) = (b.bits_of(V(0)), group(b));
    let mask = b.bits(BodyKind::I32, WITHIN_GROUP.into());
    let least = b.bits(BodyKind::I32, LEAST.into());
    let x = b.op(BodyOp::Logic(AND_OR), &[word, mask, least]);
    let x = b.scaled_down(x);
    let part = |b: &mut Builder, part: usize| {
        let [upper, lower] = [0, 1].map(|half| b.table(&WIDE[part][half], group));
        let part = b.op(BodyOp::Concat, &[upper, lower]);
        b.number_of(part)
    };
    let (f, bits) = reduced::<3>(b, x, part, is_cosine);
    let parity = b.op(BodyOp::Narrow, &[bits]);
    let parity = b.shift_left(parity, 31);
    wide_end(b, f, parity, is_cosine);
    let all_but_sign = b.bits(BodyKind::I32, (1 << 31) - 1);
    let magnitude = b.and(word, all_but_sign);
    let is_infinite = not_below(b, magnitude, f32::INFINITY);
    b.refuse(is_infinite);
}

pub(super) fn sin(b: &mut Builder) {
    if b.is_wide { wide_wave(b, false) } else { wave(b, false) }
}

pub(super) fn cos(b: &mut Builder) {
    if b.is_wide { wide_wave(b, true) } else { wave(b, true) }
}

pub(super) fn tan(b: &mut Builder) {
    let (f, bits) = narrow_reduced(b, false, true);
    let quarter = b.c(std::f64::consts::FRAC_PI_2);
    let r = b.mul(f, quarter);
    let value = tangent(b, r, bits);
    signed(b, value, bits);
    let (size, least) = (b.abs(r), b.c(LEAST_RESULT.into()));
    let is_small = b.less(size, least);
    b.refuse(is_small);
    refuse_infinite(b);
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::super::evaluate::evaluate;
    use super::super::{body, far_body, wide_body};
    use super::{NARROW, SCALE, WIDE};
    use crate::op::Elementary;

    /// Fractional bits of the numbers below.
    const BITS: u32 = 400;

    /// arctan 1/n, by its series.
    fn arctangent(n: u32) -> BigInt {
        let mut power = (BigInt::from(1) << BITS) / n;
        let mut sum = power.clone();
        for k in 1..200 {
            power = -power / (n * n);
            sum += &power / (2 * k + 1);
        }
        sum
    }

    /// A number without fractional bits below 2^-[`BITS`].
    fn integer(x: f64) -> BigInt {
        let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52 & 2047) as i32 - 1075);
        let significand = BigInt::from(bits & ((1 << 52) - 1) | 1 << 52);
        let size = significand << (BITS as i32 + exponent);
        if x < 0.0 { -size } else { size }
    }

    /// Decided results are those of the reference mathematics, and nearly all results are decided.
    #[test]
    fn results_are_right_and_decided() {
        // Beyond 2^19, of both signs, every exponent.
        let bits = (0x4900_0001..0x7f80_0000_u32).step_by(99_991);
        let hard = [12, 73, 72].map(|exponent: i32| {
            let significand: f32 = if exponent == 12 { 10_741_887.0 } else { 16_367_173.0 };
            significand * 2_f32.powi(exponent)
        });
        let numbers: Vec<f32> =
            bits.map(|bits| f32::from_bits(bits | bits << 31)).chain(hard).collect();
        for function in [Elementary::Sin, Elementary::Cos, Elementary::Tan] {
            for (is_wide, is_fused) in [(false, false), (false, true), (true, true)] {
                let far = far_body(function, is_wide).expect("it has a body for them");
                let near = if is_wide { wide_body(function) } else { body(function) };
                let (mut undecided, beyond) = (0, near.beyond.expect("it leaves some"));
                for &x in &numbers {
                    let left = crate::elementary::Body { undecided: beyond, ..near.clone() };
                    assert_eq!(evaluate(&left, x, is_fused), None, "{function:?} {x} is beyond");
                    match evaluate(&far, x, is_fused) {
                        None => undecided += 1,
                        Some(found) => {
                            let wanted = function.evaluate(x, 0.0);
                            assert_eq!(found.to_bits(), wanted.to_bits(), "{function:?} {x}");
                        }
                    }
                }
                assert!(undecided < numbers.len() / 500, "{function:?}: {undecided} undecided");
                for x in [f32::INFINITY, f32::NEG_INFINITY] {
                    assert_eq!(evaluate(&far, x, is_fused), None, "{function:?} {x}");
                }
            }
        }
    }

    /// The parts of the tables are powers of two over π, less multiples of 2^23.
    #[test]
    fn parts_are_of_the_reciprocal() {
        // 4 arctan 1/5 − arctan 1/239 is a quarter of π.
        let pi = (arctangent(5) * 4 - arctangent(239)) * 4;
        let unit = BigInt::from(1) << BITS;
        for group in 0..8_usize {
            let exact = (&unit << (BITS as usize + 16 * group)) / &pi;
            let narrow = NARROW.map(|part| f32::from_bits(part[group]).into());
            let wide = WIDE.map(|[upper, lower]| {
                let bits = u64::from(upper[group]) << 32 | u64::from(lower[group]);
                f64::from_bits(bits) / SCALE
            });
            // Products with 24 digits are exact.
            for (parts, digits) in [(&narrow[..3], 24), (&wide[..2], 29)] {
                for part in parts {
                    assert_eq!(part.to_bits() << (11 + digits), 0, "group {group}: {part}");
                }
            }
            for (parts, rest) in [(&narrow[..], 78), (&wide[..], 92)] {
                let sum: BigInt = parts.iter().map(|&part| integer(part)).sum();
                let off = &exact - sum;
                let turns: BigInt = (&off + (&unit << 22)) >> (BITS + 23);
                let off: BigInt = off - (turns << (BITS + 23));
                let most: BigInt = (&unit >> rest) + 8;
                assert!(off.magnitude() <= most.magnitude(), "group {group}");
            }
        }
    }
}
