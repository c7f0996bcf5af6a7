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

/// How a device computes with numbers of 32 bits, as far as Vulkan leaves it open: by default as IEEE 754 says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether subnormal operands and results of arithmetic become zero, with their sign, as on most devices.
    pub flushes: bool,
    /// Whether `fma` is a product and a sum.
    pub rounds_twice: bool,
    /// Whether quotients, roots and inverse roots that are ordinary numbers are up to two units in the last place off, and
    /// sums of products are rounded once where the module lets them be contracted.
    pub is_rough: bool,
}
