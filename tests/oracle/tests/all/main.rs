//! The comparisons with other implementations, as one test program.

mod code;
mod library;
mod reference;
mod textures;
