//! Conversions of scalars.

use super::value::{Constant, Fault};
use crate::types::Scalar;

/// Converts a scalar. An automatic conversion keeps the value or fails; an explicit one of a concrete number always
/// has a result: floats saturate, integers keep their bits.
pub(crate) fn converted(from: Scalar, to: Scalar, value: &Constant) -> Result<Constant, Fault> {
    let overflow = || Fault::Overflow(name(to));
    Ok(match (value, to) {
        _ if from == to => value.clone(),
        (Constant::Int(value), Scalar::Int) => {
            Constant::Word(i32::try_from(*value).map_err(|_| overflow())? as u32)
        }
        (Constant::Int(value), Scalar::Uint) => {
            Constant::Word(u32::try_from(*value).map_err(|_| overflow())?)
        }
        (Constant::Int(value), Scalar::Float) => Constant::Word((*value as f32).to_bits()),
        (Constant::Int(value), Scalar::AbstractFloat) => Constant::Wide(*value as f64),
        (Constant::Int(value), Scalar::Bool) => Constant::bool(*value != 0),
        (Constant::Wide(value), Scalar::Float) => {
            Constant::float(*value as f32).map_err(|_| overflow())?
        }
        (Constant::Wide(value), Scalar::Bool) => Constant::bool(*value != 0.0),
        (Constant::Wide(value), Scalar::Int) => Constant::Word(*value as i32 as u32),
        (Constant::Wide(value), Scalar::Uint) => Constant::Word(*value as u32),
        (Constant::Word(word), _) => Constant::Word(concrete(from, to, *word)),
        _ => value.clone(),
    })
}

fn concrete(from: Scalar, to: Scalar, word: u32) -> u32 {
    match (from, to) {
        (Scalar::Float, Scalar::Bool) => (f32::from_bits(word) != 0.0).into(),
        (_, Scalar::Bool) => (word != 0).into(),
        (Scalar::Bool | Scalar::Uint, Scalar::Float) => (word as f32).to_bits(),
        (Scalar::Int, Scalar::Float) => (word as i32 as f32).to_bits(),
        // `as` saturates, and makes 0 of NaN.
        (Scalar::Float, Scalar::Int) => f32::from_bits(word) as i32 as u32,
        (Scalar::Float, Scalar::Uint) => f32::from_bits(word) as u32,
        _ => word,
    }
}

fn name(of: Scalar) -> &'static str {
    match of {
        Scalar::Bool => "bool",
        Scalar::Int => "i32",
        Scalar::Uint => "u32",
        Scalar::Float => "f32",
        Scalar::AbstractInt => "an integer without a type",
        Scalar::AbstractFloat => "a float without a type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_keep_values_or_fail() {
        let int = |value| converted(Scalar::AbstractInt, Scalar::Int, &Constant::Int(value));
        assert_eq!(int(-1), Ok(Constant::Word(u32::MAX)));
        assert!(int(1 << 31).is_err());
        let wide = |value| converted(Scalar::AbstractFloat, Scalar::Float, &Constant::Wide(value));
        assert_eq!(wide(0.1), Ok(Constant::Word(0.1_f32.to_bits())));
        assert!(wide(1e39).is_err());
        let saturated =
            converted(Scalar::Float, Scalar::Uint, &Constant::Word((-3.5_f32).to_bits()));
        assert_eq!(saturated, Ok(Constant::Word(0)));
    }
}
