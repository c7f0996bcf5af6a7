//! Samplers: the filter, the wrap modes and the comparison by which a program reads a texture.
//!
//! A sampler is no data of a program but a part of its meaning: a sample is expanded into ordinary operations for one sampler
//! (docs/textures.md). So engines know texels only. Programs of other languages have a [`Sampler`] for each texture; in λV and core
//! text the options stand in a texture's declaration (`TextureOptions`).

use crate::state::named;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// State of a sampler. The default is linear, clamps to the edge, and takes all levels that an image has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// The filter where the level of detail is at most 0.
    pub mag: Filter,
    /// The filter elsewhere.
    pub min: Filter,
    /// The filter between levels; `None` takes the first level only.
    pub mip: Option<Filter>,
    /// Places beyond the edges, along each axis.
    pub wrap: [Wrap; 3],
    /// The colour beyond the edges where the wrap mode is [`Wrap::Border`].
    pub border: Border,
    /// Added to each level of detail.
    pub bias: f32,
    /// The least and the greatest level of detail; the filter is chosen by what is between them.
    pub levels: [f32; 2],
    /// The comparison of samples that compare.
    pub compare: Compare,
    /// Places are in texels, not in parts of the image.
    pub in_texels: bool,
}

named! {
    /// The weights of the texels around a sampled place.
    Filter {
        /// The nearest texel.
        Nearest = "nearest",
        /// A linear mix of two texels in each direction.
        #[default]
        Linear = "linear",
    }
}

named! {
    /// Places beyond the edges of an image.
    Wrap {
        /// The texels at the edge.
        #[default]
        Clamp = "clamp",
        /// The image, repeated.
        Repeat = "repeat",
        /// The image and its mirror image, alternating.
        Mirror = "mirror",
        /// The mirror image once on each side, and behind it the texels at its edge.
        MirrorOnce = "mirror-once",
        /// A colour.
        Border = "border",
    }
}

named! {
    /// A colour beyond the edges.
    Border {
        /// (0, 0, 0, 0)
        #[default]
        Transparent = "transparent",
        /// (0, 0, 0, 1)
        Black = "black",
        /// (1, 1, 1, 1)
        White = "white",
    }
}

named! {
    /// A comparison of a reference on its left with a texel on its right.
    Compare {
        /// Never true.
        Never = "never",
        /// `<`
        Less = "less",
        /// `=`
        Equal = "equal",
        /// `≤`
        #[default]
        LessEqual = "less-equal",
        /// `>`
        Greater = "greater",
        /// `≠`
        NotEqual = "not-equal",
        /// `≥`
        GreaterEqual = "greater-equal",
        /// Always true.
        Always = "always",
    }
}

impl Wrap {
    /// The modes that every device has, and that need no colour.
    pub const CLOSED: [Self; 3] = [Self::Clamp, Self::Repeat, Self::Mirror];
}

impl Border {
    /// Red, green, blue and alpha.
    pub fn colour(self) -> [f32; 4] {
        match self {
            Self::Transparent => [0.0; 4],
            Self::Black => [0.0, 0.0, 0.0, 1.0],
            Self::White => [1.0; 4],
        }
    }

    /// The word of λV and core text.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transparent => "clear",
            Self::Black | Self::White => self.name(),
        }
    }

    /// The one with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }
}

impl Compare {
    /// The word of λV and core text: the name of the builtin that compares.
    pub fn word(self) -> &'static str {
        match self {
            Self::Equal => "eq",
            Self::LessEqual => "less-eq",
            Self::NotEqual => "neq",
            Self::GreaterEqual => "greater-eq",
            Self::Never | Self::Less | Self::Greater | Self::Always => self.name(),
        }
    }

    /// The one with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }

    /// Whether the comparison holds. With a NaN only `not-equal` and `always` do.
    pub fn holds(self, reference: f32, texel: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < texel,
            Self::Equal => reference == texel,
            Self::LessEqual => reference <= texel,
            Self::Greater => reference > texel,
            Self::NotEqual => reference != texel,
            Self::GreaterEqual => reference >= texel,
            Self::Always => true,
        }
    }
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            mag: Filter::Linear,
            min: Filter::Linear,
            mip: Some(Filter::Linear),
            wrap: [Wrap::Clamp; 3],
            border: Border::default(),
            bias: 0.0,
            levels: [0.0, f32::INFINITY],
            compare: Compare::default(),
            in_texels: false,
        }
    }
}

/// Samplers, textures with levels, and lengths of arrays. Names are those of variables, such as `sky`; `SET.BINDING`; or either with
/// an index, for an element of an array: `sky[2]`, which goes before the array's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageOptions {
    /// Samplers by the name of the sampler, or of the texture that it is combined with. Others are the default.
    pub samplers: BTreeMap<String, Sampler>,
    /// Textures with all levels. Without them a texture has one, except in a program that asks for their number.
    pub mipmaps: BTreeSet<String>,
    /// Numbers of elements of arrays of textures that are declared without a length. Others have one.
    pub lengths: BTreeMap<String, u32>,
}

impl ImageOptions {
    /// The names of a texture or sampler called `own`, at the binding `SET.BINDING`; or of an element of an array of them, the
    /// element's first.
    pub fn names(own: &str, binding: &str, element: Option<u32>) -> Vec<String> {
        let whole = [own.to_owned(), binding.to_owned()];
        let whole = whole.into_iter().filter(|name| !name.is_empty());
        let of =
            element.into_iter().flat_map(|k| whole.clone().map(move |of| format!("{of}[{k}]")));
        of.chain(whole.clone()).collect()
    }

    /// The sampler of the first of these names that has one.
    pub fn sampler(&self, names: &[String]) -> Sampler {
        names.iter().find_map(|name| self.samplers.get(name)).copied().unwrap_or_default()
    }

    /// True without samplers and levels.
    pub fn has_one_level(&self) -> bool {
        self.samplers.is_empty() && self.mipmaps.is_empty()
    }

    /// The number of elements of an array without a length.
    pub fn length(&self, names: &[String]) -> u32 {
        names.iter().find_map(|name| self.lengths.get(name)).map_or(1, |&length| length.max(1))
    }

    /// True if a texture with one of these names has levels.
    pub fn has_levels(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.mipmaps.contains(name))
    }
}

/// An error in an option of a sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerError(String);

impl std::error::Error for SamplerError {}

impl fmt::Display for SamplerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Sampler {
    /// The keys of [`Self::set`].
    pub const KEYS: [&str; 15] = [
        "filter",
        "mag",
        "min",
        "mip",
        "wrap",
        "wrap-u",
        "wrap-v",
        "wrap-w",
        "border",
        "bias",
        "min-level",
        "max-level",
        "compare",
        "coordinates",
        "anisotropy",
    ];

    /// Sets an option by its name. `anisotropy` is checked, and otherwise ignored: one sample is taken.
    ///
    /// # Errors
    ///
    /// An unknown key, or a value that is none of the key's; the message lists what there is.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SamplerError> {
        let one_of = |names: &[&str]| {
            SamplerError(format!("`{key}={value}`: `{key}` is one of {}", names.join(", ")))
        };
        let filter = || Filter::from_name(value).ok_or_else(|| one_of(&["nearest", "linear"]));
        let wrap = || {
            let names: Vec<&str> = Wrap::ALL.iter().map(|wrap| wrap.name()).collect();
            Wrap::from_name(value).ok_or_else(|| one_of(&names))
        };
        let number = |least: f32| {
            let found = value.parse().ok().filter(|number: &f32| *number >= least);
            found.ok_or_else(|| match least {
                0.0 => SamplerError(format!("`{key}={value}`: `{key}` is a number of at least 0")),
                1.0 => SamplerError(format!("`{key}={value}`: `{key}` is a number of at least 1")),
                _ => SamplerError(format!("`{key}={value}`: `{key}` is a number")),
            })
        };
        match key {
            "filter" => (self.mag, self.min) = (filter()?, filter()?),
            "mag" => self.mag = filter()?,
            "min" => self.min = filter()?,
            "mip" if value == "none" => self.mip = None,
            "mip" => {
                let found = Filter::from_name(value);
                self.mip = Some(found.ok_or_else(|| one_of(&["none", "nearest", "linear"]))?);
            }
            "wrap" => self.wrap = [wrap()?; 3],
            "wrap-u" => self.wrap[0] = wrap()?,
            "wrap-v" => self.wrap[1] = wrap()?,
            "wrap-w" => self.wrap[2] = wrap()?,
            "border" => {
                let names: Vec<&str> = Border::ALL.iter().map(|border| border.name()).collect();
                self.border = Border::from_name(value).ok_or_else(|| one_of(&names))?;
            }
            "bias" => self.bias = number(f32::MIN)?,
            "min-level" => self.levels[0] = number(0.0)?,
            "max-level" => self.levels[1] = number(0.0)?,
            "compare" => {
                let names: Vec<&str> = Compare::ALL.iter().map(|compare| compare.name()).collect();
                self.compare = Compare::from_name(value).ok_or_else(|| one_of(&names))?;
            }
            "coordinates" => {
                self.in_texels = match value {
                    "parts" => false,
                    "texels" => true,
                    _ => return Err(one_of(&["parts", "texels"])),
                };
            }
            "anisotropy" => drop(number(1.0)?),
            _ => {
                let keys = Self::KEYS.join(", ");
                return Err(SamplerError(format!("no sampler has `{key}`; it has {keys}")));
            }
        }
        Ok(())
    }
}

impl FromStr for Sampler {
    type Err = SamplerError;

    /// Reads `KEY=VALUE,…`; what is not given is the default.
    fn from_str(text: &str) -> Result<Self, SamplerError> {
        let mut sampler = Self::default();
        for option in text.split(',') {
            let Some((key, value)) = option.split_once('=') else {
                let message = format!("`{option}` is no KEY=VALUE of a sampler");
                return Err(SamplerError(message));
            };
            sampler.set(key.trim(), value.trim())?;
        }
        Ok(sampler)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let read = |text: &str| text.parse::<Sampler>();
        let sampler = read("filter=nearest,mag=linear,wrap=repeat,wrap-v=border,border=white");
        let sampler = sampler.expect("all are known");
        assert_eq!([sampler.mag, sampler.min], [Filter::Linear, Filter::Nearest]);
        assert_eq!(sampler.wrap, [Wrap::Repeat, Wrap::Border, Wrap::Repeat]);
        assert_eq!(sampler.border.colour(), [1.0; 4]);
        let sampler = read("mip=none,bias=-0.5,min-level=1,max-level=2.5,compare=greater");
        let sampler = sampler.expect("all are known");
        assert_eq!((sampler.mip, sampler.bias, sampler.levels), (None, -0.5, [1.0, 2.5]));
        assert!(sampler.compare.holds(1.0, 0.5) && !sampler.compare.holds(0.5, 0.5));
        for (text, wanted) in [
            ("wrap=tile", "`wrap` is one of clamp, repeat, mirror, mirror-once, border"),
            ("filter=cubic", "`filter` is one of nearest, linear"),
            ("min-level=-1", "a number of at least 0"),
            ("bias=NaN", "`bias` is a number"),
            ("anisotropy=0", "a number of at least 1"),
            ("tile", "`tile` is no KEY=VALUE"),
            ("tile=1", "no sampler has `tile`; it has filter, mag"),
        ] {
            let found = read(text).expect_err("it is wrong").to_string();
            assert!(found.contains(wanted), "{found}");
        }
    }

    #[test]
    fn nothing_compares_with_a_nan() {
        for &compare in Compare::ALL {
            let holds = compare.holds(f32::NAN, 0.5) || compare.holds(0.5, f32::NAN);
            assert_eq!(holds, matches!(compare, Compare::NotEqual | Compare::Always));
        }
    }
}
