//! Rows that build vectors and matrices, and take them apart.

use lambdav_core::types::Type;

use super::recipe::{Operand, Recipe};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{
    AT, COLUMN, UPDATE, bvector, ivector, matrix as matrix_of, uvector, vector,
};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "vec2",
        aliases: &[],
        operands: Operands::Between(1, 2, &["x", "y"]),
        signature: vector::<2>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 2 components: from nums and vectors that have 2 components \
                        together, or from one num for all.",
        example: Example { expression: "(vec2 1)", value: "(vec2 1 1)" },
    },
    Row {
        name: "vec3",
        aliases: &[],
        operands: Operands::Between(1, 3, &["x", "y", "z"]),
        signature: vector::<3>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 3 components: from nums and vectors that have 3 components \
                        together, or from one num for all.",
        example: Example { expression: "(vec3 (vec2 1 2) 3)", value: "(vec3 1 2 3)" },
    },
    Row {
        name: "vec4",
        aliases: &[],
        operands: Operands::Between(1, 4, &["x", "y", "z", "w"]),
        signature: vector::<4>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 4 components: from nums and vectors that have 4 components \
                        together, or from one num for all.",
        example: Example {
            expression: "(vec4 (.yx (vec2 1 2)) (vec2 3 4))",
            value: "(vec4 2 1 3 4)",
        },
    },
    Row {
        name: "bvec2",
        aliases: &[],
        operands: Operands::Between(1, 2, &["x", "y"]),
        signature: bvector::<2>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A bvector of 2 components: from bools and bvecs that have 2 components \
                        together, or from one bool for all.",
        example: Example { expression: "(bvec2 (< 1 2) false)", value: "(bvec2 true false)" },
    },
    Row {
        name: "bvec3",
        aliases: &[],
        operands: Operands::Between(1, 3, &["x", "y", "z"]),
        signature: bvector::<3>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A bvector of 3 components: from bools and bvecs that have 3 components \
                        together, or from one bool for all.",
        example: Example { expression: "(bvec3 true)", value: "(bvec3 true true true)" },
    },
    Row {
        name: "bvec4",
        aliases: &[],
        operands: Operands::Between(1, 4, &["x", "y", "z", "w"]),
        signature: bvector::<4>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A bvector of 4 components: from bools and bvecs that have 4 components \
                        together, or from one bool for all.",
        example: Example {
            expression: "(bvec4 (bvec2 true false) (bvec2 false))",
            value: "(bvec4 true false false false)",
        },
    },
    Row {
        name: "ivec2",
        aliases: &[],
        operands: Operands::Between(1, 2, &["x", "y"]),
        signature: ivector::<2>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 2 ints: from ints and ivecs that have 2 components \
                        together, or from one int for all.",
        example: Example { expression: "(ivec2 7i)", value: "(ivec2 7i 7i)" },
    },
    Row {
        name: "ivec3",
        aliases: &[],
        operands: Operands::Between(1, 3, &["x", "y", "z"]),
        signature: ivector::<3>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 3 ints: from ints and ivecs that have 3 components \
                        together, or from one int for all.",
        example: Example { expression: "(ivec3 (ivec2 1i -2i) 3i)", value: "(ivec3 1i -2i 3i)" },
    },
    Row {
        name: "ivec4",
        aliases: &[],
        operands: Operands::Between(1, 4, &["x", "y", "z", "w"]),
        signature: ivector::<4>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 4 ints: from ints and ivecs that have 4 components \
                        together, or from one int for all.",
        example: Example {
            expression: "(ivec4 (.yx (ivec2 1i 2i)) (ivec2 3i 4i))",
            value: "(ivec4 2i 1i 3i 4i)",
        },
    },
    Row {
        name: "uvec2",
        aliases: &[],
        operands: Operands::Between(1, 2, &["x", "y"]),
        signature: uvector::<2>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 2 uints: from uints and uvecs that have 2 components \
                        together, or from one uint for all.",
        example: Example { expression: "(uvec2 7u)", value: "(uvec2 7u 7u)" },
    },
    Row {
        name: "uvec3",
        aliases: &[],
        operands: Operands::Between(1, 3, &["x", "y", "z"]),
        signature: uvector::<3>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 3 uints: from uints and uvecs that have 3 components \
                        together, or from one uint for all.",
        example: Example { expression: "(uvec3 (uvec2 1u 2u) 3u)", value: "(uvec3 1u 2u 3u)" },
    },
    Row {
        name: "uvec4",
        aliases: &[],
        operands: Operands::Between(1, 4, &["x", "y", "z", "w"]),
        signature: uvector::<4>(),
        meaning: Meaning::Recipe(|_, result| Recipe::Flatten(result)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A vector of 4 uints: from uints and uvecs that have 4 components \
                        together, or from one uint for all.",
        example: Example {
            expression: "(uvec4 (.yx (uvec2 1u 2u)) (uvec2 3u 4u))",
            value: "(uvec4 2u 1u 3u 4u)",
        },
    },
    Row {
        name: "mat2",
        aliases: &[],
        operands: Operands::Between(1, 4, &["c0", "c1"]),
        signature: matrix_of::<2>(),
        meaning: Meaning::Recipe(matrix),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A matrix of 2 columns and 2 rows: from its columns as vec2, from 4 nums \
                        column by column, or from one num for the diagonal with zeros elsewhere.",
        example: Example { expression: "(mat2 1 2 3 4)", value: "(mat2 (vec2 1 2) (vec2 3 4))" },
    },
    Row {
        name: "mat3",
        aliases: &[],
        operands: Operands::Between(1, 9, &["c0", "c1", "c2"]),
        signature: matrix_of::<3>(),
        meaning: Meaning::Recipe(matrix),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A matrix of 3 columns and 3 rows: from its columns as vec3, from 9 nums \
                        column by column, or from one num for the diagonal with zeros elsewhere.",
        example: Example { expression: "(mat3 2)", value: "(mat3 2 0 0 0 2 0 0 0 2)" },
    },
    Row {
        name: "mat4",
        aliases: &[],
        operands: Operands::Between(1, 16, &["c0", "c1", "c2", "c3"]),
        signature: matrix_of::<4>(),
        meaning: Meaning::Recipe(matrix),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A matrix of 4 columns and 4 rows: from its columns as vec4, from 16 nums \
                        column by column, or from one num for the diagonal with zeros elsewhere.",
        example: Example {
            expression: "(col (mat4 (vec4 1) (vec4 2) (vec4 3) (vec4 4)) 2)",
            value: "(vec4 3 3 3 3)",
        },
    },
    Row {
        name: "at",
        aliases: &[],
        operands: Operands::Exactly(&["a", "i"]),
        signature: AT,
        meaning: Meaning::Recipe(|operands, _| match operands[0].resource {
            Some(_) => Recipe::Element(operands[1].index),
            None => Recipe::At(operands[1].index),
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Element number `i` of an array or buffer, component of a vector or column \
                        of a matrix, from 0. `i` is an int or uint, which is clamped to where \
                        there are elements, or a literal token of decimal digits below their \
                        number; a buffer's is not known, and clamps that, too.",
        example: Example { expression: "(at (vec3 5 6 7) 2)", value: "7" },
    },
    Row {
        name: "update",
        aliases: &[],
        operands: Operands::Exactly(&["a", "i", "e"]),
        signature: UPDATE,
        meaning: Meaning::Recipe(|operands, _| Recipe::Update(operands[1].index)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The array or vector `a` with `e` as its element `i`, which is an index as \
                        for `at`.",
        example: Example { expression: "(update (vec3 5 6 7) 1i 9)", value: "(vec3 5 9 7)" },
    },
    Row {
        name: "col",
        aliases: &[],
        operands: Operands::Exactly(&["m", "K"]),
        signature: COLUMN,
        meaning: Meaning::Recipe(|operands, _| Recipe::Column(index(operands))),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Column number `K` of a matrix, from 0; `K` is a literal token of decimal \
                        digits.",
        example: Example { expression: "(col (mat2 1 2 3 4) 1)", value: "(vec2 3 4)" },
    },
];

fn matrix(operands: &[Operand], result: Type) -> Recipe {
    if operands.len() == 1 { Recipe::Diagonal(result) } else { Recipe::Flatten(result) }
}

fn index(operands: &[Operand]) -> u8 {
    let index = operands[1].index.expect("the signature accepts nothing but an index");
    u8::try_from(index).expect("the signature accepts indices below 4 only")
}
