//! Reads of textures by samplers, as docs/textures.md defines them, and random ones as compute shaders in GLSL.
//!
//! It shares no code with the implementation, only the options of samplers. Texels are gathered from images; the arithmetic is
//! that of [`crate::textures`], a texel beyond the edge of a cube is found as in [`crate::planes`].

use crate::evaluate;
use crate::planes::{FACES, Level, across_edge, along, face_of, nearest, pyramid};
use crate::textures::{Image, add, div, floor, int, mix, mul, sub};
use lambdav_core::op::Elementary;
use lambdav_core::sampler::{Border, Compare, Sampler, Wrap};
use lambdav_core::texture::{Filter, TextureKind};
use lambdav_test_support::Random;

/// The dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// One row.
    Line,
    /// A plane.
    Plane,
    /// A volume.
    Volume,
    /// A cube.
    Cube,
}

/// A function of GLSL that reads a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `textureLod`.
    Level,
    /// `textureGrad`.
    Moves,
    /// `textureLodOffset`.
    LevelOffset,
    /// `textureProjLod`.
    Divided,
    /// `textureGather` of a component.
    Gather(u8),
    /// `textureGatherOffset`.
    GatherOffset,
    /// `textureGatherOffsets`.
    GatherOffsets,
    /// `texelFetch`.
    Fetch,
    /// `textureSize`, and `textureQueryLevels`.
    Size,
}

/// A texture with a sampler, a function, and places.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The dimension.
    pub dimension: Dimension,
    /// Planes are layers.
    pub is_array: bool,
    /// Texels are compared.
    pub is_shadow: bool,
    /// Texels are integers, which are not mixed.
    pub is_integer: bool,
    /// All levels, or the first.
    pub levels: Vec<Level>,
    /// The texture has levels.
    pub mipmaps: bool,
    /// The sampler.
    pub sampler: Sampler,
    /// The function.
    pub call: Call,
    /// For each invocation: the place; a move and the level; another move and the reference.
    pub places: Vec<[[f32; 4]; 3]>,
}

/// The constant offset of a call, along three axes.
const OFFSET: [i64; 3] = [-3, 5, 1];
/// Four of them.
const OFFSETS: [[i64; 2]; 4] = [[0, 0], [-2, 1], [7, -8], [1, 1]];

/// Invocations of a workgroup.
pub const GROUP: usize = 64;

impl Trial {
    /// A random trial, whose numbers are all those of binary32, or only tame ones.
    pub fn new(random: &mut Random, count: usize, is_tame: bool) -> Self {
        use Dimension::{Cube, Line, Plane, Volume};
        let dimension = *random.pick(&[Line, Plane, Plane, Plane, Volume, Cube, Cube]);
        let is_array = dimension != Volume && random.percent(30);
        let is_shadow = dimension != Volume && random.percent(30);
        let is_integer = !is_shadow && random.percent(15);
        let is_flat = dimension == Plane;
        let is_cube = dimension == Cube;
        let mut calls = vec![Call::Level, Call::Level, Call::Moves];
        if is_shadow && (is_cube || is_array) {
            // GLSL has levels and moves for few shadows of cubes and arrays.
            calls = if is_flat { vec![Call::Moves] } else { Vec::new() };
            if dimension == Line {
                calls = vec![Call::Level, Call::Moves];
            }
        }
        if !is_cube && (!is_shadow || !is_array) {
            calls.push(Call::LevelOffset);
        }
        if !is_cube && !is_array {
            calls.push(Call::Divided);
        }
        if is_flat || is_cube {
            calls.extend([Call::Gather(random.below(4) as u8); 2]);
        }
        if is_flat {
            calls.extend([Call::GatherOffset, Call::GatherOffsets]);
        }
        if !is_cube && !is_shadow {
            calls.push(Call::Fetch);
        }
        calls.push(Call::Size);
        let call = *random.pick(&calls);
        let mut side = || *random.pick(&[1_u32, 2, 3, 5, 8, 13]);
        let (width, height, layers) = (side(), side(), side());
        let [width, height, planes] = match dimension {
            Line => [width, 1, if is_array { layers } else { 1 }],
            Plane => [width, height, if is_array { layers } else { 1 }],
            Volume => [width, height, layers],
            Cube => [width, width, 6 * if is_array { layers.min(3) } else { 1 }],
        };
        let special = [0.0, -0.0, 1e-45, -1e30, f32::INFINITY, f32::NAN];
        let mut image = |_| {
            let texel = |_| {
                std::array::from_fn(|_| match !is_tame && random.percent(2) {
                    _ if is_integer => random.below(1 << 16) as f32,
                    true => *random.pick(&special),
                    false => random.below(256) as f32 / 255.0,
                })
            };
            let texels = (0..width * height).map(texel).collect();
            Image { size: [width, height].map(i64::from), texels }
        };
        let first: Level = (0..planes).map(&mut image).collect();
        let kind = if dimension == Volume { TextureKind::Volume } else { TextureKind::Array };
        let mipmaps = !is_integer && (call == Call::Size || random.percent(60));
        let levels = if mipmaps { pyramid(kind, first) } else { vec![first] };
        let mut sampler = sampler(random, is_tame);
        if is_integer {
            (sampler.mag, sampler.min) = (Filter::Nearest, Filter::Nearest);
            sampler.mip = sampler.mip.map(|_| Filter::Nearest);
        }
        let size = [width, height, planes].map(|side| side as f32);
        let place = |_| {
            let mut number = |least: f32, most: f32| {
                let part = random.below(1 << 22) as f32 / (1 << 22) as f32;
                let wild = *random.pick(&[f32::NAN, f32::INFINITY, 1e30, -1e10, 0.5, 1.0, -0.0]);
                let is_wild = !is_tame && random.percent(4);
                if is_wild { wild } else { least + (most - least) * part }
            };
            let mut place = [0.0; 4];
            let axes = axes(dimension);
            for at in &mut place[..axes] {
                *at = if dimension == Cube { number(-1.0, 1.0) } else { number(-1.5, 2.5) };
            }
            if is_array {
                place[axes] = number(-0.45, size[2] - 0.55);
            }
            if call == Call::Divided {
                place[axes] = number(0.25, 4.0);
            }
            if call == Call::Fetch {
                let count = axes + usize::from(is_array);
                for (at, size) in place[..count].iter_mut().zip(size) {
                    *at = number(0.0, size - 0.001).floor();
                }
                if is_array {
                    place[axes] = number(0.0, size[2] - 0.001).floor();
                }
            }
            let level = match call == Call::Fetch {
                // What is fetched outside a texture is a device's choice.
                true if is_tame => 0.0,
                true => number(0.0, 1.9).floor(),
                false => number(-2.0, 5.0),
            };
            let mut by = || [number(-0.6, 0.6), number(-0.6, 0.6), number(-0.6, 0.6)];
            let ([a, b, c], [d, e, f]) = (by(), by());
            [place, [a, b, c, level], [d, e, f, number(0.0, 1.0)]]
        };
        let places = (0..count).map(place).collect();
        Self { dimension, is_array, is_shadow, is_integer, levels, mipmaps, sampler, call, places }
    }

    /// Texels in a row, rows, and planes.
    pub fn size(&self) -> [u32; 3] {
        let [width, height] = self.levels[0][0].size.map(|side| side as u32);
        [width, height, self.levels[0].len() as u32]
    }

    /// All texels of the first level.
    pub fn texels(&self) -> Vec<[f32; 4]> {
        self.levels[0].iter().flat_map(|image| image.texels.clone()).collect()
    }

    /// All texels of the first level of a texture of integers.
    pub fn integers(&self) -> Vec<[u32; 4]> {
        self.texels().into_iter().map(|texel| texel.map(|of| of as u32)).collect()
    }

    /// The kind of the texture's planes.
    pub fn kind(&self) -> TextureKind {
        match (self.dimension, self.is_array) {
            (Dimension::Volume, _) => TextureKind::Volume,
            (Dimension::Cube, true) => TextureKind::CubeArray,
            (Dimension::Cube, false) => TextureKind::Cube,
            (_, true) => TextureKind::Array,
            (_, false) => TextureKind::Flat,
        }
    }

    /// A compute shader: texture `t` at binding 0, the places in `given` at 1, four numbers for each in `found` at 2.
    pub fn text(&self) -> String {
        let of = match self.dimension {
            Dimension::Line => "1D",
            Dimension::Plane => "2D",
            Dimension::Volume => "3D",
            Dimension::Cube => "Cube",
        };
        let array = if self.is_array { "Array" } else { "" };
        let shadow = if self.is_shadow { "Shadow" } else { "" };
        let axes = axes(self.dimension);
        let count = axes + usize::from(self.is_array);
        let swizzle = |name: &str, count: usize| format!("{name}.{}", &"xyzw"[..count]);
        let place = swizzle("p", count);
        // The reference stands behind the place, in one dimension as the third component.
        let with_reference = match (self.is_shadow, count) {
            (false, _) => place.clone(),
            (true, 1) => "vec3(p.x, 0.0, b.w)".to_owned(),
            (true, count) => format!("vec{}({place}, b.w)", count + 1),
        };
        let vector = |of: [i64; 3]| match axes {
            1 => of[0].to_string(),
            2 => format!("ivec2({}, {})", of[0], of[1]),
            _ => format!("ivec3({}, {}, {})", of[0], of[1], of[2]),
        };
        let moves = format!("{}, {}", swizzle("a", axes), swizzle("b", axes));
        let offset = vector(OFFSET);
        let gathered = match (self.is_shadow, self.call) {
            (true, _) => ", b.w".to_owned(),
            (false, _) => String::new(),
        };
        let letter = if self.is_integer { "u" } else { "" };
        let call = match self.call {
            Call::Level => format!("textureLod(t, {with_reference}, a.w)"),
            Call::Moves => format!("textureGrad(t, {with_reference}, {moves})"),
            Call::LevelOffset => format!("textureLodOffset(t, {with_reference}, a.w, {offset})"),
            Call::Divided if self.is_shadow && axes == 1 => {
                "textureProjLod(t, vec4(p.x, 0.0, b.w, p.y), a.w)".to_owned()
            }
            Call::Divided if self.is_shadow => {
                "textureProjLod(t, vec4(p.xy, b.w, p.z), a.w)".to_owned()
            }
            Call::Divided => format!("textureProjLod(t, {}, a.w)", swizzle("p", axes + 1)),
            Call::Gather(component) => match self.is_shadow {
                true => format!("textureGather(t, {place}{gathered})"),
                false => format!("textureGather(t, {place}, {component})"),
            },
            Call::GatherOffset => format!("textureGatherOffset(t, {place}{gathered}, {offset})"),
            Call::GatherOffsets => {
                let all = OFFSETS.map(|[x, y]| format!("ivec2({x}, {y})")).join(", ");
                format!("textureGatherOffsets(t, {place}{gathered}, ivec2[4]({all}))")
            }
            Call::Fetch => {
                let ty = if count == 1 { "int".to_owned() } else { format!("ivec{count}") };
                format!("texelFetch(t, {ty}({place}), int(a.w))")
            }
            Call::Size => {
                let mut parts: Vec<String> = match self.dimension {
                    Dimension::Line if !self.is_array => vec!["size".into()],
                    _ => {
                        let sides = if self.dimension == Dimension::Cube { 2 } else { axes };
                        let sides = sides + usize::from(self.is_array);
                        "xyz"[..sides].chars().map(|c| format!("size.{c}")).collect()
                    }
                };
                parts.resize(3, "0".into());
                parts.push("textureQueryLevels(t)".into());
                format!("vec4({})", parts.join(", "))
            }
        };
        let size = match (self.call, self.dimension, self.is_array) {
            (Call::Size, Dimension::Line, false) => "int size = textureSize(t, 0);",
            (Call::Size, Dimension::Line, true) => "ivec2 size = textureSize(t, 0);",
            (Call::Size, Dimension::Volume, _) | (Call::Size, _, true) => {
                "ivec3 size = textureSize(t, 0);"
            }
            (Call::Size, ..) => "ivec2 size = textureSize(t, 0);",
            _ => "",
        };
        format!(
            "#version 450
layout(local_size_x = {GROUP}) in;
layout(set = 0, binding = 0) uniform {letter}sampler{of}{array}{shadow} t;
layout(set = 0, binding = 1, std430) readonly buffer Given {{ vec4 given[]; }};
layout(set = 0, binding = 2, std430) buffer Found {{ vec4 found[]; }};
void main() {{
    uint k = gl_GlobalInvocationID.x;
    vec4 p = given[3u * k], a = given[3u * k + 1u], b = given[3u * k + 2u];
    {size}
    found[k] = vec4({call});
}}
"
        )
    }

    /// The words of the places.
    pub fn given(&self) -> Vec<f32> {
        self.places.as_flattened().as_flattened().to_vec()
    }

    /// The four numbers that an invocation finds.
    pub fn wanted(&self, number: usize) -> [f32; 4] {
        let [place, a, b] = self.places[number];
        let axes = axes(self.dimension);
        let reference = self.is_shadow.then_some(b[3]);
        let mut at: Vec<f32> = place[..axes].to_vec();
        let layer = if self.is_array { place[axes] } else { 0.0 };
        let level = Some(a[3]);
        let [none, one] = [[0; 3], OFFSET];
        match self.call {
            Call::Level => self.sample(&at, layer, none, reference, level),
            Call::Moves => {
                let moves = [a, b].map(|by| [by[0], by[1], by[2]]);
                let level = self.level_of_moves(&at, moves);
                self.sample(&at, layer, none, reference, Some(level))
            }
            Call::LevelOffset => self.sample(&at, layer, one, reference, level),
            Call::Divided => {
                at.iter_mut().for_each(|of| *of = div(*of, place[axes]));
                let reference = reference.map(|of| div(of, place[axes]));
                self.sample(&at, layer, none, reference, level)
            }
            Call::Gather(component) => self.gathered(&at, layer, none, reference, component),
            Call::GatherOffset => self.gathered(&at, layer, one, reference, 0),
            Call::GatherOffsets => OFFSETS.map(|[x, y]| {
                let offset = [x, y, 0];
                let (texels, _) = self.around(0, Filter::Linear, &at, layer, offset, reference);
                texels[0][0]
            }),
            Call::Fetch => {
                let level = &self.levels[(int(a[3]).max(0) as usize).min(self.levels.len() - 1)];
                let mut at = [0, 1, 2].map(|k| int(place[k]));
                if self.dimension == Dimension::Line {
                    at = [at[0], 0, at[1]];
                }
                if self.dimension != Dimension::Volume && !self.is_array {
                    at[2] = 0;
                }
                texel(level, at)
            }
            Call::Size => {
                let [width, height, planes] = self.size().map(|side| side as f32);
                let mut parts = match self.dimension {
                    Dimension::Line => vec![width],
                    Dimension::Volume => vec![width, height, planes],
                    _ => vec![width, height],
                };
                if self.is_array {
                    let is_cube = self.dimension == Dimension::Cube;
                    parts.push(if is_cube { planes / 6.0 } else { planes });
                }
                parts.resize(3, 0.0);
                [parts[0], parts[1], parts[2], self.levels.len() as f32]
            }
        }
    }

    /// A sample whose level of detail is given, before what the sampler adds.
    fn sample(
        &self,
        at: &[f32],
        layer: f32,
        offset: [i64; 3],
        reference: Option<f32>,
        level: Option<f32>,
    ) -> [f32; 4] {
        let Sampler { mag, min, mip, bias, levels: [least, most], in_texels, .. } = self.sampler;
        let in_texels = in_texels && self.dimension != Dimension::Cube;
        let mip = mip.filter(|_| self.mipmaps && !in_texels);
        let of_level = |level: i64, filter| {
            let (texels, weights) = self.around(level, filter, at, layer, offset, reference);
            let mut mixed = texels;
            for weight in weights {
                mixed = mixed.chunks(2).map(|pair| mix(pair[0], pair[1], weight)).collect();
            }
            mixed[0]
        };
        if in_texels || (mip.is_none() && mag == min) {
            return of_level(0, mag);
        }
        let mut level = level.expect("it is given");
        if bias != 0.0 {
            level = add(level, bias);
        }
        if least > 0.0 || most < f32::INFINITY {
            level = if level > least { level } else { least };
            level = if level < most { level } else { most };
        }
        if mag != min && level <= 0.0 {
            return of_level(0, mag);
        }
        let Some(mip) = mip else { return of_level(0, min) };
        let last = (self.levels.len() - 1) as f32;
        let level = if level > 0.0 { level } else { 0.0 };
        let level = if level < last { level } else { last };
        match mip {
            Filter::Nearest => of_level(nearest(level), min),
            Filter::Linear => {
                let below = int(floor(level));
                let [a, b] = [below, below + 1].map(|level| of_level(level, min));
                mix(a, b, sub(level, floor(level)))
            }
        }
    }

    fn level_of_moves(&self, at: &[f32], moves: [[f32; 3]; 2]) -> f32 {
        let size = self.size().map(|side| side as f32);
        let square = |by: [f32; 3]| {
            let by = match self.dimension {
                Dimension::Cube => {
                    let v = [at[0], at[1], at[2]];
                    let axes = FACES[face_of(v)];
                    let [m, s, t] = axes.map(|axis| along(v, axis));
                    let [dm, ds, dt] = axes.map(|axis| along(by, axis));
                    let moved =
                        |d: f32, of: f32| mul(div(sub(mul(d, m), mul(of, dm)), mul(m, m)), 0.5);
                    [moved(ds, s), moved(dt, t), 0.0]
                }
                _ => by,
            };
            let [x, y, z] = [0, 1, 2].map(|k| mul(mul(by[k], size[k]), mul(by[k], size[k])));
            match self.dimension {
                Dimension::Line => x,
                Dimension::Volume => add(add(x, y), z),
                _ => add(x, y),
            }
        };
        let [a, b] = moves.map(square);
        mul(0.5, evaluate(Elementary::Log2, if a < b { b } else { a }, 0.0))
    }

    fn gathered(
        &self,
        at: &[f32],
        layer: f32,
        offset: [i64; 3],
        reference: Option<f32>,
        component: u8,
    ) -> [f32; 4] {
        let (texels, _) = self.around(0, Filter::Linear, at, layer, offset, reference);
        let component = if reference.is_some() { 0 } else { usize::from(component) };
        // From the lower left, counterclockwise.
        [2, 3, 1, 0].map(|k| texels[k][component])
    }

    /// The texels around a place, x fastest, and the weights of the later one along each axis.
    fn around(
        &self,
        level: i64,
        filter: Filter,
        at: &[f32],
        layer: f32,
        offset: [i64; 3],
        reference: Option<f32>,
    ) -> (Vec<[f32; 4]>, Vec<f32>) {
        let level = &self.levels[(level as usize).min(self.levels.len() - 1)];
        let compared = |texel: [f32; 4]| match reference {
            None => texel,
            Some(reference) => {
                let (a, b) = (reference, texel[0]);
                let holds = match self.sampler.compare {
                    Compare::Never => false,
                    Compare::Less => a < b,
                    Compare::Equal => a == b,
                    Compare::LessEqual => a <= b,
                    Compare::Greater => b < a,
                    Compare::NotEqual => !(a == b),
                    Compare::GreaterEqual => b <= a,
                    Compare::Always => true,
                };
                [if holds { 1.0 } else { 0.0 }; 4]
            }
        };
        let [width, height] = level[0].size;
        let planes = level.len() as i64;
        if self.dimension == Dimension::Cube {
            let cube = if self.is_array { nearest(layer).clamp(0, planes / 6 - 1) } else { 0 };
            let faces = &level[6 * cube as usize..][..6];
            let v = [at[0], at[1], at[2]];
            let face = face_of(v);
            let [towards, right, down] = FACES[face].map(|axis| along(v, axis));
            let scaled =
                [right, down].map(|of| mul(add(mul(div(of, towards), 0.5), 0.5), width as f32));
            if filter == Filter::Nearest {
                let [x, y] = scaled.map(|q| int(floor(q)).clamp(0, width - 1));
                return (vec![compared(texel(faces, [x, y, face as i64]))], Vec::new());
            }
            let q = scaled.map(|q| sub(q, 0.5));
            let weights = q.map(|q| sub(q, floor(q))).to_vec();
            let [x, y] = q.map(|q| int(floor(q)).clamp(-1, width - 1));
            let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
            let beyond = |at: i64| at < 0 || at >= width;
            let is_corner = |&(x, y): &(i64, i64)| beyond(x) && beyond(y);
            let read = |&(x, y): &(i64, i64)| compared(across_edge(faces, face, x, y));
            let texel = |place: &(i64, i64)| match is_corner(place) {
                false => read(place),
                true => {
                    let others: Vec<[f32; 4]> =
                        places.iter().filter(|other| *other != place).map(read).collect();
                    std::array::from_fn(|k| {
                        let mean = div(add(add(others[0][k], others[1][k]), others[2][k]), 3.0);
                        if self.is_integer { floor(mean) } else { mean }
                    })
                }
            };
            return (places.iter().map(texel).collect(), weights);
        }
        let sides = [width, height, planes];
        let mut columns: Vec<(Vec<i64>, f32)> = Vec::new();
        for (k, &of) in at.iter().enumerate() {
            let scaled = if self.sampler.in_texels { of } else { mul(of, sides[k] as f32) };
            let q = if filter == Filter::Linear { sub(scaled, 0.5) } else { scaled };
            let first = wrapping(int(floor(q)) + offset[k]);
            let both = match filter {
                Filter::Linear => vec![first, wrapping(first + 1)],
                Filter::Nearest => vec![first],
            };
            columns.push((both, sub(q, floor(q))));
        }
        let plane = if self.is_array { nearest(layer).clamp(0, planes - 1) } else { 0 };
        let mut texels = Vec::new();
        let none = vec![0];
        let [xs, ys, zs] = [0, 1, 2].map(|k| columns.get(k).map_or(&none, |of| &of.0));
        for &z in zs {
            for &y in ys {
                for &x in xs {
                    let mut place = [x, y, z];
                    let mut is_border = false;
                    for (k, of) in place.iter_mut().enumerate().take(at.len()) {
                        match wrapped(self.sampler.wrap[k], *of, sides[k]) {
                            Some(within) => *of = within,
                            None => is_border = true,
                        }
                    }
                    if at.len() < 3 {
                        place[2] = plane;
                    }
                    texels.push(compared(match (is_border, self.sampler.border) {
                        (false, _) => texel(level, place),
                        (true, Border::Transparent) => [0.0; 4],
                        (true, Border::Black) => [0.0, 0.0, 0.0, 1.0],
                        (true, Border::White) => [1.0; 4],
                    }));
                }
            }
        }
        let weights = match filter {
            Filter::Linear => columns.iter().map(|of| of.1).collect(),
            Filter::Nearest => Vec::new(),
        };
        (texels, weights)
    }
}

fn axes(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Line => 1,
        Dimension::Plane => 2,
        Dimension::Volume | Dimension::Cube => 3,
    }
}

/// The integer with these low 32 bits.
fn wrapping(of: i64) -> i64 {
    i64::from(of as i32)
}

/// A texel of a level; its place is clamped.
fn texel(level: &[Image], [x, y, plane]: [i64; 3]) -> [f32; 4] {
    let image = &level[plane.clamp(0, level.len() as i64 - 1) as usize];
    let [width, height] = image.size;
    let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
    image.texels[(y * width + x) as usize]
}

/// A coordinate within so many texels; `None` has the border's colour.
fn wrapped(wrap: Wrap, k: i64, n: i64) -> Option<i64> {
    let within = k >= 0 && k < n;
    match wrap {
        Wrap::Clamp => Some(k.clamp(0, n - 1)),
        Wrap::Repeat => Some(k.rem_euclid(n)),
        Wrap::Mirror => {
            let m = k.rem_euclid(2 * n);
            Some(if m < n { m } else { 2 * n - 1 - m })
        }
        Wrap::MirrorOnce => Some((if k < 0 { -1 - k } else { k }).clamp(0, n - 1)),
        Wrap::Border => within.then_some(k),
    }
}

/// A random sampler.
fn sampler(random: &mut Random, is_tame: bool) -> Sampler {
    let filters = [Filter::Nearest, Filter::Linear];
    let mut sampler = Sampler {
        mag: *random.pick(&filters),
        min: *random.pick(&filters),
        mip: *random.pick(&[None, Some(Filter::Nearest), Some(Filter::Linear)]),
        wrap: [0, 1, 2].map(|_| *random.pick(Wrap::ALL)),
        border: *random.pick(Border::ALL),
        compare: *random.pick(Compare::ALL),
        ..Sampler::default()
    };
    if random.percent(30) {
        sampler.bias = random.below(64) as f32 / 16.0 - 2.0;
    }
    // Devices have no image without levels between limits.
    if random.percent(30) && !(is_tame && sampler.mip.is_none()) {
        let least = random.below(8) as f32 / 4.0;
        sampler.levels = [least, least + random.below(12) as f32 / 4.0];
    }
    if !is_tame && random.percent(10) {
        sampler.in_texels = true;
    }
    sampler
}
