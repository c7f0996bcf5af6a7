//! What the test programs of the root package share.

pub mod case;
pub mod check;
pub mod engines;
