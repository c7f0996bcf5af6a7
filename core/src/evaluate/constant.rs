//! Evaluation of constants at compile time: the defaults of uniforms, and closed loops.

use super::evaluator::Evaluator;
use super::fault::EvaluationFault;
use super::observer::Observer;
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Core, Graph, NodeId, Output};
use crate::inputs::Inputs;
use crate::limits::{self, DEFAULT_OPERATIONS};
use crate::op::Op;
use crate::schedule::{self, Expr, Program, Statement};
use std::cell::Cell;

/// The number of operations that an elementary function counts as.
const ELEMENTARY_COST: u64 = 64;

/// The words of a node that depends on no input, such as a uniform's default with a loop. `left` is the
/// number of operations that may still be executed. It becomes `None` after an error, so that the error is
/// reported once. `observer` sees the node's probes, too.
///
/// # Errors
///
/// LV0504 for a loop that exceeds the limit, and the errors of the schedule.
pub fn constant(
    graph: &Graph,
    node: NodeId,
    left: &mut Option<u64>,
    observer: &mut impl Observer,
) -> Result<Box<[u32]>, Diagnostic> {
    let span = graph.span(node);
    let (graph, node) = graph.part(node);
    let output = Output { location: 0, node, span };
    let core = Core { graph, outputs: vec![output], ..Core::default() };
    let program = schedule::schedule_probed(&core, &[0])?;
    // No round executes more than all operations of the program.
    let cost: u64 = program
        .blocks
        .iter()
        .flat_map(|block| &block.statements)
        .map(|statement| cost(&program, statement))
        .sum();
    let cost = cost.max(1);
    let operations = left.take().unwrap_or_default();
    let allowed = (operations / cost).min(limits::ITERATIONS);
    let rounds = Cell::new(0);
    let is_over = || rounds.replace(rounds.get() + 1) >= allowed;
    let mut evaluator = Evaluator::new(&program, allowed).polling_rounds();
    let result = evaluator.run_observed(&Inputs::default(), &is_over, observer);
    let message = match result {
        Ok(()) => {
            *left = Some(operations.saturating_sub((rounds.get() + 1) * cost));
            return Ok(evaluator.output(0).into());
        }
        Err(EvaluationFault::LoopLimit(span)) => {
            let message = format!("this loop does not end within {allowed} rounds");
            Diagnostic::new(DiagnosticCode::LoopLimit, span, message).label("this loop")
        }
        Err(EvaluationFault::Cancelled) => {
            let message = format!("the loops of this default take more than {allowed} rounds");
            Diagnostic::new(DiagnosticCode::LoopLimit, span, message)
        }
    };
    Err(message
        .note(format!(
            "the defaults of a program may take {DEFAULT_OPERATIONS} operations together"
        ))
        .help("the compiler computes defaults: compute the value where it is used instead"))
}

fn cost(program: &Program, statement: &Statement) -> u64 {
    match statement {
        Statement::Let { expr: Expr::Op(Op::Elementary(_), operands), .. } => {
            // A vector has at most four components.
            4 * ELEMENTARY_COST * operands.len() as u64
        }
        // One operation for up to 16 components, as many as the largest matrix has.
        _ => (program.types.components(program.ty(statement.value())) as u64).div_ceil(16).max(1),
    }
}
