//! Rows of inputs and constants.

use std::f32::consts::{PI, TAU};

use lambdav_core::types::Type;

use super::recipe::Recipe;
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{VALUE, input};
use lambdav_core::graph::StageInput;
use lambdav_core::inputs::Input;

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "frag-coord",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::vec(4))),
        meaning: Meaning::Recipe(|_, _| Recipe::Input(Input::FragCoord)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The position of the pixel: `(x + 0.5, y + 0.5, z, 1/w)`, with the origin \
                        at the upper left; in full-screen rendering z is 0 and w is 1.",
        example: Example { expression: "(frag-coord)", value: "(vec4 0.5 0.5 0 1)" },
    },
    Row {
        name: "resolution",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::vec(2))),
        meaning: Meaning::Recipe(|_, _| Recipe::Input(Input::Resolution)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The size of the image in pixels.",
        example: Example { expression: "(resolution)", value: "(vec2 512 512)" },
    },
    Row {
        name: "time",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::NUM)),
        meaning: Meaning::Recipe(|_, _| Recipe::Input(Input::Time)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The time in seconds, 0 if none is given.",
        example: Example { expression: "(time)", value: "0" },
    },
    Row {
        name: "frame",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::NUM)),
        meaning: Meaning::Recipe(|_, _| Recipe::Input(Input::Frame)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The number of the frame, 0 for a still image.",
        example: Example { expression: "(frame)", value: "0" },
    },
    Row {
        name: "mouse",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::vec(4))),
        meaning: Meaning::Recipe(|_, _| Recipe::Input(Input::Mouse)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The state of the mouse as given, else zero.",
        example: Example { expression: "(mouse)", value: "(vec4 0)" },
    },
    Row {
        name: "vertex-index",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::INT)),
        meaning: Meaning::Recipe(|_, _| Recipe::Stage(StageInput::VertexIndex)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The index of the vertex in its mesh, an `int`, in the vertex stage of a \
                        program that draws triangles.",
        example: Example { expression: "(vertex-index)", value: "0i" },
    },
    Row {
        name: "instance-index",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::INT)),
        meaning: Meaning::Recipe(|_, _| Recipe::Stage(StageInput::InstanceIndex)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The number of the instance, an `int`, in the vertex stage of a program \
                        that draws triangles.",
        example: Example { expression: "(instance-index)", value: "0i" },
    },
    Row {
        name: "primitive-index",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::INT)),
        meaning: Meaning::Recipe(|_, _| Recipe::Stage(StageInput::PrimitiveIndex)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The number of the triangle in its instance, an `int`, in the fragment \
                        stage of a program that draws triangles.",
        example: Example { expression: "(primitive-index)", value: "0i" },
    },
    Row {
        name: "front-facing",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: input(|_| Ok(Type::BOOL)),
        meaning: Meaning::Recipe(|_, _| Recipe::Stage(StageInput::FrontFacing)),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "True on the front of a triangle, in the fragment stage of a program that \
                        draws triangles.",
        example: Example { expression: "(front-facing)", value: "true" },
    },
    Row {
        name: "pi",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: VALUE,
        meaning: Meaning::Constant(PI),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "π, as the nearest binary32 value.",
        example: Example { expression: "pi", value: "3.1415927" },
    },
    Row {
        name: "tau",
        aliases: &[],
        operands: Operands::Exactly(&[]),
        signature: VALUE,
        meaning: Meaning::Constant(TAU),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "2π, as the nearest binary32 value.",
        example: Example { expression: "tau", value: "6.2831855" },
    },
];
