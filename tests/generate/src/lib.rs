//! Random λV programs, to compare engines with one another.
//!
//! [`generate`] makes the text of a program from a seed: well typed, and at an end for every pixel,
//! by construction. It knows the language and the table of builtins, and no engine.
//!
//! - *Types*: terms are made for a wanted kind ([`TermKind`]) over the visible bindings.
//! - *Ends*: each `rec` brings its loop's counter nearer to its bound, and the body begins with a
//!   test of the counter. Functions cannot recurse.
//! - *Endless loops* ([`GenerateOptions::endless`]) stand only where substitution never evaluates
//!   them: in arguments that are not used, in arms that no pixel takes, and behind names that are
//!   used only where a condition is known to hold on which the loop ends. An engine that evaluates
//!   them is strict where the language is not.
//!
//! [`shrink()`] makes a program smaller that shows a mistake. [`Mistake`] makes programs that are
//! wrong, and [`compare()`] is a differential oracle for programs of any kind, right or wrong.
//! [`suite`] reads the programs of the conformance suite, which people wrote.
#![forbid(unsafe_code)]

mod aggregates;
mod bindings;
mod buffers;
mod derivatives;
mod functions;
mod generator;
mod held;
mod literals;
mod loops;
mod mistake;
mod oracle;
mod program;
mod resources;
mod scope;
mod shrink;
pub mod suite;
mod swaps;
mod table;
mod term;
mod textures;

pub use generator::GenerateOptions;
pub use lambdav_test_support::Random;
pub use mistake::Mistake;
pub use oracle::{Agreement, compare, is_refused_for_rounds, unfit};
pub use program::{builtins, generate};
pub use resources::resources;
pub use shrink::shrink;
pub use term::{FunctionKind, GeneratedProgram, HeldKind, Term, TermKind, TermRole, TermShape};
