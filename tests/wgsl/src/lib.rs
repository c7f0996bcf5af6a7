//! Random programs in WGSL, and an evaluator of the language: the independent oracle of the front end for WGSL.
//!
//! [`generate()`] makes a typed program from a seed, [`print()`] writes it, and [`picture`] evaluates the tree pixel by
//! pixel. Types, functions on components and comparison are those of `lambdav-glsl-tests`; the only code shared with
//! the product is the arithmetic of single components.
#![forbid(unsafe_code)]

pub mod abstracts;
pub mod builtins;
pub mod compare;
mod evaluate;
mod generate;
mod print;
pub mod program;
pub mod reduce;

pub use evaluate::{history, picture, pixels};
pub use generate::{Options, generate};
pub use print::print;
