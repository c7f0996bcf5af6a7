//! Rows of textures. A sample is an expansion, whose text depends on the texture's options. With the device's
//! own samples, `sample-level` is one operation, and `sample`, `sample-grad`, `sample-bias` and `sample-projected` expand to it: the
//! level of detail is computed here. Comparisons, gathers and samples with an offset are reads of texels in any case.

use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op;
use lambdav_core::texture::{Texels, TextureKind, TextureOptions};
use lambdav_core::types::{ResourceKind, Scalar, Type};

use super::recipe::{Operand, Recipe};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::samples::{LEVEL, Sample, by_neighbours, moving, of_moves, queried};
use super::signature::{Mismatch, Signature};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "texel",
        aliases: &[],
        operands: Operands::Between(2, 3, &["t", "p", "level"]),
        signature: Signature {
            takes: "a texture, an ivec2 (an ivec3 where it has planes) and an int",
            check: |operands| {
                is_texture(operands)?;
                if operands[1].ty != Type::of(Scalar::I32, options(operands).kind.axes()) {
                    return Err(Mismatch::Operand(1));
                }
                level(operands, 2)?;
                Ok(Type::of(options(operands).texels.into(), 4))
            },
        },
        meaning: Meaning::Recipe(|operands, _| match operands.len() {
            2 => Recipe::Expansion("(func (t p) (texel t p 0i))".into()),
            _ => Recipe::Direct(Op::Texel),
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The texel of a texture in a column and a row of a level, from 0 and from \
                        the top; without a level, of the largest, which is 0. A third component \
                        is the plane: a layer, a slice, or a face +x, -x, +y, -y, +z, -z of a \
                        cube. All of them are clamped to what there is. A texture of integers has an \
                        ivec4 or a uvec4 there.",
        example: Example { expression: "(texel t (ivec2 7i 0i))", value: "(vec4 1 1 1 1)" },
    },
    Row {
        name: "texture-size",
        aliases: &[],
        operands: Operands::Between(1, 2, &["t", "level"]),
        signature: Signature {
            takes: "a texture and an int",
            check: |operands| {
                is_texture(operands)?;
                level(operands, 1)?;
                Ok(Type::of(Scalar::I32, options(operands).kind.axes()))
            },
        },
        meaning: Meaning::Recipe(|operands, _| match operands.len() {
            1 => Recipe::Expansion("(func (t) (texture-size t 0i))".into()),
            _ => Recipe::Direct(Op::TextureSize),
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The width and the height of a texture, in texels, and the number of its \
                        planes if it has any; of that level, which is clamped, or else of the \
                        largest.",
        example: Example { expression: "(texture-size t)", value: "(ivec2 2i 1i)" },
    },
    Row {
        name: "texture-levels",
        aliases: &[],
        operands: Operands::Exactly(&["t"]),
        signature: Signature {
            takes: "a texture",
            check: |operands| is_texture(operands).map(|()| Type::INT),
        },
        meaning: Meaning::Direct(Op::TextureLevels),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "How many levels a texture has: of one without `mipmaps`, 1.",
        example: Example { expression: "(texture-levels t)", value: "1i" },
    },
    Row {
        name: "sample",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv"]),
        signature: Signature {
            takes: "a texture of nums and a vec2 (a vec3 for an array, a cube or a volume, a vec4 for an array of cubes)",
            check: |operands| {
                is_sampled(operands)?;
                all_are(&operands[1..], place_of(operands))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let options = options(operands);
            Recipe::Expansion(match options {
                TextureOptions { mipmaps: true, kind, .. } => {
                    let by = moving(kind);
                    format!("(func (t uv) (sample-grad t uv (dfdx {by}) (dfdy {by})))")
                }
                TextureOptions { native: true, .. } => "(func (t uv) (sample-level t uv 0))".into(),
                _ => format!("(func (t uv) {})", Sample::of(options).of_level("0i")),
            })
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A texture at a place, from (0, 0) at the upper left to (1, 1); beyond that, \
                        as its declaration says. `nearest` is the texel there, `linear` a mix of \
                        four; with `mipmaps`, of the level of detail where texels are as far \
                        apart as the place moves from pixel to pixel. A cube is sampled in a \
                        direction, without seams; a layer, the last component for arrays, is the \
                        nearest one.",
        example: Example { expression: "(sample t (vec2 0.5 0.5))", value: "(vec4 0.5 0.5 0.5 1)" },
    },
    Row {
        name: "sample-level",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "l"]),
        signature: Signature {
            takes: "a texture of nums, a vec2 (a vec3 for an array, a cube or a volume, a vec4 for an array of cubes) and a num",
            check: |operands| {
                is_sampled(operands)?;
                all_are(&operands[1..2], place_of(operands))?;
                match operands[2].ty {
                    Type::NUM => Ok(Type::vec(4)),
                    _ => Err(Mismatch::Operand(2)),
                }
            },
        },
        meaning: Meaning::Recipe(|operands, _| match options(operands) {
            TextureOptions { native: true, .. } => Recipe::Direct(Op::Sample),
            options => {
                Recipe::Expansion(format!("(func (t uv l) {})", Sample::of(options).at_detail()))
            }
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A texture at a place, of a level of detail, which is clamped to what there \
                        is: 0 is the largest. `nearest` takes the nearest level, ties to even, \
                        `linear` mixes two.",
        example: Example {
            expression: "(sample-level t (vec2 0.25 0.5) 3)",
            value: "(vec4 0 0 0 1)",
        },
    },
    Row {
        name: "sample-grad",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "dx", "dy"]),
        signature: Signature {
            takes: "a texture of nums, a place as for `sample`, and two vec2 (vec3 for a cube or a volume)",
            check: |operands| {
                is_sampled(operands)?;
                all_are(&operands[1..2], place_of(operands))?;
                let by = match options(operands).kind {
                    TextureKind::Flat | TextureKind::Array => Type::vec(2),
                    _ => Type::vec(3),
                };
                match all_are(&operands[2..], by) {
                    Err(Mismatch::Operand(k)) => Err(Mismatch::Operand(k + 1)),
                    other => other,
                }
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let options = options(operands);
            Recipe::Expansion(match options {
                TextureOptions { mipmaps: true, kind, .. } => {
                    let sample = format!("(sample-level t uv {LEVEL})");
                    format!("(func (t uv dx dy) {})", of_moves(kind, ["dx", "dy"], &sample))
                }
                // Only one level; but the operands must be evaluated.
                TextureOptions { native: true, .. } => {
                    "(func (t uv dx dy) (sample-level t uv (min (max 0 (.x (+ dx dy))) 0)))".into()
                }
                _ => {
                    let level = "(int (.x (+ dx dy)))";
                    format!("(func (t uv dx dy) {})", Sample::of(options).of_level(level))
                }
            })
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A texture at a place, of the level of detail where texels are as far apart \
                        as the place moves from pixel to pixel, by `dx` to the right and by `dy` \
                        down.",
        example: Example {
            expression: "(sample-grad t (vec2 1 0) (vec2 1 0) (vec2 0 1))",
            value: "(vec4 1 1 1 1)",
        },
    },
    Row {
        name: "sample-bias",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "bias"]),
        signature: Signature {
            takes: "a texture of nums, a place as for `sample`, and a num",
            check: |operands| {
                is_sampled(operands)?;
                takes(operands, &[place_of(operands), Type::NUM], Type::vec(4))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let options = options(operands);
            Recipe::Expansion(match options {
                TextureOptions { mipmaps: true, kind, .. } => {
                    let level = match is_active(Mutant::IgnoredOperand) {
                        true => LEVEL.to_owned(),
                        false => format!("(+ {LEVEL} bias)"),
                    };
                    let sample = format!("(sample-level t uv {level})");
                    format!("(func (t uv bias) {})", by_neighbours(kind, &sample))
                }
                // Only one level; but the operand must be evaluated.
                TextureOptions { native: true, .. } => {
                    "(func (t uv bias) (sample-level t uv (min (max 0 bias) 0)))".into()
                }
                _ => format!("(func (t uv bias) {})", Sample::of(options).of_level("(int bias)")),
            })
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`sample` with a number added to the level of detail.",
        example: Example {
            expression: "(sample-bias t (vec2 0.5 0.5) 1)",
            value: "(vec4 0.5 0.5 0.5 1)",
        },
    },
    Row {
        name: "sample-offset",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "by"]),
        signature: Signature {
            takes: "a texture of nums that is no cube, a place as for `sample`, and an ivec2 (an ivec3 for a volume)",
            check: |operands| {
                is_sampled(operands)?;
                let axes = options(operands).kind.wrapped_axes() as u8;
                if axes == 0 {
                    return Err(Mismatch::Instead(
                        "a cube has no rows to count in: turn the direction",
                    ));
                }
                takes(operands, &[place_of(operands), Type::of(Scalar::I32, axes)], Type::vec(4))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let text = Sample::offset(options(operands)).at_place();
            Recipe::Expansion(format!("(func (t uv by) {text})"))
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`sample` with the texels so many columns, rows and slices further on, in the \
                        level that is sampled.",
        example: Example {
            expression: "(sample-offset t (vec2 0.25 0.5) (ivec2 1i 0i))",
            value: "(vec4 1 1 1 1)",
        },
    },
    Row {
        name: "sample-projected",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv"]),
        signature: Signature {
            takes: "a texture of nums with one plane and a vec3, or a volume and a vec4",
            check: |operands| {
                is_sampled(operands)?;
                match options(operands).kind {
                    TextureKind::Flat => takes(operands, &[Type::vec(3)], Type::vec(4)),
                    TextureKind::Volume => takes(operands, &[Type::vec(4)], Type::vec(4)),
                    TextureKind::Array | TextureKind::Cube | TextureKind::CubeArray => {
                        Err(Mismatch::Operand(0))
                    }
                }
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let [place, by] = match options(operands).kind {
                TextureKind::Volume => ["(.xyz uv)", "(.w uv)"],
                _ => ["(.xy uv)", "(.z uv)"],
            };
            Recipe::Expansion(match is_active(Mutant::UndividedPlace) {
                true => format!("(func (t uv) (sample t {place}))"),
                false => format!("(func (t uv) (sample t (/ {place} {by})))"),
            })
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`sample` at a place that is divided by its last component.",
        example: Example {
            expression: "(sample-projected t (vec3 1 1 2))",
            value: "(vec4 0.5 0.5 0.5 1)",
        },
    },
    Row {
        name: "sample-compare",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "reference"]),
        signature: Signature {
            takes: "a texture with a comparison, a place as for `sample`, and a num",
            check: |operands| {
                is_compared(operands)?;
                takes(operands, &[place_of(operands), Type::NUM], Type::NUM)
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let text = Sample::compared(options(operands)).at_place();
            Recipe::Expansion(format!("(func (t uv reference) {text})"))
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The part of a place that compares: each texel is 1 where the comparison of its \
                        declaration holds between the reference on the left and the first component of \
                        the texel on the right, and else 0; these are mixed as for `sample`.",
        example: Example { expression: "(sample-compare t (vec2 0.375 0.5) 0.5)", value: "0.25" },
    },
    Row {
        name: "sample-compare-level",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "reference", "l"]),
        signature: Signature {
            takes: "a texture with a comparison, a place as for `sample`, and two nums",
            check: |operands| {
                is_compared(operands)?;
                takes(operands, &[place_of(operands), Type::NUM, Type::NUM], Type::NUM)
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let text = Sample::compared(options(operands)).at_detail();
            Recipe::Expansion(format!("(func (t uv reference l) {text})"))
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "`sample-compare` of a level of detail, as for `sample-level`.",
        example: Example {
            expression: "(sample-compare-level t (vec2 0.5 0.5) 0.5 1)",
            value: "0.5",
        },
    },
    Row {
        name: "gather",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "K"]),
        signature: Signature {
            takes: "a texture that is no volume, a place as for `sample`, and a token of digits below 4",
            check: |operands| {
                is_gathered(operands)?;
                takes(&operands[..2], &[place_of(operands)], Type::NUM)?;
                match operands[2].index {
                    Some(0..4) => Ok(Type::of(options(operands).texels.into(), 4)),
                    found => Err(Mismatch::Index { operand: 2, found, limit: 4 }),
                }
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let text = Sample::of(options(operands)).gathered(operands[2].index);
            Recipe::Expansion(format!("(func (t uv component) {text})"))
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Component K of the four texels that `sample` with `linear` mixes in the \
                        largest level: the lower left one, the lower right one, the upper right one, \
                        the upper left one. A texture of integers has an ivec4 or a uvec4 there.",
        example: Example { expression: "(gather t (vec2 0.5 0.5) 0)", value: "(vec4 0 1 1 0)" },
    },
    Row {
        name: "gather-compare",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "reference"]),
        signature: Signature {
            takes: "a texture with a comparison that is no volume, a place as for `sample`, and a num",
            check: |operands| {
                is_compared(operands)?;
                is_gathered(operands)?;
                takes(operands, &[place_of(operands), Type::NUM], Type::vec(4))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let text = Sample::compared(options(operands)).gathered(None);
            Recipe::Expansion(format!("(func (t uv reference) {text})"))
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The comparisons of the four texels of `gather`, 1 or 0.",
        example: Example {
            expression: "(gather-compare t (vec2 0.5 0.5) 0.5)",
            value: "(vec4 0 1 1 0)",
        },
    },
    Row {
        name: "texture-lod",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv"]),
        signature: Signature {
            takes: "a texture of nums and a vec2 (a vec3 for a cube, an array of cubes or a volume)",
            check: |operands| {
                is_sampled(operands)?;
                let place = match options(operands).kind {
                    TextureKind::Flat | TextureKind::Array => Type::vec(2),
                    TextureKind::Cube | TextureKind::CubeArray | TextureKind::Volume => {
                        Type::vec(3)
                    }
                };
                takes(operands, &[place], Type::vec(2))
            },
        },
        meaning: Meaning::Recipe(|operands, _| Recipe::Expansion(queried(options(operands)))),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The level that `sample` takes at a place, and the level of detail before \
                        limits; the place is without a layer.",
        example: Example {
            expression: "(texture-lod t (vec2 0.5 0.5))",
            value: "(vec2 0 (/ -1 0))",
        },
    },
];

/// Checks that the first operand is a texture.
fn is_texture(operands: &[Operand]) -> Result<(), Mismatch> {
    match operands[0].resource {
        Some(ResourceKind::Texture(_)) => Ok(()),
        _ => Err(Mismatch::Operand(0)),
    }
}

/// Checks that the first operand is a texture of nums.
fn is_sampled(operands: &[Operand]) -> Result<(), Mismatch> {
    match operands[0].resource {
        Some(ResourceKind::Texture(of)) if of.texels == Texels::Numbers => Ok(()),
        _ => Err(Mismatch::Operand(0)),
    }
}

/// Checks that the first operand is a texture with a comparison.
fn is_compared(operands: &[Operand]) -> Result<(), Mismatch> {
    is_sampled(operands)?;
    match options(operands).compare {
        Some(_) => Ok(()),
        None => Err(Mismatch::Instead(
            "declare the texture with `(kind depth)`, or with `(compare less-eq)`",
        )),
    }
}

/// Checks that the first operand is a texture of which four texels lie around a place.
fn is_gathered(operands: &[Operand]) -> Result<(), Mismatch> {
    is_texture(operands)?;
    match options(operands).kind {
        TextureKind::Volume => {
            Err(Mismatch::Instead("of a volume there are eight texels around a place: use `texel`"))
        }
        _ => Ok(()),
    }
}

/// Checks that the operands after the texture have these types.
fn takes(operands: &[Operand], types: &[Type], result: Type) -> Result<Type, Mismatch> {
    match operands[1..].iter().zip(types).position(|(operand, ty)| operand.ty != *ty) {
        None => Ok(result),
        Some(k) => Err(Mismatch::Operand(1 + k)),
    }
}

/// Checks that the operand at this index, if present, is a level.
fn level(operands: &[Operand], index: usize) -> Result<(), Mismatch> {
    match operands.get(index) {
        Some(operand) if operand.ty != Type::INT => Err(Mismatch::Operand(index)),
        _ => Ok(()),
    }
}

/// The options of the texture's declaration.
fn options(operands: &[Operand]) -> TextureOptions {
    match operands[0].resource {
        Some(ResourceKind::Texture(options)) => options,
        _ => TextureOptions::default(),
    }
}

/// Checks that all operands after the texture have this type.
fn all_are(operands: &[Operand], ty: Type) -> Result<Type, Mismatch> {
    match operands.iter().position(|operand| operand.ty != ty) {
        None => Ok(Type::vec(4)),
        Some(k) => Err(Mismatch::Operand(1 + k)),
    }
}

/// The type of the place of a sample: for cubes a direction, and for arrays with a layer.
fn place_of(operands: &[Operand]) -> Type {
    match options(operands).kind {
        TextureKind::Flat => Type::vec(2),
        TextureKind::Array | TextureKind::Cube | TextureKind::Volume => Type::vec(3),
        TextureKind::CubeArray => Type::vec(4),
    }
}
