//! Triangles to pieces: clipping, snapping, facing, and the values that their fragments need.

use lambdav_image::size::Size;

use super::assemble::Assembled;
use super::clip::{self, ClipVertex, Clipping};
use super::draw::{Draw, Interpolated};
use super::piece::{Piece, area};
use super::state::Face;
use super::vertices::Vertices;
use crate::mutants::{Mutant, is_active};

/// Marks a number of a vertex that clipping made.
const CLIPPED: u32 = 1 << 31;

/// A piece that may be dropped.
#[derive(Clone, Copy)]
struct Candidate {
    vertices: [u32; 3],
    x: [i32; 3],
    y: [i32; 3],
    piece: u8,
}

/// Sets up one triangle after another; its memory is used again.
pub(super) struct Setup<'a> {
    draw: &'a Draw<'a>,
    assembled: &'a Assembled,
    vertices: &'a Vertices,
    size: Size,
    /// Vertices of this triangle that clipping made: for each its position and the values of varyings.
    clipped: Vec<[f32; 4]>,
    candidates: Vec<Candidate>,
}

impl<'a> Setup<'a> {
    pub(super) fn new(
        draw: &'a Draw<'a>,
        assembled: &'a Assembled,
        vertices: &'a Vertices,
        size: Size,
    ) -> Self {
        let (clipped, candidates) = (Vec::new(), Vec::new());
        Self { draw, assembled, vertices, size, clipped, candidates }
    }

    /// Adds the pieces of a triangle, given its number in all instances, and the words of their values.
    pub(super) fn add(&mut self, triangle: usize, pieces: &mut Vec<Piece>, words: &mut Vec<u32>) {
        let count = self.assembled.triangles_of_instance();
        let (instance, primitive) = (triangle / count, triangle % count);
        let base = (instance * self.assembled.vertices_of_instance()) as u32;
        let numbers = self.assembled.triangle(primitive).map(|vertex| base + vertex);
        let positions = numbers.map(|number| self.vertices.get(number, 0));
        if positions.into_iter().any(clip::is_unusable) {
            return;
        }
        self.candidates.clear();
        match clip::effect(positions) {
            Clipping::Nothing => return,
            Clipping::Whole => {
                let [x, y] = self.snapped(positions);
                self.candidates.push(Candidate { vertices: numbers, x, y, piece: 0 });
            }
            Clipping::Part => self.clip(numbers, positions),
        }
        let sum: i64 = self.candidates.iter().map(|of| area(of.x, of.y)).sum();
        let is_front = (sum < 0) != self.draw.state.is_clockwise;
        let face = if is_front { Face::Front } else { Face::Back };
        if sum == 0 || self.draw.state.cull == Some(face) {
            return;
        }
        for &candidate in &self.candidates {
            let Candidate { mut vertices, mut x, mut y, piece } = candidate;
            if area(x, y).signum() != sum.signum() {
                continue;
            }
            if sum < 0 {
                vertices.swap(1, 2);
                x.swap(1, 2);
                y.swap(1, 2);
            }
            let mut of_vertices = vertices.map(|number| self.value(number, 0));
            if is_active(Mutant::WrongW) {
                let [_, second, third] = of_vertices.map(|[.., w]| w);
                (of_vertices[1][3], of_vertices[2][3]) = (third, second);
            }
            let w = of_vertices.map(|[.., w]| w);
            pieces.push(Piece {
                triangle: triangle as u32,
                primitive: primitive as u32,
                x,
                y,
                reciprocals: w.map(|w| 1.0 / w),
                depths: of_vertices.map(|[_, _, z, w]| z / w),
                piece,
                has_equal_w: w[0] == w[1] && w[1] == w[2],
                is_front,
            });
            self.add_values(vertices, numbers[0], words);
        }
    }

    /// The coordinates of the vertices in 1/256 of a pixel.
    fn snapped(&self, positions: [[f32; 4]; 3]) -> [[i32; 3]; 2] {
        [
            positions.map(|[x, _, _, w]| snapped(x, w, self.size.width())),
            positions.map(|[_, y, _, w]| snapped(y, w, self.size.height())),
        ]
    }

    /// Makes the pieces of a triangle that is clipped.
    fn clip(&mut self, numbers: [u32; 3], positions: [[f32; 4]; 3]) {
        let values = self.vertices.values;
        let polygon = numbers.iter().zip(positions).map(|(&number, position)| {
            let values = (1..values).map(|value| self.vertices.get(number, value)).collect();
            ClipVertex { position, values, number: Some(number) }
        });
        let polygon = clip::clip(polygon.collect(), self.draw.varied);
        self.clipped.clear();
        let made: Vec<(u32, [f32; 4])> = polygon
            .iter()
            .map(|vertex| {
                let number = vertex.number.unwrap_or_else(|| {
                    let number = self.clipped.len() / values;
                    self.clipped.push(vertex.position);
                    self.clipped.extend_from_slice(&vertex.values);
                    CLIPPED | number as u32
                });
                (number, vertex.position)
            })
            .collect();
        for last in 2..made.len() {
            let of_piece = [made[0], made[last - 1], made[last]];
            let [x, y] = self.snapped(of_piece.map(|(_, position)| position));
            let vertices = of_piece.map(|(number, _)| number);
            self.candidates.push(Candidate { vertices, x, y, piece: last as u8 - 2 });
        }
    }

    /// The value of a vertex of this triangle: the position is value 0.
    #[inline]
    fn value(&self, number: u32, value: usize) -> [f32; 4] {
        if number & CLIPPED == 0 {
            return self.vertices.get(number, value);
        }
        self.clipped[(number & !CLIPPED) as usize * self.vertices.values + value]
    }

    /// Adds the values of varyings at the vertices. The vertex `first` has those of flat ones.
    fn add_values(&self, vertices: [u32; 3], first: u32, words: &mut Vec<u32>) {
        for (number, varied) in self.draw.varied.iter().enumerate() {
            let count = usize::from(varied.components);
            let mut put = |vertex| {
                let value: [f32; 4] = self.value(vertex, 1 + number);
                words.extend(value[..count].iter().map(|part| part.to_bits()));
            };
            match varied.interpolated {
                Interpolated::Flat if is_active(Mutant::FlatOfPolygon) => put(vertices[0]),
                Interpolated::Flat => put(first),
                Interpolated::Perspective | Interpolated::Linear => {
                    vertices.into_iter().for_each(put);
                }
            }
        }
    }
}

/// A sum with this number rounds to an integer, ties to even.
const ROUNDING: f64 = 1.5 * (1_u64 << 52) as f64;

/// A coordinate in 1/256 of a pixel of an image with that side.
fn snapped(coordinate: f32, w: f32, side: u32) -> i32 {
    let side = side as f32;
    let half = side / 2.0;
    let place = ((coordinate / w) * half + half) * 256.0;
    let (least, most) = (-2048.0 * side, 2048.0 * side);
    let place = if place < least { least } else { place };
    let place = if most < place { most } else { place };
    ((f64::from(place) + ROUNDING) - ROUNDING) as i32
}
