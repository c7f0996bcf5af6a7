//! Draws two programs with the same inputs.

use crate::binds::Binds;
use crate::engines::{EngineName, engine, in_time};
use crate::failure::{Failure, Result};
use crate::files::{one_standard_input, read_bytes};
use crate::gpu::GpuArguments;
use crate::messages::{MessageFormat, Messages, report};
use crate::module::ProgramKind;
use crate::render::PictureArguments;
use crate::supervise::Deadline;
use crate::user_values::{UserValues, bind_test_cards, note_bindings, note_remarks};
use crate::values::{location, seconds};
use clap::{Arg, Args, Command};
use lambdav_engine::{AnyImage, Options, RenderOptions, Shader, error_chain};
use lambdav_image::file::Encoding;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options for drawing two programs
#[derive(Args)]
struct DrawOptions {
    #[command(flatten)]
    picture: PictureArguments,
    /// Engine that computes the pixels; by default simd, or core for a program that exceeds the limits
    /// of simd
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    /// Seconds that drawing both may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
}

/// The same options, each requiring `--run`.
pub(super) struct DrawArguments(DrawOptions);

impl clap::FromArgMatches for DrawArguments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> std::result::Result<Self, clap::Error> {
        DrawOptions::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &clap::ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for DrawArguments {
    fn augment_args(command: Command) -> Command {
        let of_run = DrawOptions::augment_args(Command::new("run"));
        let requiring = |arg: &Arg| arg.clone().requires("run").help_heading("With --run");
        command.args(of_run.get_arguments().map(requiring))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Pictures of two programs, as floats.
pub(super) fn draw_both(
    [a, b]: [&PathBuf; 2],
    DrawArguments(options): &DrawArguments,
    message_format: MessageFormat,
) -> Result<[AnyImage; 2]> {
    options.picture.check_engine(options.engine)?;
    let binds = Binds::read(&options.picture.bind)?;
    let read = [a, b].into_iter().chain(&options.picture.uniforms).chain(binds.paths());
    one_standard_input(read)?;
    let values = UserValues::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let values = values.with_binds(binds).with_module(&options.picture.module)?;
    let messages = Messages::of(message_format);
    let both = [load(a, &values, messages)?, load(b, &values, messages)?];
    let kind = both.iter().map(ProgramKind::of).max().unwrap_or_default();
    options.picture.module.check(kind, &a.display().to_string())?;
    let deadline = Deadline::set(options.timeout);
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    let pipeline_options = Options::default()
        .engine(engine(options.engine, gpu.as_ref()))
        .max_iterations(options.picture.max_iterations)
        .for_size(options.picture.size);
    let drawing = Drawing {
        picture: &options.picture,
        pipeline_options,
        values: &values,
        messages,
        deadline,
    };
    let [of_a, of_b] = &both;
    let pictures = [drawing.draw(a, [of_a, of_b])?, drawing.draw(b, [of_b, of_a])?];
    Deadline::lift();
    Ok(pictures)
}

/// Compiles a program; errors are reported.
fn load(path: &Path, values: &UserValues, messages: Messages) -> Result<Shader> {
    let (_, bytes) = read_bytes(path)?;
    let mut loaded = values.compile(path, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    note_remarks(path, &loaded, messages);
    Shader::of(loaded).map_err(|_| Failure::reported())
}

/// Everything that drawing both programs shares.
struct Drawing<'a> {
    picture: &'a PictureArguments,
    pipeline_options: Options,
    values: &'a UserValues,
    messages: Messages,
    deadline: Deadline,
}

impl Drawing<'_> {
    /// Draws the first of two programs; the second tells which values are not its own.
    fn draw(&self, path: &Path, [this, other]: [&Shader; 2]) -> Result<AnyImage> {
        let Self { picture, pipeline_options, values, messages, deadline } = self;
        let location = location(this.outputs(), picture.output, "a comparison")?;
        // Compilers may remove an unused input, so one of the programs may lack it.
        let bindings = values.for_one_of([this, other]).bindings(this)?;
        let mut bindings = picture.bindings(bindings)?;
        // A module does not hold the defaults of its uniforms; take them from the other program.
        if this.is_module() && !other.is_module() {
            bindings.take_defaults(&other.bindings());
        }
        let name = path.display().to_string();
        bind_test_cards(&name, &mut bindings, *messages)?;
        if this.is_module() {
            note_bindings(&name, &bindings, *messages);
        }
        let pipeline_options = pipeline_options.clone().output(location).for_sizes(&bindings);
        let pipeline = this.pipeline(&pipeline_options);
        let pipeline = in_time(pipeline, *deadline, *messages)?;
        let options = RenderOptions { timeout: Some(deadline.left()), ..RenderOptions::default() };
        let blank = Encoding::Npy.blank(picture.size);
        let mut image = blank.map_err(|error| Failure::machine(error_chain(&error)))?;
        let drawn = pipeline.render_with(&bindings, &mut image, &options);
        in_time(drawn, *deadline, *messages)?;
        Ok(image)
    }
}
