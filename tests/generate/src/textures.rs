//! Textures: declarations, terms that read them, and texels.

use crate::generator::Generator;
use crate::scope::Form;
use crate::term::{Term, TermKind};
use lambdav_core::sampler::{Border, Compare, Filter, Wrap};
use lambdav_core::texture::{TextureData, TextureKind, TextureOptions};
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::Builtin;
use lambdav_test_support::Random;

/// Sizes of textures: one texel, one row, one column, powers of two, odd levels.
const SIZES: [[u32; 2]; 8] = [[1, 1], [7, 1], [1, 5], [4, 4], [5, 3], [8, 2], [13, 11], [2, 9]];

/// Random texels.
pub(crate) fn texels(random: &mut Random, options: TextureOptions) -> TextureData {
    let [width, height] = *random.pick(&SIZES);
    let side = width.min(height);
    let size = match options.kind {
        TextureKind::Flat => [width, height, 1],
        TextureKind::Array | TextureKind::Volume => [width, height, 1 + random.below(5) as u32],
        TextureKind::Cube => [side, side, 6],
        TextureKind::CubeArray => [side, side, 6 * (1 + random.below(2) as u32)],
    };
    let special = [0.0, -0.0, f32::NAN, f32::INFINITY, 1e-45, -1e30];
    let texels: Vec<[f32; 4]> = (0..size.iter().product())
        .map(|_| {
            std::array::from_fn(|_| match random.percent(8) {
                true => *random.pick(&special),
                false => random.below(256) as f32 / 255.0,
            })
        })
        .collect();
    let data = TextureData::with_planes(options.kind, size, texels.into_iter(), options.mipmaps);
    data.expect("it is small")
}

impl Generator<'_> {
    /// Declares textures and returns the forms.
    pub(crate) fn textures(&mut self) -> Vec<Term> {
        // A copy of the random state: programs without textures do not depend on this function.
        let mut random = self.random.clone();
        let count = random.weighted(&[60, 25, 15]);
        let mut forms = Vec::new();
        for k in 0..count {
            let name = format!("texture{k}");
            let mut parts = vec![Term::word("texture"), Term::word(name.as_str())];
            let mut options = TextureOptions::default();
            for (kind, likely) in
                [("array", 15), ("cube", 15), ("cube-array", 15), ("volume", 15), ("depth", 10)]
            {
                if parts.len() == 2 && random.percent(likely) {
                    parts.push(Term::word(format!("(kind {kind})")));
                    options.kind = TextureKind::from_name(kind).unwrap_or_default();
                    options.compare = (kind == "depth").then(Compare::default);
                }
            }
            let axes = options.kind.wrapped_axes();
            if random.percent(60) {
                let count = if axes > 0 && random.percent(40) { axes } else { 1 };
                let modes = (0..count).map(|_| random.pick(Wrap::ALL).name());
                let modes: Vec<&str> = modes.collect();
                parts.push(Term::word(format!("(wrap {})", modes.join(" "))));
            }
            if random.percent(60) {
                parts.push(Term::word(format!("(filter {})", random.pick(Filter::ALL).name())));
            }
            if random.percent(30) {
                parts.push(Term::word(format!("(border {})", random.pick(Border::ALL).word())));
            }
            if random.percent(30) {
                parts.push(Term::word(format!("(compare {})", random.pick(Compare::ALL).word())));
                options.compare = Some(Compare::default());
            }
            if random.percent(20) {
                let bias = random.below(17) as f32 / 4.0 - 2.0;
                parts.push(Term::word(format!("(bias {bias})")));
            }
            if random.percent(20) {
                let least = random.below(8) as f32 / 4.0;
                let most = least + random.below(8) as f32 / 4.0;
                parts.push(Term::word(format!("(levels {least} {most})")));
            }
            options.mipmaps = random.percent(40);
            if options.mipmaps {
                parts.push(Term::word("mipmaps"));
            }
            if random.percent(40) {
                parts.push(Term::word("srgb"));
            }
            forms.push(Term::syntax(parts));
            self.textures.push((name, options));
        }
        forms
    }

    /// A value of that type read from a texture, if there is a fitting operation.
    pub(crate) fn of_texture(&mut self, ty: Type, size: usize) -> Option<Term> {
        use TextureKind::{Array, Cube, CubeArray, Flat, Volume};
        if self.constant || self.textures.is_empty() {
            return None;
        }
        let (texture, TextureOptions { kind: of, mipmaps, compare, .. }) =
            self.random.pick(&self.textures).clone();
        let (place, by) = match of {
            Flat => (Type::vec(2), Type::vec(2)),
            Array => (Type::vec(3), Type::vec(2)),
            Cube | Volume => (Type::vec(3), Type::vec(3)),
            CubeArray => (Type::vec(4), Type::vec(3)),
        };
        let has_pixels = self.stage.has_pixels();
        let names: &[(&str, u32, bool)] = match ty {
            _ if ty == Type::vec(4) => &[
                ("texel", 4, true),
                ("sample-level", 2, true),
                ("sample-grad", 1, true),
                ("sample", 5, has_pixels),
                ("sample-bias", 2, has_pixels),
                ("sample-offset", 2, has_pixels && of.wrapped_axes() > 0),
                ("sample-projected", 2, has_pixels && matches!(of, Flat | Volume)),
                ("gather", 2, of != Volume),
                ("gather-compare", 3, compare.is_some() && of != Volume),
            ],
            _ if ty == Type::of(Scalar::I32, of.axes()) => &[("texture-size", 1, true)],
            Type::INT => &[("texture-levels", 1, true)],
            Type::NUM if compare.is_some() => {
                &[("sample-compare-level", 1, true), ("sample-compare", 2, has_pixels)]
            }
            _ if ty == Type::vec(2) && has_pixels => &[("texture-lod", 1, true)],
            _ => return None,
        };
        let weights: Vec<u32> =
            names.iter().map(|&(_, likely, fits)| likely * u32::from(fits)).collect();
        let name = names[self.random.weighted(&weights)].0;
        let builtin = Builtin::lookup(name)?;
        let head = Term::word(self.scope.builtin(builtin, self.random)?);
        let kind = TermKind::Value(ty);
        // Through a parameter, which still denotes that texture.
        let func = match self.random.percent(20) {
            true => self.form(Form::Func),
            false => None,
        };
        let called = if func.is_some() { "any-texture" } else { texture.as_str() };
        let mut parts = vec![head, Term::word(called)];
        let num = Type::NUM;
        match name {
            "texel" => parts.push(self.place(of.axes(), size / 2)),
            "sample-level" => parts.extend(self.values(&[place, num], size)),
            "sample-grad" => parts.extend(self.values(&[place, by, by], size)),
            "sample-compare-level" => parts.extend(self.values(&[place, num, num], size)),
            "gather" => {
                parts.extend(self.values(&[place], size));
                parts.push(Term::word(self.random.below(4).to_string()));
            }
            "gather-compare" => parts.extend(self.values(&[place, num], size)),
            "texture-size" | "texture-levels" => {}
            _ => {
                let place = match name {
                    "texture-lod" => by,
                    "sample-projected" if of == Volume => Type::vec(4),
                    "sample-projected" => Type::vec(3),
                    _ => place,
                };
                let more = match name {
                    "sample-bias" | "sample-compare" => vec![num],
                    "sample-offset" => vec![Type::of(Scalar::I32, of.wrapped_axes() as u8)],
                    _ => Vec::new(),
                };
                parts.extend(match mipmaps || name == "texture-lod" {
                    true => self.at_neighbours(|this| this.values(&[place], size / 2)),
                    false => self.values(&[place], size / 2),
                });
                parts.extend(self.values(&more, size / 2));
            }
        }
        if matches!(name, "texel" | "texture-size") && self.random.percent(50) {
            parts.push(match self.random.percent(50) {
                true => {
                    Term::atom(TermKind::Value(Type::INT), self.random.below(4).to_string() + "i")
                }
                false => self.value(Type::INT, size / 3),
            });
        }
        let read = Term::list(kind.clone(), parts);
        let Some(func) = func else { return Some(read) };
        let params = Term::syntax(vec![Term::word(called)]);
        let function = Term::syntax(vec![Term::word(func), params, read]);
        Some(Term::list(kind, vec![function, Term::word(texture)]))
    }

    /// A texel's place, often inside of the texture.
    fn place(&mut self, axes: u8, size: usize) -> Term {
        let place = Type::of(Scalar::I32, axes);
        let int = Builtin::lookup("int").filter(|_| self.random.percent(60));
        match int.and_then(|int| self.scope.builtin(int, self.random)) {
            Some(int) => {
                let of = self.value(Type::vec(axes), size);
                Term::list(TermKind::Value(place), vec![Term::word(int), of])
            }
            None => self.value(place, size),
        }
    }
}
