//! The stages as two entry points of a module, which name their stage inputs.

use super::fragment::clamped;
use crate::diagnostics::Diagnostic;
use crate::graph::{Core, Output, Triangles};
use crate::interface::{EntryPoint, Interface, LocationInput, LocationSource, Stage};
use crate::schedule::{Program, schedule};
use crate::source::Span;
use lambdav_float_environment::with_default;

/// The location of the position, an output of the vertex stage. No output of a module has it.
pub const POSITION: u32 = u32::MAX - 1;
/// The location of the fragment's own depth, an output of the fragment stage.
pub const DEPTH: u32 = u32::MAX - 2;
/// The location of the condition under which a fragment is discarded, an output of the fragment stage.
pub const DISCARD: u32 = u32::MAX - 3;

/// The two stages of a program that draws triangles, for some of its outputs.
///
/// Stage inputs stay as they are; the rasterizer between the stages is that of whoever executes them. Both
/// stages have the uniforms and the resources of the whole program.
#[derive(Clone, Debug)]
pub struct EntryPoints {
    /// Its outputs are the varyings that fragments use, each at the location of its index, and the position at
    /// [`POSITION`].
    pub vertex: Core,
    /// Its outputs are those that were asked for; the depth, clamped, at [`DEPTH`]; and the condition of
    /// `discard-if`, a `bool`, at [`DISCARD`]; if the program has these.
    pub fragment: Core,
    /// The interfaces of the vertex stage, `vertex`, and of the fragment stage, `fragment`.
    pub interfaces: [Interface; 2],
}

impl EntryPoints {
    /// The stages of a program that draws triangles, for its outputs at these locations.
    pub fn new(core: &Core, triangles: &Triangles, locations: &[u32]) -> Self {
        with_default(|| {
            let fragment = fragment(core, triangles, locations);
            let read = triangles.used(core, locations);
            let vertex = vertex(core, triangles, &read);
            let interfaces = [
                interface_of_vertices(&vertex, triangles),
                interface_of_fragments(&fragment, triangles, &read),
            ];
            Self { vertex, fragment, interfaces }
        })
    }

    /// Both stages, scheduled.
    ///
    /// # Errors
    ///
    /// As for [`schedule`](fn@schedule).
    pub fn schedule(&self) -> Result<[Program; 2], Diagnostic> {
        let scheduled = |stage: &Core| {
            let locations: Vec<u32> = stage.outputs.iter().map(|output| output.location).collect();
            schedule(stage, &locations)
        };
        Ok([scheduled(&self.vertex)?, scheduled(&self.fragment)?])
    }
}

/// The first location of each attribute. A `mat4` has one for each column.
fn attribute_locations(triangles: &Triangles) -> impl Iterator<Item = u32> {
    triangles.attributes.iter().scan(0, |next, attribute| {
        let location = *next;
        *next += if attribute.ty.width().is_some() { 1 } else { 4 };
        Some(location)
    })
}

fn vertex(core: &Core, triangles: &Triangles, read: &[u32]) -> Core {
    let mut outputs: Vec<Output> = read
        .iter()
        .map(|&index| {
            let varying = &triangles.varyings[index as usize];
            Output { location: index, node: varying.node, span: varying.span }
        })
        .collect();
    let node = triangles.position;
    outputs.push(Output { location: POSITION, node, span: core.graph.span(node) });
    let (graph, uniforms) = (core.graph.clone(), core.uniforms.clone());
    Core { graph, outputs, uniforms, ..Core::default() }
}

fn fragment(core: &Core, triangles: &Triangles, locations: &[u32]) -> Core {
    let asked = core.outputs.iter().filter(|output| locations.contains(&output.location));
    let (graph, uniforms) = (core.graph.clone(), core.uniforms.clone());
    let outputs = asked.copied().collect();
    let mut fragment = Core { graph, outputs, uniforms, ..Core::default() };
    if let Some(condition) = triangles.discard {
        fragment.discard_if(condition, triangles.state.clear, Span::default());
    }
    if let Some(depth) = triangles.depth {
        let (graph, span) = (&mut fragment.graph, core.graph.span(depth));
        let mut node = clamped(graph, depth, span);
        if let Some(condition) = triangles.discard {
            let zero = graph.number(0.0, span);
            node = graph.if_([condition, zero, node], span);
        }
        fragment.outputs.push(Output { location: DEPTH, node, span });
    }
    // Outputs that are equal where a fragment is discarded do not choose by the condition.
    if let Some(node) = triangles.discard {
        fragment.outputs.push(Output { location: DISCARD, node, span: core.graph.span(node) });
    }
    fragment
}

fn interface_of_vertices(vertex: &Core, triangles: &Triangles) -> Interface {
    let mut interface = Interface::of(vertex);
    interface.entry_point = EntryPoint::new("vertex", Stage::Vertex);
    let attributes = triangles.attributes.iter().zip(attribute_locations(triangles));
    let inputs = attributes.map(|(attribute, location)| LocationInput {
        location,
        name: attribute.name.clone(),
        ty: attribute.ty,
        source: Ok(LocationSource::Attribute(attribute.rate)),
    });
    interface.locations = inputs.collect();
    for output in interface.outputs.iter_mut().filter(|output| output.location != POSITION) {
        output.name.clone_from(&triangles.varyings[output.location as usize].name);
    }
    interface
}

fn interface_of_fragments(fragment: &Core, triangles: &Triangles, read: &[u32]) -> Interface {
    let mut interface = Interface::of(fragment);
    interface.outputs.retain(|output| output.location != DISCARD);
    interface.entry_point = EntryPoint::new("fragment", Stage::Fragment);
    let inputs = read.iter().map(|&location| {
        let varying = &triangles.varyings[location as usize];
        LocationInput {
            location,
            name: varying.name.clone(),
            ty: varying.ty,
            source: Ok(LocationSource::Varying(varying.interpolation)),
        }
    });
    interface.locations = inputs.collect();
    interface
}
