//! `lambdav compile`: shows or writes a stage of the compilation.

use super::values::{lanes, output as location};
use super::{
    Failure, Messages, Result, check_target, fault, load, one_standard_output, print, render,
    save_failure,
};
use clap::{Args, ValueEnum};
use lambdav::frontend::core_text;
use lambdav::frontend::schedule::{Program, schedule};
use lambdav::raster::file::write_atomically;
use lambdav::simd::{EmitError, Target, cranelift, kernel};
use std::io;
use std::path::{Path, PathBuf};

/// Show or write what a program is compiled to
#[derive(Args)]
pub(super) struct Options {
    /// A shader or core text; `-` is standard input
    shader: PathBuf,
    /// The file to write; by default, and for `-`, standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What to write
    #[arg(long, value_name = "STAGE", value_enum)]
    emit: Stage,
    /// Which output of the program, from `lanes` on, which are of one; by default 0, or the lowest
    /// that there is
    #[arg(long, value_name = "LOC", value_parser = location)]
    location: Option<u32>,
    /// How many pixels are computed together, from `registers` on: 1, 4, 8, 16 or 32
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    lanes: Option<u32>,
    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The typed core as text, which every command takes in place of a shader
    Core,
    /// The lane program: components, with masks in place of divergent control flow
    Lanes,
    /// The register program: lanes in registers of this number of lanes
    Registers,
    /// The code generator's own form
    Clif,
    /// The assembly of this machine
    Asm,
}

pub(super) fn run(options: &Options) -> Result {
    let output = options.output.as_deref().filter(|path| *path != Path::new("-"));
    match output {
        None => one_standard_output(options.messages, "the result", "add -o FILE")?,
        Some(path) => check_target(path)?,
    }
    let loaded = load(&options.shader, options.messages)?;
    let core = loaded.core.ok_or_else(Failure::reported)?;
    let text = match options.emit {
        Stage::Core if options.location.is_some() => {
            Err(Failure::usage("the core holds all outputs; --location is for what comes after it"))
        }
        Stage::Core => core_text::print(&core, Some(&loaded.source))
            .map_err(|diagnostic| fault(&loaded.source, diagnostic, options.messages)),
        stage => {
            let location = render::location(&core, options.location)?;
            let program = schedule(&core, &[location])
                .map_err(|diagnostic| fault(&loaded.source, diagnostic, options.messages))?;
            simd_stage(stage, &program, options.lanes)
        }
    }?;
    match output {
        None => print(&text),
        Some(path) => write_atomically::<io::Error>(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| save_failure(&error)),
    }
}

/// The text of a stage of the SIMD backend.
fn simd_stage(stage: Stage, program: &Program, lanes: Option<u32>) -> Result<String> {
    let machine = |error: EmitError| Failure::machine(error.to_string());
    let (lane_program, register_program) = kernel::lower(program, lanes, true);
    match stage {
        Stage::Core => unreachable!("not a stage of this backend"),
        Stage::Lanes => Ok(kernel::text(&lane_program)),
        Stage::Registers => Ok(register_program.to_string()),
        Stage::Clif => Ok(cranelift::clif(&register_program, &Target::host().map_err(machine)?)),
        Stage::Asm => {
            let target = Target::host().map_err(machine)?;
            cranelift::assembly(&register_program, &target).map_err(machine)
        }
    }
}
