//! Engine of a Vulkan device. It draws the whole picture at once, from the SPIR-V of the program, and
//! copies tiles from the result.
//!
//! The picture is drawn when its first tile is asked for. The next picture keeps memory and pipeline if only push constants and
//! texels have changed. A failure is the machine's fault, never a pixel's.

mod dispatch;
mod triangles;

pub use dispatch::GpuDispatch;

use super::{BoundKernel, bound};
use crate::draw_inputs::DrawInputs;
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::{Core, Output, Triangles};
use lambdav_core::interface::Stage;
use lambdav_core::op::Op;
use lambdav_core::schedule;
use lambdav_core::triangles::EntryPoints;
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_gpu::{Device, Error, Job, PixelBits, Prepared};
use lambdav_image::Size;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_spirv::inspect::inspect;
use lambdav_spirv_backend::emit::{EmitError, EmitOptions, emit, emit_stages};
use lambdav_spirv_eval::{Resources, SharedData};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;
use triangles::{Stages, Vertices};

/// Exactness of a device's arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuMode {
    /// All bits as the language defines them.
    #[default]
    Exact,
    /// Like [`Self::Exact`], except that subnormal numbers may become zero; pixels that meet one are
    /// counted.
    Flush,
    /// The device's own arithmetic, within the rules of Vulkan.
    Native,
}

impl GpuMode {
    /// Options of modules for a device; the device's guarantees decide how exact code is emitted. A
    /// module that flushes reports affected pixels in the output at `report`.
    pub fn emit_options(self, device: &Device, report: Option<u32>) -> EmitOptions {
        match self {
            Self::Native => EmitOptions::default(),
            Self::Exact => device.exact(false, None),
            Self::Flush => device.exact(true, report),
        }
    }
}

/// Stack for the driver's compiler, which may need more than threads usually have.
const STACK: usize = 256 << 20;

/// Outputs of a program, compiled to a module for a Vulkan device.
#[derive(Debug)]
pub struct GpuProgram {
    device: Device,
    words: Vec<u32>,
    /// Outputs that are drawn.
    locations: Vec<u32>,
    /// For outputs of integers, those of their high 8 bits.
    high_bytes: BTreeMap<u32, u32>,
    /// Output that reports pixels that met a subnormal number, if the module has it.
    report: Option<u32>,
    clear: [u32; 4],
    types: Types,
    /// Types of the uniforms.
    uniforms: Vec<Type>,
    /// The vertex stage of a program that draws triangles.
    stages: Option<Stages>,
    /// Memory and pipeline of the last picture. The next picture reuses them if only push constants and
    /// texels change.
    prepared: Mutex<Option<Ready>>,
}

/// Memory and pipeline for pictures of one size, with their inputs.
#[derive(Debug)]
struct Ready {
    size: [u32; 2],
    resources: Resources,
    prepared: Prepared,
}

/// A Vulkan device with a program and its inputs.
#[derive(Debug)]
pub struct GpuEngine {
    program: Arc<GpuProgram>,
    resources: Resources,
    /// Vertices and instances of a program that draws triangles.
    draw: Option<Vertices>,
    state: Mutex<State>,
}

/// The picture, once drawn, or the error that prevented it.
#[derive(Debug, Default)]
struct State {
    drawn: Option<Arc<Drawn>>,
    failure: Option<Error>,
}

/// A picture.
#[derive(Debug)]
struct Drawn {
    /// Pixels of each output.
    pixels: Vec<PixelBits>,
    width: usize,
    /// Pixels that met a subnormal number, if the module reports them.
    met: Option<Met>,
    /// Depths of the pixels, if they are kept.
    depths: Option<Vec<u32>>,
}

/// Count and first of the pixels that met a subnormal number.
#[derive(Clone, Copy, Debug)]
struct Met {
    pixels: usize,
    first: Option<[usize; 2]>,
}

impl Met {
    /// Evaluates the report output, in rows of `width`: red is not 0 in the pixels that met a subnormal
    /// number.
    fn new(report: &[[u32; 4]], width: usize) -> Self {
        let mut met = report.iter().enumerate().filter(|(_, pixel)| pixel[0] != 0);
        let first = met.next().map(|(index, _)| [index % width, index / width]);
        Self { pixels: usize::from(first.is_some()) + met.count(), first }
    }
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pixels, first } = self;
        let noun = if *pixels == 1 { "pixel" } else { "pixels" };
        match first {
            None => f.write_str("no pixel met a subnormal number"),
            Some([x, y]) => {
                write!(f, "{pixels} {noun} met a subnormal number, the first at ({x}, {y})")
            }
        }
    }
}

/// Reason why there is no [`GpuEngine`].
#[derive(Debug, Error)]
pub enum GpuError {
    /// The program is at fault.
    #[error("{}", .0.message)]
    Program(Diagnostic),
    /// The program cannot be expressed in SPIR-V.
    #[error(transparent)]
    Emit(#[from] EmitError),
}

impl GpuProgram {
    /// Compiles the outputs at these locations, which are drawn together. Loops that depend on no input
    /// are evaluated, within `max_iterations` each.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply, or is too large for SPIR-V.
    pub fn new(
        core: &Core,
        locations: &[u32],
        device: &Device,
        mode: GpuMode,
        max_iterations: u64,
    ) -> Result<Self, GpuError> {
        let mut core = core.with_closed_loops_evaluated(max_iterations);
        let has_integers =
            core.outputs.iter().any(|of| core.graph.value_type(of.node).is_integer());
        let high_bytes = match has_integers {
            true => with_high_bytes(core.to_mut(), locations),
            false => BTreeMap::new(),
        };
        let drawn: Vec<u32> = locations.iter().chain(high_bytes.values()).copied().collect();
        let locations = &drawn[..];
        let options = |locations: &[u32]| {
            let report = (0..).find(|free| !locations.contains(free));
            let report = report.expect("one of many is free");
            (report, mode.emit_options(device, Some(report)))
        };
        let (module, program, stages, locations, report) = match core.triangles.as_deref() {
            Some(triangles) => {
                let (report, options) = options(locations);
                let entries = EntryPoints::new(&core, triangles, locations);
                let [vertex, fragment] = entries.schedule().map_err(GpuError::Program)?;
                let programs = [&vertex, &fragment];
                let module = emit_stages(programs, None, &options, &entries.interfaces)?;
                let stages = Stages::new(entries.interfaces, triangles.state);
                (module, fragment, Some(stages), locations.to_vec(), report)
            }
            None => {
                let program = schedule::schedule_reported(&core, locations);
                let program = program.map_err(GpuError::Program)?;
                let (report, options) = options(&program.locations);
                let locations = program.locations.clone();
                (emit(&program, None, &options)?, program, None, locations, report)
            }
        };
        Ok(Self {
            device: device.clone(),
            report: Some(report).filter(|report| has_output(&module.words, *report)),
            words: module.words,
            locations,
            high_bytes,
            clear: program.clear(),
            types: program.types,
            uniforms: core.uniforms.iter().map(|uniform| uniform.ty).collect(),
            stages,
            prepared: Mutex::new(None),
        })
    }

    /// Creates a kernel for these inputs; all textures and buffers must be bound.
    pub fn bind(self: &Arc<Self>, settings: &Settings) -> GpuEngine {
        let uniforms = self.uniforms.iter().copied();
        let resources = Resources::new(&settings.inputs, &self.types, uniforms);
        GpuEngine { program: Arc::clone(self), resources, draw: None, state: Mutex::default() }
    }

    /// Creates a kernel that draws triangles with these inputs; everything must be bound. With `keeps_depth`, it
    /// keeps the depth of the first sample of each pixel.
    pub(crate) fn bind_triangles(
        self: &Arc<Self>,
        settings: &Settings,
        inputs: &DrawInputs,
        triangles: &Triangles,
        keeps_depth: bool,
    ) -> GpuEngine {
        let draw = Some(Vertices::new(inputs, triangles, keeps_depth));
        GpuEngine { draw, ..self.bind(settings) }
    }

    /// Draws a picture of triangles. Its memory is not kept for the next one.
    fn draw_triangles(
        &self,
        stages: &Stages,
        vertices: &Vertices,
        resources: &Resources,
        size: [u32; 2],
        patience: &dyn Fn() -> bool,
    ) -> Result<Drawn, Error> {
        let outputs: Vec<u32> = self.locations.iter().copied().chain(self.report).collect();
        let job = Job::new(&self.words, &outputs, size).with(resources);
        let prepare = |job: &Job<'_>| self.device.prepare(job, patience);
        let mut prepared = stages.prepare(vertices, job, prepare)?;
        let mut drawn = self.drawn(&mut prepared, size, patience)?;
        if vertices.keeps_depth() {
            drawn.depths = Some(prepared.read_depth(patience)?);
        }
        Ok(drawn)
    }

    /// Draws a picture.
    fn draw(
        &self,
        resources: &Resources,
        draw: Option<&Vertices>,
        size: Size,
        patience: &dyn Fn() -> bool,
    ) -> Result<Drawn, Error> {
        let size = [size.width(), size.height()];
        if let (Some(stages), Some(vertices)) = (&self.stages, draw) {
            return self.draw_triangles(stages, vertices, resources, size, patience);
        }
        let mut kept = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        // After a failed picture, nothing is kept.
        let mut kept_one = kept.take().filter(|ready| ready.size == size);
        if let Some(ready) = &mut kept_one
            && !ready.adopt(resources, patience)?
        {
            kept_one = None;
        }
        let mut ready = match kept_one {
            Some(ready) => ready,
            None => {
                let report = self.report;
                let outputs: Vec<u32> = self.locations.iter().copied().chain(report).collect();
                let job = Job::new(&self.words, &outputs, size).with(resources);
                let job = Job { clear: self.clear, ..job };
                let prepared = self.device.prepare(&job, patience)?;
                Ready { size, resources: resources.clone(), prepared }
            }
        };
        let prepared = &mut ready.prepared;
        let drawn = self.drawn(prepared, size, patience)?;
        *kept = Some(ready);
        Ok(drawn)
    }

    /// Draws a prepared picture and reads its outputs.
    fn drawn(
        &self,
        prepared: &mut Prepared,
        size: [u32; 2],
        patience: &dyn Fn() -> bool,
    ) -> Result<Drawn, Error> {
        prepared.draw(patience)?;
        let is_high = |location: &&u32| self.high_bytes.values().any(|high| high == *location);
        let mut pixels = Vec::new();
        for location in self.locations.iter().filter(|location| !is_high(location)) {
            let mut drawn = prepared.read(*location, patience)?;
            if let Some(&high) = self.high_bytes.get(location) {
                for (pixel, high) in drawn.iter_mut().zip(prepared.read(high, patience)?) {
                    for (low, high) in pixel.iter_mut().zip(high) {
                        let [of_low, of_high] =
                            [*low, high].map(|bits| f32::from_bits(bits) as u32);
                        *low = of_low | of_high << 24;
                    }
                }
            }
            pixels.push(drawn);
        }
        let width = size[0] as usize;
        let met = self.report.map(|report| prepared.read(report, patience)).transpose()?;
        let met = met.map(|report| Met::new(&report, width));
        Ok(Drawn { pixels, width, met, depths: None })
    }
}

/// Replaces each output of integers by one of their low 24 bits, and adds one of their high 8 bits at a free location: attachments
/// of a device have binary32 samples. Returns the free locations, by location.
fn with_high_bytes(core: &mut Core, locations: &[u32]) -> BTreeMap<u32, u32> {
    // The outputs choose the clear colour, which has two parts, too.
    core.discard = None;
    let mut all = BTreeMap::new();
    let mut taken: Vec<u32> = core.outputs.iter().map(|of| of.location).collect();
    for index in 0..core.outputs.len() {
        let Output { location, node, span } = core.outputs[index];
        let graph = &mut core.graph;
        let ty = graph.value_type(node);
        if !locations.contains(&location) || !ty.is_integer() {
            continue;
        }
        let free = (0..).find(|free| !taken.contains(free)).expect("one of many is free");
        taken.push(free);
        let ty = Type::of(Scalar::U32, ty.width().unwrap_or(1));
        let words = match graph.value_type(node) == ty {
            true => node,
            false => graph.op(Op::Convert(Scalar::U32), vec![node], span),
        };
        let count = graph.types().components(ty);
        let [mask, shift] =
            [0xff_ffff, 24].map(|word| graph.constant(ty, &vec![word; count], span));
        let low = graph.op(Op::And, vec![words, mask], span);
        let high = graph.op(Op::ShiftRight, vec![words, shift], span);
        let [low, high] =
            [low, high].map(|part| graph.op(Op::Convert(Scalar::F32), vec![part], span));
        core.outputs[index].node = low;
        core.outputs.push(Output { location: free, node: high, span });
        all.insert(location, free);
    }
    all
}

impl Ready {
    /// Updates push constants and texels. Returns false if anything else differs.
    fn adopt(&mut self, resources: &Resources, patience: &dyn Fn() -> bool) -> Result<bool, Error> {
        if self.resources.uniforms() != resources.uniforms() {
            return Ok(false);
        }
        let mut changed = Vec::new();
        for ((binding, old), (_, new)) in
            self.resources.resources().iter().zip(resources.resources())
        {
            match (old, new) {
                (SharedData::Texture(old), SharedData::Texture(new)) => {
                    if old.levels() != new.levels() {
                        return Ok(false);
                    }
                    if !Arc::ptr_eq(old, new) {
                        changed.push((*binding, new));
                    }
                }
                (SharedData::Buffer(old), SharedData::Buffer(new)) if old == new => {}
                _ => return Ok(false),
            }
        }
        self.prepared.set_push_constants(resources.push_constants())?;
        for (binding, texture) in changed {
            self.prepared.set_texture(binding, texture, patience)?;
        }
        self.resources = resources.clone();
        Ok(true)
    }
}

impl GpuEngine {
    /// Engine for the outputs at these locations, which must exist; see [`GpuProgram::new`]. `draw` has the vertices
    /// and instances of a program that draws triangles.
    ///
    /// # Errors
    ///
    /// As for [`GpuProgram::new`], and a texture or buffer that is not bound.
    pub(crate) fn new(
        core: &Core,
        locations: &[u32],
        settings: &Settings,
        draw: &DrawInputs,
        device: &Device,
        mode: GpuMode,
    ) -> Result<Self, GpuError> {
        let settings = bound(core, settings).map_err(GpuError::Program)?;
        let limit = settings.max_iterations;
        let program = Arc::new(GpuProgram::new(core, locations, device, mode, limit)?);
        Ok(match core.triangles.as_deref() {
            Some(triangles) => program.bind_triangles(&settings, draw, triangles, false),
            None => program.bind(&settings),
        })
    }

    /// The bits of all outputs, in the order of the program's locations.
    ///
    /// # Errors
    ///
    /// Errors of the device; [`Error::TimedOut`] if `patience` returned false.
    pub fn pictures(
        &self,
        size: Size,
        patience: &dyn Fn() -> bool,
    ) -> Result<Vec<PixelBits>, Error> {
        match (self.drawn(size, patience), &self.state().failure) {
            (Ok(drawn), _) => Ok(drawn.pixels.clone()),
            (Err(_), Some(error)) => Err(error.clone()),
            (Err(_), None) => Err(Error::TimedOut),
        }
    }

    /// Copies the depths of the picture that was drawn, row by row.
    pub(crate) fn copy_depths(&self, to: &mut [f32]) {
        let state = self.state();
        let depths = state.drawn.as_ref().and_then(|drawn| drawn.depths.as_ref());
        let depths = depths.map_or(&[][..], |all| all);
        to.iter_mut().zip(depths).for_each(|(to, &bits)| *to = f32::from_bits(bits));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The picture, drawn on the first call.
    fn drawn(&self, size: Size, patience: &dyn Fn() -> bool) -> Result<Arc<Drawn>, Stop> {
        let mut state = self.state();
        if let Some(drawn) = &state.drawn {
            return Ok(Arc::clone(drawn));
        }
        if state.failure.is_some() {
            return Err(Stop::Cancelled);
        }
        match self.program.draw(&self.resources, self.draw.as_ref(), size, patience) {
            Ok(drawn) => Ok(Arc::clone(state.drawn.insert(Arc::new(drawn)))),
            Err(error) => {
                state.failure = Some(error);
                Err(Stop::Cancelled)
            }
        }
    }
}

/// True if the fragment stage of a module has an output at that location.
fn has_output(words: &[u32], location: u32) -> bool {
    inspect(words).is_ok_and(|interface| {
        let fragment = interface.entry_points.iter().filter(|of| of.stage == Stage::Fragment);
        let mut outputs = fragment.flat_map(|entry| &entry.outputs);
        outputs.any(|output| output.location == Some(location))
    })
}

impl Kernel for GpuEngine {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let drawn = self.drawn(cancel.size(), &|| cancel.wants(tile.x, tile.y))?;
        for y in 0..tile.height {
            let from = (tile.y + y) as usize * drawn.width + tile.x as usize;
            for (attachment, all) in drawn.pixels.iter().enumerate() {
                let row = &all[from..from + tile.width as usize];
                for (to, from) in pixels.row_mut(attachment, y).iter_mut().zip(row) {
                    *to = from.map(f32::from_bits);
                }
            }
        }
        Ok(())
    }

    fn attachments(&self) -> usize {
        self.program.locations.len() - self.program.high_bytes.len()
    }

    /// Stack that the driver's compiler may need.
    fn stack_size(&self) -> usize {
        STACK
    }
}

impl BoundKernel for GpuEngine {
    fn explain(&self, _: &Fault) -> Diagnostic {
        unreachable!("a device finds no fault with a pixel; its own failures are another matter")
    }

    fn failure(&self) -> Option<String> {
        let name = self.program.device.name();
        self.state().failure.as_ref().map(|error| format!("`{name}`: {error}"))
    }

    fn remark(&self) -> Option<String> {
        self.state().drawn.as_ref()?.met.map(|met| met.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_gpu::Vulkan;
    use lambdav_spirv_backend::emit::FloatControls;
    use lambdav_test_support::skipped;

    #[test]
    fn pixels_that_met_subnormals_are_counted() {
        let [no, yes] = [0.0_f32, 1.0].map(|red| [red, 0.0, 0.0, 1.0].map(f32::to_bits));
        for (report, said) in [
            ([no, no, no, no, no, no], "no pixel met a subnormal number"),
            ([no, no, no, no, yes, no], "1 pixel met a subnormal number, the first at (1, 1)"),
            ([no, no, yes, yes, no, yes], "3 pixels met a subnormal number, the first at (2, 0)"),
        ] {
            assert_eq!(Met::new(&report, 3).to_string(), said);
        }
    }

    #[test]
    fn modes_say_how_modules_are_emitted() {
        let Ok(device) = Vulkan::load().and_then(|vulkan| vulkan.open(None)) else {
            return skipped(
                "there is no Vulkan device; .ci/install-tools installs one without a GPU",
            );
        };
        let of = |options: EmitOptions| (options.float_controls, options.exact);
        for (mode, flushes, report) in
            [(GpuMode::Exact, false, None), (GpuMode::Flush, true, Some(1))]
        {
            let (found, expected) =
                (mode.emit_options(&device, Some(1)), device.exact(flushes, Some(1)));
            assert_eq!(of(found), of(expected));
            assert_eq!(found.exact.map(|exact| exact.report), Some(report));
        }
        let native = GpuMode::Native.emit_options(&device, Some(1));
        assert_eq!(of(native), (FloatControls::default(), None));
    }
}
