//! What must hold of every generated program.

use crate::case::Case;
use crate::engines::{Engine, Pixel, Verdict, evaluate, scheduled};
use crate::profile::{Profile, profile};
use lambdav_frontend::diagnostics::Diagnostic;
use lambdav_generate::Program;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// What kind of bug it is. While a program is shrunk, its bug stays of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// The compiler does not accept it; the code of the message.
    Rejected(&'static str),
    /// A panic at that place.
    Panic(String),
    /// An engine reports something that it should never see.
    Engine(&'static str),
    /// Outputs have other values when they are scheduled alone.
    Subset,
    /// Two engines give different values.
    Values(&'static str, &'static str),
    /// The first engine exceeds the limit of iterations, where the second has a value.
    Limit(&'static str, &'static str),
    /// An engine exceeds the limit of iterations; no other has a value there.
    Endless(&'static str),
}

/// A bug and what to print of it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its kind.
    pub bug: Bug,
    /// Where it shows.
    pub detail: String,
}

/// Checks a program with these engines, of which the first is what the others are compared with.
pub fn check(program: &Program, engines: &[&dyn Engine]) -> Result<Profile, Failure> {
    let (result, panicked) = quietly(|| check_inside(program, engines));
    result.unwrap_or_else(|()| {
        let (place, message) = panicked.unwrap_or_default();
        Err(Failure { bug: Bug::Panic(place), detail: message })
    })
}

thread_local! {
    /// Place and message of the last panic of this thread, while panics are silent.
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static SILENT: RefCell<bool> = const { RefCell::new(false) };
}

/// Runs a function whose panics are caught and not printed.
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

fn check_inside(program: &Program, engines: &[&dyn Engine]) -> Result<Profile, Failure> {
    let case = Case::new(program).map_err(|diagnostics| rejected(&diagnostics))?;
    let all: Vec<usize> = (0..case.pixels.len()).collect();
    let broken = |engine: &dyn Engine, detail| Failure { bug: Bug::Engine(engine.name()), detail };
    let [oracle, others @ ..] = engines else { panic!("there is at least one engine") };
    let expected = oracle.run(&case, &all).map_err(|detail| broken(*oracle, detail))?;
    let odd = (0..all.len()).find(|&i| expected[i].contains(&Verdict::LoopLimit));
    for engine in others {
        // Slow ones get different columns and rows, and a pixel where the first has no value.
        let pixels: Vec<usize> = match engine.is_slow() {
            true => all.iter().copied().filter(|i| i % 9 == 5 || Some(*i) == odd).collect(),
            false => all.clone(),
        };
        let found = engine.run(&case, &pixels).map_err(|detail| broken(*engine, detail))?;
        for (&i, found) in pixels.iter().zip(&found) {
            compare(i, (oracle.name(), &expected[i]), (engine.name(), found))?;
        }
    }
    if let Some(i) = odd {
        let detail = format!("pixel {i}");
        return Err(Failure { bug: Bug::Endless(oracle.name()), detail });
    }
    subsets(&case, &all, &expected)?;
    let profile = profile(&case, &expected)
        .map_err(|detail| Failure { bug: Bug::Engine("profile"), detail })?;
    Ok(profile)
}

fn rejected(diagnostics: &[Diagnostic]) -> Failure {
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.last());
    let code = first.map_or("", |d| d.code.as_str());
    let detail = diagnostics.iter().map(|d| format!("{}: {}", d.code.as_str(), d.message));
    Failure { bug: Bug::Rejected(code), detail: detail.collect::<Vec<_>>().join("\n") }
}

fn compare(
    pixel: usize,
    (name, expected): (&'static str, &Pixel),
    (other, found): (&'static str, &Pixel),
) -> Result<(), Failure> {
    for (output, pair) in expected.iter().zip(found).enumerate() {
        let bug = match pair {
            (Verdict::Value(a), Verdict::Value(b)) if a != b => Bug::Values(name, other),
            (Verdict::LoopLimit, Verdict::Value(_)) => Bug::Limit(name, other),
            (Verdict::Value(_), Verdict::LoopLimit) => Bug::Limit(other, name),
            _ => continue,
        };
        let detail = format!(
            "pixel {pixel}, output {output}: {name} says {}, {other} says {}",
            show(pair.0),
            show(pair.1)
        );
        return Err(Failure { bug, detail });
    }
    Ok(())
}

fn show(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Value(words) => {
            let shown = words.iter().map(|&w| format!("{w:#010x} ({:e})", f32::from_bits(w)));
            shown.collect::<Vec<_>>().join(" ")
        }
        Verdict::LoopLimit => "loop limit".into(),
        Verdict::OutOfFuel => "out of fuel".into(),
    }
}

/// Each choice of outputs can be scheduled, and gives what scheduling all of them gives.
fn subsets(case: &Case, all: &[usize], expected: &[Pixel]) -> Result<(), Failure> {
    let locations = case.locations();
    for set in 1..(1_usize << locations.len()) - 1 {
        let chosen: Vec<usize> = (0..locations.len()).filter(|i| set >> i & 1 == 1).collect();
        let asked: Vec<u32> = chosen.iter().map(|&i| locations[i]).collect();
        let fail = |detail| Failure { bug: Bug::Subset, detail: format!("{asked:?}: {detail}") };
        let program = scheduled(&case.core, &asked).map_err(fail)?;
        for (i, found) in evaluate(&program, &case.pixels, all).iter().enumerate() {
            let wanted: Pixel = chosen.iter().map(|&k| expected[i][k].clone()).collect();
            compare(i, ("all outputs", &wanted), ("some outputs", found))
                .map_err(|failure| fail(failure.detail))?;
        }
    }
    Ok(())
}
