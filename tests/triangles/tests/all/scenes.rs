//! Random scenes: each feature occurs, and other forms of a scene give the same picture.

use lambdav_triangles::reference::{
    Blend, Cull, DepthTest, Error, Front, Interpolation, Samples, Topology, triangles,
};
use lambdav_triangles::scenes::{Geometry, Output, Scalar, Scene, Site, VaryingValues};
use lambdav_triangles::{Picture, equal};
use std::collections::BTreeMap;

const SCENES: u64 = 400;

fn assert_same(seed: u64, scene: &Scene, other: &Scene) {
    match (scene.draw(), other.draw()) {
        (Ok(expected), Ok(found)) => {
            equal(&expected, &found)
                .unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        }
        (Err(_), Err(_)) => {}
        (expected, found) => panic!("seed {seed}: {:?}, {:?}", expected.err(), found.err()),
    }
}

#[test]
fn each_feature_occurs() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |name: String, holds: bool| {
        *counts.entry(name).or_default() += usize::from(holds);
    };
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        assert_eq!(format!("{scene:?}"), format!("{:?}", Scene::random(seed)));
        let state = scene.state;
        for geometry in Geometry::ALL {
            count(format!("{geometry:?}"), scene.geometry == geometry);
        }
        for cull in [Cull::None, Cull::Back, Cull::Front] {
            count(format!("cull {cull:?}"), state.cull == cull);
        }
        for front in [Front::Ccw, Front::Cw] {
            count(format!("{front:?}"), state.front == front);
        }
        use DepthTest as T;
        for depth in [T::Less, T::LessEq, T::Always, T::Off, T::Neq, T::GreaterEq, T::Equal] {
            count(format!("depth {depth:?}"), state.depth == depth);
        }
        for blend in [Blend::Off, Blend::Over, Blend::Add, Blend::Multiply] {
            count(format!("blend {blend:?}"), state.blend == blend);
        }
        for samples in [Samples::One, Samples::Four] {
            count(format!("samples {samples:?}"), state.samples == samples);
        }
        for topology in [Topology::Triangles, Topology::Strip, Topology::Fan] {
            count(format!("topology {topology:?}"), state.topology == topology);
        }
        count("no depth write".into(), !state.depth_write);
        count("clear".into(), state.clear != [0.0; 4]);
        count("one pixel".into(), scene.width * scene.height == 1);
        count("odd".into(), scene.width % 2 == 1 && scene.height % 2 == 1);
        count("large".into(), scene.width * scene.height > 1000);
        count("several instances".into(), scene.instances() > 1);
        count("indices".into(), scene.indices.is_some());
        count("leftover".into(), !scene.indices().len().is_multiple_of(3));
        count("discard".into(), scene.discard.is_some());
        count("own depth".into(), scene.depth.is_some());
        count("three outputs".into(), scene.outputs.len() == 3);
        count("limit of a vertex".into(), scene.limit.is_some_and(|l| l.site == Site::Position));
        count("limit of a fragment".into(), scene.limit.is_some_and(|l| l.site != Site::Position));
        let has_output = |is: fn(&Output) -> bool| scene.outputs.iter().any(is);
        count("dfdx".into(), has_output(|output| matches!(output, Output::Dfdx(_))));
        count("dfdy".into(), has_output(|output| matches!(output, Output::Dfdy(_))));
        count("fwidth".into(), has_output(|output| matches!(output, Output::Fwidth(_))));
        count("grey".into(), has_output(|output| matches!(output, Output::Grey(..))));
        for varying in &scene.varyings {
            count(format!("{:?} {}", varying.scalar, varying.components), true);
            count(format!("{:?}", varying.interpolation), true);
            count("vertex-index".into(), varying.values == VaryingValues::VertexIndex);
            count("instance-index".into(), varying.values == VaryingValues::InstanceIndex);
            let is_flat = varying.interpolation == Interpolation::Flat;
            assert!(is_flat || varying.scalar == Scalar::Num);
        }
    }
    assert!(counts.len() > 60, "{counts:?}");
    assert!(counts.values().all(|&count| count > 0), "{counts:?}");
}

/// Pictures of random scenes are worth comparing: most have fragments, some of which are hidden.
#[test]
fn pictures_have_fragments() {
    let [mut visible, mut overlapping, mut partial, mut pieces, mut faults] = [0; 5];
    for seed in 0..SCENES {
        let picture: Picture = match Scene::random(seed).draw() {
            Ok(picture) => picture,
            Err(Error::Vertex { .. } | Error::Fragment { .. }) => {
                faults += 1;
                continue;
            }
        };
        let fragments = || picture.coverage.iter().flatten();
        visible += usize::from(fragments().count() > 0);
        overlapping += usize::from(picture.coverage.iter().any(|pixel| pixel.len() > 2));
        partial += usize::from(fragments().any(|f| ![1, 0b1111].contains(&f.samples)));
        pieces += usize::from(fragments().any(|f| f.piece > 0));
    }
    let counts = [visible, overlapping, partial, pieces, faults];
    println!("visible, overlapping, partial, in pieces, faults: {counts:?} of {SCENES}");
    assert!(visible > 200 && overlapping > 100 && partial > 50 && pieces > 30 && faults > 2);
}

/// A mesh without indices, whose vertices repeat those of the mesh with indices.
#[test]
fn indices_only_name_vertices() {
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        if scene.varyings.iter().any(|varying| varying.values == VaryingValues::VertexIndex) {
            continue;
        }
        let indices = scene.indices();
        let mut other = scene.clone();
        other.indices = None;
        other.positions = indices.iter().map(|&index| scene.positions[index as usize]).collect();
        for varying in &mut other.varyings {
            if let VaryingValues::Attribute(values) = &mut varying.values {
                *values = indices.iter().map(|&index| values[index as usize].clone()).collect();
            }
        }
        assert_same(seed, &scene, &other);
    }
}

/// A list of the triangles of a strip or fan.
#[test]
fn strips_and_fans_are_lists() {
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        let indices = scene.indices();
        let places = triangles(scene.state.topology, indices.len());
        let mut other = scene.clone();
        other.state.topology = Topology::Triangles;
        other.indices = Some(places.into_iter().flatten().map(|place| indices[place]).collect());
        assert_same(seed, &scene, &other);
    }
}

/// Texts have balanced parentheses, and no number that is not a token.
#[test]
fn programs_are_well_formed() {
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        for text in [scene.lambda_v(), scene.lambda_v_with_arrays()] {
            for line in text.lines() {
                let mut depth = 0;
                for (k, c) in line.char_indices() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    assert!(depth > 0 || k + 1 == line.len(), "seed {seed}: {line}");
                }
                assert_eq!(depth, 0, "seed {seed}: {line}");
            }
            assert!(!text.contains("NaN") && !text.contains("inf"), "seed {seed}:\n{text}");
        }
    }
}

#[test]
fn attributes_have_a_word_for_each_component() {
    for seed in 0..SCENES {
        let scene = Scene::random(seed);
        for attribute in scene.attributes() {
            let count = if attribute.per_instance {
                scene.instances() as usize
            } else {
                scene.positions.len()
            };
            assert_eq!(attribute.words.len(), count * attribute.components, "seed {seed}");
        }
    }
}
