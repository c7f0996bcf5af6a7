//! How a module is read.

/// What SPIR-V leaves undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// It is a fault, or bits that nobody expects: for modules that must not depend on it, as those that
    /// are emitted here. Capabilities, extensions and decorations that are not known are refused.
    #[default]
    Marked,
    /// It has the value that `docs/spirv.md` says, and so has what a host decides, as samplers. What is
    /// declared and not used is not looked at.
    Total,
}

/// How to read a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// What is undefined.
    pub undefined: Undefined,
    /// The name of the entry point; without it the module must have one fragment entry point only, or one
    /// that is called `main`.
    pub entry_point: Option<String>,
}
