//! What a program is given as a whole, by the names of its declarations: textures and buffers.
//!
//! A [`Resource`] is a value of a type of its own, without components: which one is meant is known
//! when the program is compiled, wherever the value goes. The data is part of the
//! [inputs](crate::inputs::Inputs), one [`Bound`] for each resource, in the order of their numbers.
//!
//! A buffer is an array whose length is known when data is bound to it, of at least one element. Here an
//! element lies as its components, a word each, without gaps; how it lies in the memory that a shader
//! shares with the world is the layout's to say ([`crate::layout`]).

use crate::limits::BUFFER_WORDS;
use crate::texture::{NAN, TextureData};
use crate::types::{Resource, ResourceKind, Scalar, Type, Types};
use std::fmt;
use std::sync::Arc;

/// The data of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Bound {
    /// There is none yet, and no operation may read it.
    #[default]
    Nothing,
    /// The texels of a texture.
    Texture(Arc<TextureData>),
    /// The elements of a buffer.
    Buffer(Arc<BufferData>),
}

impl Bound {
    /// All words, as they lie in memory: of texels red, green, blue and alpha.
    pub fn words(&self) -> &[u32] {
        match self {
            Self::Nothing => &[],
            Self::Texture(data) => bytemuck::cast_slice(data.texels()),
            Self::Buffer(data) => data.words(),
        }
    }

    /// The texels, if it is a texture.
    pub fn texture(&self) -> Option<&Arc<TextureData>> {
        match self {
            Self::Texture(data) => Some(data),
            _ => None,
        }
    }

    /// The elements, if it is a buffer.
    pub fn buffer(&self) -> Option<&Arc<BufferData>> {
        match self {
            Self::Buffer(data) => Some(data),
            _ => None,
        }
    }

    fn is_for(&self, types: &Types, kind: ResourceKind) -> bool {
        match (self, kind) {
            (Self::Texture(data), ResourceKind::Texture(options)) => {
                !options.native && (options.mipmaps || data.levels().len() == 1)
            }
            (Self::Buffer(data), ResourceKind::Buffer(element)) => {
                data.width == types.components(element)
            }
            _ => false,
        }
    }
}

/// The first resource for which there is no data among these, which are in order of their numbers.
pub fn unbound<'t>(types: &'t Types, bound: &[Bound]) -> Option<&'t Resource> {
    let mut all = types.resources().iter().enumerate();
    let is_missing = |(number, of): &(usize, &Arc<Resource>)| {
        !bound.get(*number).is_some_and(|bound| bound.is_for(types, of.kind))
    };
    all.find(is_missing).map(|(_, missing)| &**missing)
}

/// The elements of a buffer, at least one. Nums hold one NaN only, 0x7fc00000, and bools are 0 or 1.
#[derive(Clone, PartialEq)]
pub struct BufferData {
    /// How many words an element has.
    width: usize,
    words: Vec<u32>,
}

impl fmt::Debug for BufferData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferData").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Why there is no buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferError {
    /// It would have no element.
    Empty,
    /// The words are not those of whole elements.
    Count {
        /// How many words were given.
        found: usize,
        /// How many words an element has.
        width: usize,
    },
    /// It has too many words.
    TooLarge {
        /// How many.
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

/// How many words a buffer of so many elements has, each of so many words.
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
    /// A buffer of elements of that type, of that table, whose components these are, in order.
    ///
    /// # Errors
    ///
    /// Where there is no element, a part of one or too many.
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
                    Scalar::F32 if f32::from_bits(*word).is_nan() => NAN,
                    Scalar::Bool => u32::from(*word != 0),
                    Scalar::F32 | Scalar::I32 | Scalar::U32 => *word,
                };
            }
        }
        Ok(Self { width, words })
    }

    /// How many elements there are: at least one.
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Whether there is no element, which is never so.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words of all elements, one after the other.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of an element, which is there.
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
