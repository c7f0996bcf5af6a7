//! Independent oracles for the elementary functions of λV, and for samples of textures.
//!
//! [`evaluate`] returns the correctly rounded value of each elementary function. It does not use
//! `lambdav_core::math` but a table of special values from C23 Annex F ([`special`]), the multi-precision
//! library `astro-float` with 192 bits, or 1088 where those do not decide ([`precise`]), and its own rounding
//! to binary32 ([`round`]). It shares no code and no library with the reference mathematics, only the
//! enumeration of functions.
//!
//! It makes two assumptions: all but the last 32 bits of `astro-float` are right, and a result within 2^-1050
//! of a midpoint is the midpoint. (The nearest result that is no midpoint, an angle just below a subnormal
//! midpoint, is within 2^-300.)
//!
//! [`inputs`] chooses the arguments; [`compare`] compares on all threads.
//!
//! The elementary functions of the library of exact SPIR-V modules ([`library`]) are compared with CORE-MATH,
//! and its operations with this processor's ([`soft`]). The hardest arguments are those that binary64 hardly
//! decides ([`undecided`]).
//!
//! [`textures`] and [`planes`] are oracles for samples of textures. [`binary64`] compares the functions of binary64.
//!
//! The functions in machine code ([`machine`]) are compared with a third implementation, CORE-MATH
//! ([`coremath`]). It is fast enough for all 2^32 arguments, and for all pairs whose power is exact or a
//! midpoint ([`exact`]).
#![forbid(unsafe_code)]

pub mod binary64;
pub mod compare;
pub mod coremath;
pub mod exact;
mod hard;
pub mod inputs;
pub mod library;
pub mod machine;
pub mod planes;
pub mod precise;
pub mod round;
pub mod samplers;
pub mod soft;
pub mod special;
pub mod textures;
pub mod undecided;

use lambdav_core::op::Elementary;

/// The correctly rounded value of `f` at `x`, or at (`x`, `y`) in the order of λV: `(atan2 y x)` has the
/// ordinate first, `(pow x y)` the base. Unary functions ignore `y`.
pub fn evaluate(f: Elementary, x: f32, y: f32) -> f32 {
    special::special(f, x, y).unwrap_or_else(|| precise::rounded(f, x, y))
}
