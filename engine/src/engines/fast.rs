//! The fastest engine that a program allows.

use super::{CoreEngine, CoreProgram, SimdEngine, SimdError, SimdProgram, bound};
use crate::settings::Settings;
use lambdav_core::graph::Core;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::{Compiler, EmitError, Target};
use std::sync::Arc;

/// Machine code, or the core evaluator for a program that exceeds a limit of machine code
/// ([`EmitError::is_limit`]). The pixels are the same.
#[derive(Debug)]
pub enum FastProgram {
    /// Machine code.
    Simd(SimdProgram),
    /// The core evaluator, and the exceeded limit.
    Core(Arc<CoreProgram>, EmitError),
}

impl FastProgram {
    /// Compiles the outputs at these locations, which must exist.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply for all engines, a machine that cannot execute the code, and
    /// [`EmitError::TimedOut`].
    pub fn new(core: &Core, locations: &[u32], compiler: Compiler) -> Result<Self, SimdError> {
        match SimdProgram::new(core, locations, compiler) {
            Ok(program) => Ok(Self::Simd(program)),
            Err(SimdError::Emit(error)) if error.is_limit() => {
                let program = CoreProgram::new(core, locations).map_err(SimdError::Program)?;
                Ok(Self::Core(Arc::new(program), error))
            }
            Err(error) => Err(error),
        }
    }
}

/// A [`FastProgram`] with its inputs.
#[derive(Debug)]
pub enum FastEngine {
    /// Machine code.
    Simd(Box<SimdEngine>),
    /// The core evaluator, and the exceeded limit.
    Core(Box<CoreEngine>, EmitError),
}

impl FastEngine {
    /// Engine for the output at `location`, which must exist, with so many lanes, by default chosen by
    /// cost. It compiles for the sizes of textures and buffers.
    ///
    /// # Errors
    ///
    /// As for [`FastProgram::new`], and a texture or buffer that is not bound.
    pub fn new(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
    ) -> Result<Self, SimdError> {
        let settings = bound(core, settings).map_err(SimdError::Program)?;
        let target = Target::host().map_err(SimdError::Emit)?;
        let pixels = settings.inputs.resolution.map(f64::from).iter().product();
        let compiler = Compiler { lanes, pixels, ..Compiler::new(target) };
        let compiler = compiler.specialised(&settings.inputs.resources);
        Ok(match FastProgram::new(core, &[location], compiler)? {
            FastProgram::Simd(program) => {
                let bound = program.bind(&settings);
                Self::Simd(Box::new(bound.map_err(|error| SimdError::Emit(error.into()))?))
            }
            FastProgram::Core(program, why) => Self::Core(Box::new(program.bind(settings)), why),
        })
    }

    fn kernel(&self) -> &dyn Kernel {
        match self {
            Self::Simd(engine) => &**engine,
            Self::Core(engine, _) => &**engine,
        }
    }
}

impl Kernel for FastEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.kernel().tile(tile, pixels, cancel)
    }

    fn stack_size(&self) -> usize {
        self.kernel().stack_size()
    }

    fn attachments(&self) -> usize {
        self.kernel().attachments()
    }
}
