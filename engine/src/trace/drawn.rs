//! A pixel as an engine draws it, to compare it with its trace.

use crate::bindings::Bindings;
use crate::compilers::at_fault;
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::shader::Shader;
use lambdav_image::{Frame, Size};
use lambdav_raster::{Cancel, RenderOptions, Stop, Tile, TileBuffer};
use std::time::Duration;

impl Shader {
    /// The bits of the pixel in a column and row, from the upper left, of a picture of that size. An evaluator computes
    /// this pixel alone, another engine the whole picture.
    ///
    /// # Errors
    ///
    /// As for [`Self::pipeline`] and [`Pipeline::render_with`](crate::Pipeline::render_with).
    pub fn drawn_pixel(
        &self,
        options: &Options,
        bindings: &Bindings,
        size: Size,
        [x, y]: [u32; 2],
        timeout: Duration,
    ) -> Result<[u32; 4], Error> {
        let pipeline = self.pipeline(options)?;
        let is_evaluator = match options.engine {
            Engine::Core | Engine::Source => true,
            #[cfg(feature = "spirv")]
            Engine::Spirv => true,
            _ => false,
        };
        if !is_evaluator || self.0.core.triangles.is_some() {
            let mut frame =
                Frame::zeros(size).map_err(|error| Error::Machine(error.to_string()))?;
            let options = RenderOptions { timeout: Some(timeout), ..RenderOptions::default() };
            pipeline.render_with(bindings, &mut frame, &options)?;
            return Ok(frame.pixels()[size.index(x, y) as usize].map(f32::to_bits));
        }
        let kernel = pipeline.bind(bindings, size)?;
        let row = if self.is_lower_left() { size.height() - 1 - y } else { y };
        let tile = Tile { x, y: row, width: 1, height: 1 };
        let mut samples = [0.0; 4];
        let mut buffer = TileBuffer::new(tile, &mut samples);
        match kernel.tile(tile, &mut buffer, &Cancel::never(size)) {
            Ok(()) => Ok(samples.map(f32::to_bits)),
            Err(Stop::Fault(fault)) => Err(at_fault(&self.0, kernel.explain(&fault))),
            Err(Stop::Cancelled) => Err(Error::TimedOut { work: "rendering", timeout }),
        }
    }
}
