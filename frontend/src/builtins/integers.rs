//! Rows of integers: division, and operations on bits.
//!
//! Bits are counted in a `uint`, converted back to the operand's type. The index of the highest bit is the
//! exponent of the conversion to `num`. The conversion is exact if one bit is set, and cannot round up to the
//! next power of two if the second highest bit is not set.

use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};

use super::recipe::{Operand, Recipe};
use super::row::{
    Example, Meaning, Operands, OperationKind, Placement, Row, Undefined, common, constants,
};
use super::signature::{BIT_FIELD, INTEGERS, SHIFT, UNARY_INTEGER, constructor};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "div",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::Div),
        kind: OperationKind::Exact,
        undefined: Undefined::ByKind(&[
            (Scalar::I32, "(= b 0i)", "the divisor is 0"),
            (Scalar::I32, "(and (= a -2147483648i) (= b -1i))", "the least int by -1"),
            (Scalar::U32, "(= b 0u)", "the divisor is 0"),
        ]),
        placement: Placement::Floating,
        documentation: "The quotient of integers, rounded toward zero. By zero it is `a`; of \
                        the least int by -1, too.",
        example: Example { expression: "(div -7i 2i)", value: "-3i" },
    },
    Row {
        name: "rem",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::Rem),
        kind: OperationKind::Exact,
        undefined: Undefined::ByKind(&[
            (Scalar::I32, "(= b 0i)", "the divisor is 0"),
            (Scalar::I32, "(and (= a -2147483648i) (= b -1i))", "the least int by -1"),
            (Scalar::U32, "(= b 0u)", "the divisor is 0"),
        ]),
        placement: Placement::Floating,
        documentation: "The remainder of `div`, with the sign of `a`. By zero it is 0; of the \
                        least int by -1, too.",
        example: Example { expression: "(rem -7i 2i)", value: "-1i" },
    },
    Row {
        name: "mul-high",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::MulHigh),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The upper 32 bits of the product, which has 64 bits.",
        example: Example { expression: "(mul-high 0x80000000u 6u)", value: "3u" },
    },
    Row {
        name: "bit-and",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::And),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits that all operands have.",
        example: Example { expression: "(bit-and 0b1100u 0b1010u)", value: "0b1000u" },
    },
    Row {
        name: "bit-or",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::Or),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits that any operand has.",
        example: Example { expression: "(bit-or 0b1100u 0b1010u)", value: "0b1110u" },
    },
    Row {
        name: "bit-xor",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: INTEGERS,
        meaning: Meaning::Fold(Op::Xor),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits that an odd number of the operands have.",
        example: Example { expression: "(bit-xor 0b1100u 0b1010u)", value: "0b0110u" },
    },
    Row {
        name: "bit-not",
        aliases: &[],
        operands: Operands::Exactly(&["a"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::Fold(Op::Not),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits that the operand does not have.",
        example: Example { expression: "(bit-not 0i)", value: "-1i" },
    },
    Row {
        name: "shift-left",
        aliases: &[],
        operands: Operands::Exactly(&["a", "n"]),
        signature: SHIFT,
        meaning: Meaning::Recipe(|operands, result| shift(Op::ShiftLeft, operands, result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Where("(> (uint n) 31u)", "a count that is not 0 to 31"),
        placement: Placement::Floating,
        documentation: "The bits moved `n` places to the left, `n` taken modulo 32; zeros come \
                        in. `n` is a uint or of the scalar type of `a`, and a scalar or of the \
                        size of `a`.",
        example: Example { expression: "(shift-left (uvec2 1u 3u) 4u)", value: "(uvec2 16u 48u)" },
    },
    Row {
        name: "shift-right",
        aliases: &[],
        operands: Operands::Exactly(&["a", "n"]),
        signature: SHIFT,
        meaning: Meaning::Recipe(|operands, result| shift(Op::ShiftRight, operands, result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Where("(> (uint n) 31u)", "a count that is not 0 to 31"),
        placement: Placement::Floating,
        documentation: "The bits moved `n` places to the right, `n` taken modulo 32. Of uints, \
                        zeros come in; of ints, copies of the sign bit. `n` is a uint or of \
                        the scalar type of `a`, and a scalar or of the size of `a`.",
        example: Example { expression: "(shift-right -5i 1u)", value: "-3i" },
    },
    Row {
        name: "count-ones",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(count_ones),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How many bits are 1.",
        example: Example { expression: "(count-ones 0xf0f0u)", value: "8u" },
    },
    Row {
        name: "leading-zeros",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(leading_zeros),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How many bits above the highest 1 are 0; of 0 it is 32.",
        example: Example { expression: "(leading-zeros 1i)", value: "31i" },
    },
    Row {
        name: "trailing-zeros",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(trailing_zeros),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How many bits below the lowest 1 are 0; of 0 it is 32.",
        example: Example { expression: "(trailing-zeros 24u)", value: "3u" },
    },
    Row {
        name: "reverse-bits",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(reverse_bits),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The bits in reverse order.",
        example: Example { expression: "(reverse-bits 1u)", value: "0x80000000u" },
    },
    Row {
        name: "first-leading-bit",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(first_leading_bit),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Of a uint, the place of the highest 1, from 0; of an int, that of the \
                        highest bit that differs from the sign bit. Where there is none, all \
                        bits are 1.",
        example: Example { expression: "(first-leading-bit -6i)", value: "2i" },
    },
    Row {
        name: "first-trailing-bit",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY_INTEGER,
        meaning: Meaning::ExpansionFor(first_trailing_bit),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The place of the lowest 1, from 0. Of 0, all bits are 1.",
        example: Example { expression: "(first-trailing-bit 24u)", value: "3u" },
    },
    Row {
        name: "extract-bits",
        aliases: &[],
        operands: Operands::Exactly(&["e", "offset", "count"]),
        signature: BIT_FIELD,
        meaning: Meaning::ExpansionFor(extract_bits),
        kind: OperationKind::Expanded,
        undefined: Undefined::WhereWhole(
            "(> (+ (min (uint offset) 33u) (min (uint count) 33u)) 32u)",
            "offset + count above 32",
        ),
        placement: Placement::Floating,
        documentation: "The `count` bits of `e` from place `offset` on, as the lowest bits of \
                        the result; of ints, the rest are copies of the highest of them. \
                        `offset` and `count` are clamped so that they stay within 32 bits; no \
                        bits are 0.",
        example: Example { expression: "(extract-bits 0xabcdu 4u 8u)", value: "0xbcu" },
    },
    Row {
        name: "insert-bits",
        aliases: &[],
        operands: Operands::Exactly(&["e", "new", "offset", "count"]),
        signature: BIT_FIELD,
        meaning: Meaning::ExpansionFor(insert_bits),
        kind: OperationKind::Expanded,
        undefined: Undefined::WhereWhole(
            "(> (+ (min (uint offset) 33u) (min (uint count) 33u)) 32u)",
            "offset + count above 32",
        ),
        placement: Placement::Floating,
        documentation: "`e` with the lowest `count` bits of `new` in place of its own from \
                        place `offset` on. `offset` and `count` are clamped so that they stay \
                        within 32 bits.",
        example: Example { expression: "(insert-bits 0xffffu 0u 4u 8u)", value: "0xf00fu" },
    },
];

fn shift(op: Op, operands: &[Operand], result: Type) -> Recipe {
    match operands[1].ty.scalar() {
        Some(Scalar::U32) => Recipe::Broadcast(op, result.width().unwrap_or(1)),
        _ => {
            let name = if op == Op::ShiftLeft { "shift-left" } else { "shift-right" };
            Recipe::Expansion(format!("(func (a n) ({name} a (uint n)))"))
        }
    }
}

/// The conversion to the scalar type of the first operand, and the suffix of its literals.
fn kind(types: &[Type]) -> (&'static str, char) {
    match types[0].scalar() {
        Some(Scalar::I32) => ("int", 'i'),
        _ => ("uint", 'u'),
    }
}

fn count_ones(types: &[Type]) -> String {
    let (to, _) = kind(types);
    format!(
        "(let* ((u (uint e))
                (a (- u (bit-and (shift-right u 1u) 0x55555555u)))
                (b (+ (bit-and a 0x33333333u) (bit-and (shift-right a 2u) 0x33333333u)))
                (c (bit-and (+ b (shift-right b 4u)) 0x0f0f0f0fu)))
           ({to} (shift-right (* c 0x01010101u) 24u)))"
    )
}

fn leading_zeros(types: &[Type]) -> String {
    let (to, _) = kind(types);
    format!(
        "(let* ((u (uint e)) (high (num (bit-and u (bit-not (shift-right u 1u))))))
           ({to} (min (- 158u (shift-right (bits high) 23u)) 32u)))"
    )
}

fn trailing_zeros(types: &[Type]) -> String {
    let (to, _) = kind(types);
    format!(
        "(let* ((u (uint e)) (low (num (bit-and u (- u)))))
           ({to} (min (- (shift-right (bits low) 23u) 127u) 32u)))"
    )
}

fn reverse_bits(types: &[Type]) -> String {
    let (to, _) = kind(types);
    let steps = [(1, "0x55555555u"), (2, "0x33333333u"), (4, "0x0f0f0f0fu"), (8, "0x00ff00ffu")];
    let mut bindings = String::from("(u0 (uint e))");
    for (k, (n, mask)) in steps.into_iter().enumerate() {
        bindings += &format!(
            " (u{} (bit-or (bit-and (shift-right u{k} {n}u) {mask})
                           (shift-left (bit-and u{k} {mask}) {n}u)))",
            k + 1
        );
    }
    format!("(let* ({bindings}) ({to} (bit-or (shift-right u4 16u) (shift-left u4 16u))))")
}

fn first_leading_bit(types: &[Type]) -> String {
    match types[0].scalar() {
        Some(Scalar::I32) => "(- 31i (leading-zeros (bit-xor e (shift-right e 31u))))".to_owned(),
        _ => "(- 31u (leading-zeros e))".to_owned(),
    }
}

fn first_trailing_bit(types: &[Type]) -> String {
    format!("(- 31{} (leading-zeros (bit-and e (- e))))", kind(types).1)
}

/// The part of the field within 32 bits: offset `o` and count `c`.
const CLAMPED: &str = "(o (min offset 32u)) (c (min count (- 32u o)))";

fn extract_bits(types: &[Type]) -> String {
    let (_, suffix) = kind(types);
    let [zero] = constants(&types[..1], [&format!("0{suffix}")]);
    format!(
        "(let* ({CLAMPED})
           (select (= c 0u) {zero} (shift-right (shift-left e (- 32u o c)) (- 32u c))))"
    )
}

fn insert_bits(types: &[Type]) -> String {
    let (to, _) = kind(types);
    let all = constructor(common(&types[..2]));
    format!(
        "(let* ({CLAMPED} (m ({to} (shift-left (shift-right 0xffffffffu (- 32u c)) o))))
           (select (= c 0u) ({all} e)
                   (bit-or (bit-and ({all} e) (bit-not m)) (bit-and (shift-left ({all} new) o) m))))"
    )
}
