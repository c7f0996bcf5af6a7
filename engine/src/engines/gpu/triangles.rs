//! Triangles on a Vulkan device: both stages of a program in one module, and the vertices of a draw.

use crate::draw_inputs::DrawInputs;
use lambdav_core::graph::{AttributeRate, Triangles};
use lambdav_core::interface::{Interface, LocationSource};
use lambdav_core::resource::Bound;
use lambdav_core::state::State;
use lambdav_core::types::Scalar;
use lambdav_gpu::{Attribute, Error, Indices, Job, Prepared};

/// The stages of a program.
#[derive(Debug)]
pub(super) struct Stages {
    /// The interface of the vertex stage, whose locations are the attributes.
    vertex: Interface,
    /// The names of the entry points.
    entry_points: [String; 2],
    state: State,
}

/// The vertices and instances of a draw.
#[derive(Debug)]
pub(super) struct Vertices {
    inputs: DrawInputs,
    instances: u32,
    keeps_depth: bool,
}

impl Stages {
    /// The stages with these interfaces, drawn in this state.
    pub(super) fn new(interfaces: [Interface; 2], state: State) -> Self {
        let entry_points = interfaces.each_ref().map(|of| of.entry_point.name.clone());
        let [vertex, _] = interfaces;
        Self { vertex, entry_points, state }
    }

    /// Prepares a job of the module's words for these vertices.
    pub(super) fn prepare(
        &self,
        vertices: &Vertices,
        job: Job<'_>,
        prepare: impl FnOnce(&Job<'_>) -> Result<Prepared, Error>,
    ) -> Result<Prepared, Error> {
        let inputs = &vertices.inputs;
        let data: Vec<Bound> =
            (0..).take(self.vertex.locations.len()).map(|k| inputs.attribute(k)).collect();
        let attributes = self.vertex.locations.iter().zip(&data).filter_map(|(input, data)| {
            let (width, columns) = match input.ty.width() {
                Some(width) => (width, 1),
                None => (4, 4),
            };
            let rate = match input.source {
                Ok(LocationSource::Attribute(rate)) => rate,
                _ => AttributeRate::Vertex,
            };
            Some(Attribute {
                location: input.location,
                scalar: input.ty.scalar().unwrap_or(Scalar::F32),
                width: width.into(),
                columns,
                rate,
                words: data.buffer()?.words(),
            })
        });
        let attributes: Vec<Attribute<'_>> = attributes.collect();
        let triangles = lambdav_gpu::Triangles {
            entry_points: self.entry_points.each_ref().map(String::as_str),
            attributes: &attributes,
            indices: match inputs.indices() {
                Some(list) => Indices::List(list),
                None => Indices::Count(inputs.vertex_count()),
            },
            instances: vertices.instances,
            state: self.state,
            keeps_depth: vertices.keeps_depth,
        };
        prepare(&job.draw(triangles))
    }
}

impl Vertices {
    /// The vertices and instances of a draw; with `keeps_depth`, the depth of the first sample of each pixel is
    /// kept.
    pub(super) fn new(inputs: &DrawInputs, triangles: &Triangles, keeps_depth: bool) -> Self {
        let instances = inputs.instance_count(triangles);
        Self { inputs: inputs.clone(), instances, keeps_depth }
    }

    pub(super) fn keeps_depth(&self) -> bool {
        self.keeps_depth
    }
}
