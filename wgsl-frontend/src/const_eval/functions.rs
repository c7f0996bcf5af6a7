//! Functions of the language on const-expressions.
//!
//! Functions that the raise expands to operations (`spirv-frontend`, `raise/glsl.rs`) are the same expressions
//! here, so that a constant has the bits that the running program would compute.

use super::bits;
use super::math::Math;
use super::real::Real;
use super::value::{Constant, Fault, scalars, zip};
use crate::types::Scalar;

/// The value of a function on operands of its parameter types; `scalar` is the type of the first one's components.
pub(crate) fn evaluate(
    function: Math,
    scalar: Scalar,
    operands: &[Constant],
) -> Result<Constant, Fault> {
    let all: Vec<&Constant> = operands.iter().collect();
    match function {
        Math::Dot
        | Math::Cross
        | Math::Length
        | Math::Distance
        | Math::Normalize
        | Math::FaceForward
        | Math::Reflect
        | Math::Refract
        | Math::Determinant
        | Math::Transpose => match scalar {
            Scalar::Float => vectors::<f32>(function, operands),
            Scalar::AbstractFloat => vectors::<f64>(function, operands),
            _ => bits::dot(scalar, operands),
        },
        Math::All | Math::Any => {
            let mut parts = scalars(&operands[0]).into_iter();
            let is_set = |part: Constant| part == Constant::Word(1);
            Ok(Constant::bool(match function {
                Math::All => parts.all(is_set),
                _ => parts.any(is_set),
            }))
        }
        Math::Select => match &operands[2] {
            Constant::Word(word) => Ok(operands[usize::from(*word != 0)].clone()),
            _ => zip(&[&operands[0], &operands[1], &operands[2]], &mut |of| {
                Ok(of[usize::from(*of[2] == Constant::Word(1))].clone())
            }),
        },
        Math::Pack(packing) => bits::pack(packing, &operands[0]),
        Math::Unpack(packing) => bits::unpack(packing, &operands[0]),
        Math::PackBytes { signed, clamped } => Ok(bits::pack_bytes(signed, clamped, &operands[0])),
        Math::UnpackBytes { signed } => Ok(bits::unpack_bytes(signed, &operands[0])),
        Math::DotBytes { signed } => Ok(bits::dot_bytes(signed, operands)),
        Math::ExtractBits | Math::InsertBits => bits::fields(function, scalar, operands),
        Math::Ldexp => zip(&all, &mut |of| bits::ldexp(scalar, of[0], of[1])),
        _ => zip(&all, &mut |of| match scalar {
            Scalar::Float => component::<f32>(function, of),
            Scalar::AbstractFloat => component::<f64>(function, of),
            _ => bits::integers(function, scalar, of),
        }),
    }
}

fn less<T: Real>(a: T, b: T) -> bool {
    a < b
}

/// As the core's `min`: the first operand unless the second is less.
fn min<T: Real>(a: T, b: T) -> T {
    if less(b, a) { b } else { a }
}

fn max<T: Real>(a: T, b: T) -> T {
    if less(a, b) { b } else { a }
}

fn component<T: Real>(function: Math, of: &[&Constant]) -> Result<Constant, Fault> {
    let x = |k: usize| of.get(k).map_or(T::of(0.0), |one| T::read(one));
    let [a, b, c] = [x(0), x(1), x(2)];
    let [zero, one] = [T::of(0.0), T::of(1.0)];
    let value = match function {
        Math::Elementary(function) => T::elementary(function, a, b),
        Math::Abs => a.abs(),
        Math::Ceil => a.ceil(),
        Math::Floor => a.floor(),
        Math::Trunc => a.trunc(),
        Math::Round => a.round(),
        Math::Fract => a.sub(a.floor()),
        Math::Sqrt => a.sqrt(),
        Math::InverseSqrt => one.div(a.sqrt()),
        Math::Radians => a.mul(T::of(std::f64::consts::PI / 180.0)),
        Math::Degrees => a.mul(T::of(180.0 / std::f64::consts::PI)),
        Math::Saturate => min(max(a, zero), one),
        Math::Sign if less(zero, a) => one,
        Math::Sign if less(a, zero) => one.neg(),
        Math::Sign => zero,
        Math::Min => min(a, b),
        Math::Max => max(a, b),
        Math::Clamp => {
            if less(c, b) {
                return Err(Fault::Argument("the lower bound of `clamp` is above the upper one"));
            }
            min(max(a, b), c)
        }
        Math::Step => {
            if less(b, a) {
                zero
            } else {
                one
            }
        }
        Math::SmoothStep => {
            if a == b {
                return Err(Fault::Argument("the edges of `smoothstep` are equal"));
            }
            let t = c.sub(a).div(b.sub(a));
            let t = min(max(t, zero), one);
            t.mul(t).mul(T::of(3.0).sub(T::of(2.0).mul(t)))
        }
        Math::Mix => a.mul(one.sub(c)).add(b.mul(c)),
        Math::Fma => a.fma(b, c),
        Math::QuantizeToF16 => return bits::quantize(of[0]),
        _ => return Ok(Constant::Zero),
    };
    value.write()
}

fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut products = a.iter().zip(b).map(|(a, b)| a.mul(*b));
    let first = products.next().unwrap_or(T::of(0.0));
    products.fold(first, T::add)
}

fn vectors<T: Real>(function: Math, operands: &[Constant]) -> Result<Constant, Fault> {
    let read = |of: &Constant| scalars(of).iter().map(T::read).collect::<Vec<T>>();
    let written = |parts: Vec<T>| {
        let parts: Result<Vec<Constant>, Fault> = parts.into_iter().map(T::write).collect();
        parts.map(Constant::composite)
    };
    let x: Vec<Vec<T>> = match function {
        Math::Determinant | Math::Transpose => scalars(&operands[0]).iter().map(read).collect(),
        _ => operands.iter().map(read).collect(),
    };
    let length = |v: &[T]| if v.len() == 1 { v[0].abs() } else { dot(v, v).sqrt() };
    match function {
        Math::Dot => dot(&x[0], &x[1]).write(),
        Math::Cross => {
            let (a, b) = (&x[0], &x[1]);
            let part = |i: usize, j: usize| a[i].mul(b[j]).sub(b[i].mul(a[j]));
            written(vec![part(1, 2), part(2, 0), part(0, 1)])
        }
        Math::Length => length(&x[0]).write(),
        Math::Distance => {
            let difference: Vec<T> = x[0].iter().zip(&x[1]).map(|(a, b)| a.sub(*b)).collect();
            length(&difference).write()
        }
        Math::Normalize => {
            let length = length(&x[0]);
            written(x[0].iter().map(|part| part.div(length)).collect())
        }
        Math::FaceForward => {
            let is_toward = less(dot(&x[2], &x[1]), T::of(0.0));
            written(x[0].iter().map(|part| if is_toward { *part } else { part.neg() }).collect())
        }
        Math::Reflect => {
            let double = T::of(2.0).mul(dot(&x[1], &x[0]));
            written(x[0].iter().zip(&x[1]).map(|(a, b)| a.sub(b.mul(double))).collect())
        }
        Math::Refract => {
            let (one, eta) = (T::of(1.0), x[2][0]);
            let d = dot(&x[1], &x[0]);
            let k = one.sub(eta.mul(eta).mul(one.sub(d.mul(d))));
            if less(k, T::of(0.0)) {
                return written(vec![T::of(0.0); x[0].len()]);
            }
            let factor = eta.mul(d).add(k.sqrt());
            written(x[0].iter().zip(&x[1]).map(|(i, n)| i.mul(eta).sub(n.mul(factor))).collect())
        }
        Math::Determinant => determinant(&x).write(),
        _ => {
            let rows = x.first().map_or(0, Vec::len);
            let row = |k: usize| written(x.iter().map(|column| column[k]).collect());
            let columns: Result<Vec<Constant>, Fault> = (0..rows).map(row).collect();
            columns.map(Constant::composite)
        }
    }
}

/// Expanded along the first column, as the raise does. (Recursion ends: at most four rows.)
fn determinant<T: Real>(of: &[Vec<T>]) -> T {
    if let [a, b] = of {
        return a[0].mul(b[1]).sub(a[1].mul(b[0]));
    }
    let mut sum = None;
    for row in 0..of.len() {
        let minor = |column: &Vec<T>| {
            let kept = column.iter().enumerate().filter(|&(k, _)| k != row);
            kept.map(|(_, part)| *part).collect::<Vec<T>>()
        };
        let rest: Vec<Vec<T>> = of[1..].iter().map(minor).collect();
        let term = of[0][row].mul(determinant(&rest));
        sum = Some(match sum {
            None => term,
            Some(sum) if row % 2 == 1 => T::sub(sum, term),
            Some(sum) => T::add(sum, term),
        });
    }
    sum.unwrap_or(T::of(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_core::op::Elementary;

    fn vector(parts: &[f64]) -> Constant {
        Constant::composite(parts.iter().map(|&part| Constant::Wide(part)).collect())
    }

    fn wide(function: Math, operands: &[Constant]) -> Constant {
        evaluate(function, Scalar::AbstractFloat, operands).expect("it has a value")
    }

    #[test]
    fn vectors_are_those_of_the_core() {
        let [x, y] = [vector(&[1.0, 2.0, 3.0]), vector(&[4.0, 5.0, 6.0])];
        assert_eq!(wide(Math::Cross, &[x.clone(), y.clone()]), vector(&[-3.0, 6.0, -3.0]));
        assert_eq!(wide(Math::Dot, &[x, y]), Constant::Wide(32.0));
        assert_eq!(wide(Math::Normalize, &[vector(&[3.0, 4.0])]), vector(&[0.6, 0.8]));
        let matrix = Constant::composite(vec![
            vector(&[2.0, 0.0, 1.0]),
            vector(&[1.0, 3.0, 0.0]),
            vector(&[0.0, 1.0, 4.0]),
        ]);
        assert_eq!(wide(Math::Determinant, &[matrix]), Constant::Wide(25.0));
        let zero = evaluate(Math::Normalize, Scalar::AbstractFloat, &[vector(&[0.0, 0.0])]);
        assert_eq!(zero, Err(Fault::NotFinite));
    }

    #[test]
    fn functions_of_both_floats_are_exact() {
        let x = Constant::Word(0.5_f32.to_bits());
        let sine = evaluate(Math::Elementary(Elementary::Sin), Scalar::Float, &[x]);
        let bits = Elementary::Sin.evaluate(0.5, 0.0).to_bits();
        assert_eq!(sine, Ok(Constant::Word(bits)));
        let x = Constant::Wide(0.5);
        let sine = evaluate(Math::Elementary(Elementary::Sin), Scalar::AbstractFloat, &[x]);
        assert_eq!(sine, Ok(Constant::Wide(0.479_425_538_604_203)));
    }

    #[test]
    fn components_are_selected() {
        let mask = Constant::composite(vec![Constant::Word(1), Constant::Word(0)]);
        let chosen = wide(Math::Select, &[vector(&[1.0, 2.0]), vector(&[3.0, 4.0]), mask]);
        assert_eq!(chosen, vector(&[3.0, 2.0]));
    }
}
