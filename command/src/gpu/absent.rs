//! Without the feature `gpu`.

use super::GpuArguments;
use crate::failure::{Failure, Result};
use crate::trouble::Trouble;
use lambdav_core::graph::Core;
use lambdav_engine::engines::Engine;
use lambdav_engine::settings::Settings;

/// There is no device.
#[derive(Clone, Debug)]
pub(crate) enum Gpu {}

impl Gpu {
    pub(crate) fn open(_: &GpuArguments) -> Result<Self> {
        Err(missing())
    }

    pub(crate) fn engine(
        &self,
        _: &Core,
        _: u32,
        _: &Settings,
    ) -> Result<Box<dyn Engine>, Trouble> {
        match *self {}
    }
}

/// What there is to say.
pub(crate) fn missing() -> Failure {
    Failure::machine("this lambdav was built without the feature `gpu`: it has no devices")
}
