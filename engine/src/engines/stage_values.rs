//! Values of the inputs of stages, for evaluators that know stage inputs.
//!
//! Interpolation is computed here from the words of the triangle, by the formulas of LANGUAGE §14, and not by the
//! arithmetic that the core has for it.

use lambdav_core::graph::{
    AttributeRate, Interpolation, Place, Side, StageInput, Varying, neighbour,
};
use lambdav_core::inputs::centre;
use lambdav_core::resource::Bound;
use lambdav_core::triangles::VertexInput;
use lambdav_core::types::Type;
use lambdav_frontend::reduction::StageValues;
use lambdav_raster::triangles::TRIANGLE_WORDS;

/// A depth clamped to [0, 1]; 0 for NaN.
pub(super) fn clamped(depth: f32) -> f32 {
    let depth = if depth < 0.0 { 0.0 } else { depth };
    let depth = if 1.0 < depth { 1.0 } else { depth };
    if depth.is_nan() { 0.0 } else { depth }
}

/// The inputs of a vertex.
pub(crate) struct Vertex<'a> {
    /// Its index.
    pub(crate) vertex: u32,
    /// The index of its instance.
    pub(crate) instance: u32,
    /// The attributes.
    pub(crate) inputs: &'a [VertexInput],
    /// The data of each attribute.
    pub(crate) data: &'a [Bound],
}

impl StageValues for Vertex<'_> {
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)> {
        match input {
            StageInput::Attribute(index) => {
                let number = self.inputs.iter().position(|of| of.attribute == index)?;
                let VertexInput { ty, rate, .. } = self.inputs[number];
                let data = self.data[number].buffer()?;
                let index = match rate {
                    AttributeRate::Vertex => self.vertex,
                    AttributeRate::Instance => self.instance,
                };
                Some((ty, data.element((index as usize).min(data.len() - 1)).into()))
            }
            StageInput::VertexIndex => Some((Type::INT, [self.vertex].into())),
            StageInput::InstanceIndex => Some((Type::INT, [self.instance].into())),
            _ => None,
        }
    }
}

/// The inputs of a fragment: words of the triangle, and the pixel.
pub(crate) struct Fragment<'a> {
    pub(crate) words: &'a [u32],
    /// The varyings that fragments use, in the order of the words, with their indices.
    pub(crate) varyings: &'a [(u32, Varying)],
    pub(crate) x: u32,
    pub(crate) y: u32,
}

impl Fragment<'_> {
    /// The word of the triangle that is its number in the instance.
    pub(crate) const PRIMITIVE_INDEX: usize = 29;

    fn number(&self, word: usize) -> f32 {
        f32::from_bits(self.words[word])
    }

    /// The weights E/A of the edges at a place.
    fn weights(&self, place: Place) -> [f32; 3] {
        let moved = |pixel: u32, side: Option<Side>| {
            let here = centre(pixel);
            f64::from(side.map_or(here, |side| neighbour(here, side)))
        };
        let (x, y) = (moved(self.x, place.x), moved(self.y, place.y));
        let area = self.number(21);
        [0, 7, 14].map(|edge| {
            let wide = |k: usize| f64::from(self.number(edge + k));
            let (by_x, by_y) = (wide(0) + wide(1), wide(2) + wide(3));
            let origin = wide(4) + wide(5) + wide(6);
            (by_x * x + (by_y * y + origin)) as f32 / area
        })
    }

    /// The weights that are linear in clip space, and 1/w.
    fn perspective(&self, b: [f32; 3]) -> ([f32; 3], f32) {
        if self.words[28] != 0 {
            return (b, self.number(22));
        }
        let r = [0, 1, 2].map(|k| b[k] * self.number(22 + k));
        let q = (r[0] + r[1]) + r[2];
        (r.map(|r| r / q), q)
    }
}

fn interpolated(v: [f32; 3], b: [f32; 3]) -> f32 {
    v[0] + ((v[1] - v[0]) * b[1] + (v[2] - v[0]) * b[2])
}

/// The bits of a computed number.
fn bits(number: f32) -> u32 {
    lambdav_core::float::canonical_bits(number)
}

impl StageValues for Fragment<'_> {
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)> {
        let num = |number: f32| Some((Type::NUM, [bits(number)].into()));
        match input {
            StageInput::PrimitiveIndex => {
                Some((Type::INT, [self.words[Self::PRIMITIVE_INDEX]].into()))
            }
            StageInput::FrontFacing => Some((Type::BOOL, [self.words[30]].into())),
            StageInput::Depth(place) => {
                let of = [0, 1, 2].map(|k| self.number(25 + k));
                num(clamped(interpolated(of, self.weights(place))))
            }
            StageInput::W(place) => num(self.perspective(self.weights(place)).1),
            StageInput::Varying(index, place) => {
                let mut first = TRIANGLE_WORDS;
                for (other, varying) in self.varyings {
                    let count = usize::from(varying.ty.width().unwrap_or(1));
                    let is_flat = varying.interpolation == Interpolation::Flat;
                    if *other != index {
                        first += if is_flat { count } else { 3 * count };
                        continue;
                    }
                    if is_flat {
                        return Some((varying.ty, self.words[first..][..count].into()));
                    }
                    let b = self.weights(place);
                    let b = match varying.interpolation {
                        Interpolation::Linear => b,
                        _ => self.perspective(b).0,
                    };
                    let part = |k: usize| {
                        let of = [0, 1, 2].map(|vertex| self.number(first + vertex * count + k));
                        bits(interpolated(of, b))
                    };
                    return Some((varying.ty, (0..count).map(part).collect()));
                }
                None
            }
            _ => None,
        }
    }
}
