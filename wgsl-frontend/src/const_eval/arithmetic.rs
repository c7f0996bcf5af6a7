//! Operators on scalars.

use super::value::{Constant, Fault};
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{Binary, Unary};
use crate::types::Scalar;

/// An operation of two scalars of type `scalar`; of a shift, the second is a u32 or an abstract integer.
pub(crate) fn binary(
    op: Binary,
    scalar: Scalar,
    a: &Constant,
    b: &Constant,
) -> Result<Constant, Fault> {
    match (a, b) {
        (Constant::Int(a), Constant::Int(b)) => abstract_ints(op, *a, *b),
        (Constant::Int(a), Constant::Word(b)) => abstract_ints(op, *a, i64::from(*b)),
        (Constant::Wide(a), Constant::Wide(b)) => match is_active(Mutant::SingleConstants) {
            true => floats(op, *a, *b, |value: f64| Constant::wide(f64::from(value as f32))),
            false => floats(op, *a, *b, Constant::wide),
        },
        (Constant::Word(a), Constant::Int(b)) => {
            // Only shifts mix them.
            let count = u32::try_from(*b).map_err(|_| Fault::Shift(32))?;
            integers(op, scalar, *a, count)
        }
        (Constant::Word(a), Constant::Word(b)) => match scalar {
            Scalar::Float => floats(op, f32::from_bits(*a), f32::from_bits(*b), Constant::float),
            Scalar::Bool => Ok(Constant::bool(match op {
                Binary::And => a & b != 0,
                Binary::Or => a | b != 0,
                Binary::Equal => a == b,
                _ => a != b,
            })),
            _ => integers(op, scalar, *a, *b),
        },
        _ => Ok(Constant::Zero),
    }
}

/// An operation of one scalar.
pub(crate) fn unary(op: Unary, scalar: Scalar, a: &Constant) -> Result<Constant, Fault> {
    Ok(match (op, a) {
        (Unary::Negate, Constant::Int(value)) => {
            Constant::Int(value.checked_neg().ok_or(Fault::Overflow("an abstract integer"))?)
        }
        (Unary::Complement, Constant::Int(value)) => Constant::Int(!value),
        (Unary::Negate, Constant::Wide(value)) => Constant::Wide(-value),
        (Unary::Negate, Constant::Word(word)) if scalar == Scalar::Float => {
            Constant::Word(word ^ 1 << 31)
        }
        (Unary::Negate, Constant::Word(word)) => Constant::Word(word.wrapping_neg()),
        (Unary::Complement, Constant::Word(word)) => Constant::Word(!word),
        (Unary::Not, Constant::Word(word)) => Constant::Word(word ^ 1),
        _ => a.clone(),
    })
}

fn abstract_ints(op: Binary, a: i64, b: i64) -> Result<Constant, Fault> {
    let overflow = Fault::Overflow("an abstract integer");
    let checked = |value: Option<i64>| value.map(Constant::Int).ok_or(overflow);
    match op {
        Binary::Add => checked(a.checked_add(b)),
        Binary::Subtract => checked(a.checked_sub(b)),
        Binary::Multiply => checked(a.checked_mul(b)),
        Binary::Divide | Binary::Remainder if b == 0 => Err(Fault::DivisionByZero),
        Binary::Divide => checked(a.checked_div(b)),
        Binary::Remainder => checked(a.checked_rem(b)),
        Binary::And => Ok(Constant::Int(a & b)),
        Binary::Or => Ok(Constant::Int(a | b)),
        Binary::Xor => Ok(Constant::Int(a ^ b)),
        Binary::ShiftLeft | Binary::ShiftRight if !(0..64).contains(&b) => Err(Fault::Shift(64)),
        Binary::ShiftLeft => match (a << b) >> b == a {
            true => Ok(Constant::Int(a << b)),
            false => Err(Fault::ShiftLoses),
        },
        Binary::ShiftRight => Ok(Constant::Int(a >> b)),
        _ => Ok(Constant::bool(compare(op, a, b))),
    }
}

fn compare<T: PartialOrd>(op: Binary, a: T, b: T) -> bool {
    match op {
        Binary::Less => a < b,
        Binary::Greater => a > b,
        Binary::LessEqual => a <= b,
        Binary::GreaterEqual => a >= b,
        Binary::Equal => a == b,
        _ => a != b,
    }
}

fn integers(op: Binary, scalar: Scalar, a: u32, b: u32) -> Result<Constant, Fault> {
    let is_signed = scalar == Scalar::Int;
    let [x, y] = [a as i32, b as i32];
    let word = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide | Binary::Remainder if b == 0 => return Err(Fault::DivisionByZero),
        Binary::Divide | Binary::Remainder if is_signed && x == i32::MIN && y == -1 => {
            return Err(Fault::Overflow("i32"));
        }
        Binary::Divide if is_signed => (x / y) as u32,
        Binary::Divide => a / b,
        Binary::Remainder if is_signed => (x % y) as u32,
        Binary::Remainder => a % b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft | Binary::ShiftRight if b >= 32 => return Err(Fault::Shift(32)),
        Binary::ShiftLeft => {
            let shifted = a << b;
            let is_kept = if is_signed { (shifted as i32) >> b == x } else { shifted >> b == a };
            if !is_kept {
                return Err(Fault::ShiftLoses);
            }
            shifted
        }
        Binary::ShiftRight if is_signed => (x >> b) as u32,
        Binary::ShiftRight => a >> b,
        _ if is_signed => return Ok(Constant::bool(compare(op, x, y))),
        _ => return Ok(Constant::bool(compare(op, a, b))),
    };
    Ok(Constant::Word(word))
}

fn floats<T: super::real::Real>(
    op: Binary,
    a: T,
    b: T,
    made: fn(T) -> Result<Constant, Fault>,
) -> Result<Constant, Fault> {
    match op {
        Binary::Add => made(a.add(b)),
        Binary::Subtract => made(a.sub(b)),
        Binary::Multiply => made(a.mul(b)),
        Binary::Divide => made(a.div(b)),
        // The remainder of the running program, too, is this expression.
        Binary::Remainder => made(a.sub(b.mul(a.div(b).trunc()))),
        _ => Ok(Constant::bool(compare(op, a, b))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abstract_integers_overflow_and_concrete_ones_wrap() {
        let max = Constant::Int(i64::MAX);
        assert!(binary(Binary::Add, Scalar::AbstractInt, &max, &Constant::Int(1)).is_err());
        let sum = binary(Binary::Add, Scalar::Uint, &Constant::Word(u32::MAX), &Constant::Word(2));
        assert_eq!(sum, Ok(Constant::Word(1)));
        let least = Constant::Word(i32::MIN as u32);
        let minus = Constant::Word(u32::MAX);
        assert!(binary(Binary::Divide, Scalar::Int, &least, &minus).is_err());
        assert!(binary(Binary::Remainder, Scalar::Int, &minus, &Constant::Word(0)).is_err());
    }

    #[test]
    fn shifts_lose_no_bits() {
        let shift = |scalar, a: u32, b| {
            binary(Binary::ShiftLeft, scalar, &Constant::Word(a), &Constant::Word(b))
        };
        assert_eq!(shift(Scalar::Uint, 1, 31), Ok(Constant::Word(1 << 31)));
        assert_eq!(shift(Scalar::Int, 1, 31), Err(Fault::ShiftLoses));
        assert_eq!(shift(Scalar::Int, u32::MAX, 31), Ok(Constant::Word(1 << 31)));
        assert_eq!(shift(Scalar::Uint, 1, 32), Err(Fault::Shift(32)));
    }

    #[test]
    fn floats_must_be_finite() {
        let [one, zero] = [1.0_f32, 0.0].map(|x| Constant::Word(x.to_bits()));
        assert_eq!(binary(Binary::Divide, Scalar::Float, &one, &zero), Err(Fault::NotFinite));
        let [a, b] = [Constant::Wide(7.5), Constant::Wide(-2.0)];
        assert_eq!(
            binary(Binary::Remainder, Scalar::AbstractFloat, &a, &b),
            Ok(Constant::Wide(1.5))
        );
    }
}
