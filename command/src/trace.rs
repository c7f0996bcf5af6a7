//! `lambdav trace`: how a pixel comes about.

use super::binds::Binds;
use super::engines::{EngineName, engine, failed, in_time};
use super::failure::{Failure, Result, save_failure};
use super::files::{check_not_read, check_target, one_standard_input, read_bytes};
use super::gpu::GpuArguments;
use super::messages::{Messages, print, report};
use super::module::{ProgramKind, some_of};
use super::progress::Progress;
use super::render::{PictureArguments, check_defaults};
use super::supervise::Deadline;
use super::user_values::{UserValues, bind_test_cards, note_bindings, note_remarks, note_rows};
use super::values::{location, seconds};
use clap::{Args, ValueEnum};
use lambdav_engine::trace::{TraceError, Traced, Tracer};
use lambdav_engine::{Options, Shader};
use lambdav_image::file::write_atomically;
use lambdav_trace::{Condition, Drawn, Event, EventKind, PIXEL, Recorder, Sink, Trace, Watch};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::io;
use std::iter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The name of the pixel's value in conditions.
const OUTPUT: &str = "output";

/// Show how a pixel comes about: values of names, conditions, calls and loops
///
/// The pixel is evaluated once more by an exact evaluator that shares nothing with the compiler: λV by the source
/// evaluator, GLSL, WGSL and SPIR-V by the evaluator of SPIR-V. Values are shown in decimal and with their bits.
#[derive(Args)]
pub(super) struct TraceArguments {
    /// A shader in λV, GLSL or WGSL, or a SPIR-V module; `-` is standard input
    shader: PathBuf,
    /// Column of the pixel, from 0 at the left
    #[arg(value_name = "X", required_unless_present = "condition")]
    x: Option<u32>,
    /// Row of the pixel, from 0 at the top
    #[arg(value_name = "Y", required_unless_present = "condition")]
    y: Option<u32>,
    /// Trace the first pixel, row by row from the upper left, where a condition on named values holds: NAME OP
    /// NUMBER, as in `r > 10` or `p.x <= -0.5`, OP one of < <= > >= == !=; or isnan(NAME); `and` joins
    /// several, which hold at the same time. `output` is the pixel. Without a component, any component counts
    #[arg(long = "break", value_name = "CONDITION", conflicts_with_all = ["x", "y"])]
    condition: Option<String>,
    /// Show all events, in the order of the text, in place of a screen of those nearest to the output
    #[arg(long)]
    all: bool,
    /// Print the trace as one JSON object, which docs/debugging.md describes
    #[arg(long, conflicts_with = "all")]
    json: bool,
    /// Write a page that needs no other files: the source with values beside its lines, and a slider for the rounds of
    /// each loop; nothing is printed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "json"])]
    html: Option<PathBuf>,
    /// Draw the pixel by an engine, too, and say whether it has the same bits; if not, exit status 1
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    /// Seconds for the whole work; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    messages: Messages,
}

pub(super) fn run(options: &TraceArguments) -> Result {
    let (picture, messages) = (&options.picture, options.messages);
    picture.check_engine(options.engine)?;
    let condition = options.condition.as_deref().map(Condition::parse).transpose();
    let condition = condition.map_err(|error| Failure::usage(format!("--break: {error}")))?;
    let asked = options.x.zip(options.y).map(|(x, y)| [x, y]);
    if let Some(pixel) = asked {
        check_inside(pixel, picture)?;
    }
    let binds = Binds::read(&picture.bind)?;
    let read = iter::once(&options.shader).chain(&picture.uniforms).chain(binds.paths());
    let mut read: Vec<PathBuf> = read.cloned().collect();
    one_standard_input(&read)?;
    if let Some(path) = &options.html {
        check_target(path, &read)?;
    }
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    let deadline = Deadline::set_for("tracing", options.timeout);
    let (name, bytes) = read_bytes(&options.shader)?;
    let values = UserValues::read(&picture.set, picture.uniforms.as_ref())?;
    let values = values.with_binds(binds.clone()).with_module(&picture.module)?;
    let mut loaded = values.compile(&options.shader, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    note_remarks(&options.shader, &loaded, messages);
    read.extend_from_slice(&loaded.included);
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    note_rows(&options.shader, &shader, &binds, messages);
    picture.module.check(ProgramKind::of(&shader), &name)?;
    let mut bindings = picture.bindings(values.bindings(&shader)?)?;
    let output = location(shader.outputs(), picture.output, "a trace")?;
    check_defaults(&shader, &bindings, &name)?;
    bind_test_cards(&name, &mut bindings, messages)?;
    note_bindings(&name, &bindings, messages);
    let (limit, left) = (picture.max_iterations, Some(deadline.left()));
    let tracer = shader.tracer(&bindings, picture.size, output, limit, left);
    let tracer = in_time(tracer, deadline, messages)?;
    let work = Work { tracer: &tracer, deadline, messages };
    let pixel = match (asked, &condition) {
        (Some(pixel), _) => pixel,
        (None, Some(condition)) => work.find(condition, options)?,
        (None, None) => unreachable!("clap requires one of the two"),
    };
    let mut trace = work.trace(pixel)?;
    if let Some(name) = options.engine {
        let of = Options::default().engine(engine(Some(name), gpu.as_ref())).output(output);
        let of = of.max_iterations(limit).for_sizes(&bindings);
        let left = deadline.left();
        let colour = shader.drawn_pixel(&of, &bindings, picture.size, pixel, left);
        let colour = in_time(colour, deadline, messages)?;
        let engine = name.to_possible_value().map_or_else(String::new, |of| of.get_name().into());
        trace.subject.drawn = Some(Drawn { engine, colour });
    }
    let is_equal = |drawn: &Drawn| drawn.equals(trace.subject.colour);
    let is_equal = trace.subject.drawn.as_ref().is_none_or(is_equal);
    if let Some(path) = &options.html {
        check_not_read(path, &read)?;
        let page = trace.page();
        let written = write_atomically::<io::Error>(path, |out| out.write_all(page.as_bytes()));
        written.map_err(|error| save_failure(&error))?;
    } else {
        Deadline::lift();
        print(match options.json {
            true => format!("{}\n", trace.json()),
            false => trace.text(options.all),
        })?;
    }
    if is_equal { Ok(()) } else { Err(Failure::reported()) }
}

/// Rejects a pixel outside of the picture.
fn check_inside([x, y]: [u32; 2], picture: &PictureArguments) -> Result {
    let (width, height) = (picture.size.width(), picture.size.height());
    if x < width && y < height {
        return Ok(());
    }
    let (right, bottom) = (width - 1, height - 1);
    Err(Failure::usage(format!(
        "the pixel ({x}, {y}) is outside of the picture of {width}x{height}: X is 0 to {right}, Y is 0 to {bottom}; \
         --size makes it larger"
    )))
}

/// A tracer at work.
struct Work<'a> {
    tracer: &'a Tracer,
    deadline: Deadline,
    messages: Messages,
}

impl Work<'_> {
    fn pixel(&self, pixel: [u32; 2], sink: &mut dyn Sink) -> Result<Traced> {
        let traced = self.tracer.pixel(pixel, sink, &|| self.is_late());
        traced.map_err(|error| self.failure(error))
    }

    fn is_late(&self) -> bool {
        self.deadline.left().is_zero()
    }

    fn failure(&self, error: TraceError) -> Failure {
        match error {
            TraceError::Cancelled => self.deadline.failure(),
            TraceError::Error(error) => failed(error, self.messages),
        }
    }

    fn trace(&self, pixel: [u32; 2]) -> Result<Trace> {
        let mut recorder = Recorder::default();
        let traced = self.pixel(pixel, &mut recorder)?;
        Ok(recorder.finish(self.tracer.subject(pixel, traced), self.tracer.is_by_need()))
    }

    /// The first pixel in scan order where the condition holds.
    fn find(&self, condition: &Condition, options: &TraceArguments) -> Result<[u32; 2]> {
        let mut known = self.tracer.names();
        known.insert(OUTPUT.to_owned());
        if let Some(name) = condition.names().find(|name| !known.contains(*name)) {
            let all: Vec<String> = known.into_iter().collect();
            let has = match all.is_empty() {
                true => "it binds none".to_owned(),
                false => format!("it binds {}", some_of(&all)),
            };
            return Err(Failure::usage(format!(
                "--break: the program binds no name `{name}`; {has}"
            )));
        }
        let size = options.picture.size;
        let (progress, done) = (Progress::new(), AtomicUsize::new(0));
        let width = size.width() as usize;
        // The first one in scan order, whatever the threads are faster with.
        let found = (0..size.pixels()).into_par_iter().find_map_first(|index| {
            if self.is_late() {
                return Some(Err(TraceError::Cancelled));
            }
            let pixel = [(index % width) as u32, (index / width) as u32];
            let mut watch = Watch::new(condition);
            let traced = match self.tracer.pixel(pixel, &mut watch, &|| self.is_late()) {
                Ok(traced) => traced,
                Err(error) => return Some(Err(error)),
            };
            let value = Trace::colour(traced.colour);
            let kind = EventKind::Binding { name: OUTPUT.into(), value };
            watch.event(Event { scope: PIXEL, place: None, kind });
            progress.advance(done.fetch_add(1, Ordering::Relaxed), size.pixels());
            watch.holds.then_some(Ok(pixel))
        });
        progress.clear();
        if let Some(found) = found {
            return found.map_err(|error| self.failure(error));
        }
        let text = options.condition.as_deref().unwrap_or_default();
        Err(Failure::input(format!("`{text}` holds in no pixel of the picture of {size}")))
    }
}
