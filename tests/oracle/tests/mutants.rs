//! The oracle finds mutants of expansions. Expansions are equal in all engines, so comparing engines does not
//! find these.
//!
//! `cargo test -p lambdav-oracle --features mutants --test mutants`

use lambdav::{Shader, Size};
use lambdav_core::resource::Bound;
use lambdav_core::texture::{Filter, TextureData, TextureOptions, Wrap};
use lambdav_engine::Settings;
use lambdav_engine::engines::CoreEngine;
use lambdav_frontend::mutants::{Mutant, activate};
use lambdav_oracle::textures::{Image, sample};
use lambdav_raster::{RenderOptions, render};

/// Different texels, mirrored, at coordinates on both sides of the texture.
const TEXT: &str = "(texture t (filter nearest) (wrap mirror))
    (sample t (* (- (.xy (frag-coord)) (vec2 9 4)) 0.125))";

/// The first pixel that differs from the oracle.
fn first_difference() -> Option<(usize, usize)> {
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
        TextureOptions { filter: Filter::Nearest, wrap: Wrap::Mirror, ..Default::default() };
    let levels = [Image { size: [5, 3], texels }];
    let place = |k: usize, less: f32| (k as f32 + 0.5 - less) * 0.125;
    let pixels = (0..16).flat_map(|y| (0..32).map(move |x| (x, y)));
    pixels.into_iter().find(|&(x, y)| {
        let wanted = sample(&levels, options, [place(x, 9.0), place(y, 4.0)], 0.0);
        frame.pixels()[32 * y + x] != wanted
    })
}

#[test]
fn mutants_of_expansions_are_found() {
    assert_eq!(first_difference(), None, "no mutant is active");
    for mutant in Mutant::OF_TEXTURES {
        activate(Some(mutant));
        let found = first_difference();
        activate(None);
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}
