//! Engines: compiled programs, and kernels that compute the pixels of their outputs, one attachment each.
//!
//! Each engine is a pair. The *program* is compiled once, for any number of outputs, and depends on no
//! value. Binding inputs to it gives the *kernel*, named after the engine; binding compiles nothing.
//!
//! | engine | program | is |
//! |---|---|---|
//! | [`FastEngine`] | [`FastProgram`] | machine code, or the core evaluator if loops nest too deeply for machine code |
//! | [`SimdEngine`] | [`SimdProgram`] | machine code that computes many pixels at once |
//! | [`CoreEngine`] | [`CoreProgram`] | the evaluator of the scheduled core |
//! | [`SourceEngine`] | [`SourceProgram`] | the evaluator of the text, by substitution |
//! | [`SpirvEngine`] | [`SpirvProgram`] | the evaluator of SPIR-V: a compiled program, or a module |
//! | `GpuEngine` | `GpuProgram` | a Vulkan device (feature `gpu`) |
//!
//! [`TriangleProgram`] draws triangles: its stages are programs of one of these engines. [`DispatchProgram`] is a compute
//! program of one of them, and [`PassesProgram`] the passes that run before a picture.
//!
//! All of them compute the same bits; a device does in its exact mode.
//!
//! Members of a module's uniforms that are named after λV's inputs (`time`, `resolution`, …) get their values where inputs are
//! bound, in every engine alike.

mod core;
mod dispatch;
mod evaluated_stages;
mod fast;
#[cfg(feature = "gpu")]
mod gpu;
mod invocations;
mod passes;
mod reported;
mod running;
mod simd;
mod source;
mod source_stages;
#[cfg(feature = "spirv")]
mod spirv;
mod stage_values;
mod triangles;

pub(crate) use self::core::of_primitive;
pub use self::core::{CoreEngine, CoreProgram};
pub use dispatch::DispatchProgram;
pub use fast::{FastEngine, FastProgram};
#[cfg(feature = "gpu")]
pub use gpu::{GpuDispatch, GpuEngine, GpuError, GpuMode, GpuProgram};
pub(crate) use invocations::Invocations;
pub use passes::{PassEngine, PassError, PassesProgram, bind_results};
pub(crate) use running::first_invocation;
pub use running::{Cancelled, DispatchStop};
pub use simd::{SimdEngine, SimdError, SimdProgram};
pub(crate) use source::explain_source;
pub use source::{SourceEngine, SourceProgram};
#[cfg(feature = "spirv")]
pub(crate) use spirv::Observed;
#[cfg(feature = "spirv")]
pub use spirv::{SpirvDispatch, SpirvEngine, SpirvError, SpirvProgram, SpirvStages};

pub(crate) use stage_values::{Fragment, Vertex};
pub(crate) use triangles::{BoundTriangles, all_inputs, of_fragments};
pub use triangles::{StageEngine, TriangleError, TriangleProgram};

use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::types::Scalar;
use lambdav_raster::{Cancel, Fault, Kernel, Quad, Stop, Tile, TileBuffer};
use std::sync::{Mutex, PoisonError};

/// Components of an output; missing ones are those of (0, 0, 0, 1).
pub(crate) fn fill(words: &[u32]) -> [f32; 4] {
    fill_with(words, Scalar::F32)
}

/// The same of components of any kind: the bits of integers.
pub(crate) fn fill_with(words: &[u32], scalar: Scalar) -> [f32; 4] {
    let one = if scalar == Scalar::F32 { 1.0_f32.to_bits() } else { 1 };
    let mut pixel = [0, 0, 0, one];
    pixel.iter_mut().zip(words).for_each(|(component, &word)| *component = word);
    pixel.map(f32::from_bits)
}

/// Diagnostics of faults, numbered for [`Fault::site`].
#[derive(Debug, Default)]
struct Sites(Mutex<Vec<Diagnostic>>);

impl Sites {
    fn stop(&self, diagnostic: Diagnostic, x: u32, y: u32) -> Stop {
        Fault { x, y, site: self.number(diagnostic) }.into()
    }

    /// The number of a diagnostic.
    fn number(&self, diagnostic: Diagnostic) -> u32 {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let site = sites.iter().position(|known| *known == diagnostic).unwrap_or_else(|| {
            sites.push(diagnostic);
            sites.len() - 1
        });
        site as u32
    }

    /// The diagnostic of this number.
    fn get(&self, site: u32) -> Diagnostic {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites[site as usize].clone()
    }

    fn explain(&self, fault: &Fault) -> Diagnostic {
        self.get(fault.site).note(first_pixel(fault))
    }
}

fn first_pixel(fault: &Fault) -> String {
    format!("the first such pixel in scan order is ({}, {})", fault.x, fault.y)
}

/// The settings, if all textures and buffers of the program are bound.
fn bound(core: &Core, settings: &Settings) -> Result<Settings, Diagnostic> {
    match core.unbound(&settings.inputs.resources) {
        Some(unbound) => Err(unbound),
        None => Ok(settings.clone()),
    }
}

/// A kernel with its inputs, which can explain its faults.
pub trait BoundKernel: Kernel {
    /// Diagnostic of a fault.
    fn explain(&self, fault: &Fault) -> Diagnostic;

    /// Error of the machine that stopped the last picture, if any.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Remark on the last picture.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// Calls `compute` with the pixels of quads that run, in scan order, and true for those that are stored.
fn each_running(
    quads: &[Quad],
    mut compute: impl FnMut(u32, u32, bool) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut running: Vec<(u32, u32, bool)> = Vec::new();
    for quad in quads {
        for (dx, dy) in Quad::PIXELS {
            let bit = Quad::bit(dx, dy);
            if quad.run & bit != 0 {
                running.push((quad.y + dy, quad.x + dx, quad.stored & bit != 0));
            }
        }
    }
    running.sort_unstable();
    running.into_iter().try_for_each(|(y, x, is_stored)| compute(x, y, is_stored))
}

/// Computes each pixel of a tile in scan order, in all attachments.
fn each_pixel(
    tile: Tile,
    pixels: &mut TileBuffer<'_>,
    cancel: &Cancel<'_>,
    mut compute: impl FnMut(u32, u32, &dyn Fn() -> bool, &mut [[f32; 4]]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut found = vec![[0.0; 4]; pixels.attachments()];
    for y in tile.y..tile.y + tile.height {
        for x in tile.x..tile.x + tile.width {
            let cancelled = || !cancel.wants(x, y);
            if cancelled() {
                return Err(Stop::Cancelled);
            }
            compute(x, y, &cancelled, &mut found)?;
            for (attachment, pixel) in found.iter().enumerate() {
                pixels.store(attachment, x, y, *pixel);
            }
        }
    }
    Ok(())
}
