//! The evaluator of WGSL against the front end of our own.

mod random;
mod text;
