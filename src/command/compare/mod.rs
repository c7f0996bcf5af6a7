//! `lambdav compare`: a program on the CPU and on a Vulkan device, and why they differ.
//!
//! [`draw`] draws both and says what differs. For the first pixel that does, [`operations`] looks for the
//! operation: the core evaluator is watched, and each operation on floats that it evaluated is given, with
//! its operands, to the device by itself. Where none of them differs, [`bindings`] looks for the first named
//! value that does. [`found`] is what came of it, and how it is said.

#[cfg(feature = "gpu")]
mod bindings;
#[cfg(feature = "gpu")]
mod draw;
#[cfg(feature = "gpu")]
mod found;
#[cfg(feature = "gpu")]
mod operations;

use super::failure::Result;
use super::gpu::GpuArguments;
use super::messages::MessageFormat;
use super::render::PictureArguments;
use super::values::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Compare what a Vulkan device makes of a program with what the CPU makes of it
///
/// Both draw all outputs, which are compared bit by bit, all NaNs being one value. Of an output that differs
/// it is said by how much, and, of its first pixel that differs, which operation is another on the device, of
/// which operands and where in the program. Exit status 0: all are equal; 1: some differ.
#[derive(Args)]
pub(super) struct CompareCommandArguments {
    /// A shader, core text or a SPIR-V module; `-` is standard input
    #[arg(required_unless_present = "functions")]
    shader: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    gpu: GpuArguments,
    /// Print, as a table in Markdown, how far the device's elementary functions are from the correctly
    /// rounded ones; with --native, those that it has itself
    #[arg(long, conflicts_with_all = ["shader", "output"])]
    functions: bool,
    /// How many seconds drawing and looking for the cause may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    timeout: Duration,
    /// How the outcome is written to standard output; json is one object for each output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
}

#[cfg(not(feature = "gpu"))]
pub(super) fn run(_: &CompareCommandArguments) -> Result {
    Err(super::gpu::missing())
}

#[cfg(feature = "gpu")]
pub(super) fn run(options: &CompareCommandArguments) -> Result {
    draw::run(options)
}
