//! Runs one test: draws its picture and compares it with the golden.

use super::buffers;
use super::directive::{Directive, GoldenFormat};
use super::evaluate::Subject;
use super::evidence::Evidence;
use super::files::{self, forget, is_scratch};
use super::golden::{self, Golden};
use super::mark::{Role, metadata_of};
use super::options::{RunOptions, too_slow};
use super::plan::Test;
use super::result::{Status, TestResult};
use crate::comparison::outcome_json;
use crate::diff::in_brief;
use crate::engines::{EngineName, engine, failed_silently};
use crate::failure::{Failure, Result, save_failure};
use crate::files::{form, load_image, read_bytes};
use crate::module::ProgramKind;
use crate::render::{PictureArguments, check_defaults, executed_as_it_is};
use crate::trace;
use crate::user_values::{UserValues, remarks};
use crate::values::location;
use lambdav_core::limits;
use lambdav_core::types::Scalar;
use lambdav_engine::program::Loaded;
use lambdav_engine::{
    AnyImage, Bindings, Drawn, Options, RenderOptions, Shader, Size, Target, error_chain,
};
use lambdav_image::file::{EncodeError, Encoding, Metadata, write_atomically};
use lambdav_image_compare::{CompareOutcome, Verdict, compare_until, diagnose, heat_map};
use lambdav_spirv as spirv;
use std::cell::OnceCell;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program with tests.
struct Program {
    /// The program; none for a module, which each test compiles with its own options.
    shader: Option<Shader>,
    /// Bytes of a module of this compiler that is executed without raising it; none for other programs.
    as_it_is: Option<Vec<u8>>,
}

/// Runs the tests of one program. The program is compiled once, in the time of the first test that draws.
pub(super) fn run_program(tests: &[&Test], run_options: &RunOptions, say: &dyn Fn(Said<'_>)) {
    let program = OnceCell::new();
    for test in tests {
        say(Said::Begins(test));
        let result = timed(
            test,
            |result, until| attempt(test, &program, run_options, until, result),
            run_options,
        );
        say(Said::Ends(test, result.into()));
    }
}

/// Progress of a test.
pub(super) enum Said<'a> {
    Begins(&'a Test),
    Ends(&'a Test, Box<TestResult>),
}

fn read(path: &Path, run_options: &RunOptions) -> Result<Program> {
    let (name, bytes) = read_bytes(path)?;
    let loaded = Loaded::from_file(Some(path), bytes.clone(), limits::ERRORS);
    let is_executed = loaded.core.is_none() && run_options.engine == Some(EngineName::Spirv);
    if is_executed
        && let Some(words) = spirv::words(&bytes)
        && let Some(shader) =
            Shader::executed_as_it_is(&name, &words, [0.0; 4]).map_err(failed_silently)?
    {
        return Ok(Program { shader: Some(shader), as_it_is: Some(bytes) });
    }
    if loaded.module.is_some() {
        return Ok(Program { shader: None, as_it_is: None });
    }
    let shader = Shader::of(loaded).map_err(|found| Failure::input(found.to_string()))?;
    Ok(Program { shader: Some(shader), as_it_is: None })
}

/// Runs a test and catches failures and panics in its result. `run` receives the test's deadline.
pub(super) fn timed(
    test: &Test,
    run: impl FnOnce(&mut TestResult, Instant) -> Result,
    run_options: &RunOptions,
) -> TestResult {
    let begun = Instant::now();
    let until = begun.checked_add(run_options.timeout).unwrap_or_else(|| begun + MAX_TIMEOUT);
    let mut result = TestResult::of(test);
    match catch_unwind(AssertUnwindSafe(|| run(&mut result, until))) {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => {
            result.status = if failure.status == 3 { Status::Machine } else { Status::Broken };
            result.message = failure.message.unwrap_or_default();
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            result.status = Status::Machine;
            result.message = format!(
                "lambdav panicked, which is a bug in lambdav: {}",
                text.unwrap_or_default()
            );
        }
    }
    result.seconds = begun.elapsed().as_secs_f64();
    result
}

/// Substitute for a timeout beyond the range of clocks.
const MAX_TIMEOUT: Duration = Duration::from_secs(1 << 30);

fn attempt(
    test: &Test,
    program: &OnceCell<Result<Program>>,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result {
    // Malformed directives were reported before.
    let directive = test.directive.as_ref().map_err(|wrong| Failure::input(wrong.message()))?;
    if directive.save.is_some() || directive.groups.is_some() {
        return buffers::attempt(test, directive, run_options, until, result);
    }
    let draw = |encoding, reports| {
        let program = program.get_or_init(|| read(&test.program, run_options));
        let program = program.as_ref().map_err(|Failure { status, message }| {
            let (status, message) = (*status, message.clone());
            Failure { status, message }
        })?;
        draw(test, directive, program, (encoding, reports), run_options, until)
    };
    let picture = || {
        let Picture { image, scalar, .. } = draw(Encoding::Npy, false)?;
        Ok((image, scalar))
    };
    let undefined = || Ok(draw(Encoding::Npy, true)?.drawn.undefined);
    let (memories, picture, undefined) = (None, &picture, &undefined);
    let subject = Subject { test, directive, run_options, until, memories, picture, undefined };
    let findings = subject.check()?;
    if test.has_golden() {
        let Picture { image, scalar, remark, .. } = draw(directive.encoding(), false)?;
        if scalar != Scalar::F32 && directive.kind != GoldenFormat::Digest {
            let what = "the output has integers: its golden is a digest, `--format digest`";
            return Err(Failure::input(what));
        }
        match &run_options.against {
            Some(folder) => against(test, directive, &image, folder, run_options, until, result),
            None => {
                let bless = run_options.bless && findings.is_empty();
                against_golden(test, directive, &image, bless, run_options, until, result)
            }
        }?;
        if let Some(pixel) = result.first {
            let program = program.get().and_then(|program| program.as_ref().ok());
            let trace =
                program.map(|program| traced(test, directive, program, pixel, run_options, until));
            result.traces.pixel = trace.transpose()?;
        }
        result.add(remark);
    }
    result.add_undefined(run_options.undefined, undefined)?;
    result.add_findings(findings);
    Ok(())
}

/// The longest time for the trace of a failed test.
const TRACING: Duration = Duration::from_secs(5);

/// The trace of a pixel of a test's picture, or the reason why it has none.
fn traced(
    test: &Test,
    directive: &Directive,
    program: &Program,
    pixel: [u32; 2],
    run_options: &RunOptions,
    until: Instant,
) -> Result<String> {
    with_picture(test, directive, program, run_options, |shader, bindings, picture, output| {
        // The test has its result; its trace takes little of the rest of its time.
        let until = until.min(Instant::now() + TRACING);
        let left = Some(until.saturating_duration_since(Instant::now()));
        let limit = picture.max_iterations;
        let tracer = shader.tracer(bindings, picture.size, output, limit, left);
        Ok(trace::traced(tracer, pixel, &|| Instant::now() >= until))
    })
}

/// The picture of a test.
struct Picture {
    image: AnyImage,
    /// The type of its samples. Integers are the bits of floats.
    scalar: Scalar,
    drawn: Drawn,
    remark: Option<String>,
}

/// Draws the picture of a test, with reports of undefined behaviour if asked.
fn draw(
    test: &Test,
    directive: &Directive,
    program: &Program,
    (encoding, reports): (Encoding, bool),
    run_options: &RunOptions,
    until: Instant,
) -> Result<Picture> {
    with_picture(test, directive, program, run_options, |shader, bindings, picture, location| {
        let options = Options::default()
            .engine(engine(run_options.engine, run_options.gpu.as_ref()))
            .output(location)
            .max_iterations(picture.max_iterations)
            .for_size(picture.size)
            .for_sizes(bindings)
            .report_undefined(reports);
        let (image, drawn) =
            frame_of(shader, &options, bindings, picture.size, encoding, run_options, until)?;
        let name = test.program.display().to_string();
        let remarks = remarks(&name, bindings).chain(drawn.remark.clone());
        let remark = remarks.reduce(|all, one| format!("{all}\n{one}"));
        let scalar = shader.interface().output_scalar(location);
        Ok(Picture { image, scalar, drawn, remark })
    })
}

/// Works with the program, bindings, options and output of a test's picture.
fn with_picture<T>(
    test: &Test,
    directive: &Directive,
    program: &Program,
    run_options: &RunOptions,
    work: impl FnOnce(&Shader, &Bindings, &PictureArguments, u32) -> Result<T>,
) -> Result<T> {
    let (picture, values) = run_options.settings(directive, &test.program)?;
    let name = test.program.display().to_string();
    let shader = match &program.as_it_is {
        // The colour of discarded pixels depends on the test.
        Some(bytes) => executed_as_it_is(&picture, &name, bytes)?,
        None => own_shader(test, program.shader.as_ref(), &values)?,
    };
    let shader = shader.as_ref().or(program.shader.as_ref());
    let shader = shader.expect("a module has a shader of its own");
    picture.module.check(ProgramKind::of(shader), &name)?;
    let bindings = picture.bindings(values.bindings(shader)?)?;
    check_defaults(shader, &bindings, &name)?;
    let location = location(shader.outputs(), picture.output, "a test")?;
    work(shader, &bindings, &picture, location)
}

/// Compiles the program for this test alone if it is a module, or if the test sets constants.
fn own_shader(test: &Test, shader: Option<&Shader>, values: &UserValues) -> Result<Option<Shader>> {
    if let Some(core) = shader.map(Shader::core)
        && !values.sets_any(core.graph.types(), &core.constants)
    {
        return Ok(None);
    }
    let (_, bytes) = read_bytes(&test.program)?;
    let loaded = values.compile(&test.program, bytes, limits::ERRORS)?;
    let shader = Shader::of(loaded).map_err(|found| Failure::input(found.to_string()))?;
    Ok(Some(shader))
}

/// Draws a picture with a pipeline.
pub(super) fn frame_of(
    shader: &Shader,
    options: &Options,
    bindings: &Bindings,
    size: Size,
    encoding: Encoding,
    run_options: &RunOptions,
    until: Instant,
) -> Result<(AnyImage, Drawn)> {
    let failed = |error| run_options.failed(error);
    let pipeline = shader.pipeline(options).map_err(failed)?;
    let blank = encoding.blank(size);
    let mut image = blank.map_err(|error| Failure::machine(error_chain(&error)))?;
    let timeout = Some(until.saturating_duration_since(Instant::now()));
    let options = RenderOptions { timeout, ..RenderOptions::default() };
    let target = Target::from(&mut image).transfer(encoding.transfer());
    let drawn = pipeline.render_with(bindings, target, &options).map_err(failed)?;
    Ok((image, drawn))
}

/// Compares the picture with the golden, or makes it the golden if `bless`.
fn against_golden(
    test: &Test,
    directive: &Directive,
    drawn: &AnyImage,
    bless: bool,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result {
    // Blessing may replace a golden that cannot be read.
    let golden = match golden::load(&test.golden, directive.kind) {
        Err(failure) if bless => Err(failure.message.unwrap_or_default()),
        golden => Ok(golden?.filter(|_| !is_scratch(test))),
    };
    let is_there = test.golden.symlink_metadata().is_ok();
    let (status, message) = match &golden {
        Err(wrong) => (Status::Stale, wrong.clone()),
        Ok(None) if is_there => {
            let golden = test.golden.display();
            let what = "is the picture of another test that failed";
            (Status::Missing, format!("`{golden}` {what}; --bless makes it the golden of this one"))
        }
        Ok(None) => {
            let golden = test.golden.display();
            (Status::Missing, format!("there is no `{golden}`; --bless makes it"))
        }
        Ok(Some(Golden::Digest(line))) => against_digest(line, drawn),
        Ok(Some(Golden::Picture(golden))) => {
            judge(directive, golden, drawn, run_options, until, result)?
        }
    };
    let mut message = message;
    if status == Status::Passed {
        forget(test);
        if run_options.adopt
            && let Ok(Some(golden)) = &golden
        {
            files::adopt(test, directive, golden, result)?;
        }
        return Ok(());
    }
    if bless {
        match files::refusal(&test.golden, test.kept.golden.as_ref(), run_options.adopt, |_| true) {
            None => {
                golden::write(test, directive, drawn)?;
                forget(test);
                result.status = Status::Blessed(is_there);
                return Ok(());
            }
            Some(why) => message = format!("{message}\nnot blessed: {why}"),
        }
    }
    (result.status, result.message) = (status, message);
    let new = test.new_picture();
    let metadata = metadata_of(test, Role::New);
    files::write_beside(&new, test.kept.new.as_ref(), result, || match directive.kind {
        GoldenFormat::Digest | GoldenFormat::Json | GoldenFormat::None => {
            write_png(&new, drawn, &metadata)
        }
        _ => golden::write_picture(&new, directive, drawn, &metadata),
    })?;
    let Ok(Some(Golden::Picture(golden))) = &golden else {
        result.evidence = run_options.is_reported.then(|| Evidence::of_one(drawn)).transpose()?;
        return Ok(());
    };
    let options = directive.allowed.options(directive.transfer());
    let heat = heat_map(golden, drawn, &options).map(AnyImage::from);
    if let Some(heat) = &heat {
        let path = test.differences();
        files::write_beside(&path, test.kept.differences.as_ref(), result, || {
            write_png(&path, heat, &metadata_of(test, Role::Differences))
        })?;
    }
    let evidence = || Evidence::of_two(golden, drawn, heat.as_ref(), &options);
    result.evidence = run_options.is_reported.then(evidence).transpose()?;
    Ok(())
}

fn write_png(path: &Path, image: &AnyImage, metadata: &Metadata) -> Result {
    let bytes = golden::png(image, metadata)?;
    let write = |out: &mut dyn Write| out.write_all(&bytes).map_err(EncodeError::Io);
    write_atomically(path, write).map_err(|error| save_failure(&error))
}

fn against_digest(line: &str, drawn: &AnyImage) -> (Status, String) {
    let new = golden::digest(drawn);
    if new == line {
        return (Status::Passed, String::new());
    }
    // Size and sample type follow the digest.
    let form = |line: &str| line.splitn(3, ' ').nth(2).unwrap_or_default().to_owned();
    let (was, is) = (form(line), form(&new));
    match was == is {
        true => (Status::Failed, "the digests differ; a digest does not show where".to_owned()),
        false => (Status::Stale, format!("the golden is of {was}, the test of {is}")),
    }
}

/// Compares two pictures within the directive's tolerances.
fn judge(
    directive: &Directive,
    expected: &AnyImage,
    found: &AnyImage,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result<(Status, String)> {
    let (was, is) = (form(expected), form(found));
    if was != is {
        return Ok((Status::Stale, format!("the golden is of {was}, the test of {is}")));
    }
    compared(directive, expected, found, run_options, until, result)
}

fn compared(
    directive: &Directive,
    expected: &AnyImage,
    found: &AnyImage,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result<(Status, String)> {
    let options = directive.allowed.options(directive.transfer());
    let outcome = compare_until(expected, found, &options, Some(until));
    let outcome = outcome.ok_or_else(|| too_slow(run_options.timeout))?;
    let is_identical = matches!(
        &outcome,
        CompareOutcome::Pixels(comparison) if comparison.verdict() == Verdict::Identical
    );
    if is_identical {
        return Ok((Status::Passed, String::new()));
    }
    let findings = diagnose(expected, found, &options);
    result.comparison = outcome_json(&outcome, &findings);
    let cause = findings.first().map_or(String::new(), |finding| format!("; {finding}"));
    let message = format!("{}{cause}", in_brief(&outcome));
    let status = if outcome.is_same() { Status::Passed } else { Status::Failed };
    if let (Status::Failed, CompareOutcome::Pixels(comparison)) = (status, &outcome) {
        result.first = comparison.first.as_ref().map(|first| [first.x, first.y]);
    }
    Ok((status, message))
}

/// Compares the picture of another program with the picture drawn here.
fn against(
    test: &Test,
    directive: &Directive,
    drawn: &AnyImage,
    folder: &Path,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result {
    let name = folder.join(&test.within);
    let Some(path) = foreign(&name) else {
        let name = name.with_extension("");
        (result.status, result.message) =
            (Status::Missing, format!("there is no `{}` of any image format", name.display()));
        return Ok(());
    };
    let found = load_image(&path)?;
    result.golden = path.to_string_lossy().into_owned();
    (result.status, result.message) =
        compared(directive, drawn, &found, run_options, until, result)?;
    if run_options.is_reported && !result.status.is_good() {
        let options = directive.allowed.options(directive.transfer());
        let heat = heat_map(drawn, &found, &options).map(AnyImage::from);
        result.evidence = Some(Evidence::of_two(drawn, &found, heat.as_ref(), &options)?);
    }
    Ok(())
}

/// The picture of that name, in any image format.
fn foreign(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let stem = path.file_stem()?;
    let entries = fs::read_dir(path.parent()?).ok()?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_stem() == Some(stem))
        .filter(|path| lambdav_image::file::has_readable_name(path))
        .collect();
    found.sort();
    found.into_iter().next()
}
