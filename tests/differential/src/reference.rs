//! The core evaluator, with which engines are compared.

use crate::case::Case;
use crate::engine::{Image, Verdict};
use lambdav_core::evaluate::{self, EvaluationFault};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{self, Program, VerifyError};
use std::cell::Cell;

/// How many times an evaluator may ask whether to stop (after some hundred statements each).
const POLLS: u32 = 20_000;

/// A fuel gauge that is the same on every machine.
pub(crate) fn gauge(polls: u32) -> impl Fn() -> bool {
    let left = Cell::new(polls);
    move || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    }
}

/// Schedules these outputs and checks the schedule.
pub(crate) fn scheduled(core: &Core, locations: &[u32]) -> Result<Program, String> {
    let program =
        schedule::schedule(core, locations).map_err(|d| format!("refused: {}", d.message))?;
    schedule::verify(&program).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(VerifyError::to_string).collect();
        format!("malformed schedule: {}", errors.join("; "))
    })?;
    Ok(program)
}

/// The images of all outputs of a case, whose program is this one: each is scheduled alone and drawn by an
/// engine, which is told its location and how many components it has.
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

/// The verdicts on each pixel for each output of a schedule; a pixel that exceeds a limit does so
/// for all outputs.
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

/// The verdicts on each pixel of each output, each scheduled alone.
pub(crate) fn reference(core: &Core, case: &Case) -> Result<Vec<Vec<Verdict>>, String> {
    case.locations()
        .into_iter()
        .map(|location| {
            let mut outputs = evaluate(&scheduled(core, &[location])?, case);
            outputs.pop().ok_or_else(|| "an output is lost".into())
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
