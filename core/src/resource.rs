//! Resources: the textures, buffers and memories that a program declares by name.
//!
//! A [`Resource`] has a type of its own, whose value has no components: wherever the value goes, the compiler
//! knows which resource it is. The data is part of the [inputs](crate::inputs::Inputs), one [`Bound`] for
//! each resource, by index.
//!
//! A buffer is an array of at least one element, whose length is known when data is bound. Here an element is
//! stored as its components, a word each, without gaps. Its layout in memory shared with the host program is
//! [`crate::layout`]'s.
//!
//! Passing a resource on costs nothing, and no engine keeps tables of resources: the type says which one is meant. An `if`
//! between two resources is ill-typed unless its condition is known. An operation on a resource is total, since its place is
//! clamped, and it is never folded. Only the needed parts of an element are read
//! ([`Places`](crate::schedule::Places)).

use crate::float::canonical;
use crate::limits::BUFFER_WORDS;
use crate::texture::TextureData;
use crate::types::{Resource, ResourceKind, Scalar, Type, Types};
use std::fmt;
use std::sync::Arc;

/// The data of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Bound {
    /// No data yet; no operation may read it. Always so for memories.
    #[default]
    Nothing,
    /// The texels of a texture.
    Texture(Arc<TextureData>),
    /// The elements of a buffer.
    Buffer(Arc<BufferData>),
}

impl Bound {
    /// All words, in memory order; a texel is red, green, blue and alpha.
    pub fn words(&self) -> &[u32] {
        match self {
            Self::Nothing => &[],
            Self::Texture(data) => bytemuck::cast_slice(data.texels()),
            Self::Buffer(data) => data.words(),
        }
    }

    /// A component of all texels of a texture; `None` for others.
    pub fn component(&self, component: u8) -> Option<&[u32]> {
        self.texture().map(|data| bytemuck::cast_slice(data.component(component)))
    }

    /// The texels of a texture; `None` for others.
    pub fn texture(&self) -> Option<&Arc<TextureData>> {
        match self {
            Self::Texture(data) => Some(data),
            _ => None,
        }
    }

    /// The elements of a buffer; `None` for others.
    pub fn buffer(&self) -> Option<&Arc<BufferData>> {
        match self {
            Self::Buffer(data) => Some(data),
            _ => None,
        }
    }

    fn is_for(&self, types: &Types, kind: ResourceKind) -> bool {
        match (self, kind) {
            (Self::Texture(data), ResourceKind::Texture(options)) => {
                let has_levels = options.mipmaps || data.levels().len() == 1;
                !options.native && has_levels && options.kind.takes(data.kind())
            }
            (Self::Buffer(data), ResourceKind::Buffer(element)) => {
                data.width == types.components(element)
            }
            _ => false,
        }
    }
}

/// The type of the elements of the buffer with this number.
///
/// # Panics
///
/// If there is no such buffer.
pub fn element_type(types: &Types, buffer: u32) -> Type {
    match types.resources()[buffer as usize].kind {
        ResourceKind::Buffer(element) => element,
        ResourceKind::Texture(_) | ResourceKind::Memory(_) => panic!("the resource is no buffer"),
    }
}

/// The first resource without data in `bound`, which is in order of the resources' indices. A dispatch has the data
/// of memories.
pub fn unbound<'t>(types: &'t Types, bound: &[Bound]) -> Option<&'t Resource> {
    let mut all = types.resources().iter().enumerate();
    let is_missing = |(number, of): &(usize, &Arc<Resource>)| {
        !matches!(of.kind, ResourceKind::Memory(_))
            && !bound.get(*number).is_some_and(|bound| bound.is_for(types, of.kind))
    };
    all.find(is_missing).map(|(_, missing)| &**missing)
}

/// The elements of a buffer, at least one. Nums contain no NaN but 0x7fc00000; bools are 0 or 1.
#[derive(Clone, PartialEq)]
pub struct BufferData {
    /// Words per element.
    width: usize,
    words: Vec<u32>,
}

impl fmt::Debug for BufferData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferData").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// An error in making a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferError {
    /// No elements.
    Empty,
    /// The number of words is not a multiple of an element's words.
    Count {
        /// The number of words given.
        found: usize,
        /// Words per element.
        width: usize,
    },
    /// Too many words.
    TooLarge {
        /// The number of words.
        words: u64,
    },
}

impl std::error::Error for BufferError {}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a buffer has at least one element"),
            Self::Count { found, width } => {
                write!(f, "{found} numbers are not those of elements of {width} each")
            }
            Self::TooLarge { words } => {
                write!(f, "{words} words are too many: a buffer has at most {BUFFER_WORDS}")
            }
        }
    }
}

/// The number of words of a buffer with this many elements of `width` words each.
///
/// # Errors
///
/// [`BufferError::Empty`] and [`BufferError::TooLarge`].
pub fn buffer_words(elements: u64, width: usize) -> Result<usize, BufferError> {
    let words = elements.saturating_mul(width as u64);
    match words {
        0 => Err(BufferError::Empty),
        _ if words > BUFFER_WORDS.into() => Err(BufferError::TooLarge { words }),
        _ => Ok(words as usize),
    }
}

impl BufferData {
    /// A buffer of elements of type `element`, a type of the table `types`, from the words of all elements in
    /// order.
    ///
    /// # Errors
    ///
    /// If there is no element, an incomplete element, or more words than the limit.
    pub fn new(types: &Types, element: Type, mut words: Vec<u32>) -> Result<Self, BufferError> {
        let width = types.components(element);
        buffer_words(words.len() as u64, 1)?;
        if width == 0 || !words.len().is_multiple_of(width) {
            return Err(BufferError::Count { found: words.len(), width });
        }
        let scalars: Vec<Scalar> = types.scalars(element).collect();
        for element in words.chunks_exact_mut(width) {
            for (word, scalar) in element.iter_mut().zip(&scalars) {
                *word = match scalar {
                    Scalar::F32 => canonical(*word),
                    Scalar::Bool => u32::from(*word != 0),
                    Scalar::I32 | Scalar::U32 => *word,
                };
            }
        }
        Ok(Self { width, words })
    }

    /// A buffer of so many elements of zeros.
    ///
    /// # Errors
    ///
    /// If there is no element, an incomplete element, or more words than the limit.
    pub fn zeros(types: &Types, element: Type, count: usize) -> Result<Self, BufferError> {
        let width = types.components(element);
        let words = buffer_words(count as u64, width)?;
        Ok(Self { width, words: vec![0; words] })
    }

    /// The number of elements, at least one.
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Always false: a buffer has at least one element.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words of all elements, one after the other.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of an element; `index` must be less than [`Self::len`].
    pub fn element(&self, index: usize) -> &[u32] {
        &self.words[index * self.width..][..self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::TextureOptions;
    use crate::types::{Field, Structure};

    #[test]
    fn elements_are_whole_and_their_words_canonical() {
        let mut types = Types::default();
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let fields = [field("x", Type::NUM), field("b", Type::BOOL), field("n", Type::UINT)];
        let of = Structure { name: "S".into(), fields: fields.into() };
        let of = types.add_structure(of).expect("is small");
        let nan = 0xffc0_0001;
        let words = vec![nan, 7, nan, 1.5_f32.to_bits(), 0, 9];
        let data = BufferData::new(&types, of, words).expect("two elements");
        assert_eq!(data.len(), 2);
        assert_eq!(data.element(0), [0x7fc0_0000, 1, nan]);
        assert_eq!(data.element(1), [1.5_f32.to_bits(), 0, 9]);
        let refused = |words| BufferData::new(&types, of, words).expect_err("not elements");
        assert_eq!(refused(vec![]), BufferError::Empty);
        assert_eq!(refused(vec![0; 4]), BufferError::Count { found: 4, width: 3 });
    }

    #[test]
    fn sizes_are_limited_before_memory_is_asked_for() {
        let most = u64::from(BUFFER_WORDS);
        assert_eq!(buffer_words(most, 1), Ok(BUFFER_WORDS as usize));
        for (elements, width) in [(most + 1, 1), (most, 2), (u64::MAX, usize::MAX)] {
            let words = elements.saturating_mul(width as u64);
            assert_eq!(buffer_words(elements, width), Err(BufferError::TooLarge { words }));
        }
        assert_eq!(buffer_words(0, 3), Err(BufferError::Empty));
    }

    #[test]
    fn what_is_bound_is_of_the_kind_that_is_declared() {
        let mut types = Types::default();
        types.add_resource(Resource {
            name: "t".into(),
            kind: ResourceKind::Texture(TextureOptions::default()),
        });
        let kind = ResourceKind::Buffer(Type::vec(2));
        types.add_resource(Resource { name: "b".into(), kind });
        let texture = TextureData::new([1, 1], [[0.5; 4]].into_iter(), false).expect("is small");
        let texture = Bound::Texture(Arc::new(texture));
        let buffer = |ty, n| {
            Bound::Buffer(Arc::new(BufferData::new(&types, ty, vec![1; n]).expect("is small")))
        };
        let (right, wrong) = (buffer(Type::vec(2), 4), buffer(Type::NUM, 4));
        let missing = |bound: &[Bound]| unbound(&types, bound).map(|of| of.name.to_string());
        assert_eq!(missing(&[]), Some("t".to_owned()));
        assert_eq!(missing(&[Bound::Nothing, right.clone()]), Some("t".to_owned()));
        for second in [Bound::Nothing, texture.clone(), wrong] {
            assert_eq!(missing(&[texture.clone(), second]), Some("b".to_owned()));
        }
        assert_eq!(missing(&[texture.clone(), right.clone()]), None);
        let levels = TextureData::new([2, 1], [[0.5; 4]; 2].into_iter(), true).expect("is small");
        let levels = Bound::Texture(Arc::new(levels));
        assert_eq!(missing(&[levels, right.clone()]), Some("t".to_owned()));
        assert_eq!(texture.words(), [0.5_f32.to_bits(); 4]);
        assert_eq!(right.words(), [1; 4]);
    }
}
