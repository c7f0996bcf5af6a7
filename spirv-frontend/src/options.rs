//! Options of the raise.

use lambdav_core::interface::{LocationSource, Stage};
use lambdav_core::state::State;
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
    /// True if the words were made from a text: the numbers of words mean nothing to its author.
    pub is_text: bool,
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
}
