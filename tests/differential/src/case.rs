//! A compiled program and the image that engines compute of it.

use crate::conditions::Conditions;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::source::SourceFile;
use lambdav_generate::suite::without_modes;
use lambdav_generate::{GeneratedProgram, resources};

/// A compiled program and its inputs.
#[derive(Debug)]
pub struct Case {
    /// The text.
    pub source: SourceFile,
    /// The core that the text compiles to.
    pub core: Core,
    /// The inputs of the first pixel. Other pixels differ in `frag_coord` alone.
    pub inputs: Inputs,
    /// The size of the image, and the iteration limit.
    pub conditions: Conditions,
}

impl Case {
    /// Compiles a program and sets its uniforms and resources.
    ///
    /// # Errors
    ///
    /// The diagnostics, if the program is refused or an unused part of it is ill-typed.
    pub fn new(
        program: &GeneratedProgram,
        conditions: Conditions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = SourceFile::new("generated.lv", program.to_string());
        let (core, diagnostics) = lambdav_frontend::compile(&source);
        let Some(core) = core else { return Err(diagnostics.into_vec()) };
        // The generator promises that unused parts are well typed, too.
        if diagnostics.iter().any(|d| d.code == DiagnosticCode::UnreachedIllTyped) {
            return Err(diagnostics.into_vec());
        }
        let uniforms = core
            .uniforms
            .iter()
            .map(|uniform| {
                let set = program.settings.iter().find(|(name, _)| *name == uniform.name);
                set.map_or_else(|| uniform.default.clone(), |(_, words)| words.clone().into())
            })
            .collect();
        let inputs = Inputs {
            resolution: [conditions.width as f32, conditions.height as f32],
            time: conditions.time,
            frame: conditions.frame,
            mouse: conditions.mouse,
            uniforms,
            resources: resources(core.graph.types()),
            ..Inputs::default()
        };
        Ok(Self { source, core, inputs, conditions })
    }

    /// True if the compiler may execute rounds of loops that other evaluators count: in unrolled loops and in
    /// the values of constants.
    pub(crate) fn saves_rounds(&self) -> bool {
        !self.core.constants.is_empty() || without_modes(&self.source).is_some()
    }

    /// The locations of the outputs, in order of declaration.
    pub fn locations(&self) -> Vec<u32> {
        self.core.outputs.iter().map(|output| output.location).collect()
    }

    /// The inputs of each pixel in scan order.
    pub fn pixels(&self) -> impl Iterator<Item = Inputs> {
        (0..self.conditions.pixels()).map(|pixel| self.at(pixel))
    }

    /// The inputs of the pixel with that index in scan order.
    pub fn at(&self, pixel: usize) -> Inputs {
        let width = self.conditions.width as usize;
        self.inputs.at((pixel % width) as u32, (pixel / width) as u32)
    }
}
