//! Options of the raise.

use lambdav_core::interface::{LocationSource, Stage};
use lambdav_core::sampler::ImageOptions;
use lambdav_core::state::State;
use lambdav_spirv::Guard;
use std::collections::{BTreeMap, BTreeSet};

/// Options of the raise.
#[derive(Clone, Debug, Default)]
pub struct RaiseOptions {
    /// The stage of the entry point: fragment or compute.
    pub stage: Stage,
    /// Name of the entry point; by default the only one of the stage, or else the one called `main`.
    pub entry_point: Option<String>,
    /// The colour that a discarded pixel keeps.
    pub clear: [f32; 4],
    /// Sources of inputs by location; other inputs are uniforms with default zero.
    pub locations: BTreeMap<u32, LocationSource>,
    /// Samplers, and textures with levels.
    pub images: ImageOptions,
    /// True if the words were made from a text: the numbers of words mean nothing to its author.
    pub is_text: bool,
    /// Makes probes of undefined behaviour ([`lambdav_core::probes`]).
    pub reports: Option<Reports>,
}

/// Options of probes.
#[derive(Clone, Debug)]
pub struct Reports {
    /// Names of operations.
    pub names: OperationNames,
    /// Instructions that are not reported under a condition.
    pub guards: Vec<Guard>,
}

/// Names of operations in reports of undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationNames {
    /// Those of SPIR-V, with result ids: `OpUDiv %27`.
    Instructions,
    /// Those of GLSL: `/`.
    Glsl,
    /// Those of WGSL. Results that WGSL defines are reported as defined.
    Wgsl,
}

/// Options of the raise of both stages of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct StageOptions {
    /// Names of the vertex and of the fragment entry point; by default the only one of the stage, or else the
    /// one called `main`.
    pub entry_points: [Option<String>; 2],
    /// Locations of attributes that have one value for each instance. A `mat4` always has.
    pub instanced: BTreeSet<u32>,
    /// The state of the pipeline.
    pub state: State,
    /// Samplers, and textures with levels.
    pub images: ImageOptions,
}
