//! Options of a pipeline: the engine, the output, and limits.

use crate::bindings::Bindings;
#[cfg(feature = "gpu")]
use crate::engines::GpuMode;
use lambdav_core::limits;
use lambdav_image::Size;
use lambdav_simd_backend::registers::Shape;
use lambdav_simd_backend::{Compiler, EmitError, Target};
use std::time::{Duration, Instant};

/// An engine, which computes pixels. All of them give the same bits, a device where it is asked to.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code; for a program that exceeds its limits, the evaluator of the core.
    #[default]
    Fast,
    /// Machine code that computes many pixels at once.
    Simd,
    /// The evaluator of the typed core.
    Core,
    /// The evaluator of the text, by substitution: the literal semantics, and very slow.
    Source,
    /// The evaluator of the SPIR-V that the program compiles to, or that it is.
    #[cfg(feature = "spirv")]
    Spirv,
    /// A Vulkan device.
    #[cfg(feature = "gpu")]
    Gpu(lambdav_gpu::Device, GpuMode),
}

/// Options of [`Shader::pipeline`](crate::Shader::pipeline). By default the fastest engine draws the lowest output.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) engine: Engine,
    pub(crate) outputs: Vec<u32>,
    pub(crate) max_iterations: u64,
    pub(crate) timeout: Option<Duration>,
    pub(crate) lanes: Option<u32>,
    pub(crate) target: Option<String>,
    pub(crate) pixels: f64,
    pub(crate) specialised: Option<Bindings>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            outputs: Vec::new(),
            max_iterations: limits::ITERATIONS,
            timeout: None,
            lanes: None,
            target: None,
            pixels: f64::INFINITY,
            specialised: None,
        }
    }
}

impl Options {
    /// Chooses the engine.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Draws the output at that location.
    #[must_use]
    pub fn output(mut self, location: u32) -> Self {
        self.outputs = vec![location];
        self
    }

    /// Draws the outputs at these locations at once: what they have in common is computed once.
    /// [`Pipeline::render_outputs`](crate::Pipeline::render_outputs) draws them. A pixel that cannot be computed for one of
    /// them is an error of the picture.
    #[must_use]
    pub fn outputs(mut self, locations: impl IntoIterator<Item = u32>) -> Self {
        self.outputs = locations.into_iter().collect();
        self
    }

    /// Limits the `rec`s that each entry of a loop may execute.
    #[must_use]
    pub fn max_iterations(mut self, limit: u64) -> Self {
        self.max_iterations = limit;
        self
    }

    /// Limits the time of compiling, which ends between two of its stages: a program of the largest size may take one
    /// and a half seconds more.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Compiles for pictures of that size: for few pixels, code that is made fast. Without it code is made for
    /// many. The bits do not depend on it.
    #[must_use]
    pub fn for_size(mut self, size: Size) -> Self {
        self.pixels = size.pixels() as f64;
        self
    }

    /// Compiles for the values that uniforms have in these bindings, and for the sizes of textures and buffers that they bind: what
    /// they decide is decided once. A picture with
    /// other values is drawn with these all the same, but for uniforms of a module that are inputs by their names, such as
    /// `time`; data of other sizes is [`Error::Mismatch`](crate::Error::Mismatch). The bits do not depend on it.
    #[must_use]
    pub fn specialise(mut self, bindings: &Bindings) -> Self {
        self.specialised = Some(bindings.clone());
        self
    }

    /// Sets how many pixels machine code computes together: 1, 4, 8, 16, 32 or 64. The bits do not depend on it.
    #[must_use]
    pub fn lanes(mut self, lanes: u32) -> Self {
        self.lanes = Some(lanes);
        self
    }

    /// Makes machine code for that target, one of [`targets`]; by default for the widest registers that this machine
    /// has. The bits do not depend on it.
    #[must_use]
    pub fn target(mut self, name: impl Into<String>) -> Self {
        self.target = Some(name.into());
        self
    }

    /// The compiler of machine code with these options; none if no target is called so.
    pub(crate) fn compiler(&self) -> Result<Option<Compiler>, EmitError> {
        let target = match &self.target {
            None => Target::host()?,
            Some(name) => match Target::named(name)? {
                Some(target) => target,
                None => return Ok(None),
            },
        };
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (lanes, pixels) = (self.lanes, self.pixels);
        Ok(Some(Compiler { lanes, pixels, deadline, ..Compiler::new(target) }))
    }
}

/// The names of the targets of machine code.
pub fn targets() -> impl Iterator<Item = &'static str> {
    Target::names()
}

/// The numbers of pixels that machine code can compute together.
pub const LANES: [u32; 6] = Shape::LANES;
