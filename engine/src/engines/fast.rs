//! The fastest engine that a program can have.

use super::{CoreEngine, Engine, SimdEngine, SimdError};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::texture::TextureData;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::{Compiler, EmitError, Target};
use std::sync::Arc;

/// Machine code, or, for a program that exceeds a limit of machine code
/// ([`EmitError::is_limit`]), the evaluator of the core. The pixels are the same.
#[derive(Debug)]
pub enum FastEngine {
    /// Machine code.
    Simd(Box<SimdEngine>),
    /// The evaluator, and why.
    Core(Box<CoreEngine>, EmitError),
}

impl FastEngine {
    /// For the output at `location`, which the program must have, with so many lanes, by default
    /// as seems best.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply for every engine, or a machine that cannot execute the code.
    pub fn new(
        core: &Core,
        location: u32,
        settings: &Settings,
        lanes: Option<u32>,
    ) -> Result<Self, SimdError> {
        let target = Target::host().map_err(SimdError::Emit)?;
        Self::with_compiler(core, location, settings, Compiler { lanes, ..Compiler::new(target) })
    }

    /// The same with a compiler, whose number of pixels is overridden.
    ///
    /// # Errors
    ///
    /// As of [`Self::new`], and [`EmitError::TimedOut`].
    pub fn with_compiler(
        core: &Core,
        location: u32,
        settings: &Settings,
        compiler: Compiler,
    ) -> Result<Self, SimdError> {
        match SimdEngine::with_compiler(core, location, settings, compiler) {
            Ok(engine) => Ok(Self::Simd(Box::new(engine))),
            Err(SimdError::Emit(error)) if error.is_limit() => {
                let engine = CoreEngine::new(core, location, settings);
                Ok(Self::Core(Box::new(engine.map_err(SimdError::Program)?), error))
            }
            Err(error) => Err(error),
        }
    }

    fn kernel(&self) -> &dyn Engine {
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
}

impl Engine for FastEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.kernel().explain(fault)
    }

    fn set_time(&mut self, time: f32, frame: f32) {
        match self {
            Self::Simd(engine) => engine.set_time(time, frame),
            Self::Core(engine, _) => engine.set_time(time, frame),
        }
    }

    fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        match self {
            Self::Simd(engine) => engine.set_texture(number, texture),
            Self::Core(engine, _) => engine.set_texture(number, texture),
        }
    }
}
