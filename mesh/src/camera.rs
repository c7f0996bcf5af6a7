//! Cameras of a glTF, and their matrices for Vulkan's clip volume: y down, z in 0 … w.
//!
//! Matrices are computed in binary64 and rounded once. The tangent is that of the crate `libm`, which has the same
//! bits on every machine.

use lambdav_float_environment::with_default;

use crate::transform::Affine;

/// A camera in the scene. It looks along its own −z, with y up.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The name of the camera, or else of its node.
    pub name: Option<String>,
    /// Camera space to world space.
    pub world: Affine,
    /// Its projection.
    pub projection: Projection,
}

/// Parameters of a projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Lines of sight meet in the camera.
    Perspective {
        /// Vertical field of view, in radians.
        fov_y: f64,
        /// Width by height; if nothing is given, that of the picture.
        aspect: Option<f64>,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane; if nothing is given, there is none.
        far: Option<f64>,
    },
    /// Lines of sight are parallel.
    Orthographic {
        /// Half of the width.
        x: f64,
        /// Half of the height.
        y: f64,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane.
        far: f64,
    },
}

impl Camera {
    /// World space to camera space, by columns. A camera that is scaled to nothing has none.
    pub fn view(&self) -> Option<[f32; 16]> {
        with_default(|| {
            let [a, b, c, d] = self.world.inverse()?.columns;
            let matrix = [a, b, c, d];
            Some(std::array::from_fn(|i| match (i / 4, i % 4) {
                (3, 3) => 1.0,
                (_, 3) => 0.0,
                (column, row) => matrix[column][row] as f32,
            }))
        })
    }

    /// Camera space to clip space, by columns. `aspect`, the picture's width by height, counts for perspective
    /// cameras without an aspect of their own.
    ///
    /// The matrices are those of the builtins `perspective` and `orthographic`. Without a far plane they are the
    /// limit of moving it away.
    pub fn projection(&self, aspect: f64) -> [f32; 16] {
        with_default(|| {
            let columns = match self.projection {
                Projection::Perspective { fov_y, aspect: own, near, far } => {
                    let f = 1.0 / libm::tan(fov_y * 0.5);
                    let (depth, offset) = match far {
                        Some(far) => (far / (near - far), near * far / (near - far)),
                        None => (-1.0, -near),
                    };
                    [
                        [f / own.unwrap_or(aspect), 0.0, 0.0, 0.0],
                        [0.0, -f, 0.0, 0.0],
                        [0.0, 0.0, depth, -1.0],
                        [0.0, 0.0, offset, 0.0],
                    ]
                }
                Projection::Orthographic { x, y, near, far } => [
                    [1.0 / x, 0.0, 0.0, 0.0],
                    [0.0, -1.0 / y, 0.0, 0.0],
                    [0.0, 0.0, 1.0 / (near - far), 0.0],
                    [0.0, 0.0, near / (near - far), 1.0],
                ],
            };
            std::array::from_fn(|i| columns[i / 4][i % 4] as f32)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(projection: Projection) -> Camera {
        // Half a turn about y, then one unit along x.
        let world = Affine::from_parts([1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 0.0], [1.0; 3]);
        Camera { name: None, world, projection }
    }

    /// The image of a point, divided by w.
    fn project(matrix: [f32; 16], [x, y, z]: [f32; 3]) -> [f32; 3] {
        let row = |i: usize| matrix[i] * x + matrix[4 + i] * y + matrix[8 + i] * z + matrix[12 + i];
        [row(0) / row(3), row(1) / row(3), row(2) / row(3)]
    }

    #[test]
    fn a_view_undoes_the_world() {
        let view = camera(Projection::Orthographic { x: 1.0, y: 1.0, near: 0.0, far: 1.0 }).view();
        let view = view.expect("it is regular");
        assert_eq!(project(view, [1.0, 2.0, 3.0]), [0.0; 3]);
        // The camera looks along +z of the world.
        assert_eq!(project(view, [2.0, 2.0, 5.0]), [-1.0, 0.0, -2.0]);
        let flat = Camera { world: Affine { columns: [[0.0; 3]; 4] }, ..camera(FLAT) };
        assert_eq!(flat.view(), None);
    }

    const FLAT: Projection = Projection::Orthographic { x: 2.0, y: 4.0, near: 1.0, far: 5.0 };

    #[test]
    fn projections_fill_the_clip_volume() {
        let corner = project(camera(FLAT).projection(1.0), [2.0, 4.0, -5.0]);
        assert_eq!(corner, [1.0, -1.0, 1.0]);
        assert_eq!(project(camera(FLAT).projection(1.0), [-2.0, -4.0, -1.0]), [-1.0, 1.0, 0.0]);

        let fov_y = std::f64::consts::FRAC_PI_2;
        let perspective =
            |aspect, far| camera(Projection::Perspective { fov_y, aspect, near: 1.0, far });
        let near = [2.0, 1.0, -1.0];
        let close = |found: [f32; 3], expected: [f32; 3]| {
            let all = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(all, "{found:?} instead of {expected:?}");
        };
        close(project(perspective(None, Some(4.0)).projection(2.0), near), [1.0, -1.0, 0.0]);
        close(project(perspective(Some(2.0), Some(4.0)).projection(9.0), near), [1.0, -1.0, 0.0]);
        close(
            project(perspective(None, Some(4.0)).projection(1.0), [0.0, 4.0, -4.0]),
            [0.0, -1.0, 1.0],
        );
        close(project(perspective(None, None).projection(1.0), [0.0, 0.0, -1e9]), [0.0, 0.0, 1.0]);
    }
}
