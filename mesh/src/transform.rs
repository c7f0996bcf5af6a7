//! Affine transformations in binary64.
//!
//! Every sum has a fixed order, from the left, so that results have the same bits everywhere.

/// An affine transformation of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Images of the three unit vectors, and of the origin.
    pub columns: [[f64; 3]; 4],
}

/// A linear transformation, by columns.
pub(crate) type Linear = [[f64; 3]; 3];

const UNIT: Linear = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Affine {
    /// The transformation that changes nothing.
    pub const IDENTITY: Self = Self { columns: [UNIT[0], UNIT[1], UNIT[2], [0.0; 3]] };

    /// The transformation of a 4×4 matrix by columns, if its last row is 0 0 0 1.
    pub fn from_matrix(matrix: [f64; 16]) -> Option<Self> {
        let (columns, _) = matrix.as_chunks::<4>();
        let is_affine = columns.iter().map(|column| column[3]).eq([0.0, 0.0, 0.0, 1.0]);
        let column = |i: usize| [columns[i][0], columns[i][1], columns[i][2]];
        is_affine.then(|| Self { columns: [column(0), column(1), column(2), column(3)] })
    }

    /// Scales, then rotates by the quaternion (x, y, z, w), then translates. The quaternion is taken as it is,
    /// not normalised.
    pub fn from_parts(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let [x, y, z, w] = rotation;
        let turned = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let column = |i: usize| turned[i].map(|number| number * scale[i]);
        Self { columns: [column(0), column(1), column(2), translation] }
    }

    /// The transformation that does `first`, then this one.
    pub fn after(&self, first: &Self) -> Self {
        let [a, b, c, origin] = first.columns;
        let linear = self.linear();
        let column = |vector| apply(&linear, vector);
        Self { columns: [column(a), column(b), column(c), self.point(origin)] }
    }

    /// The image of a point.
    pub fn point(&self, point: [f64; 3]) -> [f64; 3] {
        let turned = apply(&self.linear(), point);
        std::array::from_fn(|i| turned[i] + self.columns[3][i])
    }

    /// The upper left 3×3 matrix.
    pub(crate) fn linear(&self) -> Linear {
        let [a, b, c, _] = self.columns;
        [a, b, c]
    }

    /// The determinant of the upper left 3×3 matrix.
    pub fn determinant(&self) -> f64 {
        let [a, b, c, _] = self.columns;
        dot(a, cross(b, c))
    }

    /// The inverse transpose of the upper left 3×3 matrix, for normals. A singular matrix has none; its cofactors,
    /// which point the same way, take its place.
    pub(crate) fn normals(&self) -> Linear {
        let (cofactors, determinant) = (self.cofactors(), self.determinant());
        match determinant == 0.0 {
            true => cofactors,
            false => cofactors.map(|column| column.map(|number| number / determinant)),
        }
    }

    fn cofactors(&self) -> Linear {
        let [a, b, c, _] = self.columns;
        [cross(b, c), cross(c, a), cross(a, b)]
    }

    /// The inverse, unless the determinant is 0.
    pub fn inverse(&self) -> Option<Self> {
        if self.determinant() == 0.0 {
            return None;
        }
        let rows = self.normals();
        let column = |i: usize| [rows[0][i], rows[1][i], rows[2][i]];
        let origin = rows.map(|row| -dot(row, self.columns[3]));
        Some(Self { columns: [column(0), column(1), column(2), origin] })
    }
}

/// True if the matrix is that of the identity.
pub(crate) fn is_unit(linear: &Linear) -> bool {
    *linear == UNIT
}

/// Product of a matrix and a vector.
pub(crate) fn apply(linear: &Linear, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = linear;
    std::array::from_fn(|i| (a[i] * x + b[i] * y) + c[i] * z)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(scale: [f64; 3]) -> Affine {
        Affine::from_parts([0.0; 3], [0.0, 0.0, 0.0, 1.0], scale)
    }

    #[test]
    fn parts_are_done_in_order() {
        // A quarter turn about z: x becomes y.
        let half = 0.5_f64.sqrt();
        let turn = Affine::from_parts([0.0; 3], [0.0, 0.0, half, half], [1.0; 3]);
        let [x, y, z] = turn.point([1.0, 0.0, 0.0]);
        assert!(x.abs() < 1e-15 && (y - 1.0).abs() < 1e-15 && z == 0.0);
        // Half a turn about x, exactly: y and z change signs. Scaled before, moved after.
        let all = Affine::from_parts([10.0, 20.0, 30.0], [1.0, 0.0, 0.0, 0.0], [2.0, 3.0, 4.0]);
        assert_eq!(all.point([1.0, 1.0, 1.0]), [12.0, 17.0, 26.0]);
    }

    #[test]
    fn products_apply_the_inner_first() {
        let (scale, shift) =
            (scaled([2.0; 3]), Affine { columns: [UNIT[0], UNIT[1], UNIT[2], [1.0, 2.0, 3.0]] });
        assert_eq!(scale.after(&shift).point([1.0, 1.0, 1.0]), [4.0, 6.0, 8.0]);
        assert_eq!(shift.after(&scale).point([1.0, 1.0, 1.0]), [3.0, 4.0, 5.0]);
    }

    #[test]
    fn normals_take_the_inverse_transpose() {
        // Shear x += y: the plane with normal (1, 0, 0) gets the normal (1, -1, 0).
        let shear = Affine {
            columns: [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, 5.0, 5.0]],
        };
        assert_eq!(apply(&shear.normals(), [1.0, 0.0, 0.0]), [1.0, -1.0, 0.0]);
        assert_eq!(apply(&scaled([2.0, 4.0, -1.0]).normals(), [1.0; 3]), [0.5, 0.25, -1.0]);
        // Flat: the normal of the plane that remains.
        assert_eq!(apply(&scaled([2.0, 2.0, 0.0]).normals(), [1.0; 3]), [0.0, 0.0, 4.0]);
        assert_eq!(scaled([2.0, 2.0, 0.0]).inverse(), None);
    }

    #[test]
    fn inverses_undo() {
        let all = Affine::from_parts([1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 0.0], [2.0, 4.0, 8.0]);
        let inverse = all.inverse().expect("it is regular");
        assert_eq!(inverse.after(&all), Affine::IDENTITY);
        assert_eq!(all.determinant(), 64.0);
    }

    #[test]
    fn the_last_row_is_checked() {
        let mut matrix = [0.0; 16];
        for i in [0, 5, 10, 15] {
            matrix[i] = 1.0;
        }
        assert_eq!(Affine::from_matrix(matrix), Some(Affine::IDENTITY));
        matrix[3] = 1.0;
        assert_eq!(Affine::from_matrix(matrix), None);
    }
}
