//! Traces of λV against the core evaluator, and against the words that the compiler emits.

use crate::case::Case;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::float::canonical;
use lambdav_core::schedule::schedule;
use lambdav_engine::trace::TraceError;
use lambdav_engine::{Engine, Error, Settings, Shader, Size};
use lambdav_trace::{ScopeKind, Trace, Value};

/// Numbers of compared pixels, names and rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceProfile {
    /// Traced pixels.
    pub pixels: u64,
    /// Names with one value of the program itself.
    pub names: u64,
    /// Names as bags of values.
    pub bags: u64,
    /// Comparisons in which a bag differs.
    pub chances: u64,
    /// Rounds of loops.
    pub rounds: u64,
}

/// Traces some pixels of each output of a program: corners and the middle. The trace's pixel must be that of the core
/// evaluator, the values of names those of the core evaluator and of the emitted words, and each round of a loop must have
/// something to tell. Names with several values, and those of functions, are compared as bags, which may differ by chance.
///
/// # Errors
///
/// The first difference.
pub fn check_traces(case: &Case) -> Result<TraceProfile, String> {
    let shader = Shader::new(case.source.name(), case.source.text());
    let shader = shader.map_err(|error| error.to_string())?;
    let conditions = case.conditions;
    let size = Size::new(conditions.width, conditions.height).map_err(|error| error.to_string())?;
    let max_iterations = conditions.max_iterations;
    let settings = Settings { inputs: case.inputs.clone(), max_iterations };
    let mut profile = TraceProfile::default();
    for location in case.locations() {
        let tracer = shader.tracer_with(settings.clone(), size, location);
        let tracer = tracer.map_err(|error| error.to_string())?;
        let names = tracer.distinct_names();
        let program = schedule(&case.core, &[location]).map_err(|found| found.message)?;
        let all = conditions.pixels();
        let mut some = vec![0, all / 2, all - 1];
        some.dedup();
        for pixel in some {
            let width = conditions.width as usize;
            let at = [(pixel % width) as u32, (pixel / width) as u32];
            let (trace, values) = match tracer.trace(at, None, &|| false) {
                Ok(found) => found,
                // A limit of this evaluator, or of loops, which other tests compare.
                Err(TraceError::Error(Error::Program(_))) => continue,
                Err(error) => return Err(format!("{at:?}: {error:?}")),
            };
            let mut evaluator = Evaluator::new(&program, max_iterations);
            if evaluator.run(&case.at(pixel), &|| false).is_err() {
                continue;
            }
            let expected = evaluator.output(0);
            let Some((_, Value::Words { words, .. })) = trace.subject.results.first() else {
                return Err(format!("{at:?}: the trace has no pixel"));
            };
            if !words.iter().zip(expected).all(|(&a, &b)| canonical(a) == canonical(b)) {
                return Err(format!("{at:?}: the trace ends in {words:08x?}, not {expected:08x?}"));
            }
            for engine in [Engine::Core, Engine::Spirv] {
                let others = match tracer.values_by(&engine, at, &|| false) {
                    Ok(Some(others)) => others,
                    Ok(None) => return Err(format!("{engine:?} has no values")),
                    // A program that is too large for SPIR-V.
                    Err(TraceError::Error(Error::Unsupported(_))) => continue,
                    Err(error) => return Err(format!("{at:?} by {engine:?}: {error:?}")),
                };
                let compared = values.compare(&others, &names, true);
                if let Some(first) = compared.first {
                    return Err(format!("{at:?} by {engine:?}: {first:?}"));
                }
                profile.names += compared.names as u64;
                let bags = values.compare(&others, &names, false);
                profile.bags += bags.names as u64;
                profile.chances += u64::from(bags.first.is_some());
            }
            profile.pixels += 1;
            profile.rounds += rounds(&trace)?;
        }
    }
    Ok(profile)
}

/// The number of rounds. Generated loops test their counter in each.
fn rounds(trace: &Trace) -> Result<u64, String> {
    let mut count = 0;
    for scope in trace.scopes.iter().filter(|scope| scope.kind == ScopeKind::Round) {
        if scope.items.is_empty() {
            return Err(format!("round {} of a loop has no condition", scope.rounds));
        }
        count += 1;
    }
    Ok(count)
}
