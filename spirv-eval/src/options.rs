//! Options for loading and executing a module.

use lambdav_core::interface::Stage;
use lambdav_core::sampler::ImageOptions;

/// Treatment of SPIR-V's undefined behaviour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// A fault, or improbable bits: for modules that must not depend on it, such as those of our own
    /// emitter. Unknown capabilities, extensions and decorations are refused.
    #[default]
    Marked,
    /// The values of `docs/spirv.md`, also for state that a host sets, such as samplers. Unsupported
    /// declarations are errors only if they are used.
    Total,
}

/// Options for loading a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Stage of the entry point: fragment, vertex or compute.
    pub stage: Stage,
    /// Treatment of undefined behaviour.
    pub undefined: Undefined,
    /// Name of the entry point; by default the only one of the stage, or else the one called `main`.
    pub entry_point: Option<String>,
    /// Set and binding of a storage buffer that fragments change ([`ModuleEvaluator::run_on`](crate::ModuleEvaluator::run_on)). Their
    /// other buffers are only read.
    pub changed: Option<[u32; 2]>,
    /// Samplers, and textures with levels.
    pub images: ImageOptions,
}

/// A device's 32-bit arithmetic, where Vulkan leaves freedom: by default exactly IEEE 754.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Flushes subnormal operands and results of arithmetic to zero, keeping the sign, as most devices
    /// do.
    pub flushes: bool,
    /// Computes `fma` as a product and a sum, rounded twice.
    pub rounds_twice: bool,
    /// Makes normal quotients, roots and inverse roots up to two units in the last place wrong, and
    /// contracts products and sums where the module allows it.
    pub is_rough: bool,
}
