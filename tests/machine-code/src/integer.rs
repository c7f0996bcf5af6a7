//! Operations on integer lanes. Callers cut results off at the lane's width.

use crate::bits::{ones, signed};

/// A function of up to three operands in the instruction's order, the immediate, and the lane's width.
pub(crate) type Function = fn([u64; 3], u8, u32) -> u64;

/// All ones if the condition is true, else zero.
fn mask(condition: bool) -> u64 {
    if condition { u64::MAX } else { 0 }
}

fn compare(imm: u8, order: std::cmp::Ordering) -> u64 {
    let holds = match imm & 3 {
        0 => order.is_eq(),
        1 => order.is_lt(),
        2 => order.is_le(),
        _ => false,
    };
    mask(holds != (imm & 4 != 0))
}

/// A left shift by a 64-bit count. Bits that leave the lane are lost.
pub(crate) fn shift_left([a, count, _]: [u64; 3], _: u8, width: u32) -> u64 {
    if count < u64::from(width) { a << count } else { 0 }
}

/// A logical right shift.
pub(crate) fn shift_right([a, count, _]: [u64; 3], _: u8, width: u32) -> u64 {
    if count < u64::from(width) { a >> count } else { 0 }
}

/// An arithmetic right shift.
pub(crate) fn shift_arithmetic([a, count, _]: [u64; 3], _: u8, width: u32) -> u64 {
    (signed(a, width) >> count.min(u64::from(width) - 1)) as u64
}

fn rotated(a: u64, by: u64, width: u32) -> u64 {
    let by = (by % u64::from(width)) as u32;
    if by == 0 { a } else { a << by | a >> (width - by) }
}

/// The function of a mnemonic without its last letter, which gives the lane's width, and the number of its
/// operands.
pub(crate) fn function(stem: &str) -> Option<(usize, Function)> {
    let function: (usize, Function) = match stem {
        "padd" => (2, |[a, b, _], _, _| a.wrapping_add(b)),
        "psub" => (2, |[a, b, _], _, _| a.wrapping_sub(b)),
        "pmull" => (2, |[a, b, _], _, _| a.wrapping_mul(b)),
        "pabs" => (1, |[a, ..], _, width| signed(a, width).unsigned_abs()),
        "pmins" => (2, |[a, b, _], _, width| signed(a, width).min(signed(b, width)) as u64),
        "pmaxs" => (2, |[a, b, _], _, width| signed(a, width).max(signed(b, width)) as u64),
        "pminu" => (2, |[a, b, _], _, _| a.min(b)),
        "pmaxu" => (2, |[a, b, _], _, _| a.max(b)),
        "pcmpeq" => (2, |[a, b, _], _, _| mask(a == b)),
        "pcmpgt" => (2, |[a, b, _], _, width| mask(signed(a, width) > signed(b, width))),
        "pcmp" => {
            (2, |[a, b, _], imm, width| compare(imm, signed(a, width).cmp(&signed(b, width))))
        }
        "pcmpu" => (2, |[a, b, _], imm, _| compare(imm, a.cmp(&b))),
        "ptestm" => (2, |[a, b, _], _, _| mask(a & b != 0)),
        "ptestnm" => (2, |[a, b, _], _, _| mask(a & b == 0)),
        "psllv" => (2, shift_left),
        "psrlv" => (2, shift_right),
        "psrav" => (2, shift_arithmetic),
        "prol" => (1, |[a, ..], imm, width| rotated(a, imm.into(), width)),
        "pror" => {
            (1, |[a, ..], imm, width| rotated(a, u64::from(width) * 8 - u64::from(imm), width))
        }
        "pshld" => (2, |[a, b, _], imm, width| match u32::from(imm) % width {
            0 => a,
            by => a << by | b >> (width - by),
        }),
        "prolv" => (2, |[a, b, _], _, width| rotated(a, b, width)),
        "prorv" => {
            (2, |[a, b, _], _, width| rotated(a, u64::from(width) - b % u64::from(width), width))
        }
        _ => return None,
    };
    Some(function)
}

/// A function that takes the lower halves of quadwords.
pub(crate) fn half_function(name: &str) -> Option<Function> {
    match name {
        "pmuludq" => Some(|[a, b, _], _, _| (a & ones(32)) * (b & ones(32))),
        "pmuldq" => Some(|[a, b, _], _, _| signed(a, 32).wrapping_mul(signed(b, 32)) as u64),
        _ => None,
    }
}
