//! The source evaluator, on a sample of pixels.

use crate::case::Case;
use crate::engine::{Engine, Image, Verdict};
use crate::reference::gauge;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::float::same_words;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram};
use lambdav_frontend::syntax;

/// Evaluates by substitution in the syntax tree.
pub(super) struct Source;

/// Number of pixels in the sample.
const SAMPLES: usize = 6;
/// Limit of steps. It is low, since there are many programs.
const MAX_STEPS: u64 = 30_000;
/// Number of cancellation polls before the evaluator is stopped.
const POLLS: u32 = 10_000;

impl Engine for Source {
    fn name(&self) -> &'static str {
        "source"
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        let (tree, _) = syntax::parse(&case.source);
        let describe = |fault: SourceFault| match fault {
            SourceFault::Unexpected(span, what) => {
                format!("{what}, at {:?}", case.source.slice(span))
            }
            fault => format!("{fault:?}"),
        };
        let program = SourceProgram::new(&tree).map_err(describe)?;
        uniforms(&program, case)?;
        let saves_rounds = case.saves_rounds();
        let max_iterations = case.conditions.max_iterations;
        let limits = Limits { max_iterations, max_steps: MAX_STEPS };
        let images = case.locations().into_iter().map(|location| {
            let verdicts = samples(case).map(|pixel| {
                let verdict = match program.run(location, &case.at(pixel), limits, &gauge(POLLS)) {
                    Ok(words) => Verdict::Value(words),
                    Err(SourceFault::Pixel(EvaluationFault::LoopLimit(_))) if saves_rounds => {
                        Verdict::OutOfFuel
                    }
                    Err(SourceFault::Pixel(EvaluationFault::LoopLimit(span))) => {
                        Verdict::LoopLimit(span)
                    }
                    Err(SourceFault::Limit(_) | SourceFault::Pixel(EvaluationFault::Cancelled)) => {
                        Verdict::OutOfFuel
                    }
                    Err(fault @ SourceFault::Unexpected(..)) => return Err(describe(fault)),
                };
                Ok((pixel, verdict))
            });
            Ok(Image::Sampled(verdicts.collect::<Result<_, String>>()?))
        });
        images.collect()
    }
}

/// A sample of pixels in different columns and rows, by steps of about the golden ratio.
fn samples(case: &Case) -> impl Iterator<Item = usize> {
    let pixels = case.conditions.pixels();
    (0..SAMPLES.min(pixels)).map(move |i| (i * 1618 / 1000 * pixels / SAMPLES + i) % pixels)
}

/// Compares the defaults of uniforms, which the compiler computes.
fn uniforms(program: &SourceProgram, case: &Case) -> Result<(), String> {
    let limits = Limits { max_steps: MAX_STEPS, ..Limits::default() };
    match program.uniform_defaults(limits, &gauge(POLLS)) {
        Ok(defaults) => {
            for (words, uniform) in defaults.iter().zip(&case.core.uniforms) {
                if !same_words(words, &uniform.default) {
                    return Err(format!("the default of {} differs", uniform.name));
                }
            }
            Ok(())
        }
        Err(SourceFault::Limit(_) | SourceFault::Pixel(EvaluationFault::Cancelled)) => Ok(()),
        Err(fault) => Err(format!("the default of a uniform: {fault:?}")),
    }
}
