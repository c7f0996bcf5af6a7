//! Cube maps (LANGUAGE §12): the face that a direction meets, and texels beyond the edges of a face.

use super::raiser::Raiser;
use crate::error::Result;
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::sampler::Sampler;
use lambdav_core::types::{Scalar, Type};

const TRIPLE: Type = Type::of(Scalar::I32, 3);

/// The level of a texture that a sample reads, and its sampler.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) image: NodeId,
    pub(super) level: NodeId,
    pub(super) sampler: Sampler,
    pub(super) reference: Option<NodeId>,
}

/// A direction seen from the face that it meets.
#[derive(Clone, Copy)]
pub(super) struct Face {
    /// The number of the face, an `int`: 0 to 5 for right, left, top, bottom, front and back.
    pub(super) number: NodeId,
    choice: Choice,
    /// Components to the right, downwards, and towards the face.
    seen: [NodeId; 3],
}

/// The axis of a face: z before y, and y before x.
#[derive(Clone, Copy)]
struct Choice {
    is_z: NodeId,
    is_y: NodeId,
    /// For x, y and z: the component is negative.
    is_negative: [NodeId; 3],
}

/// The faces of a cube, at a level.
#[derive(Clone, Copy)]
pub(super) struct Cube {
    pub(super) source: Source,
    /// The plane of the first face, an `int`.
    pub(super) first: NodeId,
    /// Texels along a side, an `int`.
    pub(super) count: NodeId,
}

/// The texels around a place near an edge of a face.
pub(super) struct Seam {
    /// True if one of the texels lies beyond the edge.
    pub(super) is_met: NodeId,
    /// The texels then, some of them on other faces.
    pub(super) texels: Vec<NodeId>,
}

impl Raiser<'_, '_> {
    /// The face that a direction meets.
    pub(super) fn face(&mut self, direction: NodeId) -> Result<Face> {
        let parts = self.scalars(&[direction])?;
        let parts = [parts[0], parts[1], parts[2]];
        let (number, choice) = self.face_of(parts)?;
        let seen = self.seen(choice, parts)?;
        Ok(Face { number, choice, seen })
    }

    /// The place on a face, a `vec2` from 0 to 1.
    pub(super) fn place_on(&mut self, Face { seen: [s, t, major], .. }: Face) -> Result<NodeId> {
        let half = self.number(Type::NUM, 0.5);
        let mut place = Vec::new();
        for along in [s, t] {
            let part = self.op(Core::Div, &[along, major])?;
            let part = self.op(Core::Mul, &[part, half])?;
            place.push(self.op(Core::Add, &[part, half])?);
        }
        self.construct(Type::vec(2), place)
    }

    /// The move on a face, a `vec2`, of a move of the direction.
    pub(super) fn move_on(&mut self, face: Face, by: NodeId) -> Result<NodeId> {
        let by = self.scalars(&[by])?;
        let [ds, dt, dm] = self.seen(face.choice, [by[0], by[1], by[2]])?;
        let [s, t, major] = face.seen;
        let square = self.op(Core::Mul, &[major, major])?;
        let half = self.number(Type::NUM, 0.5);
        let mut moves = Vec::new();
        for (d, along) in [(ds, s), (dt, t)] {
            let (a, b) = (self.op(Core::Mul, &[d, major])?, self.op(Core::Mul, &[along, dm])?);
            let difference = self.op(Core::Sub, &[a, b])?;
            let quotient = self.op(Core::Div, &[difference, square])?;
            moves.push(self.op(Core::Mul, &[quotient, half])?);
        }
        self.construct(Type::vec(2), moves)
    }

    /// The face of the greatest component.
    fn face_of(&mut self, parts: [NodeId; 3]) -> Result<(NodeId, Choice)> {
        let zero = self.zero(self.type_of(parts[0]));
        let mut is_negative = Vec::new();
        let mut sizes = Vec::new();
        for part in parts {
            is_negative.push(self.op(Core::Less, &[part, zero])?);
            sizes.push(self.op(Core::Abs, &[part])?);
        }
        let &[x, y, z] = &sizes[..] else { unreachable!("there are three components") };
        let over_x = self.op(Core::LessEqual, &[x, z])?;
        let over_y = self.op(Core::LessEqual, &[y, z])?;
        let is_z = self.op(Core::And, &[over_x, over_y])?;
        let is_y = self.op(Core::LessEqual, &[x, y])?;
        let is_negative = [is_negative[0], is_negative[1], is_negative[2]];
        let mut faces = Vec::new();
        for (axis, is_negative) in is_negative.into_iter().enumerate() {
            let [there, here] = [2 * axis + 1, 2 * axis].map(|k| self.splat(Type::INT, k as u32));
            faces.push(self.op(Core::Select, &[is_negative, there, here])?);
        }
        let choice = Choice { is_z, is_y, is_negative };
        let number = self.by_axis(choice, [faces[0], faces[1], faces[2]])?;
        Ok((number, choice))
    }

    /// The value for the axis of a face, of those for x, y and z.
    fn by_axis(&mut self, Choice { is_z, is_y, .. }: Choice, of: [NodeId; 3]) -> Result<NodeId> {
        let other = self.op(Core::Select, &[is_y, of[1], of[0]])?;
        self.op(Core::Select, &[is_z, of[2], other])
    }

    /// The components of a direction to the right, downwards, and towards a face.
    fn seen(&mut self, choice: Choice, [x, y, z]: [NodeId; 3]) -> Result<[NodeId; 3]> {
        let [right, top, front] = choice.is_negative;
        let mut negative = Vec::new();
        for part in [x, y, z] {
            negative.push(self.op(Core::Neg, &[part])?);
        }
        let &[minus_x, minus_y, minus_z] = &negative[..] else {
            unreachable!("there are three components")
        };
        let s_of_x = self.op(Core::Select, &[right, z, minus_z])?;
        let s_of_z = self.op(Core::Select, &[front, minus_x, x])?;
        let t_of_y = self.op(Core::Select, &[top, minus_z, z])?;
        let towards_x = self.op(Core::Select, &[right, minus_x, x])?;
        let towards_y = self.op(Core::Select, &[top, minus_y, y])?;
        let towards_z = self.op(Core::Select, &[front, minus_z, z])?;
        Ok([
            self.by_axis(choice, [s_of_x, x, s_of_z])?,
            self.by_axis(choice, [minus_y, t_of_y, minus_y])?,
            self.by_axis(choice, [towards_x, towards_y, towards_z])?,
        ])
    }

    /// The four texels around a place on a face, by rows: `at` are the column and the row of the first. Each is clamped,
    /// so that at most one column and one row are beyond an edge. (A direction with a NaN may meet no face.)
    pub(super) fn around(
        &mut self,
        cube: Cube,
        face: NodeId,
        at: [NodeId; 2],
    ) -> Result<(Vec<NodeId>, Seam)> {
        let [one, before] = [1, -1].map(|at: i32| self.splat(Type::INT, at as u32));
        let last = self.op(Core::Sub, &[cube.count, one])?;
        let mut sides = Vec::new();
        for part in at {
            let part = self.op(Core::Max, &[part, before])?;
            let part = self.op(Core::Min, &[part, last])?;
            let next = self.op(Core::Add, &[part, one])?;
            let mut side = Vec::new();
            for at in [part, next] {
                side.push((at, self.is_beyond(at, cube.count)?));
            }
            sides.push(side);
        }
        let plane = self.op(Core::Add, &[cube.first, face])?;
        let (mut direct, mut texels, mut corners) = (Vec::new(), Vec::new(), Vec::new());
        for &(y, below) in &sides[1] {
            for &(x, beside) in &sides[0] {
                let place = self.construct(TRIPLE, vec![x, y, plane])?;
                direct.push(self.read(cube.source, place, None)?);
                texels.push(self.on_cube(cube, face, (x, beside), (y, below))?);
                corners.push(self.op(Core::And, &[beside, below])?);
            }
        }
        let ty = self.type_of(texels[0]);
        let three = match ty.is_integer() {
            true => self.splat(ty, 3),
            false => self.number(ty, 3.0),
        };
        let mut folded = Vec::new();
        for (k, &corner) in corners.iter().enumerate() {
            let mut others = texels.iter().enumerate().filter(|(other, _)| *other != k);
            let mut next = || *others.next().expect("there are three others").1;
            let (a, b, c) = (next(), next(), next());
            let sum = self.op(Core::Add, &[a, b])?;
            let sum = self.op(Core::Add, &[sum, c])?;
            let mean = self.op(Core::Div, &[sum, three])?;
            folded.push(match is_active(Mutant::OpenCorner) {
                true => texels[k],
                false => self.graph.if_([corner, mean, texels[k]], self.span),
            });
        }
        // The first texel lies beyond an edge before, or the last one beyond an edge behind.
        let zero = self.splat(Type::INT, 0);
        let mut is_met = self.graph.bool(false, self.span);
        for side in &sides {
            let is_before = self.op(Core::Less, &[side[0].0, zero])?;
            let is_behind = self.op(Core::LessEqual, &[cube.count, side[1].0])?;
            let is_beyond = self.op(Core::Or, &[is_before, is_behind])?;
            is_met = self.op(Core::Or, &[is_met, is_beyond])?;
        }
        Ok((direct, Seam { is_met, texels: folded }))
    }

    /// True if a column or a row is beyond an edge.
    pub(super) fn is_beyond(&mut self, at: NodeId, count: NodeId) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let before = self.op(Core::Less, &[at, zero])?;
        let behind = self.op(Core::LessEqual, &[count, at])?;
        self.op(Core::Or, &[before, behind])
    }

    /// A texel: of the face, or of that behind the edge.
    fn on_cube(
        &mut self,
        Cube { source, first, count }: Cube,
        face: NodeId,
        (x, beside): (NodeId, NodeId),
        (y, below): (NodeId, NodeId),
    ) -> Result<NodeId> {
        let [zero, one] = [0, 1].map(|word| self.splat(Type::INT, word));
        let minus_count = self.op(Core::Neg, &[count])?;
        let last = self.op(Core::Sub, &[count, one])?;
        // Twice the distances from the middle of the cube, to the centre of the texel folded around the edge.
        let mut folded = Vec::new();
        for (at, is_beyond) in [(x, beside), (y, below)] {
            let double = self.op(Core::Add, &[at, at])?;
            let centre = self.op(Core::Sub, &[double, last])?;
            let before = self.op(Core::Less, &[at, zero])?;
            let edge = self.op(Core::Select, &[before, minus_count, count])?;
            folded.push(self.op(Core::Select, &[is_beyond, edge, centre])?);
        }
        let (a, b, c) = (folded[0], folded[1], last);
        let mut minus = Vec::new();
        for of in [a, b, c] {
            minus.push(self.op(Core::Neg, &[of])?);
        }
        let &[minus_a, minus_b, minus_c] = &minus[..] else { unreachable!("there are three") };
        let mut is_face = Vec::new();
        for k in 0..5 {
            let number = self.splat(Type::INT, k);
            is_face.push(self.op(Core::Equal, &[face, number])?);
        }
        // For each axis the components on faces 0 to 5.
        let mut parts = Vec::new();
        for on_faces in [
            [c, minus_c, a, a, a, minus_a],
            [minus_b, minus_b, c, minus_c, minus_b, minus_b],
            [minus_a, a, b, minus_b, c, minus_c],
        ] {
            let mut part = on_faces[5];
            for k in (0..5).rev() {
                if on_faces[k] != part {
                    part = self.op(Core::Select, &[is_face[k], on_faces[k], part])?;
                }
            }
            parts.push(part);
        }
        let parts = [parts[0], parts[1], parts[2]];
        let (behind, choice) = self.face_of(parts)?;
        let [s, t, _] = self.seen(choice, parts)?;
        let mut place = Vec::new();
        for along in [s, t] {
            let sum = self.op(Core::Add, &[along, last])?;
            let once = self.splat(Type::UINT, 1);
            place.push(self.op(Core::ShiftRight, &[sum, once])?);
        }
        let plane = self.op(Core::Add, &[first, behind])?;
        let folded = self.construct(TRIPLE, vec![place[0], place[1], plane])?;
        let plane = self.op(Core::Add, &[first, face])?;
        let direct = self.construct(TRIPLE, vec![x, y, plane])?;
        let is_outside = self.op(Core::Or, &[beside, below])?;
        let place = match is_active(Mutant::FlatSeam) {
            true => direct,
            false => self.graph.if_([is_outside, folded, direct], self.span),
        };
        self.read(source, place, None)
    }
}
