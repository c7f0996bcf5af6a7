//! Engine of machine code.

use super::{BoundKernel, bound, first_pixel};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::{evaluate, schedule};
use lambdav_raster::triangles::{VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::emit::BindError;
use lambdav_simd_backend::{CompiledKernel, Compiler, EmitError, SimdKernel, Target};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Outputs of a program, compiled to machine code.
#[derive(Debug)]
pub struct SimdProgram {
    code: Arc<CompiledKernel>,
    scheduling: Duration,
}

impl SimdProgram {
    /// Compiles the outputs at these locations, which must exist.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply, or a machine that cannot execute the code.
    pub fn new(core: &Core, locations: &[u32], compiler: Compiler) -> Result<Self, SimdError> {
        let begun = Instant::now();
        let program = schedule::schedule_reported(core, locations).map_err(SimdError::Program)?;
        let scheduling = begun.elapsed();
        let code = CompiledKernel::new(program, compiler).map_err(SimdError::Emit)?;
        Ok(Self { code: Arc::new(code), scheduling })
    }

    /// Creates a kernel for these inputs.
    ///
    /// # Errors
    ///
    /// A texture or buffer that is not bound, or whose size differs from the specialised size.
    pub fn bind(&self, settings: &Settings) -> Result<SimdEngine, BindError> {
        let max_iterations = settings.max_iterations;
        let kernel = self.code.bind(&settings.inputs, max_iterations)?;
        Ok(SimdEngine { kernel, max_iterations })
    }

    /// The machine code.
    pub fn code(&self) -> &CompiledKernel {
        &self.code
    }

    /// Duration of scheduling.
    pub fn scheduling(&self) -> Duration {
        self.scheduling
    }
}

/// Machine code that computes many pixels at once.
#[derive(Debug)]
pub struct SimdEngine {
    kernel: SimdKernel,
    max_iterations: u64,
}

/// Reason why there is no [`SimdProgram`].
#[derive(Debug, Error)]
pub enum SimdError {
    /// The program is at fault.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// The machine is at fault, or the program is too large for the code generator.
    #[error(transparent)]
    Emit(#[from] EmitError),
}

impl SimdEngine {
    /// Engine for the output at `location`, which must exist, with so many lanes, one of
    /// [`Shape::LANES`](lambdav_simd_backend::registers::Shape::LANES); by default chosen by cost.
    ///
    /// # Errors
    ///
    /// As for [`SimdProgram::new`], and a texture or buffer that is not bound.
    pub fn new(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
    ) -> Result<Self, SimdError> {
        let host = Target::host().map_err(SimdError::Emit)?;
        Self::for_target(core, location, settings, lanes, host)
    }

    /// Like [`Self::new`], with machine code for that target.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn for_target(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
        target: Target,
    ) -> Result<Self, SimdError> {
        Self::with_compiler(core, location, settings, Compiler { lanes, ..Compiler::new(target) })
    }

    /// Like [`Self::new`], with a compiler. It compiles for pictures of the size in the settings.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn with_compiler(
        core: &Core,
        location: u32,
        settings: &Settings,
        compiler: Compiler,
    ) -> Result<Self, SimdError> {
        let settings = bound(core, settings).map_err(SimdError::Program)?;
        let pixels = settings.inputs.resolution.map(f64::from).iter().product();
        let program = SimdProgram::new(core, &[location], Compiler { pixels, ..compiler })?;
        program.bind(&settings).map_err(|error| SimdError::Emit(error.into()))
    }

    /// Most `rec`s of a loop.
    pub(super) fn max_iterations(&self) -> u64 {
        self.max_iterations
    }

    /// The machine code with its inputs.
    pub fn kernel(&self) -> &SimdKernel {
        &self.kernel
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
        Kernel::stack_size(&self.kernel)
    }

    fn attachments(&self) -> usize {
        Kernel::attachments(&self.kernel)
    }
}

impl QuadKernel for SimdEngine {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.kernel.quads(quads, primitive, pixels, cancel)
    }
}

impl VertexKernel for SimdEngine {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        self.kernel.vertices(items, results, frontier)
    }

    fn attachments(&self) -> usize {
        VertexKernel::attachments(&self.kernel)
    }

    fn stack_size(&self) -> usize {
        VertexKernel::stack_size(&self.kernel)
    }
}

impl BoundKernel for SimdEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        let span = self.kernel.site(fault.site);
        let diagnostic = evaluate::loop_limit_diagnostic(span, self.max_iterations);
        diagnostic.note(first_pixel(fault))
    }
}
