//! Reads and queries of textures.

use super::raiser::{Image, Raiser};
use crate::error::{RaiseError, Result};
use crate::module::{ImageShape, Instruction};
use lambdav_core::graph::NodeId;
use lambdav_core::inputs::Input;
use lambdav_core::interface::Stage;
use lambdav_core::op::Op as Core;
use lambdav_core::texture::TextureOptions;
use lambdav_core::types::{ResourceKind, Scalar, Type};
use rspirv::spirv::{ImageOperands, Op};

/// The optional image operands that are supported.
#[derive(Default)]
pub(super) struct Optional {
    pub(super) bias: Option<u32>,
    pub(super) level: Option<u32>,
    pub(super) gradients: Option<[u32; 2]>,
    pub(super) offset: Option<u32>,
    /// An array of four.
    pub(super) offsets: Option<u32>,
    pub(super) sample: Option<u32>,
    pub(super) least_level: Option<u32>,
}

/// A fetch of a texel.
pub(super) struct Fetch {
    pub(super) image: Image,
    /// Column, row, and so on; the layer or sample is the last. They are `int`s.
    place: Vec<NodeId>,
    /// An `int`.
    pub(super) level: NodeId,
}

impl Raiser<'_, '_> {
    /// Reads or queries a texture.
    pub(super) fn of_image(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let image = self.image(of.operand(2)?)?;
        let zero = self.splat(Type::INT, 0);
        match of.op {
            Op::ImageQueryLevels => self.by_element(&image.of, |raiser, (image, _)| {
                raiser.op(Core::TextureLevels, &[image])
            }),
            Op::ImageQuerySamples => self.by_element(&image.of, |raiser, (image, _)| {
                let size = raiser.op(Core::TextureSize, &[image, zero])?;
                raiser.op(Core::Component(2), &[size])
            }),
            Op::ImageQuerySize => self.size_in_module(&image, zero),
            Op::ImageQuerySizeLod => {
                let level = self.operand(of, 3)?;
                let level = self.integer_as(level, Scalar::I32)?;
                self.size_in_module(&image, level)
            }
            Op::ImageFetch | Op::ImageRead => {
                let fetch = self.fetched(of)?;
                self.by_element(&fetch.image.of, |raiser, (image, _)| {
                    let place = raiser.place_of_texel(image, &fetch)?;
                    raiser.op(Core::Texel, &[image, place, fetch.level])
                })
            }
            _ => self.sampled(of, &image),
        }
    }

    /// The size that a module asks for: a cube has no planes there, an array of cubes has their number, and of the samples
    /// of a multisampled image nothing is said.
    fn size_in_module(&mut self, image: &Image, level: NodeId) -> Result<NodeId> {
        let ty = image.ty;
        self.by_element(&image.of, |raiser, (image, _)| {
            let size = raiser.op(Core::TextureSize, &[image, level])?;
            let sides = raiser.scalars(&[size])?;
            let mut parts = match ty.shape {
                ImageShape::Buffer => {
                    vec![raiser.op(Core::Mul, &[sides[0], sides[1]])?]
                }
                ImageShape::Line => vec![sides[0]],
                ImageShape::Volume => return Ok(size),
                _ => vec![sides[0], sides[1]],
            };
            if ty.is_array {
                parts.push(match ty.shape {
                    ImageShape::Cube => {
                        let six = raiser.splat(Type::INT, 6);
                        raiser.op(Core::Div, &[sides[2], six])?
                    }
                    _ => sides[2],
                });
            }
            raiser.vector(Scalar::I32, parts)
        })
    }

    /// A vector of scalars; of one, the scalar.
    pub(super) fn vector(&mut self, scalar: Scalar, parts: Vec<NodeId>) -> Result<NodeId> {
        match parts[..] {
            [one] => Ok(one),
            _ => self.construct(Type::of(scalar, parts.len() as u8), parts),
        }
    }

    /// The operands of a fetch.
    pub(super) fn fetched(&mut self, of: &Instruction<'_>) -> Result<Fetch> {
        let image = self.image(of.operand(2)?)?;
        let ty = image.ty;
        let zero = self.splat(Type::INT, 0);
        let place = self.operand(of, 3)?;
        let place = self.integer_as(place, Scalar::I32)?;
        let mut place = self.scalars(&[place])?;
        let count = ty.components();
        if place.len() < count {
            return Err(of.malformed(&format!("its place has less than {count} components")));
        }
        // Further components of the coordinate are unused.
        place.truncate(count);
        if ty.shape == ImageShape::Subpass {
            self.demand(Stage::has_pixels, "subpass inputs")?;
            let position = self.graph.input(Input::FragCoord, self.span);
            let pixel = self.scalars(&[position])?;
            for (at, along) in place.iter_mut().zip(pixel) {
                let along = self.op(Core::Convert(Scalar::I32), &[along])?;
                *at = self.op(Core::Add, &[along, *at])?;
            }
        }
        let optional = optional(of, 4)?;
        if let Some(offset) = optional.offset {
            let offset = self.integers(offset)?;
            for (at, by) in place.iter_mut().zip(offset).take(ty.axes()) {
                *at = self.op(Core::Add, &[*at, by])?;
            }
        }
        if ty.is_multisampled {
            place.push(match optional.sample {
                Some(sample) => self.integers(sample)?[0],
                None => zero,
            });
        }
        let level = match optional.level {
            None => zero,
            Some(level) => self.integers(level)?[0],
        };
        Ok(Fetch { image, place, level })
    }

    /// The components of integers, as `int`s.
    pub(super) fn integers(&mut self, id: u32) -> Result<Vec<NodeId>> {
        let value = self.node(id)?;
        let value = self.integer_as(value, Scalar::I32)?;
        self.scalars(&[value])
    }

    /// The place of a fetched texel in a texture: column, row, and plane if there are planes.
    pub(super) fn place_of_texel(&mut self, image: NodeId, of: &Fetch) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let mut place = of.place.clone();
        match of.image.ty.shape {
            ImageShape::Line => place.insert(1, zero),
            ImageShape::Buffer => {
                let size = self.op(Core::TextureSize, &[image, zero])?;
                let sides = self.scalars(&[size])?;
                let one = self.splat(Type::INT, 1);
                let count = self.op(Core::Mul, &[sides[0], sides[1]])?;
                let last = self.op(Core::Sub, &[count, one])?;
                let at = self.op(Core::Max, &[place[0], zero])?;
                let at = self.op(Core::Min, &[at, last])?;
                place = vec![
                    self.op(Core::Rem, &[at, sides[0]])?,
                    self.op(Core::Div, &[at, sides[0]])?,
                ];
            }
            _ => {}
        }
        self.vector(Scalar::I32, place)
    }

    /// True where a fetch has a place outside its texture, or a level that is none.
    pub(super) fn is_outside(&mut self, of: &Fetch) -> Result<NodeId> {
        let is_numbered = of.image.ty.shape == ImageShape::Buffer;
        self.by_element(&of.image.of, |raiser, (image, _)| {
            let levels = raiser.op(Core::TextureLevels, &[image])?;
            let size = raiser.op(Core::TextureSize, &[image, of.level])?;
            let outside = match is_numbered {
                true => {
                    let sides = raiser.scalars(&[size])?;
                    let count = raiser.op(Core::Mul, &[sides[0], sides[1]])?;
                    raiser.beyond(of.place[0], count)?
                }
                false => {
                    let place = raiser.place_of_texel(image, of)?;
                    let outside = raiser.beyond(place, size)?;
                    raiser.any(outside)?
                }
            };
            let beyond = raiser.beyond(of.level, levels)?;
            raiser.op(Core::Or, &[beyond, outside])
        })
    }

    /// The place of a fetch, as an author wrote it, in a report.
    pub(super) fn written_place(&mut self, of: &Fetch) -> Result<NodeId> {
        self.vector(Scalar::I32, of.place.clone())
    }

    pub(super) fn texture_options(&self, image: NodeId) -> Result<TextureOptions> {
        match self.graph.types().resource_kind(self.type_of(image)) {
            Some(ResourceKind::Texture(options)) => Ok(options),
            _ => Err(RaiseError::malformed("it is no texture")),
        }
    }
}

/// The optional operands from that index on.
pub(super) fn optional(of: &Instruction<'_>, from: usize) -> Result<Optional> {
    let mut all = Optional::default();
    let Some(&mask) = of.operands.get(from) else { return Ok(all) };
    let Some(mask) = ImageOperands::from_bits(mask) else {
        return Err(of.unsupported("operands that are not known"));
    };
    let mut next = from;
    let mut take = || {
        next += 1;
        of.operand(next)
    };
    for one in mask.iter() {
        match one {
            ImageOperands::BIAS => all.bias = Some(take()?),
            ImageOperands::LOD => all.level = Some(take()?),
            ImageOperands::GRAD => all.gradients = Some([take()?, take()?]),
            ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => all.offset = Some(take()?),
            ImageOperands::CONST_OFFSETS => all.offsets = Some(take()?),
            ImageOperands::SAMPLE => all.sample = Some(take()?),
            ImageOperands::MIN_LOD => all.least_level = Some(take()?),
            ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND => {}
            _ => return Err(of.unsupported(&format!("its operand {one:?}"))),
        }
    }
    Ok(all)
}
