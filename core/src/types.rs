//! The types of values: an open set, interned.
//!
//! A [`Type`] is a handle of four bytes, which is compared, hashed and copied for nothing. The
//! table [`Types`] of the program that it belongs to says what stands behind it, a [`TypeKind`],
//! and answers what consumers want to know of any type: how many components it has, of which
//! scalar type each of them is, which parts it consists of and where these begin. The table is part
//! of the graph, and goes with it into its schedule.
//!
//! The types that every program has — scalars, vectors, matrices — have the same handles in all
//! tables, so that [`Type::NUM`] or [`Type::vec`] need no table, and neither does looking at one
//! of them ([`Type::builtin`]). A type that a program declares is a further variant of
//! [`TypeKind`], and an arm in the accessors of this file; code that goes through these needs no
//! change for it.
//!
//! # Invariants
//!
//! - Equal types are one handle of a table, so equality of handles is equality of types.
//! - The parts of a type have smaller handles than the type: what needs the parts first is a loop
//!   over [`Types::all`], and nothing recurses on how deep types are nested.

use rustc_hash::FxHashMap;
use std::fmt;

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// IEEE 754 binary32: `num`.
    F32,
    /// `bool`. As bits: 0 or 1.
    Bool,
    /// 32 bits, two's complement: `int`.
    I32,
    /// 32 bits without a sign: `uint`.
    U32,
}

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    /// `num`, `bool`, `int` or `uint`.
    Scalar(Scalar),
    /// `vec2`…`vec4`, `bvec2`…`bvec4`, `ivec2`…`ivec4`, `uvec2`…`uvec4`: component type and count.
    Vector(Scalar, u8),
    /// `mat2`…`mat4`: component type and number of columns (= rows). Stored by columns.
    Matrix(Scalar, u8),
}

/// The type of a value: a handle into the [`Types`] of its program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u32);

/// The kinds that every table has, at their handles, and their names in λV.
const BUILTIN: [(TypeKind, &str); 19] = {
    use Scalar::{Bool, F32, I32, U32};
    use TypeKind::{Matrix, Vector};
    [
        (TypeKind::Scalar(F32), "num"),
        (Vector(F32, 2), "vec2"),
        (Vector(F32, 3), "vec3"),
        (Vector(F32, 4), "vec4"),
        (TypeKind::Scalar(Bool), "bool"),
        (Vector(Bool, 2), "bvec2"),
        (Vector(Bool, 3), "bvec3"),
        (Vector(Bool, 4), "bvec4"),
        (Matrix(F32, 2), "mat2"),
        (Matrix(F32, 3), "mat3"),
        (Matrix(F32, 4), "mat4"),
        (TypeKind::Scalar(I32), "int"),
        (Vector(I32, 2), "ivec2"),
        (Vector(I32, 3), "ivec3"),
        (Vector(I32, 4), "ivec4"),
        (TypeKind::Scalar(U32), "uint"),
        (Vector(U32, 2), "uvec2"),
        (Vector(U32, 3), "uvec3"),
        (Vector(U32, 4), "uvec4"),
    ]
};

impl Type {
    /// `num`.
    pub const NUM: Self = Self(0);
    /// `bool`.
    pub const BOOL: Self = Self(4);
    /// `int`.
    pub const INT: Self = Self(11);
    /// `uint`.
    pub const UINT: Self = Self(15);

    /// `vecN`, or `num` for 1.
    pub const fn vec(n: u8) -> Self {
        Self::of(Scalar::F32, n)
    }

    /// `bvecN`, or `bool` for 1.
    pub const fn bvec(n: u8) -> Self {
        Self::of(Scalar::Bool, n)
    }

    /// `matN`.
    pub const fn mat(n: u8) -> Self {
        assert!(2 <= n && n <= 4, "matrices have 2 to 4 columns");
        Self(6 + n as u32)
    }

    /// The scalar (`n` = 1) or vector type with `n` components.
    pub const fn of(scalar: Scalar, n: u8) -> Self {
        assert!(1 <= n && n <= 4, "vectors have 2 to 4 components");
        match scalar {
            Scalar::F32 => Self(Self::NUM.0 + n as u32 - 1),
            Scalar::Bool => Self(Self::BOOL.0 + n as u32 - 1),
            Scalar::I32 => Self(Self::INT.0 + n as u32 - 1),
            Scalar::U32 => Self(Self::UINT.0 + n as u32 - 1),
        }
    }

    /// What a type that every program has is; `None` for a type that a program declares.
    pub const fn builtin(self) -> Option<TypeKind> {
        let index = self.0 as usize;
        if index < BUILTIN.len() { Some(BUILTIN[index].0) } else { None }
    }

    /// The name of a type that every program has; `None` for a type that a program declares.
    pub fn name(self) -> Option<&'static str> {
        BUILTIN.get(self.0 as usize).map(|(_, name)| *name)
    }

    /// The type that every program has under that name, as written in `uniform`, `the` and
    /// parameter annotations.
    pub fn from_name(name: &str) -> Option<Self> {
        BUILTIN.iter().zip(0..).find(|((_, known), _)| *known == name).map(|(_, id)| Self(id))
    }

    /// The names that [`Type::from_name`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(_, name)| *name)
    }

    /// The component type of a scalar or vector; `None` for any other type.
    pub const fn scalar(self) -> Option<Scalar> {
        match self.builtin() {
            Some(TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _)) => Some(scalar),
            Some(TypeKind::Matrix(..)) | None => None,
        }
    }

    /// Whether it is `num` or a vector of it.
    pub fn is_num(self) -> bool {
        self.scalar() == Some(Scalar::F32)
    }

    /// Whether it is `bool` or a vector of it.
    pub fn is_bool(self) -> bool {
        self.scalar() == Some(Scalar::Bool)
    }

    /// Whether it is `int`, `uint` or a vector of one of them.
    pub fn is_integer(self) -> bool {
        matches!(self.scalar(), Some(Scalar::I32 | Scalar::U32))
    }

    /// Whether it is a square matrix.
    pub fn is_matrix(self) -> bool {
        matches!(self.builtin(), Some(TypeKind::Matrix(..)))
    }

    /// The number of components of a scalar (1) or vector; `None` for any other type.
    pub fn width(self) -> Option<u8> {
        match self.builtin()? {
            TypeKind::Scalar(_) => Some(1),
            TypeKind::Vector(_, n) => Some(n),
            TypeKind::Matrix(..) => None,
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "type {}", self.0),
        }
    }
}

/// The types of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Types {
    kinds: Vec<TypeKind>,
    /// How many components each of them has.
    components: Vec<u32>,
    ids: FxHashMap<TypeKind, Type>,
}

impl Default for Types {
    /// Those that every program has.
    fn default() -> Self {
        let mut types = Self { kinds: vec![], components: vec![], ids: FxHashMap::default() };
        for (kind, _) in BUILTIN {
            types.intern(kind);
        }
        types
    }
}

impl Types {
    /// The type of that kind, whose parts are types of this table.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        let next = Type(self.kinds.len() as u32);
        let id = *self.ids.entry(kind).or_insert(next);
        if id == next {
            self.components.push(match kind {
                TypeKind::Scalar(_) => 1,
                TypeKind::Vector(_, n) => n.into(),
                TypeKind::Matrix(_, n) => u32::from(n) * u32::from(n),
            });
            self.kinds.push(kind);
        }
        id
    }

    /// All of them, parts before what consists of them.
    pub fn all(&self) -> impl Iterator<Item = Type> + use<> {
        (0..self.kinds.len() as u32).map(Type)
    }

    /// What a type is.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty.0 as usize]
    }

    /// How many components a value consists of (16 for `mat4`): each is one word.
    pub fn components(&self, ty: Type) -> usize {
        self.components[ty.0 as usize] as usize
    }

    /// The type of the component of that index, parts being in order (matrices by columns).
    pub fn component(&self, ty: Type, index: usize) -> Scalar {
        debug_assert!(index < self.components(ty), "there is no such component");
        match *self.kind(ty) {
            TypeKind::Scalar(scalar)
            | TypeKind::Vector(scalar, _)
            | TypeKind::Matrix(scalar, _) => scalar,
        }
    }

    /// The type of each component, in order.
    pub fn scalars(&self, ty: Type) -> impl ExactSizeIterator<Item = Scalar> {
        (0..self.components(ty)).map(move |index| self.component(ty, index))
    }

    /// The parts that a value is constructed from: the components of a vector, the columns of a
    /// matrix; none of a scalar.
    pub fn parts(&self, ty: Type) -> impl ExactSizeIterator<Item = Type> {
        let (part, count) = match *self.kind(ty) {
            TypeKind::Scalar(_) => (ty, 0),
            TypeKind::Vector(scalar, n) => (Type::of(scalar, 1), n),
            TypeKind::Matrix(scalar, n) => (Type::of(scalar, n), n),
        };
        std::iter::repeat_n(part, count.into())
    }

    /// The part of that index, and the index of its first component.
    pub fn part(&self, ty: Type, index: usize) -> Option<(Type, usize)> {
        match *self.kind(ty) {
            TypeKind::Vector(scalar, n) if index < n.into() => Some((Type::of(scalar, 1), index)),
            TypeKind::Matrix(scalar, n) if index < n.into() => {
                Some((Type::of(scalar, n), index * usize::from(n)))
            }
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix(..) => None,
        }
    }

    /// How it is written in λV and in messages.
    pub fn name(&self, ty: Type) -> impl fmt::Display {
        BUILTIN[ty.0 as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_handles_in_every_table() {
        let mut types = Types::default();
        for (ty, (kind, name)) in types.all().collect::<Vec<_>>().into_iter().zip(BUILTIN) {
            assert_eq!(types.intern(kind), ty);
            assert_eq!(types.kind(ty), &kind);
            assert_eq!(ty.builtin(), Some(kind));
            assert_eq!(types.name(ty).to_string(), name);
            assert_eq!(Type::from_name(name), Some(ty));
            let made = match kind {
                TypeKind::Scalar(scalar) => Type::of(scalar, 1),
                TypeKind::Vector(scalar, n) => Type::of(scalar, n),
                TypeKind::Matrix(_, n) => Type::mat(n),
            };
            assert_eq!(made, ty);
        }
        assert_eq!(types.all().count(), BUILTIN.len());
        assert_eq!([Type::NUM, Type::BOOL], [Type::vec(1), Type::bvec(1)]);
        let integers = [Type::INT, Type::UINT];
        assert_eq!(integers, [Scalar::I32, Scalar::U32].map(|scalar| Type::of(scalar, 1)));
    }

    #[test]
    fn parts_make_up_the_components() {
        let types = Types::default();
        for ty in types.all() {
            let scalars: Vec<Scalar> = types.scalars(ty).collect();
            assert_eq!(scalars.len(), types.components(ty));
            let mut all = Vec::new();
            for (k, part) in types.parts(ty).enumerate() {
                assert!(part < ty);
                assert_eq!(types.part(ty, k), Some((part, all.len())));
                all.extend(types.scalars(part));
            }
            assert_eq!(types.part(ty, types.parts(ty).len()), None);
            if all.is_empty() {
                assert!(matches!(types.kind(ty), TypeKind::Scalar(_)));
            } else {
                assert_eq!(all, scalars);
            }
        }
    }
}
