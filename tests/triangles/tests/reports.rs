//! Reports of undefined behaviour of programs that draw triangles: against the reference, and by every engine alike.
//!
//! With mutants: `cargo test -p lambdav-triangles --features mutants --test reports`

#[cfg(not(feature = "mutants"))]
use lambdav_triangles::programs::Program;
use lambdav_triangles::reports::ReportedScene;

#[test]
fn reports_are_those_of_the_reference() {
    let (mut pictures, mut lines) = (0, 0);
    for seed in 1 << 34..(1 << 34) + 300 {
        let scene = ReportedScene::random(seed);
        for conditions in scene.conditions(seed) {
            pictures += 1;
            let found = scene.check(&conditions);
            lines += found.unwrap_or_else(|found| {
                panic!("scene {seed}, {conditions}: {found}\n{}", scene.text())
            });
        }
    }
    println!("{pictures} pictures, {lines} lines");
    assert!(pictures > 700 && lines > pictures, "{pictures} pictures, {lines} lines");
    #[cfg(feature = "mutants")]
    mutants_are_found();
}

/// Mutants act on the whole process, so they follow the test without them.
#[cfg(feature = "mutants")]
fn mutants_are_found() {
    use lambdav_engine::mutants::{Mutant, activate};
    let scenes: Vec<_> =
        (1 << 34..(1 << 34) + 300).map(|k| (k, ReportedScene::random(k))).collect();
    for mutant in Mutant::OF_PICTURES.into_iter().chain(Mutant::OF_TRIANGLES) {
        activate(Some(mutant));
        let differs = |(seed, scene): &(u64, ReportedScene)| {
            scene.conditions(*seed).iter().any(|conditions| scene.check(conditions).is_err())
        };
        let found = scenes.iter().position(differs);
        activate(None);
        println!("{mutant:?}: scene {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}

#[cfg(not(feature = "mutants"))]
#[test]
fn engines_report_the_same_of_generated_programs() {
    let (mut programs, mut lines) = (0, 0);
    for seed in (1 << 33) + 1000..(1 << 33) + 1320 {
        let Some(program) = Program::random(seed) else { continue };
        programs += 1;
        lines +=
            program.check_reports().unwrap_or_else(|found| panic!("{found}\n{}", program.text()));
    }
    println!("{programs} programs, {lines} lines");
    assert!(programs >= 300 && lines > programs, "{programs} programs, {lines} lines");
}
