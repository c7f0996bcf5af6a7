//! Both stages of a pipeline: a vertex and a fragment entry point, raised to one program that draws triangles.
//!
//! The stages share a graph, uniforms and resources. An output of the vertex stage is a varying, which the
//! fragment stage reads as a stage input. SPIR-V says nothing of the pipeline's state and of the attributes of
//! instances: the caller does.

use super::outside::Outside;
use super::raiser::{Link, Raiser};
use super::{StageRoots, entry_point, used};
use crate::error::{RaiseError, Result};
use crate::flow::Flow;
use crate::module::{Module, Variable};
use crate::options::{RaiseOptions, StageOptions};
use crate::structure::{FunctionFacts, analyse};
use lambdav_core::graph::{
    Attribute, AttributeRate, Core, Interpolation, NodeId, Place, Readers, StageInput, Triangles,
    Varying,
};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{Interface, LocationInput, LocationSource, Stage, StageOutput};
use lambdav_core::op::Op;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::triangles::{DEPTH, POSITION};
use lambdav_core::types::Type;
use rspirv::spirv::{BuiltIn, Decoration, StorageClass};
use rustc_hash::FxHashMap;

/// Raises a vertex and a fragment entry point of a module.
pub(crate) fn raise_stages<'m>(
    module: &'m Module<'_>,
    source: &'m SourceFile,
    options: &'m StageOptions,
) -> Result<(Core, [Interface; 2])> {
    let [vertex, fragment] = [(0, Stage::Vertex), (1, Stage::Fragment)]
        .map(|(k, stage)| entry_point(module, stage, options.entry_points[k].as_deref()));
    let entries = [vertex?, fragment?];
    let facts = [analyse(module, entries[0].function)?, analyse(module, entries[1].function)?];
    let used = [0, 1].map(|k| used(module, entries[k], &facts[k]));
    let mut raiser = Raiser::new(module, source, &facts[0], Stage::Vertex);
    raiser.has_levels = facts.iter().any(|facts| {
        raiser.facts = facts;
        raiser.asks_for_levels()
    });
    raiser.facts = &facts[0];
    let mut outside = Outside::default();
    raiser.reserve_names(&used[0].union(&used[1]).copied().collect(), &mut outside);
    let of_stage = RaiseOptions { images: options.images.clone(), ..RaiseOptions::default() };
    raiser.pipeline = Some(Link { instanced: &options.instanced, written: Vec::new() });
    let raised = raiser.raise_stage(entries[0], &used[0], &of_stage, &mut outside)?;
    let Some(position) = raised.outputs.iter().find(|of| of.location == POSITION) else {
        return Err(RaiseError::unsupported("a vertex entry point that writes no position"));
    };
    let position = position.node;
    let written: Vec<(u32, NodeId)> = raised
        .outputs
        .iter()
        .filter(|of| of.location != POSITION)
        .map(|of| (of.location, of.node))
        .collect();
    let mut of_vertices = outside.end_stage();
    raiser.describe(entries[0], &used[0], &mut of_vertices);
    of_vertices.images = options.images.clone();

    raiser.begin_fragments(&facts[1], &written);
    let raised = raiser.raise_stage(entries[1], &used[1], &of_stage, &mut outside)?;
    let StageRoots { mut outputs, discarded, .. } = raised;
    let depth = outputs.pop_if(|of| of.location == DEPTH).map(|of| of.node);
    let mut of_fragments = outside.end_stage();
    raiser.describe(entries[1], &used[1], &mut of_fragments);
    of_fragments.images = options.images.clone();

    let varyings = written.iter().map(|&(location, node)| {
        let named = of_vertices.outputs.iter().find(|of| of.location == location);
        let source = of_fragments.location(location).map(|of| of.source);
        Varying {
            name: named.map(|of| of.name.clone()).unwrap_or_default(),
            ty: raiser.graph.value_type(node),
            interpolation: match source {
                Some(Ok(LocationSource::Varying(interpolation))) => interpolation,
                _ => Interpolation::Flat,
            },
            node,
            // The entry points do not tell: all that is written is used.
            readers: Readers {
                outputs: outputs.iter().map(|output| output.location).collect(),
                in_test: depth.is_some() || discarded.is_some(),
            },
            span: raiser.graph.span(node),
        }
    });
    let triangles = Triangles {
        attributes: std::mem::take(&mut outside.attributes),
        varyings: named_apart(varyings.collect()),
        position,
        depth,
        discard: discarded,
        state: options.state,
    };
    let (graph, uniforms) = (raiser.graph, outside.uniforms);
    let triangles = Some(Box::new(triangles));
    let core = Core { graph, uniforms, outputs, triangles, ..Core::default() };
    for interface in [&mut of_vertices, &mut of_fragments] {
        interface.inputs = core.inputs();
        interface.blocks.clone_from(&outside.interface.blocks);
        interface.resources.clone_from(&outside.interface.resources);
    }
    Ok((core, [of_vertices, of_fragments]))
}

/// Varyings whose names are unique: those without a name, or with that of one before, are named by number.
fn named_apart(mut varyings: Vec<Varying>) -> Vec<Varying> {
    for index in 0..varyings.len() {
        let name = &varyings[index].name;
        if name.is_empty() || varyings[..index].iter().any(|of| of.name == *name) {
            varyings[index].name = format!("varying.{index}");
        }
    }
    varyings
}

impl Outside {
    /// Ends a stage: returns the interface with its inputs and outputs, which are forgotten.
    fn end_stage(&mut self) -> Interface {
        let ended = self.interface.clone();
        self.interface.locations.clear();
        self.interface.outputs.clear();
        self.outputs.clear();
        self.demoted = None;
        ended
    }
}

impl<'m> Raiser<'m, '_> {
    /// Begins the fragment stage after the vertex stage, which wrote these varyings.
    fn begin_fragments(
        &mut self,
        facts: &'m FxHashMap<u32, FunctionFacts>,
        written: &[(u32, NodeId)],
    ) {
        (self.stage, self.facts) = (Stage::Fragment, facts);
        let types = written.iter().map(|&(location, node)| (location, self.type_of(node)));
        let types: Vec<(u32, Type)> = types.collect();
        self.pipeline.iter_mut().for_each(|link| link.written.clone_from(&types));
        let module = self.module;
        let is_own = |of: &&Variable| {
            let own = [StorageClass::Input, StorageClass::Output, StorageClass::Private];
            own.contains(&of.class)
        };
        for variable in module.variables.iter().filter(is_own) {
            self.globals.remove(&variable.id);
        }
        self.flow = Flow::default();
        self.frames.clear();
        self.tasks.clear();
    }

    /// Opens an output of a stage of a pipeline; false if it is a colour.
    pub(super) fn open_stage_output(
        &mut self,
        variable: &Variable,
        ty: Type,
        slot: usize,
        outside: &mut Outside,
    ) -> Result<bool> {
        let is_vertex = self.stage == Stage::Vertex;
        let built_in = match self.built_in(variable) {
            Some(BuiltIn::Position) if is_vertex => Some((POSITION, Type::vec(4))),
            Some(BuiltIn::FragDepth) if !is_vertex => Some((DEPTH, Type::NUM)),
            Some(other) => {
                return Err(RaiseError::unsupported(format!("the output {other:?}")));
            }
            None => None,
        };
        let location = match built_in {
            Some((location, wanted)) if wanted == ty => location,
            Some(_) => return Err(RaiseError::malformed("a built-in output of another type")),
            None if !is_vertex => return Ok(false),
            None => self.varying_location(variable, ty)?,
        };
        let name = self.module.name(variable.id).to_owned();
        outside.interface.outputs.push(StageOutput { location, name, ty });
        outside.outputs.push((location, slot));
        Ok(true)
    }

    /// The location of a varying that the vertex stage writes.
    fn varying_location(&self, variable: &Variable, ty: Type) -> Result<u32> {
        let Some(location) = self.module.decorated(variable.id, Decoration::Location) else {
            return Err(RaiseError::unsupported("an output without a location"));
        };
        if self.module.decorated(variable.id, Decoration::Component).unwrap_or(0) != 0 {
            return Err(RaiseError::unsupported("outputs that share a location"));
        }
        if !Varying::fits(ty) {
            let name = self.graph.types().name(ty).to_string();
            return Err(RaiseError::unsupported(format!("an output of the type {name}")));
        }
        Ok(location)
    }

    /// Opens an input of a stage of a pipeline; `None` if it is that of a full-screen program.
    pub(super) fn open_stage_input(
        &mut self,
        variable: &Variable,
        ty: Type,
        outside: &mut Outside,
    ) -> Result<Option<NodeId>> {
        let is_vertex = self.stage == Stage::Vertex;
        let built_in = match self.built_in(variable) {
            Some(BuiltIn::VertexIndex) if is_vertex => Some(StageInput::VertexIndex),
            Some(BuiltIn::InstanceIndex) if is_vertex => Some(StageInput::InstanceIndex),
            Some(BuiltIn::FrontFacing) if !is_vertex => Some(StageInput::FrontFacing),
            Some(BuiltIn::PrimitiveId) if !is_vertex => Some(StageInput::PrimitiveIndex),
            Some(BuiltIn::FragCoord) if !is_vertex => return self.coordinates().map(Some),
            Some(other) if is_vertex => {
                return Err(RaiseError::unsupported(format!("the input {other:?}")));
            }
            Some(_) => return Ok(None),
            None => None,
        };
        if let Some(input) = built_in {
            let node = self.graph.stage_input(input, input.ty(&[], &[]), self.span);
            return self.of_type(node, ty).map(Some);
        }
        let Some(location) = self.module.decorated(variable.id, Decoration::Location) else {
            return Err(RaiseError::unsupported("an input without a location"));
        };
        if self.module.decorated(variable.id, Decoration::Component).unwrap_or(0) != 0 {
            return Err(RaiseError::unsupported("inputs that share a location"));
        }
        let name = self.module.name(variable.id).to_owned();
        let (input, source) = match is_vertex {
            true => self.attribute(location, &name, ty, outside)?,
            false => self.varying(variable, location, ty)?,
        };
        let input_name = match is_vertex {
            true => outside.attributes.last().map(|of| of.name.clone()).unwrap_or_default(),
            false => name,
        };
        let of = LocationInput { location, name: input_name, ty, source: Ok(source) };
        outside.interface.locations.push(of);
        Ok(Some(self.graph.stage_input(input, ty, self.span)))
    }

    /// The coordinates of a fragment: its centre, its depth and 1/w.
    fn coordinates(&mut self) -> Result<NodeId> {
        let position = self.graph.input(Input::FragCoord, self.span);
        let x = self.op(Op::Component(0), &[position])?;
        let y = self.op(Op::Component(1), &[position])?;
        let [depth, w] = [StageInput::Depth(Place::HERE), StageInput::W(Place::HERE)]
            .map(|input| self.graph.stage_input(input, Type::NUM, self.span));
        self.construct(Type::vec(4), vec![x, y, depth, w])
    }

    fn attribute(
        &self,
        location: u32,
        name: &str,
        ty: Type,
        outside: &mut Outside,
    ) -> Result<(StageInput, LocationSource)> {
        let is_instanced = |of: &Link<'_>| of.instanced.contains(&location);
        let rate = match self.pipeline.as_ref().is_some_and(is_instanced) || ty == Type::mat(4) {
            true => AttributeRate::Instance,
            false => AttributeRate::Vertex,
        };
        if !Attribute::fits(ty, rate) {
            let name = self.graph.types().name(ty).to_string();
            return Err(RaiseError::unsupported(format!("an attribute of the type {name}")));
        }
        let is_taken = |name: &str| outside.attributes.iter().any(|of| of.name == name);
        let name = match name.is_empty() || is_taken(name) {
            true => format!("input.{location}"),
            false => name.to_owned(),
        };
        let index = outside.attributes.len() as u32;
        outside.attributes.push(Attribute { name, ty, rate, span: Span::default() });
        Ok((StageInput::Attribute(index), LocationSource::Attribute(rate)))
    }

    fn varying(
        &self,
        variable: &Variable,
        location: u32,
        ty: Type,
    ) -> Result<(StageInput, LocationSource)> {
        let has = |decoration| self.module.decoration(variable.id, decoration).is_some();
        for decoration in [Decoration::Centroid, Decoration::Sample] {
            if has(decoration) {
                let what = format!("an input with the decoration {decoration:?}");
                return Err(RaiseError::unsupported(what));
            }
        }
        let interpolation = if has(Decoration::Flat) {
            Interpolation::Flat
        } else if has(Decoration::NoPerspective) {
            Interpolation::Linear
        } else {
            Interpolation::Perspective
        };
        if interpolation != Interpolation::Flat && !ty.is_num() {
            return Err(RaiseError::malformed("an input of integers that is not flat"));
        }
        let written = self.pipeline.as_ref().map_or(&[][..], |link| &link.written);
        match written.iter().position(|&(of, _)| of == location) {
            None => Err(RaiseError::unsupported(format!(
                "an input at location {location}, which the vertex stage does not write"
            ))),
            Some(index) if written[index].1 != ty => {
                let types = self.graph.types();
                let [found, wanted] = [written[index].1, ty].map(|ty| types.name(ty).to_string());
                Err(RaiseError::unsupported(format!(
                    "an input of type {wanted} at location {location}, where the vertex stage writes {found}"
                )))
            }
            Some(index) => {
                let input = StageInput::Varying(index as u32, Place::HERE);
                Ok((input, LocationSource::Varying(interpolation)))
            }
        }
    }
}
