//! Scenes whose pictures a device must draw alike, and scenes that it must draw nearly alike.

use super::family::{Component, Output, Source};
use super::geometry::{Geometry, position, unit};
use super::{Scalar, Scene, Varying, VaryingValues};
use crate::reference::{Blend, DepthTest, Interpolation, Samples, Topology};
use lambdav_test_support::Random;

impl Scene {
    /// A scene that a device with `steps` subpixel steps must draw bit by bit, with exact modules: vertices are
    /// in the view and on the grid of the device, w is 1 and z is one number; colours are made of flat varyings, the centre of the
    /// pixel, the triangle's number and its side. Where colours are blended, or the samples of a pixel averaged, sums are exact.
    ///
    /// Only with `numbers_triangles` may fragments read the number of their triangle.
    pub fn on_grid(seed: u64, steps: u32, numbers_triangles: bool) -> Self {
        let mut scene = Self::random(seed);
        let random = &mut Random::new(!seed);
        let sides = [0, 1].map(|_| *random.pick(&[8, 16, 32, 64]));
        let step = i64::from(256 / steps.clamp(1, 256));
        let z = *random.pick(&[0.0, 0.25, 1.0]);
        let positions = scene.positions.iter().map(|_| {
            let place = sides.map(|side| {
                // In the view: devices clip at its border, and round the new vertices.
                let steps = i64::from(side) * 256 / step + 1;
                step * random.below(steps as usize) as i64
            });
            position(place, sides, z, 1.0)
        });
        scene.positions = positions.collect();
        [scene.width, scene.height] = sides;
        (scene.offsets, scene.discard, scene.depth, scene.limit) = (None, None, None, None);
        scene.geometry = Geometry::Lattice;
        let of_numbers = |varying: &mut Varying| {
            varying.interpolation = Interpolation::Flat;
            if let VaryingValues::Attribute(all) = &mut varying.values {
                let is_num = varying.scalar == Scalar::Num;
                for word in all.iter_mut().flatten() {
                    // Drivers differ in NaNs that pass, and in conversions of large integers.
                    *word = match is_num {
                        true if f32::from_bits(*word).is_nan() => 1,
                        true => *word,
                        false => *word & 0x7f_ffff,
                    };
                }
            }
        };
        scene.varyings.iter_mut().for_each(of_numbers);
        let is_blended = random.percent(50);
        scene.state.blend = if is_blended { Blend::Add } else { Blend::Off };
        let is_summed = is_blended || scene.state.samples == Samples::Four;
        scene.state.clear = [0.0; 4];
        // Depths are equal: of a pixel's fragments the first passes, or all, or none.
        let number = scene.outputs.len();
        scene.outputs = (0..number)
            .map(|_| {
                let of_varying = !is_summed && !scene.varyings.is_empty();
                let centre = |index| Component { source: Source::FragCoord, index };
                let [varyings, numbers] = [(of_varying, 60), (numbers_triangles, 15)]
                    .map(|(is, n)| if is { n } else { 0 });
                match random.weighted(&[varyings, numbers, 15, 10]) {
                    0 => Output::Value(Source::Varying(random.below(scene.varyings.len()))),
                    1 => Output::Value(Source::PrimitiveIndex),
                    2 => Output::Value(Source::Facing),
                    _ => Output::Grey(centre(0), centre(1)),
                }
            })
            .collect();
        scene
    }

    /// Two scenes of the same usual triangles in a larger picture. One counts the fragments of a pixel. The other
    /// has smooth colours between 0 and 1, and, in output 1, the numbers of the triangles that are seen.
    ///
    /// Triangles with linear varyings lie in the view: Mesa's drivers interpolate such varyings otherwise where
    /// they clip.
    pub fn in_view(seed: u64) -> [Self; 2] {
        let random = &mut Random::new(seed);
        let size = [256, 192];
        let count = 3 * random.between(10, 60);
        let interpolation = *random.pick(&[Interpolation::Perspective, Interpolation::Linear]);
        let (within, depths) = match interpolation {
            Interpolation::Linear => (0.55, [0.0, 1.0]),
            _ => (1.2, [-0.1, 1.1]),
        };
        let mut positions = Vec::new();
        for _ in 0..count / 3 {
            let [x, y] = [0, 1].map(|_| within * (2.0 * unit(random) - 1.0));
            let extent = 0.05 + 0.8 * unit(random);
            for _ in 0..3 {
                let w = 0.5 + 2.0 * unit(random);
                let [dx, dy] = [0, 1].map(|_| extent * (unit(random) - 0.5));
                let z = depths[0] + (depths[1] - depths[0]) * unit(random);
                positions.push([(x + dx) * w, (y + dy) * w, z * w, w]);
            }
        }
        let values: Vec<Vec<u32>> =
            (0..count).map(|_| (0..4).map(|_| unit(random).to_bits()).collect()).collect();
        let varying = Varying {
            scalar: Scalar::Num,
            components: 4,
            interpolation,
            values: VaryingValues::Attribute(values),
        };
        let number = Varying {
            scalar: Scalar::Uint,
            components: 1,
            interpolation: Interpolation::Flat,
            values: VaryingValues::Attribute((0..count as u32).map(|k| vec![k / 3]).collect()),
        };
        let mut scene = Self::random(seed);
        [scene.width, scene.height] = size;
        scene.geometry = Geometry::Soup;
        (scene.positions, scene.indices, scene.varyings) = (positions, None, vec![varying, number]);
        (scene.offsets, scene.discard, scene.depth, scene.limit) = (None, None, None, None);
        scene.state.clear = [0.0; 4];
        scene.state.samples = Samples::One;
        scene.state.topology = Topology::Triangles;
        let counted = Self {
            outputs: vec![Output::Value(Source::Facing)],
            state: crate::reference::State {
                blend: Blend::Add,
                depth: DepthTest::Off,
                ..scene.state
            },
            ..scene.clone()
        };
        scene.outputs = vec![Output::Value(Source::Varying(0)), Output::Value(Source::Varying(1))];
        scene.state.blend = Blend::Off;
        scene.state.depth = *random.pick(&[DepthTest::Less, DepthTest::Off]);
        scene.state.depth_write = true;
        [counted, scene]
    }

    /// The depth of a triangle at the centre of a pixel, computed in binary64 from the vertices as they are
    /// snapped; `None` for a triangle that is clipped.
    pub fn exact_depth(&self, triangle: usize, [column, row]: [u32; 2]) -> Option<f64> {
        let corners: [[f32; 4]; 3] =
            self.positions.get(3 * triangle..3 * triangle + 3)?.try_into().ok()?;
        let is_inside = |[x, y, z, w]: [f32; 4]| {
            0.0 < w && x.abs() <= w && y.abs() <= w && (0.0..=w).contains(&z)
        };
        if !corners.into_iter().all(is_inside) {
            return None;
        }
        let snapped = |clip: f32, w: f32, side: u32| {
            let half = side as f32 / 2.0;
            f64::from((((clip / w) * half + half) * 256.0).round_ties_even()) / 256.0
        };
        let corners = corners.map(|[x, y, z, w]| {
            let depth = f64::from(z) / f64::from(w);
            [snapped(x, w, self.width), snapped(y, w, self.height), depth]
        });
        let [[x0, y0, z0], [x1, y1, z1], [x2, y2, z2]] = corners;
        let area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
        let (x, y) = (f64::from(column) + 0.5 - x0, f64::from(row) + 0.5 - y0);
        let s = (x * (y2 - y0) - y * (x2 - x0)) / area;
        let t = ((x1 - x0) * y - (y1 - y0) * x) / area;
        Some(z0 + s * (z1 - z0) + t * (z2 - z0))
    }
}
