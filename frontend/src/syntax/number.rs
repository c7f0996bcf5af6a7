//! Numbers: the grammar `[+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?`, read as the nearest
//! binary32 value. Integers: `[+-]? natural i | natural u`, where a natural is `digits`, or `0x` or `0b` and
//! digits of that base.

use lambdav_core::types::Scalar;

/// A word read as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reading {
    /// The word does not start like a number.
    NotANumber,
    /// The word starts like a number but is not one.
    Malformed,
    /// A number beyond the range of binary32.
    TooLarge,
    /// The nearest binary32 value; for a token of digits only, also its exact value if that fits.
    Number { value: f32, index: Option<u32> },
    /// An integer of this type, as its bits.
    Integer(Scalar, u32),
    /// An integer beyond the range of this type.
    DoesNotFit(Scalar),
}

/// Reads a word.
pub(super) fn read(word: &str) -> Reading {
    if !starts_like_number(word) {
        return Reading::NotANumber;
    }
    if !is_number(word) {
        return integer(word).unwrap_or(Reading::Malformed);
    }
    // `str::parse` rounds once, to nearest even, from the decimal digits. It accepts every token of the
    // grammar, so the last arm is unreachable.
    match word.strip_prefix('+').unwrap_or(word).parse::<f32>() {
        Ok(value) if value.is_infinite() => Reading::TooLarge,
        Ok(value) => {
            let only_digits = word.bytes().all(|b| b.is_ascii_digit());
            let index = if only_digits { word.parse().ok() } else { None };
            Reading::Number { value, index }
        }
        Err(_) => Reading::Malformed,
    }
}

/// The type and bits of an integer token; no bits if it does not fit its type. `None` for other words.
pub fn read_integer(word: &str) -> Option<(Scalar, Option<u32>)> {
    match integer(word)? {
        Reading::Integer(scalar, bits) => Some((scalar, Some(bits))),
        Reading::DoesNotFit(scalar) => Some((scalar, None)),
        _ => None,
    }
}

/// Reads a word as an integer; `None` for other words.
fn integer(word: &str) -> Option<Reading> {
    let (scalar, rest) = match word.strip_suffix('i') {
        Some(rest) => (Scalar::I32, rest.strip_prefix(['+', '-']).unwrap_or(rest)),
        None => (Scalar::U32, word.strip_suffix('u')?),
    };
    let magnitude = natural(rest)?;
    let signed = if word.starts_with('-') { magnitude.checked_neg() } else { Some(magnitude) };
    let bits = signed.and_then(|value| match scalar {
        Scalar::I32 => i32::try_from(value).ok().map(|int| int as u32),
        _ => u32::try_from(value).ok(),
    });
    Some(bits.map_or(Reading::DoesNotFit(scalar), |bits| Reading::Integer(scalar, bits)))
}

/// The value of digits, decimal or after `0x` or `0b`, saturated; `None` for other texts.
fn natural(text: &str) -> Option<i64> {
    let (digits, base) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        _ => (text, 10),
    };
    let value = |sum: i64, digit: char| {
        let digit = digit.to_digit(base)?;
        Some(sum.saturating_mul(base.into()).saturating_add(digit.into()))
    };
    if digits.is_empty() { None } else { digits.chars().try_fold(0, value) }
}

/// True if the word begins with `[+-]?\.?[0-9]`.
fn starts_like_number(word: &str) -> bool {
    let rest = word.strip_prefix(['+', '-']).unwrap_or(word);
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit())
}

/// True if the whole word matches the grammar above.
fn is_number(word: &str) -> bool {
    let rest = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let mantissa_fits = match mantissa.split_once('.') {
        None => is_digits(mantissa),
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
    };
    mantissa_fits && exponent.is_none_or(|e| is_digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

/// True for one or more decimal digits.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The remedy for a malformed number, by its probable meaning.
pub(super) fn advice(word: &str) -> &'static str {
    let plain = word.trim_start_matches(['+', '-']);
    let lower = plain.to_ascii_lowercase();
    if natural(plain).is_some() {
        return "an integer says its type: `0x10i` is an int, `0x10u` a uint";
    }
    if plain.len() < word.len() && matches!(integer(plain), Some(Reading::Integer(Scalar::U32, _)))
    {
        return "leave out the sign: a uint has none; `-7i` is an int";
    }
    if lower.starts_with("0o") {
        return "write the number in another base: `0x1fu`, `0b11111u` or `31u`";
    }
    if integer(&lower).is_some() {
        return "write the prefix and the suffix in small letters: `0xFFu`, `3i`";
    }
    if lower.starts_with("0x") || lower.starts_with("0b") {
        return "write an integer like `0xffu` or `-0b1010i`: digits of the base, then `i` or `u`";
    }
    if lower.strip_suffix(['i', 'u']).is_some_and(is_number) {
        return "an integer has digits only: write `3i` or `3u`, or a num without a suffix";
    }
    if lower.strip_suffix('f').is_some_and(is_number) {
        return "leave out the `f`: every number is a binary32";
    }
    if lower.contains('_') && is_number(&lower.replace('_', "")) {
        return "leave out the `_`: digits are not grouped";
    }
    if lower.contains(',') && is_number(&lower.replacen(',', ".", 1)) {
        return "write the fraction with a point: `0.5`";
    }
    "write a number like `12`, `-0.5` or `1e-3`; a name cannot begin with a digit"
}
