//! What the tests of several crates share. It depends on none of them.
#![forbid(unsafe_code)]

mod modules;
mod random;

pub use modules::cycles;
pub use random::Random;
