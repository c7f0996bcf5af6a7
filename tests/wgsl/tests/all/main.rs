//! The evaluator of WGSL against the front end of our own.

mod constants;
mod random;
mod text;
