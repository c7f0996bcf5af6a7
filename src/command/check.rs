//! `lambdav check`: diagnostics only.

use super::failure::{Failure, Result, complain};
use super::files::{load, one_standard_input};
use super::messages::{Messages, fault};
use clap::Args;
use lambdav::core::schedule;
use std::path::PathBuf;

/// Check programs and say what is wrong with them
///
/// Nothing is said of a program that is right. Exit status 0: all are right, warnings apart;
/// 1: some are not.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// Shaders or core texts; `-` is standard input
    #[arg(required = true, value_name = "SHADER")]
    shaders: Vec<PathBuf>,
    #[command(flatten)]
    messages: Messages,
}

pub(super) fn run(options: &CheckArguments) -> Result {
    one_standard_input(&options.shaders)?;
    let mut failure: Option<Failure> = None;
    for path in &options.shaders {
        let outcome = load(path, options.messages).and_then(|loaded| {
            let core = loaded.core.ok_or_else(Failure::reported)?;
            let all: Vec<u32> = core.outputs.iter().map(|o| o.location).collect();
            schedule::schedule(&core, &all)
                .map(|_| ())
                .map_err(|diagnostic| fault(&loaded.source, diagnostic, options.messages))
        });
        if let Err(new) = outcome {
            // Go on with the others, but say at once what will not be said otherwise.
            if let Some(message) = &new.message {
                complain(message);
            }
            let status = failure.map_or(0, |f| f.status).max(new.status);
            failure = Some(Failure { status, message: None });
        }
    }
    failure.map_or(Ok(()), Err)
}
