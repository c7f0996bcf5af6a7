//! Errors of loading a module.

use thiserror::Error;

/// Reasons why words cannot be executed. `at` is the index of the first word of the instruction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LoadError {
    /// The header is not that of a SPIR-V module.
    #[error("these are not the words of a SPIR-V module")]
    NotAModule,
    /// An unknown version.
    #[error("SPIR-V version {0:#010x} is none of 1.0 to 1.6")]
    Version(u32),
    /// The bound on ids is larger than SPIR-V allows.
    #[error("the bound of {0} ids is larger than SPIR-V allows")]
    TooManyIds(u32),
    /// An instruction has no words, or goes beyond the end.
    #[error("word {at}: the instruction does not end within the module")]
    Truncated {
        /// Index of the instruction.
        at: usize,
    },
    /// An instruction that the evaluator does not support.
    #[error("word {at}: {name} is not among the instructions that can be evaluated")]
    Opcode {
        /// Name.
        name: String,
        /// Where.
        at: usize,
    },
    /// Another unsupported feature, such as a capability.
    #[error("word {at}: {what} cannot be evaluated")]
    Unknown {
        /// The feature.
        what: String,
        /// Index of the instruction.
        at: usize,
    },
    /// An instruction that breaks a rule of SPIR-V.
    #[error("word {at}: malformed {op}: {what}")]
    Malformed {
        /// Name.
        op: String,
        /// The mistake.
        what: String,
        /// Index of the instruction.
        at: usize,
    },
    /// A required part of the module is missing.
    #[error("the module has no {0}")]
    Missing(&'static str),
}
