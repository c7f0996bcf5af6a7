//! Engines as kernels: what computes the pixels of one output of a program.

use lambdav_frontend::core::Core;
use lambdav_frontend::diagnostics::Diagnostic;
use lambdav_frontend::evaluate::{self, DEFAULT_MAX_ITERATIONS, Inputs};
use lambdav_frontend::schedule::{self, Program};
use lambdav_frontend::source::{SourceFile, Span};
use lambdav_frontend::syntax;
use lambdav_raster::{Cancel, Fault, Kernel, Size, Stop, Tile, TileBuffer};
use std::sync::{Mutex, PoisonError};

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
        let inputs = Inputs {
            resolution: [size.width() as f32, size.height() as f32],
            uniforms: core.uniforms.iter().map(|u| u.default.clone()).collect(),
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

/// Numbers for the places at which a pixel can fail, as [`Fault::site`] wants them.
#[derive(Debug, Default)]
struct Sites(Mutex<Vec<Span>>);

impl Sites {
    fn number(&self, span: Span) -> u32 {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = sites.iter().position(|&s| s == span).unwrap_or_else(|| {
            sites.push(span);
            sites.len() - 1
        });
        at as u32
    }

    fn span(&self, number: u32) -> Span {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites.get(number as usize).copied().unwrap_or_default()
    }

    fn stop(&self, fault: evaluate::Fault, x: u32, y: u32) -> Stop {
        match fault {
            evaluate::Fault::LoopLimit(span) => Fault { x, y, site: self.number(span) }.into(),
            evaluate::Fault::Cancelled => Stop::Cancelled,
        }
    }
}

/// An engine that can say what was wrong with a pixel.
pub trait Engine: Kernel {
    /// What to tell the user of a fault.
    fn explain(&self, fault: &Fault) -> Diagnostic;

    /// How much stack a thread that runs the kernel needs, in bytes.
    fn stack_size(&self) -> usize;
}

fn explain_loop(sites: &Sites, max_iterations: u64, fault: &Fault) -> Diagnostic {
    evaluate::loop_limit_diagnostic(sites.span(fault.site), max_iterations)
        .note(format!("the first such pixel in scan order is ({}, {})", fault.x, fault.y))
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
        let mut evaluator =
            evaluate::core::Evaluator::new(&self.program, self.settings.max_iterations);
        for y in tile.y..tile.y + tile.height {
            for x in tile.x..tile.x + tile.width {
                let wanted = || cancel.wants(x, y);
                if !wanted() {
                    return Err(Stop::Cancelled);
                }
                evaluator
                    .run(&self.settings.at(x, y), &|| !wanted())
                    .map_err(|fault| self.sites.stop(fault, x, y))?;
                pixels.set(x, y, fill(evaluator.output(0)));
            }
        }
        Ok(())
    }
}

impl Engine for CoreEngine {
    fn explain(&self, fault: &Fault) -> Diagnostic {
        explain_loop(&self.sites, self.settings.max_iterations, fault)
    }

    fn stack_size(&self) -> usize {
        // The evaluator recurses once for each block inside a block.
        (2 << 20) + self.program.nesting() * (4 << 10)
    }
}
