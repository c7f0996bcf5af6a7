//! Numbers of GLSL.

use crate::token::TokenKind;

/// A spelling that is no number of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrongNumber {
    /// The fault, without the number.
    pub what: &'static str,
    /// The remedy.
    pub help: &'static str,
}

/// The number that a spelling means.
///
/// # Errors
///
/// Spellings that GLSL does not have, and integers of more than 32 bits.
pub(super) fn number(text: &str) -> Result<TokenKind, WrongNumber> {
    let has_prefix = text.starts_with("0x") || text.starts_with("0X");
    if !has_prefix {
        let mantissa = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_float = match mantissa.as_bytes() {
            [b'.', ..] => true,
            [b'e' | b'E', rest @ ..] => {
                matches!(rest, [b'0'..=b'9', ..] | [b'+' | b'-', b'0'..=b'9', ..])
            }
            _ => false,
        };
        if is_float {
            return float(text);
        }
    }
    let (value, unsigned) = integer(text)?;
    let Ok(value) = u32::try_from(value) else { return Err(TOO_LARGE) };
    Ok(TokenKind::Integer { value, unsigned })
}

const TOO_LARGE: WrongNumber = WrongNumber {
    what: "does not fit into 32 bits",
    help: "the largest integer is 4294967295, or 0xffffffff; write `.0` behind a larger number for a float",
};

/// An integer of at most 64 bits, and true with the suffix `u`.
pub(super) fn integer(text: &str) -> Result<(u64, bool), WrongNumber> {
    let digits = text.strip_suffix(['u', 'U']);
    let (digits, unsigned) = (digits.unwrap_or(text), digits.is_some());
    let (digits, radix) =
        if let Some(rest) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            (rest, 16)
        } else if digits.len() > 1 && digits.starts_with('0') {
            (&digits[1..], 8)
        } else {
            (digits, 10)
        };
    if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(radix)) {
        return Err(wrong_integer(digits, radix));
    }
    u64::from_str_radix(digits, radix).map(|value| (value, unsigned)).map_err(|_| TOO_LARGE)
}

fn wrong_integer(digits: &str, radix: u32) -> WrongNumber {
    let what = "is not a number";
    let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let help = match (radix, after) {
        (16, _) => "`0x` is followed by the digits 0 to 9 and a to f",
        (_, "f" | "F" | "lf" | "LF") => "a float has a point or an exponent: `1.0f`",
        (_, "l" | "L" | "ul" | "UL" | "s" | "S" | "us" | "US") => {
            "only integers of 32 bits are supported: leave out the suffix"
        }
        (8, "") => "a leading 0 means base 8, with the digits 0 to 7",
        (_, "e" | "E") => "an exponent has digits: `1e5`",
        _ => "a number ends in a digit, `u`, `f` or `lf`; a name does not begin with a digit",
    };
    WrongNumber { what, help }
}

fn float(text: &str) -> Result<TokenKind, WrongNumber> {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (digits, suffix) = text.split_at(letters.len());
    let wrong = match suffix {
        "" | "f" | "F" => return digits.parse().map(TokenKind::Float).map_err(|_| WRONG_FLOAT),
        "lf" | "LF" => return digits.parse().map(TokenKind::Double).map_err(|_| WRONG_FLOAT),
        "h" | "H" | "hf" | "HF" => "floats of 16 bits are not supported: leave out the suffix",
        "e" | "E" => "an exponent has digits: `1.0e5`",
        _ => WRONG_FLOAT.help,
    };
    Err(WrongNumber { help: wrong, ..WRONG_FLOAT })
}

const WRONG_FLOAT: WrongNumber =
    WrongNumber { what: "is not a number", help: "the suffix of a float is `f` or `lf`, or none" };
