//! Textures: the options of a declaration, and the data of a texture.
//!
//! [`TextureData`] defines the operations on textures; [`TextureData::texel`] accepts any integers.

use crate::float::canonical_bits;
use crate::limits::TEXELS;
use lambdav_float_environment::with_default;
use std::fmt;

/// The options of a texture's declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextureOptions {
    /// The filter of samples.
    pub filter: Filter,
    /// The wrap mode beyond the edges.
    pub wrap: Wrap,
    /// Red, green and blue are decoded from sRGB when the texture is bound.
    pub srgb: bool,
    /// The texture has levels below the first.
    pub mipmaps: bool,
    /// Samples are taken by the device's own sampler. No declaration can set this; only SPIR-V can have such
    /// textures. Evaluators and machine code accept no data for one.
    pub native: bool,
}

/// The weights of the texels around a sampled place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// A linear mix of two texels in each direction.
    #[default]
    Linear,
}

/// The wrap mode of a texture: its values beyond the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texels at the edge.
    #[default]
    Clamp,
    /// The texture, repeated.
    Repeat,
    /// The texture and its mirror image, alternating.
    Mirror,
}

/// Defines the names of an option's values.
macro_rules! names {
    ($option:ident { $($value:ident = $name:literal,)* }) => {
        impl $option {
            /// The name in λV and in core text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }

            /// The value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$value),)* _ => None }
            }
        }
    };
}

names!(Filter { Nearest = "nearest", Linear = "linear", });
names!(Wrap { Clamp = "clamp", Repeat = "repeat", Mirror = "mirror", });

/// Most levels of a texture: each has half the size of the one before, and the largest has at most [`TEXELS`]
/// texels.
pub const MAX_LEVELS: u32 = TEXELS.ilog2() + 1;

/// A level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The index of its first texel.
    pub first: u32,
    /// Texels per row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
}

/// The texels of all levels of a texture. They contain no NaN but 0x7fc00000.
#[derive(Clone, PartialEq)]
pub struct TextureData {
    levels: Box<[Level]>,
    texels: Vec<[f32; 4]>,
}

impl fmt::Debug for TextureData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextureData").field("levels", &self.levels).finish_non_exhaustive()
    }
}

/// An error in making a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureError {
    /// The number of texels does not match the size, or a side is zero.
    Count {
        /// Texels in a row, and rows.
        size: [u32; 2],
        /// The number of texels given.
        found: usize,
    },
    /// Too many texels, all levels counted.
    TooLarge {
        /// Texels in a row, and rows.
        size: [u32; 2],
    },
    /// Out of memory.
    Memory,
}

impl std::error::Error for TextureError {}

impl fmt::Display for TextureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { size: [width, height], .. } if *width == 0 || *height == 0 => {
                write!(f, "a texture of {width}x{height} has no texels; it has at least 1x1")
            }
            Self::Count { size: [width, height], found } => {
                write!(f, "a texture of {width}x{height} has another number of texels than {found}")
            }
            Self::TooLarge { size: [width, height] } => {
                write!(
                    f,
                    "a texture of {width}x{height} is too large: one has at most {TEXELS} texels, all its levels counted"
                )
            }
            Self::Memory => write!(f, "not enough memory for a texture"),
        }
    }
}

/// The levels of a texture with this size: all levels, or only the first.
///
/// # Errors
///
/// [`TextureError::TooLarge`], before memory is allocated, and [`TextureError::Count`] if a side is zero.
pub fn levels(size: [u32; 2], mipmaps: bool) -> Result<Box<[Level]>, TextureError> {
    let ([mut width, mut height], mut first) = (size, 0_u64);
    if width == 0 || height == 0 {
        return Err(TextureError::Count { size, found: 0 });
    }
    let mut levels = Vec::new();
    loop {
        levels.push(Level { first: first as u32, width, height });
        first += u64::from(width) * u64::from(height);
        if first > u64::from(TEXELS) {
            return Err(TextureError::TooLarge { size });
        }
        if !mipmaps || (width == 1 && height == 1) {
            return Ok(levels.into());
        }
        [width, height] = [width, height].map(|side| (side / 2).max(1));
    }
}

/// The number, or the only NaN in textures and buffers.
fn canonical(x: f32) -> f32 {
    f32::from_bits(canonical_bits(x))
}

impl TextureData {
    /// A texture with these texels, row by row. `mipmaps` adds the smaller levels.
    ///
    /// # Errors
    ///
    /// Those of [`levels`]; [`TextureError::Count`] for the wrong number of texels; [`TextureError::Memory`].
    pub fn new(
        size: [u32; 2],
        texels: impl ExactSizeIterator<Item = [f32; 4]>,
        mipmaps: bool,
    ) -> Result<Self, TextureError> {
        let levels = levels(size, mipmaps)?;
        let found = texels.len();
        if u64::from(size[0]) * u64::from(size[1]) != found as u64 {
            return Err(TextureError::Count { size, found });
        }
        let last = levels[levels.len() - 1];
        let mut all = Vec::new();
        let count = last.first as usize + last.width as usize * last.height as usize;
        all.try_reserve_exact(count).map_err(|_| TextureError::Memory)?;
        all.extend(texels.map(|texel| texel.map(canonical)));
        with_default(|| {
            for pair in levels.windows(2) {
                reduce(&mut all, pair[0], pair[1]);
            }
        });
        Ok(Self { levels, texels: all })
    }

    /// The levels, at least one, the largest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// All texels, level by level, row by row.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }

    /// A level; the index is clamped.
    pub fn level(&self, level: i32) -> Level {
        self.levels[clamp(level, self.levels.len() as u32) as usize]
    }

    /// The texel at a column and row of a level; all three are clamped.
    pub fn texel(&self, x: i32, y: i32, level: i32) -> [f32; 4] {
        let Level { first, width, height } = self.level(level);
        self.texels[(first + clamp(y, height) * width + clamp(x, width)) as usize]
    }
}

/// Clamps to 0…`count - 1`.
fn clamp(number: i32, count: u32) -> u32 {
    (number.max(0) as u32).min(count - 1)
}

/// Appends the texels of a level, each the mean of four texels of the level before. An odd last row or column
/// is dropped.
fn reduce(texels: &mut Vec<[f32; 4]>, from: Level, to: Level) {
    for y in 0..to.height {
        for x in 0..to.width {
            let of = |dx: u32, dy: u32| {
                let (x, y) = ((2 * x + dx).min(from.width - 1), (2 * y + dy).min(from.height - 1));
                texels[(from.first + y * from.width + x) as usize]
            };
            let [a, b, c, d] = [of(0, 0), of(1, 0), of(0, 1), of(1, 1)];
            let mean = |k: usize| canonical(((a[k] + b[k]) + (c[k] + d[k])) * 0.25);
            texels.push(std::array::from_fn(mean));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::NAN;

    fn grey(size: [u32; 2], mipmaps: bool, of: impl Fn(u32) -> f32) -> TextureData {
        let texels = (0..size[0] * size[1]).map(|i| [of(i), i as f32, -0.0, 1.0]);
        let texels: Vec<[f32; 4]> = texels.collect();
        TextureData::new(size, texels.into_iter(), mipmaps).expect("it is small")
    }

    #[test]
    fn places_are_clamped() {
        let texture = grey([3, 2], true, |i| i as f32);
        assert_eq!(texture.texel(1, 1, 0)[0], 4.0);
        for far in [2, 3, i32::MAX] {
            assert_eq!(texture.texel(far, 0, 0)[0], 2.0);
            assert_eq!(texture.texel(0, far, 0)[0], 3.0);
            assert_eq!(texture.texel(far, far, far), texture.texel(0, 0, 1));
        }
        for far in [-1, i32::MIN] {
            assert_eq!(texture.texel(far, far, far)[0], 0.0);
        }
        assert_eq!(texture.texel(2, 1, 0)[2].to_bits(), (-0.0_f32).to_bits());
    }

    #[test]
    fn levels_halve_and_drop_what_is_odd() {
        let texture = grey([5, 3], true, |i| i as f32);
        let sizes: Vec<_> = texture.levels().iter().map(|l| [l.width, l.height]).collect();
        assert_eq!(sizes, [[5, 3], [2, 1], [1, 1]]);
        // (0 + 1) + (5 + 6), (2 + 3) + (7 + 8); column 4 and row 2 are dropped.
        assert_eq!([0, 1].map(|x| texture.texel(x, 0, 1)[0]), [3.0, 5.0]);
        assert_eq!(texture.texel(0, 0, 2)[0], 4.0);
        // One column: each texel counts twice.
        let texture = grey([1, 4], true, |i| i as f32);
        assert_eq!([0, 1].map(|y| texture.texel(0, y, 1)[0]), [0.5, 2.5]);
        assert_eq!(texture.levels().len(), 3);
        assert_eq!(grey([4, 4], false, |_| 0.0).levels().len(), 1);
    }

    #[test]
    fn sums_are_in_order_and_nans_are_one() {
        let large = [f32::MAX, f32::MAX, -f32::MAX, -f32::MAX];
        let texture = grey([2, 2], true, |i| large[i as usize]);
        assert_eq!(texture.texel(0, 0, 1)[0].to_bits(), NAN);
        let negative = f32::from_bits(0xffc0_0001);
        assert_eq!(grey([1, 1], false, |_| negative).texel(0, 0, 0)[0].to_bits(), NAN);
    }

    #[test]
    fn sizes_are_limited_before_memory_is_asked_for() {
        let most = levels([TEXELS / 2, 1], true).expect("it is small enough").len();
        assert!(most <= MAX_LEVELS as usize, "{most} levels");
        for size in [[1 << 16, 1 << 16], [u32::MAX, u32::MAX], [TEXELS, 2]] {
            assert_eq!(levels(size, false), Err(TextureError::TooLarge { size }));
        }
        assert_eq!(levels([0, 7], true), Err(TextureError::Count { size: [0, 7], found: 0 }));
        let few = TextureData::new([2, 2], [[0.0; 4]; 3].into_iter(), false);
        assert_eq!(few, Err(TextureError::Count { size: [2, 2], found: 3 }));
    }
}
