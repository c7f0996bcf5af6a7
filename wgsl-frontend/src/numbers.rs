//! Number literals of WGSL, each converted to its type exactly or by one rounding.

use crate::token::Number;

/// A spelling that is no number of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongNumber {
    /// The fault, behind the number.
    pub(crate) what: &'static str,
    /// The remedy.
    pub(crate) help: &'static str,
}

const NO_NUMBER: WrongNumber = WrongNumber {
    what: "is not a number",
    help: "a number ends in a digit, a point, or one of the suffixes `i`, `u`, `f`, `h`",
};
const LEADING_ZERO: WrongNumber = WrongNumber {
    what: "is not a number",
    help: "WGSL has no octal numbers: leave out the leading zeros",
};
const TOO_LARGE: WrongNumber = WrongNumber {
    what: "is too large for its type",
    help: "`i` has numbers up to 2147483647, `u` up to 4294967295, none up to 9223372036854775807; \
           write `.0` behind a larger one",
};
const FLOAT_TOO_LARGE: WrongNumber = WrongNumber {
    what: "is too large for its type",
    help: "the largest f32 is about 3.4e38, the largest number without suffix about 1.8e308",
};
const INEXACT: WrongNumber = WrongNumber {
    what: "has more digits than its type",
    help: "a hexadecimal float must be exact: f32 has 24 significant bits, a number without suffix 53",
};

/// The number at the beginning of a text that begins with a digit, or a point and a digit, and its length.
pub(crate) fn number(text: &str) -> (usize, Result<Number, WrongNumber>) {
    let bytes = text.as_bytes();
    let is_hexadecimal = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let digit = |byte: u8| match is_hexadecimal {
        true => byte.is_ascii_hexdigit(),
        false => byte.is_ascii_digit(),
    };
    let run = |from: usize| bytes[from..].iter().take_while(|&&byte| digit(byte)).count();
    let first = if is_hexadecimal { 2 } else { 0 };
    let mut at = first + run(first);
    let mut is_float = false;
    if bytes.get(at) == Some(&b'.') {
        is_float = true;
        at += 1;
        at += run(at);
    }
    let digits_end = at;
    let mark = if is_hexadecimal { b"pP" } else { b"eE" };
    if bytes.get(at).is_some_and(|byte| mark.contains(byte)) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = bytes[at + 1 + sign..].iter().take_while(|byte| byte.is_ascii_digit());
        let count = exponent.count();
        if count > 0 {
            is_float = true;
            at += 1 + sign + count;
        }
    }
    let spelling = &text[..at];
    let suffix = bytes.get(at).copied().filter(|byte| b"iufh".contains(byte));
    let end = at + usize::from(suffix.is_some());
    let behind = text[end..].chars().next();
    let is_cut = behind.is_some_and(|c| c == '_' || unicode_ident::is_xid_continue(c));
    if suffix.is_none() && matches!(&bytes[at..], [b'l', b'i' | b'u' | b'f', ..]) {
        let next = text[at + 2..].chars().next();
        if !next.is_some_and(|c| c == '_' || unicode_ident::is_xid_continue(c)) {
            return (at + 2, Ok(Number::Other));
        }
    }
    if is_cut {
        let rest = text[end..].chars();
        let rest = rest.take_while(|&c| c == '_' || unicode_ident::is_xid_continue(c));
        return (end + rest.map(char::len_utf8).sum::<usize>(), Err(NO_NUMBER));
    }
    let has_digits = bytes[first..digits_end].iter().any(|&byte| digit(byte));
    let has_exponent = digits_end < at;
    let result = match suffix {
        _ if !has_digits => Err(NO_NUMBER),
        // A hexadecimal float needs an exponent in front of a suffix; `f` would be a digit.
        Some(b'f' | b'h') if is_hexadecimal && !has_exponent => Err(NO_NUMBER),
        Some(b'i' | b'u') if is_float => Err(NO_NUMBER),
        Some(b'f' | b'h') | None if is_float || suffix.is_some() => {
            if !is_float && has_leading_zero(spelling) {
                Err(LEADING_ZERO)
            } else {
                float(spelling, is_hexadecimal, suffix)
            }
        }
        _ => integer(spelling, is_hexadecimal, suffix),
    };
    (end, result)
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

fn integer(digits: &str, is_hexadecimal: bool, suffix: Option<u8>) -> Result<Number, WrongNumber> {
    let (digits, radix) = if is_hexadecimal { (&digits[2..], 16) } else { (digits, 10) };
    if radix == 10 && has_leading_zero(digits) {
        return Err(LEADING_ZERO);
    }
    let value = i64::from_str_radix(digits, radix).map_err(|_| TOO_LARGE)?;
    match suffix {
        Some(b'i') => i32::try_from(value).map(Number::Int).map_err(|_| TOO_LARGE),
        Some(b'u') => u32::try_from(value).map(Number::Uint).map_err(|_| TOO_LARGE),
        _ => Ok(Number::AbstractInt(value)),
    }
}

fn float(text: &str, is_hexadecimal: bool, suffix: Option<u8>) -> Result<Number, WrongNumber> {
    if is_hexadecimal {
        return hexadecimal(text, suffix);
    }
    match suffix {
        Some(b'h') => Ok(Number::Other),
        Some(_) => {
            let value: f32 = text.parse().map_err(|_| NO_NUMBER)?;
            if value.is_finite() { Ok(Number::Float(value)) } else { Err(FLOAT_TOO_LARGE) }
        }
        None => {
            let value: f64 = text.parse().map_err(|_| NO_NUMBER)?;
            if value.is_finite() { Ok(Number::AbstractFloat(value)) } else { Err(FLOAT_TOO_LARGE) }
        }
    }
}

/// A hexadecimal float: `m · 2^e` with an integer `m` of at most 64 bits.
fn hexadecimal(text: &str, suffix: Option<u8>) -> Result<Number, WrongNumber> {
    let (digits, exponent) = text[2..].split_once(['p', 'P']).unwrap_or((&text[2..], "0"));
    // An exponent of more digits is as good as this one.
    let exponent: i64 = match exponent.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-1 << 40, 1 << 40),
        Err(_) if exponent.starts_with('-') => -1 << 40,
        Err(_) => 1 << 40,
    };
    let (mut mantissa, mut scale, mut behind_point) = (0_u64, 0_i64, false);
    for c in digits.chars() {
        let Some(digit) = c.to_digit(16) else {
            behind_point = true;
            continue;
        };
        if mantissa >> 60 != 0 {
            if digit != 0 {
                return Err(INEXACT);
            }
            scale += if behind_point { 0 } else { 4 };
            continue;
        }
        mantissa = mantissa << 4 | u64::from(digit);
        scale -= if behind_point { 4 } else { 0 };
    }
    if suffix == Some(b'h') {
        return Ok(Number::Other);
    }
    let is_single = suffix.is_some();
    if mantissa == 0 {
        return Ok(if is_single { Number::Float(0.0) } else { Number::AbstractFloat(0.0) });
    }
    let zeros = mantissa.trailing_zeros();
    let (mantissa, exponent) = (mantissa >> zeros, exponent + scale + i64::from(zeros));
    let length = i64::from(64 - mantissa.leading_zeros());
    let (bits, least, most) = if is_single { (24, -149, 128) } else { (53, -1074, 1024) };
    if exponent + length > most {
        return Err(FLOAT_TOO_LARGE);
    }
    if length > bits || exponent < least {
        return Err(INEXACT);
    }
    // Both factors are exact, and so is the product; two steps reach the subnormals.
    let half = exponent / 2;
    let value = mantissa as f64 * power(half) * power(exponent - half);
    Ok(if is_single { Number::Float(value as f32) } else { Number::AbstractFloat(value) })
}

/// A power of two in the normal range.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_type_of_their_suffix() {
        let all = [
            ("0", Number::AbstractInt(0)),
            ("12i", Number::Int(12)),
            ("4294967295u", Number::Uint(u32::MAX)),
            ("0xFFu", Number::Uint(255)),
            ("0x7fffffffffffffff", Number::AbstractInt(i64::MAX)),
            ("1.5", Number::AbstractFloat(1.5)),
            ("1.", Number::AbstractFloat(1.0)),
            (".5e1", Number::AbstractFloat(5.0)),
            ("1e3f", Number::Float(1000.0)),
            ("1f", Number::Float(1.0)),
            ("00.5", Number::AbstractFloat(0.5)),
            ("0x1p4", Number::AbstractFloat(16.0)),
            ("0x1.8p-1f", Number::Float(0.75)),
            ("0x.8p0", Number::AbstractFloat(0.5)),
            ("0x1p-1074", Number::AbstractFloat(f64::from_bits(1))),
            ("0x1p-149f", Number::Float(f32::from_bits(1))),
            ("0x1.fffffffffffffp1023", Number::AbstractFloat(f64::MAX)),
            ("16777217.0f", Number::Float(16_777_216.0)),
            ("1h", Number::Other),
            ("10lu", Number::Other),
        ];
        for (text, wanted) in all {
            assert_eq!(number(text), (text.len(), Ok(wanted)), "{text}");
        }
    }

    #[test]
    fn other_spellings_are_wrong() {
        for text in ["01", "08u", "1z", "1uu", "0x", "2147483648i", "4294967296u", "1e400", "1e39f"]
        {
            assert!(number(text).1.is_err(), "{text}");
        }
        for text in ["0x1.ffffffffffffffp0", "0x1p1024", "0x1p-150f", "1.0u", "9223372036854775808"]
        {
            assert!(number(text).1.is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_ends_where_it_ends() {
        assert_eq!(number("1..x").0, 2);
        assert_eq!(number("1+2").0, 1);
        assert_eq!(number("1e+2 ").0, 4);
    }
}
