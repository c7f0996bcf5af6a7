//! Options of `compare`.

use crate::gpu::GpuArguments;
use crate::messages::MessageFormat;
use crate::render::PictureArguments;
use crate::values::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Compare a program's pictures on a Vulkan device with those on the CPU
///
/// All outputs are drawn on both and compared bit for bit; all NaNs count as one value. For an output
/// that differs, the size of the difference is shown, and for its first differing pixel the operation
/// that the device computes differently, with its operands and its place in the program. Exit status 0:
/// all outputs are equal; 1: some differ.
#[derive(Args)]
pub(crate) struct CompareCommandArguments {
    /// A shader in λV, GLSL or WGSL, core text or a SPIR-V module; `-` is standard input
    #[arg(required_unless_present = "functions")]
    pub(super) shader: Option<PathBuf>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) gpu: GpuArguments,
    /// Print a Markdown table of the errors of the device's elementary functions against the correctly
    /// rounded ones; with --native, of the device's own functions
    #[arg(long, conflicts_with_all = [
        "shader", "output", "size", "time", "frame", "mouse", "date", "set", "uniforms", "bind", "max_iterations", "entry",
        "input", "clear", "include", "define", "dialect", "origin", "language",
    ])]
    pub(super) functions: bool,
    /// Seconds that drawing and the search for the cause may take; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    /// Format of the result on standard output; json is one object per output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    pub(super) message_format: MessageFormat,
}
