//! Samples of textures with planes by every engine against the oracle, bit for bit.
//!
//! `SAMPLES=1000000` takes a million places for each kind, option and size.

use super::textures::{coordinate, detail};
use lambdav::{Frame, Shader, Size};
use lambdav_core::float::canonical_bits;
use lambdav_core::resource::Bound;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{Filter, TextureData, TextureKind, TextureOptions, Wrap};
use lambdav_engine::Settings;
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine, SourceEngine, SpirvEngine};
use lambdav_oracle::planes::{Level, pyramid, sample, sample_grad};
use lambdav_oracle::textures::Image;
use lambdav_raster::{RenderOptions, render};
use lambdav_simd_backend::{Compiler, Target};
use lambdav_test_support::Random;

/// Kinds with sizes: single texels, columns, odd sides, several cubes, a prime number of slices.
const SIZES: [(TextureKind, [u32; 3]); 9] = [
    (TextureKind::Array, [1, 1, 1]),
    (TextureKind::Array, [5, 3, 4]),
    (TextureKind::Volume, [1, 7, 2]),
    (TextureKind::Volume, [6, 5, 7]),
    (TextureKind::Cube, [1, 1, 6]),
    (TextureKind::Cube, [2, 2, 6]),
    (TextureKind::Cube, [13, 13, 6]),
    (TextureKind::CubeArray, [3, 3, 6]),
    (TextureKind::CubeArray, [4, 4, 18]),
];

/// The options of a kind: a cube has no wrap.
fn options(kind: TextureKind) -> Vec<TextureOptions> {
    let is_cube = matches!(kind, TextureKind::Cube | TextureKind::CubeArray);
    let wraps: &[Wrap] = match is_cube {
        true => &[Wrap::Repeat],
        false => &[Wrap::Clamp, Wrap::Repeat, Wrap::Mirror],
    };
    let mut all = Vec::new();
    for filter in [Filter::Nearest, Filter::Linear] {
        for &wrap in wraps {
            for mipmaps in [false, true] {
                all.push(TextureOptions {
                    kind,
                    filter,
                    wrap: [wrap; 3],
                    mipmaps,
                    ..Default::default()
                });
            }
        }
    }
    all
}

/// A direction, often toward an edge, a corner or the middle of a face.
fn direction(random: &mut Random) -> [f32; 3] {
    match random.below(8) {
        0 => std::array::from_fn(|_| f32::from_bits((random.bits() >> 32) as u32)),
        1 => std::array::from_fn(|_| *random.pick(&[0.0, -0.0, 1.0, -1.0, 1e30, -1e-45])),
        2 => {
            let side = random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0;
            let mut all = [side, if random.percent(50) { side } else { -side }, 1.0];
            let (a, b) = (random.below(3), random.below(3));
            all.swap(a, b);
            all
        }
        _ => std::array::from_fn(|_| random.below(1 << 22) as f32 / (1 << 21) as f32 - 1.0),
    }
}

/// A texture, with places to sample.
struct Trial {
    options: TextureOptions,
    levels: Vec<Level>,
    /// The place; the move to the right and the level of detail; the move down.
    places: Vec<[[f32; 4]; 3]>,
    side: u32,
}

impl Trial {
    fn new(random: &mut Random, options: TextureOptions, size: [u32; 3], side: u32) -> Self {
        let special = [0.0, -0.0, 1e-45, -1e30, f32::INFINITY, f32::NAN];
        let [width, height, planes] = size;
        let mut image = |_| {
            let texel = |_| {
                std::array::from_fn(|_| match random.percent(2) {
                    true => *random.pick(&special),
                    false => random.below(65_536) as f32 / 65_535.0,
                })
            };
            let texels = (0..width * height).map(texel).collect();
            Image { size: [width, height].map(i64::from), texels }
        };
        let first = (0..planes).map(&mut image).collect();
        let levels = pyramid(options.kind, first);
        let place = |_| {
            let [u, v, w, layer] = match options.kind {
                TextureKind::Cube | TextureKind::CubeArray => {
                    let [x, y, z] = direction(random);
                    [x, y, z, detail(random)]
                }
                TextureKind::Array => {
                    let [u, v] = [width, height].map(|side| coordinate(random, side));
                    [u, v, detail(random), 0.0]
                }
                _ => {
                    let [u, v, w] = size.map(|side| coordinate(random, side));
                    [u, v, w, 0.0]
                }
            };
            let mut by = || [0, 1, 2].map(|_| detail(random) / 64.0);
            let ([a, b, c], [d, e, f]) = (by(), by());
            [[u, v, w, layer], [a, b, c, detail(random)], [d, e, f, 0.0]]
        };
        let places = (0..side * side).map(place).collect();
        Self { options, levels, places, side }
    }

    fn text(&self, call: &str) -> String {
        let TextureOptions { kind, filter, wrap, mipmaps, .. } = self.options;
        let (kind, filter, wrap) = (kind.name(), filter.name(), wrap[0].name());
        let mipmaps = if mipmaps { "mipmaps" } else { "" };
        format!(
            "(texture t (kind {kind}) (filter {filter}) (wrap {wrap}) {mipmaps})
             (texture places) (texture right) (texture down)
             (define pixel (int (.xy (frag-coord))))
             (define p (texel places pixel)) (define r (texel right pixel))
             (define d (texel down pixel))
             {call}"
        )
    }

    /// The calls to test.
    fn calls(&self) -> Vec<(String, Wanted)> {
        let (place, by) = match self.options.kind {
            TextureKind::CubeArray => ("p", "xyz"),
            TextureKind::Cube | TextureKind::Volume => ("(.xyz p)", "xyz"),
            _ => ("(.xyz p)", "xy"),
        };
        let mut calls: Vec<(String, Wanted)> = vec![
            (format!("(sample-level t {place} (.w r))"), |t, [p, r, _]| {
                sample(&t.levels, t.options, *p, r[3])
            }),
            (format!("(sample-grad t {place} (.{by} r) (.{by} d))"), |t, [p, r, d]| {
                let moves = [r, d].map(|by| [by[0], by[1], by[2]]);
                sample_grad(&t.levels, t.options, *p, moves)
            }),
        ];
        if !self.options.mipmaps {
            calls.push((format!("(sample t {place})"), |t, [p, ..]| {
                sample(&t.levels, t.options, *p, 0.0)
            }));
        }
        calls
    }

    fn settings(&self, shader: &Shader, size: Size) -> Settings {
        let mut settings = Settings::new(shader.core(), size);
        let types = shader.core().graph.types();
        let mut bind = |name: &str, data: TextureData| {
            let data = Bound::Texture(data.into());
            settings.bind_data(types, name, data).expect("it is declared");
        };
        let first = &self.levels[0];
        let [width, height] = first[0].size.map(|side| side as u32);
        let texels: Vec<[f32; 4]> = first.iter().flat_map(|of| of.texels.clone()).collect();
        let (size, texels) = ([width, height, first.len() as u32], texels.into_iter());
        let TextureOptions { kind, mipmaps, .. } = self.options;
        bind("t", TextureData::with_planes(kind, size, texels, mipmaps).expect("it is small"));
        for (k, name) in ["places", "right", "down"].into_iter().enumerate() {
            let texels: Vec<[f32; 4]> = self.places.iter().map(|place| place[k]).collect();
            let data = TextureData::new([self.side; 2], texels.into_iter(), false);
            bind(name, data.expect("it is small"));
        }
        settings
    }

    /// Compares the pixels of a square with that side, drawn by an engine.
    fn check<E: BoundKernel>(
        &self,
        (call, wanted): &(String, Wanted),
        side: u32,
        engine: impl Fn(&Shader, &Settings) -> E,
    ) {
        let text = self.text(call);
        let shader = Shader::new("sample.lv", &text).expect("it is right");
        let size = Size::new(side, side).expect("within the limits");
        let settings = self.settings(&shader, size);
        let engine = engine(&shader, &settings);
        let frame: Frame = render(&engine, size, &RenderOptions::default()).expect("it ends");
        let bits = |texel: [f32; 4]| texel.map(canonical_bits);
        for y in 0..side {
            for x in 0..side {
                let place = &self.places[(y * self.side + x) as usize];
                let found = frame.pixel(x, y).expect("it is inside");
                let wanted = wanted(self, place);
                assert_eq!(bits(found), bits(wanted), "{text}\n{place:?} {found:?} {wanted:?}");
            }
        }
    }
}

type Wanted = fn(&Trial, &[[f32; 4]; 3]) -> [f32; 4];

#[test]
fn machine_code_samples_planes_as_the_oracle_does() {
    let samples = std::env::var("SAMPLES").ok().and_then(|text| text.parse().ok());
    let side = f64::from(samples.unwrap_or(2_500_u32)).sqrt().ceil() as u32;
    let mut random = Random::new(46);
    for (kind, size) in SIZES {
        for options in options(kind) {
            let trial = Trial::new(&mut random, options, size, side);
            for call in trial.calls() {
                // The oracle's logarithm is slow.
                let side = if call.0.contains("grad") { side.min(20) } else { side };
                trial.check(&call, side, |shader, settings| {
                    SimdEngine::new(shader.core(), 0, settings, None).expect("it compiles")
                });
            }
        }
    }
}

#[test]
fn every_target_samples_planes_alike() {
    let mut random = Random::new(47);
    for (kind, size) in SIZES {
        let options = TextureOptions { kind, mipmaps: true, ..Default::default() };
        let trial = Trial::new(&mut random, options, size, 20);
        let call = trial.calls().remove(0);
        for target in Target::here() {
            for lanes in [1, 8, 32] {
                trial.check(&call, 20, |shader, settings| {
                    let target = Target::named(target).expect("it is known").expect("it is here");
                    let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
                    let engine = SimdEngine::with_compiler(shader.core(), 0, settings, compiler);
                    engine.expect("it compiles")
                });
            }
        }
    }
}

#[test]
fn evaluators_sample_planes_as_the_oracle_does() {
    let mut random = Random::new(48);
    for (kind, size) in SIZES {
        for options in options(kind) {
            let trial = Trial::new(&mut random, options, size, 8);
            for call in trial.calls() {
                trial.check(&call, 8, |shader, settings| {
                    CoreEngine::new(shader.core(), 0, settings).expect("it is bound")
                });
                trial.check(&call, 8, |shader, settings| {
                    SpirvEngine::new(shader.core(), 0, settings).expect("it is bound")
                });
                let text = trial.text(&call.0);
                trial.check(&call, 3, |_, settings| {
                    let source = SourceFile::new("sample.lv", text.as_str());
                    SourceEngine::new(&source, 0, settings).expect("it is read")
                });
            }
        }
    }
}
