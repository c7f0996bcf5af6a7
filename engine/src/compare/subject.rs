//! What a pixel is compared of, and with what.

use crate::settings::Settings;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_gpu::{Device, Error, Patience};
use lambdav_spirv_backend::emit::EmitOptions;

/// What is compared, and with what.
pub(super) struct Comparing<'a> {
    pub(super) core: &'a Core,
    pub(super) settings: &'a Settings,
    pub(super) device: &'a Device,
    /// How modules are emitted for the device.
    pub(super) emit: EmitOptions,
    pub(super) patience: Patience<'a>,
}

/// Why it is not known why pictures differ.
pub(super) enum Unknown {
    /// The device does not do what is asked of it.
    Device(Error),
    /// A pixel by itself could not be evaluated, or for too long.
    Evaluation(EvaluationFault),
    /// What was made of the program cannot be compiled.
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
    /// The inputs of a pixel.
    pub(super) fn inputs(&self, [x, y]: [u32; 2]) -> Inputs {
        let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
        Inputs { frag_coord, ..self.settings.inputs.clone() }
    }
}

/// Whether two numbers are the same, given by their bits.
pub(super) fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}
