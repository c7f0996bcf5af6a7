//! SPIR-V modules to the core: shaders of other people.
//!
//! [`raise()`] takes the words of a module with a fragment entry point, of Vulkan 1.0 to 1.3 with logical
//! addressing, and gives the program that it is.
//!
//! # How
//!
//! - *Words* become declarations and functions of blocks (`module`), and of each function it is found out
//!   what its variables and loops are (`structure`): which variables are live where, what loops write.
//! - Control flow is walked along its merge instructions (`raise`). Calls are put in place. On each way
//!   through the program a variable has one node as its content (`memory`): a store to a part of it is
//!   another content, with that part replaced. Pointers are resolved on the way, so those that are passed
//!   to a function are other names of the caller's variables.
//! - Where ways meet, they are joined (`flow`): *one decision stays one*, an `If` of a structure of all that
//!   differs and is live. A way that leads elsewhere — break, continue, return, kill — stays a way of its
//!   own, so that what is behind a selection with one way through is in that arm, and behind one with
//!   several, under a bool that says whether it is reached.
//! - A loop is a loop of the core. It yields what is needed behind it, and, if it is left in several
//!   ways, which one it was.
//! - OpKill and what is like it end the program; the pixel keeps its colour, which is an `If` at the
//!   outputs. So no engine knows of it.
//!
//! # What is guaranteed
//!
//! - *Words of any kind give a program or a diagnostic, never a panic*; nothing recurses on the depth of
//!   the program, and the work is limited as elaboration's is ([`lambdav_core::limits`]).
//! - Each instruction means what LANGUAGE.md says of the operation of the core that it is, bit for bit.
//!   What SPIR-V leaves undefined has the result of LANGUAGE §9: nothing is reported, and nothing guessed.
//! - The core is lazy: a loop whose result nobody needs does not run. So a raised program may have an answer
//!   where executing the words exceeds the limit of iterations; never the reverse, and never another one.
//!
//! It shares nothing with the emitter and the evaluator of SPIR-V, so that each is a check of the others.
//!
//! Modules depend on one another in this order only: `error`, `memory` → `flow`, `module`, `options` → `structure` →
//! `raise`.
#![forbid(unsafe_code)]

mod error;
mod flow;
mod memory;
mod module;
pub mod mutants;
mod options;
mod raise;
mod structure;

pub use options::RaiseOptions;

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::interface::Interface;
use lambdav_core::source::SourceFile;

/// A module that has been raised, or what is wrong with it.
#[derive(Debug)]
pub struct Raised {
    /// The text that the module holds, which spans point into; if it holds none, an empty one.
    pub source: SourceFile,
    /// The program and what it wants.
    pub program: Result<(Core, Interface), Diagnostic>,
}

/// Raises the module with these words. `name` is what messages call it where it names no file.
pub fn raise(name: &str, words: &[u32], options: &RaiseOptions) -> Raised {
    let mut module = match module::Module::read(words) {
        Ok(module) => module,
        Err(error) => {
            let source = SourceFile::new(name, "");
            return Raised { source, program: Err(error.diagnostic()) };
        }
    };
    let source = module.source(name);
    let program = raise::raise(&module, &source, options);
    Raised { source, program: program.map_err(error::RaiseError::diagnostic) }
}
