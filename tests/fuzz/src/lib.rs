//! Fuzzing of everything that reads an input, on stable Rust.
//!
//! No input may crash or hang a command. This crate makes inputs that are nearly right — programs,
//! core texts, SPIR-V modules and image files, changed by structured mutation — and runs them through what reads
//! them:
//!
//! | target | an input goes through | and must |
//! |---|---|---|
//! | `parse` | decoding, the parser, the source evaluator's reader, diagnostics as text and JSON | a tree in post-order whose spans lie in the text |
//! | `pipeline` | the compiler, the scheduler, the lowering to lanes, SPIR-V; of some, pixels by all engines | pass all verifiers; engines agree; [`compare`](lambdav_generate::compare()) finds no contradiction |
//! | `core-text` | the reader of core text, then as above | print and read back as itself |
//! | `spirv` | the loader and the evaluator of SPIR-V words | an error or an answer |
//! | `raise` | the raise of SPIR-V words, then as a program | a diagnostic, or a program whose engines agree |
//! | `wgsl` | naga, then as above | a diagnostic, or a program whose engines agree |
//! | `images` | the decoders of PNG, OpenEXR and NPY; of floats, the encoders | an error or an image; what was read comes back |
//! | `folders` | `lambdav test`, several times in a folder that changes in between | what no run has written, and inputs of directives, stay; every test is found, and what is nearly one is told |
//! | `beside` | `lambdav test` of a file of directives | all tests are listed, and run |
//! | `reports` | `lambdav test --merge` | an error, or a report that merges as itself |
//! | `pairs` | comparison, diagnosis and heat map of two images; what is left out of account | both directions agree with one another and with a plain count |
//! | `json` | values of uniforms as JSON | an error with a place in the text, or what a plain reading of serde_json's tree gives |
//! | `settings` | uniforms, parts of them and blocks by path | what a list of all paths says; no other word changes |
//!
//! Those of `lambdav test` run the built command, which lies beside this program or is named by the variable
//! `LAMBDAV`, and are skipped without one.
//!
//! An input fails if it panics, if something that must hold does not, or if it takes a thread more
//! than a second. Loops have low limits, so that a program that does not end is no finding.
//!
//! A [`Search`] has an objective besides: inputs that take much time or memory for their length are kept
//! and mutated further.
//!
//! Coverage-guided fuzzers (`cargo fuzz`) need a nightly compiler. Here the inputs come from a seed
//! alone: number and seed of an input make it again on every machine, whatever the number of
//! threads. What coverage would find out is built in: seeds are generated programs, the gallery and
//! the conformance suite, most mutations keep parentheses balanced, and a dictionary knows the
//! words and numbers of the language.
//!
//! Inputs that found a bug are in `corpus/`, a folder for each target; tests run them, and
//! mutations begin with them, too.
#![forbid(unsafe_code)]

mod bytes;
mod campaign;
mod costly;
mod minimise;
mod seeds;
pub mod targets;
mod text;
mod words;

pub use campaign::{Campaign, Finding, FindingKind, FuzzReport, Limits, attempt, read_journal};
pub use costly::{Bounds, Costly, Search};
pub use minimise::minimise;
pub use seeds::{Seeds, corpus};
