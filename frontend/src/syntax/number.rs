//! Numbers: the grammar `[+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?` and their
//! reading as the nearest binary32 value.

/// What a word is when looked at as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reading {
    /// It does not start like a number.
    NotANumber,
    /// It starts like a number and is not one.
    Malformed,
    /// It is a number beyond the range of binary32.
    TooLarge,
    /// The nearest binary32 value, and the exact value of a token of digits alone that fits.
    Number { value: f32, index: Option<u32> },
}

/// Reads a word.
pub(super) fn read(word: &str) -> Reading {
    if !starts_like_number(word) {
        return Reading::NotANumber;
    }
    if !is_number(word) {
        return Reading::Malformed;
    }
    // `str::parse` rounds once, to nearest even, from the decimal digits. It takes every token of
    // the grammar, so that the second arm is out of reach.
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

/// Whether the word begins with `[+-]?\.?[0-9]`.
fn starts_like_number(word: &str) -> bool {
    let rest = word.strip_prefix(['+', '-']).unwrap_or(word);
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether the word as a whole is derived from the grammar above.
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

/// One or more decimal digits.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// What may have been meant by a malformed number.
pub(super) fn advice(word: &str) -> &'static str {
    let lower = word.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if lower.starts_with("0x") || lower.starts_with("0b") || lower.starts_with("0o") {
        return "write the number in decimal: there is no other base";
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
