//! Raises SPIR-V modules of any compiler to the core.
//!
//! [`raise()`] takes the words of a module with a fragment or compute entry point, of Vulkan 1.0 to 1.3 with
//! logical addressing, and returns the program. [`raise_stages()`] takes a vertex and a fragment entry point,
//! and returns a program that draws triangles.
//!
//! # How
//!
//! - *Words* become declarations and functions of blocks (`module`). An analysis of each function finds
//!   live variables and the stores of loops (`structure`).
//! - Control flow is walked along its merge instructions (`raise`). Calls are inlined. On each way
//!   through the program a variable's content is one node (`memory`): a store to a part gives a new
//!   content with that part replaced. Pointers are resolved during the walk, so a pointer parameter is
//!   another name of the caller's variable.
//! - Ways that meet are joined (`flow`): *one decision stays one*, an `If` that yields a structure of
//!   all live values that differ. A way that leads elsewhere — break, continue, return, kill — stays
//!   separate. Code after a selection with one way through is in that arm; after a selection with
//!   several, it is under a bool that says if it is reached.
//! - A loop is a loop of the core. It yields the values that are used after it and, if it has several
//!   exits, the exit taken.
//! - OpKill and similar instructions end the program; the pixel keeps its colour by an `If` at the
//!   outputs. So no engine needs to support discard.
//!
//! - A compute program changes memories: storage buffers and variables of the workgroup. The content of such a variable
//!   is a state of the core (`raise::memories`). Ways to several targets that change memories are joined into one
//!   decision (`flow::Flow::gather`), so an effect is executed once; a loop that only reads a memory passes its state on.
//!
//! # Guarantees
//!
//! - *Any words give a program or a diagnostic, never a panic*. Nothing recurses on the depth of the
//!   program, and the work is limited as elaboration's is ([`lambdav_core::limits`]).
//! - Each instruction has the meaning that LANGUAGE.md gives to the corresponding operation of the core,
//!   bit for bit. Undefined behaviour of SPIR-V has the results of LANGUAGE §9: nothing is reported, and
//!   nothing guessed.
//! - The core is lazy: a loop whose result is unused does not run. So a raised program may have an
//!   answer where executing the words exceeds the limit of iterations, but never the reverse, and never
//!   another answer.
//!
//! The raise shares nothing with the emitter and the evaluator of SPIR-V, so that each checks the
//! others.
//!
//! Modules depend on one another in this order only: `error`, `memory` → `flow`, `module`, `options` →
//! `structure` → `raise`.
#![forbid(unsafe_code)]

mod error;
mod flow;
mod memory;
mod module;
pub mod mutants;
mod options;
mod raise;
mod structure;

pub use options::{OperationNames, RaiseOptions, Reports, StageOptions};

use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::interface::Interface;
use lambdav_core::source::SourceFile;

/// Result of raising a module.
#[derive(Debug)]
pub struct Raised {
    /// The source text embedded in the module, which spans point into; empty if there is none.
    pub source: SourceFile,
    /// The program and its interface, or an error.
    pub program: Result<(Core, Interface), Diagnostic>,
}

/// Result of raising both stages of a pipeline.
#[derive(Debug)]
pub struct RaisedStages {
    /// The source text embedded in the module, which spans point into; empty if there is none.
    pub source: SourceFile,
    /// A program that draws triangles with the interfaces of its vertex and fragment stage, or an error.
    pub program: Result<(Core, [Interface; 2]), Diagnostic>,
}

/// Raises a vertex and a fragment entry point of a module to a program that draws triangles. `name` is the
/// module's name in messages if it names no source file.
pub fn raise_stages(name: &str, words: &[u32], options: &StageOptions) -> RaisedStages {
    let mut module = match module::Module::read(words) {
        Ok(module) => module,
        Err(error) => {
            let source = SourceFile::new(name, "");
            return RaisedStages { source, program: Err(error.diagnostic(false)) };
        }
    };
    let source = module.source(name);
    let program = raise::raise_stages(&module, &source, options);
    RaisedStages { source, program: program.map_err(|error| error.diagnostic(false)) }
}

/// Raises a module. `name` is its name in messages if it names no source file.
pub fn raise(name: &str, words: &[u32], options: &RaiseOptions) -> Raised {
    let mut module = match module::Module::read(words) {
        Ok(module) => module,
        Err(error) => {
            let source = SourceFile::new(name, "");
            return Raised { source, program: Err(error.diagnostic(options.is_text)) };
        }
    };
    if options.reports.is_some() {
        module.add_reports();
    }
    let source = module.source(name);
    let program = raise::raise(&module, &source, options);
    Raised { source, program: program.map_err(|error| error.diagnostic(options.is_text)) }
}
