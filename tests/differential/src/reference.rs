//! The core evaluator, the reference for all engines.

use crate::case::Case;
use crate::engine::{Image, Verdict};
use lambdav_core::evaluate::{self, EvaluationFault};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{self, Program, VerifyError};
use std::cell::Cell;

/// Number of cancellation polls before an evaluator is stopped; it polls after some hundred statements.
const POLLS: u32 = 20_000;

/// A fuel gauge that counts polls, so it is deterministic.
pub(crate) fn gauge(polls: u32) -> impl Fn() -> bool {
    let left = Cell::new(polls);
    move || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    }
}

/// Schedules these outputs and verifies the schedule.
pub(crate) fn scheduled(core: &Core, locations: &[u32]) -> Result<Program, String> {
    let program =
        schedule::schedule(core, locations).map_err(|d| format!("refused: {}", d.message))?;
    schedule::verify(&program).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(VerifyError::to_string).collect();
        format!("malformed schedule: {}", errors.join("; "))
    })?;
    Ok(program)
}

/// The images of all outputs of a case. Each output of `core` is scheduled alone; `draw` gets the schedule,
/// the location and the number of components.
pub(crate) fn each_output(
    case: &Case,
    core: &Core,
    draw: impl Fn(Program, u32, usize) -> Result<Image, String>,
) -> Result<Vec<Image>, String> {
    let locations = case.locations().into_iter();
    locations
        .map(|location| {
            let schedule = scheduled(core, &[location])?;
            let components = schedule.types.components(schedule.ty(schedule.outputs()[0]));
            draw(schedule, location, components)
        })
        .collect()
}

/// The verdicts of each output of a schedule on each pixel. A pixel that exceeds a limit exceeds it for all
/// outputs.
pub(crate) fn evaluate(program: &Program, case: &Case) -> Vec<Vec<Verdict>> {
    let mut evaluator = evaluate::Evaluator::new(program, case.conditions.max_iterations);
    let cancelled = gauge(POLLS);
    let mut outputs = vec![Vec::new(); program.outputs().len()];
    for inputs in case.pixels() {
        let fault = match evaluator.run(&inputs, &cancelled) {
            Ok(()) => None,
            Err(EvaluationFault::LoopLimit(span)) => Some(Verdict::LoopLimit(span)),
            Err(EvaluationFault::Cancelled) => Some(Verdict::OutOfFuel),
        };
        for (i, output) in outputs.iter_mut().enumerate() {
            output.push(match &fault {
                Some(fault) => fault.clone(),
                None => Verdict::Value(evaluator.output(i).into()),
            });
        }
    }
    outputs
}

/// The verdicts of each output on each pixel, each output scheduled alone.
pub(crate) fn reference(core: &Core, case: &Case) -> Result<Vec<Vec<Verdict>>, String> {
    case.locations()
        .into_iter()
        .map(|location| {
            let mut outputs = evaluate(&scheduled(core, &[location])?, case);
            outputs.pop().ok_or_else(|| "an output is missing".into())
        })
        .collect()
}

/// The image that these pixels make.
pub(crate) fn image(pixels: &[Verdict]) -> Image {
    let mut words = Vec::new();
    for (pixel, verdict) in pixels.iter().enumerate() {
        match verdict {
            Verdict::Value(value) => words.extend_from_slice(value),
            Verdict::LoopLimit(span) => return Image::LoopLimit { pixel, span: Some(*span) },
            Verdict::OutOfFuel => return Image::OutOfFuel,
        }
    }
    Image::Whole(words)
}
