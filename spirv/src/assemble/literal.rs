//! Number literals of SPIR-V text.

use super::error::{AssembleError, AssembleErrorKind};
use super::lex::Token;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    /// Width in bits; true if signed.
    Int(u32, bool),
    /// Width in bits.
    Float(u32),
}

type Result<T> = std::result::Result<T, AssembleError>;

/// The two words of 64 bits, low half first.
fn halves(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

/// Appends the words of a number of type `ty`, low word first.
pub(super) fn number(token: &Token<'_>, ty: NumberType, out: &mut Vec<u32>) -> Result<()> {
    match ty {
        NumberType::Int(width, is_signed) => integer(token, width, is_signed, out),
        NumberType::Float(32) => {
            let bits =
                float(token, 8, 23, |text| Some(u64::from(text.parse::<f32>().ok()?.to_bits())));
            out.push(bits? as u32);
            Ok(())
        }
        NumberType::Float(64) => {
            let bits = float(token, 11, 52, |text| Some(text.parse::<f64>().ok()?.to_bits()))?;
            out.extend(halves(bits));
            Ok(())
        }
        NumberType::Float(16) => {
            out.push(float(token, 5, 10, |text| half(text.parse().ok()?))? as u32);
            Ok(())
        }
        NumberType::Float(_) => {
            let expected = "the type of a number with 16, 32 or 64 bits in front of the number";
            Err(unexpected(token, expected))
        }
    }
}

/// The bits of the nearest number of 16 bits, to even in the middle; `None` beyond the largest. (A decimal that is rounded to
/// binary64 first is rounded twice, which shows only beside the middle of two numbers.)
fn half(number: f64) -> Option<u64> {
    let exponent = ((number.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let steps = (number / 2.0_f64.powi(exponent - 10)).round_ties_even() as u64;
    // The steps of a normal number are 1024 and more, and carry into the exponent.
    let bits = steps + ((exponent + 14) as u64) * 1024;
    (number >= 0.0 && bits < 0x7c00).then_some(bits)
}

/// Parses a word that has no type, such as a literal index.
pub(super) fn word(token: &Token<'_>) -> Result<u32> {
    let mut words = Vec::with_capacity(1);
    integer(token, 32, false, &mut words)?;
    Ok(words[0])
}

fn unexpected(token: &Token<'_>, expected: &'static str) -> AssembleError {
    token.error(AssembleErrorKind::Unexpected { found: token.text.to_owned(), expected })
}

/// Appends an integer. Types narrower than a word are sign-extended if signed. Every type accepts
/// negative numbers; hexadecimal ones are bit patterns.
fn integer(token: &Token<'_>, width: u32, is_signed: bool, out: &mut Vec<u32>) -> Result<()> {
    let range = || token.error(AssembleErrorKind::OutOfRange(token.text.to_owned()));
    let no_integer = || unexpected(token, "an integer");
    if !matches!(width, 8 | 16 | 32 | 64) {
        return Err(unexpected(token, "an integer of 8, 16, 32 or 64 bits"));
    }
    let (is_negative, digits) = match token.text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token.text),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hexadecimal.map_or((digits, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(no_integer());
    }
    let magnitude = u64::from_str_radix(digits, radix).map_err(|_| range())?;
    let most = u64::MAX >> (64 - width);
    let is_small = match is_negative {
        true => magnitude <= (most >> 1) + 1,
        false => magnitude <= if is_signed && radix == 10 { most >> 1 } else { most },
    };
    if !is_small {
        return Err(range());
    }
    let mut bits = if is_negative { magnitude.wrapping_neg() } else { magnitude };
    if width < 32 {
        let (unused, narrow) = (64 - width, bits & most);
        bits = match is_signed {
            true => ((narrow << unused) as i64 >> unused) as u64,
            false => narrow,
        };
    }
    let words = if width == 64 { 2 } else { 1 };
    out.extend(&halves(bits)[..words]);
    Ok(())
}

/// Parses a binary float with these numbers of exponent and fraction bits.
fn float(
    token: &Token<'_>,
    exponent_bits: u32,
    fraction_bits: u32,
    decimal: impl FnOnce(&str) -> Option<u64>,
) -> Result<u64> {
    let no_number = || unexpected(token, "a number");
    let (is_negative, digits) = match token.text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, token.text),
    };
    let sign = u64::from(is_negative) << (exponent_bits + fraction_bits);
    let largest = (1_u64 << exponent_bits) - 1;
    if let Some(text) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let bits = hexadecimal(text, exponent_bits, fraction_bits).ok_or_else(no_number)?;
        return Ok(sign | bits);
    }
    // Reject names: Rust parses `inf` and `nan`.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(no_number());
    }
    let bits = decimal(digits).ok_or_else(no_number)?;
    if bits >> fraction_bits == largest {
        return Err(token.error(AssembleErrorKind::OutOfRange(token.text.to_owned())));
    }
    Ok(sign | bits)
}

/// Parses `1.8p+3` or `cp-7`. The exponent of infinity keeps the fraction, which is how text writes NaN.
/// Rounds toward zero.
fn hexadecimal(text: &str, exponent_bits: u32, fraction_bits: u32) -> Option<u64> {
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() || exponent.abs() > 1 << 20 {
        return None;
    }
    // The value is `significand`·2^`power`.
    let (mut significand, mut power) = (0_u64, i64::from(exponent));
    for (index, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let is_fraction = index >= whole.len();
        if significand >> 60 == 0 {
            significand = significand << 4 | digit;
            power -= if is_fraction { 4 } else { 0 };
        } else if !is_fraction {
            power += 4;
        }
    }
    if significand == 0 {
        return Some(0);
    }
    // Normalise to one bit before the point.
    let zeros = significand.leading_zeros();
    let exponent = power + 63 - i64::from(zeros);
    let normal = significand << zeros;
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let fraction = normal << 1 >> (64 - fraction_bits);
    match exponent {
        _ if exponent > bias + 1 => None,
        _ if exponent + bias >= 1 => Some(((exponent + bias) as u64) << fraction_bits | fraction),
        _ => {
            let shift = i64::from(63 - fraction_bits) + 1 - bias - exponent;
            Some(normal.checked_shr(u32::try_from(shift).ok()?).unwrap_or(0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn numbers_of_16_bits_are_the_nearest() {
        for (number, bits) in [
            (0.0, Some(0)),
            (1.0, Some(0x3c00)),
            (1.0 / 3.0, Some(0x3555)),
            (2.0_f64.powi(-14), Some(0x0400)),
            (2.0_f64.powi(-24), Some(1)),
            (2.0_f64.powi(-25), Some(0)),
            (2047.5, Some(0x6800)),
            (65504.0, Some(0x7bff)),
            (65519.9, Some(0x7bff)),
            (65520.0, None),
        ] {
            assert_eq!(half(number), bits, "{number}");
        }
    }
}
