//! Sizes of textures and buffers: their words in the inputs, and the bounds of indices that follow.
//!
//! A lane program knows the *format* of a resource: the number of words of a texel or an element, and the
//! maximum number of levels. Its sizes are words of the program's inputs, one [`Extent`] each.
//! Consecutive words form the resource's *descriptor*. Only the host makes descriptors, when data is
//! bound ([`Resource::describe`]). Baked sizes ([`Extents`]) are constants and have no descriptor.
//!
//! # Bounds
//!
//! [`Bound`] is an upper bound of an unsigned 32-bit integer: a constant, and beside it a bound by a
//! descriptor ([`Within`]). Let w, h be the width and height of a texture's first level, n the number of
//! all its texels or of a buffer's elements, and s the words of a texel or an element:
//!
//! - An extent is its own bound. The last column is w − 1, the last row h − 1, the last texel or element
//!   n − 1.
//! - Min-unsigned, `and` and a right shift do not exceed an operand.
//! - A row times the width is at most (h − 1)·w. Plus a column it is at most h·w − 1 ≤ n − 1.
//! - The index of a texel or an element, times a constant c ≤ s, is at most c·(n − 1). Plus an integer
//!   that is at most m it is at most c·(n − 1) + m.
//!
//! So the word at c·(n − 1) + m is one of the s·n words if c ≤ s and m < s. Products and sums do not
//! overflow: no resource has 2^32 words. Each bound is about one resource: an index made of extents of
//! two resources has no bound.

use lambdav_core::limits::{BUFFER_WORDS, TEXELS};
use lambdav_core::resource;
use lambdav_core::texture::{Level, MAX_LEVELS, TextureKind};
use lambdav_core::types::{MemoryKind, ResourceKind, Types};

use super::LaneOp;
use super::limits::most_of;

/// The words of a texel: red, green, blue and alpha.
const TEXEL_WORDS: u32 = 4;

/// The meaning of a word of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Number of elements of a buffer.
    Length,
    /// Index of the last element, or of the last texel of all levels.
    Last,
    /// Number of levels of a texture.
    Levels,
    /// Index of the last level.
    LastLevel,
    /// Number of texels in a row of that level. Levels beyond the last repeat it.
    Width(u8),
    /// Number of rows of that level.
    Height(u8),
    /// Index of the last column of that level.
    LastColumn(u8),
    /// Index of the last row of that level.
    LastRow(u8),
    /// Index of the first texel of that level.
    First(u8),
    /// Number of planes of that level, of a texture with planes.
    Planes(u8),
    /// Index of the last plane of that level.
    LastPlane(u8),
}

/// The sizes of a resource known at compile time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Extents {
    /// Unknown: the descriptor holds them.
    #[default]
    Any,
    /// The levels of a texture.
    Texture(Box<[Level]>),
    /// Number of elements of a buffer.
    Buffer(u32),
}

impl Extents {
    /// The sizes of data.
    pub fn of(data: &resource::Bound) -> Self {
        match data {
            resource::Bound::Nothing => Self::Any,
            resource::Bound::Texture(data) => Self::Texture(data.levels().into()),
            resource::Bound::Buffer(data) => Self::Buffer(data.len() as u32),
        }
    }
}

/// The format of a resource, and its sizes as far as they are baked. The elements of a memory are words, and a
/// memory may have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// True for a memory.
    pub is_memory: bool,
    /// Words of a texel or an element.
    pub width: u32,
    /// The only component of a texture that memory holds ([`narrow`](super::narrow)); `None`: all four.
    pub component: Option<u8>,
    /// Maximum number of levels of a texture; 0 for a buffer or a memory.
    pub levels: u32,
    /// What the planes of a texture are.
    pub kind: TextureKind,
    /// The baked sizes, if any.
    pub extents: Extents,
    /// Index of the first word of its descriptor, if its sizes are not baked.
    pub first: u32,
}

/// The data of a resource does not fit the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The number of the resource.
    pub resource: usize,
}

impl Resource {
    /// The resources of a program with their baked sizes, before their descriptors have a place.
    pub(super) fn all(types: &Types, extents: &[Extents]) -> Vec<Self> {
        let each = types.resources().iter().enumerate();
        let of = |(number, of): (usize, &std::sync::Arc<lambdav_core::types::Resource>)| {
            let flat = TextureKind::Flat;
            let (width, levels, kind) = match of.kind {
                ResourceKind::Texture(options) => {
                    (TEXEL_WORDS, if options.mipmaps { MAX_LEVELS } else { 1 }, options.kind)
                }
                ResourceKind::Buffer(element) => (types.components(element) as u32, 0, flat),
                ResourceKind::Memory(_) => (1, 0, flat),
            };
            let (is_memory, extents) = match of.kind {
                ResourceKind::Memory(MemoryKind::Workgroup(words)) => {
                    (true, Extents::Buffer(words))
                }
                ResourceKind::Memory(MemoryKind::Storage) => (true, Extents::Any),
                _ => (false, extents.get(number).cloned().unwrap_or_default()),
            };
            Self { is_memory, width, component: None, levels, kind, extents, first: 0 }
        };
        each.map(of).collect()
    }

    /// Memory holds that component of the texture alone.
    pub(super) fn narrow(&mut self, component: u8) {
        (self.width, self.component) = (1, Some(component));
    }

    /// The words of its data, in the order of memory.
    pub(crate) fn words_of<'a>(&self, data: &'a resource::Bound) -> &'a [u32] {
        self.component.and_then(|of| data.component(of)).unwrap_or_else(|| data.words())
    }

    /// Number of words of its descriptor.
    pub fn words(&self) -> u32 {
        match (&self.extents, self.levels) {
            (Extents::Any, 0) => 2,
            (Extents::Any, levels) if self.kind.has_planes() => 3 + 7 * levels,
            (Extents::Any, levels) => 3 + 5 * levels,
            _ => 0,
        }
    }

    /// The extent that a word of its descriptor holds.
    pub(super) fn extent(&self, word: u32) -> Extent {
        match (self.levels, word) {
            (0, 0) => return Extent::Length,
            (_, 1) => return Extent::Last,
            (_, 0) => return Extent::Levels,
            (_, 2) => return Extent::LastLevel,
            _ => {}
        }
        let level = ((word - 3) % self.levels) as u8;
        match (word - 3) / self.levels {
            0 => Extent::Width(level),
            1 => Extent::Height(level),
            2 => Extent::LastColumn(level),
            3 => Extent::LastRow(level),
            4 => Extent::First(level),
            5 => Extent::Planes(level),
            _ => Extent::LastPlane(level),
        }
    }

    /// The index of the input word that holds an extent.
    pub(super) fn word(&self, extent: Extent) -> u32 {
        let of_level = |which: u32, level: u8| 3 + which * self.levels + u32::from(level);
        let word = match extent {
            Extent::Length | Extent::Levels => 0,
            Extent::Last => 1,
            Extent::LastLevel => 2,
            Extent::Width(level) => of_level(0, level),
            Extent::Height(level) => of_level(1, level),
            Extent::LastColumn(level) => of_level(2, level),
            Extent::LastRow(level) => of_level(3, level),
            Extent::First(level) => of_level(4, level),
            Extent::Planes(level) => of_level(5, level),
            Extent::LastPlane(level) => of_level(6, level),
        };
        self.first + word
    }

    /// An extent that is known at compile time: a baked one, or one that follows from the format, such as
    /// the first texel of a texture's first level.
    pub(super) fn constant(&self, extent: Extent) -> Option<u32> {
        let levels = match &self.extents {
            Extents::Any => {
                return match (self.levels, extent) {
                    (1, Extent::Levels) => Some(1),
                    (1, Extent::LastLevel) | (_, Extent::First(0)) => Some(0),
                    _ => None,
                };
            }
            Extents::Buffer(length) => {
                return Some(if extent == Extent::Last { length - 1 } else { *length });
            }
            Extents::Texture(levels) => levels,
        };
        let last = levels[levels.len() - 1];
        let of = |level: u8| levels[usize::from(level).min(levels.len() - 1)];
        Some(match extent {
            Extent::Levels | Extent::Length => levels.len() as u32,
            Extent::LastLevel => levels.len() as u32 - 1,
            Extent::Last => last.end() - 1,
            Extent::Width(level) => of(level).width,
            Extent::Height(level) => of(level).height,
            Extent::LastColumn(level) => of(level).width - 1,
            Extent::LastRow(level) => of(level).height - 1,
            Extent::First(level) => of(level).first,
            Extent::Planes(level) => of(level).planes,
            Extent::LastPlane(level) => of(level).planes - 1,
        })
    }

    /// The words of its descriptor for data. `None` if the code is not for such data: another format, or
    /// other sizes than the baked ones.
    fn describe(&self, data: &resource::Bound) -> Option<Vec<u32>> {
        let is_baked = self.extents != Extents::Any;
        if self.is_memory {
            // Its size is known when it is dispatched ([`Descriptors::describe_memory`]).
            let is_nothing = *data == resource::Bound::Nothing;
            return is_nothing.then(|| vec![0; self.words() as usize]);
        }
        if is_baked && self.extents != Extents::of(data) {
            return None;
        }
        let words = self.words_of(data).len();
        let all = match data {
            resource::Bound::Nothing => return None,
            resource::Bound::Buffer(data) => {
                let count = data.len() as u32;
                let fits = self.levels == 0
                    && count > 0
                    && words <= BUFFER_WORDS as usize
                    && words == self.width as usize * data.len();
                fits.then(|| vec![count, count - 1])
            }
            resource::Bound::Texture(data) => {
                let levels = data.levels();
                let last = levels[levels.len() - 1];
                let texels = last.end();
                let each = |of: fn(&Level) -> u32| {
                    let filled = levels.iter().chain(std::iter::repeat(&last));
                    filled.take(self.levels as usize).map(of).collect::<Vec<u32>>()
                };
                let fits = self.kind.takes(data.kind())
                    && levels.len() <= self.levels as usize
                    && texels <= TEXELS
                    && words == (self.width * texels) as usize;
                fits.then(|| {
                    let count = levels.len() as u32;
                    let levels = [
                        each(|of| of.width),
                        each(|of| of.height),
                        each(|of| of.width - 1),
                        each(|of| of.height - 1),
                        each(|of| of.first),
                    ];
                    let planes = [each(|of| of.planes), each(|of| of.planes - 1)];
                    let planes = if self.kind.has_planes() { planes.concat() } else { vec![] };
                    [vec![count, texels - 1, count - 1], levels.concat(), planes].concat()
                })
            }
        };
        all.map(|all| if is_baked { Vec::new() } else { all })
    }

    /// Number of words of the resource, if its sizes are baked.
    fn baked_words(&self) -> Option<u32> {
        match &self.extents {
            Extents::Any => None,
            Extents::Texture(levels) => {
                let texels = levels.last().map_or(0, Level::end);
                Some(self.width * texels)
            }
            Extents::Buffer(elements) => Some(self.width * elements),
        }
    }

    /// The upper bound of an extent.
    fn bound(&self, number: u32, extent: Extent) -> Bound {
        let (most, within) = match extent {
            Extent::Length => (BUFFER_WORDS / self.width, Within::Anything),
            Extent::Last if self.levels == 0 => {
                (BUFFER_WORDS / self.width - 1, Within::first_of(number))
            }
            Extent::Last => (TEXELS - 1, Within::first_of(number)),
            Extent::Levels => (self.levels, Within::Anything),
            Extent::LastLevel => (self.levels - 1, Within::Anything),
            Extent::Width(0) => (TEXELS, Within::Width(number)),
            Extent::LastColumn(0) => (TEXELS - 1, Within::Column(number)),
            Extent::LastRow(0) => (TEXELS - 1, Within::Row(number)),
            Extent::Width(_) | Extent::Height(_) | Extent::Planes(_) => (TEXELS, Within::Anything),
            Extent::LastColumn(_)
            | Extent::LastRow(_)
            | Extent::First(_)
            | Extent::LastPlane(_) => (TEXELS - 1, Within::Anything),
        };
        Bound { most, within }
    }
}

/// The descriptors of a program's resources, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptors(pub Vec<Resource>);

impl Descriptors {
    /// The resource whose descriptor an input word belongs to.
    fn about(&self, word: u32) -> Option<(u32, &Resource)> {
        let after = self.0.partition_point(|of| of.first <= word);
        // Baked sizes have no words.
        let number = self.0[..after].iter().rposition(|of| of.words() > 0)?;
        let of = &self.0[number];
        (word - of.first < of.words()).then_some((number as u32, of))
    }

    /// True if an input word belongs to a descriptor.
    pub(crate) fn contain(&self, word: u32) -> bool {
        self.about(word).is_some()
    }

    /// The upper bound of an input word.
    pub(crate) fn bound_of(&self, word: u32) -> Bound {
        self.about(word)
            .map_or(Bound::ANY, |(number, of)| of.bound(number, of.extent(word - of.first)))
    }

    /// Writes the descriptor of a resource for its data into the words of inputs.
    ///
    /// # Errors
    ///
    /// If the code is not for such data.
    pub(crate) fn describe(
        &self,
        number: usize,
        data: &resource::Bound,
        words: &mut [u32],
    ) -> Result<(), Mismatch> {
        let resource = self.0.get(number);
        let made = resource.and_then(|of| Some((of.first as usize, of.describe(data)?)));
        let (first, made) = made.ok_or(Mismatch { resource: number })?;
        words[first..first + made.len()].copy_from_slice(&made);
        Ok(())
    }

    /// The numbers of memories.
    pub fn memories(&self) -> impl Iterator<Item = usize> {
        let all = self.0.iter().enumerate();
        all.filter(|(_, of)| of.is_memory).map(|(number, _)| number)
    }

    /// Writes the descriptor of a memory of so many words.
    ///
    /// # Errors
    ///
    /// If there is no such memory, it has another number of words, or too many.
    pub(crate) fn describe_memory(
        &self,
        number: usize,
        count: usize,
        words: &mut [u32],
    ) -> Result<(), Mismatch> {
        let fits = |of: &&Resource| {
            let fits = of.baked_words().is_none_or(|baked| baked as usize == count);
            of.is_memory && fits && count <= BUFFER_WORDS as usize
        };
        let memory = self.0.get(number).filter(fits).ok_or(Mismatch { resource: number })?;
        if memory.words() > 0 {
            words[memory.first as usize..][..2]
                .copy_from_slice(&[count as u32, count.saturating_sub(1) as u32]);
        }
        Ok(())
    }

    /// The number of words of a memory that its descriptor says.
    pub(crate) fn words_of_memory(&self, number: usize, words: &[u32]) -> usize {
        let memory = &self.0[number];
        memory.baked_words().unwrap_or_else(|| words[memory.first as usize]) as usize
    }

    /// Writes all descriptors.
    ///
    /// # Errors
    ///
    /// If data is missing, or the code is not for such data.
    pub(crate) fn describe_all(
        &self,
        data: &[resource::Bound],
        words: &mut [u32],
    ) -> Result<(), Mismatch> {
        for number in 0..self.0.len().max(data.len()) {
            let bound = data.get(number).ok_or(Mismatch { resource: number })?;
            self.describe(number, bound, words)?;
        }
        Ok(())
    }

    /// True if the words from `index + first` to `index + first + more` of a resource exist for every index
    /// within the bound.
    pub(crate) fn holds(&self, number: u32, first: u32, more: u32, index: Bound) -> bool {
        let Some(resource) = self.0.get(number as usize) else { return false };
        if let Some(words) = resource.baked_words() {
            let last = u64::from(index.most) + u64::from(first) + u64::from(more);
            return last < words.into();
        }
        match index.within.words() {
            Within::Words { resource: of, factor, more: behind } => {
                let last = u64::from(first) + u64::from(more) + u64::from(behind);
                of == number && factor <= resource.width && last < resource.width.into()
            }
            // A resource has at least one texel or element, and an empty memory has an address.
            _ => {
                let last = u64::from(index.most) + u64::from(first) + u64::from(more);
                last < resource.width.into()
            }
        }
    }

    /// Number of words of a resource, if it is known at compile time.
    pub(crate) fn words_of(&self, number: u32) -> Option<u32> {
        self.0.get(number as usize).and_then(Resource::baked_words)
    }
}

/// The upper bound of an integer by the descriptor of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// No bound.
    Anything,
    /// The width w of the first level of that texture.
    Width(u32),
    /// The last column of its first level, w − 1.
    Column(u32),
    /// The last row of its first level, h − 1.
    Row(u32),
    /// The first texel of the last row of its first level, (h − 1)·w.
    Rows(u32),
    /// `factor` times the last element of a buffer or the last texel of all levels, plus `more`.
    Words { resource: u32, factor: u32, more: u32 },
}

impl Within {
    fn first_of(resource: u32) -> Self {
        Self::Words { resource, factor: 1, more: 0 }
    }

    /// The weaker bound by the last texel, if the integer is a texel's index: columns, rows and first
    /// texels of rows are at most the last texel of the first level.
    fn words(self) -> Self {
        match self {
            Self::Column(number) | Self::Row(number) | Self::Rows(number) => Self::first_of(number),
            _ => self,
        }
    }

    /// The bound of a multiple.
    fn times(self, by: u32, resources: &Descriptors) -> Self {
        match self.words() {
            Self::Words { resource, factor, more } if by > 0 => {
                let width = resources.0.get(resource as usize).map_or(0, |of| of.width);
                let (factor, more) = (factor.checked_mul(by), more.checked_mul(by));
                match (factor, more) {
                    (Some(factor), Some(more)) if factor <= width && more < width => {
                        Self::Words { resource, factor, more }
                    }
                    _ => Self::Anything,
                }
            }
            _ => Self::Anything,
        }
    }

    /// The bound of a sum with an integer of at most `most`.
    fn plus(self, most: u32, resources: &Descriptors) -> Self {
        match self.words() {
            Self::Words { resource, factor, more } => {
                let width = resources.0.get(resource as usize).map_or(0, |of| of.width);
                match more.checked_add(most).filter(|&more| more < width) {
                    Some(more) => Self::Words { resource, factor, more },
                    None => Self::Anything,
                }
            }
            _ => Self::Anything,
        }
    }
}

/// The upper bound of an unsigned integer: a constant, and a bound by a descriptor. Both hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) most: u32,
    pub(crate) within: Within,
}

impl Bound {
    /// Any integer.
    pub(crate) const ANY: Self = Self { most: u32::MAX, within: Within::Anything };

    pub(crate) fn constant(most: u32) -> Self {
        Self { most, within: Within::Anything }
    }

    /// The bound of an operation's result, from the bounds of its operands.
    pub(crate) fn of(op: LaneOp, resources: &Descriptors, operand: impl Fn(usize) -> Self) -> Self {
        let most = most_of(op, |i| operand(i).most);
        let within = |i: usize| operand(i).within;
        let either = |a: Within, b: Within| if b == Within::Anything { a } else { b };
        let within = match op {
            LaneOp::And | LaneOp::MinUnsigned => either(within(0), within(1)),
            LaneOp::ShiftRight(_) => match within(0) {
                Within::Width(_) => Within::Anything,
                within => within,
            },
            LaneOp::ShiftLeft(by) if by < 32 => within(0).times(1 << by, resources),
            LaneOp::Mul => match (within(0), within(1)) {
                (Within::Row(a), Within::Width(b)) | (Within::Width(a), Within::Row(b))
                    if a == b =>
                {
                    Within::Rows(a)
                }
                (Within::Anything, other) => other.times(operand(0).most, resources),
                (other, Within::Anything) => other.times(operand(1).most, resources),
                _ => Within::Anything,
            },
            LaneOp::Add => match (within(0), within(1)) {
                (Within::Rows(a), Within::Column(b)) | (Within::Column(a), Within::Rows(b))
                    if a == b =>
                {
                    Within::first_of(a)
                }
                (Within::Anything, other) => other.plus(operand(0).most, resources),
                (other, Within::Anything) => other.plus(operand(1).most, resources),
                _ => Within::Anything,
            },
            LaneOp::Select if within(1) == within(2) => within(1),
            _ => Within::Anything,
        };
        Self { most, within }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_core::resource::{Bound as Data, BufferData};
    use lambdav_core::texture::TextureData;
    use lambdav_core::types::Type;
    use std::sync::Arc;

    fn texture(size: [u32; 2], mipmaps: bool) -> Data {
        let texels = (0..size[0] * size[1]).map(|_| [0.0; 4]).collect::<Vec<_>>();
        let data = TextureData::new(size, texels.into_iter(), mipmaps).expect("it is small");
        Data::Texture(Arc::new(data))
    }

    fn of(width: u32, levels: u32, first: u32) -> Resource {
        let kind = TextureKind::Flat;
        let (is_memory, component, extents) = (false, None, Extents::Any);
        Resource { is_memory, width, component, levels, kind, extents, first }
    }

    #[test]
    fn words_are_the_extents_that_they_say() {
        for resource in [of(3, 0, 7), of(4, 1, 7), of(4, MAX_LEVELS, 7)] {
            for kind in [TextureKind::Flat, TextureKind::Volume] {
                let resource = Resource { kind, ..resource.clone() };
                for word in 0..resource.words() {
                    assert_eq!(resource.word(resource.extent(word)), 7 + word);
                }
            }
        }
    }

    #[test]
    fn descriptors_are_made_of_data_that_fits() {
        let one = of(4, 1, 0);
        assert_eq!(one.describe(&texture([5, 3], false)), Some(vec![1, 14, 0, 5, 3, 4, 2, 0]));
        assert_eq!(one.describe(&texture([5, 3], true)), None);
        let many = of(4, 4, 0);
        let words = many.describe(&texture([5, 3], true)).expect("three levels");
        assert_eq!(words[..3], [3, 17, 2]);
        assert_eq!(
            words[3..],
            [[5, 2, 1, 1], [3, 1, 1, 1], [4, 1, 0, 0], [2, 0, 0, 0], [0, 15, 17, 17],].concat()
        );
        let types = Types::default();
        let buffer = BufferData::new(&types, Type::vec(3), vec![0; 6]).expect("it is small");
        let buffer = Data::Buffer(Arc::new(buffer));
        assert_eq!(of(3, 0, 0).describe(&buffer), Some(vec![2, 1]));
        assert_eq!(of(2, 0, 0).describe(&buffer), None);
        assert_eq!(one.describe(&buffer), None);
        assert_eq!(of(3, 0, 0).describe(&Data::Nothing), None);
        let baked = |length| Resource { extents: Extents::Buffer(length), ..of(3, 0, 0) };
        assert_eq!(baked(2).describe(&buffer), Some(vec![]));
        assert_eq!(baked(3).describe(&buffer), None);
    }

    /// A texel of a texture, a word of an element, and indices made of two textures' extents.
    #[test]
    fn places_are_within_one_resource() {
        let all = Descriptors(vec![of(4, 1, 10), of(4, 1, 18), of(6, 0, 26)]);
        let extent = |number: usize, extent| all.bound_of(all.0[number].word(extent));
        let op = |op, a: Bound, b: Bound| Bound::of(op, &all, |i| [a, b][i]);
        let clamp = |to| op(LaneOp::MinUnsigned, Bound::ANY, to);
        let place = |row: usize, width: usize, column: usize| {
            let row = clamp(extent(row, Extent::LastRow(0)));
            let rows = op(LaneOp::Mul, row, extent(width, Extent::Width(0)));
            let place = op(LaneOp::Add, rows, clamp(extent(column, Extent::LastColumn(0))));
            op(LaneOp::ShiftLeft(2), place, Bound::ANY)
        };
        assert!(all.holds(0, 0, 3, place(0, 0, 0)) && all.holds(1, 3, 0, place(1, 1, 1)));
        assert!(!all.holds(0, 1, 3, place(0, 0, 0)) && !all.holds(1, 0, 0, place(0, 0, 0)));
        for [row, width, column] in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            for number in [0, 1] {
                assert!(!all.holds(number, 0, 0, place(row, width, column)));
            }
        }
        // A height does not bound a row, and a width does not bound a column.
        let high = clamp(extent(0, Extent::Height(0)));
        let rows = op(LaneOp::Mul, high, extent(0, Extent::Width(0)));
        assert_eq!(
            op(LaneOp::Add, rows, clamp(extent(0, Extent::LastColumn(0)))).within,
            Within::Anything
        );
        assert_eq!(extent(0, Extent::Width(0)).within.words(), Within::Width(0));
        let element = clamp(extent(2, Extent::Last));
        let word = op(LaneOp::Mul, Bound::constant(6), element);
        assert!(all.holds(2, 5, 0, word) && !all.holds(2, 6, 0, word) && !all.holds(0, 0, 0, word));
        let further = |most| op(LaneOp::Add, word, Bound::constant(most));
        assert!(all.holds(2, 2, 0, further(3)) && !all.holds(2, 3, 0, further(3)));
        assert!(!all.holds(2, 0, 0, further(6)));
        assert!(!all.holds(2, 0, 0, op(LaneOp::Mul, Bound::constant(7), element)));
        assert!(!all.holds(2, 0, 0, op(LaneOp::Mul, element, element)));
        assert_eq!(all.bound_of(9), Bound::ANY);
        assert_eq!(all.bound_of(28), Bound::ANY);
    }
}
