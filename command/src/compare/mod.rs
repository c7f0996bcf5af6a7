//! `lambdav compare`: a program on the CPU and on a Vulkan device, and why they differ.
//!
//! [`draw`] draws both and says what differs. For the first pixel that does, [`operations`] looks for the
//! operation: the core evaluator is watched, and each operation on floats that it evaluated is given, with
//! its operands, to the device by itself. Where none of them differs, [`bindings`] looks for the first named
//! value that does. [`subject`] is what they ask about, [`found`] what came of it, and how it is said.

mod arguments;
#[cfg(feature = "gpu")]
mod bindings;
#[cfg(feature = "gpu")]
mod draw;
#[cfg(feature = "gpu")]
mod found;
#[cfg(feature = "gpu")]
mod operations;
#[cfg(feature = "gpu")]
mod subject;

use super::failure::Result;
pub(super) use arguments::CompareCommandArguments;

#[cfg(not(feature = "gpu"))]
pub(super) fn run(_: &CompareCommandArguments) -> Result {
    Err(super::gpu::missing())
}

#[cfg(feature = "gpu")]
pub(super) fn run(options: &CompareCommandArguments) -> Result {
    draw::run(options)
}
