//! Scripts as read.

use super::data::Elements;
use super::value::{AmberRelation, AmberValue};
use lambdav_core::interface::Binding;
use lambdav_core::sampler::Sampler;
use lambdav_core::source::Span;
use lambdav_core::texture::Texels;
use lambdav_spirv::assemble::SpirvVersion;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fragment or compute shader.
#[derive(Clone, Debug)]
pub struct AmberShader {
    /// Place of the text in the script.
    pub text: Span,
    /// Its language.
    pub language: AmberLanguage,
}

impl AmberShader {
    /// The version to assemble of a shader in SPIR-V text; none in GLSL.
    pub fn version(&self) -> Option<SpirvVersion> {
        match self.language {
            AmberLanguage::Spirv(version) => Some(version),
            AmberLanguage::Glsl => None,
        }
    }
}

/// The language of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmberLanguage {
    /// SPIR-V text, with the version to assemble.
    Spirv(SpirvVersion),
    /// GLSL for Vulkan.
    Glsl,
}

/// A buffer of numbers.
#[derive(Clone, Debug)]
pub struct AmberBuffer {
    /// Its name.
    pub name: String,
    /// The bytes that it begins with.
    pub bytes: Arc<[u8]>,
    pub(super) elements: Elements,
}

/// A pipeline that runs a compute shader.
#[derive(Clone, Debug)]
pub struct AmberCompute {
    /// Index of the compute shader.
    pub shader: usize,
    /// Name of its entry point, if the script says it.
    pub entry_point: Option<String>,
    /// Bits of specialisation constants, by their ids.
    pub constants: BTreeMap<u32, u32>,
    /// The data of its shader.
    pub bound: AmberBindings,
}

/// The data of a pipeline's shader.
#[derive(Clone, Debug, Default)]
pub struct AmberBindings {
    /// Indices of buffers.
    pub buffers: BTreeMap<Binding, usize>,
    /// Images, perhaps combined with a sampler.
    pub textures: BTreeMap<Binding, AmberTexture>,
    /// Samplers apart from images.
    pub samplers: BTreeMap<Binding, Sampler>,
}

/// An image that a shader reads.
#[derive(Clone, Debug)]
pub struct AmberTexture {
    /// Its texels.
    pub texels: AmberTexels,
    /// The sampler that it is combined with.
    pub sampler: Option<Sampler>,
}

/// The texels of an image that a shader reads.
#[derive(Clone, Debug)]
pub enum AmberTexels {
    /// Those of a picture that a pipeline has drawn, by its name.
    Picture(String),
    /// Those of an image of the script, by its index.
    Image(usize),
}

/// An image with its texels.
#[derive(Clone, Debug)]
pub struct AmberImage {
    /// Its name.
    pub name: String,
    /// Columns, rows and slices.
    pub size: [u32; 3],
    /// The type of components.
    pub components: Texels,
    /// The bits of the components, row by row. A missing component is 0, a missing fourth one 1.
    pub texels: Arc<[[u32; 4]]>,
}

/// A pipeline that draws one picture.
#[derive(Clone, Debug)]
pub struct AmberPipeline {
    /// Index of the fragment shader.
    pub shader: usize,
    /// Bits of specialisation constants of the fragment shader, by their ids.
    pub constants: BTreeMap<u32, u32>,
    /// The data of its shader.
    pub bound: AmberBindings,
    /// Name of the picture that it draws into.
    pub target: String,
    /// Width and height.
    pub size: [u32; 2],
}

/// A command of a script.
#[derive(Clone, Debug)]
pub enum AmberCommand {
    /// Fills the picture of a pipeline with a colour.
    Clear {
        /// Index of the pipeline.
        pipeline: usize,
        /// The colour.
        colour: [f32; 4],
        /// Place of the command in the script.
        span: Span,
    },
    /// Draws the whole picture of a pipeline.
    Draw {
        /// Index of the pipeline.
        pipeline: usize,
        /// Place of the command in the script.
        span: Span,
    },
    /// Runs a compute pipeline.
    Dispatch {
        /// Index of the compute pipeline.
        pipeline: usize,
        /// Workgroups along each axis.
        groups: [u32; 3],
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects numbers in a buffer.
    ExpectNumbers {
        /// Index of the buffer.
        buffer: usize,
        /// The byte of each number.
        places: Vec<usize>,
        /// The relation to the expected numbers.
        relation: AmberRelation,
        /// The expected numbers.
        values: Vec<AmberValue>,
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects two equal buffers.
    ExpectSame {
        /// Indices of the buffers.
        buffers: [usize; 2],
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects a colour in a rectangle.
    ExpectColour {
        /// Name of the picture.
        picture: String,
        /// Upper left pixel of the rectangle.
        place: [u32; 2],
        /// Width and height.
        size: [u32; 2],
        /// Levels of red, green, blue and alpha; no alpha if it does not matter.
        colour: [Option<u8>; 4],
        /// Largest allowed difference of each channel, in levels.
        tolerance: [f32; 4],
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects two equal pictures.
    ExpectEqual {
        /// Names of the pictures.
        pictures: [String; 2],
        /// Place of the command in the script.
        span: Span,
    },
}

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Fragment and compute shaders.
    pub shaders: Vec<AmberShader>,
    /// Buffers of numbers.
    pub buffers: Vec<AmberBuffer>,
    /// Images with texels.
    pub images: Vec<AmberImage>,
    /// Pipelines that draw.
    pub pipelines: Vec<AmberPipeline>,
    /// Pipelines that run compute shaders.
    pub computes: Vec<AmberCompute>,
    /// Commands in order.
    pub commands: Vec<AmberCommand>,
}
