//! Coverage: edges on centres and samples, shared edges, clipped triangles.

use crate::support::{Program, at, covered};
use lambdav_test_support::Random;
use lambdav_triangles::reference::{Samples, Topology};
use lambdav_triangles::scenes::{Triangulation, position};

#[test]
fn edges_through_centres_belong_to_top_and_left() {
    let size = [4, 4];
    let corners = [[0.5, 0.5], [2.5, 0.5], [2.5, 2.5], [0.5, 2.5]];
    let [a, b, c, d] = corners.map(|[x, y]| at(size, x, y));
    let pixels = |positions: &[[f32; 4]]| covered(&Program::new(size, positions).draw());
    // The diagonal is a right edge of the first, a left edge of the second.
    assert_eq!(pixels(&[a, b, d]), [[0, 0], [1, 0], [0, 1]]);
    assert_eq!(pixels(&[b, c, d]), [[1, 1]]);
    // The other diagonal is a left edge of the upper right half.
    assert_eq!(pixels(&[a, b, c]), [[0, 0], [1, 0], [1, 1]]);
    assert_eq!(pixels(&[a, c, d]), [[0, 1]]);
    // Orientation changes nothing.
    assert_eq!(pixels(&[d, b, a]), [[0, 0], [1, 0], [0, 1]]);
}

#[test]
fn samples_lie_at_standard_positions() {
    // A rectangle from column `left` to the right and from row `top` down.
    let samples = |left: f32, top: f32| {
        let corners = [[left, top], [left, 9.0], [9.0, top], [9.0, 9.0]];
        let positions = corners.map(|[x, y]| at([1, 1], x / 2.0, y / 2.0));
        let mut program = Program::new([1, 1], &positions).state(|state| {
            state.samples = Samples::Four;
            state.topology = Topology::Strip;
        });
        let picture = program.draw();
        [0, 1, 2, 3].map(|sample| picture.counts(sample)[0])
    };
    let sixteenth = |k: f32| k / 8.0;
    assert_eq!(samples(-1.0, -1.0), [1, 1, 1, 1]);
    // Columns 2, 6, 10, 14 and rows 2, 6, 10, 14: each belongs to what begins there.
    assert_eq!(samples(sixteenth(2.0), -1.0), [1, 1, 1, 1]);
    assert_eq!(samples(sixteenth(2.5), -1.0), [1, 1, 0, 1]);
    assert_eq!(samples(sixteenth(6.0), -1.0), [1, 1, 0, 1]);
    assert_eq!(samples(sixteenth(6.5), -1.0), [0, 1, 0, 1]);
    assert_eq!(samples(sixteenth(10.5), -1.0), [0, 1, 0, 0]);
    assert_eq!(samples(sixteenth(14.0), -1.0), [0, 1, 0, 0]);
    assert_eq!(samples(sixteenth(14.5), -1.0), [0, 0, 0, 0]);
    assert_eq!(samples(-1.0, sixteenth(2.0)), [1, 1, 1, 1]);
    assert_eq!(samples(-1.0, sixteenth(2.5)), [0, 1, 1, 1]);
    assert_eq!(samples(-1.0, sixteenth(6.5)), [0, 0, 1, 1]);
    assert_eq!(samples(-1.0, sixteenth(10.5)), [0, 0, 0, 1]);
    assert_eq!(samples(-1.0, sixteenth(14.5)), [0, 0, 0, 0]);
}

/// The number of fragments at each sample of a random triangulation. The vertices are `scale` times as far
/// from the image's middle; z/w lies between `z` and 1 − `z`.
fn counts(random: &mut Random, samples: Samples, scale: f32, z: f32) -> Vec<usize> {
    let size = [random.between(1, 40) as u32, random.between(1, 40) as u32];
    let points = random.below(60);
    let of = Triangulation::random(random, size, points);
    let is_flat = random.percent(30);
    let positions: Vec<[f32; 4]> = of
        .places
        .iter()
        .map(|&place| {
            let mut hundredth = |most: usize| (1 + random.below(most)) as f32 / 100.0;
            let z = z + (1.0 - 2.0 * z) * hundredth(100);
            let w = if is_flat { 1.0 } else { hundredth(400) };
            let [x, y, z, w] = position(place, size, z, w);
            [x * scale, y * scale, z, w]
        })
        .collect();
    let mut program = Program::new(size, &positions).state(|state| state.samples = samples);
    program.call.indices = of.triangles.concat();
    let picture = program.draw();
    (0..samples.count()).flat_map(|sample| picture.counts(sample)).collect()
}

/// Calls `check` with seeds and both numbers of samples, `MESHES` or 60 times.
fn for_meshes(mut check: impl FnMut(u64, &mut Random, Samples)) {
    let meshes = std::env::var("MESHES").map_or(60, |text| text.parse().expect("it is a number"));
    for seed in 0..meshes {
        for samples in [Samples::One, Samples::Four] {
            check(seed, &mut Random::new(seed), samples);
        }
    }
}

#[test]
fn triangulations_cover_each_sample_once() {
    for_meshes(|seed, random, samples| {
        let counts = counts(random, samples, 1.0, 0.0);
        assert!(counts.iter().all(|&count| count == 1), "seed {seed}: {counts:?}");
    });
}

#[test]
fn triangulations_beyond_the_guard_band_cover_each_sample_once() {
    for_meshes(|seed, random, samples| {
        let scale = [4.0, 6.5, 10.0, 20.0][random.below(4)];
        let counts = counts(random, samples, scale, 0.0);
        assert!(counts.iter().all(|&count| count == 1), "seed {seed}: {counts:?}");
    });
}

/// A clipped polygon need not be convex once it is snapped. A piece of the other sign is dropped then, and the
/// next piece covers its place beside the neighbour: a few samples in 10^7 are covered twice.
#[test]
fn triangulations_through_near_and_far_plane_cover_hardly_a_sample_twice() {
    let [mut once, mut twice, mut all] = [0; 3];
    for_meshes(|_, random, samples| {
        let scale = [1.0, 4.0, 10.0][random.below(3)];
        for count in counts(random, samples, scale, -0.5) {
            once += usize::from(count == 1);
            twice += usize::from(count > 1);
            all += 1;
        }
    });
    assert!(all / 4 < once && once < all && 200_000 * twice < all, "{once} {twice} {all}");
}

#[test]
fn triangles_behind_the_eye_cover_nothing_before_it() {
    // A plane from under the eye to the horizon, at y = 1 below the eye; it is seen below the middle.
    let size = [8, 8];
    let positions = [[-40.0, 1.0, -2.0, -2.0], [40.0, 1.0, -2.0, -2.0], [0.0, 1.0, 50.0, 50.0]];
    let picture = Program::new(size, &positions).draw();
    let counts = picture.counts(0);
    assert_eq!(counts[..32], [0; 32]);
    assert_eq!(counts[32..], [1; 32]);
}
