//! `lambdav render`: a program to an image file.

mod draw;
mod module;
mod options;
mod program;

pub(super) use module::open_module;
pub(super) use options::{PictureArguments, RenderArguments};

use super::binds::Binds;
use super::engines::EngineName;
use super::failure::{Failure, Result, chain, save_failure};
use super::files::{check_not_read, check_target, one_standard_input, read_bytes};
use super::given::Given;
use super::messages::{one_standard_output, print};
use super::stats::Stats;
use super::supervise::Deadline;
use draw::How;
use lambdav::metadata;
use lambdav::raster::AnyImage;
use lambdav::raster::file::{Encoding, Format, encode, save};
use lambdav::raster::quantize::Transfer;
use lambdav::spirv;
use std::ffi::OsStr;
use std::iter;
use std::path::{Path, PathBuf};

pub(super) fn run(options: &RenderArguments) -> Result {
    let mut stats = Stats::new(options.stats);
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
    let binds = Binds::read(&options.picture.bind)?;
    let read: Vec<&PathBuf> =
        iter::once(&options.shader).chain(&options.picture.uniforms).chain(binds.paths()).collect();
    one_standard_input(read.iter().copied())?;
    if options.out == Path::new("-") {
        one_standard_output(options.messages, "the image", "name a file")?;
    } else {
        check_target(&options.out, &read)?;
    }
    let encoding = encoding(options)?;
    let (name, bytes) = read_bytes(&options.shader)?;
    let values = Given::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let given = values.with_binds(binds);
    let deadline = Deadline::set(options.timeout);
    let how = How::new(options, encoding)?;
    let image = match spirv::words(&bytes) {
        Some(_) if options.specialise => {
            return Err(Failure::usage("--specialise is for programs; this is a module"));
        }
        Some(words) => {
            module::draw_module(options, &given, &how, &name, &words, deadline, &mut stats)
        }
        None => {
            let mut loaded = given.compile(&options.shader, bytes, options.messages.max_errors)?;
            loaded.diagnostics.drop_lints();
            check_not_read(&options.out, &loaded.included)?;
            program::draw_program(options, &given, &how, loaded, deadline, &mut stats)
        }
    }?;
    how.install(|| write(options, &image, encoding))?;
    stats.took("write");
    stats.say(options.picture.size);
    Ok(())
}

fn encoding(options: &RenderArguments) -> Result<Encoding> {
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
    if format != Format::Png && (options.picture.srgb || options.picture.depth.is_some()) {
        return Err(Failure::usage(format!(
            "--srgb and --depth are for PNG; {} holds the numbers as they are",
            format.name()
        )));
    }
    let transfer = if options.picture.srgb { Transfer::Srgb } else { Transfer::Linear };
    Ok(match format {
        Format::Png if options.picture.depth.as_deref() == Some("16") => Encoding::Png16(transfer),
        Format::Png => Encoding::Png8(transfer),
        Format::Exr => Encoding::Exr,
        Format::Npy => Encoding::Npy,
    })
}

fn write(options: &RenderArguments, image: &AnyImage, encoding: Encoding) -> Result {
    if options.out != Path::new("-") {
        return save(&options.out, image, encoding, &metadata()).map_err(|e| save_failure(&e));
    }
    let mut bytes = Vec::new();
    encode(image, encoding, &metadata(), &mut bytes).map_err(|e| Failure::machine(chain(&e)))?;
    // Whoever reads may take time.
    Deadline::lift();
    print(bytes)
}
