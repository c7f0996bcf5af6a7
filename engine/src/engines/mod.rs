//! Engines: compiled programs, and kernels that compute the pixels of their outputs, an attachment each.
//!
//! Each engine is a pair. The *program* is compiled once, of any number of outputs, and knows no value; binding inputs to it, which compiles
//! nothing, gives the *kernel*, named after the engine.
//!
//! | engine | program | is |
//! |---|---|---|
//! | [`FastEngine`] | [`FastProgram`] | machine code, or, where loops nest too deeply for it, the evaluator of the core |
//! | [`SimdEngine`] | [`SimdProgram`] | machine code that computes many pixels at once |
//! | [`CoreEngine`] | [`CoreProgram`] | the evaluator of the scheduled core |
//! | [`SourceEngine`] | [`SourceProgram`] | the evaluator of the text, by substitution |
//! | [`SpirvEngine`] | [`SpirvProgram`] | the evaluator of SPIR-V: of what a program compiles to, or of a module |
//! | `GpuEngine` | `GpuProgram` | a Vulkan device (feature `gpu`) |
//!
//! All of them give the same bits; the device, where it is asked to.

mod core;
mod fast;
#[cfg(feature = "gpu")]
mod gpu;
mod simd;
mod source;
#[cfg(feature = "spirv")]
mod spirv;

pub use self::core::{CoreEngine, CoreProgram};
pub use fast::{FastEngine, FastProgram};
#[cfg(feature = "gpu")]
pub use gpu::{GpuEngine, GpuError, GpuMode, GpuProgram};
pub use simd::{SimdEngine, SimdError, SimdProgram};
pub use source::{SourceEngine, SourceProgram};
#[cfg(feature = "spirv")]
pub use spirv::{SpirvEngine, SpirvError, SpirvProgram};

use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_raster::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use std::sync::{Mutex, PoisonError};

/// The components of an output, filled from (0, 0, 0, 1).
fn fill(words: &[u32]) -> [f32; 4] {
    let mut pixel = [0.0, 0.0, 0.0, 1.0];
    for (component, &word) in pixel.iter_mut().zip(words) {
        *component = f32::from_bits(word);
    }
    pixel
}

/// Numbers for what can be wrong with a pixel, as [`Fault::site`] wants them.
#[derive(Debug, Default)]
struct Sites(Mutex<Vec<Diagnostic>>);

impl Sites {
    fn stop(&self, diagnostic: Diagnostic, x: u32, y: u32) -> Stop {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let site = sites.iter().position(|known| *known == diagnostic).unwrap_or_else(|| {
            sites.push(diagnostic);
            sites.len() - 1
        });
        Fault { x, y, site: site as u32 }.into()
    }

    fn explain(&self, fault: &Fault) -> Diagnostic {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites[fault.site as usize].clone().note(first_pixel(fault))
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

/// A kernel with its inputs, which can say what was wrong with a pixel.
pub trait BoundKernel: Kernel {
    /// The diagnostic for a fault.
    fn explain(&self, fault: &Fault) -> Diagnostic;

    /// The reason why the last picture was abandoned, if the machine is at fault.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// A remark on the last picture.
    fn remark(&self) -> Option<String> {
        None
    }
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
