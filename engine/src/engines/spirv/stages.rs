//! Stages of programs that draw triangles, by the SPIR-V evaluator.

use super::super::source_stages::Role;
use super::super::stage_values::{Fragment, Vertex, clamped};
use super::super::{Sites, each_running, fill};
use super::{Loops, SpirvError, diagnostic};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::{Core, Place, StageInput, Triangles, Varying};
use lambdav_core::interface::{Interface, LocationSource, Stage};
use lambdav_core::triangles::{DEPTH, EntryPoints, POSITION};
use lambdav_core::types::{Type, Types};
use lambdav_frontend::reduction::StageValues;
use lambdav_raster::triangles::{VertexFault, VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, emit_stages};
use lambdav_spirv_eval::{
    Invocation, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The stages of a program that draws triangles, as modules for the SPIR-V evaluator.
#[derive(Debug)]
pub struct SpirvStages {
    vertex: Module,
    fragment: Module,
    /// A fragment stage without colours, of a program with a depth of its own.
    test: Option<(Module, Loops)>,
    loops: Loops,
    /// The interface of the vertex stage.
    interface: Interface,
    types: Types,
    /// Types of the uniforms.
    uniforms: Vec<Type>,
}

/// A stage of a program.
#[derive(Clone, Debug)]
pub(in super::super) struct SpirvStage {
    pub(in super::super) stages: Arc<SpirvStages>,
    pub(in super::super) role: Role,
    /// The varyings that fragments read, with their indices.
    pub(in super::super) varyings: Arc<[(u32, Varying)]>,
    /// Number of the program's own resources.
    pub(in super::super) resources: usize,
}

/// A stage with its inputs.
pub(in super::super) struct BoundSpirvStage {
    stage: SpirvStage,
    settings: Settings,
    resources: Resources,
    sites: Sites,
}

impl SpirvStages {
    /// Compiles the outputs at these locations, which must exist, to SPIR-V. Loops that depend on no input are
    /// evaluated, within `max_iterations` each.
    ///
    /// # Errors
    ///
    /// As for [`SpirvProgram::new`](super::SpirvProgram::new).
    pub fn new(
        core: &Core,
        triangles: &Triangles,
        locations: &[u32],
        options: &EmitOptions,
        max_iterations: u64,
    ) -> Result<Self, SpirvError> {
        let core = core.with_closed_loops_evaluated(max_iterations);
        let triangles = core.triangles.as_deref().unwrap_or(triangles);
        let emitted = |locations: &[u32]| {
            let stages = EntryPoints::new(&core, triangles, locations);
            let [vertex, fragment] = stages.schedule().map_err(SpirvError::Program)?;
            let emitted = emit_stages([&vertex, &fragment], None, options, &stages.interfaces)?;
            Ok::<_, SpirvError>((emitted, stages, fragment.types))
        };
        let (module, stages, types) = emitted(locations)?;
        let test = match triangles.depth {
            Some(_) => {
                let (module, ..) = emitted(&[])?;
                Some((loaded(&module, Stage::Fragment)?, Loops::Emitted(module)))
            }
            None => None,
        };
        let [interface, _] = stages.interfaces;
        Ok(Self {
            vertex: loaded(&module, Stage::Vertex)?,
            fragment: loaded(&module, Stage::Fragment)?,
            test,
            loops: Loops::Emitted(module),
            interface,
            types,
            uniforms: core.uniforms.iter().map(|uniform| uniform.ty).collect(),
        })
    }
}

fn loaded(module: &EmittedModule, stage: Stage) -> Result<Module, SpirvError> {
    let entry_point = Some(stage.to_string());
    let options = LoadOptions { stage, entry_point, ..LoadOptions::default() };
    Module::with_options(&module.words, &options).map_err(SpirvError::Load)
}

impl SpirvStage {
    pub(in super::super) fn bind(&self, settings: &Settings) -> BoundSpirvStage {
        let of = self.stages.uniforms.iter().copied();
        let resources = Resources::new(&settings.inputs, &self.stages.types, of);
        let (stage, settings) = (self.clone(), settings.clone());
        BoundSpirvStage { stage, settings, resources, sites: Sites::default() }
    }

    /// The module that is executed, and its loops.
    fn module(&self) -> (&Module, &Loops) {
        let SpirvStages { vertex, fragment, test, loops, .. } = &*self.stages;
        match (&self.role, test) {
            (Role::Vertices(_), _) => (vertex, loops),
            (Role::Test, Some((test, loops))) => (test, loops),
            _ => (fragment, loops),
        }
    }
}

impl BoundSpirvStage {
    pub(in super::super) fn site(&self, site: u32) -> Diagnostic {
        self.sites.get(site)
    }

    fn evaluator(&self) -> ModuleEvaluator<'_> {
        let (module, _) = self.stage.module();
        ModuleEvaluator::new(module, &self.resources, self.settings.max_iterations)
    }

    /// The number of a fault.
    fn number(&self, fault: ModuleFault) -> u32 {
        let (module, loops) = self.stage.module();
        let limit = self.settings.max_iterations;
        self.sites.number(diagnostic(fault, module, loops, limit))
    }

    /// The attachments of the fragment that was evaluated.
    fn attachments_of(&self, evaluator: &ModuleEvaluator<'_>) -> Vec<[f32; 4]> {
        let is_kept = !evaluator.is_discarded();
        match &self.stage.role {
            Role::Test if is_kept => {
                let depth = evaluator.output(DEPTH).map_or(0.0, |words| f32::from_bits(words[0]));
                vec![[1.0, clamped(depth), 0.0, 1.0]]
            }
            Role::Colours(locations, has_mask) if is_kept => {
                let colour = |location| fill(evaluator.output(location).unwrap_or_default());
                let all = locations.iter().copied().map(colour);
                all.chain(has_mask.then_some([1.0, 0.0, 0.0, 1.0])).collect()
            }
            _ => vec![[0.0; 4]; Kernel::attachments(self)],
        }
    }

    /// The inputs of the fragment with this centre.
    fn fragment(&self, words: &[u32], [x, y]: [f32; 2]) -> Invocation {
        let varyings = &self.stage.varyings;
        let of = Fragment { words, varyings, x: x as u32, y: y as u32 };
        let value = |input| of.value(input).map_or([].into(), |(_, words)| words);
        let number = |input| f32::from_bits(value(input).first().copied().unwrap_or(0));
        let word = |input| value(input).first().copied().unwrap_or(0);
        let varying =
            |&(index, _): &(u32, Varying)| (index, value(StageInput::Varying(index, Place::HERE)));
        let [depth, w] = [StageInput::Depth(Place::HERE), StageInput::W(Place::HERE)].map(number);
        Invocation {
            frag_coord: [x, y, depth, w],
            locations: varyings.iter().map(varying).collect(),
            primitive_id: word(StageInput::PrimitiveIndex),
            is_front_facing: word(StageInput::FrontFacing) != 0,
            ..Invocation::default()
        }
    }

    /// The inputs of a vertex.
    fn vertex(&self, of: &Vertex<'_>) -> Invocation {
        let attributes = (0..).zip(&self.stage.stages.interface.locations);
        let attributes = attributes
            .filter(|(_, input)| matches!(input.source, Ok(LocationSource::Attribute(_))))
            .filter_map(|(index, input)| {
                Some((input.location, of.value(StageInput::Attribute(index))?.1))
            });
        Invocation {
            locations: attributes.collect(),
            vertex_index: of.vertex,
            instance_index: of.instance,
            ..Invocation::default()
        }
    }
}

impl Kernel for BoundSpirvStage {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads and vertices")
    }

    fn attachments(&self) -> usize {
        self.stage.role.attachments(self.stage.varyings.len())
    }
}

impl QuadKernel for BoundSpirvStage {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let mut evaluator = self.evaluator();
        each_running(quads, |x, y, is_stored| {
            let centre = [x, y].map(lambdav_core::inputs::centre);
            let inputs = |at| self.fragment(primitive, at);
            let ended = evaluator.run_invocation(centre, &inputs, &|| !cancel.wants(x, y));
            ended.map_err(|fault| match fault {
                ModuleFault::Cancelled => Stop::Cancelled,
                fault => Fault { x, y, site: self.number(fault) }.into(),
            })?;
            if is_stored {
                for (attachment, &pixel) in self.attachments_of(&evaluator).iter().enumerate() {
                    pixels.store(attachment, x, y, pixel);
                }
            }
            Ok(())
        })
    }
}

impl VertexKernel for BoundSpirvStage {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let Role::Vertices(inputs) = &self.stage.role else {
            unreachable!("fragments are no vertices")
        };
        let data = &self.settings.inputs.resources[self.stage.resources..];
        let mut evaluator = self.evaluator();
        for (number, &[vertex, instance]) in items.iter().enumerate() {
            let of = Vertex { vertex, instance, inputs, data };
            let cancelled = || frontier.load(Ordering::Relaxed) == 0;
            let ended = evaluator.run_invocation([0.5; 2], &|_| self.vertex(&of), &cancelled);
            ended.map_err(|fault| match fault {
                ModuleFault::Cancelled => VertexStop::Cancelled,
                fault => {
                    let site = self.number(fault);
                    VertexStop::Fault(VertexFault { instance, vertex, site })
                }
            })?;
            let varyings = self.stage.varyings.iter().map(|&(index, _)| index);
            for (attachment, location) in [POSITION].into_iter().chain(varyings).enumerate() {
                let words = evaluator.output(location).unwrap_or_default();
                results[attachment * items.len() + number] = fill(words);
            }
        }
        Ok(())
    }

    fn attachments(&self) -> usize {
        Kernel::attachments(self)
    }
}
