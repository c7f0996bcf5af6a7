//! Declarations of textures.

use super::{Binding, TopLevel};
use crate::syntax::{ExprId, ExprKind};
use crate::texture_options::{Word, set};
use lambdav_core::source::Span;
use lambdav_core::texture::{Number, Texels, TextureOptions};
use lambdav_core::types::ResourceKind;

const USAGE: &str = "(texture name (kind array|cube|cube-array|volume|depth) (filter nearest|linear) (wrap MODE …) (border clear|black|white) (compare never|less|less-eq|eq|greater|neq|greater-eq|always) (bias NUM) (levels LEAST MOST) (texels num|int|uint) srgb mipmaps)`, where MODE is `clamp|repeat|mirror|mirror-once|border";

impl<'t> TopLevel<'t> {
    /// `(texture name option …)`, without its head.
    pub(super) fn texture(&mut self, span: Span, rest: &'t [ExprId]) {
        let Some((&target, parts)) = rest.split_first() else {
            return self.malformed(span, "`texture` needs a name", USAGE);
        };
        let name_span = self.resolver.tree.get(target).span;
        let Some(name) = self.resolver.identifier(target) else {
            return self.malformed(name_span, "`texture` needs a name", USAGE);
        };
        let mut options = TextureOptions::default();
        let (mut seen, mut is_right, mut wrap) = (Vec::new(), true, None);
        for &part in parts {
            let tree = self.resolver.tree;
            let list = self.resolver.list(part);
            let words: Vec<Word<'_>> = match list {
                Some(words) => words.iter().map(|&word| tree.get(word).into()).collect(),
                None => vec![tree.get(part).into()],
            };
            let expr = tree.get(part);
            let first = words.first().copied();
            let is_again = seen.contains(&first);
            let mut changed = options;
            if set(&mut changed, &words, list.is_some()).is_some() && !is_again {
                if first == Some(Word::Name("wrap")) {
                    wrap = Some((words.len() - 1, expr.span));
                }
                seen.push(first);
                options = changed;
                continue;
            }
            is_right = false;
            if !matches!(expr.kind, ExprKind::Error) {
                let what = match is_again {
                    true => "the texture has this option already",
                    false => "this is no option of a texture",
                };
                self.malformed(expr.span, what, USAGE);
            }
        }
        if let Some((count, at)) = wrap
            && count > 1
            && count != options.kind.wrapped_axes()
            && is_right
        {
            let what = match options.kind.wrapped_axes() {
                0 => "a cube has no edges, so it has no modes for axes".to_owned(),
                axes => format!("a place has {axes} axes here, and these are {count} modes"),
            };
            self.malformed(at, what, USAGE);
            is_right = false;
        }
        let has_levels = options.mipmaps || options.limits.is_some();
        let has_levels = has_levels || options.bias != Number::default();
        if options.texels != Texels::Numbers
            && (options.srgb || has_levels || options.compare.is_some())
        {
            let what = "a texture of integers is not decoded, has one level, and is not compared";
            self.malformed(span, what, USAGE);
            is_right = false;
        }
        if !self.resolver.may_bind(name, name_span) {
            return;
        }
        if !is_right || !self.may_be_set("texture", name, name_span) {
            return self.resolver.bind_global(name, Binding::Error);
        }
        self.add_resource(name, ResourceKind::Texture(options), span);
    }
}
