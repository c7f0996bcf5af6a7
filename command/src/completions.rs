//! `lambdav completions`: completion scripts for shells.

use super::failure::Result;
use super::messages::write_out;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// Print a shell completion script for lambdav
///
/// For bash: `lambdav completions bash > ~/.local/share/bash-completion/completions/lambdav`
#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(options: &CompletionsArguments, mut command: Command) -> Result {
    let mut script = Vec::new();
    generate(options.shell, &mut command, "lambdav", &mut script);
    write_out(&script).map(|_| ())
}
