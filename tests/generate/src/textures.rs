//! Textures: declarations, terms that read them, and texels.

use crate::generator::Generator;
use crate::scope::Form;
use crate::term::{Term, TermKind};
use lambdav_core::texture::{TextureData, TextureOptions};
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::Builtin;
use lambdav_test_support::Random;

/// Sizes of textures: one texel, one row, one column, powers of two, odd levels.
const SIZES: [[u32; 2]; 8] = [[1, 1], [7, 1], [1, 5], [4, 4], [5, 3], [8, 2], [13, 11], [2, 9]];

/// Random texels.
pub(crate) fn texels(random: &mut Random, options: TextureOptions) -> TextureData {
    let size = *random.pick(&SIZES);
    let special = [0.0, -0.0, f32::NAN, f32::INFINITY, 1e-45, -1e30];
    let texels: Vec<[f32; 4]> = (0..size[0] * size[1])
        .map(|_| {
            std::array::from_fn(|_| match random.percent(8) {
                true => *random.pick(&special),
                false => random.below(256) as f32 / 255.0,
            })
        })
        .collect();
    TextureData::new(size, texels.into_iter(), options.mipmaps).expect("it is small")
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
                "(filter nearest)",
                "(filter linear)",
                "(wrap repeat)",
                "(wrap mirror)",
                "mipmaps",
                "srgb",
            ] {
                let begin = option.get(..5).unwrap_or(option);
                let is_again = parts.iter().any(|part| part.to_string().starts_with(begin));
                if !is_again && random.percent(40) {
                    parts.push(Term::word(option));
                }
            }
            let mipmaps = parts.iter().any(|part| part.to_string() == "mipmaps");
            forms.push(Term::syntax(parts));
            self.textures.push((name, mipmaps));
        }
        forms
    }

    /// A value of that type read from a texture, if there is a fitting operation.
    pub(crate) fn of_texture(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.constant || self.textures.is_empty() {
            return None;
        }
        let (texture, mipmaps) = self.random.pick(&self.textures).clone();
        let name = match ty {
            _ if ty == Type::vec(4) => match self.random.weighted(&[4, 2, 1, 5]) {
                1 => "sample-level",
                2 => "sample-grad",
                3 if self.stage.has_pixels() => "sample",
                _ => "texel",
            },
            _ if ty == Type::of(Scalar::I32, 2) => "texture-size",
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
        let (num, pair) = (Type::NUM, Type::vec(2));
        match name {
            "texel" => parts.push(self.place(size / 2)),
            "sample" if mipmaps => {
                parts.extend(self.at_neighbours(|this| this.values(&[pair], size)));
            }
            "sample" => parts.extend(self.values(&[pair], size)),
            "sample-level" => parts.extend(self.values(&[pair, num], size)),
            "sample-grad" => parts.extend(self.values(&[pair; 3], size)),
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
    fn place(&mut self, size: usize) -> Term {
        let pair = Type::of(Scalar::I32, 2);
        let int = Builtin::lookup("int").filter(|_| self.random.percent(60));
        match int.and_then(|int| self.scope.builtin(int, self.random)) {
            Some(int) => {
                let place = self.value(Type::vec(2), size);
                Term::list(TermKind::Value(pair), vec![Term::word(int), place])
            }
            None => self.value(pair, size),
        }
    }
}
