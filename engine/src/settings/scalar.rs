//! Scalars as text.

use lambdav_core::types::Scalar;
use lambdav_float_environment::with_default;
use lambdav_frontend::syntax::read_integer;

/// Parses a finite number, written as in λV.
///
/// # Errors
///
/// A message for text that is no finite number.
pub fn number(text: &str) -> Result<f32, String> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match with_default(|| text.parse::<f32>()) {
        Ok(value) if plain && value.is_finite() => Ok(value),
        Ok(_) if plain => Err(format!("`{text}` is too large for binary32")),
        _ => Err(format!("`{text}` is not a number")),
    }
}

pub(super) fn int(text: &str) -> Result<i32, String> {
    match integer(text, 'i', Scalar::I32)? {
        Some(bits) => Ok(bits as i32),
        None => Err(format!("`{text}` is not from -2147483648 to 2147483647")),
    }
}

pub(super) fn uint(text: &str) -> Result<u32, String> {
    match integer(text, 'u', Scalar::U32)? {
        Some(bits) => Ok(bits),
        None => Err(format!("`{text}` is not from 0 to 4294967295")),
    }
}

/// Bits of an integer; `None` if it does not fit.
fn integer(text: &str, suffix: char, scalar: Scalar) -> Result<Option<u32>, String> {
    let token = format!("{}{suffix}", text.strip_suffix(suffix).unwrap_or(text));
    match read_integer(&token) {
        Some((found, bits)) if found == scalar => Ok(bits),
        _ => Err(format!("`{text}` is not an integer like `3`, `0x1f` or `0b101`")),
    }
}

pub(super) fn truth(text: &str) -> Result<bool, String> {
    match text {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => text.parse().map_err(|_| format!("`{text}` is neither true nor false, nor 1 or 0")),
    }
}
