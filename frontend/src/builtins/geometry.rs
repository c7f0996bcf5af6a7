//! Rows of vector geometry.

use lambdav_core::types::{Type, TypeKind};

use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{CROSS, DOT, EQUAL, EQUAL_TO_NUM, MEASURE, REFRACT, UNARY, constructor};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "dot",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: DOT,
        meaning: Meaning::ExpansionFor(dot),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The scalar product: the sum of the products of the components, in their \
                        order, from the left.",
        example: Example { expression: "(dot (vec3 1 2 3) (vec3 4 5 6))", value: "32" },
    },
    Row {
        name: "length",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: MEASURE,
        meaning: Meaning::ExpansionFor(length),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The Euclidean length, `sqrt(dot(v,v))`; of a num, the absolute value.",
        example: Example { expression: "(length (vec2 3 4))", value: "5" },
    },
    Row {
        name: "distance",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: EQUAL_TO_NUM,
        meaning: Meaning::Expansion("(length (- a b))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The Euclidean distance of two points: `length(a-b)`.",
        example: Example { expression: "(distance (vec2 1 1) (vec2 4 5))", value: "5" },
    },
    Row {
        name: "normalize",
        aliases: &[],
        operands: Operands::Exactly(&["v"]),
        signature: UNARY,
        meaning: Meaning::Expansion("(/ v (length v))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::WhereWhole("(= (length v) 0)", "a length of 0"),
        placement: Placement::Floating,
        documentation: "The vector of length 1 in the direction of `v`: each component divided \
                        by `length(v)`. Of a zero vector, all components are NaN.",
        example: Example { expression: "(normalize (vec2 0 4))", value: "(vec2 0 1)" },
    },
    Row {
        name: "cross",
        aliases: &[],
        operands: Operands::Exactly(&["a", "b"]),
        signature: CROSS,
        meaning: Meaning::Expansion(
            "(vec3 (- (* (.y a) (.z b)) (* (.z a) (.y b))) \
                   (- (* (.z a) (.x b)) (* (.x a) (.z b))) \
                   (- (* (.x a) (.y b)) (* (.y a) (.x b))))",
        ),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The vector product of two vec3.",
        example: Example { expression: "(cross (vec3 1 0 0) (vec3 0 1 0))", value: "(vec3 0 0 1)" },
    },
    Row {
        name: "reflect",
        aliases: &[],
        operands: Operands::Exactly(&["i", "n"]),
        signature: EQUAL,
        meaning: Meaning::Expansion("(- i (* n (* 2 (dot n i))))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The direction of a ray `i` after a mirror with the unit normal `n`: `i - \
                        n*(2*dot(n,i))`.",
        example: Example { expression: "(reflect (vec2 1 -1) (vec2 0 1))", value: "(vec2 1 1)" },
    },
    Row {
        name: "refract",
        aliases: &[],
        operands: Operands::Exactly(&["i", "n", "eta"]),
        signature: REFRACT,
        meaning: Meaning::ExpansionFor(|types| {
            let zero = match types[0] {
                Type::NUM => "0".to_owned(),
                vector => format!("({} 0)", constructor(vector)),
            };
            format!(
                "(let* ((d (dot n i)) \
                        (k (- 1 (* (* eta eta) (- 1 (* d d)))))) \
                   (select (< k 0) {zero} (- (* i eta) (* n (+ (* eta d) (sqrt k))))))"
            )
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The direction of a ray of unit direction `i` behind a surface with the \
                        unit normal `n`, for the ratio `eta` of the indices of refraction; zero \
                        where all light is reflected.",
        example: Example {
            expression: "(refract (vec2 0 -1) (vec2 0 1) 0.5)",
            value: "(vec2 0 -1)",
        },
    },
    Row {
        name: "face-forward",
        aliases: &[],
        operands: Operands::Exactly(&["n", "i", "nref"]),
        signature: EQUAL,
        meaning: Meaning::Expansion("(select (< (dot nref i) 0) n (- n))"),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`n` where `dot(nref,i) < 0`, else `-n`: the normal turned against the \
                        ray `i`.",
        example: Example {
            expression: "(face-forward (vec2 0 1) (vec2 0 1) (vec2 0 1))",
            value: "(vec2 -0 -1)",
        },
    },
];

/// `((a.x*b.x + a.y*b.y) + a.z*b.z) + a.w*b.w`, with a term for each component.
fn dot(types: &[Type]) -> String {
    let Some(TypeKind::Vector(_, n)) = types[0].builtin() else { return "(* a b)".to_owned() };
    let terms: Vec<String> =
        ["x", "y", "z", "w"][..n.into()].iter().map(|c| format!("(* (.{c} a) (.{c} b))")).collect();
    format!("(+ {})", terms.join(" "))
}

fn length(types: &[Type]) -> String {
    match types[0] {
        Type::NUM => "(abs v)".to_owned(),
        _ => "(sqrt (dot v v))".to_owned(),
    }
}
