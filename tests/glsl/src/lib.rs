//! Random programs in GLSL, and an evaluator of the language: the independent oracle of the front end for GLSL.
//!
//! [`generate()`] makes a typed program from a seed, [`print()`] writes it in a dialect, and [`picture`] evaluates the tree
//! pixel by pixel. Its only shared code with the product is the arithmetic of single components. [`compare`] gives the
//! text to a compiler, draws the result by engines, and compares every bit.
#![forbid(unsafe_code)]

pub mod builtins;
pub mod campaign;
pub mod compare;
pub mod compiler;
pub mod dialect;
mod effects;
pub mod evaluate;
mod generate;
pub mod history;
mod print;
pub mod program;
pub mod reduce;
pub mod reports;
mod types;

pub use evaluate::{Origin, picture};
pub use generate::{Constants, Options, generate};
pub use print::{Style, print};
