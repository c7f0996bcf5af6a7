//! The operations of bodies.

/// The kind of a value of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A mask: true or false per lane.
    Mask,
}

impl BodyKind {
    /// True for floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// An operation of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyOp {
    /// A float with its sign bit flipped.
    Neg,
    /// A float with its sign bit cleared.
    Abs,
    /// A float rounded to an integer toward zero.
    Trunc,
    /// The IEEE square root of a float.
    Sqrt,
    /// The sum of two values of one kind; integers wrap.
    Add,
    /// The difference of two values of one kind; integers wrap.
    Sub,
    /// The product of two floats.
    Mul,
    /// The quotient of two floats.
    Div,
    /// Two floats: `b < a ? b : a`.
    Min,
    /// Two floats: `a < b ? b : a`.
    Max,
    /// Compares two floats; a mask.
    Less,
    /// Compares two values of one kind; a mask.
    Equal,
    /// The negation of [`BodyOp::Equal`].
    NotEqual,
    /// Bitwise and of two masks or integers.
    And,
    /// Two masks: `a` and not `b`.
    AndNot,
    /// Bitwise or of two masks or integers.
    Or,
    /// The negation of a mask.
    Not,
    /// An integer shifted left by a constant less than its size.
    ShiftLeft(u8),
    /// An integer shifted right by a constant less than its size, filled with zeros.
    ShiftRight(u8),
    /// `(c, a, b)`: `a` where the mask `c` is true, else `b`.
    Select,
    /// From `F32` to `F64`, exactly.
    Promote,
    /// From `F64` to `F32`, to nearest even.
    Demote,
    /// From `I64` to `I32`: the lower half.
    Narrow,
    /// Reinterprets the bits of a float as an integer of the same size, or of an integer as a float.
    Bits,
    /// From `I32` to `I32`: the word of the table at the operand's last three bits. Only a
    /// [`far_body`](super::far_body) uses this operation.
    Table(&'static [u32; 8]),
    /// A part of an `F64`. Only a [`wide_body`](super::wide_body) uses this operation and those below.
    Part(Part),
    /// An `I64` from two `I32`s, the upper half first. Registers keep the lanes of such a value in another
    /// order than those of [`BodyOp::Promote`], so a body uses one of the two.
    Concat,
    /// From `I64` to `I32`: the upper half. Used with [`BodyOp::Concat`].
    Upper,
    /// Funnel shift of two `I32`s: concatenated, the first above the second, and shifted left by a constant
    /// from 1 to 31; the upper word of the result.
    Funnel(u8),
    /// A bitwise function of three `I32`s by truth table: the result bit is the table's bit whose index
    /// consists of the operands' bits, the first operand's highest.
    Logic(u8),
}

/// A part of a binary64 number x: |x| = 2^e m with an integer e and 1 ≤ m < 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// e; −∞ for zero, ∞ for infinities, NaN for NaN.
    Exponent,
    /// m; 1 for zero and ∞, NaN for NaN and all negative numbers.
    Significand,
}

impl Part {
    /// This part of a number.
    pub fn of(self, x: f64) -> f64 {
        let (size, is_zero) = (x.abs(), x == 0.0);
        // Subnormal numbers are scaled by 2^52 first.
        let (normal, power) = match size < f64::MIN_POSITIVE {
            true => (size * 2_f64.powi(52), 1023 + 52),
            false => (size, 1023),
        };
        let bits = normal.to_bits();
        match self {
            _ if x.is_nan() => x,
            Self::Exponent if is_zero => f64::NEG_INFINITY,
            Self::Exponent if x.is_infinite() => f64::INFINITY,
            Self::Exponent => ((bits >> 52) as i32 - power).into(),
            Self::Significand if x < 0.0 => f64::NAN,
            Self::Significand if is_zero || x.is_infinite() => 1.0,
            Self::Significand => f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52),
        }
    }
}

impl BodyOp {
    /// The kind of the result.
    ///
    /// # Panics
    ///
    /// If the operation is not defined on operands of these kinds.
    pub fn result(self, operands: &[BodyKind]) -> BodyKind {
        match (self, operands) {
            (Self::Neg | Self::Abs | Self::Trunc | Self::Sqrt, &[a]) if a.is_float() => a,
            (Self::Add | Self::Sub, &[a, b]) if a == b && a != BodyKind::Mask => a,
            (Self::Mul | Self::Div | Self::Min | Self::Max, &[a, b]) if a == b && a.is_float() => a,
            (Self::Less, &[a, b]) if a == b && a.is_float() => BodyKind::Mask,
            (Self::Equal | Self::NotEqual, &[a, b]) if a == b => BodyKind::Mask,
            (Self::And | Self::Or, &[a, b]) if a == b && !a.is_float() => a,
            (Self::AndNot, &[BodyKind::Mask, BodyKind::Mask]) | (Self::Not, &[BodyKind::Mask]) => {
                BodyKind::Mask
            }
            (Self::ShiftLeft(n) | Self::ShiftRight(n), &[BodyKind::I32]) if n < 32 => BodyKind::I32,
            (Self::ShiftLeft(n) | Self::ShiftRight(n), &[BodyKind::I64]) if n < 64 => BodyKind::I64,
            (Self::Select, &[BodyKind::Mask, a, b]) if a == b => a,
            (Self::Promote, &[BodyKind::F32]) => BodyKind::F64,
            (Self::Part(_), &[BodyKind::F64]) => BodyKind::F64,
            (Self::Demote, &[BodyKind::F64]) => BodyKind::F32,
            (Self::Narrow | Self::Upper, &[BodyKind::I64]) => BodyKind::I32,
            (Self::Concat, &[BodyKind::I32, BodyKind::I32]) => BodyKind::I64,
            (Self::Funnel(1..32), &[BodyKind::I32, BodyKind::I32]) => BodyKind::I32,
            (Self::Logic(_), &[BodyKind::I32, BodyKind::I32, BodyKind::I32]) => BodyKind::I32,
            (Self::Table(_), &[BodyKind::I32]) => BodyKind::I32,
            (Self::Bits, &[BodyKind::F32]) => BodyKind::I32,
            (Self::Bits, &[BodyKind::I32]) => BodyKind::F32,
            (Self::Bits, &[BodyKind::F64]) => BodyKind::I64,
            (Self::Bits, &[BodyKind::I64]) => BodyKind::F64,
            _ => panic!("{self:?} is not defined on {operands:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn parts_make_the_number() {
        let least = f64::from_bits(1);
        for x in [1.0, 1.5, 0.75, 2.0, 3e-5, least, 3.0 * least, f64::MIN_POSITIVE, f64::MAX] {
            let (e, m) = (Part::Exponent.of(x), Part::Significand.of(x));
            assert!((1.0..2.0).contains(&m) && e.fract() == 0.0, "{x}: {m} 2^{e}");
            // Multiply in two steps, so that neither power overflows.
            let half = (e / 2.0).trunc();
            let made = m * 2_f64.powi(half as i32) * 2_f64.powi((e - half) as i32);
            assert_eq!(made, x);
            assert_eq!(Part::Exponent.of(-x), e);
            assert!(Part::Significand.of(-x).is_nan());
        }
        for (x, exponent) in [(0.0, f64::NEG_INFINITY), (f64::INFINITY, f64::INFINITY)] {
            assert_eq!(Part::Exponent.of(x), exponent);
            assert_eq!(Part::Exponent.of(-x), exponent);
            assert_eq!(Part::Significand.of(x), 1.0);
        }
        assert_eq!(Part::Significand.of(-0.0), 1.0);
        assert!(Part::Significand.of(f64::NEG_INFINITY).is_nan());
        assert!([Part::Exponent, Part::Significand].iter().all(|part| part.of(f64::NAN).is_nan()));
    }
}
