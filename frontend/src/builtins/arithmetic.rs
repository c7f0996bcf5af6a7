//! Rows of arithmetic: operators, rounding, ranges and interpolation.

use lambdav_core::op::Op;
use lambdav_core::types::{Scalar, Type};

use super::matrices;
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined, constants};
use super::signature::{NUMBERS, NUMERIC, PRODUCT, QUOTIENT, SUM, UNARY, UNARY_NUMBER};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "+",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: SUM,
        meaning: Meaning::Recipe(|operands, result| matrices::sum(Op::Add, operands, result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The sum of two or more operands, from the left; of matrices, \
                        componentwise. Integers wrap modulo 2^32.",
        example: Example { expression: "(+ 1 2 (vec2 3 4))", value: "(vec2 6 7)" },
    },
    Row {
        name: "-",
        aliases: &[],
        operands: Operands::AtLeast(&["a"]),
        signature: SUM,
        meaning: Meaning::Recipe(|operands, result| {
            let op = if operands.len() == 1 { Op::Neg } else { Op::Sub };
            matrices::sum(op, operands, result)
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The negation of one operand, which changes the sign of zeros too; the \
                        difference of two or more, from the left; of matrices, componentwise. Integers wrap modulo 2^32.",
        example: Example { expression: "(- 10 1 2)", value: "7" },
    },
    Row {
        name: "*",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: PRODUCT,
        meaning: Meaning::Recipe(matrices::product),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The product of two or more operands, from the left. Of numbers and vectors \
                        it is componentwise, and integers wrap modulo 2^32; of a matrix and a num, each component is \
                        multiplied; of a matrix and a vector (a column to its right, a row to \
                        its left) or two matrices it is that of linear algebra, each component a \
                        sum of products in index order, from the left.",
        example: Example { expression: "(* (mat2 1 2 3 4) (vec2 10 1))", value: "(vec2 13 24)" },
    },
    Row {
        name: "/",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: QUOTIENT,
        meaning: Meaning::Fold(Op::Div),
        kind: OperationKind::Exact,
        undefined: Undefined::Where("(= b 0)", "the divisor is 0"),
        placement: Placement::Floating,
        documentation: "The quotient. Division by zero gives an infinity, or NaN for zero by \
                        zero.",
        example: Example { expression: "(/ (vec2 1 3) 2)", value: "(vec2 0.5 1.5)" },
    },
    Row {
        name: "mod",
        aliases: &[],
        operands: Operands::Exactly(&["x", "y"]),
        signature: NUMBERS,
        meaning: Meaning::ExpansionFor(modulo),
        kind: OperationKind::Expanded,
        undefined: Undefined::ByKind(&[
            (Scalar::F32, "(= y 0)", "the divisor is 0"),
            (Scalar::I32, "(= y 0i)", "the divisor is 0"),
            (Scalar::I32, "(and (= x -2147483648i) (= y -1i))", "the least int by -1"),
            (Scalar::U32, "(= y 0u)", "the divisor is 0"),
        ]),
        placement: Placement::Floating,
        documentation: "The remainder of a division that rounds down. It has the sign of `y`. Of \
                        nums it is `x - y*floor(x/y)`; of integers, `r + y` where `r = \
                        rem(x,y)` is not 0 and has another sign than `y`, else `r`.",
        example: Example { expression: "(mod -1 3)", value: "2" },
    },
    Row {
        name: "min",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: NUMBERS,
        meaning: Meaning::Fold(Op::Min),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The smallest operand, from the left: `b` where `b < a`, else `a`. So of \
                        a NaN and a number it is the first, and of two zeros too.",
        example: Example { expression: "(min 1 (/ 0 0) 0)", value: "0" },
    },
    Row {
        name: "max",
        aliases: &[],
        operands: Operands::AtLeast(&["a", "b"]),
        signature: NUMBERS,
        meaning: Meaning::Fold(Op::Max),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The largest operand, from the left: `b` where `a < b`, else `a`. So of a \
                        NaN and a number it is the first, and of two zeros too.",
        example: Example { expression: "(max (vec2 1 5) 3)", value: "(vec2 3 5)" },
    },
    Row {
        name: "abs",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY_NUMBER,
        meaning: Meaning::Fold(Op::Abs),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The absolute value: of a num, the sign bit cleared. The least int is its own.",
        example: Example { expression: "(abs -2.5)", value: "2.5" },
    },
    Row {
        name: "sign",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY_NUMBER,
        meaning: Meaning::ExpansionFor(sign),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "1 where `x` is positive, -1 where it is negative, else 0: also for -0 \
                        and NaN.",
        example: Example { expression: "(sign (vec3 -7 0 0.5))", value: "(vec3 -1 0 1)" },
    },
    Row {
        name: "floor",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Fold(Op::Floor),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Rounded toward negative infinity.",
        example: Example { expression: "(floor -1.5)", value: "-2" },
    },
    Row {
        name: "ceil",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Fold(Op::Ceil),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Rounded toward positive infinity.",
        example: Example { expression: "(ceil -1.5)", value: "-1" },
    },
    Row {
        name: "trunc",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Fold(Op::Trunc),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Rounded toward zero.",
        example: Example { expression: "(trunc -1.5)", value: "-1" },
    },
    Row {
        name: "round-even",
        aliases: &["round"],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Fold(Op::RoundEven),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Rounded to the nearest integer, ties to the even one.",
        example: Example { expression: "(round-even (vec2 2.5 3.5))", value: "(vec2 2 4)" },
    },
    Row {
        name: "fract",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(- x (floor x))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The fractional part, `x - floor(x)`. For a tiny negative `x` it rounds \
                        to 1.",
        example: Example { expression: "(fract -0.25)", value: "0.75" },
    },
    Row {
        name: "sqrt",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Fold(Op::Sqrt),
        kind: OperationKind::Exact,
        undefined: Undefined::Where("(< x 0)", "operand below 0"),
        placement: Placement::Floating,
        documentation: "The square root; NaN of a negative number, -0 of -0.",
        example: Example { expression: "(sqrt 9)", value: "3" },
    },
    Row {
        name: "inverse-sqrt",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(/ 1 (sqrt x))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Where("(<= x 0)", "operand at or below 0"),
        placement: Placement::Floating,
        documentation: "`1/sqrt(x)`: two roundings.",
        example: Example { expression: "(inverse-sqrt 4)", value: "0.5" },
    },
    Row {
        name: "radians",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(* x 0.017453292)"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Degrees to radians: the product with the binary32 value nearest to \
                        π/180.",
        example: Example { expression: "(radians 180)", value: "3.1415927" },
    },
    Row {
        name: "degrees",
        aliases: &[],
        operands: Operands::Exactly(&["x"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(* x 57.29578)"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Radians to degrees: the product with the binary32 value nearest to \
                        180/π.",
        example: Example { expression: "(degrees 2)", value: "114.59156" },
    },
    Row {
        name: "mix",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b", "t"]),
        signature: NUMERIC,
        meaning: Meaning::Expansion("(+ (* a (- 1 t)) (* b t))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "From `a` at `t` = 0 to `b` at `t` = 1 along a straight line: `a*(1-t) + \
                        b*t`. `t` is not clamped.",
        example: Example { expression: "(mix 10 20 0.25)", value: "12.5" },
    },
    Row {
        name: "clamp",
        aliases: &[],
        operands: Operands::Exactly(&["x", "lo", "hi"]),
        signature: NUMBERS,
        meaning: Meaning::Expansion("(min (max x lo) hi)"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Where("(> lo hi)", "lo > hi"),
        placement: Placement::Floating,
        documentation: "`x`, but not below `lo` and not above `hi`: `min(max(x,lo),hi)`. A NaN \
                        `x` stays.",
        example: Example { expression: "(clamp 1.5 0 1)", value: "1" },
    },
    Row {
        name: "step",
        aliases: &[],
        operands: Operands::Exactly(&["edge", "x"]),
        signature: NUMERIC,
        meaning: Meaning::ExpansionFor(|types| {
            let [zero, one] = constants(types, ["0", "1"]);
            format!("(select (< x edge) {zero} {one})")
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "0 where `x < edge`, else 1: also for NaN.",
        example: Example { expression: "(step 0.5 (vec2 0.25 0.5))", value: "(vec2 0 1)" },
    },
    Row {
        name: "smooth-step",
        aliases: &[],
        operands: Operands::Exactly(&["e0", "e1", "x"]),
        signature: NUMERIC,
        meaning: Meaning::Expansion(
            "(let ((t (clamp (/ (- x e0) (- e1 e0)) 0 1))) (* (* t t) (- 3 (* 2 t))))",
        ),
        kind: OperationKind::Expanded,
        undefined: Undefined::Where("(>= e0 e1)", "e0 >= e1"),
        placement: Placement::Floating,
        documentation: "From 0 at `e0` to 1 at `e1` along a cubic curve with level ends: \
                        `(t*t)*(3 - 2*t)` for `t = clamp((x-e0)/(e1-e0),0,1)`.",
        example: Example { expression: "(smooth-step 0 4 1)", value: "0.15625" },
    },
];

fn modulo(types: &[Type]) -> String {
    match types[0].scalar() {
        Some(Scalar::F32) => "(- x (* y (floor (/ x y))))",
        Some(Scalar::I32) => {
            "(let ((r (rem x y))) (select (and (!= r 0i) (< (bit-xor r y) 0i)) (+ r y) r))"
        }
        _ => "(rem x y)",
    }
    .to_owned()
}

fn sign(types: &[Type]) -> String {
    let [zero, one, minus_one] = match types[0].scalar() {
        Some(Scalar::F32) => ["0", "1", "-1"],
        Some(Scalar::I32) => ["0i", "1i", "-1i"],
        _ => return "(min x 1u)".to_owned(),
    };
    let [zeros, ones, minus_ones] = constants(types, [zero, one, minus_one]);
    format!("(select (< {zero} x) {ones} (select (< x {zero}) {minus_ones} {zeros}))")
}
