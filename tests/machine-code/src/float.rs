//! Bitwise arithmetic of binary32 and binary64 as in the processor's default environment: round to nearest
//! even, subnormals kept, exceptions masked.
//!
//! *NaN.* If an operand is a NaN, the result is the first such operand, made quiet. Else a NaN result is the
//! default NaN: negative, quiet, without payload.

/// Up to three operands in the order of the instruction, and its immediate.
pub(crate) type Function = fn([u64; 3], u8) -> u64;

/// Predicates of comparisons. Signalling and quiet ones are equal while exceptions are masked.
fn predicate(imm: u8, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (equal, less, greater) =
        (order == Some(Equal), order == Some(Less), order == Some(Greater));
    let unordered = order.is_none();
    match imm & 15 {
        0 => equal,
        1 => less,
        2 => less || equal,
        3 => unordered,
        4 => !equal,
        5 => !less,
        6 => !(less || equal),
        7 => !unordered,
        8 => equal || unordered,
        9 => less || unordered,
        10 => less || equal || unordered,
        11 => false,
        12 => less || greater,
        13 => greater || equal,
        14 => greater,
        _ => true,
    }
}

macro_rules! arithmetic {
    ($module:ident, $float:ty, $bits:ty) => {
        pub(crate) mod $module {
            use super::*;

            const QUIET: $bits = 1 << (<$float>::MANTISSA_DIGITS - 2);
            const DEFAULT_NAN: $bits = !(QUIET - 1);

            pub(crate) fn float(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }

            pub(crate) fn bits(value: $float) -> u64 {
                if value.is_nan() { DEFAULT_NAN.into() } else { value.to_bits().into() }
            }

            /// The first NaN among the operands, made quiet.
            pub(crate) fn nan(operands: &[u64]) -> Option<u64> {
                let nan = operands.iter().find(|&&operand| float(operand).is_nan());
                nan.map(|&nan| nan | u64::from(QUIET))
            }

            fn binary(a: u64, b: u64, operation: impl FnOnce($float, $float) -> $float) -> u64 {
                nan(&[a, b]).unwrap_or_else(|| bits(operation(float(a), float(b))))
            }

            pub(crate) fn add([a, b, _]: [u64; 3], _: u8) -> u64 {
                binary(a, b, |a, b| a + b)
            }
            pub(crate) fn sub([a, b, _]: [u64; 3], _: u8) -> u64 {
                binary(a, b, |a, b| a - b)
            }
            pub(crate) fn mul([a, b, _]: [u64; 3], _: u8) -> u64 {
                binary(a, b, |a, b| a * b)
            }
            pub(crate) fn div([a, b, _]: [u64; 3], _: u8) -> u64 {
                binary(a, b, |a, b| a / b)
            }
            pub(crate) fn sqrt([a, ..]: [u64; 3], _: u8) -> u64 {
                nan(&[a]).unwrap_or_else(|| bits(float(a).sqrt()))
            }
            /// The first operand if it is less, else the second.
            pub(crate) fn min([a, b, _]: [u64; 3], _: u8) -> u64 {
                if float(a) < float(b) { a } else { b }
            }
            /// The first operand if it is greater, else the second.
            pub(crate) fn max([a, b, _]: [u64; 3], _: u8) -> u64 {
                if float(a) > float(b) { a } else { b }
            }
            /// All ones if the predicate holds, else zero.
            pub(crate) fn compare([a, b, _]: [u64; 3], imm: u8) -> u64 {
                let holds = predicate(imm, float(a).partial_cmp(&float(b)));
                if holds { <$bits>::MAX.into() } else { 0 }
            }
            /// Rounds to an integer.
            pub(crate) fn round(operands: [u64; 3], imm: u8) -> u64 {
                round_scaled(operands, imm & 15)
            }
            /// Rounds to a number of binary digits after the point.
            pub(crate) fn round_scaled([a, ..]: [u64; 3], imm: u8) -> u64 {
                if let Some(nan) = nan(&[a]) {
                    return nan;
                }
                let (value, digits) = (float(a), i32::from(imm >> 4));
                let scale = (2.0 as $float).powi(digits);
                let scaled = value * scale;
                if scaled.is_infinite() {
                    return bits(value);
                }
                // The control register's mode is round to nearest.
                let mode = if imm & 4 != 0 { 0 } else { imm & 3 };
                let rounded = match mode {
                    0 => scaled.round_ties_even(),
                    1 => scaled.floor(),
                    2 => scaled.ceil(),
                    _ => scaled.trunc(),
                };
                bits((rounded / scale).copysign(value))
            }

            /// The exponent as a float.
            pub(crate) fn exponent([a, ..]: [u64; 3], _: u8) -> u64 {
                let size = float(a).abs();
                nan(&[a]).unwrap_or_else(|| {
                    bits(match size {
                        0.0 => <$float>::NEG_INFINITY,
                        _ if size.is_infinite() => size,
                        _ => scaled_below(size, 2.0).1,
                    })
                })
            }
            /// The significand, in one of four intervals. Options drop its sign, or give NaN for negative
            /// operands.
            pub(crate) fn significand([a, ..]: [u64; 3], imm: u8) -> u64 {
                let value = float(a);
                if let Some(nan) = nan(&[a]) {
                    return nan;
                }
                if imm & 8 != 0 && value < 0.0 {
                    return DEFAULT_NAN.into();
                }
                let size = value.abs();
                let found = if size == 0.0 || size.is_infinite() {
                    1.0
                } else {
                    let (one_to_two, exponent) = scaled_below(size, 2.0);
                    match imm & 3 {
                        0 => one_to_two,
                        1 if exponent % 2.0 == 0.0 => one_to_two,
                        1 | 2 => one_to_two / 2.0,
                        _ => scaled_below(size, 1.5).0,
                    }
                };
                // (Zero has a sign, too.)
                bits(if imm & 4 != 0 { found } else { found.copysign(value) })
            }
            /// Splits a positive number into a power of two and a factor from `most`/2 to below `most`.
            fn scaled_below(mut size: $float, most: $float) -> ($float, $float) {
                let mut power = 0.0;
                while size >= most {
                    (size, power) = (size / 2.0, power + 1.0);
                }
                while size < most / 2.0 {
                    (size, power) = (size * 2.0, power - 1.0);
                }
                (size, power)
            }

            /// `a · b + c` with signs, rounded once. `order` selects a, b and c among the operands of the
            /// instruction.
            fn fused(operands: [u64; 3], order: [usize; 3], signs: [$float; 2]) -> u64 {
                let [a, b, c] = order.map(|k| operands[k]);
                let [product, sum] = signs;
                // Multiplicands' NaNs come before the addend's. Processors differ here, so tests accept any
                // NaN.
                nan(&[a, b, c])
                    .unwrap_or_else(|| bits((product * float(a)).mul_add(float(b), sum * float(c))))
            }

            pub(crate) fn fmadd132(o: [u64; 3], _: u8) -> u64 {
                fused(o, [0, 2, 1], [1.0, 1.0])
            }
            pub(crate) fn fmadd213(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 0, 2], [1.0, 1.0])
            }
            pub(crate) fn fmadd231(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 2, 0], [1.0, 1.0])
            }
            pub(crate) fn fmsub132(o: [u64; 3], _: u8) -> u64 {
                fused(o, [0, 2, 1], [1.0, -1.0])
            }
            pub(crate) fn fmsub213(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 0, 2], [1.0, -1.0])
            }
            pub(crate) fn fmsub231(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 2, 0], [1.0, -1.0])
            }
            pub(crate) fn fnmadd132(o: [u64; 3], _: u8) -> u64 {
                fused(o, [0, 2, 1], [-1.0, 1.0])
            }
            pub(crate) fn fnmadd213(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 0, 2], [-1.0, 1.0])
            }
            pub(crate) fn fnmadd231(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 2, 0], [-1.0, 1.0])
            }
            pub(crate) fn fnmsub132(o: [u64; 3], _: u8) -> u64 {
                fused(o, [0, 2, 1], [-1.0, -1.0])
            }
            pub(crate) fn fnmsub213(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 0, 2], [-1.0, -1.0])
            }
            pub(crate) fn fnmsub231(o: [u64; 3], _: u8) -> u64 {
                fused(o, [1, 2, 0], [-1.0, -1.0])
            }

            pub(crate) fn from_i32([a, ..]: [u64; 3], _: u8) -> u64 {
                bits(a as i32 as $float)
            }
            pub(crate) fn from_u32([a, ..]: [u64; 3], _: u8) -> u64 {
                bits(a as u32 as $float)
            }
            pub(crate) fn from_i64([a, ..]: [u64; 3], _: u8) -> u64 {
                bits(a as i64 as $float)
            }
            pub(crate) fn from_u64([a, ..]: [u64; 3], _: u8) -> u64 {
                bits(a as $float)
            }

            /// Out-of-range numbers and NaN give the integer whose only one bit is the sign.
            fn signed(value: $float, width: u32) -> u64 {
                let most = (2.0 as $float).powi(width as i32 - 1);
                let fits = value >= -most && value < most;
                if fits { value as i64 as u64 } else { 1 << (width - 1) }
            }
            /// Out-of-range numbers and NaN give all ones.
            fn unsigned(value: $float, width: u32) -> u64 {
                let fits = value > -1.0 && value < (2.0 as $float).powi(width as i32);
                if fits { value as u64 } else { u64::MAX }
            }
            pub(crate) fn to_i32([a, ..]: [u64; 3], _: u8) -> u64 {
                signed(float(a).round_ties_even(), 32)
            }
            pub(crate) fn truncate_i32([a, ..]: [u64; 3], _: u8) -> u64 {
                signed(float(a).trunc(), 32)
            }
            pub(crate) fn to_i64([a, ..]: [u64; 3], _: u8) -> u64 {
                signed(float(a).round_ties_even(), 64)
            }
            pub(crate) fn truncate_i64([a, ..]: [u64; 3], _: u8) -> u64 {
                signed(float(a).trunc(), 64)
            }
            pub(crate) fn to_u32([a, ..]: [u64; 3], _: u8) -> u64 {
                unsigned(float(a).round_ties_even(), 32)
            }
            pub(crate) fn truncate_u32([a, ..]: [u64; 3], _: u8) -> u64 {
                unsigned(float(a).trunc(), 32)
            }
            pub(crate) fn to_u64([a, ..]: [u64; 3], _: u8) -> u64 {
                unsigned(float(a).round_ties_even(), 64)
            }
            pub(crate) fn truncate_u64([a, ..]: [u64; 3], _: u8) -> u64 {
                unsigned(float(a).trunc(), 64)
            }
        }
    };
}

arithmetic!(single, f32, u32);
arithmetic!(double, f64, u64);

/// Widens a NaN's payload by zeros below it.
pub(crate) fn widen([a, ..]: [u64; 3], _: u8) -> u64 {
    match single::nan(&[a]) {
        Some(nan) => (nan & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | (nan & 0x007f_ffff) << 29,
        None => double::bits(f64::from(single::float(a))),
    }
}

/// Cuts off the lower bits of a NaN's payload.
pub(crate) fn narrow([a, ..]: [u64; 3], _: u8) -> u64 {
    match double::nan(&[a]) {
        Some(nan) => nan >> 32 & 0x8000_0000 | 0x7f80_0000 | nan >> 29 & 0x007f_ffff,
        None => single::bits(double::float(a) as f32),
    }
}
