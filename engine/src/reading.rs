//! Options for reading a program.

use crate::settings::UniformValue;
use lambdav_core::flat::PlacedExpression;
use lambdav_core::interface::{LocationSource, Stage};
use lambdav_core::limits;
use lambdav_core::sampler::{ImageOptions, Sampler};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Source of a location's input in a full-screen picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LocationInput {
    /// Position divided by size: (0, 0) at the upper left, (1, 1) at the lower right. Of programs whose origin is at
    /// the lower left, (0, 0) is there.
    Uv,
    /// Position in pixels, like `frag-coord`.
    Position,
}

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextLanguage {
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
    /// λV.
    Lv,
}

/// Options for reading texts in GLSL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlslOptions {
    /// The name of the dialect; by default the one that the text looks like.
    pub dialect: Option<String>,
    /// Macros and their replacements.
    pub defines: Vec<(String, String)>,
    /// Folders in which included files are searched, behind the folder of the file that includes.
    pub roots: Vec<PathBuf>,
    /// Whether the first row of a picture is the lowest one; by default what the dialect says.
    pub lower_left: Option<bool>,
}

/// Options for reading a program. Entry point, inputs and clear colour apply to SPIR-V, WGSL and GLSL.
#[derive(Clone, Debug)]
pub struct ShaderOptions {
    /// The stage of the entry point.
    pub(crate) stage: Stage,
    pub(crate) entry_point: Option<String>,
    pub(crate) clear: [f32; 4],
    /// Sources of inputs by location.
    pub(crate) locations: BTreeMap<u32, LocationSource>,
    pub(crate) constants: BTreeMap<String, UniformValue>,
    /// Bits of specialisation constants, by their ids.
    pub(crate) constant_ids: BTreeMap<u32, u32>,
    pub(crate) glsl: GlslOptions,
    /// Samplers, and textures with levels.
    pub(crate) images: ImageOptions,
    /// The language; by default that of the file's name, or the one that the text looks like.
    pub(crate) language: Option<TextLanguage>,
    /// An expression in place of the program's picture.
    pub(crate) expression: Option<PlacedExpression>,
    /// Most errors to report.
    pub(crate) errors: usize,
}

impl Default for ShaderOptions {
    fn default() -> Self {
        let (locations, constants) = (BTreeMap::new(), BTreeMap::new());
        let glsl = GlslOptions::default();
        let errors = limits::ERRORS;
        let clear = [0.0; 4];
        let stage = Stage::Fragment;
        Self {
            stage,
            entry_point: None,
            clear,
            locations,
            constants,
            constant_ids: BTreeMap::new(),
            glsl,
            images: ImageOptions::default(),
            language: None,
            expression: None,
            errors,
        }
    }
}

impl ShaderOptions {
    /// Reads a compute program, for [`Shader::compute_pipeline`](crate::Shader::compute_pipeline).
    #[must_use]
    pub fn compute(mut self) -> Self {
        self.stage = Stage::Compute;
        self
    }

    /// Sets bits of specialisation constants by their ids.
    #[must_use]
    #[doc(hidden)]
    pub fn constants_by_id(mut self, bits: &BTreeMap<u32, u32>) -> Self {
        self.constant_ids.extend(bits);
        self
    }

    /// Chooses the entry point of a module that has several of the stage.
    #[must_use]
    pub fn entry_point(mut self, name: impl Into<String>) -> Self {
        self.entry_point = Some(name.into());
        self
    }

    /// Chooses the source of a location's input. Other inputs are uniforms named `input.LOCATION`, by
    /// default zeros.
    #[must_use]
    pub fn input(mut self, location: u32, source: LocationInput) -> Self {
        let source = match source {
            LocationInput::Uv => LocationSource::Uv,
            LocationInput::Position => LocationSource::Position,
        };
        self.locations.insert(location, source);
        self
    }

    /// Sets the colour of discarded pixels; by default zeros.
    #[must_use]
    pub fn clear(mut self, colour: [f32; 4]) -> Self {
        self.clear = colour;
        self
    }

    /// Sets the state of a sampler: by its own name, that of the texture that it is combined with, or `SET.BINDING`. Other samplers
    /// are linear and clamp to the edge.
    #[must_use]
    pub fn sampler(mut self, name: impl Into<String>, sampler: Sampler) -> Self {
        self.images.samplers.insert(name.into(), sampler);
        self
    }

    /// Gives a texture all its levels, which are made when an image is bound to it. Without this it has one, except in a
    /// program that asks for their number.
    #[must_use]
    pub fn mipmaps(mut self, name: impl Into<String>) -> Self {
        self.images.mipmaps.insert(name.into());
        self
    }

    /// Sets the number of elements of an array of textures that is declared without a length. By default it has one.
    #[must_use]
    pub fn texture_count(mut self, name: impl Into<String>, count: u32) -> Self {
        self.images.lengths.insert(name.into(), count);
        self
    }

    /// Sets the options of texts in GLSL.
    #[must_use]
    pub fn glsl(mut self, options: GlslOptions) -> Self {
        self.glsl = options;
        self
    }

    /// Sets the language of the text.
    #[must_use]
    pub fn language(mut self, language: TextLanguage) -> Self {
        self.language = Some(language);
        self
    }

    /// Sets a constant of λV, or a part of one, such as `light.power`.
    #[must_use]
    pub fn constant(mut self, name: impl Into<String>, value: impl Into<UniformValue>) -> Self {
        self.constants.insert(name.into(), value.into());
        self
    }
}
