//! Stages of programs that draw triangles, by evaluators that compute one vertex or fragment after another.

use super::stage_values::{Fragment, Vertex};
use super::{Sites, each_running};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Varying;
use lambdav_core::resource::Bound;
use lambdav_core::triangles::VertexInput;
use lambdav_raster::triangles::{VertexFault, VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stage, as evaluators know it.
#[derive(Clone, Debug)]
pub(super) struct EvaluatedStage {
    pub(super) role: Role,
    /// The varyings that fragments use, in the order of the triangle's words, with their indices.
    pub(super) varyings: Arc<[(u32, Varying)]>,
    /// Number of the program's own resources.
    pub(super) resources: usize,
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

impl EvaluatedStage {
    /// The number of attachments.
    pub(super) fn attachments(&self) -> usize {
        match &self.role {
            Role::Vertices(_) => 1 + self.varyings.len(),
            Role::Colours(locations, has_mask) => locations.len() + usize::from(*has_mask),
            Role::Test => 1,
        }
    }
}

/// Reason why an evaluation has no result.
pub(super) enum NoResult {
    Cancelled,
    Fault(Diagnostic),
}

/// Evaluates a stage: all attachments of one vertex or fragment after another.
pub(super) trait StageEvaluator {
    fn vertex(
        &mut self,
        vertex: &Vertex<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult>;

    fn fragment(
        &mut self,
        fragment: &Fragment<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<[f32; 4]>, NoResult>;
}

/// The inputs of a stage, from which evaluators are made.
pub(super) trait StageInputs: Send + Sync {
    fn evaluator<'a>(&'a self, stage: &'a EvaluatedStage) -> Box<dyn StageEvaluator + 'a>;
}

/// A stage with its inputs.
pub(super) struct BoundStage<I> {
    stage: EvaluatedStage,
    inputs: I,
    /// Data of the attributes.
    attributes: Vec<Bound>,
    sites: Sites,
}

impl<I: StageInputs> BoundStage<I> {
    /// `resources` are those of the program and, in the vertex stage, the data of the attributes.
    pub(super) fn new(stage: &EvaluatedStage, inputs: I, resources: &[Bound]) -> Self {
        let attributes = resources[stage.resources..].to_vec();
        Self { stage: stage.clone(), inputs, attributes, sites: Sites::default() }
    }

    pub(super) fn site(&self, site: u32) -> Diagnostic {
        self.sites.get(site)
    }
}

impl<I: StageInputs> Kernel for BoundStage<I> {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads and vertices")
    }

    fn attachments(&self) -> usize {
        self.stage.attachments()
    }
}

impl<I: StageInputs> QuadKernel for BoundStage<I> {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let mut evaluator = self.inputs.evaluator(&self.stage);
        each_running(quads, |x, y, is_stored| {
            let fragment = Fragment { words: primitive, varyings: &self.stage.varyings, x, y };
            let found = evaluator.fragment(&fragment, &|| !cancel.wants(x, y));
            let found = found.map_err(|why| match why {
                NoResult::Cancelled => Stop::Cancelled,
                NoResult::Fault(fault) => self.sites.stop(fault, x, y),
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

impl<I: StageInputs> VertexKernel for BoundStage<I> {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let Role::Vertices(inputs) = &self.stage.role else {
            unreachable!("fragments are no vertices")
        };
        let mut evaluator = self.inputs.evaluator(&self.stage);
        for (number, &[vertex, instance]) in items.iter().enumerate() {
            let of = Vertex { vertex, instance, inputs, data: &self.attributes };
            let found = evaluator.vertex(&of, &|| frontier.load(Ordering::Relaxed) == 0);
            let found = found.map_err(|why| match why {
                NoResult::Cancelled => VertexStop::Cancelled,
                NoResult::Fault(fault) => {
                    let site = self.sites.number(fault);
                    VertexStop::Fault(VertexFault { instance, vertex, site })
                }
            })?;
            for (attachment, value) in found.into_iter().enumerate() {
                results[attachment * items.len() + number] = value;
            }
        }
        Ok(())
    }

    fn attachments(&self) -> usize {
        self.stage.attachments()
    }
}
