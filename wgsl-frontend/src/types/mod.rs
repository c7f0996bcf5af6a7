//! Types of WGSL, interned, and how they lie in memory.

mod kinds;

pub(crate) use kinds::{Access, Dim, Length, Scalar, Space, Texture, TextureKind};

use kinds::texture_name;
use lambdav_core::limits::TYPE_NESTING;
use lambdav_spirv::build::round_up;
use lambdav_spirv::names::Name;
use rustc_hash::FxHashMap;

/// A type, by its number in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Type(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The result of a function without one.
    Void,
    /// Something that was reported.
    Error,
    Scalar(Scalar),
    /// Component type and width.
    Vector(Scalar, u8),
    /// Component type, columns, rows.
    Matrix(Scalar, u8, u8),
    Array(Type, Length),
    /// The number of the structure.
    Struct(u32),
    Atomic(Scalar),
    Pointer(Space, Type, Access),
    Texture(Texture),
    /// True for one that compares.
    Sampler(bool),
}

/// A member of a structure, with its place in memory.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) offset: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) members: Vec<Member>,
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// For members without a type, the structure that has them as `f32` and `i32`.
    pub(crate) concrete: Option<Type>,
}

/// Facts about a type, of its parts, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Deepest nesting of structures and arrays.
    pub(crate) nesting: u32,
    /// Words of a value; saturating.
    pub(crate) words: u64,
    /// Bytes in memory; saturating. 0 for what has no place there.
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// True if values can be made, loaded and stored.
    pub(crate) is_constructible: bool,
    /// True if host programs can share it.
    pub(crate) is_shareable: bool,
    pub(crate) has_atomics: bool,
    pub(crate) is_open: bool,
}

#[derive(Debug)]
pub(crate) struct Types {
    kinds: Vec<Kind>,
    facts: Vec<Facts>,
    numbers: FxHashMap<Kind, Type>,
    pub(crate) structs: Vec<Struct>,
}

impl Types {
    pub(crate) const VOID: Type = Type(0);
    pub(crate) const ERROR: Type = Type(1);
    pub(crate) const BOOL: Type = Type(2);
    pub(crate) const INT: Type = Type(3);
    pub(crate) const UINT: Type = Type(4);
    pub(crate) const FLOAT: Type = Type(5);
    pub(crate) const ABSTRACT_INT: Type = Type(6);
    pub(crate) const ABSTRACT_FLOAT: Type = Type(7);

    pub(crate) fn new() -> Self {
        let mut types = Self {
            kinds: Vec::new(),
            facts: Vec::new(),
            numbers: FxHashMap::default(),
            structs: Vec::new(),
        };
        types.of(Kind::Void);
        types.of(Kind::Error);
        for scalar in [
            Scalar::Bool,
            Scalar::Int,
            Scalar::Uint,
            Scalar::Float,
            Scalar::AbstractInt,
            Scalar::AbstractFloat,
        ] {
            types.of(Kind::Scalar(scalar));
        }
        types
    }

    /// The type of a kind.
    pub(crate) fn of(&mut self, kind: Kind) -> Type {
        if let Some(&ty) = self.numbers.get(&kind) {
            return ty;
        }
        let ty = Type(self.kinds.len() as u32);
        let facts = self.compute(kind);
        self.kinds.push(kind);
        self.facts.push(facts);
        self.numbers.insert(kind, ty);
        ty
    }

    pub(crate) fn kind(&self, ty: Type) -> Kind {
        self.kinds[ty.0 as usize]
    }

    pub(crate) fn facts(&self, ty: Type) -> Facts {
        self.facts[ty.0 as usize]
    }

    pub(crate) fn scalar_type(&mut self, scalar: Scalar) -> Type {
        self.of(Kind::Scalar(scalar))
    }

    /// A vector, or a scalar of width 1.
    pub(crate) fn vector(&mut self, scalar: Scalar, width: u8) -> Type {
        match width {
            1 => self.of(Kind::Scalar(scalar)),
            _ => self.of(Kind::Vector(scalar, width)),
        }
    }

    pub(crate) fn matrix(&mut self, scalar: Scalar, columns: u8, rows: u8) -> Type {
        self.of(Kind::Matrix(scalar, columns, rows))
    }

    pub(crate) fn array(&mut self, element: Type, length: Length) -> Type {
        self.of(Kind::Array(element, length))
    }

    /// Adds a structure. Its members have their places.
    pub(crate) fn structure(&mut self, structure: Struct) -> Type {
        let number = self.structs.len() as u32;
        self.structs.push(structure);
        self.of(Kind::Struct(number))
    }

    /// The scalar of a scalar, vector or matrix, and of arrays of them.
    pub(crate) fn scalar(&self, ty: Type) -> Option<Scalar> {
        match self.kind(ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) | Kind::Matrix(scalar, ..) => {
                Some(scalar)
            }
            _ => None,
        }
    }

    /// The number of components of a scalar or vector.
    pub(crate) fn width(&self, ty: Type) -> Option<u8> {
        match self.kind(ty) {
            Kind::Scalar(_) => Some(1),
            Kind::Vector(_, width) => Some(width),
            _ => None,
        }
    }

    /// The same shape with another scalar.
    pub(crate) fn with_scalar(&mut self, ty: Type, scalar: Scalar) -> Type {
        match self.kind(ty) {
            Kind::Scalar(_) => self.scalar_type(scalar),
            Kind::Vector(_, width) => self.vector(scalar, width),
            Kind::Matrix(_, columns, rows) => self.matrix(scalar, columns, rows),
            _ => ty,
        }
    }

    /// The number of parts of a value: components, columns, elements, members.
    pub(crate) fn parts(&self, ty: Type) -> usize {
        match self.kind(ty) {
            Kind::Vector(_, width) => width.into(),
            Kind::Matrix(_, columns, _) => columns.into(),
            Kind::Array(_, Length::Known(length)) => length as usize,
            Kind::Struct(number) => self.structs[number as usize].members.len(),
            _ => 0,
        }
    }

    /// The type of a part.
    pub(crate) fn part(&mut self, ty: Type, k: usize) -> Type {
        match self.kind(ty) {
            Kind::Vector(scalar, _) => self.scalar_type(scalar),
            Kind::Matrix(scalar, _, rows) => self.vector(scalar, rows),
            Kind::Array(element, _) => element,
            Kind::Struct(number) => {
                self.structs[number as usize].members.get(k).map_or(Self::ERROR, |one| one.ty)
            }
            _ => Self::ERROR,
        }
    }

    /// True for a number without a type, and for composites of them.
    pub(crate) fn is_abstract(&self, ty: Type) -> bool {
        let mut ty = ty;
        // Arrays nest up to a limit.
        while let Kind::Array(element, _) = self.kind(ty) {
            ty = element;
        }
        match self.kind(ty) {
            Kind::Struct(number) => self.structs[number as usize].concrete.is_some(),
            _ => self.scalar(ty).is_some_and(Scalar::is_abstract),
        }
    }

    /// The type that a value gets by itself.
    pub(crate) fn concrete(&mut self, ty: Type) -> Type {
        match self.kind(ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) | Kind::Matrix(scalar, ..) => {
                self.with_scalar(ty, scalar.concrete())
            }
            Kind::Array(element, length) if self.is_abstract(element) => {
                let element = self.concrete(element);
                self.array(element, length)
            }
            Kind::Struct(number) => self.structs[number as usize].concrete.unwrap_or(ty),
            _ => ty,
        }
    }

    /// True for a texture or sampler, and for an array of them.
    pub(crate) fn is_handle(&self, ty: Type) -> bool {
        let ty = match self.kind(ty) {
            Kind::Array(element, _) => element,
            _ => ty,
        };
        matches!(self.kind(ty), Kind::Texture(_) | Kind::Sampler(_))
    }

    /// The distance in bytes of the elements of an array.
    pub(crate) fn stride(&self, element: Type) -> u32 {
        let facts = self.facts(element);
        round_up(facts.size, facts.align)
    }

    fn compute(&self, kind: Kind) -> Facts {
        let plain = Facts {
            nesting: 0,
            words: 1,
            size: 0,
            align: 1,
            is_constructible: false,
            is_shareable: false,
            has_atomics: false,
            is_open: false,
        };
        match kind {
            Kind::Void | Kind::Texture(_) | Kind::Sampler(_) | Kind::Pointer(..) => plain,
            Kind::Error => Facts { is_constructible: true, is_shareable: true, ..plain },
            Kind::Scalar(scalar) => Facts {
                size: 4,
                align: 4,
                is_constructible: true,
                is_shareable: scalar != Scalar::Bool,
                ..plain
            },
            Kind::Vector(scalar, width) => Facts {
                words: width.into(),
                size: 4 * u32::from(width),
                align: if width == 2 { 8 } else { 16 },
                is_constructible: true,
                is_shareable: scalar != Scalar::Bool,
                ..plain
            },
            Kind::Matrix(_, columns, rows) => {
                let align = if rows == 2 { 8 } else { 16 };
                Facts {
                    words: u64::from(columns) * u64::from(rows),
                    size: align * u32::from(columns),
                    align,
                    is_constructible: true,
                    is_shareable: true,
                    ..plain
                }
            }
            Kind::Atomic(_) => {
                Facts { size: 4, align: 4, is_shareable: true, has_atomics: true, ..plain }
            }
            Kind::Array(element, length) => {
                let of = self.facts(element);
                let count = match length {
                    Length::Known(count) => count,
                    Length::Open => 0,
                };
                let is_open = length == Length::Open;
                Facts {
                    nesting: of.nesting + 1,
                    words: of.words.saturating_mul(count.into()),
                    size: self.stride(element).saturating_mul(count),
                    is_constructible: of.is_constructible && !is_open,
                    is_open,
                    ..of
                }
            }
            Kind::Struct(number) => {
                let structure = &self.structs[number as usize];
                let mut all = Facts {
                    size: structure.size,
                    align: structure.align,
                    is_constructible: true,
                    is_shareable: true,
                    words: 0,
                    ..plain
                };
                for member in &structure.members {
                    let of = self.facts(member.ty);
                    all.nesting = all.nesting.max(of.nesting + 1);
                    all.words = all.words.saturating_add(of.words);
                    all.is_constructible &= of.is_constructible;
                    all.is_shareable &= of.is_shareable;
                    all.has_atomics |= of.has_atomics;
                    all.is_open |= of.is_open;
                }
                all
            }
        }
    }

    /// True if the type nests deeper than it may.
    pub(crate) fn is_too_deep(&self, ty: Type) -> bool {
        self.facts(ty).nesting > TYPE_NESTING - 2
    }

    /// As it is written.
    pub(crate) fn name(&self, ty: Type) -> String {
        match self.kind(ty) {
            Kind::Void => "nothing".to_owned(),
            Kind::Error => "?".to_owned(),
            Kind::Scalar(scalar) => scalar.name().to_owned(),
            Kind::Vector(scalar, width) => format!("vec{width}<{}>", scalar.name()),
            Kind::Matrix(scalar, columns, rows) => {
                format!("mat{columns}x{rows}<{}>", scalar.name())
            }
            Kind::Array(element, Length::Known(length)) => {
                format!("array<{}, {length}>", self.name(element))
            }
            Kind::Array(element, Length::Open) => format!("array<{}>", self.name(element)),
            Kind::Struct(number) => self.structs[number as usize].name.clone(),
            Kind::Atomic(scalar) => format!("atomic<{}>", scalar.name()),
            Kind::Pointer(space, ty, access) => {
                let access = match space {
                    Space::Storage => format!(", {}", access.name()),
                    _ => String::new(),
                };
                format!("ptr<{}, {}{access}>", space.name(), self.name(ty))
            }
            Kind::Texture(texture) => texture_name(texture),
            Kind::Sampler(compares) => {
                (if compares { "sampler_comparison" } else { "sampler" }).to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_specification() {
        let mut types = Types::new();
        let vec3 = types.vector(Scalar::Float, 3);
        let cases = [
            (types.vector(Scalar::Uint, 2), [8, 8]),
            (vec3, [12, 16]),
            (types.matrix(Scalar::Float, 3, 2), [24, 8]),
            (types.matrix(Scalar::Float, 2, 3), [32, 16]),
            (types.array(vec3, Length::Known(3)), [48, 16]),
            (types.array(Types::FLOAT, Length::Known(3)), [12, 4]),
        ];
        for (ty, [size, align]) in cases {
            let facts = types.facts(ty);
            assert_eq!([facts.size, facts.align], [size, align], "{}", types.name(ty));
        }
    }
}
