//! Const-expressions: values that are known before the program runs.
//!
//! Abstract integers are i64 and abstract floats binary64, as WGSL says. Concrete numbers give the bits that the
//! running program would: elementary functions of f32 are those of the core; those of abstract floats are correctly
//! rounded; everything else is IEEE 754. The host's mathematical library is never called.

mod arithmetic;
mod bits;
mod convert;
mod functions;
mod math;
mod matrices;
mod real;
mod value;

pub(crate) use arithmetic::{binary, unary};
pub(crate) use bits::{frexp, modf};
pub(crate) use convert::converted;
pub(crate) use functions::evaluate;
pub(crate) use math::{Math, Packing};
pub(crate) use matrices::{Product, product};
pub(crate) use value::{Constant, Fault, scalars, zero, zip};
