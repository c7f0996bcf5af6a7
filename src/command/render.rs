//! `lambdav render`: a program to an image file.

mod module;

use super::failure::{Failure, Result, chain, save_failure};
use super::files::{check_target, read_bytes};
use super::messages::{Messages, fault, one_standard_output, print, report};
use super::stats::Stats;
use super::values::{lanes, mouse, output, seconds, threads, whole};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lambdav::core::evaluate::DEFAULT_MAX_ITERATIONS;
use lambdav::core::graph::Uniform;
use lambdav::core::source::SourceFile;
use lambdav::core::types::Types;
use lambdav::engine::{
    CoreEngine, Engine, FastEngine, SimdEngine, SimdError, SourceEngine, SpirvEngine, SpirvError,
};
use lambdav::metadata;
use lambdav::program::Loaded;
use lambdav::raster::file::{Encoding, Format, encode, save};
use lambdav::raster::quantize::Transfer;
use lambdav::raster::{Frame, RenderError, Size, render, thread_pool};
use lambdav::settings::{Settings, number};
use lambdav::simd::EmitError;
use lambdav::spirv;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Render a program to an image file
#[derive(Args)]
pub(super) struct Options {
    /// A shader, core text, or, for the engine `spirv`, a SPIR-V module; `-` is standard input
    shader: PathBuf,
    /// The image, by its ending .png, .exr (32-bit float) or .npy (float32, H×W×4); `-` is
    /// standard output
    out: PathBuf,
    /// Which output of the program; by default 0, or the lowest that there is
    #[arg(long, value_name = "LOC", value_parser = output, allow_hyphen_values = true)]
    output: Option<u32>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "512x512", allow_hyphen_values = true)]
    size: Size,
    /// What `(time)` gives, in seconds
    #[arg(long, value_name = "T", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    time: f32,
    /// What `(frame)` gives
    #[arg(long, value_name = "N", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    frame: f32,
    /// What `(mouse)` gives; by default all zero
    #[arg(long, value_name = "X,Y,Z,W", value_parser = mouse, allow_hyphen_values = true)]
    mouse: Option<[f32; 4]>,
    /// Sets a uniform: its components in order (of a matrix, by columns), or true or false. Can be
    /// given several times; those not set keep the defaults of the program
    #[arg(long = "set", value_name = "NAME=V[,V…]")]
    set: Vec<String>,
    /// What computes the pixels; by default simd, or core for loops that nest too deeply for it.
    /// The image does not depend on it
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// How many pixels the engine `simd` computes together: 1, 4, 8, 16 or 32; by default as many
    /// as seem best. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    lanes: Option<u32>,
    /// Worker threads; by default all cores. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<NonZeroUsize>,
    /// How many times each entry of a loop may go on with `rec`; more is error LV0504
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_MAX_ITERATIONS,
        value_parser = whole,
        allow_hyphen_values = true
    )]
    max_iterations: u64,
    /// How many seconds rendering may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    /// Encode colours with the sRGB transfer function (PNG only)
    #[arg(long)]
    srgb: bool,
    /// Bits of a sample (PNG only); by default 8
    #[arg(long, value_name = "BITS", value_parser = ["8", "16"])]
    depth: Option<String>,
    /// The format, where the ending does not say it: png, exr or npy
    #[arg(long)]
    format: Option<Format>,
    /// Say on standard error how long each part took, what was compiled, which lanes were chosen
    /// and why, and how many of them are active on average, by a sample of the image
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// Compiled to machine code that computes many pixels at once: exact and fast
    Simd,
    /// The evaluator of the typed core: exact
    Core,
    /// The literal semantics by substitution: exact and very slow
    Source,
    /// The evaluator of the SPIR-V that the program compiles to: exact, and what GPUs are asked for
    Spirv,
}

pub(super) fn run(options: &Options) -> Result {
    let mut stats = Stats::new(options.stats);
    if options.lanes.is_some() && options.engine.is_some_and(|e| e != EngineName::Simd) {
        return Err(Failure::usage("--lanes is for the engine `simd`; the others have none"));
    }
    if options.out == Path::new("-") {
        one_standard_output(options.messages, "the image", "name a file")?;
    } else {
        check_target(&options.out, &[&options.shader])?;
    }
    let encoding = encoding(options)?;
    let (name, bytes) = read_bytes(&options.shader)?;
    let frame = match spirv::words(&bytes) {
        Some(words) => module::draw_module(options, &name, &words, &mut stats),
        None => draw_program(options, Loaded::from_bytes(&name, bytes), &mut stats),
    }?;
    write(options, &frame, encoding)?;
    stats.took("write");
    stats.say(options.size);
    Ok(())
}

/// Compiles and draws a program.
fn draw_program(options: &Options, loaded: Loaded, stats: &mut Stats) -> Result<Frame> {
    report(&loaded.source, &loaded.diagnostics, options.messages)?;
    let core = loaded.core.as_ref().ok_or_else(Failure::reported)?;
    let location = location(core.outputs.iter().map(|o| o.location), options.output)?;
    let settings = settings(options, core.graph.types(), &core.uniforms)?;
    stats.read(loaded.times);
    let fail = |diagnostic| fault(&loaded.source, diagnostic, options.messages);
    let machine = |error: EmitError| {
        let message = format!("{error}; --engine core does without");
        match error {
            EmitError::TooDeep { .. } => Failure::input(message),
            _ => Failure::machine(message),
        }
    };
    let fail_simd = |error| match error {
        SimdError::Program(diagnostic) => fail(diagnostic),
        SimdError::Emit(error) => machine(error),
    };
    let evaluate = |engine: &CoreEngine, stats: &mut Stats| {
        stats.took("compile");
        draw(&loaded.source, engine, options, stats)
    };
    let execute = |engine: &SimdEngine, stats: &mut Stats| {
        stats.compiled(engine);
        let frame = draw(&loaded.source, engine, options, stats)?;
        stats.drawn(engine, options.size);
        Ok(frame)
    };
    match options.engine {
        None => match FastEngine::new(core, location, &settings, options.lanes) {
            Ok(FastEngine::Simd(engine)) => execute(&engine, stats),
            Ok(FastEngine::Core(engine, why)) => {
                stats.note("engine", format!("core: {why}"));
                evaluate(&engine, stats)
            }
            Err(error) => Err(fail_simd(error)),
        },
        Some(EngineName::Simd) => {
            let engine = SimdEngine::new(core, location, &settings, options.lanes);
            execute(&engine.map_err(fail_simd)?, stats)
        }
        Some(EngineName::Core) => {
            evaluate(&CoreEngine::new(core, location, &settings).map_err(fail)?, stats)
        }
        Some(EngineName::Source) if loaded.is_core_text => {
            Err(Failure::usage("the engine `source` evaluates shader text, and this is core text"))
        }
        Some(EngineName::Source) => {
            let engine = SourceEngine::new(&loaded.source, location, &settings).map_err(fail)?;
            stats.took("compile");
            draw(&loaded.source, &engine, options, stats)
        }
        Some(EngineName::Spirv) => {
            let engine =
                SpirvEngine::new(core, location, &settings).map_err(|error| match error {
                    SpirvError::Program(diagnostic) => fail(diagnostic),
                    SpirvError::Emit(error) => Failure::input(error.to_string()),
                    error @ SpirvError::Load(_) => Failure::machine(chain(&error)),
                })?;
            stats.took("compile");
            draw(&loaded.source, &engine, options, stats)
        }
    }
}

/// What a frame is computed from, as the options say.
fn settings(options: &Options, types: &Types, uniforms: &[Uniform]) -> Result<Settings> {
    let mut settings = Settings::with_uniforms(uniforms, options.size);
    settings.max_iterations = options.max_iterations;
    settings.inputs.time = options.time;
    settings.inputs.frame = options.frame;
    settings.inputs.mouse = options.mouse.unwrap_or_default();
    for set in &options.set {
        set_uniform(types, uniforms, &mut settings, set)?;
    }
    Ok(settings)
}

fn encoding(options: &Options) -> Result<Encoding> {
    let format = match options.format {
        Some(format) => format,
        None if options.out == Path::new("-") => {
            return Err(Failure::usage(
                "standard output has no ending; add --format png, exr or npy",
            ));
        }
        None if options.out.extension().is_none_or(OsStr::is_empty) => {
            return Err(Failure::usage(format!(
                "`{}` has no ending that says the format; add --format png, exr or npy",
                options.out.display()
            )));
        }
        None => Format::from_path(&options.out).map_err(|e| Failure::usage(chain(&e)))?,
    };
    if format != Format::Png && (options.srgb || options.depth.is_some()) {
        return Err(Failure::usage(format!(
            "--srgb and --depth are for PNG; {} holds the numbers as they are",
            format.name()
        )));
    }
    let transfer = if options.srgb { Transfer::Srgb } else { Transfer::Linear };
    Ok(match format {
        Format::Png if options.depth.as_deref() == Some("16") => Encoding::Png16(transfer),
        Format::Png => Encoding::Png8(transfer),
        Format::Exr => Encoding::Exr,
        Format::Npy => Encoding::Npy,
    })
}

/// The location that is wanted, or the lowest.
pub(super) fn location(all: impl IntoIterator<Item = u32>, wanted: Option<u32>) -> Result<u32> {
    let mut all: Vec<u32> = all.into_iter().collect();
    all.sort_unstable();
    match wanted {
        None => Ok(all[0]),
        Some(location) if all.contains(&location) => Ok(location),
        Some(location) => {
            let all: Vec<String> = all.iter().map(u32::to_string).collect();
            let all = all.join(", ");
            Err(Failure::usage(format!("the program has no output {location}; it has {all}")))
        }
    }
}

fn set_uniform(types: &Types, uniforms: &[Uniform], settings: &mut Settings, text: &str) -> Result {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE")));
    };
    settings
        .set_text(types, uniforms, name, value)
        .map_err(|error| Failure::usage(error.to_string()))
}

fn draw(
    source: &SourceFile,
    engine: &impl Engine,
    options: &Options,
    stats: &mut Stats,
) -> Result<Frame> {
    let fail = |diagnostic| fault(source, diagnostic, options.messages);
    let progress = Progress::new();
    let advance = |done, total| progress.advance(done, total);
    let how = lambdav::raster::Options {
        timeout: Some(options.timeout),
        progress: Some(&advance),
        ..lambdav::raster::Options::default()
    };
    let result = match options.threads {
        None => render(engine, options.size, &how),
        Some(threads) => thread_pool(threads.min(how.tiles(options.size)))
            .map_err(RenderError::Threads)
            .and_then(|pool| pool.install(|| render(engine, options.size, &how))),
    };
    progress.clear();
    stats.took("render");
    match result {
        Ok(frame) => Ok(frame),
        Err(RenderError::Fault(fault)) => Err(fail(engine.explain(&fault))),
        Err(error @ RenderError::TimedOut { .. }) => {
            Err(Failure::machine(format!("{error}; --timeout allows more")))
        }
        Err(error) => Err(Failure::machine(chain(&error))),
    }
}

/// A bar on standard error, if that is a terminal, for what takes longer than a second.
struct Progress {
    start: Instant,
    bar: OnceLock<ProgressBar>,
    terminal: bool,
}

impl Progress {
    fn new() -> Self {
        Self { start: Instant::now(), bar: OnceLock::new(), terminal: io::stderr().is_terminal() }
    }

    fn advance(&self, done: usize, total: usize) {
        if !self.terminal || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let style = ProgressStyle::with_template("{wide_bar} {percent}% {eta}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total as u64).with_style(style).with_elapsed(self.start.elapsed())
        });
        // Calls overtake one another.
        if done as u64 > bar.position() {
            bar.set_position(done as u64);
        }
    }

    fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn write(options: &Options, frame: &Frame, encoding: Encoding) -> Result {
    if options.out != Path::new("-") {
        return save(&options.out, frame, encoding, &metadata()).map_err(|e| save_failure(&e));
    }
    let mut bytes = Vec::new();
    encode(frame, encoding, &metadata(), &mut bytes).map_err(|e| Failure::machine(chain(&e)))?;
    print(bytes)
}
