//! The evaluators: what a program means, computed as plainly as possible.
//!
//! They are the oracles for everything else: short, obvious, one pixel at a time.
//!
//! - [`core`] walks a scheduled [`crate::schedule::Program`].
//! - [`source`] reduces the syntax tree by the rules of the report.

pub mod core;
pub mod source;

use crate::core::{Core, Graph, NodeId, Output};
use crate::diagnostics::{Code as Lv, Diagnostic};
use crate::schedule;
use crate::source::Span;

/// The default of the iteration limit of LANGUAGE §8.
pub const DEFAULT_MAX_ITERATIONS: u64 = 1 << 24;

/// What a pixel is computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// (x+0.5, y+0.5, z, 1/w), origin at the upper left.
    pub frag_coord: [f32; 4],
    /// Width and height in pixels.
    pub resolution: [f32; 2],
    /// Seconds.
    pub time: f32,
    /// The number of the frame.
    pub frame: f32,
    /// As given, else zero.
    pub mouse: [f32; 4],
    /// The words of each uniform's value.
    pub uniforms: Vec<Box<[u32]>>,
}

impl Default for Inputs {
    /// The first pixel of an image of one pixel; no uniforms.
    fn default() -> Self {
        Self {
            frag_coord: [0.5, 0.5, 0.0, 1.0],
            resolution: [1.0, 1.0],
            time: 0.0,
            frame: 0.0,
            mouse: [0.0; 4],
            uniforms: Vec::new(),
        }
    }
}

/// Why a pixel has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A loop, whose `rec-func` is there, wanted more rounds than allowed.
    LoopLimit(Span),
    /// The caller asked to stop.
    Cancelled,
}

/// The message for a loop that exceeds `max_iterations`.
pub fn loop_limit_diagnostic(span: Span, max_iterations: u64) -> Diagnostic {
    Diagnostic::new(
        Lv::LoopLimit,
        span,
        format!("this loop does not end within {max_iterations} rounds"),
    )
    .label("this `rec-func`")
    .help("mend its condition, or allow more with --max-iterations")
}

/// The words of a node that depends on no input: a uniform's default that contains a loop.
pub(crate) fn constant(graph: &Graph, node: NodeId) -> Result<Box<[u32]>, Diagnostic> {
    let output = Output { location: 0, node, span: graph.span(node) };
    let core = Core { graph: graph.clone(), uniforms: Vec::new(), outputs: vec![output] };
    let program = schedule::schedule(&core, &[0])?;
    let mut evaluator = core::Evaluator::new(&program, DEFAULT_MAX_ITERATIONS);
    match evaluator.run(&Inputs::default(), &|| false) {
        Ok(()) => Ok(evaluator.output(0).into()),
        Err(Fault::LoopLimit(span)) => Err(loop_limit_diagnostic(span, DEFAULT_MAX_ITERATIONS)),
        Err(Fault::Cancelled) => unreachable!("nobody cancels it"),
    }
}
