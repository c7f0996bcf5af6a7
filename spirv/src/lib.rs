//! SPIR-V modules as data: words and text, the interface that a host program sees, and specialisation.
//!
//! The crates that give words a meaning share this syntax and nothing else, so each checks the others:
//! the raise (`lambdav-spirv-frontend`), the emitter (`lambdav-spirv-backend`) and the evaluator
//! (`lambdav-spirv-eval`).
#![forbid(unsafe_code)]

pub mod assemble;
pub mod build;
mod guard;
pub mod inspect;
pub mod names;
pub mod positions;
mod punctuation;
mod sampler;
mod site;
mod specialise;
mod stage;
mod text;

/// The universal limit on the bound of a module's ids (SPIR-V 2.17).
pub const MAX_IDS: u32 = 0x3f_ffff;

pub use guard::{Guard, may_be_undefined};
pub use sampler::SamplerNote;
pub use site::SiteNote;
pub use specialise::{has_constants, specialise};
pub use stage::{stage, stage_name};
pub use text::{TextError, bytes, disassemble, words, words_of_string};
