//! Triangles on a Vulkan device: both stages of a program in one module, and the vertices of a draw.

use crate::draw_inputs::DrawInputs;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::{AttributeRate, Core, Triangles};
use lambdav_core::interface::{Interface, LocationSource};
use lambdav_core::resource::Bound;
use lambdav_core::schedule::Program;
use lambdav_core::state::State;
use lambdav_core::triangles::EntryPoints;
use lambdav_core::types::Scalar;
use lambdav_gpu::{Attribute, Error, Indices, Job, Prepared};
use lambdav_spirv_backend::emit::{EmitError, EmitOptions, EmittedModule, emit_stages};

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

/// The module of both stages for the outputs at these locations, and the fragment stage's program.
pub(super) fn emitted(
    core: &Core,
    triangles: &Triangles,
    locations: &[u32],
    options: &EmitOptions,
) -> Result<(Result<EmittedModule, EmitError>, Program, Stages), Diagnostic> {
    let stages = EntryPoints::new(core, triangles, locations);
    let [vertex, fragment] = stages.schedule()?;
    let module = emit_stages([&vertex, &fragment], None, options, &stages.interfaces);
    let entry_points = stages.interfaces.each_ref().map(|of| of.entry_point.name.clone());
    let [vertex, _] = stages.interfaces;
    Ok((module, fragment, Stages { vertex, entry_points, state: triangles.state }))
}

impl Stages {
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
