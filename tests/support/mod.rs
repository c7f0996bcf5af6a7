//! What the test programs of the root package share.

pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod engines;
pub(crate) mod hidden;
