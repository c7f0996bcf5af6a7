//! With the feature `gpu`.

use super::GpuArguments;
use crate::failure::{Failure, Result};
use lambdav_engine::Engine;
use lambdav_engine::engines::GpuMode;
use lambdav_gpu::{Device, Error, Vulkan};

/// A device, and how it draws.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: Device,
    pub(crate) mode: GpuMode,
}

impl Gpu {
    /// Opens the device that was asked for.
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

/// What the system has.
pub(crate) fn devices() -> Result<Vulkan> {
    Vulkan::load().map_err(failure)
}

/// The machine is at fault, or whoever named the device.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::UnknownDevice { .. } | Error::AmbiguousDevice { .. } => {
            Failure::usage(format!("--device: {error}"))
        }
        error => Failure::machine(error.to_string()),
    }
}
