//! Samples of textures (LANGUAGE §12): linear, edges clamped, cubes without seams.

use super::super::arithmetic::Unary;
use super::super::code::Level;
use super::super::values::components_of_move;
use super::{ModuleEvaluator, Wrong};
use lambdav_core::op::Elementary;
use lambdav_core::texture::{TextureData, TextureKind};

type Texel = [f32; 4];

fn mix(a: Texel, b: Texel, t: f32) -> Texel {
    [0, 1, 2, 3].map(|k| a[k] * (1.0 - t) + b[k] * t)
}

/// A sample at a level of detail, which may lie between two levels; without one, of the largest level.
pub(super) fn sample(
    texture: &TextureData,
    kind: TextureKind,
    at: [f32; 4],
    offset: [u32; 3],
    level: Option<f32>,
) -> Texel {
    let of_level = |level: i32| of_level(texture, kind, at, offset, level);
    let Some(level) = level else { return of_level(0) };
    let last = (texture.levels().len() as i32 - 1) as f32;
    let level = if level > 0.0 { level.min(last) } else { 0.0 };
    let floor = level.floor();
    let [first, second] = [0, 1].map(|more| of_level(floor as i32 + more));
    mix(first, second, level - floor)
}

/// A linear sample of one level.
fn of_level(
    texture: &TextureData,
    kind: TextureKind,
    [u, v, w, layer]: [f32; 4],
    offset: [u32; 3],
    level: i32,
) -> Texel {
    let level = level.min(texture.levels().len() as i32 - 1);
    let size = texture.level(level);
    // The texels before and after a place along an axis, and the weight of the second.
    let along = |place: f32, count: u32, offset: u32| {
        let q = place * count as f32 - 0.5;
        let first = (q.floor() as i32).wrapping_add(offset as i32);
        ([first, first.wrapping_add(1)], q - q.floor())
    };
    let flat = |texel: &dyn Fn(i32, i32) -> Texel, [u, v]: [f32; 2]| {
        let ([x, right], fx) = along(u, size.width, offset[0]);
        let ([y, below], fy) = along(v, size.height, offset[1]);
        let upper = mix(texel(x, y), texel(right, y), fx);
        mix(upper, mix(texel(x, below), texel(right, below), fx), fy)
    };
    let of_plane = |plane: i32| flat(&|x, y| texture.texel_of_plane([x, y, plane], level), [u, v]);
    match kind {
        TextureKind::Flat => of_plane(0),
        TextureKind::Array => of_plane(w.round_ties_even() as i32),
        TextureKind::Volume => {
            let ([near, far], fz) = along(w, size.planes, offset[2]);
            mix(of_plane(near), of_plane(far), fz)
        }
        TextureKind::Cube | TextureKind::CubeArray => {
            let cubes = size.planes as i32 / 6;
            let cube = (layer.round_ties_even() as i32).clamp(0, cubes - 1);
            let Face { number, s, t, major, .. } = Face::new([u, v, w]);
            let place = [s, t].map(|of| (of / major) * 0.5 + 0.5);
            let cube = Cube { texture, level, first: 6 * cube, count: size.width as i32 };
            // A direction with a NaN may meet no face.
            let last = cube.count - 1;
            let inside =
                |first: i32, at: i32| first.clamp(-1, last).wrapping_add(at.wrapping_sub(first));
            let [(columns, _), (rows, _)] =
                [along(place[0], size.width, 0), along(place[1], size.width, 0)];
            flat(&|x, y| cube.texel(number, inside(columns[0], x), inside(rows[0], y)), place)
        }
    }
}

/// A direction seen from a face of a cube.
struct Face {
    /// 0 to 5: right, left, top, bottom, front, back.
    number: i32,
    /// Components to the right, downwards, and towards the face.
    s: f32,
    t: f32,
    major: f32,
}

impl Face {
    /// The face that a direction meets: that of the greatest component; z goes before y, and y before x.
    fn new([x, y, z]: [f32; 3]) -> Self {
        let of = Self::number([x, y, z].map(f32::abs), [x, y, z].map(|along| along < 0.0));
        let [s, t, major] = Self::seen(of, [x, y, z]);
        Self { number: of, s, t, major }
    }

    fn number<T: PartialOrd>([x, y, z]: [T; 3], negative: [bool; 3]) -> i32 {
        let axis = match z >= x && z >= y {
            true => 2,
            false => usize::from(y >= x),
        };
        2 * axis as i32 + i32::from(negative[axis])
    }

    /// The components of a direction to the right, downwards and towards a face.
    fn seen(face: i32, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match face {
            0 => [-z, -y, x],
            1 => [z, -y, -x],
            2 => [x, z, y],
            3 => [x, -z, -y],
            4 => [x, -y, z],
            _ => [-x, -y, -z],
        }
    }
}

/// The faces of a cube.
struct Cube<'a> {
    texture: &'a TextureData,
    level: i32,
    /// The plane of the first face.
    first: i32,
    /// Texels along a side.
    count: i32,
}

impl Cube<'_> {
    fn of_face(&self, face: i32, x: i32, y: i32) -> Texel {
        self.texture.texel_of_plane([x, y, self.first + face], self.level)
    }

    /// A texel, at most one beyond the edges of a face: of the face behind the edge, or at a corner the mean of the three
    /// others around it.
    fn texel(&self, face: i32, x: i32, y: i32) -> Texel {
        let n = self.count;
        let outside = [x, y].map(|at| at < 0 || at >= n);
        match outside {
            [false, false] => self.of_face(face, x, y),
            [true, true] => {
                let inside = [x, y].map(|at| at.clamp(0, n - 1));
                // In the order of the four texels: by rows, from the left.
                let (mut columns, mut rows) = ([x, inside[0]], [y, inside[1]]);
                columns.sort_unstable();
                rows.sort_unstable();
                let all = rows.into_iter().flat_map(|y| columns.map(|x| (x, y)));
                let others: Vec<Texel> =
                    all.filter(|&at| at != (x, y)).map(|(x, y)| self.texel(face, x, y)).collect();
                [0, 1, 2, 3].map(|k| ((others[0][k] + others[1][k]) + others[2][k]) / 3.0)
            }
            _ => {
                // Twice the distances from the middle of the cube, to the centre of the texel folded around the edge.
                let [a, b] = [x, y].map(|at| 2 * at + 1 - n);
                let [a, b, c] = match outside {
                    [true, _] => [a.signum() * n, b, n - 1],
                    _ => [a, b.signum() * n, n - 1],
                };
                let at = match face {
                    0 => [c, -b, -a],
                    1 => [-c, -b, a],
                    2 => [a, c, b],
                    3 => [a, -c, -b],
                    4 => [a, -b, c],
                    _ => [-a, -b, -c],
                };
                let face = Face::number(at.map(i32::abs), at.map(|along| along < 0));
                let [s, t, _] = Face::seen(face, at.map(|along| along as f32));
                let [x, y] = [s, t].map(|of| (of as i32 + n - 1) / 2);
                self.of_face(face, x, y)
            }
        }
    }
}

impl ModuleEvaluator<'_> {
    /// The level of detail of a sample.
    pub(super) fn level_of_detail(
        &self,
        texture: &TextureData,
        kind: TextureKind,
        place: [f32; 4],
        level: Option<Level>,
    ) -> Result<Option<f32>, Wrong> {
        let number = |at: usize| {
            self.check(at)?;
            Ok(f32::from_bits(self.memory[at]))
        };
        Ok(match level {
            None => None,
            Some(Level::Given(at)) => Some(number(at)?),
            Some(Level::Moved(moves, bias)) => {
                let size = texture.level(0);
                let size = [size.width, size.height, size.planes].map(|along| along as f32);
                let mut squares = [0.0; 2];
                for (square, at) in squares.iter_mut().zip(moves) {
                    self.check(at)?;
                    let mut by = [0.0; 3];
                    let words = &self.memory[at..at + usize::from(components_of_move(kind))];
                    by.iter_mut().zip(words).for_each(|(by, word)| *by = f32::from_bits(*word));
                    let by = match kind {
                        TextureKind::Cube | TextureKind::CubeArray => on_face(place, by),
                        _ => by,
                    };
                    let [x, y, z] = [0, 1, 2].map(|k| by[k] * size[k]);
                    *square = match kind {
                        TextureKind::Volume => (x * x + y * y) + z * z,
                        _ => x * x + y * y,
                    };
                }
                let most = if squares[0] < squares[1] { squares[1] } else { squares[0] };
                let log2 = Unary::Elementary(Elementary::Log2).apply(most.to_bits());
                let level = 0.5 * f32::from_bits(log2);
                Some(match bias {
                    Some(bias) => level + number(bias)?,
                    None => level,
                })
            }
        })
    }
}

/// The move on the face that a direction meets, of a move of the direction.
fn on_face([x, y, z, _]: [f32; 4], by: [f32; 3]) -> [f32; 3] {
    let Face { number, s, t, major } = Face::new([x, y, z]);
    let [ds, dt, dm] = Face::seen(number, by);
    let square = major * major;
    let [ds, dt] = [(ds, s), (dt, t)].map(|(d, of)| (d * major - of * dm) / square * 0.5);
    [ds, dt, 0.0]
}
