//! The comparisons with other implementations, as one test program.

mod binary64;
mod code;
mod library;
mod planes;
mod reference;
#[path = "../sampled/mod.rs"]
mod sampled;
mod samplers;
mod textures;
