//! The tests that compare with other implementations, in one program.

mod code;
mod library;
mod reference;
mod textures;
