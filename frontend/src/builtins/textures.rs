//! Rows of textures. A sample is an expansion, whose text depends on the texture's options. With the device's
//! own samples, `sample-level` is one operation and the others expand to it: the level of detail is computed
//! here.

use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op;
use lambdav_core::texture::{Filter, TextureOptions, Wrap};
use lambdav_core::types::{ResourceKind, Scalar, Type};

use super::recipe::{Operand, Recipe};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{Mismatch, Signature};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "texel",
        aliases: &[],
        operands: Operands::Between(2, 3, &["t", "p", "level"]),
        signature: Signature {
            takes: "a texture, an ivec2 and an int",
            check: |operands| {
                is_texture(operands)?;
                if operands[1].ty != Type::of(Scalar::I32, 2) {
                    return Err(Mismatch::Operand(1));
                }
                level(operands, 2)?;
                Ok(Type::vec(4))
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
                        the top; without a level, of the largest, which is 0. All of them are \
                        clamped to what there is.",
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
                Ok(Type::of(Scalar::I32, 2))
            },
        },
        meaning: Meaning::Recipe(|operands, _| match operands.len() {
            1 => Recipe::Expansion("(func (t) (texture-size t 0i))".into()),
            _ => Recipe::Direct(Op::TextureSize),
        }),
        kind: OperationKind::Exact,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The width and the height of a texture, in texels; of that level, which is \
                        clamped, or else of the largest.",
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
            takes: "a texture and a vec2",
            check: |operands| {
                is_texture(operands)?;
                all_are(&operands[1..], Type::vec(2))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let options = options(operands);
            Recipe::Expansion(match options {
                TextureOptions { mipmaps: true, .. } => {
                    "(func (t uv) (sample-grad t uv (dfdx uv) (dfdy uv)))".into()
                }
                TextureOptions { native: true, .. } => "(func (t uv) (sample-level t uv 0))".into(),
                _ => format!("(func (t uv) {})", of_level(options, "0i")),
            })
        }),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "A texture at a place, from (0, 0) at the upper left to (1, 1); beyond that, \
                        as its declaration says. `nearest` is the texel there, `linear` a mix of \
                        four; with `mipmaps`, of the level of detail where texels are as far \
                        apart as the place moves from pixel to pixel.",
        example: Example { expression: "(sample t (vec2 0.5 0.5))", value: "(vec4 0.5 0.5 0.5 1)" },
    },
    Row {
        name: "sample-level",
        aliases: &[],
        operands: Operands::Exactly(&["t", "uv", "l"]),
        signature: Signature {
            takes: "a texture, a vec2 and a num",
            check: |operands| {
                is_texture(operands)?;
                all_are(&operands[1..2], Type::vec(2))?;
                match operands[2].ty {
                    Type::NUM => Ok(Type::vec(4)),
                    _ => Err(Mismatch::Operand(2)),
                }
            },
        },
        meaning: Meaning::Recipe(|operands, _| match options(operands) {
            TextureOptions { native: true, .. } => Recipe::Direct(Op::Sample),
            options => Recipe::Expansion(at_level(options)),
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
            takes: "a texture and three vec2",
            check: |operands| {
                is_texture(operands)?;
                all_are(&operands[1..], Type::vec(2))
            },
        },
        meaning: Meaning::Recipe(|operands, _| {
            let options = options(operands);
            Recipe::Expansion(match options {
                TextureOptions { mipmaps: true, .. } => GRAD.into(),
                // Only one level; but the operands must be evaluated.
                TextureOptions { native: true, .. } => {
                    "(func (t uv dx dy) (sample-level t uv (min (max 0 (.x (+ dx dy))) 0)))".into()
                }
                _ => format!("(func (t uv dx dy) {})", of_level(options, "(int (.x (+ dx dy)))")),
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
];

/// Checks that the first operand is a texture.
fn is_texture(operands: &[Operand]) -> Result<(), Mismatch> {
    match operands[0].resource {
        Some(ResourceKind::Texture(_)) => Ok(()),
        _ => Err(Mismatch::Operand(0)),
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

const GRAD: &str = "(func (t uv dx dy)
    (let* ((n (num (texture-size t))) (d (* dx n)) (e (* dy n)))
      (sample-level t uv (* 0.5 (log2 (max (dot d d) (dot e e)))))))";

/// The text that wraps a coordinate into a level of size `n`. (`texel` clamps by itself.)
fn wrapped(wrap: Wrap, place: &str) -> String {
    match wrap {
        Wrap::Clamp => place.to_owned(),
        Wrap::Repeat => floored_remainder(place, "n"),
        Wrap::Mirror => {
            let last = if is_active(Mutant::FarMirror) { "(* 2i n)" } else { "(- (* 2i n) 1i)" };
            let rest = floored_remainder(place, "(* 2i n)");
            format!("(let ((m {rest})) (select (< m n) m (- {last} m)))")
        }
    }
}

/// `(mod a n)` for n > 0, without the tests of signs that other divisors need. With s the sign of a, 0 or −1,
/// and r the remainder of a xor s, which is not negative, it is r, or n − 1 − r for negative a.
pub(super) fn floored_remainder(a: &str, n: &str) -> String {
    format!(
        "(let* ((a {a}) (s (shift-right a 31i)) (r (rem (bit-xor a s) {n})))
           (+ (bit-xor r s) (bit-and {n} s)))"
    )
}

/// The text of a sample at `uv` in this level.
fn of_level(options: TextureOptions, level: &str) -> String {
    let texel = |place: &str| format!("(texel t {} {level})", wrapped(options.wrap, place));
    match options.filter {
        Filter::Nearest => format!(
            "(let* ((n (texture-size t {level})) (k (int (floor (* uv (num n)))))) {})",
            texel("k")
        ),
        Filter::Linear => format!(
            "(let* ((n (texture-size t {level})) (q (- (* uv (num n)) 0.5)) (i (floor q)) (f (- q i)) (k (int i)))
               (mix (mix {} {} (.x f)) (mix {} {} (.x f)) (.y f)))",
            texel("k"),
            texel("(+ k (ivec2 1i 0i))"),
            texel("(+ k (ivec2 0i 1i))"),
            texel("(+ k (ivec2 1i 1i))"),
        ),
    }
}

/// The text of a sample at a level of detail.
fn at_level(options: TextureOptions) -> String {
    if !options.mipmaps {
        // Only one level; but the operand must be evaluated.
        return format!("(func (t uv l) {})", of_level(options, "(int l)"));
    }
    let clamped = "(min (max 0 l) (num (- (texture-levels t) 1i)))";
    match options.filter {
        Filter::Nearest => format!(
            "(func (t uv l) (let ((level (int (round-even {clamped})))) {}))",
            of_level(options, "level")
        ),
        Filter::Linear => format!(
            "(func (t uv l)
               (let* ((c {clamped}) (level (int (floor c))) (next (+ level 1i)))
                 (mix {} {} (fract c))))",
            of_level(options, "level"),
            of_level(options, "next"),
        ),
    }
}
