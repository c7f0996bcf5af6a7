//! The options of `compare`.

use crate::gpu::GpuArguments;
use crate::messages::MessageFormat;
use crate::render::PictureArguments;
use crate::values::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Compare what a Vulkan device makes of a program with what the CPU makes of it
///
/// Both draw all outputs, which are compared bit by bit, all NaNs being one value. Of an output that differs
/// it is said by how much, and, of its first pixel that differs, which operation is another on the device, of
/// which operands and where in the program. Exit status 0: all are equal; 1: some differ.
#[derive(Args)]
pub(crate) struct CompareCommandArguments {
    /// A shader, core text or a SPIR-V module; `-` is standard input
    #[arg(required_unless_present = "functions")]
    pub(super) shader: Option<PathBuf>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) gpu: GpuArguments,
    /// Print, as a table in Markdown, how far the device's elementary functions are from the correctly
    /// rounded ones; with --native, those that it has itself
    #[arg(long, conflicts_with_all = [
        "shader", "output", "size", "time", "frame", "mouse", "set", "uniforms", "bind", "max_iterations", "entry", "input",
        "clear",
    ])]
    pub(super) functions: bool,
    /// How many seconds drawing and looking for the cause may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    /// How the outcome is written to standard output; json is one object for each output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    pub(super) message_format: MessageFormat,
}
