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
    /// A part of an `F64`. Only a [`wide_body`](super::wide_body) has it, and what follows.
    Part(Part),
    /// Of two `I32`: the `I64` of which the first is the upper half, and the second the lower. Registers keep the lanes of
    /// such a value in another order than those of [`Op::Promote`], so a body has one of the two.
    Concat,
    /// From `I64` to `I32`: the upper half. With [`Op::Concat`].
    Upper,
    /// Of two `I32`: the upper word of both, the first above the second, moved to the left by a constant from 1 to 31.
    Funnel(u8),
    /// Of three `I32`, bit by bit: the bit of the table whose number their bits make, the first one's highest.
    Logic(u8),
}

/// A part of a number of binary64: |x| = 2^e m with an integer e and 1 ≤ m < 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// e; −∞ of a zero, ∞ of an infinity, NaN of NaN.
    Exponent,
    /// m; 1 of a zero and of ∞, NaN of NaN and of all that is below zero.
    Significand,
}

impl Part {
    /// That part of a number.
    pub fn of(self, x: f64) -> f64 {
        let (size, is_zero) = (x.abs(), x == 0.0);
        // Subnormal numbers are those of 2^-1022.
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
            (Self::Part(_), &[Kind::F64]) => Kind::F64,
            (Self::Demote, &[Kind::F64]) => Kind::F32,
            (Self::Narrow | Self::Upper, &[Kind::I64]) => Kind::I32,
            (Self::Concat, &[Kind::I32, Kind::I32]) => Kind::I64,
            (Self::Funnel(1..32), &[Kind::I32, Kind::I32]) => Kind::I32,
            (Self::Logic(_), &[Kind::I32, Kind::I32, Kind::I32]) => Kind::I32,
            (Self::Bits, &[Kind::F32]) => Kind::I32,
            (Self::Bits, &[Kind::I32]) => Kind::F32,
            (Self::Bits, &[Kind::F64]) => Kind::I64,
            (Self::Bits, &[Kind::I64]) => Kind::F64,
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
            // In two steps, so that neither power overflows.
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
