//! Stages of programs that draw triangles, by the SPIR-V evaluator.

use super::super::evaluated_stages::{EvaluatedStage, NoResult, Role, StageEvaluator, StageInputs};
use super::super::fill;
use super::super::stage_values::{Fragment, Vertex, clamped};
use super::{Loops, SpirvError, diagnostic};
use crate::settings::Settings;
use lambdav_core::graph::{Core, Place, StageInput, Varying};
use lambdav_core::inputs::centre;
use lambdav_core::interface::{Interface, Stage};
use lambdav_core::triangles::{DEPTH, EntryPoints, POSITION};
use lambdav_core::types::{Type, Types};
use lambdav_frontend::reduction::StageValues;
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, emit_stages};
use lambdav_spirv_eval::{
    Invocation, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources,
};
use std::sync::Arc;

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

impl SpirvStages {
    /// Compiles the outputs at these locations, which must exist, to SPIR-V. Loops that depend on no input are
    /// evaluated, within `max_iterations` each.
    ///
    /// # Errors
    ///
    /// As for [`SpirvProgram::new`](super::SpirvProgram::new).
    ///
    /// # Panics
    ///
    /// If the program draws no triangles.
    pub fn new(
        core: &Core,
        locations: &[u32],
        options: &EmitOptions,
        max_iterations: u64,
    ) -> Result<Self, SpirvError> {
        let core = core.with_closed_loops_evaluated(max_iterations);
        let triangles = core.triangles.as_deref().expect("it draws triangles");
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

impl SpirvStages {
    /// The module of a role, and its loops.
    fn module(&self, role: &Role) -> (&Module, &Loops) {
        match (role, &self.test) {
            (Role::Vertices(_), _) => (&self.vertex, &self.loops),
            (Role::Test, Some((test, loops))) => (test, loops),
            _ => (&self.fragment, &self.loops),
        }
    }
}

/// Modules with the inputs of a stage.
pub(in super::super) struct SpirvInputs {
    stages: Arc<SpirvStages>,
    resources: Resources,
    max_iterations: u64,
}

impl SpirvInputs {
    pub(in super::super) fn new(stages: &Arc<SpirvStages>, settings: &Settings) -> Self {
        let of = stages.uniforms.iter().copied();
        let resources = Resources::new(&settings.inputs, &stages.types, of);
        let max_iterations = settings.max_iterations;
        Self { stages: Arc::clone(stages), resources, max_iterations }
    }
}

impl StageInputs for SpirvInputs {
    fn evaluator<'a>(&'a self, stage: &'a EvaluatedStage) -> Box<dyn StageEvaluator + 'a> {
        let (module, loops) = self.stages.module(&stage.role);
        let evaluator = ModuleEvaluator::new(module, &self.resources, self.max_iterations);
        Box::new(Evaluator { of: self, stage, module, loops, evaluator })
    }
}

struct Evaluator<'a> {
    of: &'a SpirvInputs,
    stage: &'a EvaluatedStage,
    module: &'a Module,
    loops: &'a Loops,
    evaluator: ModuleEvaluator<'a>,
}

impl Evaluator<'_> {
    fn run(
        &mut self,
        position: [f32; 2],
        inputs: &dyn Fn([f32; 2]) -> Invocation,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), NoResult> {
        let ended = self.evaluator.run_invocation(position, inputs, cancelled);
        ended.map_err(|fault| match fault {
            ModuleFault::Cancelled => NoResult::Cancelled,
            fault => {
                NoResult::Fault(diagnostic(fault, self.module, self.loops, self.of.max_iterations))
            }
        })
    }

    /// The output at a location, filled to four components.
    fn output(&self, location: u32) -> [f32; 4] {
        fill(self.evaluator.output(location).unwrap_or_default())
    }
}

impl StageEvaluator for Evaluator<'_> {
    fn vertex(
        &mut self,
        vertex: &Vertex<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult> {
        let locations = (0..).zip(&self.of.stages.interface.locations);
        let attributes = locations.filter_map(|(index, input)| {
            Some((input.location, vertex.value(StageInput::Attribute(index))?.1))
        });
        let invocation = Invocation {
            locations: attributes.collect(),
            vertex_index: vertex.vertex,
            instance_index: vertex.instance,
            ..Invocation::default()
        };
        self.run([0.5; 2], &|_| invocation.clone(), cancelled)?;
        let varyings = self.stage.varyings.iter().map(|&(index, _)| index);
        Ok([POSITION].into_iter().chain(varyings).map(|of| self.output(of)).collect())
    }

    fn fragment(
        &mut self,
        fragment: &Fragment<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult> {
        let inputs = |[x, y]: [f32; 2]| {
            let at = Fragment { x: x as u32, y: y as u32, ..*fragment };
            invocation(&at)
        };
        self.run([fragment.x, fragment.y].map(centre), &inputs, cancelled)?;
        let is_kept = !self.evaluator.is_discarded();
        Ok(match &self.stage.role {
            Role::Test if is_kept => {
                vec![[1.0, clamped(self.output(DEPTH)[0]), 0.0, 1.0]]
            }
            Role::Colours(locations, has_mask) if is_kept => {
                let all = locations.iter().map(|&location| self.output(location));
                all.chain(has_mask.then_some([1.0, 0.0, 0.0, 1.0])).collect()
            }
            _ => vec![[0.0; 4]; self.stage.attachments()],
        })
    }
}

/// The inputs of a fragment.
fn invocation(of: &Fragment<'_>) -> Invocation {
    let value = |input| of.value(input).map_or([].into(), |(_, words)| words);
    let word = |input| value(input).first().copied().unwrap_or(0);
    let number = |input| f32::from_bits(word(input));
    let varying =
        |&(index, _): &(u32, Varying)| (index, value(StageInput::Varying(index, Place::HERE)));
    let [depth, w] = [StageInput::Depth(Place::HERE), StageInput::W(Place::HERE)].map(number);
    let [x, y] = [of.x, of.y].map(centre);
    Invocation {
        frag_coord: [x, y, depth, w],
        locations: of.varyings.iter().map(varying).collect(),
        primitive_id: word(StageInput::PrimitiveIndex),
        is_front_facing: word(StageInput::FrontFacing) != 0,
        ..Invocation::default()
    }
}
