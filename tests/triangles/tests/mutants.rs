//! Deliberate mistakes in the rasterizer, each of which random scenes must show.

use lambdav_engine::Engine;
use lambdav_raster::mutants::{Mutant, activate};
use lambdav_triangles::engines::{Conditions, check_against};
use lambdav_triangles::scenes::Scene;

/// Scenes that are tried for each mutant.
const SCENES: u64 = 600;

#[test]
fn mutants_are_found() {
    let conditions = Conditions { lanes: 8, tile: [16, 16], ..Conditions::by(Engine::Simd) };
    let scenes: Vec<Scene> = (0..SCENES).map(|seed| Scene::random(1 << 40 | seed)).collect();
    let wanted: Vec<_> = scenes.iter().map(Scene::draw).collect();
    let finds = || {
        let mut all = scenes.iter().zip(&wanted);
        all.position(|(scene, wanted)| check_against(scene, wanted, &conditions).is_err())
    };
    assert_eq!(finds(), None, "without a mutant");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = finds();
        activate(None);
        println!("{mutant:?}: scene {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found in {SCENES} scenes");
    }
}
