//! What is asked for.

use lambdav_spirv_eval::{PUSH_CONSTANT_WORDS, Resources, SharedData};

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The words of a fragment shader.
    pub words: &'a [u32],
    /// The locations of the outputs that are wanted, each once; what else the shader writes is left out.
    pub outputs: &'a [u32],
    /// How many pixels a row has, and how many rows there are.
    pub size: [u32; 2],
    /// Where pixels are drawn, if not everywhere: a column and a row, and how many of each from there on. The
    /// others are cleared.
    pub only: Option<[u32; 4]>,
    /// The words of the colour that is cleared to.
    pub clear: [u32; 4],
    /// The block of push constants.
    pub push_constants: &'a [u32; PUSH_CONSTANT_WORDS],
    /// The uniform block.
    pub uniforms: &'a [u32],
    /// The data of textures and buffers, and their bindings.
    pub resources: &'a [(u32, SharedData)],
}

impl<'a> Job<'a> {
    /// All pixels, with a clear colour of zeros, push constants of zeros, and nothing bound.
    pub fn new(words: &'a [u32], outputs: &'a [u32], size: [u32; 2]) -> Self {
        let push_constants = &[0; PUSH_CONSTANT_WORDS];
        let (only, clear, uniforms, resources) = (None, [0; 4], &[], &[]);
        Self { words, outputs, size, only, clear, push_constants, uniforms, resources }
    }

    /// The same with these push constants, uniforms, textures and buffers.
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
