//! Stages of programs that draw triangles, with the sites that vertices and pixels met.
//!
//! The kernel of a stage computes the sites as attachments behind its own, which are read beside each call of the rasterizer. So
//! what counts is what the rasterizer asks for: each vertex that a triangle uses, once, and each fragment that is shaded. A
//! discarded fragment is shaded; a helper pixel is not stored, and counts for nobody. A pixel counts once for all its fragments.
//!
//! The core evaluator computes the operands of the first unit afterwards: of the first vertex, or of all fragments that met the
//! site in the first pixel.

use super::pixels::{PixelBits, PixelSet, Pixels};
use super::reporting::Met;
use super::unit::Unit;
use crate::engines::{BoundTriangles, TriangleError, of_primitive};
use crate::mutants::{Mutant, is_active};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::Evaluator;
use lambdav_core::graph::{Core, Triangles};
use lambdav_core::inputs::Inputs;
use lambdav_core::probes::{MetSites, Operands};
use lambdav_core::schedule::probes::report_outputs;
use lambdav_core::schedule::{Program, schedule_probed};
use lambdav_core::triangles::{FragmentStage, VertexStage};
use lambdav_image::Size;
use lambdav_raster::triangles::{Depths, VertexKernel, VertexStop};
use lambdav_raster::{
    Attachment, Cancel, Kernel, Quad, QuadKernel, RenderOptions, Stop, Tile, TileBuffer,
};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The stages of a program, with probes.
#[derive(Debug)]
pub(crate) struct ProbedStages {
    sites: usize,
    vertices: Program,
    colours: Program,
    test: Option<Program>,
    /// The uniforms that are words of a triangle.
    of_triangle: Vec<u32>,
}

/// The sites that the vertices and the pixels of a draw met.
#[derive(Debug, Default)]
pub(crate) struct StageReport {
    /// Those of vertices, and those of pixels.
    pub(crate) met: [Met; 2],
    /// The pixels that met any, in scan order.
    pub(crate) pixels: PixelSet,
}

/// The first pixel that met a site, by its index, and the triangles of the fragments that did.
#[derive(Clone, Debug)]
struct FirstFragments {
    pixel: u64,
    /// The words of the triangle, and true if it was the test of mask and depth.
    fragments: Vec<(Arc<[u32]>, bool)>,
}

/// The sites that units met so far in a draw.
struct StageWatch<'a> {
    of: &'a ProbedStages,
    /// The settings of both stages.
    of_vertices: &'a Settings,
    of_fragments: &'a Settings,
    /// For each site the first vertex, as instance and index, and the number of vertices.
    vertices: Mutex<BTreeMap<usize, ([u32; 2], u64)>>,
    pixels: Pixels,
    /// By sites.
    firsts: Mutex<Vec<FirstFragments>>,
    /// Memory for attachments, used again.
    memory: Mutex<Vec<Vec<f32>>>,
}

/// The kernel of vertices, watched.
struct WatchedVertices<'a> {
    kernel: &'a dyn VertexKernel,
    watch: &'a StageWatch<'a>,
}

/// A kernel of fragments, watched.
struct WatchedFragments<'a> {
    kernel: &'a dyn QuadKernel,
    /// True for the test of mask and depth.
    is_test: bool,
    watch: &'a StageWatch<'a>,
}

impl ProbedStages {
    /// The stages of a program that reports, for its outputs at these locations.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub(crate) fn new(
        core: &Core,
        triangles: &Triangles,
        locations: &[u32],
    ) -> Result<Self, Diagnostic> {
        let fragment = FragmentStage::new(core, triangles, locations);
        let vertex = VertexStage::new(core, triangles, &fragment.varyings);
        let scheduled = |stage: &Core| {
            let locations: Vec<u32> = stage.outputs.iter().map(|output| output.location).collect();
            schedule_probed(stage, &locations)
        };
        Ok(Self {
            sites: core.sites.len(),
            vertices: scheduled(&vertex.core)?,
            colours: scheduled(&fragment.colours)?,
            test: fragment.test.as_ref().map(scheduled).transpose()?,
            of_triangle: fragment.of_triangle(),
        })
    }

    /// Draws, and reports what vertices and pixels met. The kernels must have attachments for sites.
    ///
    /// # Errors
    ///
    /// As for [`BoundTriangles::draw`].
    pub(crate) fn draw(
        &self,
        bound: &BoundTriangles<'_>,
        attachments: Vec<Attachment<'_>>,
        depths: Option<Depths<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<StageReport, TriangleError> {
        let size = attachments.first().expect("there is an attachment").size();
        let watch = StageWatch::new(self, &bound.of_vertices, &bound.of_fragments, size);
        let vertices = WatchedVertices { kernel: bound.vertices(), watch: &watch };
        let fragments = |kernel, is_test| WatchedFragments { kernel, is_test, watch: &watch };
        bound.draw_around(&vertices, fragments, attachments, depths, options)?;
        Ok(watch.into_report(size))
    }
}

impl<'a> StageWatch<'a> {
    /// A draw with these settings of both stages; no unit has met a site.
    fn new(
        of: &'a ProbedStages,
        of_vertices: &'a Settings,
        of_fragments: &'a Settings,
        size: Size,
    ) -> Self {
        let none = FirstFragments { pixel: u64::MAX, fragments: Vec::new() };
        Self {
            of,
            of_vertices,
            of_fragments,
            vertices: Mutex::default(),
            pixels: Pixels::new(of.sites, size, false),
            firsts: Mutex::new(vec![none; of.sites]),
            memory: Mutex::default(),
        }
    }

    /// Attachments that a kernel has for sites.
    fn words(&self) -> usize {
        report_outputs(self.of.sites)
    }

    /// Adds the sites that fragments of a triangle met.
    fn add(&self, fragments: &Fragments<'_>, met: &[PixelBits]) {
        if met.is_empty() || fragments.is_test && is_active(Mutant::UnwatchedTest) {
            return;
        }
        self.pixels.add(fragments.tile, met);
        let mut triangle: Option<Arc<[u32]>> = None;
        let mut firsts = locked(&self.firsts);
        for of in met {
            let pixel = fragments.index(of.at);
            for site in of.sites() {
                let first = &mut firsts[site];
                let is_other = pixel == first.pixel && is_active(Mutant::FirstFragment);
                if pixel > first.pixel || is_other {
                    continue;
                }
                if pixel < first.pixel {
                    *first = FirstFragments { pixel, fragments: Vec::new() };
                }
                let triangle = triangle.get_or_insert_with(|| fragments.triangle.into());
                first.fragments.push((Arc::clone(triangle), fragments.is_test));
            }
        }
    }

    /// All that was met in a picture of that size.
    fn into_report(self, size: Size) -> StageReport {
        let (pixels, all) = self.pixels.into_found();
        let vertices = self.vertices.into_inner().unwrap_or_else(PoisonError::into_inner);
        let firsts = self.firsts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let limit = self.of_fragments.max_iterations;
        // The kernels have computed these units without a fault.
        let evaluate = |program: &Program, inputs: &Inputs, met: &mut MetSites| {
            let _ = Evaluator::new(program, limit).run_observed(inputs, &|| false, met);
        };
        let operands = |site: u32, mut met: MetSites| met.0.remove(&site).unwrap_or_default();
        let of_vertex = |site: u32, [instance, vertex]: [u32; 2]| -> Operands {
            let frag_coord = VertexStage::item(vertex, instance);
            let inputs = Inputs { frag_coord, ..self.of_vertices.inputs.clone() };
            let mut met = MetSites::default();
            evaluate(&self.of.vertices, &inputs, &mut met);
            operands(site, met)
        };
        let of_pixel = |site: u32, FirstFragments { pixel, fragments }: &FirstFragments| {
            let width = u64::from(size.width());
            let mut met = MetSites::default();
            for (triangle, is_test) in fragments {
                let settings = of_primitive(self.of_fragments, &self.of.of_triangle, triangle);
                let inputs = settings.at((pixel % width) as u32, (pixel / width) as u32);
                let test = self.of.test.as_ref().filter(|_| *is_test);
                evaluate(test.unwrap_or(&self.of.colours), &inputs, &mut met);
            }
            operands(site, met)
        };
        let vertices = vertices.into_iter().map(|(site, (first, count))| {
            let ([instance, vertex], number) = (first, site as u32);
            (number, (Unit::Vertex { vertex, instance }, of_vertex(number, first), count))
        });
        let pixels = pixels.into_iter().map(|(site, (first, count))| {
            let number = site as u32;
            (number, (Unit::Pixel(first), of_pixel(number, &firsts[site]), count))
        });
        StageReport { met: [vertices.collect(), pixels.collect()], pixels: all }
    }
}

/// Fragments of one triangle in a tile.
struct Fragments<'a> {
    tile: Tile,
    size: Size,
    triangle: &'a [u32],
    is_test: bool,
}

impl Fragments<'_> {
    /// The index in the picture of a pixel of the tile.
    fn index(&self, at: usize) -> u64 {
        let Tile { x, y, width, .. } = self.tile;
        self.size.index(x + at as u32 % width, y + at as u32 / width)
    }
}

/// The earlier one of two vertices, each an instance and an index.
fn earlier(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    let by_index = is_active(Mutant::VerticesByIndex);
    std::cmp::min_by_key(a, b, |[instance, vertex]| match by_index {
        true => [*vertex, *instance],
        false => [*instance, *vertex],
    })
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl VertexKernel for WatchedVertices<'_> {
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let mut all = vec![[0.0; 4]; self.kernel.attachments() * items.len()];
        self.kernel.vertices(items, &mut all, frontier)?;
        let (own, words) = all.split_at(results.len());
        results.copy_from_slice(own);
        let mut found = locked(&self.watch.vertices);
        for (at, &[vertex, instance]) in items.iter().enumerate() {
            let attachment = |k: usize| words[k * items.len() + at];
            let met = PixelBits::of_words(at, self.watch.words(), attachment);
            for site in met.flat_map(PixelBits::sites) {
                let (first, count) = found.entry(site).or_insert(([instance, vertex], 0));
                *first = earlier(*first, [instance, vertex]);
                *count += 1;
            }
        }
        Ok(())
    }

    fn attachments(&self) -> usize {
        self.kernel.attachments() - self.watch.words()
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }
}

impl Kernel for WatchedFragments<'_> {
    fn tile(&self, _: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        unreachable!("a stage computes quads")
    }

    fn stack_size(&self) -> usize {
        self.kernel.stack_size()
    }

    fn attachments(&self) -> usize {
        self.kernel.attachments() - self.watch.words()
    }
}

impl QuadKernel for WatchedFragments<'_> {
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let (tile, count) = (pixels.tile(), self.kernel.attachments());
        let mut memory = locked(&self.watch.memory).pop().unwrap_or_default();
        memory.resize(memory.len().max(count * tile.samples()), 0.0);
        let mut all = TileBuffer::with_attachments(tile, count, &mut memory);
        self.kernel.quads(quads, primitive, &mut all, cancel)?;
        let computed: &[[f32; 4]] = memory.as_chunks().0;
        let attachments = pixels.attachments();
        let mut met = Vec::new();
        for quad in quads {
            for (dx, dy) in Quad::PIXELS {
                if quad.stored & Quad::bit(dx, dy) == 0 {
                    continue;
                }
                let [column, row] = [quad.x + dx - tile.x, quad.y + dy - tile.y];
                let at = (row * tile.width + column) as usize;
                let attachment = |k: usize| computed[k * tile.pixels() + at];
                (0..attachments).for_each(|k| pixels.attachment_mut(k)[at] = attachment(k));
                let words = |k: usize| attachment(attachments + k);
                met.extend(PixelBits::of_words(at, self.watch.words(), words));
            }
        }
        let (triangle, is_test) = (primitive, self.is_test);
        let fragments = Fragments { tile, size: cancel.size(), triangle, is_test };
        self.watch.add(&fragments, &met);
        locked(&self.watch.memory).push(memory);
        Ok(())
    }
}
