//! The primitive operations of the core, and what each does to bits.
//!
//! A backend implements these and nothing else; every other builtin is an expansion into them.
//! [`Op::apply`] is the meaning: constant folding and both evaluators go through it.
//!
//! Values are slices of `u32`, one word per component (`f32::to_bits`, or 0/1 for `bool`), vectors
//! in order, matrices by columns.

use crate::math;
use crate::types::{Type, TypeKind, Types};

/// Defines [`Elementary`]: a variant for each function of [`math`], whose name there is its name in
/// λV and in core text.
macro_rules! elementary {
    (unary { $($one:ident = $one_name:ident,)* } binary { $($two:ident = $two_name:ident,)* }) => {
        /// A correctly rounded function of LANGUAGE §6.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each is the function of its name")]
        pub enum Elementary { $($one,)* $($two,)* }

        impl Elementary {
            /// All of them.
            pub const ALL: [Self; [$(stringify!($one),)* $(stringify!($two),)*].len()] =
                [$(Self::$one,)* $(Self::$two,)*];

            /// The name in λV and in core text.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$one => stringify!($one_name),)*
                    $(Self::$two => stringify!($two_name),)*
                }
            }

            /// 1 or 2.
            pub fn arity(self) -> usize {
                match self {
                    $(Self::$one)|* => 1,
                    $(Self::$two)|* => 2,
                }
            }

            /// The correctly rounded value of the unary function at `x`, or of the binary one at
            /// `(x, y)` in the order of the λV operands; `y` is ignored by unary functions.
            pub fn evaluate(self, x: f32, y: f32) -> f32 {
                match self {
                    $(Self::$one => math::$one_name(x),)*
                    $(Self::$two => math::$two_name(x, y),)*
                }
            }
        }
    };
}

elementary! {
    unary {
        Sin = sin,
        Cos = cos,
        Tan = tan,
        Asin = asin,
        Acos = acos,
        Atan = atan,
        Sinh = sinh,
        Cosh = cosh,
        Tanh = tanh,
        Asinh = asinh,
        Acosh = acosh,
        Atanh = atanh,
        Exp = exp,
        Exp2 = exp2,
        Log = log,
        Log2 = log2,
    }
    binary {
        // (atan2 y x)
        Atan2 = atan2,
        // (pow x y)
        Pow = pow,
    }
}

/// The bits of every NaN that an operation computes.
pub const NAN: u32 = 0x7fc0_0000;

fn word(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// A primitive operation: total, pure, reading only its own operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Componentwise on `num` and vectors: `-x`.
    Neg,
    /// Componentwise: the sign bit cleared.
    Abs,
    /// Componentwise: toward −∞.
    Floor,
    /// Componentwise: toward +∞.
    Ceil,
    /// Componentwise: toward zero.
    Trunc,
    /// Componentwise: to nearest, ties to even.
    RoundEven,
    /// Componentwise: IEEE square root.
    Sqrt,
    /// Componentwise on two equal types.
    Add,
    /// Componentwise on two equal types.
    Sub,
    /// Componentwise on two equal types.
    Mul,
    /// Componentwise on two equal types.
    Div,
    /// Componentwise: `b < a ? b : a`.
    Min,
    /// Componentwise: `a < b ? b : a`.
    Max,
    /// Componentwise to `bool`/`bvec`.
    Less,
    /// Componentwise to `bool`/`bvec`.
    LessEqual,
    /// Componentwise to `bool`/`bvec`, of two equal types of numbers or of bools.
    Equal,
    /// The negation of [`Op::Equal`].
    NotEqual,
    /// Componentwise on bools.
    And,
    /// Componentwise on bools.
    Or,
    /// Componentwise on bools.
    Not,
    /// `bvec` to `bool`.
    Any,
    /// `bvec` to `bool`.
    All,
    /// `(c, a, b)`: of a `bool`, a whole value of any type; of a `bvecN`, componentwise.
    Select,
    /// A vector from its scalars, or a matrix from its columns. The type is that of the result.
    Construct(Type),
    /// One component of a vector.
    Component(u8),
    /// One column of a matrix.
    Column(u8),
    /// Componentwise.
    Elementary(Elementary),
}

impl Op {
    /// The type of the result for operands of these types, or `None` where the operation is not
    /// defined on them.
    pub fn result_type(self, types: &Types, operands: &[Type]) -> Option<Type> {
        match (self, operands) {
            (
                Self::Neg
                | Self::Abs
                | Self::Floor
                | Self::Ceil
                | Self::Trunc
                | Self::RoundEven
                | Self::Sqrt,
                &[a],
            ) if a.is_num() => Some(a),
            (Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Min | Self::Max, &[a, b])
                if a == b && a.is_num() =>
            {
                Some(a)
            }
            (Self::Less | Self::LessEqual, &[a, b]) if a == b && a.is_num() => {
                Some(Type::bvec(a.width()?))
            }
            (Self::Equal | Self::NotEqual, &[a, b]) if a == b => Some(Type::bvec(a.width()?)),
            (Self::And | Self::Or, &[a, b]) if a == b && a.is_bool() => Some(a),
            (Self::Not, &[a]) if a.is_bool() => Some(a),
            (Self::Any | Self::All, &[a]) if a.is_bool() && a != Type::BOOL => Some(Type::BOOL),
            (Self::Select, &[Type::BOOL, a, b]) if a == b => Some(a),
            (Self::Select, &[c, a, b]) if a == b && c.is_bool() && a.width() == c.width() => {
                Some(a)
            }
            (Self::Construct(ty), parts) if !matches!(types.kind(ty), TypeKind::Scalar(_)) => {
                types.parts(ty).eq(parts.iter().copied()).then_some(ty)
            }
            (Self::Component(k), &[a]) if matches!(types.kind(a), TypeKind::Vector(..)) => {
                types.part(a, k.into()).map(|(part, _)| part)
            }
            (Self::Column(k), &[a]) if matches!(types.kind(a), TypeKind::Matrix(..)) => {
                types.part(a, k.into()).map(|(part, _)| part)
            }
            (Self::Elementary(f), &[a]) if f.arity() == 1 && a.is_num() => Some(a),
            (Self::Elementary(f), &[a, b]) if f.arity() == 2 && a == b && a.is_num() => Some(a),
            _ => None,
        }
    }

    /// Computes the operation. `of` are the operands' types, for which [`Op::result_type`] must be
    /// `Some`; `out` has as many words as the result has components.
    ///
    /// A NaN that is computed is always [`NAN`], so that folded constants, and with them printed
    /// core, are the same on every machine (x86 makes negative NaNs, others positive ones).
    pub fn apply(self, types: &Types, of: &[Type], operands: &[&[u32]], out: &mut [u32]) {
        let num = |k: usize, i: usize| f32::from_bits(operands[k][i]);
        match self {
            Self::Any => out[0] = u32::from(operands[0].iter().any(|&b| b != 0)),
            Self::All => out[0] = u32::from(operands[0].iter().all(|&b| b != 0)),
            Self::Component(k) | Self::Column(k) => {
                let (_, first) = types.part(of[0], k.into()).expect("the operand has this part");
                out.copy_from_slice(&operands[0][first..][..out.len()]);
            }
            Self::Construct(_) => {
                let mut at = 0;
                for part in operands {
                    out[at..at + part.len()].copy_from_slice(part);
                    at += part.len();
                }
            }
            Self::Select if of[0] == Type::BOOL => {
                out.copy_from_slice(if operands[0][0] != 0 { operands[1] } else { operands[2] });
            }
            _ => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = match self {
                        Self::Neg => word(-num(0, i)),
                        Self::Abs => word(num(0, i).abs()),
                        Self::Floor => word(num(0, i).floor()),
                        Self::Ceil => word(num(0, i).ceil()),
                        Self::Trunc => word(num(0, i).trunc()),
                        Self::RoundEven => word(num(0, i).round_ties_even()),
                        Self::Sqrt => word(num(0, i).sqrt()),
                        Self::Add => word(num(0, i) + num(1, i)),
                        Self::Sub => word(num(0, i) - num(1, i)),
                        Self::Mul => word(num(0, i) * num(1, i)),
                        Self::Div => word(num(0, i) / num(1, i)),
                        Self::Min => operands[usize::from(num(1, i) < num(0, i))][i],
                        Self::Max => operands[usize::from(num(0, i) < num(1, i))][i],
                        Self::Less => u32::from(num(0, i) < num(1, i)),
                        Self::LessEqual => u32::from(num(0, i) <= num(1, i)),
                        Self::Equal if of[0].is_num() => u32::from(num(0, i) == num(1, i)),
                        Self::Equal => u32::from(operands[0][i] == operands[1][i]),
                        Self::NotEqual if of[0].is_num() => u32::from(num(0, i) != num(1, i)),
                        Self::NotEqual => u32::from(operands[0][i] != operands[1][i]),
                        Self::And => operands[0][i] & operands[1][i],
                        Self::Or => operands[0][i] | operands[1][i],
                        Self::Not => operands[0][i] ^ 1,
                        Self::Select => operands[if operands[0][i] != 0 { 1 } else { 2 }][i],
                        Self::Elementary(f) => {
                            let y = if f.arity() == 2 { num(1, i) } else { 0.0 };
                            word(f.evaluate(num(0, i), y))
                        }
                        Self::Any
                        | Self::All
                        | Self::Component(_)
                        | Self::Column(_)
                        | Self::Construct(_) => unreachable!("handled above"),
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unary(op: Op, x: f32) -> u32 {
        binary(op, x, 0.0, &[Type::NUM])
    }

    fn binary(op: Op, a: f32, b: f32, of: &[Type]) -> u32 {
        let mut out = [0];
        let operands: [&[u32]; 2] = [&[a.to_bits()], &[b.to_bits()]];
        op.apply(&Types::default(), of, &operands[..of.len()], &mut out);
        out[0]
    }

    #[test]
    fn computed_nans_are_one() {
        let pair = [Type::NUM; 2];
        let negative = f32::from_bits(0xffc0_1234);
        assert_eq!(binary(Op::Div, 0.0, 0.0, &pair), NAN);
        assert_eq!(binary(Op::Sub, f32::INFINITY, f32::INFINITY, &pair), NAN);
        assert_eq!(binary(Op::Add, negative, 1.0, &pair), NAN);
        for op in [Op::Neg, Op::Abs, Op::Floor, Op::Sqrt] {
            assert_eq!(unary(op, negative), NAN, "{op:?}");
        }
        assert_eq!(unary(Op::Sqrt, -1.0), NAN);
    }

    #[test]
    fn signs_of_zero() {
        let pair = [Type::NUM; 2];
        let (plus, minus) = (0.0_f32.to_bits(), (-0.0_f32).to_bits());
        assert_eq!(unary(Op::Neg, 0.0), minus);
        assert_eq!(unary(Op::Ceil, -0.5), minus);
        assert_eq!(unary(Op::RoundEven, -0.5), minus);
        assert_eq!(unary(Op::Sqrt, -0.0), minus);
        assert_eq!(binary(Op::Min, 0.0, -0.0, &pair), plus);
        assert_eq!(binary(Op::Min, -0.0, 0.0, &pair), minus);
        assert_eq!(binary(Op::Max, -0.0, 0.0, &pair), minus);
        assert_eq!(binary(Op::Sub, 0.0, 0.0, &pair), plus);
    }

    #[test]
    fn minimum_and_maximum_keep_the_first_of_unordered() {
        let pair = [Type::NUM; 2];
        for op in [Op::Min, Op::Max] {
            assert_eq!(binary(op, 1.0, f32::NAN, &pair), 1.0_f32.to_bits());
            assert!(f32::from_bits(binary(op, f32::NAN, 1.0, &pair)).is_nan());
        }
    }
}
