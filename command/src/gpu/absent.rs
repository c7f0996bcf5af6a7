//! The engine `gpu` without the feature `gpu`.

use super::GpuArguments;
use crate::failure::{Failure, Result};
use lambdav_engine::Engine;

/// Empty: no device can be opened.
#[derive(Clone, Debug)]
pub(crate) enum Gpu {}

impl Gpu {
    pub(crate) fn open(_: &GpuArguments) -> Result<Self> {
        Err(missing())
    }

    pub(crate) fn engine(&self) -> Engine {
        match *self {}
    }
}

/// The error of all uses of a device.
pub(crate) fn missing() -> Failure {
    Failure::machine("this lambdav was built without the feature `gpu`: it has no devices")
}
