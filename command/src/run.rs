//! `lambdav run`: runs a compute program, or the passes of a shader, on buffers.

use super::binds::Binds;
use super::engines::{EngineName, check_iterations, engine, in_time};
use super::failure::{Failure, Result, save_failure};
use super::files::{check_target, one_standard_input, read_bytes};
use super::gpu::GpuArguments;
use super::messages::{Messages, note, one_standard_output, report, write_out};
use super::module::{ModuleArguments, ProgramKind, TextArguments};
use super::probe;
use super::progress::Progress;
use super::supervise::Deadline;
use super::undefined::UndefinedBehaviour;
use super::unit::{self, Around, Groups, Unit, groups};
use super::user_values::{UserValues, note_bindings, note_remarks};
use super::values::{seconds, whole};
use clap::Args;
use lambdav_core::limits;
use lambdav_engine::{BindError, Bindings, DispatchOptions, Options, Shader};
use lambdav_image::Size;
use lambdav_image::file::write_atomically;
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run a compute program, or the passes of a shader, on buffers, and write buffers to files
///
/// The order is defined: workgroups one after another, x fastest; in a workgroup, invocations by their index, up to
/// each barrier. So the result is the same on every machine, also of programs with races.
#[derive(Args)]
pub(super) struct RunArguments {
    /// A shader with passes, a compute shader in WGSL or GLSL, a SPIR-V module or core text; `-` is standard input
    program: PathBuf,
    /// Workgroups along each axis; missing numbers are 1. Not for passes, which say how many ids they have
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = groups, allow_hyphen_values = true)]
    groups: Option<Groups>,
    /// Bind a file to a buffer or texture. A buffer takes an array (NPY, or a JSON list of elements), JSON of all
    /// members of its block, or its bytes (.bin). May be given more than once
    #[arg(long, value_name = "NAME=FILE")]
    bind: Vec<String>,
    /// Bind zeros to a buffer whose array has no length: so many elements. (A buffer with a length is zero unless a
    /// file is bound.) May be given more than once
    #[arg(long, value_name = "NAME=N")]
    zeros: Vec<String>,
    /// Write a buffer to a file afterwards: .npy for an array of numbers, .json, or .bin, its bytes; `-` is JSON on
    /// standard output. May be given more than once
    #[arg(long, value_name = "NAME=FILE")]
    save: Vec<String>,
    /// Set a uniform, a part of one, or an override; see `lambdav render --help`. May be given more than once
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Set uniforms from a JSON file that holds one object. Values of --set override it
    #[arg(long, value_name = "FILE")]
    uniforms: Option<PathBuf>,
    /// The compute entry point to use, if there are several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Options of a sampler; see `lambdav render --help`. May be given more than once
    #[arg(long, value_name = "NAME=OPTIONS")]
    sampler: Vec<String>,
    #[command(flatten)]
    text: TextArguments,
    /// Engine that runs the program; by default simd, or core for a program that exceeds the limits of simd. The result does
    /// not depend on it, unless invocations race on a device. Source is for passes alone, which no device runs
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    gpu: GpuArguments,
    /// What is done about undefined behaviour, such as a division by 0: nothing; `report` prints a line for each place of the
    /// text that meets any; `error` does so, and no buffer is written
    #[arg(long, value_enum, default_value = "ignore")]
    undefined: UndefinedBehaviour,
    /// Print the messages of a unit, by `(probe "name" e)` in λV and `debugPrintfEXT` in GLSL and SPIR-V: `id:X[,Y[,Z]]`, an
    /// invocation or an id of a pass; `id:X:PASS` names the pass. May be given more than once
    #[arg(long, value_name = "UNIT", value_parser = unit::parse)]
    probe: Vec<Unit>,
    /// Most iterations of a loop, each time that it is entered; more is error LV0504
    #[arg(
        long,
        value_name = "N",
        default_value_t = limits::ITERATIONS,
        value_parser = whole,
        allow_hyphen_values = true
    )]
    max_iterations: u64,
    /// Seconds from reading the program to the finished buffers; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    #[command(flatten)]
    messages: Messages,
}

/// A file for a buffer.
struct Save {
    name: String,
    path: PathBuf,
    form: Form,
}

/// The form of a buffer's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Npy,
    Json,
    Bytes,
}

impl Save {
    /// Parses NAME=FILE.
    fn read(text: &str) -> Result<Self> {
        let Some((name, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
            return Err(Failure::usage(format!("`{text}` saves nothing: write --save NAME=FILE")));
        };
        let path = PathBuf::from(file);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let form = match ending.map(str::to_ascii_lowercase).as_deref() {
            _ if file == "-" => Form::Json,
            Some("npy") => Form::Npy,
            Some("json") => Form::Json,
            Some("bin") => Form::Bytes,
            _ => {
                let what = "ends in .npy, .json or .bin";
                return Err(Failure::usage(format!("the file of a buffer {what}, not `{file}`")));
            }
        };
        Ok(Self { name: name.to_owned(), path, form })
    }

    fn is_standard_output(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Writes the buffer.
    fn write(&self, bindings: &Bindings) -> Result {
        let name = &self.name;
        let bytes = match self.form {
            Form::Npy => bindings.npy(name).map_err(|error| wrong(&error))?,
            Form::Json => {
                let mut text = bindings.json(name).unwrap_or_default();
                text.push('\n');
                text.into_bytes()
            }
            Form::Bytes => {
                let words = bindings.words(name).unwrap_or_default();
                words.iter().flat_map(|word| word.to_le_bytes()).collect()
            }
        };
        if self.is_standard_output() {
            return write_out(&bytes).map(drop);
        }
        let written = write_atomically(&self.path, |out| out.write_all(&bytes));
        written.map_err(|error| save_failure(&error))
    }
}

fn wrong(error: &BindError) -> Failure {
    Failure::usage(error.to_string())
}

/// Checks the files of buffers before any work.
fn check_saves(all: &[Save], read: &[&PathBuf], messages: Messages) -> Result {
    for (index, save) in all.iter().enumerate() {
        if all[..index].iter().any(|other| other.path == save.path) {
            let message = format!("two buffers would go to `{}`", save.path.display());
            return Err(Failure::usage(message));
        }
        match save.is_standard_output() {
            true => one_standard_output(messages, "the buffer", "name a file")?,
            false => check_target(&save.path, read)?,
        }
    }
    Ok(())
}

/// Binds zeros, as the values of `--zeros` say.
pub(crate) fn bind_zeros(all: &[String], bindings: &mut Bindings) -> Result {
    for text in all {
        let count =
            text.split_once('=').and_then(|(name, count)| Some((name, count.parse().ok()?)));
        let Some((name, count)) = count else {
            let how = "write --zeros NAME=N, a number of elements";
            return Err(Failure::usage(format!("`{text}` is no number of zeros: {how}")));
        };
        bindings.bind_zeros(name, count).map_err(|error| wrong(&error))?;
    }
    Ok(())
}

/// The workgroups of a compute program; none for a shader with passes.
fn groups_of(shader: &Shader, groups: Option<Groups>, name: &str) -> Result<Option<Groups>> {
    let wrong = |what: String| Err(Failure::usage(what));
    match (shader.workgroup().is_some(), shader.has_passes(), groups) {
        (true, _, Some(groups)) => Ok(Some(groups)),
        (true, _, None) => {
            wrong(format!("`{name}` is a compute program: say how many workgroups run, --groups X"))
        }
        (false, true, None) => Ok(None),
        (false, true, Some(_)) => {
            wrong(format!("the passes of `{name}` say how many ids they have: leave out --groups"))
        }
        (false, false, _) => wrong(format!(
            "`{name}` is no compute program and has no passes; `lambdav render` draws pictures"
        )),
    }
}

pub(super) fn run(options: &RunArguments) -> Result {
    let messages = options.messages;
    let binds = Binds::read(&options.bind)?;
    let saves: Vec<Save> =
        options.save.iter().map(|text| Save::read(text)).collect::<Result<_>>()?;
    let read = iter::once(&options.program).chain(&options.uniforms).chain(binds.paths());
    let read: Vec<&PathBuf> = read.collect();
    one_standard_input(read.iter().copied())?;
    check_saves(&saves, &read, messages)?;
    let deadline = Deadline::set_for("running", options.timeout);
    let (name, bytes) = read_bytes(&options.program)?;
    let module = ModuleArguments {
        entry: options.entry.clone(),
        sampler: options.sampler.clone(),
        text: options.text.clone(),
        ..ModuleArguments::default()
    };
    let values = UserValues::read(&options.set, options.uniforms.as_ref())?;
    let values = values.with_binds(binds).with_module(&module)?.compute();
    let mut loaded = values.compile(&options.program, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    note_remarks(&options.program, &loaded, messages);
    let included: Vec<PathBuf> = loaded.included.clone();
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    module.check(ProgramKind::of(&shader), &name)?;
    let groups = groups_of(&shader, options.groups, &name)?;
    let mut bindings = values.bindings(&shader)?;
    bind_zeros(&options.zeros, &mut bindings)?;
    for save in &saves {
        bindings.check_memory(&save.name, save.form == Form::Npy).map_err(|error| wrong(&error))?;
        if !save.is_standard_output() {
            check_target(&save.path, &included)?;
        }
    }
    note_bindings(&name, &bindings, messages);
    if saves.is_empty() {
        note("no buffer is written to a file: --save NAME=FILE", messages);
    }
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    check_iterations(options.engine, options.max_iterations)?;
    if gpu.is_some() && groups.is_none() {
        return Err(Failure::usage(
            "passes run on the processor: leave out --engine gpu; `lambdav compile --emit spirv --exact` writes them as modules for devices",
        ));
    }
    let engine = engine(options.engine, gpu.as_ref());
    options.undefined.without_paint("there is no picture to paint")?;
    let around = Around {
        size: Size::new(1, 1).map_err(|error| Failure::machine(error.to_string()))?,
        output: 0,
        max_iterations: options.max_iterations,
        groups,
        deadline,
    };
    probe::tell(&options.probe, &shader, &bindings, &around, messages)?;
    let compiled = Options::default()
        .engine(engine)
        .max_iterations(options.max_iterations)
        .report_undefined(options.undefined.reports());
    let Some(groups) = groups else {
        let pipeline = in_time(shader.pass_pipeline(&compiled), deadline, messages)?;
        let limit = DispatchOptions::default().timeout(deadline.left());
        let ran = in_time(pipeline.run_with(&mut bindings, &limit), deadline, messages)?;
        options.undefined.tell(&ran.undefined, "a pass")?;
        return saves.iter().try_for_each(|save| save.write(&bindings));
    };
    let pipeline = in_time(shader.compute_pipeline(&compiled), deadline, messages)?;
    let progress = Progress::new();
    let advance = |done: u64, all: u64| progress.advance(done as usize, all as usize);
    let dispatch = DispatchOptions::default().timeout(deadline.left()).progress(&advance);
    let done = pipeline.dispatch_with(&mut bindings, groups.0, &dispatch);
    progress.clear();
    let ran = in_time(done, deadline, messages)?;
    options.undefined.tell(&ran.undefined, "the program")?;
    saves.iter().try_for_each(|save| save.write(&bindings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_files() {
        let form = |text: &str| Save::read(text).map(|save| save.form).ok();
        assert_eq!(form("a=b.npy"), Some(Form::Npy));
        assert_eq!(form("a=b.JSON"), Some(Form::Json));
        assert_eq!(form("a=-"), Some(Form::Json));
        assert_eq!(form("a=b=c.bin"), Some(Form::Bytes));
        assert_eq!(["a", "a=", "a=b", "a=b.png"].map(form), [None; 4]);
    }
}
