//! Traces of λV against the core evaluator, and against the words that the compiler emits.

use crate::case::Case;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::float::canonical;
use lambdav_core::schedule::schedule;
use lambdav_engine::trace::{TraceError, Tracer};
use lambdav_engine::{Engine, Error, Settings, Shader, Size};
use lambdav_generate::PROBE;
use lambdav_generate::suite::with_names_for_probes;
use lambdav_trace::{Event, EventKind, ScopeKind, Sink, Trace, Value};

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
    /// Values of probes.
    pub probes: u64,
}

/// Traces some pixels of each output of a program: corners and the middle. The trace's pixel must be that of the core
/// evaluator, the values of names those of the core evaluator and of the emitted words, and each round of a loop must have
/// something to tell. Probes tell what names in their places get. Names with several values, and those of functions, are compared as bags, which may differ by chance.
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
    let named = with_names_for_probes(&case.source);
    let named = named.map(|named| Shader::new(named.name(), named.text())).transpose();
    let named = named.map_err(|error| format!("with names for probes: {error}"))?;
    for location in case.locations() {
        let traced = |shader: &Shader| {
            let tracer = shader.tracer_with(settings.clone(), size, location);
            tracer.map_err(|error| error.to_string())
        };
        let tracer = traced(&shader)?;
        let named = named.as_ref().map(traced).transpose()?;
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
            if let Some(named) = &named {
                profile.probes += check_probes(case, [&tracer, named], at)?;
            }
            profile.pixels += 1;
            profile.rounds += rounds(&trace)?;
        }
    }
    Ok(profile)
}

/// Compares the messages of a program's probes with the values of names that stand for them, as bags. Returns their number.
fn check_probes(case: &Case, [tracer, named]: [&Tracer; 2], at: [u32; 2]) -> Result<u64, String> {
    let mut messages = Bag::default();
    let mut bindings = Bag::default();
    let told = tracer.pixel(at, &mut messages, &|| false).is_ok();
    if told != named.pixel(at, &mut bindings, &|| false).is_ok() {
        // The names are more terms, so the other program may exceed a limit.
        return Ok(0);
    }
    let of = |bag: &Bag, is: fn(&EventKind) -> Option<String>| {
        let mut all: Vec<String> = bag.0.iter().filter_map(is).collect();
        all.sort_unstable();
        all
    };
    let found = of(&messages, |kind| match kind {
        EventKind::Message(text) => Some(text.to_string()),
        _ => None,
    });
    let expected = of(&bindings, |kind| match kind {
        EventKind::Binding { name, value } if name.starts_with(PROBE) => {
            Some(format!("{name} = {value}"))
        }
        _ => None,
    });
    match found == expected {
        true => Ok(found.len() as u64),
        false => Err(format!(
            "{at:?}: the probes tell {found:?}, and their names {expected:?}\n{}",
            case.source.text()
        )),
    }
}

/// All events.
#[derive(Default)]
struct Bag(Vec<EventKind>);

impl Sink for Bag {
    fn event(&mut self, event: Event) {
        self.0.push(event.kind);
    }
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
