//! The commands, by the stages whose output they print.
//!
//! | command | program | output |
//! |---|---|---|
//! | [`lanes`] | λV or core text | the lane program |
//! | [`registers`](mod@registers) | λV or core text | the register program |
//! | [`assembly`](mod@registers) | λV or core text | machine code |
//! | [`spirv`] | λV or core text | a SPIR-V module |
//! | [`read registers`](register_text) | a register program | the program as it is read, or the reader's error |
//! | [`verify registers`](register_text) | a register program | the verifier's errors, or `valid` |
//! | [`run registers`](register_text) | a register program | pixels, or the interpreter's trap |

mod lanes;
mod options;
mod register_text;
mod registers;
mod spirv;

use lambdav_core::core_text::{is_core_text, read};
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;

use crate::ids::Ids;
use options::Options;

/// The output of a command.
pub(crate) struct Output {
    pub(crate) text: String,
    /// The ids in it that say nothing.
    pub(crate) ids: Ids,
}

/// Runs a command on a program.
///
/// # Errors
///
/// If the command is unknown, or the program is refused.
pub(crate) fn output(command: &str, program: &str) -> Result<Output, String> {
    let mut options = Options::new(command);
    let unknown = || Err(format!("`{command}` is no command"));
    let output = match options.word() {
        Some("lanes") => lanes::lanes(&mut options, program),
        Some("registers") => registers::registers(&mut options, program),
        Some("assembly") => registers::assembly(&mut options, program),
        Some("spirv") => spirv::spirv(&mut options, program),
        Some(verb) if options.flag("registers") => match verb {
            "read" => register_text::read_registers(program),
            "verify" => register_text::verify_registers(program),
            "run" => register_text::run_registers(&mut options, program),
            _ => unknown(),
        },
        _ => unknown(),
    }?;
    options.end()?;
    Ok(output)
}

/// A program in λV or core text.
fn core(text: &str) -> Result<Core, String> {
    let source = SourceFile::new("program.lv", text);
    let (core, diagnostics) = if is_core_text(text) { read(&source) } else { compile(&source) };
    match core {
        Some(core) => Ok(core),
        None => Err(format!("the program is refused: {diagnostics:?}")),
    }
}

/// The outputs of a program, scheduled: output 0, or with `--all-outputs` all of them.
fn outputs(options: &mut Options<'_>, text: &str) -> Result<Program, String> {
    outputs_of(options, &core(text)?)
}

/// The same for a program that is compiled.
fn outputs_of(options: &mut Options<'_>, core: &Core) -> Result<Program, String> {
    let locations: Vec<u32> = match options.flag("--all-outputs") {
        true => core.outputs.iter().map(|output| output.location).collect(),
        false => vec![0],
    };
    schedule(core, &locations).map_err(|diagnostic| format!("{diagnostic:?}"))
}
