//! Scenes of triangles by a device, beside the rasterizer of the language.

use lambdav_engine::Engine;
use lambdav_engine::engines::GpuMode;
use lambdav_gpu::Device;
use lambdav_triangles::engines::{Conditions, draw};
use lambdav_triangles::scenes::Scene;
use lambdav_triangles::{Picture, equal};
use std::fmt;

/// The picture of a scene by a device.
///
/// # Errors
///
/// The message of an error of the engine.
fn by_device(scene: &Scene, device: &Device, mode: GpuMode) -> Result<Picture, String> {
    let engine = Engine::Gpu(device.clone(), mode);
    draw(scene, &Conditions::by(engine)).map_err(|error| error.to_string())
}

/// Compares a scene on the grid of a device with exact modules, bit by bit ([`Scene::on_grid`]).
///
/// # Errors
///
/// The difference.
pub fn exact(seed: u64, device: &Device, steps: u32) -> Result<(), String> {
    let scene = Scene::on_grid(seed, steps, device.about().geometry_shaders);
    let found = by_device(&scene, device, GpuMode::Exact)?;
    let wanted = scene.draw().map_err(|error| error.to_string())?;
    equal(&wanted, &found)
        .map_err(|difference| format!("scene {seed}: {difference}\n{}", scene.lambda_v()))
}

/// Differences between a device and the language in usual scenes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Differences {
    /// Number of pixels.
    pub pixels: usize,
    /// Pixels that another number of fragments covers.
    pub coverage: usize,
    /// Pixels that both cover, by equally many fragments.
    pub covered: usize,
    /// Those of them whose colours differ by more than one level of 8 bits.
    pub colours: usize,
    /// Those of them whose depths differ by more than 2^-20.
    pub depths: usize,
    /// The largest errors of our depths and of the device's, where the triangle is not clipped.
    pub errors: [f64; 2],
}

impl Differences {
    /// Adds the differences of a scene ([`Scene::in_view`]), drawn with the device's own arithmetic.
    ///
    /// # Errors
    ///
    /// The message of an error of the engine.
    pub fn add(&mut self, seed: u64, device: &Device) -> Result<(), String> {
        let [counted, coloured] = Scene::in_view(seed);
        let drawn = |scene: &Scene| -> Result<[Picture; 2], String> {
            let ours = draw(scene, &Conditions::by(Engine::Fast)).map_err(|e| e.to_string())?;
            Ok([ours, by_device(scene, device, GpuMode::Native)?])
        };
        let counts = drawn(&counted)?;
        let pictures = drawn(&coloured)?;
        for pixel in 0..counts[0].attachments[0].len() {
            self.pixels += 1;
            let [ours, theirs] = counts.each_ref().map(|of| of.attachments[0][pixel]);
            if ours != theirs {
                self.coverage += 1;
                continue;
            }
            if ours == [0.0; 4] {
                continue;
            }
            self.covered += 1;
            let [ours, theirs] = pictures.each_ref().map(|of| of.attachments[0][pixel]);
            let levels = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs() * 255.0);
            self.colours += usize::from(levels.fold(0.0, f32::max) > 1.0);
            let depths = pictures.each_ref();
            let depths = depths.map(|of| of.depth.as_ref().map_or(0.0, |all| all[pixel]));
            self.depths += usize::from((depths[0] - depths[1]).abs() > 2.0_f32.powi(-20));
            let seen = pictures.each_ref().map(|of| of.attachments[1][pixel][0]);
            let place = [pixel as u32 % coloured.width, pixel as u32 / coloured.width];
            if seen[0] == seen[1]
                && depths != [1.0; 2]
                && let Some(exact) = coloured.exact_depth(seen[0] as usize, place)
            {
                for (largest, depth) in self.errors.iter_mut().zip(depths) {
                    *largest = largest.max((f64::from(depth) - exact).abs());
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let Self { pixels, coverage, covered, colours, depths, errors: [ours, theirs] } = *self;
        write!(
            f,
            "{pixels} pixels: coverage differs in {coverage} ({:.4} %); of {covered} that both cover, {colours} colours ({:.4} %) differ by more than a level, {depths} depths ({:.4} %) by more than 2^-20; the largest error of a depth is 2^{:.1} here and 2^{:.1} there",
            share(coverage, pixels),
            share(colours, covered),
            share(depths, covered),
            ours.log2(),
            theirs.log2(),
        )
    }
}
