//! An independent oracle for the reference mathematics of λV.
//!
//! [`evaluate`] returns the correctly rounded value of each elementary function, by another way than
//! `lambdav_core::math`: a table of special values written from C23 Annex F ([`special`]), the
//! multi-precision library `astro-float` at 192 bits, and at 1088 where those do not decide
//! ([`precise`]), and its own rounding to binary32 ([`round`]). It shares no code and no library
//! with what it checks, only the enumeration of the functions.
//!
//! What it takes on trust: that `astro-float` is right to all but the last 32 of its bits, and that
//! a result within 2^-1050 of a midpoint is a midpoint. (The nearest one that is not, an angle just
//! below a subnormal midpoint, is within 2^-300.)
//!
//! [`inputs`] chooses the arguments with which to compare; [`compare`] does so on all cores.
//!
//! The library of exact SPIR-V modules ([`library`]) is compared with the same, and its operations with this processor's ([`soft`]);
//! the hardest arguments are those that binary64 hardly decides ([`undecided`]).
//!
//! [`textures`] says what a sample of a texture is.
//!
//! What the compiler makes of the functions ([`machine`]) is compared with a third implementation,
//! CORE-MATH ([`coremath`]), which is fast enough for all 2^32 arguments, and at all pairs whose
//! power is exact or a midpoint ([`exact`]).
#![forbid(unsafe_code)]

pub mod compare;
pub mod coremath;
pub mod exact;
mod hard;
pub mod inputs;
pub mod library;
pub mod machine;
pub mod precise;
pub mod round;
pub mod soft;
pub mod special;
pub mod textures;
pub mod undecided;

use lambdav_core::op::Elementary;

/// The correctly rounded value of `f` at `x`, or at (`x`, `y`) in the order of the λV operands:
/// `(atan2 y x)` has the ordinate first, `(pow x y)` the base. Unary functions ignore `y`.
pub fn evaluate(f: Elementary, x: f32, y: f32) -> f32 {
    special::special(f, x, y).unwrap_or_else(|| precise::rounded(f, x, y))
}
