//! Stages of programs that draw triangles, by the source evaluator.

use super::evaluated_stages::{EvaluatedStage, NoResult, Role, StageEvaluator, StageInputs};
use super::fill;
use super::source::explain_source;
use super::stage_values::{Fragment, Vertex, clamped};
use crate::settings::Settings;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::inputs::Inputs;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram, StageResult, StageValues};
use std::sync::Arc;

/// A shader text with the inputs of a stage.
pub(super) struct SourceInputs {
    pub(super) program: Arc<SourceProgram>,
    pub(super) settings: Settings,
}

impl StageInputs for SourceInputs {
    fn evaluator<'a>(&'a self, stage: &'a EvaluatedStage) -> Box<dyn StageEvaluator + 'a> {
        Box::new(Evaluator { of: self, stage })
    }
}

struct Evaluator<'a> {
    of: &'a SourceInputs,
    stage: &'a EvaluatedStage,
}

impl Evaluator<'_> {
    fn run(
        &self,
        result: StageResult,
        inputs: &Inputs,
        values: &dyn StageValues,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Box<[u32]>, NoResult> {
        let max_iterations = self.of.settings.max_iterations;
        let limits = Limits { max_iterations, ..Limits::default() };
        let found = self.of.program.run_stage(result, inputs, values, limits, cancelled);
        found.map_err(|fault| match fault {
            SourceFault::Pixel(EvaluationFault::Cancelled) => NoResult::Cancelled,
            fault => NoResult::Fault(explain_source(fault, max_iterations)),
        })
    }
}

impl StageEvaluator for Evaluator<'_> {
    fn vertex(
        &mut self,
        vertex: &Vertex<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult> {
        let varyings = self.stage.varyings.iter().map(|&(index, _)| StageResult::Varying(index));
        let inputs = &self.of.settings.inputs;
        let value = |result| Ok(fill(&self.run(result, inputs, vertex, cancelled)?));
        [StageResult::Position].into_iter().chain(varyings).map(value).collect()
    }

    fn fragment(
        &mut self,
        fragment: &Fragment<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult> {
        let inputs = self.of.settings.at(fragment.x, fragment.y);
        let run = |result| self.run(result, &inputs, fragment, cancelled);
        let is_discarded = || run(StageResult::Discard).map(|words| words[0] != 0);
        match &self.stage.role {
            Role::Vertices(_) => unreachable!("vertices are no fragments"),
            Role::Test if is_discarded()? => Ok(vec![[0.0; 4]]),
            Role::Test => {
                let depth = f32::from_bits(run(StageResult::Depth)?[0]);
                Ok(vec![[1.0, clamped(depth), 0.0, 1.0]])
            }
            Role::Colours(locations, has_mask) => {
                let mut all = Vec::new();
                if *has_mask && is_discarded()? {
                    all.resize(locations.len() + 1, [0.0; 4]);
                    return Ok(all);
                }
                for &location in locations {
                    all.push(fill(&run(StageResult::Output(location))?));
                }
                if *has_mask {
                    all.push([1.0, 0.0, 0.0, 1.0]);
                }
                Ok(all)
            }
        }
    }
}
