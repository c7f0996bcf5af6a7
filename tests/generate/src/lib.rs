//! Random λV programs for differential tests.
//!
//! [`generate`] makes a program from a seed. By construction it is well typed and ends at every pixel. The
//! generator knows the language and the table of builtins, but no engine.
//!
//! - *Types*: terms are generated for a wanted kind ([`TermKind`]) over the visible bindings.
//! - *Termination*: each `rec` moves its loop's counter towards its bound, and the body begins with a test of
//!   the counter. Functions cannot recurse.
//! - *Endless loops* ([`GenerateOptions::endless`]) stand only where substitution never evaluates them: in
//!   unused arguments, in arms that no pixel takes, and behind names that are used only where a condition
//!   holds under which the loop ends. An engine that evaluates such a loop is strict where the language is
//!   not.
//!
//! [`shrink()`] reduces a program that shows a bug. [`Mistake`] makes wrong programs. [`compare()`] is a
//! differential oracle for any program, right or wrong. [`suite`] reads the handwritten programs of the
//! conformance suite.
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
mod passes;
mod program;
mod resources;
mod scope;
mod shrink;
pub mod suite;
mod swaps;
mod table;
mod term;
mod textures;
mod triangles;

pub use generator::{GenerateOptions, PROBE};
pub use lambdav_test_support::Random;
pub use mistake::Mistake;
pub use oracle::{Agreement, compare, is_refused_for_rounds, unfit};
pub use passes::generate_passes;
pub use program::{builtins, generate};
pub use resources::resources;
pub use shrink::shrink;
pub use term::{FunctionKind, GeneratedProgram, HeldKind, Term, TermKind, TermRole, TermShape};
pub use triangles::generate_triangles;
