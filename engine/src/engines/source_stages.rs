//! Stages of programs that draw triangles, by the source evaluator.
//!
//! Interpolation is computed here from the words of the triangle, by the formulas of LANGUAGE §14, and not by the
//! arithmetic that the core has for it.

use super::source::explain_source;
use super::{Sites, fill};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::{
    AttributeRate, Interpolation, Place, Side, StageInput, Varying, neighbour,
};
use lambdav_core::inputs::centre;
use lambdav_core::resource::Bound;
use lambdav_core::triangles::VertexInput;
use lambdav_core::types::Type;
use lambdav_frontend::reduction::{Limits, SourceFault, SourceProgram, StageResult, StageValues};
use lambdav_raster::triangles::{TRIANGLE_WORDS, VertexFault, VertexKernel, VertexStop};
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

/// A depth clamped to [0, 1]; 0 for NaN.
fn clamped(depth: f32) -> f32 {
    let depth = if depth < 0.0 { 0.0 } else { depth };
    let depth = if 1.0 < depth { 1.0 } else { depth };
    if depth.is_nan() { 0.0 } else { depth }
}

/// The inputs of a vertex.
struct Vertex<'a> {
    vertex: u32,
    instance: u32,
    inputs: &'a [VertexInput],
    data: &'a [Bound],
}

impl StageValues for Vertex<'_> {
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)> {
        match input {
            StageInput::Attribute(index) => {
                let number = self.inputs.iter().position(|of| of.attribute == index)?;
                let VertexInput { ty, rate, .. } = self.inputs[number];
                let data = self.data[number].buffer()?;
                let index = match rate {
                    AttributeRate::Vertex => self.vertex,
                    AttributeRate::Instance => self.instance,
                };
                Some((ty, data.element((index as usize).min(data.len() - 1)).into()))
            }
            StageInput::VertexIndex => Some((Type::INT, [self.vertex].into())),
            StageInput::InstanceIndex => Some((Type::INT, [self.instance].into())),
            _ => None,
        }
    }
}

/// The inputs of a fragment: words of the triangle, and the pixel.
struct Fragment<'a> {
    words: &'a [u32],
    varyings: &'a [(u32, Varying)],
    x: u32,
    y: u32,
}

impl Fragment<'_> {
    fn number(&self, word: usize) -> f32 {
        f32::from_bits(self.words[word])
    }

    /// The weights E/A of the edges at a place.
    fn weights(&self, place: Place) -> [f32; 3] {
        let moved = |pixel: u32, side: Option<Side>| {
            let here = centre(pixel);
            f64::from(side.map_or(here, |side| neighbour(here, side)))
        };
        let (x, y) = (moved(self.x, place.x), moved(self.y, place.y));
        let area = self.number(21);
        [0, 7, 14].map(|edge| {
            let wide = |k: usize| f64::from(self.number(edge + k));
            let (by_x, by_y) = (wide(0) + wide(1), wide(2) + wide(3));
            let origin = wide(4) + wide(5) + wide(6);
            (by_x * x + (by_y * y + origin)) as f32 / area
        })
    }

    /// The weights that are linear in clip space, and 1/w.
    fn perspective(&self, b: [f32; 3]) -> ([f32; 3], f32) {
        if self.words[28] != 0 {
            return (b, self.number(22));
        }
        let r = [0, 1, 2].map(|k| b[k] * self.number(22 + k));
        let q = (r[0] + r[1]) + r[2];
        (r.map(|r| r / q), q)
    }
}

fn interpolated(v: [f32; 3], b: [f32; 3]) -> f32 {
    v[0] + ((v[1] - v[0]) * b[1] + (v[2] - v[0]) * b[2])
}

/// The bits of a computed number.
fn bits(number: f32) -> u32 {
    lambdav_core::float::canonical_bits(number)
}

impl StageValues for Fragment<'_> {
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)> {
        let num = |number: f32| Some((Type::NUM, [bits(number)].into()));
        match input {
            StageInput::PrimitiveIndex => Some((Type::INT, [self.words[29]].into())),
            StageInput::FrontFacing => Some((Type::BOOL, [self.words[30]].into())),
            StageInput::Depth(place) => {
                let of = [0, 1, 2].map(|k| self.number(25 + k));
                num(clamped(interpolated(of, self.weights(place))))
            }
            StageInput::W(place) => num(self.perspective(self.weights(place)).1),
            StageInput::Varying(index, place) => {
                let mut first = TRIANGLE_WORDS;
                for (other, varying) in self.varyings {
                    let count = usize::from(varying.ty.width().unwrap_or(1));
                    let is_flat = varying.interpolation == Interpolation::Flat;
                    if *other != index {
                        first += if is_flat { count } else { 3 * count };
                        continue;
                    }
                    if is_flat {
                        return Some((varying.ty, self.words[first..][..count].into()));
                    }
                    let b = self.weights(place);
                    let b = match varying.interpolation {
                        Interpolation::Linear => b,
                        _ => self.perspective(b).0,
                    };
                    let part = |k: usize| {
                        let of = [0, 1, 2].map(|vertex| self.number(first + vertex * count + k));
                        bits(interpolated(of, b))
                    };
                    return Some((varying.ty, (0..count).map(part).collect()));
                }
                None
            }
            _ => None,
        }
    }
}

impl Kernel for BoundSourceStage {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads and vertices")
    }

    fn attachments(&self) -> usize {
        match &self.stage.role {
            Role::Vertices(_) => 1 + self.stage.varyings.len(),
            Role::Colours(locations, has_mask) => locations.len() + usize::from(*has_mask),
            Role::Test => 1,
        }
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
