//! `lambdav compare`: a program on the CPU and on a Vulkan device, and why they differ.
//!
//! `draw` reads the options and has both drawn and compared; `found` prints the outcome.

mod arguments;
#[cfg(feature = "gpu")]
mod draw;
#[cfg(feature = "gpu")]
mod found;

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
