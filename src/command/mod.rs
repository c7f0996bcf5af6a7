//! The command line: its subcommands and its exit status.
//!
//! Exit status: 0 done; 1 the program, image or comparison is at fault; 2 the command line is;
//! 3 the machine is.

mod binds;
mod check;
mod comparison;
mod compile;
mod diff;
mod engines;
mod explain;
mod failure;
mod files;
mod given;
mod inspect;
mod messages;
mod render;
mod stats;
mod supervise;
mod test;
mod values;

use clap::{Parser, Subcommand};
use failure::{Failure, complain};
use lambdav::core::LANGUAGE_VERSION;
use lambdav_float_environment::with_default;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (λV language version 2)");
const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  the program, the image or the comparison is at fault
  2  the command line is
  3  the machine is: disk full, time out, no memory";

const _: () = assert!(LANGUAGE_VERSION == 2, "VERSION names the language version");

/// Compiler and exact CPU renderer for the shader language λV
///
/// The same program, inputs and size give the same bits on every machine.
#[derive(Parser)]
#[command(
    name = "lambdav",
    version = VERSION,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXIT_STATUS
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Render(render::RenderArguments),
    Compile(compile::CompileArguments),
    Check(check::CheckArguments),
    Test(test::TestArguments),
    Diff(diff::DiffArguments),
    Inspect(inspect::InspectArguments),
    Explain(explain::ExplainArguments),
}

/// Runs the command that the process was given, and ends the process.
pub(crate) fn run() -> ! {
    supervise::run(|| with_default(work))
}

/// Does it; the exit status.
fn work() -> u8 {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        // Help and the version are among them.
        Err(said) => {
            return finish(messages::print_clap(&said).and(match said.exit_code() {
                0 => Ok(()),
                _ => Err(Failure { status: 2, message: None }),
            }));
        }
    };
    finish(match command_line.command {
        Command::Render(options) => render::run(&options),
        Command::Compile(options) => compile::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Diff(options) => diff::run(&options),
        Command::Inspect(options) => inspect::run(&options),
        Command::Explain(options) => explain::run(&options),
    })
}

/// The exit status, after what is to be said of a failure.
fn finish(result: failure::Result) -> u8 {
    match result {
        Ok(()) => 0,
        Err(Failure { status, message }) => {
            if let Some(message) = message {
                complain(&message);
            }
            status
        }
    }
}
