//! Rows of textures. A sample is an expansion, whose text depends on the texture's options. With the device's
//! own samples, `sample-level` is one operation and the others expand to it: the level of detail is computed
//! here.

use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op;
use lambdav_core::texture::{Filter, Texels, TextureKind, TextureOptions, Wrap};
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
                    let by = moving(kind, "uv");
                    format!("(func (t uv) (sample-grad t uv (dfdx {by}) (dfdy {by})))")
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
                TextureOptions { mipmaps: true, kind, .. } => grad(kind),
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

/// Checks that the first operand is a texture of nums.
fn is_sampled(operands: &[Operand]) -> Result<(), Mismatch> {
    match operands[0].resource {
        Some(ResourceKind::Texture(of)) if of.texels == Texels::Numbers => Ok(()),
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

/// The type of the place of a sample: for cubes a direction, and for arrays with a layer.
fn place_of(operands: &[Operand]) -> Type {
    match options(operands).kind {
        TextureKind::Flat => Type::vec(2),
        TextureKind::Array | TextureKind::Cube | TextureKind::Volume => Type::vec(3),
        TextureKind::CubeArray => Type::vec(4),
    }
}

/// The text of the part of a place that moves from pixel to pixel: no layer.
fn moving(kind: TextureKind, place: &str) -> String {
    match kind {
        TextureKind::Flat | TextureKind::Cube | TextureKind::Volume => place.to_owned(),
        TextureKind::Array => format!("(.xy {place})"),
        TextureKind::CubeArray => format!("(.xyz {place})"),
    }
}

/// The text of a sample of the level that moves of the place say.
fn grad(kind: TextureKind) -> String {
    let level = "(sample-level t uv (* 0.5 (log2 (max (dot d d) (dot e e)))))";
    match kind {
        TextureKind::Flat => format!(
            "(func (t uv dx dy)
    (let* ((n (num (texture-size t))) (d (* dx n)) (e (* dy n)))
      {level}))"
        ),
        TextureKind::Array => format!(
            "(func (t uv dx dy)
    (let* ((n (num (.xy (texture-size t)))) (d (* dx n)) (e (* dy n)))
      {level}))"
        ),
        TextureKind::Volume => format!(
            "(func (t uv dx dy)
    (let* ((n (num (texture-size t))) (d (* dx n)) (e (* dy n)))
      {level}))"
        ),
        TextureKind::Cube | TextureKind::CubeArray => format!(
            "(func (t uv dx dy)
    (let* ((n (num (.xy (texture-size t)))) (v {}) {} (square (* major major))
           (on-face (func (by) (let* ((v by) {})
             (vec2 (* (/ (- (* (.x seen-by) major) (* s (.z seen-by))) square) 0.5)
                   (* (/ (- (* (.y seen-by) major) (* t-on (.z seen-by))) square) 0.5)))))
           (d (* (on-face dx) n)) (e (* (on-face dy) n)))
      {level}))",
            moving(kind, "uv"),
            seen("0").replace("vector-of v", "vec3"),
            format_args!("(seen-by {})", seen_from("v").replace("vector-of v", "vec3")),
        ),
    }
}

/// Bindings for a direction `v`: whether its face is along z, or else y; whether its components are negative; and what is seen
/// from the face: to the right, downwards, and towards it. `zero` is a zero of its components.
fn seen(zero: &str) -> String {
    format!(
        "(size (abs v))
           (along-z (and (less-eq (.x size) (.z size)) (less-eq (.y size) (.z size))))
           (along-y (less-eq (.x size) (.y size)))
           (left (less (.x v) {zero})) (bottom (less (.y v) {zero})) (back (less (.z v) {zero}))
           (seen {}) (s (.x seen)) (t-on (.y seen)) (major (.z seen))",
        seen_from("v")
    )
}

/// The text of what is seen of a vector from the face that `along-z`, `along-y`, `left`, `bottom` and `back` say.
fn seen_from(v: &str) -> String {
    let of = |axis: &str| format!("(.{axis} {v})");
    let minus = |axis: &str| format!("(- (.{axis} {v}))");
    let by_axis =
        |x: String, y: String, z: String| format!("(select along-z {z} (select along-y {y} {x}))");
    let chosen = |is: &str, a: String, b: String| format!("(select {is} {a} {b})");
    let right =
        by_axis(chosen("left", of("z"), minus("z")), of("x"), chosen("back", minus("x"), of("x")));
    let down = by_axis(minus("y"), chosen("bottom", minus("z"), of("z")), minus("y"));
    let towards = by_axis(
        chosen("left", minus("x"), of("x")),
        chosen("bottom", minus("y"), of("y")),
        chosen("back", minus("z"), of("z")),
    );
    format!("(vector-of {v} {right} {down} {towards})")
}

/// The number of the face that [`seen`] has found.
const FACE: &str = "(select along-z (select back 5i 4i)
    (select along-y (select bottom 3i 2i) (select left 1i 0i)))";

/// The text of a sample of a cube in a level.
fn of_cube(options: TextureOptions, level: &str) -> String {
    let first = match options.kind {
        TextureKind::CubeArray => {
            "(* 6i (min (max (int (round-even (.w uv))) 0i) (- (div (.z (texture-size t 0i)) 6i) 1i)))"
        }
        _ => "0i",
    };
    let v = moving(options.kind, "uv");
    let (seen_here, seen_behind) = (seen("0"), seen("0i"));
    let (seen_here, seen_behind) =
        (seen_here.replace("vector-of v", "vec3"), seen_behind.replace("vector-of v", "ivec3"));
    let is = |mutant| if is_active(mutant) { "false" } else { "true" };
    let (seamless, closed) = (is(Mutant::FlatSeam), is(Mutant::OpenCorner));
    let place = "(vec2 (+ (* (/ s major) 0.5) 0.5) (+ (* (/ t-on major) 0.5) 0.5))";
    let head = format!(
        "(let* ((v {v}) {seen_here} (face {FACE}) (first {first}) (place {place})
           (count (.x (texture-size t {level})))"
    );
    match options.filter {
        Filter::Nearest => format!(
            "{head} (k (int (floor (* place (num (ivec2 count)))))))
           (texel t (ivec3 k (+ first face)) {level}))"
        ),
        Filter::Linear => format!(
            "{head} (last (- count 1i)) (q (- (* place (num (ivec2 count))) 0.5)) (i (floor q)) (f (- q i)) (k (min (max (int i) -1i) (ivec2 last)))
           (beyond (func (at) (or (less at 0i) (less-eq count at))))
           (fold (func (at) (select (beyond at) (select (less at 0i) (- count) count) (- (+ at at) last))))
           (behind (func (x y)
             (let* ((a (fold x)) (b (fold y))
                    (v (ivec3
                      (select (eq face 0i) last (select (eq face 1i) (- last) (select (eq face 5i) (- a) a)))
                      (select (eq face 2i) last (select (eq face 3i) (- last) (- b)))
                      (select (eq face 4i) last (select (eq face 5i) (- last)
                        (select (eq face 0i) (- a) (select (eq face 1i) a (select (eq face 2i) b (- b))))))))
                    {seen_behind})
               (ivec3 (shift-right (+ s last) 1i) (shift-right (+ t-on last) 1i) (+ first {FACE})))))
           (of (func (x y) (texel t (if (and {seamless} (or (beyond x) (beyond y))) (behind x y) (ivec3 x y (+ first face))) {level})))
           (x (.x k)) (y (.y k)) (right (+ x 1i)) (below (+ y 1i))
           (a (of x y)) (b (of right y)) (c (of x below)) (d (of right below))
           (at-corner (func (x y k l m other)
             (if (and {closed} (and (beyond x) (beyond y))) (/ (+ (+ k l) m) 3) other))))
           (mix (mix (at-corner x y b c d a) (at-corner right y a c d b) (.x f))
                (mix (at-corner x below a b d c) (at-corner right below a b c d) (.x f)) (.y f)))"
        ),
    }
}

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
    let wrapped = |place: &str| wrapped(options.wrap, place);
    match options.kind {
        TextureKind::Flat => {}
        TextureKind::Array => {
            let texel = |place: &str| {
                format!("(texel t (ivec3 {} (int (round-even (.z uv)))) {level})", wrapped(place))
            };
            let n = format!("(n (.xy (texture-size t {level})))");
            return match options.filter {
                Filter::Nearest => format!(
                    "(let* ({n} (k (int (floor (* (.xy uv) (num n)))))) {})",
                    texel("k")
                ),
                Filter::Linear => format!(
                    "(let* ({n} (q (- (* (.xy uv) (num n)) 0.5)) (i (floor q)) (f (- q i)) (k (int i)))
               (mix (mix {} {} (.x f)) (mix {} {} (.x f)) (.y f)))",
                    texel("k"),
                    texel("(+ k (ivec2 1i 0i))"),
                    texel("(+ k (ivec2 0i 1i))"),
                    texel("(+ k (ivec2 1i 1i))"),
                ),
            };
        }
        TextureKind::Volume if options.filter == Filter::Linear => {
            let texel = |by: &str| {
                let place =
                    if by == "0i 0i 0i" { "k".into() } else { format!("(+ k (ivec3 {by}))") };
                format!("(texel t {} {level})", wrapped(&place))
            };
            let plane = |z: &str| {
                let [a, b, c, d] =
                    ["0i 0i", "1i 0i", "0i 1i", "1i 1i"].map(|by| texel(&format!("{by} {z}")));
                format!("(mix (mix {a} {b} (.x f)) (mix {c} {d} (.x f)) (.y f))")
            };
            return format!(
                "(let* ((n (texture-size t {level})) (q (- (* uv (num n)) 0.5)) (i (floor q)) (f (- q i)) (k (int i)))
               (mix {} {} (.z f)))",
                plane("0i"),
                plane("1i"),
            );
        }
        TextureKind::Volume => {}
        TextureKind::Cube | TextureKind::CubeArray => return of_cube(options, level),
    }
    let texel = |place: &str| format!("(texel t {} {level})", wrapped(place));
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
