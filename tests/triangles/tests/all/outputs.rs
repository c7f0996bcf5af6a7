//! Depth test, discarding, blending, culling, clear colour and samples.

use crate::support::{Program, Value, at, whole};
use lambdav_triangles::reference::{Blend, Cull, DepthTest, Front, Samples};

const PIXEL: [u32; 2] = [1, 1];

/// Triangles over one pixel at those depths; the output is the triangle's number plus 1.
fn stack(depths: &[f32]) -> Program {
    let positions: Vec<[f32; 4]> = depths.iter().flat_map(|&z| whole(PIXEL, z)).collect();
    Program::new(PIXEL, &positions).outputs(|f| vec![[f.primitive_index as f32 + 1.0; 4]])
}

/// Colour and depth of the pixel.
fn pixel(mut program: Program) -> (f32, f32) {
    let picture = program.draw();
    (picture.attachments[0][0][0], picture.depth.expect("it has a depth")[0])
}

#[test]
fn depth_tests() {
    use DepthTest as T;
    let table = [
        (T::Never, (0.0, 1.0)),
        (T::Less, (4.0, 0.25)),
        (T::Equal, (1.0, 1.0)),
        (T::LessEq, (5.0, 0.25)),
        (T::Greater, (0.0, 1.0)),
        (T::Neq, (6.0, 0.75)),
        (T::GreaterEq, (1.0, 1.0)),
        (T::Always, (6.0, 0.75)),
        (T::Off, (6.0, 1.0)),
    ];
    for (test, expected) in table {
        let program = stack(&[1.0, 0.5, 0.75, 0.25, 0.25, 0.75]);
        let found = pixel(program.state(|state| state.depth = test));
        assert_eq!(found, expected, "{test:?}");
    }
}

#[test]
fn depth_is_written_where_it_is_wanted() {
    let without = |state: &mut lambdav_triangles::reference::State| state.depth_write = false;
    assert_eq!(pixel(stack(&[0.5, 0.75]).state(without)), (2.0, 1.0));
}

#[test]
fn hidden_fragments_are_not_evaluated() {
    let mut program = stack(&[0.5, 0.75, 0.25]);
    assert_eq!(program.draw().attachments[0], [[3.0; 4]]);
    let fragments: Vec<&str> = program.log[9..].iter().map(String::as_str).collect();
    assert_eq!(
        fragments,
        [
            "discard 0.0 at (0, 0)",
            "outputs 0.0 at (0, 0)",
            "discard 0.2 at (0, 0)",
            "outputs 0.2 at (0, 0)"
        ]
    );
}

#[test]
fn own_depths_are_tested_after_the_discard() {
    let mut program = stack(&[0.5, 0.75, 0.25, 0.125]);
    program.call.has_depth = true;
    program.discards = |f| f.primitive_index == 2;
    program.depth = |f| 0.5 + f.frag_coord()[2];
    let picture = program.draw();
    // Depths 1 (not less), 1, none, 0.625.
    assert_eq!(picture.attachments[0], [[4.0; 4]]);
    assert_eq!(picture.depth, Some(vec![0.625]));
    let fragments: Vec<&str> = program.log[12..].iter().map(|line| &line[..11]).collect();
    assert_eq!(
        fragments,
        [
            "discard 0.0",
            "depth 0.0 a",
            "discard 0.1",
            "depth 0.1 a",
            "discard 0.2",
            "discard 0.3",
            "depth 0.3 a",
            "outputs 0.3"
        ]
    );
}

#[test]
fn own_depths_replace_interpolated_ones() {
    // The second triangle is farther; its own depth is nearer.
    let mut program = stack(&[0.25, 0.75]);
    program.call.has_depth = true;
    program.depth = |f| 1.0 - f.frag_coord()[2];
    assert_eq!(pixel(program), (2.0, 0.25));
}

#[test]
fn own_depths_are_clamped() {
    let cases: [(Value<f32>, f32); 5] = [
        (|_| f32::NAN, 0.0),
        (|_| -0.0, -0.0),
        (|_| -3.0, 0.0),
        (|_| 0.3, 0.3),
        (|_| f32::INFINITY, 1.0),
    ];
    for (depth, expected) in cases {
        let mut program = stack(&[0.5]).state(|state| state.depth = DepthTest::Always);
        program.call.has_depth = true;
        program.depth = depth;
        assert_eq!(pixel(program).1.to_bits(), expected.to_bits());
    }
}

#[test]
fn discarded_fragments_write_nothing() {
    let mut program = stack(&[0.25, 0.5]);
    program.discards = |f| f.primitive_index == 0;
    assert_eq!(pixel(program), (2.0, 0.5));
}

#[test]
fn blending_is_in_order() {
    let half: Value<Vec<[f32; 4]>> = |_| vec![[1.0, 0.0, 2.0, 0.5]];
    let blended = |blend| {
        let mut program = stack(&[0.5, 0.5]).outputs(half).state(|state| {
            state.blend = blend;
            state.depth = DepthTest::Off;
            state.clear = [0.5, 0.25, 1.0, 0.5];
        });
        program.draw().attachments[0][0]
    };
    // After the first: ½ + ¼, ⅛, 1 + ½, ½ + ¼.
    assert_eq!(blended(Blend::Over), [0.875, 0.0625, 1.75, 0.875]);
    assert_eq!(blended(Blend::Add), [2.5, 0.25, 5.0, 1.5]);
    assert_eq!(blended(Blend::Multiply), [0.5, 0.0, 4.0, 0.125]);
    assert_eq!(blended(Blend::Off), [1.0, 0.0, 2.0, 0.5]);
}

#[test]
fn culling_by_winding() {
    let [a, b, c] = whole(PIXEL, 0.5);
    // The first is clockwise as seen, the second anticlockwise.
    let draw = |cull, front| {
        let program = Program::new(PIXEL, &[a, b, c, a, c, b]).outputs(|f| {
            vec![[f.primitive_index as f32 + 1.0, f32::from(f.front_facing), 0.0, 1.0]]
        });
        let mut program = program.state(|state| {
            (state.cull, state.front) = (cull, front);
            state.depth = DepthTest::Off;
        });
        let [number, front, ..] = program.draw().attachments[0][0];
        (number, front)
    };
    assert_eq!(draw(Cull::None, Front::Ccw), (2.0, 1.0));
    assert_eq!(draw(Cull::Back, Front::Ccw), (2.0, 1.0));
    assert_eq!(draw(Cull::Front, Front::Ccw), (1.0, 0.0));
    assert_eq!(draw(Cull::None, Front::Cw), (2.0, 0.0));
    assert_eq!(draw(Cull::Back, Front::Cw), (1.0, 1.0));
    assert_eq!(draw(Cull::Front, Front::Cw), (2.0, 0.0));
}

#[test]
fn samples_are_resolved_in_pairs() {
    // A rectangle over the right half covers the second and the fourth sample.
    let corners = [[0.5, 0.0], [2.0, 0.0], [0.5, 4.0], [2.0, 4.0]];
    let [a, b, c, d] = corners.map(|[x, y]| at(PIXEL, x, y));
    let mut program = Program::new(PIXEL, &[a, b, c, c, b, d])
        .outputs(|_| vec![[1e8, 0.25, 1.0, 0.5]])
        .state(|state| {
            state.samples = Samples::Four;
            state.clear = [-1e8, 0.75, 3.0, 1.0];
        });
    let picture = program.draw();
    assert_eq!([0, 1, 2, 3].map(|sample| picture.counts(sample)[0]), [0, 1, 0, 1]);
    assert_eq!(picture.attachments[0], [[0.0, 0.5, 2.0, 0.75]]);
    assert_eq!(picture.depth, Some(vec![1.0]), "the first sample is not covered");
    assert_eq!(program.log.len(), 6 + 2, "the fragment is shaded once");
    // The first sample is 1, the others 2^-24: only their pair is large enough to be seen beside 1.
    let small = f32::EPSILON / 2.0;
    let [a, b, c] = [[0.0, 0.0], [4.0, 0.0], [0.0, 0.25]].map(|[x, y]| at(PIXEL, x, y));
    let mut program = Program::new(PIXEL, &[a, b, c]).state(|state| {
        state.samples = Samples::Four;
        state.clear = [small; 4];
    });
    let picture = program.draw();
    assert_eq!([0, 1, 2, 3].map(|sample| picture.counts(sample)[0]), [1, 0, 0, 0]);
    assert_eq!(picture.attachments[0], [[(1.0 + f32::EPSILON) / 4.0; 4]]);
    // (s0+s1)+(s2+s3) with s0 = s2 = 3e38 is infinite, and so is a clear colour of 3e38 alone.
    let mut program = Program::new(PIXEL, &[]).state(|state| {
        state.samples = Samples::Four;
        state.clear = [3e38, -0.0, 1.0, 0.1];
    });
    let clear = program.draw().attachments[0][0];
    assert_eq!(clear.map(f32::to_bits), [f32::INFINITY, -0.0, 1.0, 0.1].map(f32::to_bits));
}

#[test]
fn samples_are_tested_one_by_one() {
    // The first triangle is at ¼. The second's depth is half the column, which is below ½ at two samples.
    let [a, b, c] = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(|[x, y]| at(PIXEL, x, y));
    let slope = [(a, 0.0), (b, 1.0), (c, 0.0)].map(|([x, y, _, w], z)| [x, y, z, w]);
    let positions = [whole(PIXEL, 0.25).as_slice(), &slope].concat();
    let mut program = Program::new(PIXEL, &positions)
        .outputs(|f| vec![[f.primitive_index as f32 * 4.0; 4]])
        .state(|state| state.samples = Samples::Four);
    assert_eq!(program.draw().attachments[0], [[2.0; 4]]);
}
