//! Two programs, drawn with the same inputs.

use crate::binds::Binds;
use crate::engines::{EngineName, engine, not_drawn};
use crate::failure::{Failure, Result};
use crate::files::{one_standard_input, read_bytes};
use crate::given::Given;
use crate::gpu::{Gpu, GpuArguments};
use crate::messages::{MessageFormat, Messages, report};
use crate::render::PictureArguments;
use crate::supervise::Deadline;
use crate::values::{location, seconds};
use clap::{Arg, Args, Command};
use lambdav_core::graph::Core;
use lambdav_core::types::{Scalar, Type};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_image::AnyImage;
use lambdav_raster::{RenderOptions, render};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What two programs are drawn with
#[derive(Args)]
struct Options {
    #[command(flatten)]
    picture: PictureArguments,
    /// What computes the pixels; by default simd, or core for a program that exceeds its limits
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    /// How many seconds drawing both may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
}

/// The same, each of them with `--run` only.
pub(super) struct DrawArguments(Options);

impl clap::FromArgMatches for DrawArguments {
    fn from_arg_matches(matches: &clap::ArgMatches) -> std::result::Result<Self, clap::Error> {
        Options::from_arg_matches(matches).map(Self)
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
        let of_run = Options::augment_args(Command::new("run"));
        let requiring = |arg: &Arg| arg.clone().requires("run").help_heading("With --run");
        command.args(of_run.get_arguments().map(requiring))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The pictures of two programs, as floats.
pub(super) fn draw_both(
    [a, b]: [&PathBuf; 2],
    DrawArguments(options): &DrawArguments,
    message_format: MessageFormat,
) -> Result<[AnyImage; 2]> {
    options.picture.check_engine(options.engine)?;
    let binds = Binds::read(&options.picture.bind)?;
    let read = [a, b].into_iter().chain(&options.picture.uniforms).chain(binds.paths());
    one_standard_input(read)?;
    let given = Given::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let given = given.with_binds(binds).with_module(&options.picture.module)?;
    let messages = Messages::of(message_format);
    let [mut of_a, mut of_b] = [load(a, &given, messages)?, load(b, &given, messages)?];
    let is_module = of_a.module.is_some() || of_b.module.is_some();
    options.picture.module.check(is_module, &a.display().to_string())?;
    let deadline = Deadline::set(options.timeout);
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    let how = (options, gpu.as_ref());
    // A shader in λV may have defaults for the uniforms of the other program.
    let names = [&of_a, &of_b].map(names_of);
    let keeps = |names: &[String], name: &str| names.iter().any(|of| of == name);
    let of_a_given = given.reaching(&mut of_a, &|name| keeps(&names[1], name));
    let of_b_given = given.reaching(&mut of_b, &|name| keeps(&names[0], name));
    let drawn =
        |path, this, other, given: &Given| draw(path, this, other, given, how, messages, deadline);
    let pictures = [drawn(a, &of_a, &of_b, &of_a_given)?, drawn(b, &of_b, &of_a, &of_b_given)?];
    Deadline::lift();
    Ok(pictures)
}

/// The uniforms of a shader in λV.
fn names_of(of: &Loaded) -> Vec<String> {
    let core = of.core.iter().filter(|_| of.module.is_none());
    core.flat_map(|core| &core.uniforms).map(|uniform| uniform.name.clone()).collect()
}

/// A program that is right, warnings apart.
fn load(path: &Path, given: &Given, messages: Messages) -> Result<Loaded> {
    let (_, bytes) = read_bytes(path)?;
    let mut loaded = given.compile(path, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    if loaded.core.is_some() { Ok(loaded) } else { Err(Failure::reported()) }
}

/// The picture of one of two programs.
fn draw(
    path: &Path,
    this: &Loaded,
    other: &Loaded,
    given: &Given,
    (options, gpu): (&Options, Option<&Gpu>),
    messages: Messages,
    deadline: Deadline,
) -> Result<AnyImage> {
    let picture = &options.picture;
    let core = this.core.as_ref().ok_or_else(Failure::reported)?;
    let all = core.outputs.iter().map(|output| output.location);
    let location = location(all, picture.output, "a comparison")?;
    // A compiler may have left out what one of them does not need.
    let given = given.for_one_of([this, other])?;
    let mut settings = picture.settings(&core.uniforms);
    given.apply(&mut settings, core.graph.types(), &core.uniforms, &core.constants)?;
    if this.module.is_some() {
        // The other program may have defaults for them.
        let mut unset = given.unset(core.graph.types(), &core.uniforms, usize::MAX);
        take_defaults(&mut settings, core, other, &mut unset);
        given.note(&path.display().to_string(), &unset, messages);
    }
    let engine = engine(options.engine, gpu, this, core, location, &settings)
        .map_err(|trouble| trouble.failure(&this.source, messages))?;
    let how = RenderOptions { timeout: Some(deadline.left()), ..RenderOptions::default() };
    render(&*engine, picture.size, &how)
        .map(AnyImage::from)
        .map_err(|error| not_drawn(error, &*engine, &this.source, deadline, messages))
}

/// A module does not hold the defaults of its uniforms: those that are not set get what the other program,
/// if it is a shader, has under the same name, as far as the components are the same.
fn take_defaults(settings: &mut Settings, core: &Core, other: &Loaded, unset: &mut Vec<String>) {
    let Some(from) = other.core.as_ref().filter(|_| other.module.is_none()) else { return };
    // There are no bools in blocks: of words they are the same.
    let kinds = |core: &Core, ty: Type| {
        let types = core.graph.types();
        let all = (0..types.components(ty)).map(|index| types.component(ty, index));
        all.map(|kind| if kind == Scalar::Bool { Scalar::U32 } else { kind }).collect::<Vec<_>>()
    };
    unset.retain(|name| {
        let index = core.uniforms.iter().position(|uniform| uniform.name == *name);
        let found = from.uniforms.iter().find(|uniform| uniform.name == *name);
        let (Some(index), Some(found)) = (index, found) else { return true };
        let is_same = kinds(core, core.uniforms[index].ty) == kinds(from, found.ty);
        if is_same {
            settings.inputs.uniforms[index].clone_from(&found.default);
        }
        !is_same
    });
}
