//! Drawing: fragments in order, their depth tests, blending and samples.

use super::assembly::triangles;
use super::clip::Corner;
use super::fragment::Fragment;
use super::interface::{DrawCall, Error, Interpolation, Shader, Vertex};
use super::number::{canonical, depth};
use super::setup::{Piece, Place, Primitive, set_up};
use super::state::DepthTest;
use crate::picture::{Coverage, Picture};
use lambdav_float_environment::with_default;
use std::collections::{BTreeMap, BTreeSet};

/// Draws all triangles of all instances.
///
/// The resulting picture has a depth, and lists the fragments of each pixel, hidden and discarded ones too.
///
/// # Errors
///
/// The first fault in the order of [`Error`].
///
/// # Panics
///
/// A size of 0 or above the limits; a shader that returns another number of varyings, components or colours
/// than the draw call declares.
pub fn draw<S: Shader + ?Sized>(
    call: &DrawCall,
    shader: &mut S,
) -> Result<Picture, Error<S::Fault>> {
    let sides = [call.width, call.height];
    assert!(sides.iter().all(|side| (1..=1 << 16).contains(side)), "{sides:?}");
    assert!(u64::from(call.width) * u64::from(call.height) <= 1 << 28, "{sides:?}");
    with_default(|| {
        let vertices = vertices(call, shader)?;
        let mut target = Target::cleared(call);
        let triangles = triangles(call.state.topology, call.indices.len());
        for instance in 0..call.instances {
            for (primitive, places) in triangles.iter().enumerate() {
                let triangle = places.map(|place| &vertices[&(instance, call.indices[place])]);
                target.draw(shader, instance, primitive as u32, triangle)?;
            }
        }
        Ok(target.resolved())
    })
}

/// Vertices by (instance, index).
type Vertices = BTreeMap<(u32, u32), Vertex>;

/// All vertices that a triangle uses.
fn vertices<S: Shader + ?Sized>(
    call: &DrawCall,
    shader: &mut S,
) -> Result<Vertices, Error<S::Fault>> {
    let places = triangles(call.state.topology, call.indices.len()).into_iter().flatten();
    let used: BTreeSet<u32> = places.map(|place| call.indices[place]).collect();
    let mut vertices = BTreeMap::new();
    for instance in 0..call.instances {
        for &index in &used {
            let mut vertex = shader.vertex(index, instance).map_err(|fault| Error::Vertex {
                instance,
                index,
                fault,
            })?;
            assert_eq!(vertex.varyings.len(), call.varyings.len(), "number of varyings");
            for (kind, words) in call.varyings.iter().zip(&mut vertex.varyings) {
                assert_eq!(words.len(), kind.components, "number of components");
                if !kind.is_integer {
                    for word in words {
                        *word = canonical(f32::from_bits(*word)).to_bits();
                    }
                }
            }
            vertices.insert((instance, index), vertex);
        }
    }
    Ok(vertices)
}

/// Samples of all pixels, row by row.
struct Target<'a> {
    call: &'a DrawCall,
    /// For each attachment, pixel and sample.
    colours: Vec<Vec<Vec<[f32; 4]>>>,
    /// For each pixel and sample.
    depths: Vec<Vec<f32>>,
    /// For each pixel.
    coverage: Vec<Vec<Coverage>>,
}

impl<'a> Target<'a> {
    fn cleared(call: &'a DrawCall) -> Self {
        let pixels = call.width as usize * call.height as usize;
        let samples = call.state.samples.count();
        let clear = call.state.clear.map(canonical);
        Self {
            call,
            colours: vec![vec![vec![clear; samples]; pixels]; call.attachments],
            depths: vec![vec![1.0; samples]; pixels],
            coverage: vec![Vec::new(); pixels],
        }
    }

    /// Draws a triangle.
    fn draw<S: Shader + ?Sized>(
        &mut self,
        shader: &mut S,
        instance: u32,
        primitive_index: u32,
        triangle: [&Vertex; 3],
    ) -> Result<(), Error<S::Fault>> {
        let call = self.call;
        let corners = triangle.map(|vertex| corner(call, vertex));
        let size = [call.width, call.height];
        let Some(primitive) = set_up(corners, &call.varyings, size, &call.state) else {
            return Ok(());
        };
        if call.state.cull.drops(primitive.is_front) {
            return Ok(());
        }
        for (x, y) in pixels(&primitive, size) {
            for piece in &primitive.pieces {
                let fragment = Fragment {
                    x,
                    y,
                    instance,
                    primitive_index,
                    front_facing: primitive.is_front,
                    call,
                    piece,
                    first: triangle[0],
                };
                self.shade(shader, &fragment).map_err(|fault| Error::Fragment {
                    instance,
                    primitive: primitive_index,
                    x,
                    y,
                    piece: piece.number,
                    fault,
                })?;
            }
        }
        Ok(())
    }

    /// Evaluates and writes a fragment, if the piece covers a sample of the pixel.
    fn shade<S: Shader + ?Sized>(
        &mut self,
        shader: &mut S,
        fragment: &Fragment<'_>,
    ) -> Result<(), S::Fault> {
        let call = self.call;
        let state = &call.state;
        let Fragment { x, y, piece, .. } = *fragment;
        let pixel = y as usize * call.width as usize + x as usize;
        let places: Vec<Place> = state
            .samples
            .places()
            .iter()
            .map(|[dx, dy]| [256 * i128::from(x) + dx, 256 * i128::from(y) + dy])
            .collect();
        let covered: Vec<usize> = (0..places.len()).filter(|&s| piece.covers(places[s])).collect();
        if covered.is_empty() {
            return Ok(());
        }
        self.coverage[pixel].push(Coverage {
            instance: fragment.instance,
            primitive: fragment.primitive_index,
            piece: piece.number,
            samples: covered.iter().fold(0, |mask, sample| mask | 1 << sample),
        });

        let mut depths: Vec<f32> = places.iter().map(|&place| piece.depth(place)).collect();
        let passing = |depths: &[f32], stored: &[f32]| -> Vec<usize> {
            let passes = |sample: usize| state.depth.passes(depths[sample], stored[sample]);
            covered.iter().copied().filter(|&sample| passes(sample)).collect()
        };
        if !call.has_depth && passing(&depths, &self.depths[pixel]).is_empty() {
            return Ok(());
        }
        if shader.discards(fragment)? {
            return Ok(());
        }
        if call.has_depth {
            depths.fill(depth(shader.depth(fragment)?));
        }
        let passing = passing(&depths, &self.depths[pixel]);
        if passing.is_empty() {
            return Ok(());
        }
        let outputs = shader.outputs(fragment)?;
        assert_eq!(outputs.len(), self.colours.len(), "number of colours");

        for sample in passing {
            if state.depth_write && state.depth != DepthTest::Off {
                self.depths[pixel][sample] = depths[sample];
            }
            for (colours, &output) in self.colours.iter_mut().zip(&outputs) {
                let target = &mut colours[pixel][sample];
                *target = state.blend.apply(output, *target).map(canonical);
            }
        }
        Ok(())
    }

    /// The picture, with one colour for each pixel.
    fn resolved(self) -> Picture {
        let resolve = |samples: &Vec<[f32; 4]>| match samples[..] {
            [s0, s1, s2, s3] => {
                std::array::from_fn(|k| canonical(((s0[k] + s1[k]) + (s2[k] + s3[k])) * 0.25))
            }
            _ => samples[0],
        };
        Picture {
            width: self.call.width,
            height: self.call.height,
            attachments: self
                .colours
                .iter()
                .map(|pixels| pixels.iter().map(resolve).collect())
                .collect(),
            depth: Some(self.depths.iter().map(|samples| samples[0]).collect()),
            coverage: self.coverage,
        }
    }
}

/// A vertex as the corner of a triangle.
fn corner(call: &DrawCall, vertex: &Vertex) -> Corner {
    let varyings =
        call.varyings.iter().zip(&vertex.varyings).map(|(kind, words)| match kind.interpolation {
            Interpolation::Flat => Vec::new(),
            Interpolation::Perspective | Interpolation::Linear => {
                words.iter().map(|&word| f32::from_bits(word)).collect()
            }
        });
    Corner { position: vertex.position, varyings: varyings.collect() }
}

/// The pixels that a triangle may cover, in scan order.
fn pixels(primitive: &Primitive, size: [u32; 2]) -> Vec<(u32, u32)> {
    let of_piece = |piece: &Piece| {
        let [columns, rows] = piece.bounds(size);
        (rows[0]..=rows[1])
            .flat_map(move |y| (columns[0]..=columns[1]).map(move |x| (y as u32, x as u32)))
    };
    let all: BTreeSet<(u32, u32)> = primitive.pieces.iter().flat_map(of_piece).collect();
    all.into_iter().map(|(y, x)| (x, y)).collect()
}
