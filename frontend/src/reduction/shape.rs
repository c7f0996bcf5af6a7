//! Types as they are written, and values in the words of uniforms, constants and buffers, whose parts are made where
//! they are asked for. They know nothing of how the core lays them out.

use super::operate::Data;
use super::text::Constructor;
use lambdav_core::types::{Field, Scalar, Structure, Type, TypeKind, TypeLimit, Types};
use std::sync::Arc;

/// A type as it is written: that of a uniform, or of a buffer's elements.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Builtin(Type),
    /// Its constructor, the shapes of its fields, and how many words a value has.
    Structure(Arc<Constructor>, Arc<[Shape]>, usize),
    Array(u32, Arc<Shape>),
}

/// The deepest that shapes are nested.
const MAX_DEPTH: u32 = 1000;

impl Shape {
    /// That of a structure.
    pub(super) fn structure(constructor: &Arc<Constructor>, fields: Vec<Self>) -> Self {
        let size = fields.iter().map(Self::size).fold(0, usize::saturating_add);
        Self::Structure(Arc::clone(constructor), fields.into(), size)
    }

    /// How deep it is nested, or `None` where that is deeper than the compiler takes.
    pub(super) fn depth(&self) -> Option<u32> {
        // The parts have been asked before.
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

    /// The type in a table, whose structures have no names there.
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

    /// The words of a default that is left out: zeros, and identities for matrices.
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

    /// How many words a value has.
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

    /// The value with these words, if they are as many as it needs.
    pub(super) fn stored(&self, words: &Arc<[u32]>) -> Option<Stored> {
        (words.len() == self.size()).then(|| self.part(words, 0))
    }

    /// The value whose words begin there.
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

/// A value among the words of a uniform, a constant or an element of a buffer.
pub(super) enum Stored {
    Data(Data),
    Parts(StoredParts),
}

/// A structure or an array among such words.
#[derive(Debug)]
pub(super) struct StoredParts {
    shape: Shape,
    words: Arc<[u32]>,
    /// Its first word.
    start: usize,
}

impl StoredParts {
    /// What makes it, if it is a structure.
    pub(super) fn constructor(&self) -> Option<&Arc<Constructor>> {
        match &self.shape {
            Shape::Structure(constructor, ..) => Some(constructor),
            Shape::Array(..) | Shape::Builtin(_) => None,
        }
    }

    /// How many parts it has.
    pub(super) fn len(&self) -> usize {
        match &self.shape {
            Shape::Structure(_, fields, _) => fields.len(),
            Shape::Array(count, _) => *count as usize,
            Shape::Builtin(_) => 0,
        }
    }

    /// The part of that index, which must be below [`Self::len`].
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
