//! Options of a pipeline: engine, output and limits.

use crate::bindings::Bindings;
#[cfg(feature = "gpu")]
use crate::engines::GpuMode;
use lambdav_core::limits;
use lambdav_image::Size;
use lambdav_simd_backend::lanes::Extents;
use lambdav_simd_backend::registers::Shape;
use lambdav_simd_backend::{Compiler, EmitError, Target};
use std::time::{Duration, Instant};

/// An engine, which computes pixels. All engines compute the same bits; a device does in its exact
/// mode.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code, or the core evaluator for a program that exceeds a limit of machine code.
    #[default]
    Fast,
    /// Machine code that computes many pixels at once.
    Simd,
    /// The evaluator of the typed core.
    Core,
    /// The evaluator of the text, by substitution: the literal semantics, and very slow.
    Source,
    /// The evaluator of SPIR-V: of the module that the program compiles to, or of the program itself if
    /// it is a module.
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
    pub(crate) reports_undefined: bool,
    /// Baked sizes of textures and buffers.
    pub(crate) sizes: Vec<Extents>,
    /// Options of the module of triangles that the SPIR-V evaluator executes.
    #[cfg(feature = "spirv")]
    pub(crate) module: lambdav_spirv_backend::emit::EmitOptions,
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
            reports_undefined: false,
            sizes: Vec::new(),
            #[cfg(feature = "spirv")]
            module: Default::default(),
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

    /// Draws the outputs at these locations together, computing shared values once.
    /// [`Pipeline::render_outputs`](crate::Pipeline::render_outputs) draws them. A pixel that fails for
    /// one output is an error of all.
    #[must_use]
    pub fn outputs(mut self, locations: impl IntoIterator<Item = u32>) -> Self {
        self.outputs = locations.into_iter().collect();
        self
    }

    /// Limits the number of `rec`s of a loop, each time that it is entered.
    #[must_use]
    pub fn max_iterations(mut self, limit: u64) -> Self {
        self.max_iterations = limit;
        self
    }

    /// Limits the time of compilation, which can end only between two stages: the largest programs may
    /// take one and a half seconds more.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Compiles for pictures of that size: for few pixels, compilation is fast; by default, code for
    /// many pixels is. The bits do not depend on the size.
    #[must_use]
    pub fn for_size(mut self, size: Size) -> Self {
        self.pixels = size.pixels() as f64;
        self
    }

    /// Compiles for the sizes of the textures and buffers in these bindings: addresses of texels are computed
    /// faster. Data of other sizes is [`Error::Mismatch`](crate::Error::Mismatch). The bits do not depend on
    /// this option.
    #[must_use]
    pub fn for_sizes(mut self, bindings: &Bindings) -> Self {
        self.sizes = bindings.resources().iter().map(Extents::of).collect();
        self
    }

    /// Compiles for the values of uniforms in these bindings and for the sizes of their textures and
    /// buffers. Pictures with other values are drawn with these values all the same, except for
    /// uniforms of a module that are inputs by name, such as `time`; data of other sizes is
    /// [`Error::Mismatch`](crate::Error::Mismatch). The bits for these values do not depend on this
    /// option.
    #[must_use]
    pub fn specialise(mut self, bindings: &Bindings) -> Self {
        self.specialised = Some(bindings.clone());
        self
    }

    /// Reports undefined behaviour with each picture ([`Drawn::undefined`](crate::Drawn::undefined)), dispatch, and run of
    /// passes ([`Ran::undefined`](crate::Ran::undefined)). The bits of results do not depend on this option.
    #[must_use]
    pub fn report_undefined(mut self, reports: bool) -> Self {
        self.reports_undefined = reports;
        self
    }

    /// Sets the options of the module of triangles that the engine `spirv` executes, for tests of exact modules.
    #[cfg(feature = "spirv")]
    #[doc(hidden)]
    #[must_use]
    pub fn module(mut self, options: lambdav_spirv_backend::emit::EmitOptions) -> Self {
        self.module = options;
        self
    }

    /// Sets the number of pixels that machine code computes together: 1, 4, 8, 16, 32 or 64. The bits
    /// do not depend on it.
    #[must_use]
    pub fn lanes(mut self, lanes: u32) -> Self {
        self.lanes = Some(lanes);
        self
    }

    /// Sets the target of machine code, one of [`targets`]; by default, the widest registers of this
    /// machine. The bits do not depend on it.
    #[must_use]
    pub fn target(mut self, name: impl Into<String>) -> Self {
        self.target = Some(name.into());
        self
    }

    /// The compiler of machine code with these options; none if there is no such target.
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
        let extents = match &self.specialised {
            Some(bindings) => bindings.resources().iter().map(Extents::of).collect(),
            None => self.sizes.clone(),
        };
        Ok(Some(Compiler { lanes, pixels, deadline, extents, ..Compiler::new(target) }))
    }
}

/// Names of the targets of machine code.
pub fn targets() -> impl Iterator<Item = &'static str> {
    Target::names()
}

/// Numbers of pixels that machine code can compute together.
pub const LANES: [u32; 6] = Shape::LANES;
