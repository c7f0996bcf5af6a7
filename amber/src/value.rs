//! Numbers in buffers, and relations between them.

use std::fmt;

/// A number in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AmberValue {
    /// `float`.
    Float(f32),
    /// `int32`.
    Int(i32),
    /// `uint32`.
    Uint(u32),
}

/// A relation that numbers in a buffer must have to the expected ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AmberRelation {
    /// Equal; a NaN equals a NaN.
    Equal,
    /// Not equal.
    NotEqual,
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterEqual,
    /// No further away than this, or than this share of the expected number if that is true.
    Near(f64, bool),
}

impl AmberValue {
    fn number(self) -> f64 {
        match self {
            Self::Float(number) => number.into(),
            Self::Int(number) => number.into(),
            Self::Uint(number) => number.into(),
        }
    }

    /// A number of the same type with these bits.
    pub fn of_bits(self, bits: u32) -> Self {
        match self {
            Self::Float(_) => Self::Float(f32::from_bits(bits)),
            Self::Int(_) => Self::Int(bits as i32),
            Self::Uint(_) => Self::Uint(bits),
        }
    }

    /// True if this number, which was found, has the relation to the expected one.
    pub fn has(self, relation: AmberRelation, expected: Self) -> bool {
        let (found, expected) = (self.number(), expected.number());
        let equal = found == expected || found.is_nan() && expected.is_nan();
        match relation {
            AmberRelation::Equal => equal,
            AmberRelation::NotEqual => !equal,
            AmberRelation::Less => found < expected,
            AmberRelation::LessEqual => found <= expected,
            AmberRelation::Greater => found > expected,
            AmberRelation::GreaterEqual => found >= expected,
            AmberRelation::Near(by, is_share) => {
                let by = if is_share { by * expected.abs() } else { by };
                equal || (found - expected).abs() <= by
            }
        }
    }
}

/// `1.5`.
impl fmt::Display for AmberValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Uint(number) => write!(f, "{number}"),
        }
    }
}
