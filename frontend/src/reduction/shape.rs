//! Types as declared, and values stored in the words of uniforms, constants and buffers, whose parts are made
//! on demand. This is independent of the core's layout.

use super::operate::Data;
use super::text::Constructor;
use lambdav_core::types::{Field, Scalar, Structure, Type, TypeKind, TypeLimit, Types};
use std::sync::Arc;

/// A type as declared, of a uniform or of a buffer's elements.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Builtin(Type),
    /// The constructor, the shapes of the fields, and the number of words of a value.
    Structure(Arc<Constructor>, Arc<[Shape]>, usize),
    Array(u32, Arc<Shape>),
}

/// The deepest nesting of shapes.
const MAX_DEPTH: u32 = 1000;

impl Shape {
    /// The shape of a structure.
    pub(super) fn structure(constructor: &Arc<Constructor>, fields: Vec<Self>) -> Self {
        let size = fields.iter().map(Self::size).fold(0, usize::saturating_add);
        Self::Structure(Arc::clone(constructor), fields.into(), size)
    }

    /// The depth of nesting; `None` if it is deeper than the compiler accepts.
    pub(super) fn depth(&self) -> Option<u32> {
        // Recursion is bounded: the depth of the parts has been checked before.
        let depth = match self {
            Self::Builtin(_) => 0,
            Self::Structure(_, fields, _) => {
                let all: Option<Vec<u32>> = fields.iter().map(Self::depth).collect();
                1 + all?.into_iter().max().unwrap_or(0)
            }
            Self::Array(_, element) => 1 + element.depth()?,
        };
        (depth <= MAX_DEPTH).then_some(depth)
    }

    /// The type in a table, where its structures have no names.
    pub(super) fn declare(&self, types: &mut Types) -> Result<Type, TypeLimit> {
        match self {
            Self::Builtin(ty) => Ok(*ty),
            Self::Array(count, element) => {
                let element = element.declare(types)?;
                types.add_array(element, *count)
            }
            Self::Structure(constructor, shapes, _) => {
                let mut fields = Vec::with_capacity(shapes.len());
                for (name, shape) in constructor.fields.iter().zip(&**shapes) {
                    let ty = shape.declare(types)?;
                    fields.push(Field { name: (&**name).into(), ty, is_generic: false });
                }
                types.add_structure(Structure { name: "".into(), fields: fields.into() })
            }
        }
    }

    /// Appends the words of a missing default: zeros, and identity matrices.
    pub(super) fn zero(&self, types: &Types, words: &mut Vec<u32>) {
        match self {
            Self::Builtin(ty) => {
                let first = words.len();
                words.resize(first + types.components(*ty), 0);
                if let Some(TypeKind::Matrix(Scalar::F32, n)) = ty.builtin() {
                    let diagonal = words[first..].iter_mut().step_by(usize::from(n) + 1);
                    diagonal.for_each(|word| *word = 1f32.to_bits());
                }
            }
            Self::Structure(_, fields, _) => fields.iter().for_each(|f| f.zero(types, words)),
            Self::Array(count, element) => (0..*count).for_each(|_| element.zero(types, words)),
        }
    }

    /// The number of words of a value.
    fn size(&self) -> usize {
        match self {
            Self::Builtin(ty) => match ty.builtin() {
                Some(TypeKind::Vector(_, n)) => n.into(),
                Some(TypeKind::Matrix(_, n)) => usize::from(n) * usize::from(n),
                _ => 1,
            },
            Self::Structure(.., size) => *size,
            Self::Array(count, element) => (*count as usize).saturating_mul(element.size()),
        }
    }

    /// The value with these words; `None` if the number of words is wrong.
    pub(super) fn stored(&self, words: &Arc<[u32]>) -> Option<Stored> {
        (words.len() == self.size()).then(|| self.part(words, 0))
    }

    /// The value whose words begin at `start`.
    fn part(&self, words: &Arc<[u32]>, start: usize) -> Stored {
        match self {
            Self::Builtin(ty) => {
                Stored::Data(Data { ty: *ty, words: words[start..start + self.size()].into() })
            }
            Self::Structure(..) | Self::Array(..) => {
                Stored::Parts(StoredParts { shape: self.clone(), words: words.clone(), start })
            }
        }
    }
}

/// A value in the words of a uniform, a constant or an element of a buffer.
pub(super) enum Stored {
    Data(Data),
    Parts(StoredParts),
}

/// A structure or an array in such words.
#[derive(Debug)]
pub(super) struct StoredParts {
    shape: Shape,
    words: Arc<[u32]>,
    /// Its first word.
    start: usize,
}

impl StoredParts {
    /// The constructor of a structure; `None` for an array.
    pub(super) fn constructor(&self) -> Option<&Arc<Constructor>> {
        match &self.shape {
            Shape::Structure(constructor, ..) => Some(constructor),
            Shape::Array(..) | Shape::Builtin(_) => None,
        }
    }

    /// The number of parts.
    pub(super) fn len(&self) -> usize {
        match &self.shape {
            Shape::Structure(_, fields, _) => fields.len(),
            Shape::Array(count, _) => *count as usize,
            Shape::Builtin(_) => 0,
        }
    }

    /// A part, whose index must be less than [`Self::len`].
    pub(super) fn get(&self, index: usize) -> Stored {
        let (shape, before) = match &self.shape {
            Shape::Structure(_, fields, _) => {
                (&fields[index], fields[..index].iter().map(Shape::size).sum())
            }
            Shape::Array(_, element) => (&**element, index * element.size()),
            Shape::Builtin(_) => unreachable!("it is a structure or an array"),
        };
        shape.part(&self.words, self.start + before)
    }
}
