//! The options of a texture's declaration (LANGUAGE §12), for the compiler and the source evaluator.

use crate::syntax::{Expr, ExprKind};
use lambdav_core::sampler::{Border, Compare, Filter, Wrap};
use lambdav_core::texture::{Texels, TextureKind, TextureOptions};

/// A part of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Word<'t> {
    Name(&'t str),
    Number(f32),
    Other,
}

impl<'t> From<&'t Expr> for Word<'t> {
    fn from(expr: &'t Expr) -> Self {
        match &expr.kind {
            ExprKind::Identifier(name) => Self::Name(name),
            ExprKind::Number { value, .. } => Self::Number(*value),
            _ => Self::Other,
        }
    }
}

/// Sets the option that these words name; `None` if no option is written so. `is_list`: they stand in parentheses.
pub(crate) fn set(options: &mut TextureOptions, words: &[Word<'_>], is_list: bool) -> Option<()> {
    let (&Word::Name(option), values) = words.split_first()? else { return None };
    let wrap = |word: &Word<'_>| match *word {
        Word::Name(name) => Wrap::from_name(name),
        Word::Number(_) | Word::Other => None,
    };
    match (option, values, is_list) {
        ("kind", [Word::Name("depth")], true) => {
            options.kind = TextureKind::Flat;
            options.compare.get_or_insert_default();
        }
        ("kind", &[Word::Name(kind)], true) => {
            options.kind = TextureKind::from_name(kind).filter(|kind| kind.has_planes())?;
        }
        ("filter", &[Word::Name(filter)], true) => options.filter = Filter::from_name(filter)?,
        ("wrap", [_] | [_, _] | [_, _, _], true) => {
            let wraps: Option<Vec<Wrap>> = values.iter().map(wrap).collect();
            options.wrap = TextureOptions::wraps(&wraps?)?;
        }
        ("border", &[Word::Name(border)], true) => options.border = Border::from_word(border)?,
        ("compare", &[Word::Name(compare)], true) => {
            options.compare = Some(Compare::from_word(compare)?);
        }
        ("bias", &[Word::Number(bias)], true) => options.bias = bias.into(),
        ("levels", &[Word::Number(least), Word::Number(most)], true)
            if 0.0 <= least && least <= most =>
        {
            options.limits = Some([least, most].map(Into::into));
        }
        ("texels", &[Word::Name(texels)], true) => options.texels = Texels::from_name(texels)?,
        ("srgb", [], false) => options.srgb = true,
        ("mipmaps", [], false) => options.mipmaps = true,
        _ => return None,
    }
    Some(())
}
