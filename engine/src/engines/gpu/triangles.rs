//! Triangles on a Vulkan device: both stages of a program in one module, and the vertices of a draw.

use super::{Drawn, GpuEngine, GpuError, GpuProgram};
use crate::draw_inputs::DrawInputs;
use crate::settings::Settings;
use lambdav_core::graph::{AttributeRate, Core, Triangles};
use lambdav_core::interface::{Interface, LocationSource};
use lambdav_core::resource::Bound;
use lambdav_core::schedule::Program;
use lambdav_core::state::State;
use lambdav_core::triangles::EntryPoints;
use lambdav_core::types::Scalar;
use lambdav_gpu::{Attribute, Error, Indices, Job};
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, emit_stages};
use lambdav_spirv_eval::Resources;
use std::sync::Arc;

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
) -> Result<(EmittedModule, Program, Option<Stages>), GpuError> {
    let stages = EntryPoints::new(core, triangles, locations);
    let [vertex, fragment] = stages.schedule().map_err(GpuError::Program)?;
    let module = emit_stages([&vertex, &fragment], None, options, &stages.interfaces)?;
    let entry_points = stages.interfaces.each_ref().map(|of| of.entry_point.name.clone());
    let [vertex, _] = stages.interfaces;
    Ok((module, fragment, Some(Stages { vertex, entry_points, state: triangles.state })))
}

impl GpuProgram {
    /// Creates a kernel that draws triangles with these inputs; everything must be bound. With `keeps_depth`, it
    /// keeps the depth of the first sample of each pixel.
    pub(crate) fn bind_triangles(
        self: &Arc<Self>,
        settings: &Settings,
        inputs: &DrawInputs,
        triangles: &Triangles,
        keeps_depth: bool,
    ) -> GpuEngine {
        let instances = inputs.instance_count(triangles);
        let draw = Some(Vertices { inputs: inputs.clone(), instances, keeps_depth });
        GpuEngine { draw, ..self.bind(settings) }
    }

    /// Draws a picture of triangles. Its memory is not kept for the next one.
    pub(super) fn draw_triangles(
        &self,
        stages: &Stages,
        vertices: &Vertices,
        resources: &Resources,
        size: [u32; 2],
        patience: &dyn Fn() -> bool,
    ) -> Result<Drawn, Error> {
        let inputs = &vertices.inputs;
        let data: Vec<Bound> =
            (0..).take(stages.vertex.locations.len()).map(|k| inputs.attribute(k)).collect();
        let attributes = stages.vertex.locations.iter().zip(&data).filter_map(|(input, data)| {
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
            entry_points: stages.entry_points.each_ref().map(String::as_str),
            attributes: &attributes,
            indices: match inputs.indices() {
                Some(list) => Indices::List(list),
                None => Indices::Count(inputs.vertex_count()),
            },
            instances: vertices.instances,
            state: stages.state,
            keeps_depth: vertices.keeps_depth,
        };
        let outputs: Vec<u32> = self.locations.iter().copied().chain(self.report).collect();
        let job = Job::new(&self.words, &outputs, size).with(resources).draw(triangles);
        let mut prepared = self.device.prepare(&job, patience)?;
        let mut drawn = self.drawn(&mut prepared, size, patience)?;
        if vertices.keeps_depth {
            drawn.depths = Some(prepared.read_depth(patience)?);
        }
        Ok(drawn)
    }
}

impl GpuEngine {
    /// Copies the depths of the picture that was drawn, row by row.
    pub(crate) fn copy_depths(&self, to: &mut [f32]) {
        let state = self.state();
        let depths = state.drawn.as_ref().and_then(|drawn| drawn.depths.as_ref());
        let depths = depths.map_or(&[][..], |all| all);
        to.iter_mut().zip(depths).for_each(|(to, &bits)| *to = f32::from_bits(bits));
    }
}
