//! Samples: expansions into texels and arithmetic, for a sampler (docs/textures.md; LANGUAGE §12).
//!
//! Each axis is computed by itself. The texels of a sample are those that differ along no axis, along x, along y, both, and so
//! on; they are compared with the reference first, if there is one, and mixed along x, then y, then z.

use super::cubes::{Cube, Face, Seam, Source};
use super::images::{Optional, optional};
use super::raiser::{Image, Raiser};
use crate::error::Result;
use crate::module::{ImageShape, ImageType, Instruction};
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::{Axis, NodeId, clear_words};
use lambdav_core::op::{Elementary, Op as Core};
use lambdav_core::sampler::{Compare, Sampler, Wrap};
use lambdav_core::texture::{Filter, Texels};
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::Op;

/// A sample, as an instruction asks for it.
struct Sample {
    ty: ImageType,
    /// Components of the place, or of a direction, without the layer.
    place: Vec<NodeId>,
    layer: Option<NodeId>,
    /// Components of the offset; none if there is none.
    offset: Vec<NodeId>,
    /// The number that texels are compared with.
    reference: Option<NodeId>,
    optional: Optional,
}

/// The place of a sample in a texture.
struct Place {
    /// Components, or those on the face of a cube.
    at: Vec<NodeId>,
    /// The plane, an `int`; of a cube, that of its first face.
    plane: Option<NodeId>,
    face: Option<Face>,
}

/// The texels of a sample of one level.
struct Around {
    texels: Vec<NodeId>,
    /// The texels near an edge of a cube's face; none of other images.
    seam: Option<Seam>,
    /// The parts by which they are mixed along each axis.
    parts: Vec<NodeId>,
}

/// Texels along an axis, with their coordinates wrapped.
struct Along {
    /// One, or two to be mixed, each with whether it has the border's colour.
    texels: Vec<(NodeId, Option<NodeId>)>,
    /// The part of the second.
    part: Option<NodeId>,
}

impl Raiser<'_, '_> {
    /// The value of an instruction that samples or gathers, or queries a level of detail.
    pub(super) fn sampled(&mut self, of: &Instruction<'_>, image: &Image) -> Result<NodeId> {
        let ty = image.ty;
        if !ty.is_sampled() {
            return Err(of.malformed("no sampler can read its image"));
        }
        let is_compared = matches!(
            of.op,
            Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleDrefExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
                | Op::ImageDrefGather
        );
        let is_divided = matches!(
            of.op,
            Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjExplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::ImageSampleProjDrefExplicitLod
        );
        let is_query = of.op == Op::ImageQueryLod;
        let place = self.operand(of, 3)?;
        // Further components of the coordinate are unused.
        let parts = self.scalars(&[place])?;
        let axes = ty.axes();
        let count = match is_query {
            true => axes,
            false => ty.components() + usize::from(is_divided),
        };
        if parts.len() < count {
            return Err(of.malformed(&format!("its place has less than {count} components")));
        }
        let mut place = parts[..axes].to_vec();
        let has_number = is_compared || of.op == Op::ImageGather;
        let mut reference = match is_compared {
            true => Some(self.operand(of, 4)?),
            false => None,
        };
        if is_divided {
            let mut reference = reference.as_mut();
            if is_active(Mutant::UndividedReference) {
                reference = None;
            }
            for at in place.iter_mut().chain(reference) {
                *at = self.op(Core::Div, &[*at, parts[axes]])?;
            }
        }
        let optional = optional(of, if has_number { 5 } else { 4 })?;
        let offset = match optional.offset {
            Some(offset) => self.integers(offset)?,
            None => Vec::new(),
        };
        let layer = (ty.is_array && !is_query).then(|| parts[axes]);
        let mut image = image.clone();
        for (_, sampler) in &mut image.of.all {
            if is_active(Mutant::SwappedFilters) {
                (sampler.mag, sampler.min) = (sampler.min, sampler.mag);
            }
            // Integers are not mixed.
            if ty.texels != Texels::Numbers {
                (sampler.mag, sampler.min) = (Filter::Nearest, Filter::Nearest);
            }
            match ty.shape {
                ImageShape::Rectangle => sampler.in_texels = true,
                // A direction has no texels.
                ImageShape::Cube => sampler.in_texels = false,
                _ => {}
            }
        }
        let sample = Sample { ty, place, layer, offset, reference, optional };
        match of.op {
            Op::ImageGather | Op::ImageDrefGather => self.gathered_texels(of, &image, &sample),
            Op::ImageQueryLod => self.by_element(&image.of, |raiser, (image, sampler)| {
                raiser.queried_level(image, &sampler, &sample)
            }),
            _ => self.by_element(&image.of, |raiser, (image, sampler)| {
                raiser.sample(image, sampler, &sample)
            }),
        }
    }

    fn sample(&mut self, image: NodeId, sampler: Sampler, of: &Sample) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let place = self.place_in(image, of)?;
        let reference = of.reference;
        let at = |level| Source { image, level, sampler, reference };
        let mip = sampler.mip.filter(|_| !sampler.in_texels);
        let mip = mip.filter(|_| self.texture_options(image).is_ok_and(|of| of.mipmaps));
        let is_one = sampler.mag == sampler.min || sampler.in_texels;
        if mip.is_none() && is_one {
            return self.of_level(at(zero), &place, of, sampler.mag);
        }
        let level = self.level_of_detail(image, &sampler, of, place.face)?;
        let level = self.limited(&sampler, level)?;
        let minified = match mip {
            None => self.of_level(at(zero), &place, of, sampler.min)?,
            Some(mip) => self.at_level(at(zero), &place, of, mip, level)?,
        };
        if is_one {
            return Ok(minified);
        }
        let magnified = self.of_level(at(zero), &place, of, sampler.mag)?;
        let none = self.number(Type::NUM, 0.0);
        let is_magnified = self.op(Core::LessEqual, &[level, none])?;
        Ok(self.graph.if_([is_magnified, magnified, minified], self.span))
    }

    /// A level of detail between the limits of a sampler.
    fn limited(&mut self, sampler: &Sampler, mut level: NodeId) -> Result<NodeId> {
        let [least, most] = sampler.levels;
        if (least > 0.0 || most < f32::INFINITY) && !is_active(Mutant::IgnoredLimits) {
            let [least, most] = [least, most].map(|of| self.number(Type::NUM, of));
            level = self.op(Core::Max, &[least, level])?;
            level = self.op(Core::Min, &[level, most])?;
        }
        Ok(level)
    }

    fn place_in(&mut self, image: NodeId, of: &Sample) -> Result<Place> {
        if of.ty.shape != ImageShape::Cube {
            let plane = match of.layer {
                Some(layer) => Some(self.layer(layer)?),
                None => None,
            };
            return Ok(Place { at: of.place.clone(), plane, face: None });
        }
        let direction = self.vector(Scalar::F32, of.place.clone())?;
        let face = self.face(direction)?;
        let at = self.place_on(face)?;
        let first = match of.layer {
            Some(layer) => self.first_face(image, layer)?,
            None => self.splat(Type::INT, 0),
        };
        Ok(Place { at: self.scalars(&[at])?, plane: Some(first), face: Some(face) })
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

    /// The level of detail of a sample: the one that is given, or that of its moves to the next pixels, with all that is added.
    fn level_of_detail(
        &mut self,
        image: NodeId,
        sampler: &Sampler,
        of: &Sample,
        face: Option<Face>,
    ) -> Result<NodeId> {
        let Optional { level, gradients, bias, least_level, .. } = of.optional;
        let mut level = match (level, gradients) {
            (Some(level), _) => self.node(level)?,
            (None, gradients) => {
                let mut moves = match gradients {
                    Some([dx, dy]) => [self.node(dx)?, self.node(dy)?],
                    None => {
                        let moving = self.vector(Scalar::F32, of.place.clone())?;
                        [self.difference(moving, Axis::X)?, self.difference(moving, Axis::Y)?]
                    }
                };
                if let Some(face) = face {
                    for by in &mut moves {
                        *by = self.move_on(face, *by)?;
                    }
                }
                let level = self.level_of_moves(image, moves)?;
                match bias {
                    Some(bias) => {
                        let bias = self.node(bias)?;
                        self.op(Core::Add, &[level, bias])?
                    }
                    None => level,
                }
            }
        };
        if sampler.bias != 0.0 && !is_active(Mutant::IgnoredBias) {
            let bias = self.number(Type::NUM, sampler.bias);
            level = self.op(Core::Add, &[level, bias])?;
        }
        if let Some(least) = least_level {
            let least = self.node(least)?;
            level = self.op(Core::Max, &[least, level])?;
        }
        Ok(level)
    }

    /// The level of detail for moves of the sample position to the next pixels.
    fn level_of_moves(&mut self, image: NodeId, moves: [NodeId; 2]) -> Result<NodeId> {
        let zero = self.splat(Type::INT, 0);
        let size = self.op(Core::TextureSize, &[image, zero])?;
        let size = self.op(Core::Convert(Scalar::F32), &[size])?;
        let sides = self.scalars(&[size])?;
        let ty = self.type_of(moves[0]);
        let count = self.graph.types().components(ty);
        let size = self.vector(Scalar::F32, sides[..count].to_vec())?;
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

    /// The level that a sample takes, and its level of detail before limits.
    fn queried_level(&mut self, image: NodeId, sampler: &Sampler, of: &Sample) -> Result<NodeId> {
        let face = self.place_in(image, of)?.face;
        let level = self.level_of_detail(image, sampler, of, face)?;
        let limited = self.limited(sampler, level)?;
        let mut taken = self.existing(image, limited)?;
        taken = match sampler.mip {
            Some(Filter::Linear) => taken,
            Some(Filter::Nearest) => self.op(Core::RoundEven, &[taken])?,
            None => self.number(Type::NUM, 0.0),
        };
        self.vector(Scalar::F32, vec![taken, level])
    }

    /// A level of detail, clamped to the levels that there are.
    fn existing(&mut self, image: NodeId, level: NodeId) -> Result<NodeId> {
        let one = self.splat(Type::INT, 1);
        let least = self.number(Type::NUM, 0.0);
        let count = self.op(Core::TextureLevels, &[image])?;
        let last = self.op(Core::Sub, &[count, one])?;
        let last = self.op(Core::Convert(Scalar::F32), &[last])?;
        let clamped = self.op(Core::Max, &[least, level])?;
        self.op(Core::Min, &[clamped, last])
    }

    /// A sample at a level of detail, which may lie between two levels.
    fn at_level(
        &mut self,
        source: Source,
        place: &Place,
        of: &Sample,
        mip: Filter,
        level: NodeId,
    ) -> Result<NodeId> {
        let filter = source.sampler.min;
        let one = self.splat(Type::INT, 1);
        let clamped = self.existing(source.image, level)?;
        match mip {
            Filter::Nearest => {
                let level = self.op(Core::RoundEven, &[clamped])?;
                let level = self.op(Core::Convert(Scalar::I32), &[level])?;
                self.of_level(Source { level, ..source }, place, of, filter)
            }
            Filter::Linear => {
                let floor = self.op(Core::Floor, &[clamped])?;
                let level = self.op(Core::Convert(Scalar::I32), &[floor])?;
                let next = self.op(Core::Add, &[level, one])?;
                let first = self.of_level(Source { level, ..source }, place, of, filter)?;
                let second = self.of_level(Source { level: next, ..source }, place, of, filter)?;
                let part = self.fract(clamped)?;
                self.mixed(first, second, part)
            }
        }
    }

    /// A sample of one level.
    fn of_level(
        &mut self,
        source: Source,
        place: &Place,
        of: &Sample,
        filter: Filter,
    ) -> Result<NodeId> {
        let Around { texels, seam, parts } = self.texels(source, place, &of.offset, filter)?;
        self.by_seam(texels, seam, |raiser, mut mixed| {
            for &part in &parts {
                let pairs = mixed.chunks(2).map(|pair| raiser.mixed(pair[0], pair[1], part));
                mixed = pairs.collect::<Result<_>>()?;
            }
            Ok(mixed[0])
        })
    }

    /// A value of texels: of those on one face, and in an arm of its own of those near an edge of a cube.
    fn by_seam(
        &mut self,
        texels: Vec<NodeId>,
        seam: Option<Seam>,
        value: impl Fn(&mut Self, Vec<NodeId>) -> Result<NodeId>,
    ) -> Result<NodeId> {
        let inside = value(self, texels)?;
        let Some(seam) = seam else { return Ok(inside) };
        let outside = value(self, seam.texels)?;
        Ok(self.graph.if_([seam.is_met, outside, inside], self.span))
    }

    /// The texels of a sample of one level.
    fn texels(
        &mut self,
        source: Source,
        place: &Place,
        offset: &[NodeId],
        filter: Filter,
    ) -> Result<Around> {
        let Source { image, level, sampler, .. } = source;
        let size = self.op(Core::TextureSize, &[image, level])?;
        let sides = self.scalars(&[size])?;
        let mut axes = Vec::new();
        for (k, &at) in place.at.iter().enumerate() {
            let (texels, part) =
                self.along(at, sides[k], offset.get(k).copied(), filter, sampler.in_texels)?;
            axes.push((texels, part));
        }
        let parts = axes.iter().filter_map(|(_, part)| *part).collect();
        let on_face = place.face.zip(place.plane);
        if let Some((face, first)) = on_face
            && filter == Filter::Linear
        {
            let cube = Cube { source, first, count: sides[0] };
            let at = [axes[0].0[0], axes[1].0[0]];
            let (texels, seam) = self.around(cube, face.number, at)?;
            return Ok(Around { texels, seam: Some(seam), parts });
        }
        let plane = match on_face {
            Some((face, first)) => Some(self.op(Core::Add, &[first, face.number])?),
            None => place.plane,
        };
        let mut wrapped = Vec::new();
        for (k, (texels, part)) in axes.into_iter().enumerate() {
            // The edges of a cube have other faces behind them.
            let axis = if is_active(Mutant::SharedWrap) { 0 } else { k };
            let wrap = if on_face.is_some() { Wrap::Clamp } else { sampler.wrap[axis] };
            wrapped.push(Along { texels: self.wrapped(&texels, sides[k], wrap)?, part });
        }
        let mut texels = Vec::new();
        for k in 0..1 << wrapped.iter().filter(|of| of.part.is_some()).count() {
            let (mut place, mut outside) = (Vec::new(), None);
            for (axis, along) in wrapped.iter().enumerate() {
                let (at, is_border) =
                    along.texels[if along.part.is_some() { k >> axis & 1 } else { 0 }];
                place.push(at);
                outside = match (outside, is_border) {
                    (Some(one), Some(other)) => Some(self.op(Core::Or, &[one, other])?),
                    (one, other) => one.or(other),
                };
            }
            if place.len() == 1 {
                place.push(self.splat(Type::INT, 0));
            }
            place.extend(plane);
            let at = self.vector(Scalar::I32, place)?;
            texels.push(self.read(source, at, outside)?);
        }
        Ok(Around { texels, seam: None, parts })
    }

    /// The texels before and after a place along an axis, and the part of the second; of the nearest filter the one there.
    fn along(
        &mut self,
        at: NodeId,
        side: NodeId,
        offset: Option<NodeId>,
        filter: Filter,
        in_texels: bool,
    ) -> Result<(Vec<NodeId>, Option<NodeId>)> {
        let scaled = match in_texels {
            true => at,
            false => {
                let side = self.op(Core::Convert(Scalar::F32), &[side])?;
                self.op(Core::Mul, &[at, side])?
            }
        };
        let (first, part) = match filter {
            Filter::Nearest => (self.op(Core::Floor, &[scaled])?, None),
            Filter::Linear => {
                let half = self.number(Type::NUM, 0.5);
                let q = self.op(Core::Sub, &[scaled, half])?;
                let floor = self.op(Core::Floor, &[q])?;
                (floor, Some(self.op(Core::Sub, &[q, floor])?))
            }
        };
        let mut first = self.op(Core::Convert(Scalar::I32), &[first])?;
        if let Some(offset) = offset.filter(|_| !is_active(Mutant::IgnoredOffset)) {
            first = self.op(Core::Add, &[first, offset])?;
        }
        let mut texels = vec![first];
        if part.is_some() {
            let one = self.splat(Type::INT, 1);
            texels.push(self.op(Core::Add, &[first, one])?);
        }
        Ok((texels, part))
    }

    /// A texel of a sample, or the border: its colour, or 1 or 0 for its comparison with the reference.
    pub(super) fn read(
        &mut self,
        Source { image, level, sampler, reference }: Source,
        at: NodeId,
        outside: Option<NodeId>,
    ) -> Result<NodeId> {
        let mut texel = self.op(Core::Texel, &[image, at, level])?;
        if let Some(outside) = outside {
            let ty = self.type_of(texel);
            let words = clear_words(sampler.border.colour(), ty.scalar());
            let border = self.graph.constant(ty, &words, self.span);
            texel = self.op(Core::Select, &[outside, border, texel])?;
        }
        let Some(reference) = reference else { return Ok(texel) };
        let mut texel = self.op(Core::Component(0), &[texel])?;
        let mut reference = reference;
        if is_active(Mutant::SwappedComparison) {
            (texel, reference) = (reference, texel);
        }
        let holds = match sampler.compare {
            Compare::Never => self.graph.bool(false, self.span),
            Compare::Always => self.graph.bool(true, self.span),
            Compare::Less => self.op(Core::Less, &[reference, texel])?,
            Compare::LessEqual => self.op(Core::LessEqual, &[reference, texel])?,
            Compare::Greater => self.op(Core::Less, &[texel, reference])?,
            Compare::GreaterEqual => self.op(Core::LessEqual, &[texel, reference])?,
            Compare::Equal => self.op(Core::Equal, &[reference, texel])?,
            Compare::NotEqual => {
                let is_equal = self.op(Core::Equal, &[reference, texel])?;
                self.op(Core::Not, &[is_equal])?
            }
        };
        let [zero, one] = [0.0, 1.0].map(|number| self.number(Type::NUM, number));
        self.op(Core::Select, &[holds, one, zero])
    }

    /// A component of the four texels that a linear sample would mix: the lower left one first, counterclockwise (the second row
    /// is the lower one).
    fn gathered_texels(
        &mut self,
        of: &Instruction<'_>,
        image: &Image,
        sample: &Sample,
    ) -> Result<NodeId> {
        if !matches!(sample.ty.shape, ImageShape::Plane | ImageShape::Rectangle | ImageShape::Cube)
        {
            return Err(of.malformed("nothing is gathered of its image"));
        }
        let component = match of.op {
            Op::ImageGather => {
                let id = of.operand(4)?;
                let component = self.node(id)?;
                match self.graph.constant_words(component) {
                    Some(&[component @ 0..=3]) => Some(component as u8),
                    _ => return Err(of.malformed("its component is no constant below 4")),
                }
            }
            _ => None,
        };
        let offsets = match sample.optional.offsets {
            Some(id) => {
                let all = self.node(id)?;
                let mut offsets = Vec::new();
                for k in 0..4 {
                    let k = self.splat(Type::INT, k);
                    let offset = self.op(Core::At, &[all, k])?;
                    let offset = self.integer_as(offset, Scalar::I32)?;
                    offsets.push(self.scalars(&[offset])?);
                }
                Some(offsets)
            }
            None => None,
        };
        self.by_element(&image.of, |raiser, (image, sampler)| {
            let place = raiser.place_in(image, sample)?;
            let level = raiser.splat(Type::INT, 0);
            let source = Source { image, level, sampler, reference: sample.reference };
            let component_of = |raiser: &mut Self, texels: Vec<NodeId>| {
                let mut parts = Vec::new();
                for texel in texels {
                    parts.push(match component {
                        Some(component) => raiser.op(Core::Component(component), &[texel])?,
                        None => texel,
                    });
                }
                let scalar = raiser.type_of(parts[0]).scalar().unwrap_or(Scalar::F32);
                raiser.vector(scalar, parts)
            };
            match &offsets {
                None => {
                    let Around { texels, seam, .. } =
                        raiser.texels(source, &place, &sample.offset, Filter::Linear)?;
                    raiser.by_seam(texels, seam, |raiser, of| {
                        let counterclockwise = match is_active(Mutant::GatheredRows) {
                            false => vec![of[2], of[3], of[1], of[0]],
                            true => of,
                        };
                        component_of(raiser, counterclockwise)
                    })
                }
                Some(offsets) => {
                    let mut all = Vec::new();
                    for offset in offsets {
                        let Around { texels, seam, .. } =
                            raiser.texels(source, &place, offset, Filter::Linear)?;
                        all.push(raiser.by_seam(texels, seam, |_, of| Ok(of[0]))?);
                    }
                    component_of(raiser, all)
                }
            }
        })
    }

    fn mixed(&mut self, a: NodeId, b: NodeId, part: NodeId) -> Result<NodeId> {
        let ty = self.type_of(a);
        let part = if ty == Type::NUM { part } else { self.spread(part, ty)? };
        let one = self.number(ty, 1.0);
        let rest = self.op(Core::Sub, &[one, part])?;
        let [a, b] = [self.op(Core::Mul, &[a, rest])?, self.op(Core::Mul, &[b, part])?];
        self.op(Core::Add, &[a, b])
    }

    /// Wraps the coordinates of a texel, and perhaps the next one, into a level with so many texels along the axis, and says where they
    /// have the border's colour. (The texel operation itself clamps.)
    fn wrapped(
        &mut self,
        texels: &[NodeId],
        side: NodeId,
        wrap: Wrap,
    ) -> Result<Vec<(NodeId, Option<NodeId>)>> {
        let mut wrapped = Vec::new();
        match wrap {
            Wrap::Repeat => wrapped = self.remainders(texels, side)?,
            Wrap::Mirror => wrapped = self.mirrored(texels, side)?,
            Wrap::MirrorOnce if is_active(Mutant::MirroredTwice) => {
                wrapped = self.mirrored(texels, side)?;
            }
            Wrap::MirrorOnce => {
                let count = self.splat(Type::UINT, 31);
                for &at in texels {
                    let sign = self.op(Core::ShiftRight, &[at, count])?;
                    wrapped.push(self.op(Core::Xor, &[at, sign])?);
                }
            }
            Wrap::Border if !is_active(Mutant::LostBorder) => {
                let mut all = Vec::new();
                for &at in texels {
                    all.push((at, Some(self.is_beyond(at, side)?)));
                }
                return Ok(all);
            }
            Wrap::Clamp | Wrap::Border => wrapped.extend(texels),
        }
        Ok(wrapped.into_iter().map(|at| (at, None)).collect())
    }

    /// Coordinates in a level that is followed by its mirror image.
    fn mirrored(&mut self, texels: &[NodeId], side: NodeId) -> Result<Vec<NodeId>> {
        let one = self.splat(Type::INT, 1);
        let double = self.op(Core::Add, &[side, side])?;
        let last = self.op(Core::Sub, &[double, one])?;
        let mut all = Vec::new();
        for m in self.remainders(texels, double)? {
            let is_first = self.op(Core::Less, &[m, side])?;
            let back = self.op(Core::Sub, &[last, m])?;
            all.push(self.op(Core::Select, &[is_first, m, back])?);
        }
        Ok(all)
    }

    /// Remainders of the coordinates of a texel, and perhaps the next one. The second is one more than the first, or 0; after the greatest
    /// integer comes the least.
    fn remainders(&mut self, texels: &[NodeId], size: NodeId) -> Result<Vec<NodeId>> {
        let first = self.floored_remainder(texels[0], size)?;
        if texels.len() == 1 {
            return Ok(vec![first]);
        }
        let [zero, one, greatest, least] =
            [0, 1, i32::MAX, i32::MIN].map(|word| self.splat(Type::INT, word as u32));
        let next = self.op(Core::Add, &[first, one])?;
        let is_last = self.op(Core::Equal, &[next, size])?;
        let next = self.op(Core::Select, &[is_last, zero, next])?;
        let is_greatest = self.op(Core::Equal, &[texels[0], greatest])?;
        let of_least = self.floored_remainder(least, size)?;
        let next = match is_active(Mutant::EndlessCoordinates) {
            true => next,
            false => self.op(Core::Select, &[is_greatest, of_least, next])?,
        };
        Ok(vec![first, next])
    }

    /// The remainder of a coordinate by a positive size, rounded down, without the tests of signs that other
    /// divisors need. With s the sign of a, 0 or −1, and r the remainder of a xor s, which is not negative, it
    /// is r, or size − 1 − r for negative a.
    fn floored_remainder(&mut self, a: NodeId, size: NodeId) -> Result<NodeId> {
        let count = self.splat(Type::UINT, 31);
        let sign = self.op(Core::ShiftRight, &[a, count])?;
        let flipped = self.op(Core::Xor, &[a, sign])?;
        let rest = self.op(Core::Rem, &[flipped, size])?;
        let rest = self.op(Core::Xor, &[rest, sign])?;
        let more = self.op(Core::And, &[size, sign])?;
        self.op(Core::Add, &[rest, more])
    }
}
