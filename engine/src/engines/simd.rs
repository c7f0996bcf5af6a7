//! Machine code as an engine.

use super::{Engine, first_pixel};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::texture::TextureData;
use lambdav_core::{evaluate, schedule};
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::{Compiler, EmitError, SimdKernel, Target};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Machine code that computes many pixels at once.
#[derive(Debug)]
pub struct SimdEngine {
    kernel: SimdKernel,
    max_iterations: u64,
    scheduling: Duration,
}

/// Why there is no [`SimdEngine`].
#[derive(Debug, Error)]
pub enum SimdError {
    /// The program is at fault.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// The machine is, or the program is too large for the code generator.
    #[error(transparent)]
    Emit(#[from] EmitError),
}

impl SimdEngine {
    /// For the output at `location`, which the program must have, with so many lanes, one of
    /// [`Shape::LANES`](lambdav_simd_backend::registers::Shape::LANES); by default as seems best.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply, or a machine that cannot execute the code.
    pub fn new(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
    ) -> Result<Self, SimdError> {
        let host = Target::host().map_err(SimdError::Emit)?;
        Self::for_target(core, location, settings, lanes, host)
    }

    /// The same with machine code for that target.
    ///
    /// # Errors
    ///
    /// As of [`Self::new`].
    pub fn for_target(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
        target: Target,
    ) -> Result<Self, SimdError> {
        Self::with_compiler(core, location, settings, Compiler { lanes, ..Compiler::new(target) })
    }

    /// The same with a compiler, whose number of pixels is overridden.
    ///
    /// # Errors
    ///
    /// As of [`Self::new`].
    pub fn with_compiler(
        core: &Core,
        location: u32,
        settings: &Settings,
        compiler: Compiler,
    ) -> Result<Self, SimdError> {
        let begun = Instant::now();
        if let Some(unbound) = core.unbound(&settings.inputs.resources) {
            return Err(SimdError::Program(unbound));
        }
        let program = schedule::schedule(core, &[location]).map_err(SimdError::Program)?;
        let scheduling = begun.elapsed();
        let max_iterations = settings.max_iterations;
        let kernel = SimdKernel::with_compiler(program, &settings.inputs, max_iterations, compiler)
            .map_err(SimdError::Emit)?;
        Ok(Self { kernel, max_iterations, scheduling })
    }

    /// What was compiled.
    pub fn kernel(&self) -> &SimdKernel {
        &self.kernel
    }

    /// How long it took to schedule the program.
    pub fn scheduling(&self) -> Duration {
        self.scheduling
    }
}

impl Kernel for SimdEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.kernel.tile(tile, pixels, cancel)
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }
}

impl Engine for SimdEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        let span = self.kernel.site(fault.site);
        let diagnostic = evaluate::loop_limit_diagnostic(span, self.max_iterations);
        diagnostic.note(first_pixel(fault))
    }

    fn set_time(&mut self, time: f32, frame: f32) {
        self.kernel.set_time(time, frame);
    }

    fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        self.kernel.set_texture(number, texture);
    }
}
