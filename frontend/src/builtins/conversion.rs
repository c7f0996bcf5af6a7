//! Rows of conversion between kinds of numbers, and of the parts of a num.

use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};

use super::recipe::{Operand, Recipe};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{
    BITS, EXPONENT, FROM_BITS, NUMERIC, SCALED, UNARY, constructor, conversion, convert, of_width,
};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "int",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: conversion(|operands| convert(operands, Scalar::I32)),
        meaning: Meaning::Recipe(converted),
        kind: OperationKind::Exact,
        undefined: Undefined::ByKind(&[(
            Scalar::F32,
            "(not (and (>= e -2147483648) (< e 2147483648)))",
            "NaN, or out of range",
        )]),
        placement: Placement::Floating,
        documentation: "Conversion to int, componentwise. Of nums toward zero, beyond the \
                        limits of an int to the nearer one, of a NaN 0. Of uints it is the int \
                        with the same bits; of bools 0 or 1.",
        example: Example {
            expression: "(int (vec3 -1.9 3e9 2.5))",
            value: "(ivec3 -1i 2147483647i 2i)",
        },
    },
    Row {
        name: "uint",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: conversion(|operands| convert(operands, Scalar::U32)),
        meaning: Meaning::Recipe(converted),
        kind: OperationKind::Exact,
        undefined: Undefined::ByKind(&[(
            Scalar::F32,
            "(not (and (> e -1) (< e 4294967296)))",
            "NaN, or out of range",
        )]),
        placement: Placement::Floating,
        documentation: "Conversion to uint, componentwise. Of nums toward zero, beyond the \
                        limits of a uint to the nearer one, of a NaN 0. Of ints it is the uint \
                        with the same bits; of bools 0 or 1.",
        example: Example { expression: "(uint (ivec2 -1i 1i))", value: "(uvec2 0xffffffffu 1u)" },
    },
    Row {
        name: "num",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: conversion(|operands| convert(operands, Scalar::F32)),
        meaning: Meaning::Recipe(converted),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Conversion to num, componentwise: the nearest, ties to even; of bools \
                        0 or 1.",
        example: Example { expression: "(num (ivec2 -3i 16777217i))", value: "(vec2 -3 16777216)" },
    },
    Row {
        name: "bool",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: conversion(|operands| convert(operands, Scalar::Bool)),
        meaning: Meaning::Recipe(converted),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Conversion to bool, componentwise: whether it is not 0. A NaN is not.",
        example: Example { expression: "(bool (ivec2 0i 2i))", value: "(bvec2 false true)" },
    },
    Row {
        name: "bits",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: BITS,
        meaning: Meaning::Direct(Op::Bits),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits of a binary32, componentwise; of any NaN 0x7fc00000.",
        example: Example { expression: "(bits -1)", value: "0xbf800000u" },
    },
    Row {
        name: "from-bits",
        aliases: &[],
        operands: Operands::Exactly(&["u"]),
        signature: FROM_BITS,
        meaning: Meaning::Direct(Op::FromBits),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The binary32 with these bits, componentwise.",
        example: Example { expression: "(from-bits 0x40490fdbu)", value: "3.1415927" },
    },
    Row {
        name: "fma",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b", "c"]),
        signature: NUMERIC,
        meaning: Meaning::Recipe(|_, result| {
            Recipe::Broadcast(Op::Fma, result.width().unwrap_or(1))
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`a*b+c` rounded once, on every machine.",
        example: Example { expression: "(fma 16777215 16777215 -281474943156224)", value: "1" },
    },
    Row {
        name: "ldexp",
        aliases: &[],
        operands: Operands::Exactly(&["x", "n"]),
        signature: SCALED,
        meaning: Meaning::Expansion(LDEXP),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`x` times 2 to the power of `n`, rounded once.",
        example: Example { expression: "(ldexp 3 -2i)", value: "0.75" },
    },
    Row {
        name: "exponent",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: EXPONENT,
        meaning: Meaning::ExpansionFor(exponent),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The `n` for which `x` is `significand(x)` times 2 to the power of `n`; \
                        of zero, infinities and NaN 0.",
        example: Example { expression: "(exponent 12)", value: "4i" },
    },
    Row {
        name: "significand",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Expansion(SIGNIFICAND),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`x` scaled by a power of two so that its absolute value is at least \
                        1/2 and less than 1; of zero, infinities and NaN, `x`.",
        example: Example { expression: "(significand -12)", value: "-0.75" },
    },
];

/// A conversion; a value of the result's type stays as it is.
fn converted(operands: &[Operand], result: Type) -> Recipe {
    match result.scalar() {
        Some(to) if operands[0].ty != result => Recipe::Direct(Op::Convert(to)),
        _ => Recipe::Expansion("(func (e) e)".to_owned()),
    }
}

/// The significand times two powers of two, each of half the exponent. The first product is exact and normal,
/// so only the second rounds. Exponents beyond ±250 may be clamped: the result is zero or infinite anyway.
const LDEXP: &str = "
    (let* ((k (clamp (+ (clamp n -600i 600i) (exponent x)) -250i 250i))
           (h (shift-right k 1u))
           (first (from-bits (uint (shift-left (+ h 127i) 23u))))
           (second (from-bits (uint (shift-left (+ (- k h) 127i) 23u)))))
      (* (* (significand x) first) second))";

/// A subnormal number is first made normal, exactly.
const SIGNIFICAND: &str = "
    (let* ((b (bits (select (< (abs x) 1.1754944e-38) (* x 33554432) x)))
           (field (bit-and b 0x7f800000u)))
      (select (or (= field 0u) (= field 0x7f800000u))
              x
              (from-bits (bit-or (bit-and b 0x807fffffu) 0x3f000000u))))";

fn exponent(types: &[Type]) -> String {
    let ints = of_width(types[0], Scalar::I32).map_or("int", constructor);
    format!(
        "(let* ((small (< (abs x) 1.1754944e-38))
                (b (bits (select small (* x 33554432) x)))
                (field (int (bit-and (shift-right b 23u) 0xffu))))
           (select (or (= field 0i) (= field 255i))
                   ({ints} 0i)
                   (- field (select small ({ints} 151i) ({ints} 126i)))))"
    )
}
