//! The tests of the generator, in one program.

mod generated;
mod modes;
mod negative;
