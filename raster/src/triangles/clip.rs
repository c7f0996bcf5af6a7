//! Clipping of triangles against the planes of the clip volume, after Sutherland and Hodgman, "Reentrant polygon
//! clipping" (1974). Each intersection is computed from the inside vertex to the outside one, so two triangles
//! that share an edge meet in the same point.

use super::draw::{Interpolated, Varied};
use crate::mutants::{Mutant, is_active};

/// A vertex of a polygon that is being clipped.
#[derive(Clone, Debug)]
pub(super) struct ClipVertex {
    pub(super) position: [f32; 4],
    /// The values of all varyings; those of flat ones are not used.
    pub(super) values: Vec<[f32; 4]>,
    /// The number of the vertex, if it is one of the triangle's.
    pub(super) number: Option<u32>,
}

/// The least w inside.
const LEAST_W: f32 = f32::from_bits((127 - 64) << 23);
/// Positions with a component of this magnitude are not drawn.
const HUGE: f32 = f32::from_bits((127 + 96) << 23);

/// A plane: the signed distance of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plane {
    W,
    Near,
    Far,
    Left,
    Right,
    Top,
    Bottom,
}

const PLANES: [Plane; 7] =
    [Plane::W, Plane::Near, Plane::Far, Plane::Left, Plane::Right, Plane::Top, Plane::Bottom];

impl Plane {
    fn distance(self, [x, y, z, w]: [f32; 4]) -> f32 {
        match self {
            Self::W => w - LEAST_W,
            Self::Near => z,
            Self::Far => w - z,
            Self::Left => x + 8.0 * w,
            Self::Right if is_active(Mutant::PlaneSign) => 8.0 * w + x,
            Self::Right => 8.0 * w - x,
            Self::Top => y + 8.0 * w,
            Self::Bottom => 8.0 * w - y,
        }
    }

    /// Makes the plane's equation exact.
    fn settle(self, [x, y, z, w]: &mut [f32; 4]) {
        match self {
            Self::W => *w = LEAST_W,
            Self::Near => *z = 0.0,
            Self::Far => *z = *w,
            Self::Left => *x = -8.0 * *w,
            Self::Right => *x = 8.0 * *w,
            Self::Top => *y = -8.0 * *w,
            Self::Bottom => *y = 8.0 * *w,
        }
    }
}

/// True if a triangle with this position is dropped.
pub(super) fn is_unusable(position: [f32; 4]) -> bool {
    position.iter().any(|component| component.is_nan() || component.abs() >= HUGE)
}

/// What clipping does to a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clipping {
    /// It stays as it is.
    Whole,
    /// Nothing is left.
    Nothing,
    /// Some part may be left.
    Part,
}

/// The effect of clipping on a triangle with these positions. Planes are looked at in order: a vertex that clipping
/// makes may lie inside of a plane, by rounding, although all vertices of the triangle lie outside.
pub(super) fn effect(positions: [[f32; 4]; 3]) -> Clipping {
    for plane in PLANES {
        match positions.into_iter().filter(|&at| plane.distance(at) >= 0.0).count() {
            3 => {}
            0 => return Clipping::Nothing,
            _ => return Clipping::Part,
        }
    }
    Clipping::Whole
}

/// The part of a polygon inside of all planes; empty if nothing is left.
pub(super) fn clip(mut polygon: Vec<ClipVertex>, varied: &[Varied]) -> Vec<ClipVertex> {
    for plane in PLANES {
        let mut clipped = Vec::with_capacity(polygon.len() + 1);
        for (i, a) in polygon.iter().enumerate() {
            let b = &polygon[(i + 1) % polygon.len()];
            let [da, db] = [a, b].map(|vertex| plane.distance(vertex.position));
            if da >= 0.0 {
                clipped.push(a.clone());
            }
            match (da >= 0.0, db >= 0.0) {
                (true, false) => clipped.push(intersection(plane, a, da, b, db, varied)),
                (false, true) => clipped.push(intersection(plane, b, db, a, da, varied)),
                _ => {}
            }
        }
        polygon = clipped;
    }
    polygon
}

/// The intersection of a plane with the edge from `a`, inside, to `b`, outside.
fn intersection(
    plane: Plane,
    a: &ClipVertex,
    da: f32,
    b: &ClipVertex,
    db: f32,
    varied: &[Varied],
) -> ClipVertex {
    let t = da / (da - db);
    let between = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let mut position: [f32; 4] = std::array::from_fn(|k| between(a.position[k], b.position[k], t));
    if position[3] < LEAST_W {
        position[3] = LEAST_W;
    }
    plane.settle(&mut position);
    let linear = (t * b.position[3]) / position[3];
    let values = varied.iter().zip(a.values.iter().zip(&b.values)).map(|(varied, (a, b))| {
        let is_linear = varied.interpolated == Interpolated::Linear;
        let t = if is_linear && !is_active(Mutant::LinearClip) { linear } else { t };
        std::array::from_fn(|k| between(a[k], b[k], t))
    });
    ClipVertex { position, values: values.collect(), number: None }
}
