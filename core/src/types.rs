//! The types of values: scalars, vectors of 2 to 4, square matrices of 2 to 4.
//!
//! The enumeration is open: a later version adds integers and structures, so matches elsewhere
//! name what they handle and refuse the rest.

use std::fmt;

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// IEEE 754 binary32: `num`.
    F32,
    /// `bool`. As bits: 0 or 1.
    Bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `num` or `bool`.
    Scalar(Scalar),
    /// `vec2`…`vec4`, `bvec2`…`bvec4`: component type and count.
    Vector(Scalar, u8),
    /// `mat2`…`mat4`: component type and number of columns (= rows). Stored by columns.
    Matrix(Scalar, u8),
}

impl Type {
    /// `num`.
    pub const NUM: Self = Self::Scalar(Scalar::F32);
    /// `bool`.
    pub const BOOL: Self = Self::Scalar(Scalar::Bool);

    /// `vecN`, or `num` for 1.
    pub fn vec(n: u8) -> Self {
        Self::of(Scalar::F32, n)
    }

    /// `bvecN`, or `bool` for 1.
    pub fn bvec(n: u8) -> Self {
        Self::of(Scalar::Bool, n)
    }

    /// `matN`.
    pub fn mat(n: u8) -> Self {
        Self::Matrix(Scalar::F32, n)
    }

    /// The scalar (`n` = 1) or vector type with `n` components.
    pub fn of(scalar: Scalar, n: u8) -> Self {
        if n == 1 { Self::Scalar(scalar) } else { Self::Vector(scalar, n) }
    }

    /// The type of one component.
    pub fn scalar(self) -> Scalar {
        match self {
            Self::Scalar(s) | Self::Vector(s, _) | Self::Matrix(s, _) => s,
        }
    }

    /// How many scalars a value consists of (16 for `mat4`).
    pub fn components(self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Vector(_, n) => n.into(),
            Self::Matrix(_, n) => usize::from(n) * usize::from(n),
        }
    }

    /// The same shape with another component type; comparisons turn `vec3` into `bvec3`.
    pub fn with_scalar(self, scalar: Scalar) -> Self {
        match self {
            Self::Scalar(_) => Self::Scalar(scalar),
            Self::Vector(_, n) => Self::Vector(scalar, n),
            Self::Matrix(_, n) => Self::Matrix(scalar, n),
        }
    }

    /// The type of that name, as written in `uniform`, `the` and parameter annotations.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "num" => Self::NUM,
            "bool" => Self::BOOL,
            "vec2" => Self::vec(2),
            "vec3" => Self::vec(3),
            "vec4" => Self::vec(4),
            "bvec2" => Self::bvec(2),
            "bvec3" => Self::bvec(3),
            "bvec4" => Self::bvec(4),
            "mat2" => Self::mat(2),
            "mat3" => Self::mat(3),
            "mat4" => Self::mat(4),
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(Scalar::F32) => f.write_str("num"),
            Self::Scalar(Scalar::Bool) => f.write_str("bool"),
            Self::Vector(Scalar::F32, n) => write!(f, "vec{n}"),
            Self::Vector(Scalar::Bool, n) => write!(f, "bvec{n}"),
            Self::Matrix(Scalar::F32, n) => write!(f, "mat{n}"),
            Self::Matrix(Scalar::Bool, n) => write!(f, "bmat{n}"),
        }
    }
}
