//! Without the feature `gpu`.

use super::GpuArguments;
use crate::command::failure::{Failure, Result};
use crate::command::trouble::Trouble;
use lambdav::core::graph::Core;
use lambdav::engine::Engine;
use lambdav::settings::Settings;

/// There is no device.
#[derive(Clone, Debug)]
pub(in crate::command) enum Gpu {}

impl Gpu {
    pub(in crate::command) fn open(_: &GpuArguments) -> Result<Self> {
        Err(missing())
    }

    pub(in crate::command) fn engine(
        &self,
        _: &Core,
        _: u32,
        _: &Settings,
    ) -> Result<Box<dyn Engine>, Trouble> {
        match *self {}
    }
}

/// What there is to say.
pub(in crate::command) fn missing() -> Failure {
    Failure::machine("this lambdav was built without the feature `gpu`: it has no devices")
}
