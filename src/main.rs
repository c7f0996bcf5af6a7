//! The `lambdav` command.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run()
}
