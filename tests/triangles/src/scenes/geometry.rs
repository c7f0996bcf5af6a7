//! Positions of vertices.

use crate::reference::power_of_two;
use lambdav_test_support::Random;

/// The kind of a scene's positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// A triangulation of the image and its surroundings, so that each place has one triangle.
    Triangulation,
    /// Triangles in and around the view.
    Soup,
    /// Long and thin triangles.
    Slivers,
    /// Positions of all magnitudes, up to the limit and beyond; x and y reach beyond the guard band.
    Huge,
    /// Triangles that cross the planes of the clip volume, also behind the eye.
    Crossing,
    /// Vertices on the centres, samples and corners of pixels.
    Lattice,
    /// Few places for many vertices: triangles without area, and equal ones.
    Degenerate,
    /// A soup with NaN, infinities, zeros and numbers at the limit.
    Special,
    /// Triangles in few planes parallel to the image, so that depths are equal.
    Parallel,
}

impl Geometry {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Triangulation,
        Self::Soup,
        Self::Slivers,
        Self::Huge,
        Self::Crossing,
        Self::Lattice,
        Self::Degenerate,
        Self::Special,
        Self::Parallel,
    ];

    /// Positions of `count` vertices that have no relation to one another, or are related in threes.
    pub(super) fn positions(
        self,
        random: &mut Random,
        size: [u32; 2],
        count: usize,
    ) -> Vec<[f32; 4]> {
        match self {
            Self::Slivers => slivers(random, count),
            Self::Degenerate => {
                let few: Vec<_> =
                    (0..random.between(2, 5)).map(|_| lattice(random, size)).collect();
                (0..count).map(|_| *random.pick(&few)).collect()
            }
            Self::Parallel => {
                let planes: Vec<f32> = (0..random.between(1, 3))
                    .map(|_| if random.percent(25) { 1.0 } else { unit(random) })
                    .collect();
                let points = (0..count.div_ceil(3)).flat_map(|_| {
                    let z = *random.pick(&planes);
                    [0, 1, 2].map(|_| position(place(random, size), size, z, 1.0))
                });
                points.collect::<Vec<_>>().into_iter().take(count).collect()
            }
            _ => (0..count).map(|_| self.position(random, size)).collect(),
        }
    }

    fn position(self, random: &mut Random, size: [u32; 2]) -> [f32; 4] {
        match self {
            Self::Huge => {
                let scale = power_of_two(random.below(116) as i32 - 22);
                let w = if random.percent(80) { 0.5 + unit(random) } else { signed(random, 1.0) };
                let [x, y] = [0, 1].map(|_| {
                    let magnitude = power_of_two(random.below(16) as i32 - 6);
                    magnitude * signed(random, 1.0)
                });
                [x, y, (1.2 * unit(random) - 0.1) * w, w].map(|component| component * scale)
            }
            Self::Crossing => {
                let w = if random.percent(70) { 2.0 * unit(random) } else { signed(random, 2.0) };
                [signed(random, 3.0), signed(random, 3.0), signed(random, 1.0) + 0.5 * w, w]
            }
            Self::Lattice => lattice(random, size),
            Self::Special => {
                soup(random).map(|x| if random.percent(15) { special(random) } else { x })
            }
            _ => soup(random),
        }
    }
}

/// The clip-space position of a place in the image, in 1/256 of a pixel. `z` is divided by w. The position is
/// snapped to the same place again, unless the image is large.
pub fn position(place: [i64; 2], size: [u32; 2], z: f32, w: f32) -> [f32; 4] {
    let coordinate = |axis: usize| {
        let side = f64::from(size[axis]);
        ((place[axis] as f64 / (128.0 * side) - 1.0) * f64::from(w)) as f32
    };
    [coordinate(0), coordinate(1), z * w, w]
}

/// A number in [0, 1).
pub(super) fn unit(random: &mut Random) -> f32 {
    random.below(1 << 24) as f32 / (1 << 24) as f32
}

/// A number of magnitude up to `most`.
pub(super) fn signed(random: &mut Random, most: f32) -> f32 {
    (2.0 * unit(random) - 1.0) * most
}

/// A number that operations treat specially, or one beside it.
pub(super) fn special(random: &mut Random) -> f32 {
    let (limit, least_w) = (power_of_two(96), power_of_two(-64));
    *random.pick(&[
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        f32::from_bits(1),
        -f32::MIN_POSITIVE,
        least_w,
        -least_w,
        limit,
        -limit,
        limit.next_down(),
        f32::MAX,
        1.0,
        -1.0,
    ])
}

fn soup(random: &mut Random) -> [f32; 4] {
    let w = 0.25 + 3.0 * unit(random);
    let [x, y] = [0, 1].map(|_| signed(random, 1.5));
    [x * w, y * w, (1.3 * unit(random) - 0.1) * w, w]
}

/// A place inside or beside the image, often on a centre, sample or corner of a pixel.
fn place(random: &mut Random, size: [u32; 2]) -> [i64; 2] {
    let step = *random.pick(&[1, 16, 32, 128, 128, 256]);
    size.map(|side| {
        let steps = 2 * i64::from(side) * 256 / step;
        step * (random.below(steps as usize) as i64 - steps / 4)
    })
}

fn lattice(random: &mut Random, size: [u32; 2]) -> [f32; 4] {
    let w = *random.pick(&[1.0, 1.0, 0.5, 2.0, 3.0]);
    let z = *random.pick(&[0.0, 0.25, 0.5, 1.0]);
    position(place(random, size), size, z, w)
}

fn slivers(random: &mut Random, count: usize) -> Vec<[f32; 4]> {
    let mut positions = Vec::new();
    while positions.len() < count {
        let [x, y] = [0, 1].map(|_| signed(random, 1.2));
        let [dx, dy] = [0, 1].map(|_| signed(random, 2.0));
        let (along, aside) = (unit(random), signed(random, 0.02));
        for [x, y] in
            [[x, y], [x + dx, y + dy], [x + along * dx - aside * dy, y + along * dy + aside * dx]]
        {
            let w = if random.percent(50) { 1.0 } else { 0.5 + unit(random) };
            positions.push([x * w, y * w, unit(random) * w, w]);
        }
    }
    positions.truncate(count);
    positions
}

/// Triangles that cover a rectangle around the image once, edge to edge.
#[derive(Clone, Debug)]
pub struct Triangulation {
    /// The vertices, in 1/256 of a pixel.
    pub places: Vec<[i64; 2]>,
    /// The vertices of each triangle, in any orientation.
    pub triangles: Vec<[u32; 3]>,
}

impl Triangulation {
    /// A triangulation with about `points` vertices inside the rectangle, many of them on centres, samples
    /// and corners of pixels.
    pub fn random(random: &mut Random, size: [u32; 2], points: usize) -> Self {
        let [right, bottom] = size.map(|side| 256 * i64::from(side));
        let mut margin = |side: i64| 1 + random.below(side as usize) as i64;
        let (left, right) = (-margin(right), right + margin(right));
        let (top, bottom) = (-margin(bottom), bottom + margin(bottom));
        let mut of = Self {
            places: vec![[left, top], [right, top], [right, bottom], [left, bottom]],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        };
        for _ in 0..points {
            if random.percent(70) {
                of.split_triangle(random);
            } else {
                of.split_edge(random);
            }
        }
        random.shuffle(&mut of.triangles);
        for triangle in &mut of.triangles {
            random.shuffle(triangle);
        }
        of
    }

    /// Twice the area of three places; its sign is the orientation.
    fn area([a, b, c]: [[i64; 2]; 3]) -> i64 {
        (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    }

    /// Splits a triangle at a place strictly inside, if one is found.
    fn split_triangle(&mut self, random: &mut Random) {
        let of = random.below(self.triangles.len());
        let [a, b, c] = self.triangles[of];
        let [pa, pb, pc] = [a, b, c].map(|vertex| self.places[vertex as usize]);
        let step = f64::from(*random.pick(&[1, 16, 32, 128, 256]));
        let (s, t) = (f64::from(unit(random)), f64::from(unit(random)));
        let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
        let place: [i64; 2] = std::array::from_fn(|axis| {
            let [a, b, c] = [pa, pb, pc].map(|place| place[axis] as f64);
            ((a + s * (b - a) + t * (c - a)) / step).round() as i64 * step as i64
        });
        let whole = Self::area([pa, pb, pc]).signum();
        let parts = [[place, pb, pc], [pa, place, pc], [pa, pb, place]];
        if parts.iter().all(|&part| Self::area(part).signum() == whole) {
            let new = self.places.len() as u32;
            self.places.push(place);
            self.triangles[of] = [new, b, c];
            self.triangles.extend([[a, new, c], [a, b, new]]);
        }
    }

    /// Splits an edge, and the triangles on both sides, at its midpoint, if that is a place.
    fn split_edge(&mut self, random: &mut Random) {
        let triangle = *random.pick(&self.triangles);
        let corner = random.below(3);
        let (a, b) = (triangle[corner], triangle[(corner + 1) % 3]);
        let [pa, pb] = [a, b].map(|vertex| self.places[vertex as usize]);
        let sum = [pa[0] + pb[0], pa[1] + pb[1]];
        if sum.iter().any(|sum| sum % 2 != 0) || sum == [2 * pa[0], 2 * pa[1]] {
            return;
        }
        let new = self.places.len() as u32;
        self.places.push(sum.map(|sum| sum / 2));
        let moved = |triangle: [u32; 3], from| triangle.map(|v| if v == from { new } else { v });
        let (split, whole): (Vec<_>, Vec<_>) =
            self.triangles.drain(..).partition(|all| all.contains(&a) && all.contains(&b));
        self.triangles = whole;
        for triangle in split {
            self.triangles.extend([moved(triangle, a), moved(triangle, b)]);
        }
    }
}
