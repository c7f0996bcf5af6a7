//! The tests that compare with other implementations, in one program.

mod code;
mod reference;
mod textures;
