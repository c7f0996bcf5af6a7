//! A request to draw.

use ash::vk;
use lambdav_core::graph::AttributeRate;
use lambdav_core::sampler::Sampler;
use lambdav_core::state::State;
use lambdav_core::types::Scalar;
use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, Resources, SharedData};

/// A shader with its inputs, image size and outputs.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The words of a module: a fragment shader `main`, or both stages of `triangles`.
    pub words: &'a [u32],
    /// The triangles to draw; `None` draws the full screen.
    pub triangles: Option<Triangles<'a>>,
    /// The locations of the outputs to keep, each once; the shader's other outputs are dropped.
    pub outputs: &'a [u32],
    /// Columns and rows of pixels.
    pub size: [u32; 2],
    /// The part to draw, if not all: first column and row, number of columns and rows. Other pixels are
    /// cleared.
    pub only: Option<[u32; 4]>,
    /// The words of the clear colour.
    pub clear: [u32; 4],
    /// The block of push constants.
    pub push_constants: &'a [u32; PUSH_CONSTANT_WORDS],
    /// The uniform block.
    pub uniforms: &'a [u32],
    /// The data of textures and buffers, and their bindings.
    pub resources: &'a [(u32, SharedData)],
    /// The state of samplers by binding, and true for one that compares: for textures of a shader that samples natively. A module of
    /// ours needs none.
    pub samplers: &'a [(u32, Sampler, bool)],
    /// Binding and words of a storage buffer that fragments change ([`Prepared::read_changed`](crate::Prepared::read_changed)).
    pub changed: Option<(u32, &'a [u32])>,
}

impl<'a> Job<'a> {
    /// Draws the full screen, with a clear colour of zeros, push constants of zeros, and nothing bound.
    pub fn new(words: &'a [u32], outputs: &'a [u32], size: [u32; 2]) -> Self {
        let push_constants = &[0; PUSH_CONSTANT_WORDS];
        let (triangles, only, clear, uniforms, resources) = (None, None, [0; 4], &[], &[]);
        Self {
            words,
            triangles,
            outputs,
            size,
            only,
            clear,
            push_constants,
            uniforms,
            resources,
            samplers: &[],
            changed: None,
        }
    }

    /// The same job with these triangles, and the clear colour of their state.
    #[must_use]
    pub fn draw(self, triangles: Triangles<'a>) -> Self {
        let clear = triangles.state.clear.map(f32::to_bits);
        Self { triangles: Some(triangles), clear, ..self }
    }

    /// The stages that read resources and push constants.
    pub(super) fn stages(&self) -> vk::ShaderStageFlags {
        match self.triangles {
            Some(_) => vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
            None => vk::ShaderStageFlags::FRAGMENT,
        }
    }

    /// The same job with these push constants, uniforms, textures and buffers.
    #[must_use]
    pub fn with(self, resources: &'a Resources) -> Self {
        Self {
            push_constants: resources.push_constants(),
            uniforms: resources.uniforms(),
            resources: resources.resources(),
            ..self
        }
    }
}

/// A draw of triangles.
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    /// Names of the entry points of vertices and of fragments.
    pub entry_points: [&'a str; 2],
    /// Inputs of the vertex stage.
    pub attributes: &'a [Attribute<'a>],
    /// The vertices, in order.
    pub indices: Indices<'a>,
    /// Number of instances.
    pub instances: u32,
    /// The state; [`Job::clear`] replaces its clear colour.
    pub state: State,
    /// Keeps the depth for [`Prepared::read_depth`](crate::Prepared::read_depth).
    pub keeps_depth: bool,
}

/// The vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// Vertices 0 to n − 1.
    Count(u32),
    /// The vertices of these indices.
    List(&'a [u32]),
}

/// An input of the vertex stage, with its data.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// The first location.
    pub location: u32,
    /// Type of the components: floats or integers.
    pub scalar: Scalar,
    /// Components of a location, 1 to 4.
    pub width: u32,
    /// Number of locations, one after the other: the columns of a matrix, else 1.
    pub columns: u32,
    /// One element for each vertex or for each instance.
    pub rate: AttributeRate,
    /// The elements without gaps, columns in order.
    pub words: &'a [u32],
}

impl Attribute<'_> {
    /// Words of an element.
    pub(super) fn stride(&self) -> u32 {
        self.width.saturating_mul(self.columns)
    }
}

/// The bits of the pixels, row by row.
pub type PixelBits = Vec<[u32; 4]>;
