//! Stages of programs that draw triangles, by the source evaluator.

use super::source::explain_source;
use super::stage_values::{Fragment, Vertex, clamped};
use super::{Sites, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::Varying;
use lambdav_core::triangles::VertexInput;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram, StageResult, StageValues};
use lambdav_raster::triangles::{VertexFault, VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Fault, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stage of a shader text.
#[derive(Clone, Debug)]
pub(super) struct SourceStage {
    pub(super) program: Arc<SourceProgram>,
    pub(super) role: Role,
    /// The varyings that fragments read, in the order of the triangle's words, with their indices.
    pub(super) varyings: Arc<[(u32, Varying)]>,
}

/// The results of a stage.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// Position and varyings, from these attributes.
    Vertices(Vec<VertexInput>),
    /// Outputs at these locations, and the mask of fragments that are kept.
    Colours(Vec<u32>, bool),
    /// Mask and depth.
    Test,
}

impl Role {
    /// The number of attachments; of `varyings` that fragments read.
    pub(super) fn attachments(&self, varyings: usize) -> usize {
        match self {
            Self::Vertices(_) => 1 + varyings,
            Self::Colours(locations, has_mask) => locations.len() + usize::from(*has_mask),
            Self::Test => 1,
        }
    }
}

/// A stage with its inputs.
pub(super) struct BoundSourceStage {
    stage: SourceStage,
    settings: Settings,
    /// Number of the program's own resources.
    resources: usize,
    sites: Sites,
}

impl SourceStage {
    pub(super) fn bind(&self, settings: &Settings, resources: usize) -> BoundSourceStage {
        let (stage, settings) = (self.clone(), settings.clone());
        BoundSourceStage { stage, settings, resources, sites: Sites::default() }
    }
}

/// Reason why an evaluation has no result.
enum NoResult {
    Cancelled,
    Site(u32),
}

impl BoundSourceStage {
    pub(super) fn site(&self, site: u32) -> Diagnostic {
        self.sites.get(site)
    }

    fn run(
        &self,
        result: StageResult,
        inputs: &lambdav_core::inputs::Inputs,
        stage: &dyn StageValues,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Box<[u32]>, NoResult> {
        let max_iterations = self.settings.max_iterations;
        let limits = Limits { max_iterations, ..Limits::default() };
        let found = self.stage.program.run_stage(result, inputs, stage, limits, cancelled);
        found.map_err(|fault| match fault {
            SourceFault::Pixel(EvaluationFault::Cancelled) => NoResult::Cancelled,
            fault => NoResult::Site(self.sites.number(explain_source(fault, max_iterations))),
        })
    }

    /// The attachments of a fragment.
    fn fragment(
        &self,
        stage: &Fragment<'_>,
        (x, y): (u32, u32),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult> {
        let inputs = self.settings.at(x, y);
        let run = |result| self.run(result, &inputs, stage, cancelled);
        let filled = |words: &[u32]| fill(words);
        let is_discarded = |run: &dyn Fn(StageResult) -> Result<Box<[u32]>, NoResult>| {
            run(StageResult::Discard).map(|words| words[0] != 0)
        };
        match &self.stage.role {
            Role::Vertices(_) => unreachable!("vertices are no fragments"),
            Role::Test if is_discarded(&run)? => Ok(vec![[0.0; 4]]),
            Role::Test => {
                let depth = f32::from_bits(run(StageResult::Depth)?[0]);
                Ok(vec![[1.0, clamped(depth), 0.0, 1.0]])
            }
            Role::Colours(locations, has_mask) => {
                let mut all = Vec::new();
                if *has_mask && is_discarded(&run)? {
                    all.resize(locations.len() + 1, [0.0; 4]);
                    return Ok(all);
                }
                for &location in locations {
                    all.push(filled(&run(StageResult::Output(location))?));
                }
                if *has_mask {
                    all.push([1.0, 0.0, 0.0, 1.0]);
                }
                Ok(all)
            }
        }
    }
}

impl Kernel for BoundSourceStage {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads and vertices")
    }

    fn attachments(&self) -> usize {
        self.stage.role.attachments(self.stage.varyings.len())
    }
}

impl QuadKernel for BoundSourceStage {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        super::each_running(quads, |x, y, is_stored| {
            let stage = Fragment { words: primitive, varyings: &self.stage.varyings, x, y };
            let found = self.fragment(&stage, (x, y), &|| !cancel.wants(x, y));
            let found = found.map_err(|why| match why {
                NoResult::Cancelled => Stop::Cancelled,
                NoResult::Site(site) => Fault { x, y, site }.into(),
            })?;
            if is_stored {
                for (attachment, &pixel) in found.iter().enumerate() {
                    pixels.store(attachment, x, y, pixel);
                }
            }
            Ok(())
        })
    }
}

impl VertexKernel for BoundSourceStage {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let Role::Vertices(inputs) = &self.stage.role else {
            unreachable!("fragments are no vertices")
        };
        let data = &self.settings.inputs.resources[self.resources..];
        for (number, &[vertex, instance]) in items.iter().enumerate() {
            let stage = Vertex { vertex, instance, inputs, data };
            let varyings = self.stage.varyings.iter().map(|&(index, _)| index);
            let all = [StageResult::Position].into_iter().chain(varyings.map(StageResult::Varying));
            for (attachment, result) in all.enumerate() {
                let cancelled = || frontier.load(Ordering::Relaxed) == 0;
                let found = self.run(result, &self.settings.inputs, &stage, &cancelled);
                let words = found.map_err(|why| match why {
                    NoResult::Cancelled => VertexStop::Cancelled,
                    NoResult::Site(site) => {
                        VertexStop::Fault(VertexFault { instance, vertex, site })
                    }
                })?;
                results[attachment * items.len() + number] = fill(&words);
            }
        }
        Ok(())
    }

    fn attachments(&self) -> usize {
        Kernel::attachments(self)
    }
}
