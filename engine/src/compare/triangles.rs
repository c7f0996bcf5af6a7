//! Comparison of programs that draw triangles: pictures without a search for the cause.

use super::outcome::{Cause, CompareError, Found, Outcome, first_pixel};
use crate::bindings::Bindings;
use crate::engines::GpuMode;
use crate::options::{Engine, Options};
use crate::shader::Shader;
use crate::target::Target;
use lambdav_gpu::{Device, Difference};
use lambdav_image::{Frame, Size};
use lambdav_raster::RenderOptions;
use std::time::Duration;

/// See [`compare`](super::compare).
pub(super) fn compare(
    shader: &Shader,
    bindings: &Bindings,
    size: Size,
    locations: &[u32],
    (device, mode): (&Device, GpuMode),
    options: &Options,
    left: &dyn Fn() -> Duration,
) -> Result<Vec<Outcome>, CompareError> {
    let options = options.clone().outputs(locations.iter().copied());
    let drawn = |options: &Options| {
        let pipeline = shader.pipeline(options)?;
        let blank = |_: &u32| Frame::zeros(size).map_err(|error| error.to_string());
        let frames: Result<Vec<Frame>, String> = pipeline.outputs().iter().map(blank).collect();
        let mut frames = frames.map_err(crate::Error::Machine)?;
        let how = RenderOptions { timeout: Some(left()), ..RenderOptions::default() };
        let targets = frames.iter_mut().map(Target::from).collect();
        let drawn = pipeline.render_outputs_with(bindings, targets, &how)?;
        let bits = frames.iter().map(|frame| {
            frame.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect::<Vec<[u32; 4]>>()
        });
        let pictures = pipeline.outputs().iter().copied().zip(bits).collect::<Vec<_>>();
        Ok::<_, CompareError>((pictures, drawn.remark))
    };
    let (found, remark) = drawn(&options.clone().engine(Engine::Gpu(device.clone(), mode)))?;
    let (expected, _) = drawn(&options)?;
    let outcomes = expected.iter().zip(&found).map(|((location, expected), (_, found))| {
        let pixel = first_pixel(expected, found, size.width());
        let difference = Difference::new(expected, found);
        let found = pixel.map(|pixel| Found { difference, pixel, cause: Cause::Triangles });
        Outcome { location: *location, size, found, remark: remark.clone() }
    });
    Ok(outcomes.collect())
}
