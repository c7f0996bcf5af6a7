//! Fuzzing of all input readers, on stable Rust.
//!
//! No input may crash or hang a command. This crate makes nearly valid inputs by structured mutation:
//! programs, core texts, SPIR-V modules, images, meshes, scripts, folders and reports. Each target runs its
//! inputs through one reader:
//!
//! | target | path of an input | required result |
//! |---|---|---|
//! | `parse` | decoding, the parser, the source evaluator's reader, diagnostics as text and JSON | a tree in post-order whose spans lie in the text |
//! | `pipeline` | the compiler, the scheduler, the lowering to lanes; for some inputs, pixels by all engines | verifiers pass; engines agree; [`compare`](lambdav_generate::compare()) finds no contradiction |
//! | `core-text` | the reader of core text, then as `pipeline` | printing and reading returns the same text |
//! | `spirv` | the loader and the evaluator of SPIR-V words | an error or an answer |
//! | `raise` | the raise of SPIR-V words, then as `pipeline` | a diagnostic, or a program whose engines agree |
//! | `wgsl` | the front end for WGSL, then as `raise` | a diagnostic, or a program whose engines agree |
//! | `glsl` | the front end for GLSL, then as `raise` | diagnostics, or a module that the raise takes or lacks a feature for |
//! | `images` | the decoders of PNG, OpenEXR and NPY; for floats, the encoders | an error or an image; encoding and decoding keeps the bits |
//! | `folders` | `lambdav test`, several times in a folder that changes in between | only files of earlier runs change; inputs of directives stay; every test is found; near misses are warnings |
//! | `beside` | `lambdav test` on a file of directives | all tests are listed and run |
//! | `reports` | `lambdav test --merge` | an error, or a report whose merge is itself |
//! | `pairs` | comparison, diagnosis and heat map of two images, with exclusions | both directions agree with one another and with a plain count |
//! | `npy` | NPY files as images and as buffers | an error or data of the declared shape |
//! | `amber` | the reader of AmberScript; for some inputs, `lambdav test` | an error with a place in the text, or a script, in bounded memory |
//! | `assembly` | the SPIR-V assembler and disassembler | an error with a place in the text, or words that come back |
//! | `hostile` | the front ends, on WGSL and GLSL with extreme nesting or repetition | an answer within the deadline |
//! | `names` | several subcommands, on programs with control characters in names | no control character is printed raw; core text comes back |
//! | `json` | values of uniforms as JSON | an error with a place in the text, or the values of serde_json's tree |
//! | `settings` | uniforms, parts of them and blocks by path | the place in a list of all paths; no other word changes |
//! | `meshes` | the readers of glTF and OBJ | an error without control characters, or a mesh whose indices and parts are right |
//!
//! `folders`, `beside`, `reports`, `names` and a part of `amber` run the built command, which lies beside
//! this program or is named by the variable `LAMBDAV`. Tests skip them if there is
//! no command.
//!
//! An input fails if it panics, violates a property, or takes more than a second of thread time. Loops have
//! low limits, so an endless program is no finding.
//!
//! A [`Search`] also keeps inputs that take much time or memory for their length, and mutates them further.
//!
//! Coverage-guided fuzzers (`cargo fuzz`) need a nightly compiler. Here inputs come from a seed alone: an
//! input's seed and number generate it again on every machine, with any number of threads. Knowledge of the
//! language replaces coverage: seeds are generated programs, the gallery and the conformance suite, most
//! mutations keep parentheses balanced, and a dictionary has the words and numbers of the language.
//!
//! Inputs that found a bug are in `corpus/`, with a folder for each target. Tests run them, and mutations
//! start from some of them.
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
