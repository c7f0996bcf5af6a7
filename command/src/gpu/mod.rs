//! The engine `gpu` on the command line: choice of the device and of exactness. Without the feature
//! `gpu`, all uses fail with an error.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod present;

#[cfg(not(feature = "gpu"))]
pub(super) use absent::{Gpu, missing};
#[cfg(feature = "gpu")]
pub(super) use present::{Gpu, devices, failure};

use super::failure::{Failure, Result};
use clap::Args;

/// Device that draws, and its exactness
#[derive(Args, Clone, Debug, Default)]
pub(super) struct GpuArguments {
    /// Device of the engine `gpu`: its number, its name or a part of the name, as in `lambdav devices`;
    /// by default the first GPU, or the first device if there is no GPU
    #[arg(long, value_name = "NAME|N")]
    pub(super) device: Option<String>,
    /// With the engine `gpu`: use the device's own arithmetic where Vulkan allows it. The image then
    /// depends on the device
    #[arg(long, conflicts_with = "flush_subnormals")]
    pub(super) native: bool,
    /// With the engine `gpu`: flush subnormal numbers to zero, which is faster on devices that do not
    /// keep them, and report how many pixels had one
    #[arg(long)]
    pub(super) flush_subnormals: bool,
}

impl GpuArguments {
    /// Opens the device if the engine is `gpu`; rejects options of the device otherwise.
    pub(super) fn open(&self, is_asked_for: bool) -> Result<Option<Gpu>> {
        self.open_for("--engine gpu", is_asked_for)
    }

    /// The same for an engine that another option names.
    pub(super) fn open_for(&self, asking: &str, is_asked_for: bool) -> Result<Option<Gpu>> {
        if is_asked_for {
            return Gpu::open(self).map(Some);
        }
        let given = [
            ("device", self.device.is_some()),
            ("native", self.native),
            ("flush-subnormals", self.flush_subnormals),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(None),
            Some((option, _)) => {
                let message = format!("--{option} is for the engine `gpu`; add {asking}");
                Err(Failure::usage(message))
            }
        }
    }
}
