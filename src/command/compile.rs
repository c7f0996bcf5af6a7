//! `lambdav compile`: shows or writes a stage of the compilation.

use super::{Failure, Messages, Result, fault, load, one_standard_output, print, save_failure};
use clap::{Args, ValueEnum};
use lambdav::frontend::core_text;
use lambdav::raster::file::write_atomically;
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
    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// The typed core as text, which every command takes in place of a shader
    Core,
}

pub(super) fn run(options: &Options) -> Result {
    let output = options.output.as_deref().filter(|path| *path != Path::new("-"));
    if output.is_none() {
        one_standard_output(options.messages, "the result", "add -o FILE")?;
    }
    let loaded = load(&options.shader, options.messages)?;
    let core = loaded.core.ok_or_else(Failure::reported)?;
    let text = match options.emit {
        Stage::Core => core_text::print(&core, Some(&loaded.source)),
    };
    let text = text.map_err(|diagnostic| fault(&loaded.source, diagnostic, options.messages))?;
    match output {
        None => print(&text),
        Some(path) => write_atomically::<io::Error>(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| save_failure(&error)),
    }
}
