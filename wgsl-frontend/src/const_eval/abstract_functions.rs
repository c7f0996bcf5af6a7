//! Elementary functions of abstract floats, which are to be rounded correctly to binary64.
//!
//! None is built yet: each is reported by its name. `core/src/math` will have them.

use super::value::Fault;
use lambdav_core::op::Elementary;

/// The value of a function at `x`; `y` is the second argument of those with two.
pub(super) fn evaluate(function: Elementary, x: f64, y: f64) -> Result<f64, Fault> {
    let _ = (x, y);
    Err(Fault::NotAvailable(function.name()))
}
