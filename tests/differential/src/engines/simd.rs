//! Machine code, executed by the processor.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_core::source::Span;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::emit::Allocation;
use lambdav_simd_backend::{Compiler, SimdKernel, Target};

/// Compiles each output for one number of lanes and runs it over the image as one tile.
pub(super) struct Simd {
    pub(super) name: &'static str,
    /// The target's name.
    pub(super) target: &'static str,
    pub(super) lanes: u32,
    /// Limit on vector registers.
    pub(super) registers: Option<usize>,
    pub(super) allocation: Allocation,
    /// Compiles for the sizes of the case's resources.
    pub(super) specialised: bool,
}

impl Engine for Simd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        each_output(case, &case.core, |schedule, _, components| {
            let limit = case.conditions.max_iterations;
            let named = Target::named(self.target).map_err(|e| e.to_string())?;
            let named = named.ok_or("no such target")?;
            let mut target = named.with_allocation(self.allocation);
            if let Some(registers) = self.registers {
                target = target.with_vector_registers(registers);
            }
            let mut compiler = Compiler { lanes: Some(self.lanes), ..Compiler::new(target) };
            if self.specialised {
                compiler = compiler.specialised(&case.inputs.resources);
            }
            let kernel = SimdKernel::with_compiler(schedule, &case.inputs, limit, compiler)
                .map_err(|e| e.to_string())?;
            draw(case, &kernel, |site| kernel.site(site), components)
        })
    }
}

/// The image that a kernel draws as one tile.
pub(super) fn draw(
    case: &Case,
    kernel: &impl Kernel,
    site: impl Fn(u32) -> Span,
    components: usize,
) -> Result<Image, String> {
    let conditions = &case.conditions;
    let size = Size::new(conditions.width, conditions.height).map_err(|e| e.to_string())?;
    let tile = Tile::whole(size);
    let mut samples = vec![f32::NAN; tile.samples()];
    let mut pixels = TileBuffer::new(tile, &mut samples);
    match kernel.tile(tile, &mut pixels, &Cancel::never(size)) {
        Ok(()) => {
            let pixels = samples.as_chunks::<4>().0.iter();
            let words = pixels.flat_map(|pixel| &pixel[..components]);
            Ok(Image::Whole(words.map(|c| c.to_bits()).collect()))
        }
        Err(Stop::Fault(fault)) => Ok(Image::LoopLimit {
            pixel: size.index(fault.x, fault.y) as usize,
            span: Some(site(fault.site)),
        }),
        Err(Stop::Cancelled) => Err("cancelled without a request".into()),
    }
}
