//! `lambdav compare`: finds and explains differences between the CPU and a Vulkan device.
//!
//! `draw` reads the options, draws on both and compares; `found` prints the result.

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
