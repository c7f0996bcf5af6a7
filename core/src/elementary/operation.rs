//! The operations of bodies.

/// What a value of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// True or false.
    Mask,
}

impl Kind {
    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Of a float: the sign bit flipped.
    Neg,
    /// Of a float: the sign bit cleared.
    Abs,
    /// Of a float: toward zero.
    Trunc,
    /// Of a float: IEEE square root.
    Sqrt,
    /// Of two of a kind; of integers modulo their size.
    Add,
    /// Of two of a kind; of integers modulo their size.
    Sub,
    /// Of two floats.
    Mul,
    /// Of two floats.
    Div,
    /// Of two floats: `b < a ? b : a`.
    Min,
    /// Of two floats: `a < b ? b : a`.
    Max,
    /// Of two floats, to a mask.
    Less,
    /// Of two of a kind, to a mask.
    Equal,
    /// The negation of [`Op::Equal`].
    NotEqual,
    /// Of masks or integers.
    And,
    /// Of masks: `a` and not `b`.
    AndNot,
    /// Of masks or integers.
    Or,
    /// Of a mask.
    Not,
    /// Of integers: to the left by a constant below their size.
    ShiftLeft(u8),
    /// Of integers: to the right by a constant below their size, zeros shifted in.
    ShiftRight(u8),
    /// `(c, a, b)`: by a mask, `a` where it holds, else `b`.
    Select,
    /// From `F32` to `F64`, exactly.
    Promote,
    /// From `F64` to `F32`, to nearest even.
    Demote,
    /// From `I64` to `I32`: the lower half.
    Narrow,
    /// The bits of a float as an integer of its size, or of an integer as a float.
    Bits,
}

impl Op {
    /// The kind of the result.
    ///
    /// # Panics
    ///
    /// If the operation is not defined on operands of these kinds.
    pub fn result(self, operands: &[Kind]) -> Kind {
        match (self, operands) {
            (Self::Neg | Self::Abs | Self::Trunc | Self::Sqrt, &[a]) if a.is_float() => a,
            (Self::Add | Self::Sub, &[a, b]) if a == b && a != Kind::Mask => a,
            (Self::Mul | Self::Div | Self::Min | Self::Max, &[a, b]) if a == b && a.is_float() => a,
            (Self::Less, &[a, b]) if a == b && a.is_float() => Kind::Mask,
            (Self::Equal | Self::NotEqual, &[a, b]) if a == b => Kind::Mask,
            (Self::And | Self::Or, &[a, b]) if a == b && !a.is_float() => a,
            (Self::AndNot, &[Kind::Mask, Kind::Mask]) | (Self::Not, &[Kind::Mask]) => Kind::Mask,
            (Self::ShiftLeft(n) | Self::ShiftRight(n), &[Kind::I32]) if n < 32 => Kind::I32,
            (Self::ShiftLeft(n) | Self::ShiftRight(n), &[Kind::I64]) if n < 64 => Kind::I64,
            (Self::Select, &[Kind::Mask, a, b]) if a == b => a,
            (Self::Promote, &[Kind::F32]) => Kind::F64,
            (Self::Demote, &[Kind::F64]) => Kind::F32,
            (Self::Narrow, &[Kind::I64]) => Kind::I32,
            (Self::Bits, &[Kind::F32]) => Kind::I32,
            (Self::Bits, &[Kind::I32]) => Kind::F32,
            (Self::Bits, &[Kind::F64]) => Kind::I64,
            (Self::Bits, &[Kind::I64]) => Kind::F64,
            _ => panic!("{self:?} is not defined on {operands:?}"),
        }
    }
}
