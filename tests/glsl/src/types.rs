//! Types of values.

/// The kind of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// One component.
    Scalar(Scalar),
    /// Two to four components.
    Vector(Scalar, u8),
    /// A matrix of floats: columns, then rows.
    Matrix(u8, u8),
    /// A structure, by its number in the program.
    Structure(usize),
    /// An array of at least one element.
    Array(Box<Self>, usize),
}

impl Type {
    /// `bool`.
    pub const BOOL: Self = Self::Scalar(Scalar::Bool);
    /// `int`.
    pub const INT: Self = Self::Scalar(Scalar::Int);
    /// `uint`.
    pub const UINT: Self = Self::Scalar(Scalar::Uint);
    /// `float`.
    pub const FLOAT: Self = Self::Scalar(Scalar::Float);

    /// A scalar, or a vector of two to four components.
    pub fn of(scalar: Scalar, width: u8) -> Self {
        if width == 1 { Self::Scalar(scalar) } else { Self::Vector(scalar, width) }
    }

    /// An array.
    pub fn array(element: Self, length: usize) -> Self {
        Self::Array(Box::new(element), length)
    }

    /// The components of a scalar or vector.
    pub fn width(&self) -> Option<u8> {
        match *self {
            Self::Scalar(_) => Some(1),
            Self::Vector(_, width) => Some(width),
            _ => None,
        }
    }

    /// The kind of the components of a scalar, vector or matrix.
    pub fn scalar(&self) -> Option<Scalar> {
        match *self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) => Some(scalar),
            Self::Matrix(..) => Some(Scalar::Float),
            _ => None,
        }
    }

    /// True for a scalar or vector of this kind.
    pub fn is_of(&self, scalar: Scalar) -> bool {
        self.width().is_some() && self.scalar() == Some(scalar)
    }

    /// True for a matrix.
    pub fn is_matrix(&self) -> bool {
        matches!(self, Self::Matrix(..))
    }

    /// True if the type is an array, or has one inside.
    pub fn has_array(&self, structures: &[Structure]) -> bool {
        match self {
            Self::Array(..) => true,
            Self::Structure(number) => {
                structures[*number].fields.iter().any(|(_, ty)| ty.has_array(structures))
            }
            _ => false,
        }
    }

    /// The kinds of all components in order: matrices by columns, structures by fields.
    pub fn components(&self, structures: &[Structure]) -> Vec<Scalar> {
        match self {
            Self::Void => Vec::new(),
            Self::Scalar(scalar) => vec![*scalar],
            Self::Vector(scalar, width) => vec![*scalar; usize::from(*width)],
            Self::Matrix(columns, rows) => vec![Scalar::Float; usize::from(columns * rows)],
            Self::Structure(number) => {
                let fields = &structures[*number].fields;
                fields.iter().flat_map(|(_, ty)| ty.components(structures)).collect()
            }
            Self::Array(element, length) => element.components(structures).repeat(*length),
        }
    }

    /// The number of components.
    pub fn size(&self, structures: &[Structure]) -> usize {
        match self {
            Self::Void => 0,
            Self::Scalar(_) => 1,
            Self::Vector(_, width) => usize::from(*width),
            Self::Matrix(columns, rows) => usize::from(columns * rows),
            Self::Structure(number) => {
                structures[*number].fields.iter().map(|(_, ty)| ty.size(structures)).sum()
            }
            Self::Array(element, length) => element.size(structures) * length,
        }
    }

    /// The type of the parts that an index selects, and their number.
    pub fn indexed(&self) -> Option<(Self, usize)> {
        match self {
            Self::Vector(scalar, width) => Some((Self::Scalar(*scalar), usize::from(*width))),
            Self::Matrix(columns, rows) => {
                Some((Self::of(Scalar::Float, *rows), usize::from(*columns)))
            }
            Self::Array(element, length) => Some(((**element).clone(), *length)),
            _ => None,
        }
    }
}

/// A structure.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The name of the type.
    pub name: String,
    /// The names and types of the fields.
    pub fields: Vec<(String, Type)>,
}
