//! Functions of integers and bits.

use super::math::{Math, Packing};
use super::value::{Constant, Fault, scalars, zip};
use crate::types::Scalar;

/// A function of integers, on scalars.
pub(super) fn integers(
    function: Math,
    scalar: Scalar,
    of: &[&Constant],
) -> Result<Constant, Fault> {
    if let Constant::Int(a) = of[0] {
        let x = |k: usize| of.get(k).and_then(|one| one.integer(scalar)).unwrap_or_default();
        return Ok(Constant::Int(match function {
            Math::Abs => a.checked_abs().ok_or(Fault::Overflow("an abstract integer"))?,
            Math::Sign => a.signum(),
            Math::Min => (*a).min(x(1)),
            Math::Max => (*a).max(x(1)),
            Math::Clamp => clamp(*a, x(1), x(2))?,
            _ => *a,
        }));
    }
    let word = |k: usize| of.get(k).and_then(|one| one.word()).unwrap_or_default();
    let [a, b, c] = [word(0), word(1), word(2)];
    let is_signed = scalar == Scalar::Int;
    let int = |value: i32| value as u32;
    Ok(Constant::Word(match function {
        Math::Abs if is_signed => (a as i32).unsigned_abs(),
        Math::Abs => a,
        Math::Sign => int((a as i32).signum()),
        Math::Min if is_signed => int((a as i32).min(b as i32)),
        Math::Min => a.min(b),
        Math::Max if is_signed => int((a as i32).max(b as i32)),
        Math::Max => a.max(b),
        Math::Clamp if is_signed => int(clamp(a as i32, b as i32, c as i32)?),
        Math::Clamp => clamp(a, b, c)?,
        Math::CountLeadingZeros => a.leading_zeros(),
        Math::CountTrailingZeros => a.trailing_zeros(),
        Math::CountOneBits => a.count_ones(),
        Math::ReverseBits => a.reverse_bits(),
        Math::FirstTrailingBit => {
            if a == 0 {
                u32::MAX
            } else {
                a.trailing_zeros()
            }
        }
        Math::FirstLeadingBit => {
            let sign = if is_signed { ((a as i32) >> 31) as u32 } else { 0 };
            31_u32.wrapping_sub((a ^ sign).leading_zeros())
        }
        _ => a,
    }))
}

fn clamp<T: PartialOrd>(x: T, low: T, high: T) -> Result<T, Fault> {
    if high < low {
        return Err(Fault::Argument("the lower bound of `clamp` is above the upper one"));
    }
    Ok(if x < low {
        low
    } else if high < x {
        high
    } else {
        x
    })
}

/// The sum of products of integers.
pub(super) fn dot(scalar: Scalar, operands: &[Constant]) -> Result<Constant, Fault> {
    use crate::syntax::tree::Binary;
    let [a, b] = [scalars(&operands[0]), scalars(&operands[1])];
    let mut sum: Option<Constant> = None;
    for (a, b) in a.iter().zip(&b) {
        let product = super::arithmetic::binary(Binary::Multiply, scalar, a, b)?;
        sum = Some(match sum {
            None => product,
            Some(sum) => super::arithmetic::binary(Binary::Add, scalar, &sum, &product)?,
        });
    }
    Ok(sum.unwrap_or(Constant::Word(0)))
}

/// `extractBits`, `insertBits`.
pub(super) fn fields(
    function: Math,
    scalar: Scalar,
    operands: &[Constant],
) -> Result<Constant, Fault> {
    let last = operands.len() - 2;
    let number = |k: usize| operands[k].word().unwrap_or_default();
    let (offset, count) = (number(last), number(last + 1));
    if u64::from(offset) + u64::from(count) > 32 {
        return Err(Fault::Argument("the field ends beyond bit 31"));
    }
    let mask = if count == 0 { 0 } else { u32::MAX >> (32 - count) };
    let values: Vec<&Constant> = operands[..last].iter().collect();
    zip(&values, &mut |of| {
        let word = |k: usize| of[k].word().unwrap_or_default();
        let a = word(0);
        Ok(Constant::Word(match function {
            Math::InsertBits => {
                let place = mask.checked_shl(offset).unwrap_or(0);
                a & !place | word(1).checked_shl(offset).unwrap_or(0) & place
            }
            _ if count == 0 => 0,
            _ if scalar == Scalar::Int => {
                let up = a << (32 - count - offset);
                ((up as i32) >> (32 - count)) as u32
            }
            _ => a >> offset & mask,
        }))
    })
}

/// The fractional and the integral part of a float, both with its sign.
pub(crate) fn modf(of: &Constant) -> [Constant; 2] {
    if let Constant::Wide(x) = of {
        return [(x - x.trunc()).copysign(*x), x.trunc()].map(Constant::Wide);
    }
    let x = f32::from_bits(of.word().unwrap_or_default());
    [(x - x.trunc()).copysign(x), x.trunc()].map(|part| Constant::Word(part.to_bits()))
}

/// The significand, from 0.5 to 1, and the exponent of a float; of zero, itself and 0.
pub(crate) fn frexp(of: &Constant) -> [Constant; 2] {
    if let Constant::Wide(x) = *of {
        if x == 0.0 {
            return [of.clone(), Constant::Int(0)];
        }
        // A subnormal number times 2^64 is normal.
        let scale = if x.abs() < f64::MIN_POSITIVE { 64 } else { 0 };
        let bits = (x * power(scale)).to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64 - 1022;
        let significand = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
        return [Constant::Wide(significand), Constant::Int(exponent - scale)];
    }
    let x = f32::from_bits(of.word().unwrap_or_default());
    if x == 0.0 {
        return [of.clone(), Constant::Word(0)];
    }
    // In binary64 the number is normal.
    let exponent = (f64::from(x).to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let significand = (f64::from(x) * power(-i64::from(exponent))) as f32;
    [Constant::Word(significand.to_bits()), Constant::Word(exponent as u32)]
}

/// A power of two times a float; the only rounding is that of the last product.
pub(super) fn ldexp(scalar: Scalar, x: &Constant, n: &Constant) -> Result<Constant, Fault> {
    let n = match n {
        Constant::Int(n) => *n,
        Constant::Word(word) => i64::from(*word as i32),
        _ => 0,
    };
    let most = if scalar == Scalar::Float { 128 } else { 1024 };
    if n > most {
        return Err(Fault::Argument("the exponent of `ldexp` is too large"));
    }
    match x {
        Constant::Word(word) => {
            Constant::float((f64::from(f32::from_bits(*word)) * power(n)) as f32)
        }
        Constant::Wide(x) if *x == 0.0 => Ok(Constant::Wide(*x)),
        Constant::Wide(x) => {
            // An integer times a power of two: the first product is exact and normal.
            let (bits, field) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52 & 0x7ff) as i64);
            let significand = if field == 0 { bits } else { bits | 1 << 52 } as f64;
            let exponent = field.max(1) - 1075 + n.max(-2200);
            let first = exponent.clamp(-1000, 900);
            Constant::wide((significand * power(first) * power(exponent - first)).copysign(*x))
        }
        _ => Ok(x.clone()),
    }
}

/// A power of two, clamped to the normal range.
fn power(n: i64) -> f64 {
    f64::from_bits(((n.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// The bits of the nearest binary16, ties to even, and true if it is finite.
fn half(x: f32) -> (u32, bool) {
    let bits = x.to_bits();
    let (sign, size) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let small = (f32::from_bits(size) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let normal = size.wrapping_add(0xc800_0fff).wrapping_add(size >> 13 & 1) >> 13;
    let number = if size < 0x3880_0000 { small } else { normal };
    match size >= 0x477f_f000 {
        true => (0x7c00 | sign, false),
        false => (number | sign, true),
    }
}

/// The number that the bits of a binary16 mean.
fn from_half(bits: u32) -> f32 {
    let size = bits & 0x7fff;
    let moved = size << 13;
    let number = match size > 0x7bff {
        true => f32::from_bits(moved | 0x7f80_0000),
        false => f32::from_bits(moved) * f32::from_bits((127 + 112) << 23),
    };
    f32::from_bits(number.to_bits() | (bits & 0x8000) << 16)
}

/// `quantizeToF16`: subnormal results are zero, as OpQuantizeToF16 is raised.
pub(super) fn quantize(of: &Constant) -> Result<Constant, Fault> {
    let x = f32::from_bits(of.word().unwrap_or_default());
    let (bits, is_finite) = half(x);
    if !is_finite {
        return Err(Fault::NotFinite);
    }
    if x.abs() < 6.103_515_6e-5 {
        return Ok(Constant::Word(x.to_bits() & 1 << 31));
    }
    Constant::float(from_half(bits))
}

fn shape(packing: Packing) -> (f32, u32, bool) {
    match packing {
        Packing::Snorm8 => (127.0, 8, true),
        Packing::Unorm8 => (255.0, 8, false),
        Packing::Snorm16 => (32_767.0, 16, true),
        Packing::Unorm16 => (65_535.0, 16, false),
        Packing::Half => (1.0, 16, false),
    }
}

pub(super) fn pack(packing: Packing, of: &Constant) -> Result<Constant, Fault> {
    let (scale, width, is_signed) = shape(packing);
    let mut word = 0;
    for (k, part) in (0..).zip(scalars(of)) {
        let x = f32::from_bits(part.word().unwrap_or_default());
        let bits = match packing {
            Packing::Half => {
                let (bits, is_finite) = half(x);
                if !is_finite {
                    return Err(Fault::NotFinite);
                }
                bits
            }
            _ => {
                let low = if is_signed { -1.0 } else { 0.0 };
                let clamped = if x < low {
                    low
                } else if x > 1.0 {
                    1.0
                } else {
                    x
                };
                let rounded = clamped.mul_add(scale, 12_582_912.0);
                rounded.to_bits() & ((1 << width) - 1)
            }
        };
        word |= bits << (k * width);
    }
    Ok(Constant::Word(word))
}

pub(super) fn unpack(packing: Packing, of: &Constant) -> Result<Constant, Fault> {
    let (scale, width, is_signed) = shape(packing);
    let word = of.word().unwrap_or_default();
    let mut parts = Vec::new();
    for k in 0..32 / width {
        let up = word << (32 - (k + 1) * width);
        let part = match packing {
            Packing::Half => from_half(up >> 16),
            _ if is_signed => (((up as i32) >> (32 - width)) as f32 / scale).max(-1.0),
            _ => (up >> (32 - width)) as f32 / scale,
        };
        parts.push(Constant::float(part)?);
    }
    Ok(Constant::composite(parts))
}

fn words(of: &Constant) -> Vec<u32> {
    scalars(of).iter().map(|part| part.word().unwrap_or_default()).collect()
}

pub(super) fn pack_bytes(signed: bool, clamped: bool, of: &Constant) -> Constant {
    let byte = |word: u32| match (clamped, signed) {
        (false, _) => word,
        (true, true) => (word as i32).clamp(-128, 127) as u32,
        (true, false) => word.min(255),
    };
    let parts = words(of);
    let all = (0..).zip(parts).map(|(k, word)| (byte(word) & 0xff) << (8 * k));
    Constant::Word(all.fold(0, |word, byte| word | byte))
}

fn bytes(signed: bool, word: u32) -> [u32; 4] {
    word.to_le_bytes().map(|byte| match signed {
        true => i32::from(byte as i8) as u32,
        false => byte.into(),
    })
}

pub(super) fn unpack_bytes(signed: bool, of: &Constant) -> Constant {
    let parts = bytes(signed, of.word().unwrap_or_default());
    Constant::composite(parts.into_iter().map(Constant::Word).collect())
}

pub(super) fn dot_bytes(signed: bool, operands: &[Constant]) -> Constant {
    let [a, b] = [0, 1].map(|k| bytes(signed, operands[k].word().unwrap_or_default()));
    let products = a.iter().zip(b).map(|(a, b)| a.wrapping_mul(b));
    Constant::Word(products.fold(0, u32::wrapping_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(function: Math, scalar: Scalar, a: u32) -> u32 {
        let result = integers(function, scalar, &[&Constant::Word(a)]).expect("a value");
        result.word().expect("a word")
    }

    #[test]
    fn bits_are_counted() {
        assert_eq!(word(Math::FirstLeadingBit, Scalar::Uint, 0), u32::MAX);
        assert_eq!(word(Math::FirstLeadingBit, Scalar::Uint, 0x8000_0000), 31);
        assert_eq!(word(Math::FirstLeadingBit, Scalar::Int, u32::MAX), u32::MAX);
        assert_eq!(word(Math::FirstLeadingBit, Scalar::Int, -5_i32 as u32), 2);
        assert_eq!(word(Math::CountTrailingZeros, Scalar::Int, 0), 32);
        let field = [Constant::Word(0xf0), Constant::Word(4), Constant::Word(4)];
        assert_eq!(fields(Math::ExtractBits, Scalar::Int, &field), Ok(Constant::Word(u32::MAX)));
        assert_eq!(fields(Math::ExtractBits, Scalar::Uint, &field), Ok(Constant::Word(15)));
    }

    #[test]
    fn powers_of_two_round_once() {
        let of = |x: f64, n| ldexp(Scalar::AbstractFloat, &Constant::Wide(x), &Constant::Int(n));
        assert_eq!(of(-1.5, 3), Ok(Constant::Wide(-12.0)));
        assert_eq!(of(1.0, -1074), Ok(Constant::Wide(f64::from_bits(1))));
        assert_eq!(of(f64::from_bits(1), 1000), of(1.0, -74));
        assert_eq!(of(f64::MAX, -3000), Ok(Constant::Wide(0.0)));
        assert_eq!(of(1.0, 1023), Ok(Constant::Wide(power(1023))));
    }

    #[test]
    fn halves_are_rounded_to_even() {
        for (x, bits) in [(1.0_f32, 0x3c00), (-2.0, 0xc000), (65_504.0, 0x7bff), (6.0e-8, 1)] {
            assert_eq!(half(x).0, bits, "{x}");
        }
        assert!(!half(65_520.0).1);
        for bits in 0..0x7c00 {
            assert_eq!(half(from_half(bits)), (bits, true));
        }
    }

    #[test]
    fn packing_is_inverted_by_unpacking() {
        let of = |parts: [f32; 4]| {
            Constant::composite(parts.iter().map(|part| Constant::Word(part.to_bits())).collect())
        };
        let packed = pack(Packing::Snorm8, &of([1.0, -1.0, 0.0, 2.0])).expect("a word");
        assert_eq!(packed, Constant::Word(0x7f00_817f));
        assert_eq!(unpack(Packing::Snorm8, &packed), Ok(of([1.0, -1.0, 0.0, 1.0])));
        let bytes = pack_bytes(
            true,
            true,
            &Constant::composite(vec![
                Constant::Word(300),
                Constant::Word(-300_i32 as u32),
                Constant::Word(1),
                Constant::Word(0),
            ]),
        );
        assert_eq!(bytes, Constant::Word(0x0001_807f));
    }
}
