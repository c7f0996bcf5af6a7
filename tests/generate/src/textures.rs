//! Textures: declarations, terms that read them, and texels.

use crate::generator::Generator;
use crate::scope::Form;
use crate::term::{Term, TermKind};
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
            for option in [
                "(kind array)",
                "(kind cube)",
                "(kind cube-array)",
                "(kind volume)",
                "(filter nearest)",
                "(filter linear)",
                "(wrap repeat)",
                "(wrap mirror)",
                "mipmaps",
                "srgb",
            ] {
                let begin = option.get(..5).unwrap_or(option);
                let is_again = parts.iter().any(|part| part.to_string().starts_with(begin));
                let likely = if begin == "(kind" { 15 } else { 40 };
                if !is_again && random.percent(likely) {
                    parts.push(Term::word(option));
                }
            }
            let mipmaps = parts.iter().any(|part| part.to_string() == "mipmaps");
            let kind = |part: &Term| {
                let text = part.to_string();
                TextureKind::from_name(text.strip_prefix("(kind ")?.strip_suffix(')')?)
            };
            let kind = parts.iter().find_map(kind).unwrap_or_default();
            forms.push(Term::syntax(parts));
            self.textures.push((name, mipmaps, kind));
        }
        forms
    }

    /// A value of that type read from a texture, if there is a fitting operation.
    pub(crate) fn of_texture(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.constant || self.textures.is_empty() {
            return None;
        }
        let (texture, mipmaps, of) = self.random.pick(&self.textures).clone();
        let (place, by) = match of {
            TextureKind::Flat => (Type::vec(2), Type::vec(2)),
            TextureKind::Array => (Type::vec(3), Type::vec(2)),
            TextureKind::Cube | TextureKind::Volume => (Type::vec(3), Type::vec(3)),
            TextureKind::CubeArray => (Type::vec(4), Type::vec(3)),
        };
        let name = match ty {
            _ if ty == Type::vec(4) => match self.random.weighted(&[4, 2, 1, 5]) {
                1 => "sample-level",
                2 => "sample-grad",
                3 if self.stage.has_pixels() => "sample",
                _ => "texel",
            },
            _ if ty == Type::of(Scalar::I32, of.axes()) => "texture-size",
            Type::INT => "texture-levels",
            _ => return None,
        };
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
            "sample" if mipmaps => {
                parts.extend(self.at_neighbours(|this| this.values(&[place], size)));
            }
            "sample" => parts.extend(self.values(&[place], size)),
            "sample-level" => parts.extend(self.values(&[place, num], size)),
            "sample-grad" => parts.extend(self.values(&[place, by, by], size)),
            _ => {}
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
