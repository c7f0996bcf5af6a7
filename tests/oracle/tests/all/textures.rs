//! Samples of textures by every engine against the oracle, bit for bit.
//!
//! `SAMPLES=1000000` takes a million coordinates for each option and size.

use lambdav::{Frame, Shader, Size};
use lambdav_core::float::canonical_bits;
use lambdav_core::resource::Bound;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{Filter, TextureData, TextureOptions, Wrap};
use lambdav_engine::Settings;
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine, SourceEngine, SpirvEngine};
use lambdav_oracle::textures::{Image, pyramid, sample, sample_grad};
use lambdav_raster::{RenderOptions, render};
use lambdav_simd_backend::{Compiler, Target};
use lambdav_test_support::Random;

/// A single texel, a single column, odd levels, many levels.
const SIZES: [[u32; 2]; 5] = [[1, 1], [1, 7], [5, 3], [13, 11], [4096, 3]];

fn options() -> impl Iterator<Item = TextureOptions> {
    let filters = [Filter::Nearest, Filter::Linear].into_iter();
    let wraps = [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror];
    filters.flat_map(move |filter| {
        wraps.into_iter().flat_map(move |wrap| {
            [false, true].map(|mipmaps| TextureOptions {
                filter,
                wrap: [wrap; 3],
                mipmaps,
                ..TextureOptions::default()
            })
        })
    })
}

/// A coordinate in a level of that size: inside, outside, on borders and centres of texels, huge, or random
/// bits.
pub(super) fn coordinate(random: &mut Random, side: u32) -> f32 {
    let texel = |random: &mut Random| random.below(6 * side as usize) as f32 - 2.0 * side as f32;
    match random.below(10) {
        0 => f32::from_bits((random.bits() >> 32) as u32),
        1 => texel(random) / side as f32,
        2 => (texel(random) + 0.5) / side as f32,
        3 => *random.pick(&[0.0, -0.0, 1.0, -0.5, 0.5, 1e9, -1e9, 1e30, f32::NAN, f32::INFINITY]),
        _ => random.below(1 << 24) as f32 / (1 << 23) as f32 - 0.5,
    }
}

/// A level of detail, or a difference of coordinates.
pub(super) fn detail(random: &mut Random) -> f32 {
    match random.below(6) {
        0 => f32::from_bits((random.bits() >> 32) as u32),
        1 => random.below(20) as f32 - 3.0,
        2 => random.below(20) as f32 - 3.5,
        _ => random.below(1 << 24) as f32 / (1 << 20) as f32 - 2.0,
    }
}

/// A texture, with coordinates to sample.
struct Trial {
    options: TextureOptions,
    levels: Vec<Image>,
    /// Coordinates and level of detail; then differences to the right and down.
    places: Vec<[[f32; 4]; 2]>,
    side: u32,
}

impl Trial {
    fn new(random: &mut Random, options: TextureOptions, size: [u32; 2], side: u32) -> Self {
        let special = [0.0, -0.0, 1e-45, -1e30, f32::INFINITY, f32::NAN];
        let texel = |_| {
            std::array::from_fn(|_| match random.percent(2) {
                true => *random.pick(&special),
                false => random.below(65_536) as f32 / 65_535.0,
            })
        };
        let texels: Vec<[f32; 4]> = (0..size[0] * size[1]).map(texel).collect();
        let levels = pyramid(Image { size: size.map(i64::from), texels });
        let place = |_| {
            let [u, v] = size.map(|side| coordinate(random, side));
            let moves = std::array::from_fn(|_| detail(random) / 64.0);
            [[u, v, detail(random), 0.0], moves]
        };
        let places = (0..side * side).map(place).collect();
        Self { options, levels, places, side }
    }

    fn text(&self, call: &str) -> String {
        let TextureOptions { filter, wrap, mipmaps, .. } = self.options;
        let (filter, wrap) = (filter.name(), wrap[0].name());
        let mipmaps = if mipmaps { "mipmaps" } else { "" };
        format!(
            "(texture t (filter {filter}) (wrap {wrap}) {mipmaps}) (texture places) (texture moves)
             (define pixel (int (.xy (frag-coord))))
             (define w (texel places pixel)) (define m (texel moves pixel))
             {call}"
        )
    }

    fn settings(&self, shader: &Shader, size: Size) -> Settings {
        let mut settings = Settings::new(shader.core(), size);
        let mut bind = |name: &str, size: [u32; 2], texels: &[[f32; 4]], mipmaps| {
            let data = TextureData::new(size, texels.iter().copied(), mipmaps);
            let data = data.expect("it is small");
            let types = shader.core().graph.types();
            settings.bind_data(types, name, Bound::Texture(data.into())).expect("it is declared");
        };
        let first = &self.levels[0];
        bind("t", first.size.map(|side| side as u32), &first.texels, self.options.mipmaps);
        for (k, name) in ["places", "moves"].into_iter().enumerate() {
            let texels: Vec<[f32; 4]> = self.places.iter().map(|place| place[k]).collect();
            bind(name, [self.side; 2], &texels, false);
        }
        settings
    }

    /// Compares the pixels of a square with that side, drawn by an engine.
    fn check<E: BoundKernel>(
        &self,
        call: &str,
        side: u32,
        wanted: impl Fn(&[[f32; 4]; 2]) -> [f32; 4],
        engine: impl Fn(&Shader, &Settings, u32) -> E,
    ) {
        let text = self.text(call);
        let shader = Shader::new("sample.lv", &text).expect("it is right");
        let size = Size::new(side, side).expect("within the limits");
        let settings = self.settings(&shader, size);
        let engine = engine(&shader, &settings, side);
        let frame: Frame = render(&engine, size, &RenderOptions::default()).expect("it ends");
        let bits = |texel: [f32; 4]| texel.map(canonical_bits);
        for y in 0..side {
            for x in 0..side {
                let place = &self.places[(y * self.side + x) as usize];
                let found = frame.pixel(x, y).expect("it is inside");
                let wanted = wanted(place);
                assert_eq!(bits(found), bits(wanted), "{text}\n{place:?} {found:?} {wanted:?}");
            }
        }
    }
}

type Wanted = fn(&Trial, &[[f32; 4]; 2]) -> [f32; 4];

/// The calls to test, with the oracle's function for each.
fn calls(options: TextureOptions) -> Vec<(&'static str, Wanted)> {
    let mut calls: Vec<(&'static str, Wanted)> = vec![
        ("(sample-level t (.xy w) (.z w))", |t, [w, _]| {
            sample(&t.levels, t.options, [w[0], w[1]], w[2])
        }),
        ("(sample-grad t (.xy w) (.xy m) (.zw m))", |t, [w, m]| {
            let moves = [[m[0], m[1]], [m[2], m[3]]];
            sample_grad(&t.levels, t.options, [w[0], w[1]], moves)
        }),
    ];
    if !options.mipmaps {
        calls.push(("(sample t (.xy w))", |t, [w, _]| {
            sample(&t.levels, t.options, [w[0], w[1]], 0.0)
        }));
    }
    calls
}

#[test]
fn machine_code_samples_as_the_oracle_does() {
    let samples = std::env::var("SAMPLES").ok().and_then(|text| text.parse().ok());
    let side = f64::from(samples.unwrap_or(4_000_u32)).sqrt().ceil() as u32;
    let mut random = Random::new(12);
    for options in options() {
        for size in SIZES {
            let trial = Trial::new(&mut random, options, size, side);
            for (call, wanted) in calls(options) {
                // The oracle's logarithm is slow.
                let side = if call.contains("grad") { side.min(20) } else { side };
                trial.check(
                    call,
                    side,
                    |place| wanted(&trial, place),
                    |shader, settings, _| {
                        SimdEngine::new(shader.core(), 0, settings, None).expect("it compiles")
                    },
                );
            }
        }
    }
}

#[test]
fn every_number_of_lanes_and_every_target_samples_alike() {
    let mut random = Random::new(13);
    for options in options() {
        let trial = Trial::new(&mut random, options, [13, 11], 20);
        let (call, wanted) = calls(options).remove(0);
        for target in Target::here() {
            for lanes in [1, 4, 8, 16, 32, 64] {
                trial.check(
                    call,
                    20,
                    |place| wanted(&trial, place),
                    |shader, settings, _| {
                        let target =
                            Target::named(target).expect("it is known").expect("it is here");
                        let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
                        let engine =
                            SimdEngine::with_compiler(shader.core(), 0, settings, compiler);
                        engine.expect("it compiles")
                    },
                );
            }
        }
    }
}

#[test]
fn evaluators_sample_as_the_oracle_does() {
    let mut random = Random::new(14);
    for options in options() {
        for size in SIZES {
            let trial = Trial::new(&mut random, options, size, 12);
            for (call, wanted) in calls(options) {
                let wanted = |place: &[[f32; 4]; 2]| wanted(&trial, place);
                trial.check(call, 12, wanted, |shader, settings, _| {
                    CoreEngine::new(shader.core(), 0, settings).expect("it is bound")
                });
                trial.check(call, 12, wanted, |shader, settings, _| {
                    SpirvEngine::new(shader.core(), 0, settings).expect("it is bound")
                });
                let text = trial.text(call);
                trial.check(call, 3, wanted, |_, settings, _| {
                    let source = SourceFile::new("sample.lv", text.as_str());
                    SourceEngine::new(&source, 0, settings).expect("it is read")
                });
            }
        }
    }
}
