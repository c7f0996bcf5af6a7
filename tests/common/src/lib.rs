//! What the tests of several crates share. It depends on none of them.
#![forbid(unsafe_code)]

mod modules;
mod random;
mod words;

pub use modules::cycles;
pub use random::Random;
pub use words::{INTEGERS, NUMBERS};
