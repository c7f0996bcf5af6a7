//! Values of names by the core evaluator.

use super::pixel::{Stop, place_of};
use super::source::of_words;
use crate::accepted::Accepted;
use crate::settings::Settings;
use lambdav_core::evaluate::{
    Evaluated, EvaluationFault, Evaluator, Observer, loop_limit_diagnostic,
};
use lambdav_core::schedule::{Program, ValueId, schedule};
use lambdav_core::source::Span;
use lambdav_trace::NamedValues;

/// Keeps the values of named nodes at the pixel itself.
struct Names<'a> {
    program: &'a Program,
    accepted: &'a Accepted,
    values: NamedValues,
}

impl Observer for Names<'_> {
    fn operation(&mut self, _: &Evaluated<'_>) {}

    fn value(&mut self, value: ValueId, words: &[u32]) {
        let Some(name) = self.program.name(value) else { return };
        let info = &self.program.values[value.index()];
        // Where the condition of a guard does not hold, its value is none of the program's.
        let is_other = self.program.neighbours.contains_key(&value) || self.program.is_guard(value);
        if is_other || info.ty.builtin().is_none() {
            return;
        }
        let known = Some(info.span).filter(|span| *span != Span::default());
        let place = known.map(|span| place_of(&self.accepted.source, span.start));
        self.values.add(name.into(), place, of_words(info.ty, words.into()));
    }
}

/// The values of names at a pixel, by the core evaluator.
pub(super) fn values(
    accepted: &Accepted,
    output: u32,
    settings: &Settings,
    [x, row]: [u32; 2],
    cancelled: &dyn Fn() -> bool,
) -> Result<NamedValues, Stop> {
    let program = schedule(&accepted.core, &[output]).map_err(|found| Stop::Fault(found.into()))?;
    let mut observer = Names { program: &program, accepted, values: NamedValues::default() };
    let mut evaluator = Evaluator::new(&program, settings.max_iterations);
    let inputs = settings.at(x, row);
    evaluator.run_observed(&inputs, cancelled, &mut observer).map_err(|fault| match fault {
        EvaluationFault::Cancelled => Stop::Cancelled,
        EvaluationFault::LoopLimit(span) => {
            Stop::Fault(loop_limit_diagnostic(span, settings.max_iterations).into())
        }
    })?;
    Ok(observer.values)
}
