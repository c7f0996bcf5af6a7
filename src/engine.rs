//! Engines as kernels: what computes the pixels of one output of a program.

mod spirv;

pub use spirv::{SpirvEngine, SpirvError};

use lambdav_core::diagnostics::{Code, Diagnostic};
use lambdav_core::evaluate::{self, DEFAULT_MAX_ITERATIONS};
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{self, Program};
use lambdav_core::source::{SourceFile, Span};
use lambdav_frontend::reduction::{self, Limits, SourceFault};
use lambdav_frontend::syntax;
use lambdav_raster::{Cancel, Fault, Kernel, Size, Stop, Tile, TileBuffer};
use lambdav_simd_backend::{EmitError, SimdKernel, Target};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a frame is computed from, the pixel's position apart.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Resolution, time, frame, mouse and uniforms.
    pub inputs: Inputs,
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
}

impl Settings {
    /// The defaults of LANGUAGE §5 and §8 for an image of that size.
    pub fn new(core: &Core, size: Size) -> Self {
        Self::with_uniforms(&core.uniforms, size)
    }

    /// The same for a program with these uniforms.
    pub fn with_uniforms(uniforms: &[Uniform], size: Size) -> Self {
        let inputs = Inputs {
            resolution: [size.width() as f32, size.height() as f32],
            uniforms: uniforms.iter().map(|u| u.default.clone()).collect(),
            ..Inputs::default()
        };
        Self { inputs, max_iterations: DEFAULT_MAX_ITERATIONS }
    }

    fn at(&self, x: u32, y: u32) -> Inputs {
        // Exact: sides are at most 65,536.
        let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
        Inputs { frag_coord, ..self.inputs.clone() }
    }
}

/// The components of an output, filled from (0, 0, 0, 1).
fn fill(words: &[u32]) -> [f32; 4] {
    let mut pixel = [0.0, 0.0, 0.0, 1.0];
    for (component, &word) in pixel.iter_mut().zip(words) {
        *component = f32::from_bits(word);
    }
    pixel
}

/// Numbers for what can be wrong with a pixel, as [`Fault::site`] wants them.
#[derive(Debug, Default)]
struct Sites(Mutex<Vec<Diagnostic>>);

impl Sites {
    fn stop(&self, diagnostic: Diagnostic, x: u32, y: u32) -> Stop {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let site = sites.iter().position(|known| *known == diagnostic).unwrap_or_else(|| {
            sites.push(diagnostic);
            sites.len() - 1
        });
        Fault { x, y, site: site as u32 }.into()
    }

    fn explain(&self, fault: &Fault) -> Diagnostic {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites[fault.site as usize].clone().note(first_pixel(fault))
    }
}

fn first_pixel(fault: &Fault) -> String {
    format!("the first such pixel in scan order is ({}, {})", fault.x, fault.y)
}

/// An engine that can say what was wrong with a pixel.
pub trait Engine: Kernel {
    /// What to tell the user of a fault.
    fn explain(&self, fault: &Fault) -> Diagnostic;

    /// How much stack a thread that runs the kernel needs, in bytes.
    fn stack_size(&self) -> usize;
}

/// Computes each pixel of a tile in scan order.
fn each_pixel(
    tile: Tile,
    pixels: &mut TileBuffer<'_>,
    cancel: &Cancel<'_>,
    mut compute: impl FnMut(u32, u32, &dyn Fn() -> bool) -> Result<[f32; 4], Stop>,
) -> Result<(), Stop> {
    for y in tile.y..tile.y + tile.height {
        for x in tile.x..tile.x + tile.width {
            let cancelled = || !cancel.wants(x, y);
            if cancelled() {
                return Err(Stop::Cancelled);
            }
            pixels.set(x, y, compute(x, y, &cancelled)?);
        }
    }
    Ok(())
}

/// The evaluator of the scheduled core.
#[derive(Debug)]
pub struct CoreEngine {
    program: Program,
    settings: Settings,
    sites: Sites,
}

impl CoreEngine {
    /// For the output at `location`, which the program must have.
    pub fn new(core: &Core, location: u32, settings: &Settings) -> Result<Self, Diagnostic> {
        let program = schedule::schedule(core, &[location])?;
        Ok(Self { program, settings: settings.clone(), sites: Sites::default() })
    }
}

impl Kernel for CoreEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let limit = self.settings.max_iterations;
        let mut evaluator = evaluate::Evaluator::new(&self.program, limit);
        each_pixel(tile, pixels, cancel, |x, y, cancelled| {
            match evaluator.run(&self.settings.at(x, y), cancelled) {
                Ok(()) => Ok(fill(evaluator.output(0))),
                Err(evaluate::Fault::Cancelled) => Err(Stop::Cancelled),
                Err(evaluate::Fault::LoopLimit(span)) => {
                    Err(self.sites.stop(evaluate::loop_limit_diagnostic(span, limit), x, y))
                }
            }
        })
    }
}

impl Engine for CoreEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }

    fn stack_size(&self) -> usize {
        // The evaluator recurses once for each block inside a block.
        (2 << 20) + self.program.nesting() * (4 << 10)
    }
}

/// Machine code that computes many pixels at once.
#[derive(Debug)]
pub struct SimdEngine {
    kernel: SimdKernel,
    max_iterations: u64,
    scheduling: Duration,
}

/// Why there is no [`SimdEngine`].
#[derive(Debug)]
pub enum SimdError {
    /// The program is at fault.
    Program(Diagnostic),
    /// The machine is, or the program is too large for the code generator.
    Emit(EmitError),
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

    /// The same with some of what this machine's processor can do.
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
        let begun = Instant::now();
        let program = schedule::schedule(core, &[location]).map_err(SimdError::Program)?;
        let scheduling = begun.elapsed();
        let max_iterations = settings.max_iterations;
        let kernel =
            SimdKernel::for_target(program, lanes, &settings.inputs, max_iterations, target)
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
}

impl Engine for SimdEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        let span = self.kernel.site(fault.site);
        let diagnostic = evaluate::loop_limit_diagnostic(span, self.max_iterations);
        diagnostic.note(first_pixel(fault))
    }

    fn stack_size(&self) -> usize {
        (2 << 20) + self.kernel.stack_size()
    }
}

/// The evaluator of the text, by substitution.
#[derive(Debug)]
pub struct SourceEngine {
    program: reduction::Program,
    location: u32,
    settings: Settings,
    sites: Sites,
}

impl SourceEngine {
    /// For the output at `location` of a shader text that the compiler accepts.
    pub fn new(text: &SourceFile, location: u32, settings: &Settings) -> Result<Self, Diagnostic> {
        let (tree, _) = syntax::parse(text);
        let program = reduction::Program::new(&tree).map_err(|fault| explain_source(fault, 0))?;
        Ok(Self { program, location, settings: settings.clone(), sites: Sites::default() })
    }
}

fn explain_source(fault: SourceFault, max_iterations: u64) -> Diagnostic {
    match fault {
        SourceFault::Pixel(evaluate::Fault::LoopLimit(span)) => {
            evaluate::loop_limit_diagnostic(span, max_iterations)
        }
        SourceFault::Limit(what) => Diagnostic::new(
            Code::EvaluatorLimit,
            Span::default(),
            format!("the source evaluator gave up: too many {what}"),
        )
        .help("use another engine"),
        SourceFault::Unexpected(span, what) => Diagnostic::new(
            Code::EvaluatorLimit,
            span,
            format!("the source evaluator did not expect this: {what}"),
        )
        .note("the compiler accepted the program, so this is a bug in lambdav"),
        SourceFault::Pixel(evaluate::Fault::Cancelled) => {
            unreachable!("a cancelled pixel is no finding")
        }
    }
}

impl Kernel for SourceEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let max_iterations = self.settings.max_iterations;
        let limits = Limits { max_iterations, ..Limits::default() };
        each_pixel(tile, pixels, cancel, |x, y, cancelled| {
            match self.program.run(self.location, &self.settings.at(x, y), limits, cancelled) {
                Ok(words) => Ok(fill(&words)),
                Err(SourceFault::Pixel(evaluate::Fault::Cancelled)) => Err(Stop::Cancelled),
                Err(fault) => Err(self.sites.stop(explain_source(fault, max_iterations), x, y)),
            }
        })
    }
}

impl Engine for SourceEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.sites.explain(fault)
    }

    fn stack_size(&self) -> usize {
        // It keeps its own stack.
        2 << 20
    }
}
