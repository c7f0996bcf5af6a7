//! Options of `render`.

use super::sequence::{Frames, Moment, frames, frames_per_second};
use crate::engines::{EngineName, check_iterations};
use crate::failure::{Failure, Result};
use crate::gpu::GpuArguments;
use crate::meshes::MeshArgument;
use crate::messages::{MessageFormat, Messages};
use crate::module::ModuleArguments;
use crate::undefined::UndefinedBehaviour;
use crate::unit::{Unit, parse_any};
use crate::values::{Outputs, date, lanes, mouse, outputs, seconds, target, threads, whole};
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
    /// A shader in λV, GLSL or WGSL, core text or a SPIR-V module; `-` is standard input
    pub(super) shader: PathBuf,
    /// Image file; its name ends in .png, .exr (32-bit float) or .npy (float32, H×W×4); `-` is standard
    /// output. With --frames the name contains the place of the number, as in out-%04d.png
    #[arg(value_name = "OUT", required_unless_present = "file", conflicts_with = "file")]
    out: Option<PathBuf>,
    /// Image file, in place of OUT
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) samples: SampleArguments,
    /// Compile the program for the given values of uniforms and the sizes of textures and buffers. The
    /// image does not depend on it
    #[arg(long)]
    pub(super) specialise: bool,
    /// Engine that computes the pixels; by default simd, or core for a program that exceeds the limits
    /// of simd. The image does not depend on it, except for --native and --flush-subnormals
    #[arg(long, value_enum)]
    pub(super) engine: Option<EngineName>,
    #[command(flatten)]
    pub(super) gpu: GpuArguments,
    /// Pixels that the engine `simd` computes together: 1, 4, 8, 16, 32 or 64; by default chosen by
    /// cost. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    pub(super) lanes: Option<u32>,
    /// Instruction set for the engine `simd`: baseline, avx2, avx512-256 or avx512; by default the
    /// widest registers of this machine. The image does not depend on it
    #[arg(long, value_name = "TARGET", value_parser = target)]
    pub(super) target: Option<&'static str>,
    /// Worker threads; by default all cores. The image does not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub(super) threads: Option<NonZeroUsize>,
    /// Seconds from reading the shader to the finished image, and in a sequence from one image to the
    /// next; after that, exit status 3
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "600",
        value_parser = seconds,
        allow_hyphen_values = true
    )]
    pub(super) timeout: Duration,
    /// Format, if the name does not imply it (it cannot contradict the name): png, exr or npy. Or the
    /// pixel layout of frames without a header, as video encoders take them: rgb8, rgba8, rgb16,
    /// rgba16, rgb32f or rgba32f, little-endian (in ffmpeg rgb24, rgba, rgb48le, rgba64le, rgbf32le and
    /// rgbaf32le)
    #[arg(long, value_name = "FORMAT", value_parser = picture_format)]
    pub(super) format: Option<PictureFormat>,
    /// Draw a sequence: frames A to B, without B (with B: A..=B). `(frame)` is the number of the frame,
    /// `(time)` is --time plus frame / fps. Each frame has its own file; on standard output, frames
    /// follow one another
    #[arg(long, value_name = "A..B", value_parser = frames, conflicts_with = "frame", allow_hyphen_values = true)]
    pub(super) frames: Option<Frames>,
    /// Frames per second of a sequence: a number, or a ratio such as 30000/1001
    #[arg(
        long,
        value_name = "N",
        default_value = "30",
        value_parser = frames_per_second,
        requires = "frames",
        allow_hyphen_values = true
    )]
    pub(super) fps: f64,
    /// In a sequence: bind each frame to this texture of the program for the next one, with the exact
    /// numbers of the output, whatever the file format. For the first frame the texture holds the file
    /// of --bind, which has the size of the frames, or zeros
    #[arg(long, value_name = "NAME", requires = "frames")]
    pub(super) feedback: Option<String>,
    /// Omit the image's metadata, which `inspect` shows: versions, a digest of the program, output,
    /// time and the values of uniforms
    #[arg(long)]
    pub(super) no_metadata: bool,
    /// What is done about undefined behaviour, such as a division by 0: nothing; `report` prints a line for each place
    /// of the text that meets any; `error` does so, and a picture with any is not written; `paint` draws its pixels in
    /// magenta
    #[arg(long, value_enum, default_value = "ignore")]
    pub(super) undefined: UndefinedBehaviour,
    /// Print the messages of a unit, by `(probe "name" e)` in λV and `debugPrintfEXT` in GLSL and SPIR-V: a pixel X,Y from
    /// the upper left; `vertex:N` or `vertex:N:INSTANCE`; `id:X[,Y[,Z]]` or `id:X:PASS`, an id of a pass. May be given
    /// more than once
    #[arg(long, value_name = "UNIT", value_parser = parse_any)]
    pub(super) probe: Vec<Unit>,
    /// Print statistics to standard error: the time of each stage, the compiled code, the number of
    /// lanes and its reason, and the share of active lanes in a sample of the image; --stats=json
    /// prints one object to standard output
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(super) stats: Option<MessageFormat>,
    /// Draw again whenever the program, a file that it includes, or the file of uniforms changes, until
    /// interrupted; errors do not end it
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(super) messages: Messages,
}

/// Output format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    /// Image file of that format.
    File(Format),
    /// Samples alone, without a header.
    Raw(RawLayout),
}

fn picture_format(text: &str) -> Result<PictureFormat, String> {
    let raw = text.parse().map(PictureFormat::Raw);
    raw.or_else(|()| text.parse().map(PictureFormat::File))
        .map_err(|error: FormatError| format!("{error}, and, without a header, {}", raw::names()))
}

impl RenderArguments {
    /// Target of the image.
    pub(super) fn out(&self) -> &Path {
        // clap requires one of the two.
        self.out.as_ref().or(self.file.as_ref()).map_or(Path::new("-"), PathBuf::as_path)
    }

    /// True if each output has its own file.
    pub(super) fn has_all_outputs(&self) -> bool {
        self.picture.output == Some(Outputs::All)
    }

    /// Moments of the pictures, in order.
    pub(super) fn moments(&self) -> Vec<Moment> {
        let PictureArguments { time, frame, .. } = self.picture;
        match self.frames {
            Some(frames) => frames.moments(time, self.fps),
            None => vec![Moment { number: None, time, frame }],
        }
    }
}

/// Content of a picture, for any engine
#[derive(Args, Clone, Debug)]
pub(crate) struct PictureArguments {
    /// Location of an output, or `all`, each in its own file OUT.LOC.png; by default 0, or the lowest
    /// location
    #[arg(long, value_name = "LOC", value_parser = outputs, allow_hyphen_values = true)]
    pub(crate) output: Option<Outputs>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "512x512", allow_hyphen_values = true)]
    pub(crate) size: Size,
    /// Value of `(time)`, in seconds
    #[arg(long, value_name = "T", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(crate) time: f32,
    /// Value of `(frame)`
    #[arg(long, value_name = "N", default_value = "0", value_parser = number, allow_hyphen_values = true)]
    pub(crate) frame: f32,
    /// Value of `(mouse)`; by default all zero
    #[arg(long, value_name = "X,Y,Z,W", value_parser = mouse, allow_hyphen_values = true)]
    pub(crate) mouse: Option<[f32; 4]>,
    /// For a SPIR-V module, WGSL and GLSL: the value of uniforms called `iDate`, `u_date` or `DATE`; by
    /// default all zero. Shadertoy counts months from 0, ISF from 1
    #[arg(
        long,
        value_name = "YEAR,MONTH,DAY,SECONDS",
        value_parser = date,
        allow_hyphen_values = true
    )]
    pub(crate) date: Option<[f32; 4]>,
    /// Set a uniform, or a part of one, such as `light.power`, `kernel[1]` or `lights[0].at.x`: its
    /// components in order (of a matrix, by columns), or one number for all components of a vector;
    /// true or false, or 1 or 0; JSON for a structure or array, as in `light={"power": 2}`. May be
    /// given more than once; an unset uniform keeps the program's default, which is zero for a module
    /// unless its text says otherwise
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Set uniforms from a JSON file that holds one object, as in `{"gain": 2, "light": {"power": 3},
    /// "kernel[1]": 4}`. Values of --set override it
    #[arg(long, value_name = "FILE")]
    pub(crate) uniforms: Option<PathBuf>,
    /// Bind a file to a texture or buffer of the program. A texture takes an image: PNG, JPEG, WebP,
    /// TIFF, QOI, HDR, OpenEXR, NPY and others. A buffer takes an array: NPY, or a JSON list of
    /// elements. May be given more than once; each texture and buffer needs a file, except that `render`
    /// gives a texture of GLSL without one a labelled test card. FILE:flip turns an image: its last row
    /// comes first. FILE:as-is takes it as it is, also a file whose own name ends in `:flip`
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) bind: Vec<String>,
    /// Most iterations (`rec`) of a loop, each time that it is entered; more is error LV0504
    #[arg(
        long,
        value_name = "N",
        default_value_t = limits::ITERATIONS,
        value_parser = whole,
        allow_hyphen_values = true
    )]
    pub(crate) max_iterations: u64,
    /// Draw a mesh, glTF or OBJ, with a program that has a position; FILE#MATERIAL draws the triangles of
    /// that material. Images of its materials go to textures named MATERIAL-ROLE or ROLE, such as
    /// `wood-base-color` or `normal`
    #[arg(long, value_name = "FILE", conflicts_with = "vertices")]
    pub(crate) mesh: Option<String>,
    /// Set the uniforms `view` and `projection`, mat4, to those of a camera of the mesh
    #[arg(long, value_name = "NAME", requires = "mesh")]
    pub(crate) camera: Option<String>,
    /// Draw so many vertices, for a program that draws triangles and reads no mesh
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) vertices: Option<u32>,
    /// Draw so many instances of the vertices; by default 1, or as many as the attributes of instances
    /// have
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) instances: Option<u32>,
    #[command(flatten)]
    pub(crate) module: ModuleArguments,
}

/// A number of vertices or instances.
fn count(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number from 1 on is needed".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Samples of a picture's file
#[derive(Args, Clone, Debug)]
pub(crate) struct SampleArguments {
    /// Encode colours with the sRGB transfer function (PNG only)
    #[arg(long)]
    pub(crate) srgb: bool,
    /// Bits of a sample (PNG only), 8 or 16; by default 8. Or a file for the depth buffer of triangles, .npy
    /// or .exr: an image whose red, green and blue are the depth of each pixel's first sample. May be given
    /// once for each
    #[arg(long, value_name = "BITS|FILE", value_parser = depth)]
    pub(crate) depth: Vec<DepthArgument>,
}

/// A value of `--depth`.
#[derive(Clone, Debug)]
pub(crate) enum DepthArgument {
    /// Bits of a sample: 8 or 16.
    Bits(u8),
    /// File for the depth buffer.
    File(PathBuf),
}

fn depth(text: &str) -> Result<DepthArgument, String> {
    match text {
        "8" => Ok(DepthArgument::Bits(8)),
        "16" => Ok(DepthArgument::Bits(16)),
        _ => match Format::from_path(Path::new(text)) {
            Ok(Format::Npy | Format::Exr) => Ok(DepthArgument::File(text.into())),
            _ => Err("give 8 or 16, the bits of a sample, or a file .npy or .exr".to_owned()),
        },
    }
}

impl SampleArguments {
    /// Bits of a sample, if they are given.
    pub(crate) fn bits(&self) -> Option<u8> {
        self.depth.iter().rev().find_map(|of| match of {
            DepthArgument::Bits(bits) => Some(*bits),
            DepthArgument::File(_) => None,
        })
    }

    /// File for the depth buffer, if one is given.
    pub(crate) fn depth_file(&self) -> Option<&PathBuf> {
        self.depth.iter().rev().find_map(|of| match of {
            DepthArgument::Bits(_) => None,
            DepthArgument::File(path) => Some(path),
        })
    }
}

impl PictureArguments {
    /// Rejects options that the engine does not support.
    pub(crate) fn check_engine(&self, engine: Option<EngineName>) -> Result {
        check_iterations(engine, self.max_iterations)
    }

    /// The mesh.
    pub(crate) fn mesh(&self) -> Option<MeshArgument> {
        self.mesh.as_deref().map(MeshArgument::read)
    }

    /// Adds time, frame, mouse, mesh and numbers of vertices and instances to the bindings.
    pub(crate) fn bindings(&self, mut bindings: Bindings) -> Result<Bindings> {
        bindings.time(self.time).frame(self.frame);
        bindings.mouse(self.mouse.unwrap_or_default()).date(self.date.unwrap_or_default());
        let given = [
            ("mesh", self.mesh.is_some()),
            ("vertices", self.vertices.is_some()),
            ("instances", self.instances.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given)
            && !bindings.draws_triangles()
        {
            let message =
                format!("--{option} is for a program with a `position`, and this has none");
            return Err(Failure::usage(message));
        }
        if let Some(count) = self.vertices {
            bindings.vertices(count);
        }
        if let Some(count) = self.instances {
            bindings.instances(count);
        }
        if let Some(mesh) = self.mesh() {
            mesh.apply(self.camera.as_deref(), self.size, &mut bindings)?;
        }
        Ok(bindings)
    }
}
