//! The engine `gpu` with the feature `gpu`.

use super::GpuArguments;
use crate::failure::{Failure, Result};
use lambdav_engine::Engine;
use lambdav_engine::engines::GpuMode;
use lambdav_gpu::{Device, Error, Vulkan};

/// An open device and its exactness.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: Device,
    pub(crate) mode: GpuMode,
}

impl Gpu {
    /// Opens the requested device.
    pub(crate) fn open(arguments: &GpuArguments) -> Result<Self> {
        let device = devices()?.open(arguments.device.as_deref()).map_err(failure)?;
        let mode = match arguments {
            GpuArguments { native: true, .. } => GpuMode::Native,
            GpuArguments { flush_subnormals: true, .. } => GpuMode::Flush,
            _ => GpuMode::Exact,
        };
        Ok(Self { device, mode })
    }

    /// The engine that draws with it.
    pub(crate) fn engine(&self) -> Engine {
        Engine::Gpu(self.device.clone(), self.mode)
    }
}

/// All Vulkan devices of the system.
pub(crate) fn devices() -> Result<Vulkan> {
    Vulkan::load().map_err(failure)
}

/// A wrong `--device` is the command line's fault, all else the machine's.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::UnknownDevice { .. } | Error::AmbiguousDevice { .. } => {
            Failure::usage(format!("--device: {error}"))
        }
        error => Failure::machine(error.to_string()),
    }
}
