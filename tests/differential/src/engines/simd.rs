//! Machine code for some number of lanes.

use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::scheduled;
use lambdav_raster::{Cancel, Kernel, Size, Stop, Tile, TileBuffer};
use lambdav_simd_backend::SimdKernel;

/// Compiles and executes; the whole image is one tile.
pub(super) struct Simd {
    /// The engine's name.
    pub(super) name: &'static str,
    /// How many pixels it computes at once.
    pub(super) lanes: u32,
}

impl Engine for Simd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        case.locations().into_iter().map(|location| self.image(case, location)).collect()
    }
}

impl Simd {
    fn image(&self, case: &Case, location: u32) -> Result<Image, String> {
        let program = scheduled(&case.core, &[location])?;
        let components = program.ty(program.outputs()[0]).components();
        let conditions = &case.conditions;
        let limit = conditions.max_iterations;
        let kernel = SimdKernel::new(program, Some(self.lanes), &case.inputs, limit)
            .map_err(|error| error.to_string())?;
        let size =
            Size::new(conditions.width, conditions.height).map_err(|error| error.to_string())?;
        let mut samples = vec![0.0; size.samples()];
        let mut buffer = TileBuffer::new(Tile::whole(size), &mut samples);
        match kernel.tile(Tile::whole(size), &mut buffer, &Cancel::never(size)) {
            // The other components are the fill of LANGUAGE §2.
            Ok(()) => {
                let pixels = samples.chunks(4).flat_map(|pixel| &pixel[..components]);
                Ok(Image::Whole(pixels.map(|sample| sample.to_bits()).collect()))
            }
            Err(Stop::Fault(fault)) => {
                let pixel = (fault.y * conditions.width + fault.x) as usize;
                Ok(Image::LoopLimit { pixel, span: Some(kernel.site(fault.site)) })
            }
            Err(Stop::Cancelled) => Err("cancelled, though nobody asked for it".into()),
        }
    }
}
