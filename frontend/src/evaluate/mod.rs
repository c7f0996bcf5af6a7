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
use crate::op::Op;
use crate::schedule::{self, Expr, Statement};
use crate::source::Span;
use std::cell::Cell;

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

/// How many operations the loops in the defaults of a program's uniforms may execute together: the
/// compiler does it, and shall take less than a second.
pub(crate) const MAX_DEFAULT_OPERATIONS: u64 = 1 << 24;

/// As how many operations an elementary function counts.
const ELEMENTARY_COST: u64 = 64;

/// The words of a node that depends on no input: a uniform's default that contains a loop. `left` is how
/// many operations may still be executed; after an error, which is reported once, there is no such number.
pub(crate) fn constant(
    graph: &Graph,
    node: NodeId,
    left: &mut Option<u64>,
) -> Result<Box<[u32]>, Diagnostic> {
    let span = graph.span(node);
    let (graph, node) = graph.part(node);
    let output = Output { location: 0, node, span };
    let core = Core { graph, uniforms: Vec::new(), outputs: vec![output] };
    let program = schedule::schedule(&core, &[0])?;
    // No round executes more than all operations.
    let cost: u64 = program.blocks.iter().flat_map(|block| &block.statements).map(cost).sum();
    let cost = cost.max(1);
    let operations = left.take().unwrap_or_default();
    let allowed = (operations / cost).min(DEFAULT_MAX_ITERATIONS);
    let rounds = Cell::new(0);
    let is_over = || rounds.replace(rounds.get() + 1) >= allowed;
    let mut evaluator = core::Evaluator::new(&program, allowed).polling_always();
    let result = evaluator.run(&Inputs::default(), &is_over);
    let message = match result {
        Ok(()) => {
            *left = Some(operations.saturating_sub((rounds.get() + 1) * cost));
            return Ok(evaluator.output(0).into());
        }
        Err(Fault::LoopLimit(span)) => {
            let message = format!("this loop does not end within {allowed} rounds");
            Diagnostic::new(Lv::LoopLimit, span, message).label("this `rec-func`")
        }
        Err(Fault::Cancelled) => {
            let message = format!("the loops of this default take more than {allowed} rounds");
            Diagnostic::new(Lv::LoopLimit, span, message)
        }
    };
    Err(message
        .note(format!(
            "the defaults of a program may take {MAX_DEFAULT_OPERATIONS} operations together"
        ))
        .help("the compiler computes defaults: compute the value where it is used instead"))
}

fn cost(statement: &Statement) -> u64 {
    match statement {
        Statement::Let { expr: Expr::Op(Op::Elementary(_), operands), .. } => {
            // Of vectors, there are at most four components.
            4 * ELEMENTARY_COST * operands.len() as u64
        }
        _ => 1,
    }
}
