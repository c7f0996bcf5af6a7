//! The tests of this crate's public interface, as one program.

mod aggregates;
mod columns;
mod dispatches;
mod divisors;
mod executable;
mod extents;
mod integers;
mod lane_verifier;
mod lanes;
mod listed;
mod memory;
mod operations;
mod pipeline;
mod quads;
mod registers;
mod shape;

use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;

/// The first output of a shader, scheduled.
fn scheduled(shader: &str) -> Program {
    let (core, diagnostics) = compile(&SourceFile::new("test.lv", shader));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    schedule(&core.expect("no errors"), &[0]).expect("it nests little")
}
