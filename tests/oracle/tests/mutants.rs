//! The oracle finds mutants of expansions. Expansions are equal in all engines, so comparing engines does not
//! find these.
//!
//! `cargo test -p lambdav-oracle --features mutants --test mutants`

#[path = "sampled/mod.rs"]
mod sampled;

use lambdav::{Shader, ShaderOptions, Size};
use lambdav_core::resource::Bound;
use lambdav_core::texture::{Filter, TextureData, TextureKind, TextureOptions, Wrap};
use lambdav_engine::engines::CoreEngine;
use lambdav_engine::{Engine, Settings};
use lambdav_frontend::mutants::{Mutant, activate};
use lambdav_oracle::planes;
use lambdav_oracle::samplers::{GROUP, Trial};
use lambdav_oracle::textures::{Image, sample};
use lambdav_raster::{RenderOptions, render};
use lambdav_spirv_frontend::mutants as of_raise;
use lambdav_test_support::Random;
use sampled::twins::Twin;
use sampled::{first_difference, wrong_element, wrong_projection};
use std::sync::{Mutex, PoisonError};

/// Different texels, mirrored, at coordinates on both sides of the texture.
const TEXT: &str = "(texture t (filter nearest) (wrap mirror))
    (sample t (* (- (.xy (frag-coord)) (vec2 9 4)) 0.125))";

/// The first pixel that differs from the oracle.
fn first_difference_of_mirror() -> Option<(usize, usize)> {
    let texels: Vec<[f32; 4]> = (0..15).map(|k| [k as f32, 1.0, 0.5, 0.25]).collect();
    let shader = Shader::new("mirror.lv", TEXT).expect("it is right");
    let size = Size::new(32, 16).expect("within the limits");
    let mut settings = Settings::new(shader.core(), size);
    let data = TextureData::new([5, 3], texels.iter().copied(), false).expect("it is small");
    let types = shader.core().graph.types();
    settings.bind_data(types, "t", Bound::Texture(data.into())).expect("it is declared");
    let engine = CoreEngine::new(shader.core(), 0, &settings).expect("it schedules");
    let frame = render(&engine, size, &RenderOptions::default()).expect("nothing loops");
    let options =
        TextureOptions { filter: Filter::Nearest, wrap: [Wrap::Mirror; 3], ..Default::default() };
    let levels = [Image { size: [5, 3], texels }];
    let place = |k: usize, less: f32| (k as f32 + 0.5 - less) * 0.125;
    let pixels = (0..16).flat_map(|y| (0..32).map(move |x| (x, y)));
    pixels.into_iter().find(|&(x, y)| {
        let wanted = sample(&levels, options, [place(x, 9.0), place(y, 4.0)], 0.0);
        frame.pixels()[32 * y + x] != wanted
    })
}

/// A cube in many directions, in λV and in GLSL.
const CUBES: [(&str, &str); 2] = [
    (
        "cube.lv",
        "(texture t (kind cube))
         (sample t (vec3 (* (- (.xy (frag-coord)) (vec2 16 8)) 0.25) 1.5))",
    ),
    (
        "cube.frag",
        "#version 450
         layout(binding = 0) uniform samplerCube t;
         layout(location = 0) out vec4 color;
         void main() { color = texture(t, vec3((gl_FragCoord.xy - vec2(16, 8)) * 0.25, 1.5)); }",
    ),
];

/// The first pixel of a cube that differs from the oracle.
fn first_difference_of(cube: (&str, &str)) -> Option<(usize, usize)> {
    let image = |face: u32| {
        let texels = (0..9).map(|k| [k as f32, face as f32, 0.5, 0.25]).collect();
        Image { size: [3, 3], texels }
    };
    let levels = [(0..6).map(image).collect::<planes::Level>()];
    let texels: Vec<[f32; 4]> = levels[0].iter().flat_map(|face| face.texels.clone()).collect();
    let (name, text) = cube;
    let shader = Shader::with_options(name, text, &ShaderOptions::default()).expect("it is right");
    let size = Size::new(32, 16).expect("within the limits");
    let mut settings = Settings::new(shader.core(), size);
    let kind = TextureKind::Cube;
    let data = TextureData::with_planes(kind, [3, 3, 6], texels.into_iter(), false);
    let data = Bound::Texture(data.expect("it is small").into());
    settings.bind_data(shader.core().graph.types(), "t", data).expect("it is declared");
    let engine = CoreEngine::new(shader.core(), 0, &settings).expect("it schedules");
    let frame = render(&engine, size, &RenderOptions::default()).expect("nothing loops");
    let options = TextureOptions { kind, ..Default::default() };
    let place = |k: usize, less: f32| (k as f32 + 0.5 - less) * 0.25;
    let pixels = (0..16).flat_map(|y| (0..32).map(move |x| (x, y)));
    pixels.into_iter().find(|&(x, y)| {
        let direction = [place(x, 16.0), place(y, 8.0), 1.5, 0.0];
        frame.pixels()[32 * y + x] != planes::sample(&levels, options, direction, 0.0)
    })
}

#[test]
fn mutants_of_cubes_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for cube in CUBES {
        assert_eq!(first_difference_of(cube), None, "no mutant is active");
    }
    for mutant in Mutant::OF_CUBES {
        activate(Some(mutant));
        let found = first_difference_of(CUBES[0]);
        activate(None);
        assert!(found.is_some(), "{mutant:?} is not found");
    }
    for mutant in of_raise::Mutant::OF_CUBES {
        of_raise::activate(Some(mutant));
        let found = first_difference_of(CUBES[1]);
        of_raise::activate(None);
        assert!(found.is_some(), "{mutant:?} of the raise is not found");
    }
}

/// Trials until a mutant of a sampler shows.
const TRIALS: u64 = 3000;

#[test]
fn mutants_of_samplers_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for mutant in of_raise::Mutant::OF_SAMPLERS {
        of_raise::activate(Some(mutant));
        let is_found = wrong_element(Engine::Core).is_some()
            || wrong_projection(Engine::Core).is_some()
            || (0..TRIALS).any(|seed| {
                // Every second one has places far away.
                let trial = Trial::new(&mut Random::new(seed), GROUP, seed.is_multiple_of(2));
                first_difference(&trial, Engine::Core).is_some()
            });
        of_raise::activate(None);
        assert!(is_found, "{mutant:?} of the raise is not found");
    }
}

#[test]
fn mutants_of_declared_samplers_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let differs = |seed| Twin::new(&mut Random::new(seed)).first_difference(Engine::Core).is_some();
    assert!(!(0..TRIALS).any(differs), "no mutant is active");
    for mutant in Mutant::OF_SAMPLERS {
        activate(Some(mutant));
        let is_found = (0..TRIALS).any(differs);
        activate(None);
        assert!(is_found, "{mutant:?} is not found");
    }
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn mutants_of_expansions_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(first_difference_of_mirror(), None, "no mutant is active");
    for mutant in Mutant::OF_TEXTURES {
        activate(Some(mutant));
        let found = first_difference_of_mirror();
        activate(None);
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
