//! The product against the reference, on a sample of random scenes.

use lambdav_triangles::engines::{Conditions, check_against};
use lambdav_triangles::scenes::Scene;

#[test]
fn engines_draw_what_the_reference_draws() {
    let (mut pictures, mut faults) = (0, 0);
    for seed in 1 << 32..(1 << 32) + 300 {
        let scene = Scene::random(seed);
        let wanted = scene.draw();
        faults += u32::from(wanted.is_err());
        for conditions in Conditions::of(seed, &scene) {
            pictures += 1;
            let found = check_against(&scene, &wanted, &conditions);
            assert_eq!(found, Ok(()), "scene {seed}, {conditions}\n{}", scene.lambda_v());
        }
    }
    assert!(pictures > 700 && faults > 2, "{pictures} pictures, {faults} faults");
}
