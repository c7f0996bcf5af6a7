//! The elementary functions as straight-line code, for backends to translate to machine code and SPIR-V.
//!
//! A [`Body`] computes in binary64 and ends in a *rounding test* (Ziv's). The result r lies within a relative
//! error ε of the true value. So if no midpoint of two binary32 numbers is that near to r, both round to the
//! same binary32. Otherwise the lane is *undecided*, and takes the slow path, the reference mathematics. If an
//! argument is beyond a body's range, a second body ([`far_body`]) computes all such lanes first. The last bits of r give its distance from a midpoint
//! ([`round`](builder::Builder::round)). Subnormal results have other midpoints: if the result may be
//! subnormal, the test compares the rounded r(1−ε) and r(1+ε)
//! ([`round_within`](builder::Builder::round_within)). The true value alone determines the result. So every
//! emitter yields the same bits, with or without a fused multiply-add ([`Step::MulAdd`]).
//!
//! ε is [`EPSILON`](builder::EPSILON) = 2^-42, in few bodies 2^-41. One lane in 130,000 is undecided; making
//! fewer undecided would need more terms in the polynomials, which cost more. The error bounds of the bodies
//! are derived where they are used, with u = 2^-53, the relative error of one operation. For unary functions
//! a test of all 2^32 arguments is the proof (`tests/oracle`).
//!
//! Registers of 512 bits (AVX-512) have bodies of their own ([`wide_body`]), which differ where an AVX-512
//! instruction saves others.
//!
//! Polynomials are minimax approximations with coefficients in binary64, minimal in relative error, by
//! Sollya's `fpminimax`. The interval and the terms are given beside each.
//!
//! Signs, bounds, special values and the number of turns are computed in binary32, where a register holds
//! twice as many lanes.
//!
//! | module | functions |
//! |---|---|
//! | [`exponential`] | `exp exp2 sinh cosh tanh` |
//! | [`logarithm`] | `log log2 asinh acosh atanh` |
//! | [`trigonometric`] | `sin cos tan` |
//! | [`far`] | `sin cos tan` of large arguments |
//! | [`inverse`] | `asin acos atan atan2` |
//! | [`power`] | `pow` |

mod builder;
#[cfg(test)]
mod evaluate;
mod exponential;
mod far;
mod inverse;
mod logarithm;
mod operation;
mod power;
mod trigonometric;

use crate::op::Elementary;

use self::builder::Builder;
pub use self::builder::{Body, Step, V};
pub use self::operation::{BodyKind, BodyOp, Part};

/// The body of a function.
pub fn body(function: Elementary) -> Body {
    made(function, false)
}

/// The body for the lanes that are [beyond](Body::beyond) the range of [`body`] or, if `is_wide`, of
/// [`wide_body`]. Its results are undefined in other lanes.
pub fn far_body(function: Elementary, is_wide: bool) -> Option<Body> {
    let mut b = Builder::new(function.arity(), is_wide);
    match function {
        Elementary::Sin => far::sin(&mut b),
        Elementary::Cos => far::cos(&mut b),
        Elementary::Tan => far::tan(&mut b),
        _ => return None,
    }
    Some(b.finish())
}

/// The body for registers of 512 bits. Logarithms split a number by one instruction ([`BodyOp::Part`]). Sines and
/// cosines assemble a binary64 number from words in registers, and a binary32 number from the binary64 result
/// ([`BodyOp::Concat`]). The sign of a tangent is computed in binary64.
pub fn wide_body(function: Elementary) -> Body {
    made(function, true)
}

fn made(function: Elementary, is_wide: bool) -> Body {
    let mut b = Builder::new(function.arity(), is_wide);
    match function {
        Elementary::Exp => exponential::exp(&mut b),
        Elementary::Exp2 => exponential::exp2(&mut b),
        Elementary::Sinh => exponential::sinh(&mut b),
        Elementary::Cosh => exponential::cosh(&mut b),
        Elementary::Tanh => exponential::tanh(&mut b),
        Elementary::Log => logarithm::log(&mut b),
        Elementary::Log2 => logarithm::log2(&mut b),
        Elementary::Asinh => logarithm::asinh(&mut b),
        Elementary::Acosh => logarithm::acosh(&mut b),
        Elementary::Atanh => logarithm::atanh(&mut b),
        Elementary::Sin => trigonometric::sin(&mut b),
        Elementary::Cos => trigonometric::cos(&mut b),
        Elementary::Tan => trigonometric::tan(&mut b),
        Elementary::Asin => inverse::asin(&mut b),
        Elementary::Acos => inverse::acos(&mut b),
        Elementary::Atan => inverse::atan(&mut b),
        Elementary::Atan2 => inverse::atan2(&mut b),
        Elementary::Pow => power::pow(&mut b),
    };
    b.finish()
}
