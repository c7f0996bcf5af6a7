//! Reads of textures by samplers (docs/textures.md; LANGUAGE §12).

use super::super::arithmetic::Unary;
use super::super::code::{Level, Sample, SampleResult};
use super::super::values::{ComponentType, ImageType};
use super::{ModuleEvaluator, Wrong};
use lambdav_core::op::Elementary;
use lambdav_core::sampler::{Sampler, Wrap};
use lambdav_core::texture::{Filter, TextureData};
use rspirv::spirv::Dim;

type Texel = [f32; 4];

fn mix(a: Texel, b: Texel, t: f32) -> Texel {
    [0, 1, 2, 3].map(|k| a[k] * (1.0 - t) + b[k] * t)
}

/// A read of a texture by a sampler.
struct Reading<'a> {
    texture: &'a TextureData,
    ty: ImageType,
    sampler: Sampler,
    /// Texels are compared with it before they are mixed.
    reference: Option<f32>,
    /// The place or direction, and then the layer.
    at: [f32; 4],
    offset: [u32; 3],
}

/// Texels along an axis: the one there, or two with the weight of the second.
struct Along {
    texels: Vec<i32>,
    weight: f32,
}

impl Reading<'_> {
    /// A sample at a level of detail; `mip` mixes levels, if there are.
    fn at_level(&self, level: Option<f32>, mip: Option<Filter>) -> Texel {
        let Sampler { mag, min, in_texels, .. } = self.sampler;
        let Some(level) = level.filter(|_| !in_texels && (mip.is_some() || mag != min)) else {
            return self.of_level(0, mag);
        };
        let level = self.limited(level);
        if mag != min && level <= 0.0 {
            return self.of_level(0, mag);
        }
        let Some(mip) = mip else { return self.of_level(0, min) };
        let level = self.existing(level);
        match mip {
            Filter::Nearest => self.of_level(level.round_ties_even() as i32, min),
            Filter::Linear => {
                let floor = level.floor();
                let [first, second] = [0, 1].map(|more| self.of_level(floor as i32 + more, min));
                mix(first, second, level - floor)
            }
        }
    }

    /// A level of detail between the limits of the sampler.
    fn limited(&self, level: f32) -> f32 {
        let [least, most] = self.sampler.levels;
        match [least, most] {
            [0.0, f32::INFINITY] => level,
            _ if level > least => level.min(most),
            _ => least.min(most),
        }
    }

    /// A level of detail, clamped to the levels that there are.
    fn existing(&self, level: f32) -> f32 {
        let last = (self.texture.levels().len() as i32 - 1) as f32;
        if level > 0.0 { level.min(last) } else { 0.0 }
    }

    /// The level that a sample takes.
    fn taken(&self, level: f32) -> f32 {
        let level = self.limited(level);
        let level = self.existing(level);
        match self.sampler.mip {
            None => 0.0,
            Some(Filter::Nearest) => level.round_ties_even(),
            Some(Filter::Linear) => level,
        }
    }

    /// A sample of one level.
    fn of_level(&self, level: i32, filter: Filter) -> Texel {
        let (texels, weights) = self.texels(level, filter, self.offset);
        let mut mixed = texels;
        for weight in weights {
            mixed = mixed.chunks(2).map(|pair| mix(pair[0], pair[1], weight)).collect();
        }
        mixed[0]
    }

    /// The texels around a place, the first axis fastest, and the weights along each axis.
    fn texels(&self, level: i32, filter: Filter, offset: [u32; 3]) -> (Vec<Texel>, Vec<f32>) {
        let level = level.min(self.texture.levels().len() as i32 - 1);
        let size = self.texture.level(level);
        let [u, v, w, _] = self.at;
        let along = |place: f32, count: u32, offset: u32| {
            let scaled = if self.sampler.in_texels { place } else { place * count as f32 };
            let q = if filter == Filter::Linear { scaled - 0.5 } else { scaled };
            let first = (q.floor() as i32).wrapping_add(offset as i32);
            let texels = match filter {
                Filter::Linear => vec![first, first.wrapping_add(1)],
                Filter::Nearest => vec![first],
            };
            Along { texels, weight: q - q.floor() }
        };
        let layer = || (self.at[self.ty.axes()].round_ties_even()) as i32;
        if self.ty.dimension == Dim::DimCube {
            let cubes = size.planes as i32 / 6;
            let number = if self.ty.is_array { layer().clamp(0, cubes - 1) } else { 0 };
            let Face { number: face, s, t, major } = Face::new([u, v, w]);
            let place = [s, t].map(|of| (of / major) * 0.5 + 0.5);
            let [columns, rows] = place.map(|of| along(of, size.width, 0));
            let cube = Cube { reading: self, level, first: 6 * number, count: size.width as i32 };
            if filter == Filter::Nearest {
                let at = [columns.texels[0], rows.texels[0], cube.first + face];
                return (vec![self.read(at, level)], Vec::new());
            }
            // A direction with a NaN may meet no face.
            let [two_columns, two_rows] = [&columns, &rows].map(|of| {
                let first = of.texels[0].clamp(-1, cube.count - 1);
                [first, first + 1]
            });
            let all = two_rows.into_iter().flat_map(|y| two_columns.map(|x| (x, y)));
            let texels = all.map(|(x, y)| cube.texel(face, x, y)).collect();
            return (texels, vec![columns.weight, rows.weight]);
        }
        let mut axes = vec![along(u, size.width, offset[0])];
        if self.ty.axes() > 1 {
            axes.push(along(v, size.height, offset[1]));
        }
        if self.ty.axes() > 2 {
            axes.push(along(w, size.planes, offset[2]));
        }
        let plane = if self.ty.is_array { layer() } else { 0 };
        let mut places = vec![[0, 0, plane]];
        let mut outside = vec![false];
        let sides = [size.width, size.height, size.planes];
        for (axis, of) in axes.iter().enumerate() {
            let (before, was) = (places, outside);
            (places, outside) = (Vec::new(), Vec::new());
            for &texel in &of.texels {
                let wrapped = wrapped(texel, sides[axis] as i32, self.sampler.wrap[axis]);
                for (place, was) in before.iter().zip(&was) {
                    let mut place = *place;
                    place[axis] = wrapped.unwrap_or(0);
                    places.push(place);
                    outside.push(*was || wrapped.is_none());
                }
            }
        }
        let texels = places.into_iter().zip(outside).map(|(at, is_outside)| match is_outside {
            true => self.compared(self.border()),
            false => self.read(at, level),
        });
        let weights = axes.iter().filter(|of| of.texels.len() > 1).map(|of| of.weight);
        (texels.collect(), weights.collect())
    }

    /// The colour of the border: the bits of integers.
    fn border(&self) -> Texel {
        let colour = self.sampler.border.colour();
        match self.ty.component {
            ComponentType::Float => colour,
            _ => colour.map(|component| f32::from_bits(component as u32)),
        }
    }

    /// The mean of three texels. Integers are added and divided as such.
    fn mean(&self, of: [Texel; 3]) -> Texel {
        [0, 1, 2, 3].map(|k| {
            let bits = of.map(|texel| texel[k].to_bits());
            let sum = bits[0].wrapping_add(bits[1]).wrapping_add(bits[2]);
            match self.ty.component {
                ComponentType::Float => ((of[0][k] + of[1][k]) + of[2][k]) / 3.0,
                ComponentType::Int => f32::from_bits((sum as i32 / 3) as u32),
                _ => f32::from_bits(sum / 3),
            }
        })
    }

    fn read(&self, at: [i32; 3], level: i32) -> Texel {
        self.compared(self.texture.texel_of_plane(at, level))
    }

    /// A texel, or 1 or 0 for its comparison with the reference.
    fn compared(&self, texel: Texel) -> Texel {
        match self.reference {
            None => texel,
            Some(reference) => {
                [f32::from(u8::from(self.sampler.compare.holds(reference, texel[0]))); 4]
            }
        }
    }
}

/// A texel's coordinate in a row of `count`; `None` for the border. (Reads clamp.)
fn wrapped(at: i32, count: i32, wrap: Wrap) -> Option<i32> {
    let [at, count] = [at, count].map(i64::from);
    let within = match wrap {
        Wrap::Clamp => at.clamp(0, count - 1),
        Wrap::Repeat => at.rem_euclid(count),
        Wrap::Mirror => {
            let m = at.rem_euclid(2 * count);
            if m < count { m } else { 2 * count - 1 - m }
        }
        Wrap::MirrorOnce => (if at < 0 { -1 - at } else { at }).min(count - 1),
        Wrap::Border if at < 0 || at >= count => return None,
        Wrap::Border => at,
    };
    Some(within as i32)
}

/// A direction seen from a face of a cube.
struct Face {
    /// 0 to 5: right, left, top, bottom, front, back.
    number: i32,
    /// Components to the right, downwards, and towards the face.
    s: f32,
    t: f32,
    major: f32,
}

impl Face {
    /// The face that a direction meets: that of the greatest component; z goes before y, and y before x.
    fn new([x, y, z]: [f32; 3]) -> Self {
        let of = Self::number([x, y, z].map(f32::abs), [x, y, z].map(|along| along < 0.0));
        let [s, t, major] = Self::seen(of, [x, y, z]);
        Self { number: of, s, t, major }
    }

    fn number<T: PartialOrd>([x, y, z]: [T; 3], negative: [bool; 3]) -> i32 {
        let axis = match z >= x && z >= y {
            true => 2,
            false => usize::from(y >= x),
        };
        2 * axis as i32 + i32::from(negative[axis])
    }

    /// The components of a direction to the right, downwards and towards a face.
    fn seen(face: i32, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match face {
            0 => [-z, -y, x],
            1 => [z, -y, -x],
            2 => [x, z, y],
            3 => [x, -z, -y],
            4 => [x, -y, z],
            _ => [-x, -y, -z],
        }
    }
}

/// The faces of a cube.
struct Cube<'a> {
    reading: &'a Reading<'a>,
    level: i32,
    /// The plane of the first face.
    first: i32,
    /// Texels along a side.
    count: i32,
}

impl Cube<'_> {
    fn of_face(&self, face: i32, x: i32, y: i32) -> Texel {
        self.reading.read([x, y, self.first + face], self.level)
    }

    /// A texel, at most one beyond the edges of a face: of the face behind the edge, or at a corner the mean of the three
    /// others around it.
    fn texel(&self, face: i32, x: i32, y: i32) -> Texel {
        let n = self.count;
        let outside = [x, y].map(|at| at < 0 || at >= n);
        match outside {
            [false, false] => self.of_face(face, x, y),
            [true, true] => {
                let inside = [x, y].map(|at| at.clamp(0, n - 1));
                // In the order of the four texels: by rows, from the left.
                let (mut columns, mut rows) = ([x, inside[0]], [y, inside[1]]);
                columns.sort_unstable();
                rows.sort_unstable();
                let all = rows.into_iter().flat_map(|y| columns.map(|x| (x, y)));
                let others: Vec<Texel> =
                    all.filter(|&at| at != (x, y)).map(|(x, y)| self.texel(face, x, y)).collect();
                self.reading.mean([others[0], others[1], others[2]])
            }
            _ => {
                // Twice the distances from the middle of the cube, to the centre of the texel folded around the edge.
                let [a, b] = [x, y].map(|at| 2 * at + 1 - n);
                let [a, b, c] = match outside {
                    [true, _] => [a.signum() * n, b, n - 1],
                    _ => [a, b.signum() * n, n - 1],
                };
                let at = match face {
                    0 => [c, -b, -a],
                    1 => [-c, -b, a],
                    2 => [a, c, b],
                    3 => [a, -c, -b],
                    4 => [a, -b, c],
                    _ => [-a, -b, -c],
                };
                let face = Face::number(at.map(i32::abs), at.map(|along| along < 0));
                let [s, t, _] = Face::seen(face, at.map(|along| along as f32));
                let [x, y] = [s, t].map(|of| (of as i32 + n - 1) / 2);
                self.of_face(face, x, y)
            }
        }
    }
}

impl ModuleEvaluator<'_> {
    /// Reads a texture by a sampler.
    pub(super) fn sample(&self, of: &Sample) -> Result<Texel, Wrong> {
        let number = |at: usize| {
            self.check(at)?;
            Ok(f32::from_bits(self.memory[at]))
        };
        let texture = self.texture(of.texture)?;
        let mut sampler = self.sampler(of.sampler)?;
        if of.ty.component != ComponentType::Float {
            (sampler.mag, sampler.min) = (Filter::Nearest, Filter::Nearest);
        }
        sampler.in_texels |= of.ty.dimension == Dim::DimRect;
        sampler.in_texels &= of.ty.dimension != Dim::DimCube;
        self.check(of.place)?;
        let mut at = [0.0; 4];
        let is_asked = matches!(of.result, SampleResult::Level);
        let count = if is_asked { of.ty.axes() } else { of.ty.components() };
        let words = &self.memory[of.place..of.place + count];
        at.iter_mut().zip(words).for_each(|(at, word)| *at = f32::from_bits(*word));
        let reference = of.reference.map(number).transpose()?;
        let offset = self.offset(of.ty, of.offset)?;
        let reading = Reading { texture, ty: of.ty, sampler, reference, at, offset };
        let resource = self.module.resources.get(self.memory[of.texture] as usize);
        let mip = sampler.mip.filter(|_| resource.is_some_and(|of| of.has_levels));
        let is_needed = is_asked || mip.is_some() || sampler.mag != sampler.min;
        let level = match of.level.filter(|_| is_needed) {
            None => None,
            Some(level) => {
                let level = self.level_of_detail(&reading, level)?;
                let level = if sampler.bias == 0.0 { level } else { level + sampler.bias };
                Some(match of.least_level {
                    None => level,
                    Some(least) => {
                        let least = number(least)?;
                        if least < level { level } else { least }
                    }
                })
            }
        };
        Ok(match of.result {
            SampleResult::Filtered => reading.at_level(level, mip),
            SampleResult::Level => {
                let level = level.unwrap_or(0.0);
                [reading.taken(level), level, 0.0, 0.0]
            }
            SampleResult::Gathered { component, offsets: None } => {
                let (of, _) = reading.texels(0, Filter::Linear, offset);
                [of[2], of[3], of[1], of[0]].map(|texel| texel[component])
            }
            SampleResult::Gathered { component, offsets: Some(place) } => {
                self.check(place)?;
                let mut all = [0.0; 4];
                for (k, texel) in all.iter_mut().enumerate() {
                    let mut by = [0; 3];
                    let axes = of.ty.axes();
                    by[..axes].copy_from_slice(&self.memory[place + k * axes..][..axes]);
                    *texel = reading.texels(0, Filter::Linear, by).0[0][component];
                }
                all
            }
        })
    }

    /// The place of a fetched texel: column, row and plane.
    pub(super) fn fetched(
        &self,
        texture: &TextureData,
        ty: ImageType,
        place: usize,
        offset: Option<usize>,
        sample: Option<usize>,
    ) -> Result<[i32; 3], Wrong> {
        self.check(place)?;
        let words = &self.memory[place..place + ty.components()];
        let by = self.offset(ty, offset)?;
        let mut along: Vec<i32> = words.iter().map(|&word| word as i32).collect();
        along
            .iter_mut()
            .zip(by)
            .take(ty.axes())
            .for_each(|(at, by)| *at = at.wrapping_add(by as i32));
        if let Some(sample) = sample.filter(|_| ty.is_multisampled) {
            self.check(sample)?;
            along.push(self.memory[sample] as i32);
        }
        Ok(match (ty.dimension, &along[..]) {
            (Dim::DimBuffer, &[number, ..]) => {
                let size = texture.level(0);
                let last = (size.width * size.height - 1) as i32;
                let number = number.clamp(0, last) as u32;
                [(number % size.width) as i32, (number / size.width) as i32, 0]
            }
            (Dim::DimSubpassData, &[x, y, ref rest @ ..]) => {
                let [column, row] = self.pixel.map(|at| at as i32);
                let plane = rest.first().copied().unwrap_or(0);
                [column.wrapping_add(x), row.wrapping_add(y), plane]
            }
            (Dim::Dim1D, &[x]) => [x, 0, 0],
            (Dim::Dim1D, &[x, layer, ..]) => [x, 0, layer],
            (_, &[x, y]) => [x, y, 0],
            (_, &[x, y, plane, ..]) => [x, y, plane],
            _ => return Err(Wrong::Undefined),
        })
    }

    /// The level of detail of a sample.
    fn level_of_detail(&self, of: &Reading<'_>, level: Level) -> Result<f32, Wrong> {
        let number = |at: usize| {
            self.check(at)?;
            Ok(f32::from_bits(self.memory[at]))
        };
        match level {
            Level::Given(at) => number(at),
            Level::Moved(moves, bias) => {
                let size = of.texture.level(0);
                let size = [size.width, size.height, size.planes].map(|along| along as f32);
                let axes = of.ty.axes();
                let is_cube = of.ty.dimension == Dim::DimCube;
                let mut squares = [0.0; 2];
                for (square, at) in squares.iter_mut().zip(moves) {
                    self.check(at)?;
                    let mut by = [0.0; 3];
                    let words = &self.memory[at..at + axes];
                    by.iter_mut().zip(words).for_each(|(by, word)| *by = f32::from_bits(*word));
                    let by = if is_cube { on_face(of.at, by) } else { by };
                    let [x, y, z] = [0, 1, 2].map(|k| by[k] * size[k]);
                    *square = match axes {
                        1 => x * x,
                        3 if !is_cube => (x * x + y * y) + z * z,
                        _ => x * x + y * y,
                    };
                }
                let most = if squares[0] < squares[1] { squares[1] } else { squares[0] };
                let log2 = Unary::Elementary(Elementary::Log2).apply(most.to_bits());
                let level = 0.5 * f32::from_bits(log2);
                Ok(match bias {
                    Some(bias) => level + number(bias)?,
                    None => level,
                })
            }
        }
    }
}

/// The move on the face that a direction meets, of a move of the direction.
fn on_face([x, y, z, _]: [f32; 4], by: [f32; 3]) -> [f32; 3] {
    let Face { number, s, t, major } = Face::new([x, y, z]);
    let [ds, dt, dm] = Face::seen(number, by);
    let square = major * major;
    let [ds, dt] = [(ds, s), (dt, t)].map(|(d, of)| (d * major - of * dm) / square * 0.5);
    [ds, dt, 0.0]
}
