//! Twins: a fragment shader in GLSL with a sampler, and a λV program whose declaration has the same options. They read a texture at the
//! same places.

use lambdav_core::float::canonical_bits;
use lambdav_core::sampler::{Border, Compare, Filter, Sampler, Wrap};
use lambdav_core::texture::TextureKind;
use lambdav_engine::{Engine, Options, Shader, ShaderOptions, Size};
use lambdav_test_support::Random;

/// The components of a texture's texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texels {
    Colours,
    Depths,
    Ints,
    Uints,
}

/// A texture, a call in both languages, and places.
#[derive(Debug)]
pub(crate) struct Twin {
    glsl: String,
    lambda: String,
    sampler: Sampler,
    mipmaps: bool,
    is_integer: bool,
    size: [u32; 3],
    texels: Vec<[f32; 4]>,
    /// For each pixel the place, and moves, a level and a reference.
    places: [Vec<[f32; 4]>; 2],
}

/// Columns and rows of pixels.
const PIXELS: [u32; 2] = [16, 8];

impl Twin {
    pub(crate) fn new(random: &mut Random) -> Self {
        let kind = *random.pick(&TextureKind::ALL);
        let texels = match random.below(8) {
            0 if kind != TextureKind::Volume => *random.pick(&[Texels::Ints, Texels::Uints]),
            1..4 if kind != TextureKind::Volume => Texels::Depths,
            _ => Texels::Colours,
        };
        let is_integer = matches!(texels, Texels::Ints | Texels::Uints);
        let mipmaps = !is_integer && random.percent(60);
        let mut side = || *random.pick(&[1_u32, 2, 3, 5, 8, 13]);
        let [width, height, planes] = [side(), side(), side()];
        let size = match kind {
            TextureKind::Flat => [width, height, 1],
            TextureKind::Array | TextureKind::Volume => [width, height, planes],
            TextureKind::Cube => [width, width, 6],
            TextureKind::CubeArray => [width, width, 6 * planes.min(3)],
        };
        let special = [0.0, -0.0, 1e-45, -1e30, f32::INFINITY, f32::NAN];
        let texel = |_| {
            std::array::from_fn(|_| match random.percent(2) {
                _ if is_integer => random.below(1 << 16) as f32,
                true => *random.pick(&special),
                false => random.below(5) as f32 / 4.0,
            })
        };
        let all = (0..size.iter().product()).map(texel).collect();
        let sampler = sampler(random);
        let (glsl, lambda) = calls(random, kind, texels);
        Self {
            glsl: in_glsl(kind, texels, &glsl),
            lambda: in_lambda(kind, texels, mipmaps, &sampler, &lambda),
            sampler,
            mipmaps,
            is_integer,
            size,
            texels: all,
            places: places(random, kind, size),
        }
    }

    fn pixels(&self, shader: &Shader, engine: Engine, [columns, rows]: [u32; 2]) -> Vec<[u32; 4]> {
        let pipeline = shader.pipeline(&Options::default().engine(engine));
        let pipeline = pipeline.unwrap_or_else(|error| panic!("{error}\n{}", self.lambda));
        let mut bindings = pipeline.bindings();
        match self.is_integer {
            true => {
                let integers: Vec<[u32; 4]> =
                    self.texels.iter().map(|texel| texel.map(|of| of as u32)).collect();
                bindings.bind_integers("t", self.size, &integers)
            }
            false => bindings.bind_planes("t", self.size, &self.texels),
        }
        .expect("it is a texture");
        for (name, texels) in ["places", "more"].into_iter().zip(&self.places) {
            let [columns, rows] = PIXELS;
            bindings.bind_planes(name, [columns, rows, 1], texels).expect("it is a texture");
        }
        let size = Size::new(columns, rows).expect("within the limits");
        let frame = pipeline.render(&bindings, size).expect("it ends");
        frame.pixels().iter().map(|pixel| pixel.map(canonical_bits)).collect()
    }

    /// The first pixel in which the program in λV, drawn by this engine, differs from the one in GLSL.
    pub(crate) fn first_difference(&self, engine: Engine) -> Option<String> {
        let mut options = ShaderOptions::default().sampler("t", self.sampler);
        if self.mipmaps {
            options = options.mipmaps("t");
        }
        let glsl = Shader::with_options("twin.frag", &self.glsl, &options);
        let glsl = glsl.unwrap_or_else(|error| panic!("{error}\n{}", self.glsl));
        let lambda = Shader::new("twin.lv", &self.lambda);
        let lambda = lambda.unwrap_or_else(|error| panic!("{error}\n{}", self.lambda));
        // The evaluator of the text is slow.
        let size = if matches!(engine, Engine::Source) { [4, 1] } else { PIXELS };
        let wanted = self.pixels(&glsl, Engine::Core, size);
        let found = self.pixels(&lambda, engine, size);
        let at = (0..wanted.len()).find(|&at| found[at] != wanted[at])?;
        let shown = |pixel: [u32; 4]| pixel.map(f32::from_bits);
        let (found, wanted) = (shown(found[at]), shown(wanted[at]));
        let place = self.places.each_ref().map(|of| of[at]);
        let texts = format!("{}\n{}\n{:?} {:?}", self.glsl, self.lambda, self.size, self.sampler);
        Some(format!("{texts}\npixel {at}: {place:?}\n{found:?}, not {wanted:?}"))
    }
}

/// A random sampler that a declaration in λV can have.
fn sampler(random: &mut Random) -> Sampler {
    let filter = *random.pick(Filter::ALL);
    let mut sampler = Sampler {
        mag: filter,
        min: filter,
        mip: Some(filter),
        wrap: [0, 1, 2].map(|_| *random.pick(Wrap::ALL)),
        border: *random.pick(Border::ALL),
        compare: *random.pick(Compare::ALL),
        ..Sampler::default()
    };
    if random.percent(30) {
        sampler.wrap = [*random.pick(Wrap::ALL); 3];
    }
    if random.percent(30) {
        sampler.bias = random.below(64) as f32 / 16.0 - 2.0;
    }
    if random.percent(30) {
        let least = random.below(8) as f32 / 4.0;
        sampler.levels = [least, least + random.below(12) as f32 / 4.0];
    }
    sampler
}

/// A random call in GLSL and in λV: `p` is the place, `a` has moves, a level in `z` and a reference in `w`.
fn calls(random: &mut Random, kind: TextureKind, texels: Texels) -> (String, String) {
    use TextureKind::{Array, Cube, CubeArray, Flat, Volume};
    let (place, moving) = match kind {
        Flat => ("xy", "xy"),
        Array => ("xyz", "xy"),
        Cube | Volume => ("xyz", "xyz"),
        CubeArray => ("xyzw", "xyz"),
    };
    let (p, at) = (format!("p.{place}"), format!("(.{place} p)"));
    let component = random.below(4);
    let gather = (
        format!("vec4(textureGather(t, {p}, {component}))"),
        format!("(gather t {at} {component})"),
    );
    let in_four = |(glsl, lambda): (String, String)| {
        (format!("vec4({glsl}, 0.0, 0.0, 0.0)"), format!("(vec4 {lambda} 0 0 0)"))
    };
    if matches!(texels, Texels::Ints | Texels::Uints) {
        return (gather.0, format!("(num {})", gather.1));
    }
    let mut all = Vec::new();
    if texels == Texels::Depths {
        let compared = match kind {
            CubeArray => format!("{p}, a.w"),
            Flat => format!("vec3({p}, a.w)"),
            _ => format!("vec4({p}, a.w)"),
        };
        let call = (format!("texture(t, {compared})"), format!("(sample-compare t {at} (.w a))"));
        all.push(in_four(call));
        if kind == Flat {
            all.push(in_four((
                format!("textureLod(t, {compared}, a.z)"),
                format!("(sample-compare-level t {at} (.w a) (.z a))"),
            )));
        }
        all.push((
            format!("textureGather(t, {p}, a.w)"),
            format!("(gather-compare t {at} (.w a))"),
        ));
        return random.pick(&all).clone();
    }
    let other = if moving == "xy" { "yz" } else { "yzx" };
    let query = if moving == "xy" { "p.xy" } else { "p.xyz" };
    all.extend([
        (format!("texture(t, {p})"), format!("(sample t {at})")),
        (format!("textureLod(t, {p}, a.z)"), format!("(sample-level t {at} (.z a))")),
        (
            format!("textureGrad(t, {p}, a.{moving}, a.{other})"),
            format!("(sample-grad t {at} (.{moving} a) (.{other} a))"),
        ),
        (format!("texture(t, {p}, a.z)"), format!("(sample-bias t {at} (.z a))")),
        (
            format!("vec4(textureQueryLod(t, {query}), 0.0, 0.0)"),
            format!("(vec4 (texture-lod t (.{moving} p)) 0 0)"),
        ),
    ]);
    if kind != Volume {
        all.push(gather);
    }
    let offset = match kind {
        Flat | Array => Some(("ivec2(-3, 5)", "(ivec2 -3i 5i)")),
        Volume => Some(("ivec3(-3, 5, 1)", "(ivec3 -3i 5i 1i)")),
        Cube | CubeArray => None,
    };
    if let Some((glsl, lambda)) = offset {
        let call =
            (format!("textureOffset(t, {p}, {glsl})"), format!("(sample-offset t {at} {lambda})"));
        all.push(call);
    }
    match kind {
        Flat => all.push(("textureProj(t, p.xyz)".into(), "(sample-projected t (.xyz p))".into())),
        Volume => all.push(("textureProj(t, p)".into(), "(sample-projected t p)".into())),
        Array | Cube | CubeArray => {}
    }
    random.pick(&all).clone()
}

fn in_glsl(kind: TextureKind, texels: Texels, call: &str) -> String {
    let of = match kind {
        TextureKind::Flat => "2D",
        TextureKind::Array => "2DArray",
        TextureKind::Cube => "Cube",
        TextureKind::CubeArray => "CubeArray",
        TextureKind::Volume => "3D",
    };
    let (letter, shadow) = match texels {
        Texels::Colours => ("", ""),
        Texels::Depths => ("", "Shadow"),
        Texels::Ints => ("i", ""),
        Texels::Uints => ("u", ""),
    };
    format!(
        "#version 450
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform {letter}sampler{of}{shadow} t;
layout(binding = 1) uniform sampler2D places;
layout(binding = 2) uniform sampler2D more;
void main() {{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 p = texelFetch(places, pixel, 0), a = texelFetch(more, pixel, 0);
    colour = {call};
}}
"
    )
}

fn in_lambda(
    kind: TextureKind,
    texels: Texels,
    mipmaps: bool,
    sampler: &Sampler,
    call: &str,
) -> String {
    let mut options = match kind {
        TextureKind::Flat if texels == Texels::Depths => "(kind depth)".to_owned(),
        TextureKind::Flat => String::new(),
        kind => format!("(kind {})", kind.name()),
    };
    options += &match texels {
        Texels::Colours => String::new(),
        Texels::Depths => format!(" (compare {})", sampler.compare.word()),
        Texels::Ints => " (texels int)".into(),
        Texels::Uints => " (texels uint)".into(),
    };
    if kind.wrapped_axes() > 0 {
        let words = sampler.wrap.map(Wrap::name);
        options += &format!(" (wrap {})", words[..kind.wrapped_axes()].join(" "));
    }
    options += &format!(" (filter {}) (border {})", sampler.mag.name(), sampler.border.word());
    if !matches!(texels, Texels::Ints | Texels::Uints) {
        options += &format!(" (bias {})", sampler.bias);
        let [least, most] = sampler.levels;
        if most < f32::INFINITY {
            options += &format!(" (levels {least} {most})");
        }
    }
    let mipmaps = if mipmaps { "mipmaps" } else { "" };
    format!(
        "(texture t {options} {mipmaps}) (texture places) (texture more)
(define pixel (int (.xy (frag-coord))))
(define p (texel places pixel)) (define a (texel more pixel))
{call}
"
    )
}

/// Places that move little from pixel to pixel, or lie anywhere: on edges and centres of texels, far outside, no numbers.
fn places(random: &mut Random, kind: TextureKind, size: [u32; 3]) -> [Vec<[f32; 4]>; 2] {
    let is_cube = matches!(kind, TextureKind::Cube | TextureKind::CubeArray);
    let is_smooth = random.percent(50);
    let part = |random: &mut Random| random.below(1 << 22) as f32 / (1 << 22) as f32;
    let [from, right, down]: [[f32; 4]; 3] =
        [2.0, 0.25, 0.25].map(|by| std::array::from_fn(|_| by * (2.0 * part(random) - 1.0)));
    let [columns, rows] = PIXELS;
    let pixels = (0..columns * rows).map(|k| [(k % columns) as f32, (k / columns) as f32]);
    let wild = [0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e10, f32::INFINITY, f32::NAN];
    let pixels: Vec<[f32; 2]> = pixels.collect();
    let at = pixels.iter().map(|[x, y]| {
        std::array::from_fn(|k| match random.below(10) {
            _ if is_smooth => from[k] + x * right[k] + y * down[k],
            0 => f32::from_bits((random.bits() >> 32) as u32),
            1 => *random.pick(&wild),
            2 if is_cube => random.below(5) as f32 - 2.0,
            // An edge or a centre of a texel.
            2 | 3 if k < 3 => (random.below(60) as f32 - 20.0) / (2.0 * size[k] as f32),
            _ => 4.0 * part(random) - 1.5,
        })
    });
    let at = at.collect();
    let more = pixels.iter().map(|_| {
        let mut number = |least: f32, most: f32| match random.percent(4) {
            true => *random.pick(&wild),
            false => least + (most - least) * part(random),
        };
        let moves = [number(-0.6, 0.6), number(-0.6, 0.6)];
        let level = number(-2.0, 5.0);
        // Texels are quarters.
        let reference = (4.0 * number(0.0, 1.0)).round() / 4.0;
        [moves[0], moves[1], level, reference]
    });
    [at, more.collect()]
}
