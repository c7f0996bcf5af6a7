//! The comparisons with other implementations, as one test program.

mod binary64;
mod code;
mod library;
mod planes;
mod reference;
mod samplers;
mod textures;
