//! Textures: texels, sizes, and samples, which are expansions (LANGUAGE §12); derivatives (§13).

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::{Axis, NodeId, Side};
use lambdav_core::inputs::Input;
use lambdav_core::interface::Stage;
use lambdav_core::op::{Elementary, Op as Core};
use lambdav_core::source::Span;
use lambdav_core::texture::{Filter, TextureOptions, Wrap};
use lambdav_core::types::{ResourceKind, Scalar, Type};
use rspirv::spirv::{ImageOperands, Op};

const PAIR: Type = Type::of(Scalar::I32, 2);

/// The optional image operands that are supported.
#[derive(Default)]
struct Optional {
    bias: Option<u32>,
    level: Option<u32>,
    gradients: Option<[u32; 2]>,
    offset: Option<u32>,
}

impl Raiser<'_, '_> {
    /// Reads or queries a texture.
    pub(super) fn of_image(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let image = self.image(of.operand(2)?)?;
        let zero = self.splat(Type::INT, 0);
        match of.op {
            Op::ImageQueryLevels => self.op(Core::TextureLevels, &[image]),
            Op::ImageQuerySize => self.op(Core::TextureSize, &[image, zero]),
            Op::ImageQuerySizeLod => {
                let level = self.operand(of, 3)?;
                let level = self.integer_as(level, Scalar::I32)?;
                self.op(Core::TextureSize, &[image, level])
            }
            Op::ImageFetch | Op::ImageRead => {
                let (image, place, level) = self.fetched(of)?;
                self.op(Core::Texel, &[image, place, level])
            }
            _ => self.sample(of, image),
        }
    }

    /// The texture, the place and the level of a fetch.
    pub(super) fn fetched(&mut self, of: &Instruction<'_>) -> Result<(NodeId, NodeId, NodeId)> {
        let image = self.image(of.operand(2)?)?;
        let zero = self.splat(Type::INT, 0);
        // Further components of the coordinate are unused in two dimensions.
        let place = self.operand(of, 3)?;
        let place = self.integer_as(place, Scalar::I32)?;
        let parts = self.scalars(&[place])?;
        let Some(&[x, y]) = parts.first_chunk() else {
            return Err(of.malformed("its place has less than two components"));
        };
        let mut place = match parts.len() {
            2 => place,
            _ => self.construct(PAIR, vec![x, y])?,
        };
        let optional = optional(of, 4)?;
        if let Some(offset) = optional.offset {
            let offset = self.node(offset)?;
            let offset = self.integer_as(offset, Scalar::I32)?;
            place = self.op(Core::Add, &[place, offset])?;
        }
        let level = match optional.level {
            None => zero,
            Some(level) => {
                let level = self.node(level)?;
                self.integer_as(level, Scalar::I32)?
            }
        };
        Ok((image, place, level))
    }

    fn sample(&mut self, of: &Instruction<'_>, image: NodeId) -> Result<NodeId> {
        let place = self.operand(of, 3)?;
        // Further components of the coordinate are unused in two dimensions.
        let parts = self.scalars(&[place])?;
        let Some(&[u, v]) = parts.first_chunk() else {
            return Err(of.malformed("its place has less than two components"));
        };
        let place = self.construct(Type::vec(2), vec![u, v])?;
        let options = self.texture_options(image)?;
        let optional = optional(of, 4)?;
        let offset = match optional.offset {
            Some(offset) => {
                let offset = self.node(offset)?;
                Some(self.integer_as(offset, Scalar::I32)?)
            }
            None => None,
        };
        let zero = self.splat(Type::INT, 0);
        if !options.mipmaps {
            return self.of_level(image, place, offset, options, zero);
        }
        let level = match (optional.level, optional.gradients) {
            (Some(level), _) => self.node(level)?,
            (None, gradients) => {
                let [dx, dy] = match gradients {
                    Some([dx, dy]) => [self.node(dx)?, self.node(dy)?],
                    None => [self.difference(place, Axis::X)?, self.difference(place, Axis::Y)?],
                };
                let level = self.level_of_detail(image, dx, dy)?;
                match optional.bias {
                    Some(bias) => {
                        let bias = self.node(bias)?;
                        self.op(Core::Add, &[level, bias])?
                    }
                    None => level,
                }
            }
        };
        self.at_level(image, place, offset, options, level)
    }

    fn texture_options(&self, image: NodeId) -> Result<TextureOptions> {
        match self.graph.types().resource_kind(self.type_of(image)) {
            Some(ResourceKind::Texture(options)) => Ok(options),
            _ => Err(RaiseError::malformed("it is no texture")),
        }
    }

    /// The level of detail for gradients `dx` and `dy` of the sample position.
    fn level_of_detail(&mut self, image: NodeId, dx: NodeId, dy: NodeId) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let size = self.op(Core::TextureSize, &[image, zero])?;
        let size = self.op(Core::Convert(Scalar::F32), &[size])?;
        let [d, e] = [self.op(Core::Mul, &[dx, size])?, self.op(Core::Mul, &[dy, size])?];
        let [d, e] = [self.dot(d, d)?, self.dot(e, e)?];
        let most = self.op(Core::Max, &[d, e])?;
        let level = self.op(Core::Elementary(Elementary::Log2), &[most])?;
        let half = self.number(Type::NUM, 0.5);
        self.op(Core::Mul, &[half, level])
    }

    /// A sample at a level of detail, which may lie between two levels.
    fn at_level(
        &mut self,
        image: NodeId,
        place: NodeId,
        offset: Option<NodeId>,
        options: TextureOptions,
        level: NodeId,
    ) -> Result<NodeId> {
        let one = self.splat(Type::INT, 1);
        let least = self.number(Type::NUM, 0.0);
        let count = self.op(Core::TextureLevels, &[image])?;
        let last = self.op(Core::Sub, &[count, one])?;
        let last = self.op(Core::Convert(Scalar::F32), &[last])?;
        let clamped = self.op(Core::Max, &[least, level])?;
        let clamped = self.op(Core::Min, &[clamped, last])?;
        match options.filter {
            Filter::Nearest => {
                let level = self.op(Core::RoundEven, &[clamped])?;
                let level = self.op(Core::Convert(Scalar::I32), &[level])?;
                self.of_level(image, place, offset, options, level)
            }
            Filter::Linear => {
                let floor = self.op(Core::Floor, &[clamped])?;
                let level = self.op(Core::Convert(Scalar::I32), &[floor])?;
                let next = self.op(Core::Add, &[level, one])?;
                let first = self.of_level(image, place, offset, options, level)?;
                let second = self.of_level(image, place, offset, options, next)?;
                let part = self.fract(clamped)?;
                self.mixed(first, second, part)
            }
        }
    }

    /// A sample of one level.
    fn of_level(
        &mut self,
        image: NodeId,
        place: NodeId,
        offset: Option<NodeId>,
        options: TextureOptions,
        level: NodeId,
    ) -> Result<NodeId> {
        let size = self.op(Core::TextureSize, &[image, level])?;
        let sizes = self.op(Core::Convert(Scalar::F32), &[size])?;
        let scaled = self.op(Core::Mul, &[place, sizes])?;
        let moved = |s: &mut Self, at: NodeId| match offset {
            Some(offset) => s.op(Core::Add, &[at, offset]),
            None => Ok(at),
        };
        if options.filter == Filter::Nearest {
            let floor = self.op(Core::Floor, &[scaled])?;
            let at = self.op(Core::Convert(Scalar::I32), &[floor])?;
            let at = moved(self, at)?;
            let at = self.wrapped(at, size, options.wrap)?;
            return self.op(Core::Texel, &[image, at, level]);
        }
        let half = self.number(Type::vec(2), 0.5);
        let q = self.op(Core::Sub, &[scaled, half])?;
        let floor = self.op(Core::Floor, &[q])?;
        let part = self.op(Core::Sub, &[q, floor])?;
        let at = self.op(Core::Convert(Scalar::I32), &[floor])?;
        let at = moved(self, at)?;
        let mut texels = Vec::new();
        for by in [[0, 0], [1, 0], [0, 1], [1, 1]] {
            let at = match by {
                [0, 0] => at,
                _ => {
                    let by = self.graph.constant(PAIR, &by, self.span);
                    self.op(Core::Add, &[at, by])?
                }
            };
            let at = self.wrapped(at, size, options.wrap)?;
            texels.push(self.op(Core::Texel, &[image, at, level])?);
        }
        let [x, y] = [0, 1].map(|k| self.op(Core::Component(k), &[part]));
        let (x, y) = (x?, y?);
        let upper = self.mixed(texels[0], texels[1], x)?;
        let lower = self.mixed(texels[2], texels[3], x)?;
        self.mixed(upper, lower, y)
    }

    fn mixed(&mut self, a: NodeId, b: NodeId, part: NodeId) -> Result<NodeId> {
        let ty = self.type_of(a);
        let part = self.spread(part, ty)?;
        let one = self.number(ty, 1.0);
        let rest = self.op(Core::Sub, &[one, part])?;
        let [a, b] = [self.op(Core::Mul, &[a, rest])?, self.op(Core::Mul, &[b, part])?];
        self.op(Core::Add, &[a, b])
    }

    /// Wraps a texel's coordinates into a level of that size. (The texel operation itself clamps.)
    fn wrapped(&mut self, at: NodeId, size: NodeId, wrap: Wrap) -> Result<NodeId> {
        match wrap {
            Wrap::Clamp => Ok(at),
            Wrap::Repeat => self.floored_remainder(at, size),
            Wrap::Mirror => {
                let double = self.op(Core::Add, &[size, size])?;
                let m = self.floored_remainder(at, double)?;
                let is_first = self.op(Core::Less, &[m, size])?;
                let one = self.splat(PAIR, 1);
                let last = self.op(Core::Sub, &[double, one])?;
                let back = self.op(Core::Sub, &[last, m])?;
                self.op(Core::Select, &[is_first, m, back])
            }
        }
    }

    /// The remainder of coordinates by positive sizes, rounded down, without the tests of signs that other
    /// divisors need. With s the sign of a, 0 or −1, and r the remainder of a xor s, which is not negative, it
    /// is r, or size − 1 − r for negative a.
    fn floored_remainder(&mut self, a: NodeId, size: NodeId) -> Result<NodeId> {
        let count = self.splat(PAIR, 31);
        let sign = self.op(Core::ShiftRight, &[a, count])?;
        let flipped = self.op(Core::Xor, &[a, sign])?;
        let rest = self.op(Core::Rem, &[flipped, size])?;
        let rest = self.op(Core::Xor, &[rest, sign])?;
        let more = self.op(Core::And, &[size, sign])?;
        self.op(Core::Add, &[rest, more])
    }

    /// The derivative of an instruction: coarse and fine ones are those of LANGUAGE §13.
    pub(super) fn derivative(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        self.demand(Stage::has_derivatives, "derivatives")?;
        let x = self.operand(of, 2)?;
        match of.op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => self.difference(x, Axis::X),
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => self.difference(x, Axis::Y),
            _ => {
                let [dx, dy] = [self.difference(x, Axis::X)?, self.difference(x, Axis::Y)?];
                let [dx, dy] = [self.op(Core::Abs, &[dx])?, self.op(Core::Abs, &[dy])?];
                self.op(Core::Add, &[dx, dy])
            }
        }
    }

    /// The value of another pixel of the quad.
    pub(super) fn swapped(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        self.demand(Stage::has_derivatives, "quads")?;
        let x = self.operand(of, 3)?;
        let direction = self.operand(of, 4)?;
        let axes = match self.graph.constant_words(direction) {
            Some([0]) => &[Axis::X][..],
            Some([1]) => &[Axis::Y],
            Some([2]) => &[Axis::X, Axis::Y],
            _ => return Err(of.malformed("its direction is none")),
        };
        let mut value = x;
        for &axis in axes {
            value = self.across(value, axis)?;
        }
        Ok(value)
    }

    /// The value of the other pixel along an axis.
    fn across(&mut self, x: NodeId, axis: Axis) -> Result<NodeId> {
        if !self.graph.free_loops(x).is_empty() {
            self.alike.push((x, self.span));
            return Ok(x);
        }
        let position = self.graph.input(Input::FragCoord, self.span);
        let coordinate = self.op(Core::Component((axis == Axis::Y).into()), &[position])?;
        let pixel = self.op(Core::Convert(Scalar::U32), &[coordinate])?;
        let one = self.splat(Type::UINT, 1);
        let parity = self.op(Core::And, &[pixel, one])?;
        let is_odd = self.op(Core::Equal, &[parity, one])?;
        let neighbours = &mut self.neighbours;
        let [even, odd] =
            [Side::Even, Side::Odd].map(|side| self.graph.at_neighbour(neighbours, x, axis, side));
        self.op(Core::Select, &[is_odd, even, odd])
    }

    fn difference(&mut self, x: NodeId, axis: Axis) -> Result<NodeId> {
        if !self.graph.free_loops(x).is_empty() {
            // Assumed to be zero; checked when the loops are complete.
            self.alike.push((x, self.span));
            return self.op(Core::Sub, &[x, x]);
        }
        let neighbours = &mut self.neighbours;
        let [even, odd] =
            [Side::Even, Side::Odd].map(|side| self.graph.at_neighbour(neighbours, x, axis, side));
        self.op(Core::Sub, &[odd, even])
    }

    /// Refuses derivatives of values that loops around them compute, unless the values are the same at
    /// all pixels.
    pub(super) fn check_alike(&self) -> Result<()> {
        let differs = |(node, _): &&(NodeId, Span)| !self.graph.is_same_everywhere(*node);
        let Some(&(_, span)) = self.alike.iter().find(differs) else { return Ok(()) };
        let what = "a derivative inside a loop, of a value that it computes from coordinates";
        let mut error = RaiseError::unsupported(what)
            .help("take it outside the loop, or give the level of detail");
        error.span = Some(span);
        Err(error)
    }
}

/// The optional operands from that index on.
fn optional(of: &Instruction<'_>, from: usize) -> Result<Optional> {
    let mut all = Optional::default();
    let Some(&mask) = of.operands.get(from) else { return Ok(all) };
    let Some(mask) = ImageOperands::from_bits(mask) else {
        return Err(of.unsupported("operands that are not known"));
    };
    let mut next = from + 1;
    let mut take = |count: usize| {
        next += count;
        (0..count).map(|k| of.operand(next - count + k)).collect::<Result<Vec<u32>>>()
    };
    for one in mask.iter() {
        match one {
            ImageOperands::BIAS => all.bias = Some(take(1)?[0]),
            ImageOperands::LOD => all.level = Some(take(1)?[0]),
            ImageOperands::GRAD => {
                let of = take(2)?;
                all.gradients = Some([of[0], of[1]]);
            }
            ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => {
                all.offset = Some(take(1)?[0]);
            }
            ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND => {}
            _ => return Err(of.unsupported(&format!("its operand {one:?}"))),
        }
    }
    Ok(all)
}
