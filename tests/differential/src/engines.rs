//! What computes images: engines under comparison.

use crate::case::{Case, MAX_ITERATIONS};
use lambdav_frontend::core::Core;
use lambdav_frontend::evaluate::source::{Limits, Program as SourceProgram, SourceFault};
use lambdav_frontend::evaluate::{Fault, Inputs, core};
use lambdav_frontend::schedule::{self, Program, VerifyError};
use lambdav_frontend::source::SourceFile;
use lambdav_frontend::types::{Scalar, Type};
use lambdav_frontend::{core_text, syntax};
use std::cell::Cell;

/// What an engine says of one output at one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its value; NaNs are 0x7fc00000.
    Value(Box<[u32]>),
    /// A loop exceeded the limit of iterations.
    LoopLimit,
    /// The engine was stopped, or gave up. Compared with nothing.
    OutOfFuel,
}

/// The verdicts on the outputs of one pixel, in order of declaration.
pub type Pixel = Vec<Verdict>;

/// Something that computes images.
pub trait Engine: Sync {
    /// Its name on the command line and in messages.
    fn name(&self) -> &'static str;

    /// Whether it is so slow that it gets some pixels only.
    fn is_slow(&self) -> bool {
        false
    }

    /// Computes the pixels of these indices; an error is a bug that is not a wrong value.
    fn run(&self, case: &Case, pixels: &[usize]) -> Result<Vec<Pixel>, String>;
}

/// All engines; the first is what the others are compared with.
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![Box::new(CoreEngine), Box::new(SourceEngine), Box::new(TextEngine)]
}

/// A value with its NaNs made equal.
pub(crate) fn value(words: &[u32], is_number: bool) -> Verdict {
    let same = |&word: &u32| match is_number && f32::from_bits(word).is_nan() {
        true => 0x7fc0_0000,
        false => word,
    };
    Verdict::Value(words.iter().map(same).collect())
}

/// How many times an evaluator may ask whether to stop (after many iterations each).
const POLLS: u32 = 12;

/// A fuel gauge that is the same on every machine.
fn gauge(polls: u32) -> impl Fn() -> bool {
    let left = Cell::new(polls);
    move || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    }
}

/// Schedules these outputs and checks the schedule.
pub fn scheduled(core: &Core, locations: &[u32]) -> Result<Program, String> {
    let program = schedule::schedule(core, locations).map_err(|d| format!("refused: {}", d.message))?;
    schedule::verify(&program).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(VerifyError::to_string).collect();
        format!("malformed schedule: {}", errors.join("; "))
    })?;
    Ok(program)
}

/// Runs the core evaluator on a schedule.
pub fn evaluate(program: &Program, inputs: &[Inputs], pixels: &[usize]) -> Vec<Pixel> {
    let mut evaluator = core::Evaluator::new(program, MAX_ITERATIONS);
    let cancelled = gauge(POLLS);
    let count = program.outputs().len();
    pixels
        .iter()
        .map(|&pixel| match evaluator.run(&inputs[pixel], &cancelled) {
            Ok(()) => (0..count).map(|i| value(evaluator.output(i), true)).collect(),
            Err(Fault::LoopLimit(_)) => vec![Verdict::LoopLimit; count],
            Err(Fault::Cancelled) => vec![Verdict::OutOfFuel; count],
        })
        .collect()
}

/// The core evaluator.
struct CoreEngine;

impl Engine for CoreEngine {
    fn name(&self) -> &'static str {
        "core"
    }

    fn run(&self, case: &Case, pixels: &[usize]) -> Result<Vec<Pixel>, String> {
        let program = scheduled(&case.core, &case.locations())?;
        Ok(evaluate(&program, &case.pixels, pixels))
    }
}

/// The core evaluator on core text, read back.
struct TextEngine;

impl Engine for TextEngine {
    fn name(&self) -> &'static str {
        "core-text"
    }

    fn run(&self, case: &Case, pixels: &[usize]) -> Result<Vec<Pixel>, String> {
        let print = |core| core_text::print(core, Some(&case.source)).map_err(|d| d.message);
        let text = print(&case.core)?;
        let file = SourceFile::new("generated.core", text);
        let (core, diagnostics) = core_text::read(&file);
        let Some(core) = core else {
            let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
            return Err(format!("core text is refused: {}\n{}", messages.join("; "), file.text()));
        };
        let again = core_text::print(&core, Some(&file)).map_err(|d| d.message)?;
        let plain = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.split(';').next().unwrap_or("").trim().to_owned());
            lines.filter(|line| !line.is_empty()).collect()
        };
        if plain(&again) != plain(file.text()) {
            return Err(format!("core text changes when it is read:\n{}\n{again}", file.text()));
        }
        let program = scheduled(&core, &case.locations())?;
        Ok(evaluate(&program, &case.pixels, pixels))
    }
}

/// The literal evaluator.
struct SourceEngine;

/// The limits of the literal evaluator: few steps, since there are many programs.
const SOURCE_LIMITS: Limits = Limits { max_iterations: MAX_ITERATIONS, max_steps: 40_000 };

impl Engine for SourceEngine {
    fn name(&self) -> &'static str {
        "source"
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn run(&self, case: &Case, pixels: &[usize]) -> Result<Vec<Pixel>, String> {
        let (tree, _) = syntax::parse(&case.source);
        let describe = |fault: SourceFault| match fault {
            SourceFault::Unexpected(span, what) => {
                format!("source: {what}, at {:?}", case.source.slice(span))
            }
            fault => format!("source: {fault:?}"),
        };
        let program = SourceProgram::new(&tree).map_err(describe)?;
        let give_up = gauge(10_000);
        match program.uniform_defaults(SOURCE_LIMITS, &give_up) {
            Ok(defaults) => {
                for (words, uniform) in defaults.iter().zip(&case.core.uniforms) {
                    let is_number = uniform.ty.scalar() == Scalar::F32;
                    if value(words, is_number) != value(&uniform.default, is_number) {
                        return Err(format!("the default of {} differs", uniform.name));
                    }
                }
            }
            Err(SourceFault::Limit(_) | SourceFault::Pixel(Fault::Cancelled)) => {}
            Err(fault) => return Err(describe(fault)),
        }
        let mut verdicts = Vec::new();
        for &pixel in pixels {
            let mut all = Vec::new();
            for location in case.locations() {
                let result =
                    program.run(location, &case.pixels[pixel], SOURCE_LIMITS, &gauge(10_000));
                all.push(match result {
                    Ok(words) => value(&words, true),
                    Err(SourceFault::Pixel(Fault::LoopLimit(_))) => Verdict::LoopLimit,
                    Err(SourceFault::Limit(_) | SourceFault::Pixel(Fault::Cancelled)) => {
                        Verdict::OutOfFuel
                    }
                    Err(fault @ SourceFault::Unexpected(..)) => return Err(describe(fault)),
                });
            }
            verdicts.push(all);
        }
        Ok(verdicts)
    }
}

/// Whether words of that type are numbers.
pub(crate) fn is_number(ty: Type) -> bool {
    ty.scalar() == Scalar::F32
}
