//! The properties of every generated program.

use crate::case::Case;
use crate::conditions::Conditions;
use crate::engine::{Engine, Image, Verdict};
use crate::profile::{Profile, profile};
use crate::reference::{evaluate, image, reference, scheduled};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::float::same_words;
use lambdav_core::source::Span;
use lambdav_generate::{GeneratedProgram, is_refused_for_rounds};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// The kind of a bug. Shrinking a program keeps the kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// The compiler refuses the program; the message's code.
    Rejected(&'static str),
    /// A panic at that place.
    Panic(String),
    /// An engine reports an internal error.
    Engine(&'static str),
    /// Outputs scheduled together differ from outputs scheduled alone.
    Subset,
    /// An engine gives other values than the core evaluator.
    Values(&'static str),
    /// An engine exceeds the iteration limit at another place than the core evaluator, or only one of the two
    /// exceeds it.
    Limit(&'static str),
    /// A loop exceeds the generous limit, although generated programs end.
    Endless,
}

/// A bug and its description.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind.
    pub bug: Bug,
    /// Values, places and messages, for the report.
    pub detail: String,
}

/// Compares these engines with the core evaluator on a program.
pub fn check(
    program: &GeneratedProgram,
    conditions: Conditions,
    engines: &[&dyn Engine],
) -> Result<Profile, Failure> {
    let (result, panicked) = quietly(|| check_inside(program, conditions, engines));
    result.unwrap_or_else(|()| {
        let (place, message) = panicked.unwrap_or_default();
        Err(Failure { bug: Bug::Panic(place), detail: message })
    })
}

thread_local! {
    /// Place and message of this thread's last panic while `SILENT` is set.
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static SILENT: RefCell<bool> = const { RefCell::new(false) };
}

/// Runs a function, catches its panic and prints nothing.
fn quietly<T>(run: impl FnOnce() -> T) -> (Result<T, ()>, Option<(String, String)>) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if SILENT.with(|silent| *silent.borrow()) {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                PANIC.with(|panic| *panic.borrow_mut() = Some((place, info.to_string())));
            } else {
                usual(info);
            }
        }));
    });
    SILENT.with(|silent| *silent.borrow_mut() = true);
    let result = catch_unwind(AssertUnwindSafe(run)).map_err(drop);
    SILENT.with(|silent| *silent.borrow_mut() = false);
    (result, PANIC.with(|panic| panic.borrow_mut().take()))
}

fn check_inside(
    program: &GeneratedProgram,
    conditions: Conditions,
    engines: &[&dyn Engine],
) -> Result<Profile, Failure> {
    match Case::new(program, conditions) {
        Ok(case) => compare_all(&case, engines),
        // Unrolling may be endless where the loop ends.
        Err(refused) if is_refused_for_rounds(&program.to_string(), &refused) => {
            Ok(Profile { endless_rounds: true, ..Profile::default() })
        }
        Err(refused) => Err(rejected(program, &refused)),
    }
}

/// Compares these engines with the core evaluator on a compiled program. Does not catch panics.
///
/// # Errors
///
/// The first bug.
pub fn compare_all(case: &Case, engines: &[&dyn Engine]) -> Result<Profile, Failure> {
    let conditions = case.conditions;
    let broken = |name, detail| Failure { bug: Bug::Engine(name), detail };
    let expected = reference(&case.core, case).map_err(|detail| broken("core", detail))?;
    let mut gave_up = Vec::new();
    for engine in engines {
        let name = engine.name();
        let images = engine.run(case).map_err(|detail| broken(name, detail))?;
        if images.len() != expected.len() {
            return Err(broken(name, format!("{} images", images.len())));
        }
        if images.iter().any(Image::is_partial) {
            gave_up.push(name);
        }
        for (location, (pixels, found)) in case.locations().iter().zip(expected.iter().zip(&images))
        {
            compare(pixels, name, found).map_err(|failure| Failure {
                detail: format!("output {location}, {}", failure.detail),
                ..failure
            })?;
        }
    }
    let is_limit = |verdict: &Verdict| matches!(verdict, Verdict::LoopLimit(_));
    if conditions.is_generous() && expected.iter().flatten().any(is_limit) {
        return Err(Failure { bug: Bug::Endless, detail: String::new() });
    }
    subsets(case, &expected)?;
    let profile = profile(case, &expected).map_err(|detail| broken("profile", detail))?;
    Ok(Profile { gave_up, ..profile })
}

fn rejected(program: &GeneratedProgram, diagnostics: &[Diagnostic]) -> Failure {
    let text = program.to_string();
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.last());
    let code = first.map_or("", |d| d.code.as_str());
    let place = |span: Span| &text[span.start as usize..span.end as usize];
    let detail = diagnostics.iter().map(|d| {
        let causes = d.secondary.iter().map(|l| format!("; {}: {}", l.message, place(l.span)));
        let causes: String = causes.collect();
        format!("{}: {}: {}{causes}", d.code.as_str(), d.message, place(d.primary.span))
    });
    Failure { bug: Bug::Rejected(code), detail: detail.collect::<Vec<_>>().join("\n") }
}

/// Compares an image with the reference's pixels.
fn compare(expected: &[Verdict], name: &'static str, found: &Image) -> Result<(), Failure> {
    match (image(expected), found) {
        (_, Image::Sampled(samples)) => {
            samples.iter().try_for_each(|(i, found)| compare_pixel(*i, &expected[*i], name, found))
        }
        (Image::Whole(words), Image::Whole(others)) => {
            let components = (words.len() / expected.len()).max(1);
            let (mut these, mut those) = (words.chunks(components), others.chunks(components));
            if words.len() != others.len() {
                let detail = format!("{} words, not {}", others.len(), words.len());
                return Err(Failure { bug: Bug::Engine(name), detail });
            }
            let differs = these.by_ref().zip(those.by_ref()).position(|(a, b)| !same_words(a, b));
            let Some(pixel) = differs else { return Ok(()) };
            let found = Verdict::Value(others.chunks(components).nth(pixel).unwrap_or(&[]).into());
            compare_pixel(pixel, &expected[pixel], name, &found)
        }
        (Image::LoopLimit { pixel, span }, Image::LoopLimit { pixel: other, span: others }) => {
            if pixel == *other && (others.is_none() || span == *others) {
                return Ok(());
            }
            let detail = format!(
                "first loop limit: core at pixel {pixel} in {span:?}, {name} at {other} in {others:?}"
            );
            Err(Failure { bug: Bug::Limit(name), detail })
        }
        (Image::Whole(_) | Image::LoopLimit { .. }, Image::Whole(_) | Image::LoopLimit { .. }) => {
            let limit = |image: &Image| matches!(image, Image::LoopLimit { .. });
            let who = if limit(found) { name } else { "core" };
            Err(Failure { bug: Bug::Limit(name), detail: format!("only {who} exceeds a limit") })
        }
        _ => Ok(()),
    }
}

fn compare_pixel(
    pixel: usize,
    expected: &Verdict,
    name: &'static str,
    found: &Verdict,
) -> Result<(), Failure> {
    let bug = match (expected, found) {
        (Verdict::Value(a), Verdict::Value(b)) if !same_words(a, b) => Bug::Values(name),
        (Verdict::LoopLimit(_), Verdict::Value(_)) => Bug::Limit(name),
        (Verdict::Value(_), Verdict::LoopLimit(_)) => Bug::Limit(name),
        _ => return Ok(()),
    };
    let detail = format!("pixel {pixel}: core says {}, {name} {}", show(expected), show(found));
    Err(Failure { bug, detail })
}

fn show(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Value(words) => {
            let shown = words.iter().map(|&w| format!("{w:#010x} ({:e})", f32::from_bits(w)));
            shown.collect::<Vec<_>>().join(" ")
        }
        Verdict::LoopLimit(span) => format!("loop limit at {}", span.start),
        Verdict::OutOfFuel => "out of fuel".into(),
    }
}

/// Every subset of outputs can be scheduled, and gives the same values as its outputs scheduled alone.
fn subsets(case: &Case, expected: &[Vec<Verdict>]) -> Result<(), Failure> {
    let locations = case.locations();
    for set in 1_usize..1 << locations.len() {
        let chosen: Vec<usize> = (0..locations.len()).filter(|i| set >> i & 1 == 1).collect();
        if chosen.len() < 2 {
            continue;
        }
        let asked: Vec<u32> = chosen.iter().map(|&i| locations[i]).collect();
        let fail = |detail| Failure { bug: Bug::Subset, detail: format!("{asked:?}: {detail}") };
        let program = scheduled(&case.core, &asked).map_err(fail)?;
        let together = evaluate(&program, case);
        for (&k, found) in chosen.iter().zip(&together) {
            for (pixel, found) in found.iter().enumerate() {
                let limited = |&k: &usize| matches!(expected[k][pixel], Verdict::LoopLimit(_));
                // A pixel where one output exceeds the limit fails for all outputs of the schedule.
                if !chosen.iter().any(limited) || !matches!(found, Verdict::LoopLimit(_)) {
                    compare_pixel(pixel, &expected[k][pixel], "together", found)
                        .map_err(|failure| fail(failure.detail))?;
                }
            }
        }
    }
    Ok(())
}
