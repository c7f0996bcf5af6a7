//! Textures: texels, sizes, and samples, which are expansions (LANGUAGE §12); derivatives (§13).

use super::cubes::{Cube, Face};
use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::{Axis, NodeId, Side};
use lambdav_core::inputs::Input;
use lambdav_core::interface::Stage;
use lambdav_core::op::{Elementary, Op as Core};
use lambdav_core::source::Span;
use lambdav_core::texture::{Filter, TextureKind, TextureOptions, Wrap};
use lambdav_core::types::{ResourceKind, Scalar, Type};
use rspirv::spirv::{ImageOperands, Op};

const PAIR: Type = Type::of(Scalar::I32, 2);
const TRIPLE: Type = Type::of(Scalar::I32, 3);

/// The optional image operands that are supported.
#[derive(Default)]
struct Optional {
    bias: Option<u32>,
    level: Option<u32>,
    gradients: Option<[u32; 2]>,
    offset: Option<u32>,
}

/// The place of a sample.
#[derive(Clone, Copy)]
enum Place {
    /// A place, a `vec2`, on a plane, an `int`; none of a texture with one.
    Plane(NodeId, Option<NodeId>),
    /// A place in a volume, a `vec3`.
    Volume(NodeId),
    /// A place, a `vec2`, on a face of a cube; the plane of the cube's first face, an `int`.
    Cube(Face, NodeId, NodeId),
}

impl Raiser<'_, '_> {
    /// Reads or queries a texture.
    pub(super) fn of_image(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let image = self.image(of.operand(2)?)?;
        let zero = self.splat(Type::INT, 0);
        match of.op {
            Op::ImageQueryLevels => self.op(Core::TextureLevels, &[image]),
            Op::ImageQuerySize => self.size_in_module(image, zero),
            Op::ImageQuerySizeLod => {
                let level = self.operand(of, 3)?;
                let level = self.integer_as(level, Scalar::I32)?;
                self.size_in_module(image, level)
            }
            Op::ImageFetch | Op::ImageRead => {
                let (image, place, level) = self.fetched(of)?;
                self.op(Core::Texel, &[image, place, level])
            }
            _ => self.sample(of, image),
        }
    }

    /// The size that a module asks for: a cube has no planes there, and an array of cubes has their number.
    fn size_in_module(&mut self, image: NodeId, level: NodeId) -> Result<NodeId> {
        let size = self.op(Core::TextureSize, &[image, level])?;
        let parts = self.scalars(&[size])?;
        match self.texture_options(image)?.kind {
            TextureKind::Flat | TextureKind::Array | TextureKind::Volume => Ok(size),
            TextureKind::Cube => self.construct(PAIR, vec![parts[0], parts[1]]),
            TextureKind::CubeArray => {
                let six = self.splat(Type::INT, 6);
                let cubes = self.op(Core::Div, &[parts[2], six])?;
                self.construct(TRIPLE, vec![parts[0], parts[1], cubes])
            }
        }
    }

    /// The texture, the place and the level of a fetch.
    pub(super) fn fetched(&mut self, of: &Instruction<'_>) -> Result<(NodeId, NodeId, NodeId)> {
        let image = self.image(of.operand(2)?)?;
        let kind = self.texture_options(image)?.kind;
        let zero = self.splat(Type::INT, 0);
        // Further components of the coordinate are unused.
        let place = self.operand(of, 3)?;
        let place = self.integer_as(place, Scalar::I32)?;
        let parts = self.scalars(&[place])?;
        let axes = usize::from(kind.axes());
        let Some(needed) = parts.get(..axes) else {
            return Err(of.malformed(&format!("its place has less than {axes} components")));
        };
        let ty = Type::of(Scalar::I32, kind.axes());
        let mut place = match parts.len() == axes {
            true => place,
            false => self.construct(ty, needed.to_vec())?,
        };
        let optional = optional(of, 4)?;
        if let Some(offset) = optional.offset {
            let offset = self.node(offset)?;
            let offset = self.integer_as(offset, Scalar::I32)?;
            let mut parts = self.scalars(&[offset])?;
            parts.resize(axes, zero);
            let offset = self.construct(ty, parts)?;
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
        let options = self.texture_options(image)?;
        let place = self.operand(of, 3)?;
        // Further components of the coordinate are unused.
        let parts = self.scalars(&[place])?;
        let (axes, count) = match options.kind {
            TextureKind::Flat => (2, 2),
            TextureKind::Array => (2, 3),
            TextureKind::Volume | TextureKind::Cube => (3, 3),
            TextureKind::CubeArray => (3, 4),
        };
        if parts.len() < count {
            return Err(of.malformed(&format!("its place has less than {count} components")));
        }
        // What moves from pixel to pixel.
        let moving = self.construct(Type::vec(axes), parts[..usize::from(axes)].to_vec())?;
        let optional = optional(of, 4)?;
        let offset = match optional.offset {
            Some(offset) => {
                let offset = self.node(offset)?;
                Some(self.integer_as(offset, Scalar::I32)?)
            }
            None => None,
        };
        let zero = self.splat(Type::INT, 0);
        let at = match options.kind {
            TextureKind::Flat => Place::Plane(moving, None),
            TextureKind::Array => Place::Plane(moving, Some(self.layer(parts[2])?)),
            TextureKind::Volume => Place::Volume(moving),
            TextureKind::Cube | TextureKind::CubeArray => {
                let face = self.face(moving)?;
                let first = match options.kind {
                    TextureKind::CubeArray => self.first_face(image, parts[3])?,
                    _ => zero,
                };
                Place::Cube(face, self.place_on(face)?, first)
            }
        };
        if !options.mipmaps {
            return self.of_level(image, at, offset, options, zero);
        }
        let level = match (optional.level, optional.gradients) {
            (Some(level), _) => self.node(level)?,
            (None, gradients) => {
                let mut moves = match gradients {
                    Some([dx, dy]) => [self.node(dx)?, self.node(dy)?],
                    None => [self.difference(moving, Axis::X)?, self.difference(moving, Axis::Y)?],
                };
                if let Place::Cube(face, ..) = at {
                    for by in &mut moves {
                        *by = self.move_on(face, *by)?;
                    }
                }
                let level = self.level_of_detail(image, moves)?;
                match optional.bias {
                    Some(bias) => {
                        let bias = self.node(bias)?;
                        self.op(Core::Add, &[level, bias])?
                    }
                    None => level,
                }
            }
        };
        self.at_level(image, at, offset, options, level)
    }

    /// The nearest layer, ties to even; a texel's plane is clamped.
    fn layer(&mut self, layer: NodeId) -> Result<NodeId> {
        let layer = self.op(Core::RoundEven, &[layer])?;
        self.op(Core::Convert(Scalar::I32), &[layer])
    }

    /// The plane of the first face of a cube in an array.
    fn first_face(&mut self, image: NodeId, layer: NodeId) -> Result<NodeId> {
        let layer = self.layer(layer)?;
        let [zero, one, six] = [0, 1, 6].map(|word| self.splat(Type::INT, word));
        let size = self.op(Core::TextureSize, &[image, zero])?;
        let planes = self.op(Core::Component(2), &[size])?;
        let cubes = self.op(Core::Div, &[planes, six])?;
        let last = self.op(Core::Sub, &[cubes, one])?;
        let layer = self.op(Core::Max, &[layer, zero])?;
        let layer = self.op(Core::Min, &[layer, last])?;
        self.op(Core::Mul, &[layer, six])
    }

    fn texture_options(&self, image: NodeId) -> Result<TextureOptions> {
        match self.graph.types().resource_kind(self.type_of(image)) {
            Some(ResourceKind::Texture(options)) => Ok(options),
            _ => Err(RaiseError::malformed("it is no texture")),
        }
    }

    /// The level of detail for moves of the sample position to the next pixels.
    fn level_of_detail(&mut self, image: NodeId, moves: [NodeId; 2]) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let size = self.op(Core::TextureSize, &[image, zero])?;
        let size = self.op(Core::Convert(Scalar::F32), &[size])?;
        let ty = self.type_of(moves[0]);
        let mut sides = self.scalars(&[size])?;
        sides.truncate(self.graph.types().components(ty));
        let size = self.construct(ty, sides)?;
        let mut squares = Vec::new();
        for by in moves {
            let by = self.op(Core::Mul, &[by, size])?;
            squares.push(self.dot(by, by)?);
        }
        let most = self.op(Core::Max, &[squares[0], squares[1]])?;
        let level = self.op(Core::Elementary(Elementary::Log2), &[most])?;
        let half = self.number(Type::NUM, 0.5);
        self.op(Core::Mul, &[half, level])
    }

    /// A sample at a level of detail, which may lie between two levels.
    fn at_level(
        &mut self,
        image: NodeId,
        place: Place,
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
        place: Place,
        offset: Option<NodeId>,
        options: TextureOptions,
        level: NodeId,
    ) -> Result<NodeId> {
        let whole = self.op(Core::TextureSize, &[image, level])?;
        let (at, axes) = match place {
            Place::Plane(at, _) | Place::Cube(_, at, _) => (at, 2),
            Place::Volume(at) => (at, 3),
        };
        let mut sides = self.scalars(&[whole])?;
        sides.truncate(axes);
        let ty = Type::of(Scalar::I32, axes as u8);
        let size = self.construct(ty, sides.clone())?;
        let sizes = self.op(Core::Convert(Scalar::F32), &[size])?;
        let scaled = self.op(Core::Mul, &[at, sizes])?;
        let is_nearest = options.filter == Filter::Nearest;
        let (first, part) = match is_nearest {
            true => {
                let floor = self.op(Core::Floor, &[scaled])?;
                (floor, None)
            }
            false => {
                let half = self.number(self.type_of(scaled), 0.5);
                let q = self.op(Core::Sub, &[scaled, half])?;
                let floor = self.op(Core::Floor, &[q])?;
                (floor, Some(self.op(Core::Sub, &[q, floor])?))
            }
        };
        let mut at = self.op(Core::Convert(Scalar::I32), &[first])?;
        if let Some(offset) = offset {
            at = self.op(Core::Add, &[at, offset])?;
        }
        // The texels are those that differ along no axis, along x, along y, both, and so on.
        let count = if part.is_some() { 1 << axes } else { 1 };
        let texels = match place {
            Place::Cube(face, _, first) if part.is_some() => {
                let cube = Cube { image, level, first, count: sides[0] };
                self.around(cube, face.number, at)?
            }
            _ => {
                let mut texels = Vec::new();
                for k in 0..count {
                    let by: Vec<u32> = (0..axes as u32).map(|axis| k >> axis & 1).collect();
                    let at = match k {
                        0 => at,
                        _ => {
                            let by = self.graph.constant(ty, &by, self.span);
                            self.op(Core::Add, &[at, by])?
                        }
                    };
                    // The edges of a cube have other faces behind them.
                    let wrap = match place {
                        Place::Cube(..) => Wrap::Clamp,
                        Place::Plane(..) | Place::Volume(_) => options.wrap,
                    };
                    let mut at = self.wrapped(at, size, wrap)?;
                    let plane = match place {
                        Place::Plane(_, plane) => plane,
                        Place::Volume(_) => None,
                        Place::Cube(face, _, first) => {
                            Some(self.op(Core::Add, &[first, face.number])?)
                        }
                    };
                    if let Some(plane) = plane {
                        let mut parts = self.scalars(&[at])?;
                        parts.push(plane);
                        at = self.construct(TRIPLE, parts)?;
                    }
                    texels.push(self.op(Core::Texel, &[image, at, level])?);
                }
                texels
            }
        };
        let Some(part) = part else { return Ok(texels[0]) };
        let mut mixed = texels;
        for axis in 0..axes as u8 {
            let part = self.op(Core::Component(axis), &[part])?;
            let pairs = mixed.chunks(2).map(|pair| self.mixed(pair[0], pair[1], part));
            mixed = pairs.collect::<Result<_>>()?;
        }
        Ok(mixed[0])
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
                let one = self.splat(self.type_of(at), 1);
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
        let width = self.type_of(a).width().unwrap_or(1);
        let count = self.splat(Type::of(Scalar::U32, width), 31);
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
