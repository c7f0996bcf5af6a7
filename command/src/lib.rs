//! The command `lambdav`: its subcommands, arguments, files and messages.
//!
//! Exit status: 0 done; 1 the program, image or comparison is at fault; 2 the command line is;
//! 3 the machine is.
//!
//! Errors go to standard error, one message each. A closed standard output is no fault, a full one is. Targets are checked before
//! the work begins. No more is read of a stream than the largest program or image has.
#![forbid(unsafe_code)]

mod binds;
mod check;
mod compare;
mod comparison;
mod compile;
mod completions;
mod devices;
mod diff;
mod engines;
mod explain;
mod failure;
mod files;
mod gpu;
mod hash;
mod inspect;
mod meshes;
mod messages;
mod module;
mod probe;
mod progress;
mod render;
mod run;
mod sampling;
mod setting;
mod stats;
mod supervise;
mod test;
mod trace;
mod undefined;
mod unit;
mod user_values;
mod values;
mod watch;

use clap::builder::EnumValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use failure::{Failure, complain};
use lambdav_core::LANGUAGE_VERSION;
use lambdav_float_environment::with_default;
use std::env;
use std::ffi::OsString;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (λV language version 2)");
const EXIT_STATUS: &str = "\
Exit status:
  0  done
  1  the program, the image or the comparison is at fault
  2  the command line is at fault
  3  the machine is at fault: disk full, time out, no memory, no such device";

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
    /// When to colour messages; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto", value_parser = EnumValueParser::<ColorChoice>::new())]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Render(render::RenderArguments),
    Compile(compile::CompileArguments),
    Run(run::RunArguments),
    Check(check::CheckArguments),
    Test(test::TestArguments),
    Diff(diff::DiffArguments),
    Compare(compare::CompareCommandArguments),
    Devices(devices::DevicesArguments),
    Inspect(inspect::InspectArguments),
    Trace(trace::TraceArguments),
    Explain(explain::ExplainArguments),
    Completions(completions::CompletionsArguments),
}

/// Runs the command line of this process and exits with its status.
pub fn main() -> ! {
    supervise::run(|| with_default(work))
}

/// Parses and runs the command line; returns the exit status.
fn work() -> u8 {
    let command = CommandLine::command().color(asked_color());
    let mut words: Vec<OsString> = env::args_os().collect();
    // `lambdav test` starts its workers with this word before their command line.
    let is_worker = words.get(1).is_some_and(|word| word == test::WORKER);
    if is_worker {
        words.remove(1);
    }
    let matches = command.try_get_matches_from(words);
    let command_line = match matches.and_then(|matches| CommandLine::from_arg_matches(&matches)) {
        Ok(command_line) => command_line,
        // --help and --version arrive here as errors, too.
        Err(mut said) => {
            renamed(&mut said);
            return finish(messages::print_clap(&said).and(match said.exit_code() {
                0 => Ok(()),
                _ => Err(Failure { status: 2, message: None }),
            }));
        }
    };
    messages::set_color(command_line.color);
    finish(match command_line.command {
        Command::Render(options) => watch::run(options.watch, || render::run(&options)),
        Command::Compile(options) => compile::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Check(options) => watch::run(options.watch, || check::run(&options)),
        Command::Test(options) if is_worker => test::work(&options),
        Command::Test(options) => watch::run(options.watch, || test::run(&options)),
        Command::Diff(options) => diff::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Devices(options) => devices::run(&options),
        Command::Inspect(options) => inspect::run(&options),
        Command::Trace(options) => trace::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Completions(options) => completions::run(&options, CommandLine::command()),
    })
}

/// Value of `--color`, read before the command line is validated.
fn asked_color() -> ColorChoice {
    let words: Vec<OsString> = env::args_os().collect();
    let asked = words.iter().enumerate().find_map(|(index, word)| match word.to_str()? {
        "--color" => words.get(index + 1)?.to_str(),
        word => word.strip_prefix("--color="),
    });
    asked.and_then(|asked| ColorChoice::from_str(asked, false).ok()).unwrap_or_default()
}

/// Old and new names of renamed options.
const RENAMED: [(&str, &str); 2] = [("--location", "--output"), ("--as", "--format")];

/// Makes the error of an old option suggest its new name.
fn renamed(said: &mut clap::Error) {
    let Some(ContextValue::String(old)) = said.get(ContextKind::InvalidArg) else { return };
    if let Some((_, new)) = RENAMED.iter().find(|(name, _)| name == old) {
        said.insert(ContextKind::SuggestedArg, ContextValue::String((*new).to_owned()));
    }
}

/// Prints the failure, if any; returns the exit status.
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
