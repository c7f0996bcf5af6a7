//! The options of `render`.

use crate::command::engines::EngineName;
use crate::command::messages::Messages;
use crate::command::values::{lanes, mouse, output, seconds, target, threads, whole};
use clap::Args;
use lambdav::core::graph::Uniform;
use lambdav::core::limits;
use lambdav::raster::Size;
use lambdav::raster::file::Format;
use lambdav::settings::{Settings, number};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Render a program to an image file
#[derive(Args)]
pub(in crate::command) struct RenderArguments {
    /// A shader, core text, or, for the engine `spirv`, a SPIR-V module; `-` is standard input
    pub(super) shader: PathBuf,
    /// The image, by its ending .png, .exr (32-bit float) or .npy (float32, H×W×4); `-` is
    /// standard output
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    /// Compiles the program for the values that the uniforms have: what they decide is decided
    /// once. The image does not depend on it
    #[arg(long)]
    pub(super) specialise: bool,
    /// What computes the pixels; by default simd, or core for a program that exceeds its limits.
    /// The image does not depend on it
    #[arg(long, value_enum)]
    pub(super) engine: Option<EngineName>,
    /// How many pixels the engine `simd` computes together: 1, 4, 8, 16, 32 or 64; by default as many
    /// as seem best. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    pub(super) lanes: Option<u32>,
    /// What the engine `simd` makes code for: baseline, avx2, avx512-256 or avx512; by default the
    /// widest registers that this machine has. The image does not depend on it
    #[arg(long, value_name = "TARGET", value_parser = target)]
    pub(super) target: Option<&'static str>,
    /// Worker threads; by default all cores. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub(super) threads: Option<NonZeroUsize>,
    /// How many seconds may pass until the image is there, once the shader is read; after that,
    /// exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    /// The format, where the ending does not say it: png, exr or npy
    #[arg(long)]
    pub(super) format: Option<Format>,
    /// Say on standard error how long each part took, what was compiled, which lanes were chosen
    /// and why, and how many of them are active on average, by a sample of the image
    #[arg(long)]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) messages: Messages,
}

/// What a picture is of, whatever draws it
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct PictureArguments {
    /// Which output of the program; by default 0, or the lowest that there is
    #[arg(long, value_name = "LOC", value_parser = output, allow_hyphen_values = true)]
    pub(in crate::command) output: Option<u32>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "512x512", allow_hyphen_values = true)]
    pub(in crate::command) size: Size,
    /// What `(time)` gives, in seconds
    #[arg(long, value_name = "T", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(in crate::command) time: f32,
    /// What `(frame)` gives
    #[arg(long, value_name = "N", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(in crate::command) frame: f32,
    /// What `(mouse)` gives; by default all zero
    #[arg(long, value_name = "X,Y,Z,W", value_parser = mouse, allow_hyphen_values = true)]
    pub(in crate::command) mouse: Option<[f32; 4]>,
    /// Sets a uniform: its components in order (of a matrix, by columns), or true or false; of a
    /// structure or array JSON, as in `light={"power": 2}`. Can be given several times; those not set
    /// keep the defaults of the program
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(in crate::command) set: Vec<String>,
    /// Sets the uniforms that a JSON file has the values of: one object, as in
    /// `{"gain": 2, "light": {"power": 3}}`. What --set gives comes after it
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) uniforms: Option<PathBuf>,
    /// Binds an image to a texture of the program: PNG, JPEG, WebP, TIFF, QOI, HDR, OpenEXR, NPY and
    /// others. Can be given several times; each texture needs one
    #[arg(long, value_name = "NAME=FILE")]
    pub(in crate::command) bind: Vec<String>,
    /// How many times each entry of a loop may go on with `rec`; more is error LV0504
    #[arg(
        long,
        value_name = "N",
        default_value_t = limits::ITERATIONS,
        value_parser = whole,
        allow_hyphen_values = true
    )]
    pub(in crate::command) max_iterations: u64,
    /// Encode colours with the sRGB transfer function (PNG only)
    #[arg(long)]
    pub(in crate::command) srgb: bool,
    /// Bits of a sample (PNG only); by default 8
    #[arg(long, value_name = "BITS", value_parser = ["8", "16"])]
    pub(in crate::command) depth: Option<String>,
}

impl PictureArguments {
    /// What a frame is computed from; the uniforms have their defaults.
    pub(in crate::command) fn settings(&self, uniforms: &[Uniform]) -> Settings {
        let mut settings = Settings::with_uniforms(uniforms, self.size);
        settings.max_iterations = self.max_iterations;
        settings.inputs.time = self.time;
        settings.inputs.frame = self.frame;
        settings.inputs.mouse = self.mouse.unwrap_or_default();
        settings
    }
}
