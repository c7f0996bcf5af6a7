//! The elementary functions as straight-line code, from which backends make machine code and SPIR-V.
//!
//! A [`Body`] computes in binary64 and ends in a *rounding test* (Ziv's): the result r lies within
//! a relative error ε of the true value, so if no midpoint of two binary32 is that near to r, both
//! round to the same binary32. Where one is, the lane is *undecided*, and the reference mathematics
//! computes it; so is a lane whose argument is beyond a body's range. How near a midpoint is, the
//! last bits of r say ([`round`](builder::Builder::round)); where the result may be subnormal,
//! whose midpoints are elsewhere, what r(1−ε) and r(1+ε) round to
//! ([`round_within`](builder::Builder::round_within)).
//! Since the true value decides and not the way to it, every emitter gives the same bits, whether
//! it has a fused multiplication and addition or not ([`Step::MulAdd`]).
//!
//! ε is [`EPSILON`](builder::EPSILON) = 2^-42, in few bodies 2^-41: one lane in 130,000 is undecided, which costs less than the terms that
//! polynomials would need to have fewer. The bounds on what bodies are off by are derived where
//! they are used, with u = 2^-53, the relative error of one operation. For unary functions all 2^32
//! arguments are the proof (`tests/oracle`).
//!
//! Registers of 512 bits, those of AVX-512, have bodies of their own ([`wide_body`]), which differ where an instruction of theirs
//! saves others.
//!
//! Polynomials are minimax approximations in coefficients of binary64, by Sollya's `fpminimax` with
//! the interval and the terms that are named beside them, with respect to the relative error.
//!
//! What is about the operand or the result as a whole, signs, bounds, special values, the number of
//! turns, is done in binary32, where a register holds twice as many lanes.
//!
//! | module | functions |
//! |---|---|
//! | [`exponential`] | `exp exp2 sinh cosh tanh` |
//! | [`logarithm`] | `log log2 asinh acosh atanh` |
//! | [`trigonometric`] | `sin cos tan` |
//! | [`inverse`] | `asin acos atan atan2` |
//! | [`power`] | `pow` |

mod builder;
mod exponential;
mod inverse;
mod logarithm;
mod operation;
mod power;
mod trigonometric;

use crate::op::Elementary;

use self::builder::Builder;
pub use self::builder::{Body, Step, V};
pub use self::operation::{Kind, Op, Part};

/// The body of a function.
pub fn body(function: Elementary) -> Body {
    made(function, false)
}

/// The same for registers of 512 bits: logarithms take a number apart by one instruction ([`Op::Part`]); sines and cosines make a number
/// of binary64, and one of binary32 of it, from the words in which registers hold it ([`Op::Concat`]); what turns say of the sign of a
/// tangent is done in binary64.
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
