//! Subject of a comparison: program, inputs and device.

use crate::settings::Settings;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_gpu::{Device, Error, Patience};
use lambdav_spirv_backend::emit::EmitOptions;

/// The program, its inputs and the device under comparison.
pub(super) struct Comparing<'a> {
    pub(super) core: &'a Core,
    pub(super) settings: &'a Settings,
    pub(super) device: &'a Device,
    /// Options of modules for the device.
    pub(super) emit: EmitOptions,
    pub(super) patience: Patience<'a>,
}

/// Reason why no cause was found.
pub(super) enum Unknown {
    /// The device failed.
    Device(Error),
    /// The evaluation of the pixel alone failed or took too long.
    Evaluation(EvaluationFault),
    /// A program derived from the shader does not compile.
    Program(String),
}

impl From<Error> for Unknown {
    fn from(error: Error) -> Self {
        Self::Device(error)
    }
}

impl From<EvaluationFault> for Unknown {
    fn from(fault: EvaluationFault) -> Self {
        Self::Evaluation(fault)
    }
}

impl Comparing<'_> {
    /// Inputs of a pixel.
    pub(super) fn inputs(&self, [x, y]: [u32; 2]) -> Inputs {
        self.settings.at(x, y)
    }
}
