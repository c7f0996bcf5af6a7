//! Arguments of `lambdav trace`.

use super::other::Other;
use crate::gpu::GpuArguments;
use crate::messages::Messages;
use crate::render::PictureArguments;
use crate::unit::{self, Groups, Unit, groups};
use crate::values::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Show how a pixel comes about: values of names, conditions, calls and loops
///
/// The pixel is evaluated once more by an exact evaluator that shares nothing with the compiler: λV by the source
/// evaluator, GLSL, WGSL and SPIR-V by the evaluator of SPIR-V. Values are shown in decimal and with their bits.
#[derive(Args)]
pub(crate) struct TraceArguments {
    /// A shader in λV, GLSL or WGSL, or a SPIR-V module; `-` is standard input
    pub(super) shader: PathBuf,
    /// Column of the pixel, from 0 at the left
    #[arg(value_name = "X", required_unless_present_any = ["condition", "compare", "of"], requires = "y")]
    pub(super) x: Option<u32>,
    /// Row of the pixel, from 0 at the top
    #[arg(value_name = "Y", required_unless_present_any = ["condition", "compare", "of"])]
    pub(super) y: Option<u32>,
    /// Trace the first pixel, row by row from the upper left, where a condition on named values holds: NAME OP
    /// NUMBER, as in `r > 10` or `p.x <= -0.5`, OP one of < <= > >= == !=; or isnan(NAME); `and` joins
    /// several, which hold at the same time. `output` is the pixel. Without a component, any component counts
    #[arg(long = "break", value_name = "CONDITION", conflicts_with_all = ["x", "y"])]
    pub(super) condition: Option<String>,
    /// Compare with an engine (simd, core, source, spirv or gpu) or with a picture of the same size: is the pixel the
    /// same, and which is the first line that differs? If it differs, exit status 1. Without X and Y the first pixel that
    /// differs is traced
    #[arg(long, value_name = "ENGINE|PICTURE")]
    pub(super) compare: Option<Other>,
    /// Quantise with the sRGB encoding for the comparison with a picture of integers
    #[arg(long, requires = "compare")]
    pub(super) srgb: bool,
    /// Trace another unit: `vertex:N`, or `vertex:N:INSTANCE`, of a λV program that draws triangles; `id:X[,Y[,Z]]`, or
    /// `id:X:PASS`, of the passes of a λV program; `id:X[,Y[,Z]]` with --groups of a compute shader in WGSL, GLSL or SPIR-V
    #[arg(long, value_name = "UNIT", value_parser = unit::parse, conflicts_with_all = ["x", "y", "condition", "compare"])]
    pub(super) of: Option<Unit>,
    /// Workgroups of a compute shader along each axis, for --of id; missing numbers are 1
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = groups, requires = "of", allow_hyphen_values = true)]
    pub(super) groups: Option<Groups>,
    /// Bind zeros to a buffer of a compute shader whose array has no length: so many elements. May be given more than once
    #[arg(long, value_name = "NAME=N", requires = "groups")]
    pub(super) zeros: Vec<String>,
    /// Show all events, in the order of the text, in place of a screen of those that made the output
    #[arg(long)]
    pub(super) all: bool,
    /// Print the trace as one JSON object, which docs/debugging.md describes
    #[arg(long, conflicts_with = "all")]
    pub(super) json: bool,
    /// Write a page that needs no other files: the source with values beside its lines, a slider for the rounds of each
    /// loop, and the picture, in which another pixel can be chosen; nothing is printed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "json"])]
    pub(super) html: Option<PathBuf>,
    #[command(flatten)]
    pub(super) gpu: GpuArguments,
    /// Seconds for the whole work; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) messages: Messages,
}
