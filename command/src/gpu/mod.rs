//! The engine `gpu` on the command line: which device, and how exactly. Built without the feature `gpu`, there
//! is none, which the commands say.

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

/// Which device draws, and how
#[derive(Args, Clone, Debug, Default)]
pub(super) struct GpuArguments {
    /// The device of the engine `gpu`: its number, its name or a part of that, as `lambdav devices` tells
    /// them; by default the first GPU, or, without one, the first device
    #[arg(long, value_name = "NAME|N")]
    pub(super) device: Option<String>,
    /// With the engine `gpu`: leave to the device what Vulkan leaves to it. The image is then the device's
    #[arg(long, conflicts_with = "flush_subnormals")]
    pub(super) native: bool,
    /// With the engine `gpu`: let subnormal numbers become zero, which is faster on devices that do not
    /// keep them, and say how many pixels met one
    #[arg(long)]
    pub(super) flush_subnormals: bool,
}

impl GpuArguments {
    /// The device, if that is the engine.
    pub(super) fn open(&self, is_asked_for: bool) -> Result<Option<Gpu>> {
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
                let message = format!("--{option} is for the engine `gpu`; add --engine gpu");
                Err(Failure::usage(message))
            }
        }
    }
}
