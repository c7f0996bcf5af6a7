//! Texts of samples: reads of texels and arithmetic for the options of a texture (LANGUAGE §12). A text refers to the parameters of
//! the builtin's `func`: `t`, the place `uv`, and an offset `by` or a `reference`.

use crate::mutants::{Mutant, is_active};
use lambdav_core::sampler::{Compare, Filter, Wrap};
use lambdav_core::texture::{Texels, TextureKind, TextureOptions};

use super::cubes;

/// Reads of the texels around a place.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) options: TextureOptions,
    /// Texels are compared with `reference`.
    pub(super) is_compared: bool,
    /// `by` is added to the texels' places.
    pub(super) is_offset: bool,
}

/// The use of the texels around a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// They are mixed, or the nearest one is taken.
    Mixed,
    /// A component of each of the four, or its comparison.
    Gathered(Option<u32>),
}

/// The text of the part of a place that moves from pixel to pixel: no layer.
pub(super) fn moving(kind: TextureKind) -> &'static str {
    match kind {
        TextureKind::Flat | TextureKind::Cube | TextureKind::Volume => "uv",
        TextureKind::Array => "(.xy uv)",
        TextureKind::CubeArray => "(.xyz uv)",
    }
}

/// The text of a value that depends on the level of detail for these moves of the place.
pub(super) fn of_moves(kind: TextureKind, [dx, dy]: [&str; 2], value: &str) -> String {
    match kind {
        TextureKind::Flat | TextureKind::Volume => format!(
            "(let* ((n (num (texture-size t))) (d (* {dx} n)) (e (* {dy} n)))
      {value})"
        ),
        TextureKind::Array => format!(
            "(let* ((n (num (.xy (texture-size t)))) (d (* {dx} n)) (e (* {dy} n)))
      {value})"
        ),
        TextureKind::Cube | TextureKind::CubeArray => {
            cubes::of_moves(moving(kind), [dx, dy], value)
        }
    }
}

/// The level of detail, inside of [`of_moves`].
pub(super) const LEVEL: &str = "(* 0.5 (log2 (max (dot d d) (dot e e))))";

/// The text of a value that depends on the level of detail for the moves to the next pixels.
pub(super) fn by_neighbours(kind: TextureKind, value: &str) -> String {
    let by = moving(kind);
    of_moves(kind, [&format!("(dfdx {by})"), &format!("(dfdy {by})")], value)
}

/// The level of detail with the declared bias.
fn biased(options: TextureOptions, l: &str) -> String {
    match options.bias.get() {
        0.0 => l.to_owned(),
        _ if is_active(Mutant::IgnoredBias) => l.to_owned(),
        bias => format!("(+ {l} {bias})"),
    }
}

/// A level of detail within the declared limits and the levels that there are.
fn existing(options: TextureOptions, l: &str) -> String {
    let limited = match options.limits.filter(|_| !is_active(Mutant::IgnoredLimits)) {
        Some([least, most]) => format!("(min (max {} {l}) {})", least.get(), most.get()),
        None => l.to_owned(),
    };
    format!("(min (max 0 {limited}) (num (- (texture-levels t) 1i)))")
}

/// The text of the level that a sample takes, and of its level of detail before limits.
pub(super) fn queried(options: TextureOptions) -> String {
    let taken = existing(options, "l");
    let taken = match options.filter {
        Filter::Nearest => format!("(round-even {taken})"),
        Filter::Linear => taken,
    };
    let before = if is_active(Mutant::LimitedQuery) { taken.as_str() } else { "l" };
    let value = format!("(let ((l {})) (vec2 {taken} {before}))", biased(options, LEVEL));
    format!("(func (t uv) {})", by_neighbours(options.kind, &value))
}

/// The text that wraps a coordinate into a level of size `n`. (`texel` clamps by itself.)
fn wrapped(wrap: Wrap, place: &str, n: &str) -> String {
    match wrap {
        Wrap::Clamp | Wrap::Border => place.to_owned(),
        Wrap::Repeat => floored_remainder(place, n),
        Wrap::MirrorOnce if !is_active(Mutant::MirroredTwice) => {
            format!("(let ((a {place})) (bit-xor a (shift-right a 31i)))")
        }
        Wrap::Mirror | Wrap::MirrorOnce => {
            let rest = floored_remainder(place, &format!("(* 2i {n})"));
            format!("(let ((m {rest})) {})", folded("m", n))
        }
    }
}

/// The text of a coordinate `m` below 2n in a level of size `n` and its mirror image.
fn folded(m: &str, n: &str) -> String {
    let last = match is_active(Mutant::FarMirror) {
        true => format!("(* 2i {n})"),
        false => format!("(- (* 2i {n}) 1i)"),
    };
    format!("(select (< {m} {n}) {m} (- {last} {m}))")
}

/// `(mod a n)` for n > 0, without the tests of signs that other divisors need. With s the sign of a, 0 or −1,
/// and r the remainder of a xor s, which is not negative, it is r, or n − 1 − r for negative a.
pub(super) fn floored_remainder(a: &str, n: &str) -> String {
    format!(
        "(let* ((a {a}) (s (shift-right a 31i)) (r (rem (bit-xor a s) {n})))
           (+ (bit-xor r s) (bit-and {n} s)))"
    )
}

impl Sample {
    pub(super) fn of(options: TextureOptions) -> Self {
        Self { options, is_compared: false, is_offset: false }
    }

    pub(super) fn compared(options: TextureOptions) -> Self {
        Self { is_compared: true, ..Self::of(options) }
    }

    pub(super) fn offset(options: TextureOptions) -> Self {
        Self { is_offset: true, ..Self::of(options) }
    }

    /// The text of a texel, or of 1 or 0 for its comparison.
    fn read(self, texel: &str) -> String {
        let Some(compare) = self.options.compare.filter(|_| self.is_compared) else {
            return texel.to_owned();
        };
        let (mut a, mut b) = ("reference".to_owned(), format!("(.x {texel})"));
        if is_active(Mutant::SwappedComparison) {
            std::mem::swap(&mut a, &mut b);
        }
        match compare {
            // The operands must be evaluated.
            Compare::Never => format!("(min (max 0 (+ {a} {b})) 0)"),
            Compare::Always => format!("(min (max 1 (+ {a} {b})) 1)"),
            _ => format!("(select ({} {a} {b}) 1 0)", compare.word()),
        }
    }

    /// The text of a sample of this level.
    pub(super) fn of_level(self, level: &str) -> String {
        self.around(level, Use::Mixed)
    }

    /// The text of a component of the four texels around a place, or of their comparisons.
    pub(super) fn gathered(self, component: Option<u32>) -> String {
        let options = TextureOptions { filter: Filter::Linear, ..self.options };
        Self { options, ..self }.around("0i", Use::Gathered(component))
    }

    fn around(self, level: &str, used: Use) -> String {
        match self.options.kind {
            kind @ (TextureKind::Cube | TextureKind::CubeArray) => cubes::of_cube(
                self.options,
                moving(kind),
                level,
                |texel| self.read(texel),
                |texels| self.used(texels, used),
            ),
            TextureKind::Flat | TextureKind::Array | TextureKind::Volume => {
                self.in_plane(level, used)
            }
        }
    }

    /// The texels of a texture that is no cube.
    fn in_plane(self, level: &str, used: Use) -> String {
        let TextureOptions { kind, filter, .. } = self.options;
        let (uv, size) = (moving(kind), format!("(texture-size t {level})"));
        let n = if kind == TextureKind::Array { format!("(.xy {size})") } else { size };
        let by = |k: String| match self.is_offset && !is_active(Mutant::IgnoredOffset) {
            true => format!("(+ {k} by)"),
            false => k,
        };
        if filter == Filter::Nearest {
            let k = by(format!("(int (floor (* {uv} (num n))))"));
            return format!("(let* ((n {n}) (k {k})) {})", self.texel("k", level));
        }
        let axes = kind.wrapped_axes();
        let wrapped = self.repeated(axes);
        let texels = (0..1 << axes).map(|corner: usize| {
            if wrapped.is_some() {
                let part = |axis: usize| {
                    format!(
                        "(.{} {})",
                        ["x", "y", "z"][axis],
                        ["here", "after"][corner >> axis & 1]
                    )
                };
                let parts: Vec<String> = (0..axes).map(part).collect();
                return self.read(&self.at(&format!("(ivec{axes} {})", parts.join(" ")), level));
            }
            let steps: Vec<&str> = (0..axes).map(|axis| ["0i", "1i"][corner >> axis & 1]).collect();
            match corner {
                0 => self.texel("k", level),
                _ => self.texel(&format!("(+ k (ivec{axes} {}))", steps.join(" ")), level),
            }
        });
        format!(
            "(let* ((n {n}) (q (- (* {uv} (num n)) 0.5)) (i (floor q)) (f (- q i)) (k {}) {})
               {})",
            by("(int i)".into()),
            wrapped.as_deref().unwrap_or_default(),
            self.used(texels.collect(), used),
        )
    }

    /// Bindings of `here` and `after`, the coordinates of `k` and of the next texel, where all axes repeat alike. A remainder is one
    /// more than the one before, or 0; after the greatest integer comes the least.
    fn repeated(self, axes: usize) -> Option<String> {
        let wrap = self.options.wrap;
        let count = match wrap[0] {
            Wrap::Repeat => "n",
            Wrap::Mirror => "(* 2i n)",
            _ => return None,
        };
        if wrap[..axes].iter().any(|of| *of != wrap[0]) {
            return None;
        }
        let folded = |m: &str| match wrap[0] {
            Wrap::Mirror => folded(m, "n"),
            _ => m.to_owned(),
        };
        let least = floored_remainder(&format!("(ivec{axes} -2147483648i)"), count);
        let least = if is_active(Mutant::EndlessCoordinates) { "o".to_owned() } else { least };
        Some(format!(
            "(m {}) (o (+ m 1i)) (here {})
             (o (select (eq k (ivec{axes} 2147483647i)) {least} (select (eq o {count}) (ivec{axes} 0i) o))) (after {})",
            floored_remainder("k", count),
            folded("m"),
            folded("o"),
        ))
    }

    /// The text of the texel at these wrapped coordinates.
    fn at(self, place: &str, level: &str) -> String {
        match self.options.kind {
            TextureKind::Array => {
                format!("(texel t (ivec3 {place} (int (round-even (.z uv)))) {level})")
            }
            _ => format!("(texel t {place} {level})"),
        }
    }

    /// The text for these texels: x fastest, then y, then z.
    fn used(self, texels: Vec<String>, used: Use) -> String {
        match used {
            Use::Mixed => {
                let mut mixed = texels;
                for axis in ["x", "y", "z"] {
                    if mixed.len() > 1 {
                        let pairs = mixed.chunks(2);
                        let pair = |of: &[String]| format!("(mix {} {} (.{axis} f))", of[0], of[1]);
                        mixed = pairs.map(pair).collect();
                    }
                }
                mixed.swap_remove(0)
            }
            Use::Gathered(component) => {
                // From the lower left, counterclockwise.
                let mut order = [2, 3, 1, 0];
                if is_active(Mutant::GatheredRows) {
                    order.sort_unstable();
                }
                let part = |k: usize| match component {
                    Some(component) => {
                        format!("(.{} {})", ["x", "y", "z", "w"][component as usize], texels[k])
                    }
                    None => texels[k].clone(),
                };
                let vector = match self.options.texels {
                    Texels::Numbers => "vec4",
                    Texels::Integers => "ivec4",
                    Texels::Unsigned => "uvec4",
                };
                format!("({vector} {})", order.map(part).join(" "))
            }
        }
    }

    /// The text of the texel at this place, a vector of columns, rows and slices that may lie outside.
    fn texel(self, place: &str, level: &str) -> String {
        let TextureOptions { kind, mut wrap, .. } = self.options;
        let axes = kind.wrapped_axes();
        if is_active(Mutant::SharedWrap) {
            wrap = [wrap[0]; 3];
        }
        let wrap = &wrap[..axes];
        let read = |wrapped: &str| self.at(wrapped, level);
        if wrap.iter().all(|of| *of == wrap[0] && *of != Wrap::Border) {
            return self.read(&read(&wrapped(wrap[0], place, "n")));
        }
        let along = |axis: usize| ["x", "y", "z"][axis];
        let parts = wrap.iter().enumerate().map(|(axis, &wrap)| {
            let axis = along(axis);
            wrapped(wrap, &format!("(.{axis} p)"), &format!("(.{axis} n)"))
        });
        let texel = read(&format!("(ivec{axes} {})", parts.collect::<Vec<_>>().join(" ")));
        let first = if is_active(Mutant::WideBorder) { "-1i" } else { "0i" };
        let beyond: Vec<String> = (0..axes)
            .filter(|&axis| wrap[axis] == Wrap::Border)
            .map(along)
            .map(|axis| {
                format!("(or (less (.{axis} p) {first}) (less-eq (.{axis} n) (.{axis} p)))")
            })
            .collect();
        let texel = match &beyond[..] {
            [] => texel,
            [one] => self.bordered(one, &texel),
            all => self.bordered(&format!("(or {})", all.join(" ")), &texel),
        };
        format!("(let ((p {place})) {})", self.read(&texel))
    }

    /// The text of the border's colour, or else of a texel.
    fn bordered(self, is_beyond: &str, texel: &str) -> String {
        let colour = self.options.border.colour().map(|of| of.to_string());
        let colour = match self.options.texels {
            Texels::Numbers => format!("(vec4 {})", colour.join(" ")),
            Texels::Integers => format!("(ivec4 {})", colour.map(|of| of + "i").join(" ")),
            Texels::Unsigned => format!("(uvec4 {})", colour.map(|of| of + "u").join(" ")),
        };
        format!("(select {is_beyond} {colour} {texel})")
    }

    /// The text of a sample at a level of detail, of a texture with levels.
    pub(super) fn at_level(self, l: &str) -> String {
        let clamped = existing(self.options, &biased(self.options, l));
        match self.options.filter {
            Filter::Nearest => {
                format!("(let ((level (int (round-even {clamped})))) {})", self.of_level("level"))
            }
            Filter::Linear => format!(
                "(let* ((c {clamped}) (level (int (floor c))) (next (+ level 1i)))
                 (mix {} {} (fract c)))",
                self.of_level("level"),
                self.of_level("next"),
            ),
        }
    }

    /// The text of a sample at the level of detail for the moves to the next pixels.
    pub(super) fn at_place(self) -> String {
        match self.options.mipmaps {
            true => by_neighbours(self.options.kind, &self.at_level(LEVEL)),
            false => self.of_level("0i"),
        }
    }

    /// The text of a sample at the level of detail `l`.
    pub(super) fn at_detail(self) -> String {
        match self.options.mipmaps {
            true => self.at_level("l"),
            // Only one level; but the operand must be evaluated.
            false => self.of_level("(int l)"),
        }
    }
}
