//! Rows of derivatives (LANGUAGE §13).

use lambdav_core::graph::Axis;

use super::recipe::Recipe;
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::UNARY;

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "dfdx",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY,
        meaning: Meaning::Recipe(|_, _| Recipe::Derivative(Axis::X)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How much `e` grows to the right: its value in the odd one of two columns \
                        minus that in the even one, in the same row. It is defined everywhere, \
                        also under an `if` and at the edges of the image.",
        example: Example { expression: "(dfdx (* 3 (frag-coord)))", value: "(vec4 3 0 0 0)" },
    },
    Row {
        name: "dfdy",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY,
        meaning: Meaning::Recipe(|_, _| Recipe::Derivative(Axis::Y)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How much `e` grows downward: its value in the odd one of two rows minus \
                        that in the even one, in the same column.",
        example: Example { expression: "(dfdy (* 3 (frag-coord)))", value: "(vec4 0 3 0 0)" },
    },
    Row {
        name: "fwidth",
        aliases: &[],
        operands: Operands::Exactly(&["e"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(+ (abs (dfdx e)) (abs (dfdy e)))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "By how much `e` differs from pixel to pixel: `abs(dfdx(e))+abs(dfdy(e))`.",
        example: Example { expression: "(fwidth (.x (frag-coord)))", value: "1" },
    },
];

/// The axis of the row with this name.
pub(super) fn axis(name: &str) -> Option<Axis> {
    match name {
        "dfdx" => Some(Axis::X),
        "dfdy" => Some(Axis::Y),
        _ => None,
    }
}
