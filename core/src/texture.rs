//! Textures: the options of a declaration, and the data of a texture.
//!
//! A texture has levels, and a level has *planes* of equal size: one, or the layers of an array, the faces of cube maps, the slices of
//! a volume ([`TextureKind`]). A texel has a column, a row, a plane, and a level. That is all that the core knows: which texels
//! a sample takes, and with what weights, is an expansion into ordinary operations (LANGUAGE §12). So each engine has two
//! operations for all kinds, and no sampler.
//!
//! [`TextureData`] defines the operations on textures; [`TextureData::texel`] accepts any integers.

use crate::float::canonical_bits;
use crate::limits::TEXELS;
use crate::sampler::{Border, Compare};
pub use crate::sampler::{Filter, Wrap};
use lambdav_float_environment::with_default;
use std::fmt;
use std::sync::OnceLock;

/// The options of a texture's declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextureOptions {
    /// What its planes are.
    pub kind: TextureKind,
    /// The filter of samples.
    pub filter: Filter,
    /// The wrap modes beyond the edges, along each axis of a place.
    pub wrap: [Wrap; 3],
    /// The colour beyond the edges where the wrap mode is [`Wrap::Border`].
    pub border: Border,
    /// The comparison of samples that compare; `None` if there are none.
    pub compare: Option<Compare>,
    /// Added to each level of detail.
    pub bias: Number,
    /// The least and the greatest level of detail, if the declaration has limits.
    pub limits: Option<[Number; 2]>,
    /// Red, green and blue are decoded from sRGB when the texture is bound.
    pub srgb: bool,
    /// The texture has levels below the first.
    pub mipmaps: bool,
    /// The components of its texels. Integers have one level, and are not mixed.
    pub texels: Texels,
    /// Samples are taken by the device's own sampler. No declaration can set this; only SPIR-V can have such
    /// textures. Evaluators and machine code accept no data for one.
    pub native: bool,
}

/// A finite number in a declaration. Numbers of different bits differ, so that declarations can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Number(u32);

impl From<f32> for Number {
    fn from(number: f32) -> Self {
        Self(number.to_bits())
    }
}

impl Number {
    /// The number.
    pub fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// What the planes of a texture are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureKind {
    /// There is one plane. Its texels have a column and a row, and no plane.
    #[default]
    Flat,
    /// Layers, the same number in all levels.
    Array,
    /// The faces of a cube: right, left, top, bottom, front and back, which look along +x, −x, +y, −y, +z and −z.
    Cube,
    /// Cubes, six planes each.
    CubeArray,
    /// Slices in depth. A level has half of those of the level before.
    Volume,
}

impl TextureOptions {
    /// True if every device has a sampler for them: with one wrap mode of [`Wrap::CLOSED`], without bias and limits of levels.
    pub fn fits_device(&self) -> bool {
        let Self { wrap, bias, limits, .. } = *self;
        let is_one = Wrap::CLOSED.contains(&wrap[0]) && wrap.iter().all(|of| *of == wrap[0]);
        is_one && bias == Number::default() && limits.is_none()
    }

    /// The wrap modes as a declaration writes them: one word for all axes, or else a word for each.
    pub fn wrap_words(&self) -> impl Iterator<Item = &'static str> {
        let are_equal = self.wrap.iter().all(|wrap| *wrap == self.wrap[0]);
        let count = if are_equal { 1 } else { self.kind.wrapped_axes().max(1) };
        self.wrap.into_iter().take(count).map(Wrap::name)
    }

    /// The wrap modes of one word for all axes, or of a word for each.
    pub fn wraps(words: &[Wrap]) -> Option<[Wrap; 3]> {
        let last = *words.last()?;
        Some(std::array::from_fn(|axis| words.get(axis).copied().unwrap_or(last)))
    }
}

impl TextureKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Flat, Self::Array, Self::Cube, Self::CubeArray, Self::Volume];

    /// True if data of another kind may be bound. The faces of cubes are layers, too: a SPIR-V module that this compiler has emitted
    /// declares them so.
    pub fn takes(self, data: Self) -> bool {
        let are_faces = matches!(data, Self::Cube | Self::CubeArray);
        self == data || self == Self::Array && are_faces
    }

    /// True if texels have a plane.
    pub fn has_planes(self) -> bool {
        self != Self::Flat
    }

    /// Components of a texel's place, and of a size: column, row, and plane.
    pub fn axes(self) -> u8 {
        if self.has_planes() { 3 } else { 2 }
    }

    /// Components of the place of a sample that wrap modes apply to: those along edges that nothing lies behind.
    pub fn wrapped_axes(self) -> usize {
        match self {
            Self::Flat | Self::Array => 2,
            Self::Volume => 3,
            Self::Cube | Self::CubeArray => 0,
        }
    }

    /// The size of a texture (texels in a row, rows, and planes) from one image of that size. The faces of cubes are squares one
    /// below the other; of other kinds the image is one plane.
    pub fn size_of_image(self, [width, height]: [u32; 2]) -> [u32; 3] {
        match self {
            Self::Cube | Self::CubeArray if width > 0 && height.is_multiple_of(width) => {
                [width, width, height / width]
            }
            _ => [width, height, 1],
        }
    }

    /// The least number of planes.
    pub fn least_planes(self) -> u32 {
        self.planes().0
    }

    /// The number of planes must be a multiple of this; the only one for cubes, and for textures with one plane.
    fn planes(self) -> (u32, bool) {
        match self {
            Self::Flat => (1, true),
            Self::Cube => (6, true),
            Self::CubeArray => (6, false),
            Self::Array | Self::Volume => (1, false),
        }
    }
}

/// The components of a texture's texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Texels {
    /// Numbers: `num`.
    #[default]
    Numbers,
    /// Signed integers: `int`.
    Integers,
    /// Unsigned integers: `uint`.
    Unsigned,
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

names!(TextureKind {
    Flat = "flat",
    Array = "array",
    Cube = "cube",
    CubeArray = "cube-array",
    Volume = "volume",
});
names!(Texels { Numbers = "num", Integers = "int", Unsigned = "uint", });

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
    /// The number of planes, one after another.
    pub planes: u32,
}

impl Level {
    /// The number of its texels.
    pub fn texels(&self) -> u32 {
        self.width * self.height * self.planes
    }

    /// The index after its last texel.
    pub fn end(&self) -> u32 {
        self.first + self.texels()
    }
}

/// The texels of all levels of a texture. Numbers contain no NaN but 0x7fc00000; integers are the bits of `f32`s.
#[derive(Clone, PartialEq)]
pub struct TextureData {
    kind: TextureKind,
    components: Texels,
    levels: Box<[Level]>,
    texels: Vec<[f32; 4]>,
    apart: Apart,
}

/// Each component of a texture's texels alone, as far as somebody has asked for it. They follow from the texels: all are equal,
/// and a copy has none.
#[derive(Default)]
struct Apart([OnceLock<Box<[f32]>>; 4]);

impl Clone for Apart {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Apart {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for TextureData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextureData")
            .field("kind", &self.kind)
            .field("levels", &self.levels)
            .finish_non_exhaustive()
    }
}

/// An error in making a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureError {
    /// The number of texels does not match the size, or a side is zero.
    Count {
        /// Texels in a row, rows, and planes.
        size: [u32; 3],
        /// The number of texels given.
        found: usize,
    },
    /// The number of planes is none of this kind.
    Planes {
        /// The kind.
        kind: TextureKind,
        /// The number of planes.
        found: u32,
    },
    /// The faces of a cube are no squares.
    Oblong {
        /// Texels in a row, and rows.
        size: [u32; 2],
    },
    /// The levels are not each half as large as the one before.
    Level {
        /// Texels in a row, rows, and planes of the first level.
        size: [u32; 3],
    },
    /// Too many texels, all levels counted.
    TooLarge {
        /// Texels in a row, rows, and planes.
        size: [u32; 3],
    },
    /// Out of memory.
    Memory,
}

impl std::error::Error for TextureError {}

/// A size in words.
fn in_words([width, height, planes]: [u32; 3]) -> String {
    match planes {
        1 => format!("{width}x{height}"),
        _ => format!("{width}x{height}x{planes}"),
    }
}

impl fmt::Display for TextureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { size, .. } if size.contains(&0) => {
                write!(f, "a texture of {} has no texels; it has at least 1x1", in_words(*size))
            }
            Self::Count { size, found } => {
                let size = in_words(*size);
                write!(f, "a texture of {size} has another number of texels than {found}")
            }
            Self::Planes { kind, found } => match kind {
                TextureKind::Flat => write!(f, "it has one plane, and these are {found}"),
                TextureKind::Cube => write!(f, "a cube has 6 faces, and these are {found}"),
                _ => write!(f, "cubes have 6 faces each, and these are {found}"),
            },
            Self::Oblong { size: [width, height] } => {
                write!(f, "the faces of a cube are squares, and these have {width}x{height} texels")
            }
            Self::Level { size } => {
                let size = in_words(*size);
                write!(
                    f,
                    "the levels of a texture of {size} are each half as large as the one before"
                )
            }
            Self::TooLarge { size } => {
                let size = in_words(*size);
                write!(
                    f,
                    "a texture of {size} is too large: one has at most {TEXELS} texels, all its levels counted"
                )
            }
            Self::Memory => write!(f, "not enough memory for a texture"),
        }
    }
}

/// The levels of a texture of this kind and size (texels in a row, rows, and planes): all levels, or only the first.
///
/// # Errors
///
/// [`TextureError::TooLarge`], before memory is allocated; [`TextureError::Count`] if a side is zero;
/// [`TextureError::Planes`] and [`TextureError::Oblong`].
pub fn levels(
    kind: TextureKind,
    size: [u32; 3],
    mipmaps: bool,
) -> Result<Box<[Level]>, TextureError> {
    let ([mut width, mut height, mut planes], mut first) = (size, 0_u64);
    if size.contains(&0) {
        return Err(TextureError::Count { size, found: 0 });
    }
    let (multiple, is_only) = kind.planes();
    if planes % multiple != 0 || is_only && planes != multiple {
        return Err(TextureError::Planes { kind, found: planes });
    }
    if multiple > 1 && width != height {
        return Err(TextureError::Oblong { size: [width, height] });
    }
    let mut levels = Vec::new();
    loop {
        levels.push(Level { first: first as u32, width, height, planes });
        let texels = [width, height, planes].into_iter().map(u64::from);
        first = texels.reduce(u64::saturating_mul).map_or(first, |more| first.saturating_add(more));
        if first > u64::from(TEXELS) {
            return Err(TextureError::TooLarge { size });
        }
        let half = |side: u32| (side / 2).max(1);
        let next = match kind {
            TextureKind::Volume => [half(width), half(height), half(planes)],
            _ => [half(width), half(height), planes],
        };
        if !mipmaps || next == [width, height, planes] {
            return Ok(levels.into());
        }
        [width, height, planes] = next;
    }
}

/// The number, or the only NaN in textures and buffers.
fn canonical(x: f32) -> f32 {
    f32::from_bits(canonical_bits(x))
}

impl TextureData {
    /// A texture of one plane with these texels, row by row. `mipmaps` adds the smaller levels.
    ///
    /// # Errors
    ///
    /// As for [`Self::with_planes`].
    pub fn new(
        [width, height]: [u32; 2],
        texels: impl ExactSizeIterator<Item = [f32; 4]>,
        mipmaps: bool,
    ) -> Result<Self, TextureError> {
        Self::with_planes(TextureKind::Flat, [width, height, 1], texels, mipmaps)
    }

    /// A texture with these texels, plane by plane, row by row. `mipmaps` adds the smaller levels.
    ///
    /// # Errors
    ///
    /// Those of [`levels`]; [`TextureError::Count`] for the wrong number of texels; [`TextureError::Memory`].
    pub fn with_planes(
        kind: TextureKind,
        size: [u32; 3],
        texels: impl ExactSizeIterator<Item = [f32; 4]>,
        mipmaps: bool,
    ) -> Result<Self, TextureError> {
        let levels = levels(kind, size, mipmaps)?;
        let found = texels.len();
        if levels[0].texels() as usize != found {
            return Err(TextureError::Count { size, found });
        }
        let count = levels[levels.len() - 1].end() as usize;
        let mut all = Vec::new();
        all.try_reserve_exact(count).map_err(|_| TextureError::Memory)?;
        all.extend(texels.map(|texel| texel.map(canonical)));
        with_default(|| {
            for pair in levels.windows(2) {
                reduce(&mut all, pair[0], pair[1]);
            }
        });
        Ok(Self::of_texels(kind, Texels::Numbers, levels, all))
    }

    /// A texture with levels of these sizes, the largest first, and the texels of all of them. Integers are the bits of texels.
    ///
    /// # Errors
    ///
    /// Those of [`Self::with_planes`]; [`TextureError::Level`] for a level that is not half as large as the one before.
    pub fn with_levels(
        kind: TextureKind,
        components: Texels,
        sizes: &[[u32; 3]],
        texels: Vec<[f32; 4]>,
    ) -> Result<Self, TextureError> {
        let first = sizes.first().copied().unwrap_or_default();
        let mut all = levels(kind, first, sizes.len() > 1)?.into_vec();
        all.truncate(sizes.len().max(1));
        let is_level =
            |(level, size): (&Level, &[u32; 3])| [level.width, level.height, level.planes] == *size;
        if all.len() != sizes.len() || !all.iter().zip(sizes).all(is_level) {
            return Err(TextureError::Level { size: first });
        }
        let found = texels.len();
        if all[all.len() - 1].end() as usize != found {
            return Err(TextureError::Count { size: first, found });
        }
        let texels = match components {
            Texels::Numbers => texels.into_iter().map(|texel| texel.map(canonical)).collect(),
            Texels::Integers | Texels::Unsigned => texels,
        };
        Ok(Self::of_texels(kind, components, all.into(), texels))
    }

    /// A texture of integers with these texels, plane by plane, row by row; it has one level.
    ///
    /// # Errors
    ///
    /// As for [`Self::with_planes`].
    pub fn of_integers(
        kind: TextureKind,
        components: Texels,
        size: [u32; 3],
        texels: impl ExactSizeIterator<Item = [u32; 4]>,
    ) -> Result<Self, TextureError> {
        let levels = levels(kind, size, false)?;
        let found = texels.len();
        if levels[0].texels() as usize != found {
            return Err(TextureError::Count { size, found });
        }
        let mut all = Vec::new();
        all.try_reserve_exact(found).map_err(|_| TextureError::Memory)?;
        all.extend(texels.map(|texel| texel.map(f32::from_bits)));
        Ok(Self::of_texels(kind, components, levels, all))
    }

    fn of_texels(
        kind: TextureKind,
        components: Texels,
        levels: Box<[Level]>,
        texels: Vec<[f32; 4]>,
    ) -> Self {
        Self { kind, components, levels, texels, apart: Apart::default() }
    }

    /// The components of its texels.
    pub fn components(&self) -> Texels {
        self.components
    }

    /// What its planes are.
    pub fn kind(&self) -> TextureKind {
        self.kind
    }

    /// The levels, at least one, the largest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// All texels, level by level, row by row.
    pub fn texels(&self) -> &[[f32; 4]] {
        &self.texels
    }

    /// A component of all texels, level by level, row by row.
    ///
    /// # Panics
    ///
    /// If the component is not below 4.
    pub fn component(&self, component: u8) -> &[f32] {
        let component = usize::from(component);
        self.apart.0[component].get_or_init(|| self.texels.iter().map(|of| of[component]).collect())
    }

    /// A level; the index is clamped.
    pub fn level(&self, level: i32) -> Level {
        self.levels[clamp(level, self.levels.len() as u32) as usize]
    }

    /// The texel at a column and row of the first plane of a level; all three are clamped.
    pub fn texel(&self, x: i32, y: i32, level: i32) -> [f32; 4] {
        self.texel_of_plane([x, y, 0], level)
    }

    /// The texel at a column, a row and a plane of a level; all four are clamped.
    pub fn texel_of_plane(&self, [x, y, plane]: [i32; 3], level: i32) -> [f32; 4] {
        let Level { first, width, height, planes } = self.level(level);
        let row = clamp(plane, planes) * height + clamp(y, height);
        self.texels[(first + row * width + clamp(x, width)) as usize]
    }
}

/// Clamps to 0…`count - 1`.
fn clamp(number: i32, count: u32) -> u32 {
    (number.max(0) as u32).min(count - 1)
}

/// Appends the texels of a level, each the mean of four texels of the level before, or of eight if it has fewer planes. An odd
/// last row, column or plane is dropped.
fn reduce(texels: &mut Vec<[f32; 4]>, from: Level, to: Level) {
    let is_thinner = from.planes != to.planes;
    for plane in 0..to.planes {
        for y in 0..to.height {
            for x in 0..to.width {
                let of_plane = |plane: u32| {
                    let of = |dx: u32, dy: u32| {
                        let x = (2 * x + dx).min(from.width - 1);
                        let y = (2 * y + dy).min(from.height - 1) + plane * from.height;
                        texels[(from.first + y * from.width + x) as usize]
                    };
                    let [a, b, c, d] = [of(0, 0), of(1, 0), of(0, 1), of(1, 1)];
                    move |k: usize| (a[k] + b[k]) + (c[k] + d[k])
                };
                texels.push(match is_thinner {
                    false => {
                        let sum = of_plane(plane);
                        std::array::from_fn(|k| canonical(sum(k) * 0.25))
                    }
                    true => {
                        let [near, far] = [of_plane(2 * plane), of_plane(2 * plane + 1)];
                        std::array::from_fn(|k| canonical((near(k) + far(k)) * 0.125))
                    }
                });
            }
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
        let most =
            levels(TextureKind::Flat, [TEXELS / 2, 1, 1], true).expect("it is small enough").len();
        assert!(most <= MAX_LEVELS as usize, "{most} levels");
        for size in [[1 << 16, 1 << 16, 1], [u32::MAX; 3], [TEXELS, 2, 1], [2, 1, TEXELS]] {
            let found = levels(TextureKind::Array, size, false);
            assert_eq!(found, Err(TextureError::TooLarge { size }));
        }
        let size = [0, 7, 1];
        let none = levels(TextureKind::Flat, size, true);
        assert_eq!(none, Err(TextureError::Count { size, found: 0 }));
        let few = TextureData::new([2, 2], [[0.0; 4]; 3].into_iter(), false);
        assert_eq!(few, Err(TextureError::Count { size: [2, 2, 1], found: 3 }));
    }

    /// Cubes have six faces, which are squares; layers stay, and slices are halved.
    #[test]
    fn kinds_have_their_planes() {
        let planes = |kind, size| {
            let all = levels(kind, size, true)?;
            Ok::<_, TextureError>(
                all.iter().map(|of| [of.width, of.height, of.planes]).collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            planes(TextureKind::Array, [4, 1, 3]),
            Ok(vec![[4, 1, 3], [2, 1, 3], [1, 1, 3]])
        );
        assert_eq!(planes(TextureKind::Cube, [2, 2, 6]), Ok(vec![[2, 2, 6], [1, 1, 6]]));
        let halved = vec![[1, 2, 5], [1, 1, 2], [1, 1, 1]];
        assert_eq!(planes(TextureKind::Volume, [1, 2, 5]), Ok(halved));
        for (kind, found) in
            [(TextureKind::Flat, 2), (TextureKind::Cube, 12), (TextureKind::CubeArray, 8)]
        {
            let wrong = planes(kind, [2, 2, found]);
            assert_eq!(wrong, Err(TextureError::Planes { kind, found }));
        }
        let oblong = planes(TextureKind::CubeArray, [2, 3, 12]);
        assert_eq!(oblong, Err(TextureError::Oblong { size: [2, 3] }));
        // The last slice of five is dropped.
        let slices = (0..5).map(|k| [k as f32, 0.0, 0.0, 1.0]).collect::<Vec<_>>();
        let volume =
            TextureData::with_planes(TextureKind::Volume, [1, 1, 5], slices.into_iter(), true);
        let volume = volume.expect("it is small");
        let texels = [0, 1, 2].map(|plane| volume.texel_of_plane([7, -7, plane], 1)[0]);
        assert_eq!(texels, [0.5, 2.5, 2.5]);
        assert_eq!(volume.texel_of_plane([0, 0, -1], 0)[0], 0.0);
    }
}
