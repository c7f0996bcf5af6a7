//! A request to draw.

use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, Resources, SharedData};

/// A shader with its inputs, image size and outputs.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The words of a fragment shader.
    pub words: &'a [u32],
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
}

impl<'a> Job<'a> {
    /// Draws all pixels, with a clear colour of zeros, push constants of zeros, and nothing bound.
    pub fn new(words: &'a [u32], outputs: &'a [u32], size: [u32; 2]) -> Self {
        let push_constants = &[0; PUSH_CONSTANT_WORDS];
        let (only, clear, uniforms, resources) = (None, [0; 4], &[], &[]);
        Self { words, outputs, size, only, clear, push_constants, uniforms, resources }
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

/// The bits of the pixels, row by row.
pub type PixelBits = Vec<[u32; 4]>;
