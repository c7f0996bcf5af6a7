//! The formats of numbers equal those of the C library.
#![cfg(unix)]

use lambdav_trace::{Argument, Scalar, Value, printf};
use std::ffi::{CString, c_char, c_int};

unsafe extern "C" {
    fn snprintf(buffer: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

/// What the C library prints of a float or an integer.
fn by_c(format: &str, float: Option<f64>, integer: u32) -> String {
    let format = CString::new(format).expect("it has no zero");
    let mut buffer = [0_u8; 1024];
    // SAFETY: the buffer's size is given, and the format has one conversion, of the argument's type.
    let length = unsafe {
        let (to, size) = (buffer.as_mut_ptr().cast(), buffer.len());
        match float {
            Some(float) => snprintf(to, size, format.as_ptr(), float),
            None => snprintf(to, size, format.as_ptr(), integer),
        }
    };
    let text = &buffer[..length.try_into().expect("it succeeds")];
    String::from_utf8(text.to_vec()).expect("it is ASCII")
}

/// The next number of a sequence.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn numbers_are_those_of_c() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let corners = [
        0.0_f64,
        -0.0,
        0.5,
        1.5,
        9.5,
        99999.95,
        999999.5,
        1e-5,
        1e-4,
        1e22,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-45,
        0.1,
        123.456,
    ];
    for round in 0..40_000_usize {
        let of = next(&mut state);
        let flags: String = "-+ #0"
            .chars()
            .enumerate()
            .filter(|(k, _)| of >> k & 1 != 0)
            .map(|(_, flag)| flag)
            .collect();
        let width = match of >> 8 & 3 {
            0 => String::new(),
            _ => (1 + (of >> 10) % 30).to_string(),
        };
        let precision = match of >> 16 & 3 {
            0 | 1 => String::new(),
            2 => ".".to_owned(),
            _ => format!(".{}", (of >> 18) % 25),
        };
        let is_float = of >> 24 & 1 != 0;
        let all = if is_float { "fFeEgGaA" } else { "diuoxX" };
        let conversion = all.as_bytes()[((of >> 25) as usize) % all.len()] as char;
        let format = format!("%{flags}{width}{precision}{conversion}");
        let word = (next(&mut state) >> 16) as u32;
        let integer = [0, 1, 7, u32::MAX, 1 << 31, word][round % 6];
        let float = match round % 3 {
            0 => corners[round / 3 % corners.len()],
            1 => f32::from_bits(word).into(),
            _ => f64::from(word as i32) / 1024.0,
        };
        let (scalar, words) = match is_float {
            true => {
                let bits = float.to_bits();
                (Scalar::Double, vec![bits as u32, (bits >> 32) as u32])
            }
            false => (Scalar::Uint, vec![integer]),
        };
        let argument = Value::Words { ty: "".into(), scalar, words: words.into() };
        // C does not define the sign of a NaN's text.
        if is_float && float.is_nan() {
            continue;
        }
        // glibc drops the zeros of `%#g` where rounding makes one more digit.
        let significant =
            precision.strip_prefix('.').map_or(6, |of| of.parse().unwrap_or(0)).max(1);
        let rounded = format!("{:.*e}", significant - 1, float.abs());
        let is_power =
            rounded.split('e').next().is_some_and(|of| of.bytes().all(|b| b"01.".contains(&b)));
        if is_float && matches!(conversion, 'g' | 'G') && flags.contains('#') && is_power {
            continue;
        }
        let found = printf(&format, &[Argument::Value(argument)]);
        assert_eq!(
            found,
            by_c(&format, is_float.then_some(float), integer),
            "{format} of {float:?} or {integer}"
        );
    }
}
