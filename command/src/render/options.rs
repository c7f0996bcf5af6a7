//! The options of `render`.

use super::sequence::{Frames, Moment, frames, frames_per_second};
use crate::engines::EngineName;
use crate::failure::{Failure, Result as Outcome};
use crate::gpu::GpuArguments;
use crate::messages::{MessageFormat, Messages};
use crate::module::ModuleArguments;
use crate::values::{Outputs, lanes, mouse, outputs, seconds, target, threads, whole};
use clap::Args;
use lambdav_core::limits;
use lambdav_engine::Bindings;
use lambdav_engine::settings::number;
use lambdav_image::Size;
use lambdav_image::file::raw::{self, RawLayout};
use lambdav_image::file::{Format, FormatError};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Render a program to an image file
#[derive(Args)]
pub(crate) struct RenderArguments {
    /// A shader, core text or a SPIR-V module; `-` is standard input
    pub(super) shader: PathBuf,
    /// The image, by its ending .png, .exr (32-bit float) or .npy (float32, H×W×4); `-` is
    /// standard output. With --frames it has a place for the number, as in out-%04d.png
    #[arg(value_name = "OUT", required_unless_present = "file", conflicts_with = "file")]
    out: Option<PathBuf>,
    /// The image, as OUT names it, too
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) samples: SampleArguments,
    /// Compiles the program for the values that the uniforms have, and for the sizes of textures and
    /// buffers: what they decide is decided once. The image does not depend on it
    #[arg(long)]
    pub(super) specialise: bool,
    /// What computes the pixels; by default simd, or core for a program that exceeds its limits.
    /// The image does not depend on it
    #[arg(long, value_enum)]
    pub(super) engine: Option<EngineName>,
    #[command(flatten)]
    pub(super) gpu: GpuArguments,
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
    /// How many seconds may pass until the image is there, once the shader is read, and of a sequence
    /// until the next one is; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    /// The format, where the name does not say it (it cannot say another): png, exr or npy; or of frames without a header, as
    /// encoders of videos take them, what a pixel is: rgb8, rgba8, rgb16, rgba16, rgb32f or rgba32f,
    /// little-endian (ffmpeg calls them rgb24, rgba, rgb48le, rgba64le, rgbf32le and rgbaf32le)
    #[arg(long, value_name = "FORMAT", value_parser = picture_format)]
    pub(super) format: Option<PictureFormat>,
    /// Draw a sequence: the frames A to B, without B (with it: A..=B). `(frame)` is the number, `(time)`
    /// that of --time and as many seconds as it is frames on. Each has a file of its own, or, on standard
    /// output, comes behind the last
    #[arg(long, value_name = "A..B", value_parser = frames, conflicts_with = "frame", allow_hyphen_values = true)]
    pub(super) frames: Option<Frames>,
    /// How many frames of a sequence are a second: a number, or a ratio such as 30000/1001
    #[arg(
        long,
        value_name = "N",
        default_value = "30",
        value_parser = frames_per_second,
        requires = "frames",
        allow_hyphen_values = true
    )]
    pub(super) fps: f64,
    /// Of a sequence: bind each frame to this texture of the program when the next one is drawn, with the
    /// exact numbers of the output, whatever is written. For the first frame it holds the file that --bind
    /// gives it, of the size of the frames, or else zeros
    #[arg(long, value_name = "NAME", requires = "frames")]
    pub(super) feedback: Option<String>,
    /// Leave out of the image what says how it was drawn: versions, a digest of the program, output, time
    /// and the values of uniforms, which `inspect` shows
    #[arg(long)]
    pub(super) no_metadata: bool,
    /// Say on standard error how long each part took, what was compiled, which lanes were chosen
    /// and why, and how many of them are active on average, by a sample of the image; --stats=json says it
    /// as one object on standard output
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(super) stats: Option<MessageFormat>,
    /// Draw again whenever the program, what it includes, or the file of uniforms changes, until it is
    /// interrupted; errors do not end it
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(super) messages: Messages,
}

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    /// As a file of that format.
    File(Format),
    /// As its samples alone.
    Raw(RawLayout),
}

fn picture_format(text: &str) -> Result<PictureFormat, String> {
    let raw = text.parse().map(PictureFormat::Raw);
    raw.or_else(|()| text.parse().map(PictureFormat::File))
        .map_err(|error: FormatError| format!("{error}, and, without a header, {}", raw::names()))
}

impl RenderArguments {
    /// Where the image goes.
    pub(super) fn out(&self) -> &Path {
        // One of them is there.
        self.out.as_ref().or(self.file.as_ref()).map_or(Path::new("-"), PathBuf::as_path)
    }

    /// Whether each output goes into a file of its own.
    pub(super) fn has_all_outputs(&self) -> bool {
        self.picture.output == Some(Outputs::All)
    }

    /// When the pictures are, in order.
    pub(super) fn moments(&self) -> Vec<Moment> {
        let PictureArguments { time, frame, .. } = self.picture;
        match self.frames {
            Some(frames) => frames.moments(time, self.fps),
            None => vec![Moment { number: None, time, frame }],
        }
    }
}

/// What a picture is of, whatever draws it
#[derive(Args, Clone, Debug)]
pub(crate) struct PictureArguments {
    /// Which output of the program, or `all`, each into a file OUT.LOC.png; by default 0, or the lowest
    /// that there is
    #[arg(long, value_name = "LOC", value_parser = outputs, allow_hyphen_values = true)]
    pub(crate) output: Option<Outputs>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "512x512", allow_hyphen_values = true)]
    pub(crate) size: Size,
    /// What `(time)` gives, in seconds
    #[arg(long, value_name = "T", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(crate) time: f32,
    /// What `(frame)` gives
    #[arg(long, value_name = "N", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(crate) frame: f32,
    /// What `(mouse)` gives; by default all zero
    #[arg(long, value_name = "X,Y,Z,W", value_parser = mouse, allow_hyphen_values = true)]
    pub(crate) mouse: Option<[f32; 4]>,
    /// Sets a uniform, or a part of one, such as `light.power`, `kernel[1]` or `lights[0].at.x`: its components
    /// in order (of a matrix, by columns) or one number for all of a
    /// vector; true or false, or 1 or 0; of a structure or array JSON, as in `light={"power": 2}`. Can be
    /// given several times; what is not set keeps the default of the program, which of a module is zero
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Sets the uniforms that a JSON file has the values of: one object, as in
    /// `{"gain": 2, "light": {"power": 3}, "kernel[1]": 4}`. What --set gives comes after it
    #[arg(long, value_name = "FILE")]
    pub(crate) uniforms: Option<PathBuf>,
    /// Binds a file to a texture or buffer of the program. To a texture, an image: PNG, JPEG, WebP, TIFF,
    /// QOI, HDR, OpenEXR, NPY and others. To a buffer, an array: NPY, or a list of elements in JSON. Can be
    /// given several times; each texture and buffer needs one
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) bind: Vec<String>,
    /// How many times each entry of a loop may go on with `rec`; more is error LV0504
    #[arg(
        long,
        value_name = "N",
        default_value_t = limits::ITERATIONS,
        value_parser = whole,
        allow_hyphen_values = true
    )]
    pub(crate) max_iterations: u64,
    #[command(flatten)]
    pub(crate) module: ModuleArguments,
}

/// What the samples of a picture are in a file
#[derive(Args, Clone, Debug)]
pub(crate) struct SampleArguments {
    /// Encode colours with the sRGB transfer function (PNG only)
    #[arg(long)]
    pub(crate) srgb: bool,
    /// Bits of a sample (PNG only); by default 8
    #[arg(long, value_name = "BITS", value_parser = ["8", "16"])]
    pub(crate) depth: Option<String>,
}

impl PictureArguments {
    /// Checks that the engine knows these.
    pub(crate) fn check_engine(&self, engine: Option<EngineName>) -> Outcome {
        if engine == Some(EngineName::Gpu) && self.max_iterations != limits::ITERATIONS {
            let message = "--max-iterations: a device counts no iterations; --timeout ends what takes too long";
            return Err(Failure::usage(message));
        }
        Ok(())
    }

    /// The same bindings with time, frame and mouse.
    pub(crate) fn bindings(&self, mut bindings: Bindings) -> Bindings {
        bindings.time(self.time).frame(self.frame).mouse(self.mouse.unwrap_or_default());
        bindings
    }
}
