//! `lambdav render`: draws a program into image files.

mod draw;
mod feedback;
mod options;
mod program;
mod sequence;

pub(super) use options::{PictureArguments, RenderArguments, SampleArguments};
pub(super) use program::{check_defaults, executed_as_it_is};

use super::binds::Binds;
use super::engines::EngineName;
use super::failure::{Failure, Result};
use super::files::{check_target, no_standard_input, one_standard_input, read_bytes};
use super::meshes::MeshArgument;
use super::messages::{MessageFormat, no_terminal, one_standard_output, report};
use super::stats::Stats;
use super::user_values::{UserValues, note_remarks, note_rows};
use draw::{Form, Job};
use lambdav_engine::{Shader, error_chain};
use lambdav_image::file::{Encoding, Format, has_readable_name};
use lambdav_image::quantize::Transfer;
use options::PictureFormat;
use sequence::file_name;
use std::ffi::OsStr;
use std::iter;
use std::path::{Path, PathBuf};

pub(super) fn run(options: &RenderArguments) -> Result {
    let stats = Stats::new(options.stats);
    if options.engine.is_some_and(|e| e != EngineName::Simd) {
        for (option, is_given) in
            [("lanes", options.lanes.is_some()), ("target", options.target.is_some())]
        {
            if is_given {
                let message = format!("--{option} is for the engine `simd`; the others have none");
                return Err(Failure::usage(message));
            }
        }
    }
    if options.specialise && options.engine == Some(EngineName::Source) {
        let message = "--specialise is for the engines that compile; `source` reads the text";
        return Err(Failure::usage(message));
    }
    options.picture.check_engine(options.engine)?;
    if options.feedback.is_some() && options.has_all_outputs() {
        let message = "--feedback is for the frames of one output; name it with --output LOC";
        return Err(Failure::usage(message));
    }
    let binds = Binds::read(&options.picture.bind)?;
    let mesh = options.picture.mesh();
    let read = iter::once(&options.shader).chain(&options.picture.uniforms).chain(binds.paths());
    let read: Vec<&PathBuf> = read.chain(mesh.as_ref().map(MeshArgument::path)).collect();
    one_standard_input(read.iter().copied())?;
    if options.watch {
        no_standard_input(read.iter().copied())?;
    }
    if options.out() == Path::new("-") {
        if options.stats == Some(MessageFormat::Json) {
            return Err(Failure::usage(
                "--stats=json writes to standard output, and so would the image; name a file",
            ));
        }
        one_standard_output(options.messages, "the image", "name a file")?;
        no_terminal("an image", "name a file in place of `-`")?;
        if options.has_all_outputs() {
            return Err(Failure::usage("all outputs go into files of their own; name a file"));
        }
    } else {
        // The files of all outputs are checked later, when the program's outputs are known.
        let first = options.moments()[0];
        check_target(&file_name(options.out(), first.number, None)?, &read)?;
    }
    let form = form(options)?;
    let (name, bytes) = read_bytes(&options.shader)?;
    let values = UserValues::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let values = values.with_binds(binds.clone()).with_module(&options.picture.module)?;
    let gpu = options.gpu.open(options.engine == Some(EngineName::Gpu))?;
    let mut job = Job::new(options, form, &read, stats)?;
    let most = options.messages.max_errors;
    let mut loaded = values.compile(&options.shader, bytes.clone(), most)?;
    loaded.diagnostics.drop_lints();
    job.stats.read(&loaded);
    let included = loaded.included.clone();
    let is_executed = options.engine == Some(EngineName::Spirv) && loaded.core.is_none();
    let as_it_is = match is_executed {
        true => executed_as_it_is(&options.picture, &name, &bytes)?,
        false => None,
    };
    let shader = match as_it_is {
        Some(shader) => shader,
        None => {
            report(&loaded.source, &loaded.diagnostics, options.messages)?;
            note_remarks(&options.shader, &loaded, options.messages);
            Shader::of(loaded).map_err(|_| Failure::reported())?
        }
    };
    note_rows(&options.shader, &shader, &binds, options.messages);
    program::draw_program(options, gpu.as_ref(), &values, &shader, &bytes, &included, &mut job)?;
    job.note_specials();
    job.stats.say(job.pixels())
}

fn form(options: &RenderArguments) -> Result<Form> {
    check_ending(options)?;
    let SampleArguments { srgb, .. } = &options.samples;
    let depth = options.samples.bits();
    let transfer = if *srgb { Transfer::Srgb } else { Transfer::Linear };
    let format = match options.format {
        Some(PictureFormat::Raw(raw)) => {
            if depth.is_some() || *srgb && raw.is_float() {
                return Err(Failure::usage(
                    "for frames without a header --format sets the depth, and --srgb is for 8 and 16 bits",
                ));
            }
            return Ok(Form { encoding: raw.encoding(transfer), raw: Some(raw) });
        }
        Some(PictureFormat::File(format)) => format,
        None if options.out() == Path::new("-") => {
            return Err(Failure::usage(
                "standard output has no ending; add --format png, exr or npy",
            ));
        }
        None if options.out().extension().is_none_or(OsStr::is_empty) => {
            return Err(Failure::usage(format!(
                "`{}` has no ending that implies a format; add --format png, exr or npy",
                options.out().display()
            )));
        }
        None => Format::from_path(options.out()).map_err(|e| Failure::usage(error_chain(&e)))?,
    };
    if format != Format::Png && (*srgb || depth.is_some()) {
        return Err(Failure::usage(format!(
            "--srgb and --depth are for PNG; {} holds the numbers as they are",
            format.name()
        )));
    }
    let encoding = match format {
        Format::Png if depth == Some(16) => Encoding::Png16(transfer),
        Format::Png => Encoding::Png8(transfer),
        Format::Exr => Encoding::Exr,
        Format::Npy => Encoding::Npy,
    };
    Ok(Form { encoding, raw: None })
}

/// Rejects a `--format` that contradicts the file name.
fn check_ending(options: &RenderArguments) -> Result {
    let out = options.out();
    let (Some(asked), true) = (options.format, has_readable_name(out)) else { return Ok(()) };
    let named = Format::from_path(out).ok().map(PictureFormat::File);
    if named == Some(asked) {
        return Ok(());
    }
    let asked = match asked {
        PictureFormat::File(format) => format.name().to_owned(),
        PictureFormat::Raw(_) => "a frame without a header".to_owned(),
    };
    let ending = out.extension().unwrap_or_default().display();
    Err(Failure::usage(format!(
        "`{}` ends in .{ending}, and --format says {asked}; leave out --format, or name the file otherwise",
        out.display()
    )))
}
