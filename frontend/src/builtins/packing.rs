//! Rows that pack vectors into the bits of a `uint`, and unpack them.
//!
//! Integers are rounded by adding 1.5·2^23, whose neighbours are 1 apart: one `fma` rounds the exact product,
//! and the lowest bits of the sum are those of the integer in two's complement.

use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{pack, unpack};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "pack-unorm4x8",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: pack::<4>(),
        meaning: Meaning::ExpansionFor(|_| pack_unorm(4)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The components of a vec4, clamped from 0 to 1, times 255, to the \
                        nearest integer of 8 bits, ties to even, of a NaN 0; the first is in \
                        the lowest bits.",
        example: Example { expression: "(pack-unorm4x8 (vec4 0 0.5 1 2))", value: "0xffff8000u" },
    },
    Row {
        name: "pack-snorm4x8",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: pack::<4>(),
        meaning: Meaning::ExpansionFor(|_| pack_snorm(4)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The components of a vec4, clamped from -1 to 1, times 127, to the \
                        nearest integer of 8 bits, ties to even, of a NaN 0; the first is in \
                        the lowest bits.",
        example: Example { expression: "(pack-snorm4x8 (vec4 0 0.5 1 -1))", value: "0x817f4000u" },
    },
    Row {
        name: "pack-unorm2x16",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: pack::<2>(),
        meaning: Meaning::ExpansionFor(|_| pack_unorm(2)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The components of a vec2, clamped from 0 to 1, times 65535, to the \
                        nearest integer of 16 bits, ties to even, of a NaN 0; the first is in \
                        the lowest bits.",
        example: Example { expression: "(pack-unorm2x16 (vec2 0.5 1))", value: "0xffff8000u" },
    },
    Row {
        name: "pack-snorm2x16",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: pack::<2>(),
        meaning: Meaning::ExpansionFor(|_| pack_snorm(2)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The components of a vec2, clamped from -1 to 1, times 32767, to the \
                        nearest integer of 16 bits, ties to even, of a NaN 0; the first is in \
                        the lowest bits.",
        example: Example { expression: "(pack-snorm2x16 (vec2 0.5 -1))", value: "0x80014000u" },
    },
    Row {
        name: "pack-half2x16",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: pack::<2>(),
        meaning: Meaning::Expansion(PACK_HALF),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The components of a vec2 as binary16, to nearest, ties to even; too \
                        large ones are infinite, a NaN is 0x7e00. The first is in the lowest \
                        bits.",
        example: Example { expression: "(pack-half2x16 (vec2 1 -0.25))", value: "0xb4003c00u" },
    },
    Row {
        name: "unpack-unorm4x8",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: unpack::<4>(),
        meaning: Meaning::ExpansionFor(|_| unpack_unorm(4)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The 4 integers of 8 bits in a uint, from the lowest bits on, divided \
                        by 255.",
        example: Example { expression: "(unpack-unorm4x8 0xff330000u)", value: "(vec4 0 0 0.2 1)" },
    },
    Row {
        name: "unpack-snorm4x8",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: unpack::<4>(),
        meaning: Meaning::ExpansionFor(|_| unpack_snorm(4)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The 4 signed integers of 8 bits in a uint, from the lowest bits on, \
                        divided by 127, at least -1.",
        example: Example { expression: "(unpack-snorm4x8 0x80817f00u)", value: "(vec4 0 1 -1 -1)" },
    },
    Row {
        name: "unpack-unorm2x16",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: unpack::<2>(),
        meaning: Meaning::ExpansionFor(|_| unpack_unorm(2)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The 2 integers of 16 bits in a uint, from the lowest bits on, divided \
                        by 65535.",
        example: Example { expression: "(unpack-unorm2x16 0x3333ffffu)", value: "(vec2 1 0.2)" },
    },
    Row {
        name: "unpack-snorm2x16",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: unpack::<2>(),
        meaning: Meaning::ExpansionFor(|_| unpack_snorm(2)),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The 2 signed integers of 16 bits in a uint, from the lowest bits on, \
                        divided by 32767, at least -1.",
        example: Example { expression: "(unpack-snorm2x16 0x80007fffu)", value: "(vec2 1 -1)" },
    },
    Row {
        name: "unpack-half2x16",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: unpack::<2>(),
        meaning: Meaning::Expansion(UNPACK_HALF),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The two binary16 in a uint, from the lowest bits on, exactly.",
        example: Example { expression: "(unpack-half2x16 0xb4003c00u)", value: "(vec2 1 -0.25)" },
    },
];

/// Bits per component, for `n` components in 32 bits.
fn bits_of_each(n: u32) -> u32 {
    32 / n
}

/// The text that joins `n` components of the uvec `w` in one uint.
fn joined(n: u32) -> String {
    let bits = bits_of_each(n);
    let rest = (1..n).map(|k| format!(" (shift-left (at w {k}) {}u)", k * bits));
    format!("(bit-or (at w 0){})", rest.collect::<String>())
}

/// The text that joins the clamped components `c` as integers up to `limit`.
fn pack_clamped(n: u32, c: &str, limit: u32) -> String {
    let mask = (1_u64 << bits_of_each(n)) - 1;
    let joined = joined(n);
    format!("(let ((w (bit-and (bits (fma {c} {limit} 12582912)) {mask}u))) {joined})")
}

// `max` and `min` return their second operand only if it is beyond the first, so a NaN becomes 0.
fn pack_unorm(n: u32) -> String {
    pack_clamped(n, "(min (max 0 v) 1)", (1 << bits_of_each(n)) - 1)
}

fn pack_snorm(n: u32) -> String {
    let c = format!("(select (= v v) (clamp v -1 1) (vec{n} 0))");
    pack_clamped(n, &c, (1 << (bits_of_each(n) - 1)) - 1)
}

fn unpack_unorm(n: u32) -> String {
    let bits = bits_of_each(n);
    let limit = (1 << bits) - 1;
    let places: String = (0..n).map(|k| format!(" {}u", k * bits)).collect();
    format!("(/ (num (bit-and (shift-right (uvec{n} u) (uvec{n}{places})) {limit}u)) {limit})")
}

fn unpack_snorm(n: u32) -> String {
    let bits = bits_of_each(n);
    let limit = (1 << (bits - 1)) - 1;
    let places: String = (1..=n).map(|k| format!(" {}u", 32 - k * bits)).collect();
    let at_left = format!("(shift-left (ivec{n} (int u)) (uvec{n}{places}))");
    format!("(max (/ (num (shift-right {at_left} {}u)) {limit}) -1)", 32 - bits)
}

/// A number that is normal as a binary16 loses its last 13 bits, rounded by an addition that carries into the
/// exponent. A smaller number is rounded by adding 1/2, which has the same last place.
const PACK_HALF: &str = "
    (let* ((b (bits v))
           (m (bit-and b 0x7fffffffu))
           (a (from-bits m))
           (rounded (shift-right (+ m 0xfffu (bit-and (shift-right m 13u) 1u)) 13u))
           (usual (min (- rounded 0x1c000u) 0x7c00u))
           (small (- (bits (+ a 0.5)) 0x3f000000u))
           (h (bit-or (select (< a 0.00006103515625) small usual)
                      (bit-and (shift-right b 16u) 0x8000u)))
           (w (select (= v v) h (uvec2 0x7e00u))))
      (bit-or (.x w) (shift-left (.y w) 16u)))";

/// Moves the bits to their places in a binary32 and multiplies by 2^112, since exponents are biased by 112
/// less. The highest exponent is for infinities and NaN.
const UNPACK_HALF: &str = "
    (let* ((w (bit-and (shift-right (uvec2 u) (uvec2 0u 16u)) 0xffffu))
           (m (bit-and w 0x7fffu))
           (b (bit-or (shift-left (bit-and w 0x8000u) 16u) (shift-left m 13u))))
      (select (>= m 0x7c00u)
              (from-bits (bit-or b 0x7f800000u))
              (* (from-bits b) 5192296858534827628530496329220096)))";
