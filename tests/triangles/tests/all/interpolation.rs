//! Varyings, `frag-coord` and depth.

use crate::support::{Program, at, number, whole};
use lambdav_triangles::reference::{DrawCall, Fragment, VaryingKind};
use lambdav_triangles::reference::{Interpolation, Samples, Shader, Vertex, draw};
use lambdav_triangles::scenes::position;

use Interpolation::{Flat, Linear, Perspective};

/// A triangle in an image of one pixel, whose centre is the midpoint of the top edge from vertex 0 to 1.
fn on_edge(w: [f32; 3]) -> [[f32; 4]; 3] {
    let places = [[-128, 128], [384, 128], [128, 640]];
    [0, 1, 2].map(|i| position(places[i], [1, 1], 0.5, w[i]))
}

#[test]
fn midpoint_of_an_edge() {
    // r = ½·1 and ½·¼, so q = 0.625 and B1 = 0.125/0.625.
    let mut program = Program::new([1, 1], &on_edge([1.0, 4.0, 2.0]))
        .varying(Perspective, &[0.0, 1.0, 9.0])
        .varying(Linear, &[0.0, 1.0, 9.0])
        .varying(Flat, &[0.0, 1.0, 9.0])
        .outputs(|f| vec![[number(f, 0), number(f, 1), number(f, 2), 1.0], f.frag_coord()]);
    program.call.attachments = 2;
    let picture = program.draw();
    assert_eq!(picture.attachments[0], [[0.2, 0.5, 0.0, 1.0]]);
    assert_eq!(picture.attachments[1], [[0.5, 0.5, 0.5, 0.625]]);
}

#[test]
fn equal_w_interpolates_linearly_and_exactly() {
    // 1/w is inexact, so b/w/q would not be b.
    let values = [0.3, 0.7, -0.2];
    let mut program = Program::new([5, 5], &whole([5, 5], 0.5))
        .varying(Perspective, &values)
        .varying(Linear, &values)
        .outputs(|f| vec![[number(f, 0), number(f, 1), f.frag_coord()[3], 1.0]]);
    for vertex in &mut program.vertices {
        vertex.position = vertex.position.map(|x| x * 3.0);
    }
    for [perspective, linear, q, _] in &program.draw().attachments[0] {
        assert_eq!(perspective.to_bits(), linear.to_bits());
        assert_eq!(*q, 1.0 / 3.0);
    }
}

#[test]
fn sums_are_rounded_in_order() {
    // b1 and b2 are ¼. Both products are half a unit in the last place, so their sum is one.
    let unit = f32::EPSILON;
    let values = [1.0, 1.0 + 2.0 * unit, 1.0 + 2.0 * unit];
    let z = [0.5, 0.5 + unit, 0.5 + unit];
    let mut positions = whole([1, 1], 0.0);
    for (position, z) in positions.iter_mut().zip(z) {
        position[2] = z;
    }
    let mut program = Program::new([1, 1], &positions)
        .varying(Linear, &values)
        .varying(Perspective, &values)
        .outputs(|f| vec![[number(f, 0), number(f, 1), f.frag_coord()[2], 1.0]]);
    let picture = program.draw();
    assert_eq!(picture.attachments[0], [[1.0 + unit, 1.0 + unit, 0.5 + unit / 2.0, 1.0]]);
    assert_eq!(picture.depth, Some(vec![0.5 + unit / 2.0]));
    // r0 and r1 are 2^-24, r2 is 1.
    let w = [8_388_608.0, 4_194_304.0, 0.25];
    let places = [[0, 0], [512, 0], [0, 512]];
    let positions = [0, 1, 2].map(|i| position(places[i], [1, 1], 0.5, w[i]));
    let mut program = Program::new([1, 1], &positions).outputs(|f| vec![f.frag_coord()]);
    assert_eq!(program.draw().attachments[0][0][3], 1.0 + unit);
}

#[test]
fn weights_are_products_with_the_reciprocal() {
    // b0 = ⅝, and 1/3 is 11184811/2^25. The product is 13981013.75/2^26; the quotient would be …13.33.
    let places = [[-64, 128], [448, 128], [128, 640]];
    let w = [3.0, 1e18, 1e18];
    let positions = [0, 1, 2].map(|i| position(places[i], [1, 1], 0.5, w[i]));
    let mut program = Program::new([1, 1], &positions).outputs(|f| vec![f.frag_coord()]);
    assert_eq!(program.draw().attachments[0][0][3], 13_981_014.0 / 67_108_864.0);
}

#[test]
fn vertices_after_the_exchange_have_their_own_values() {
    let [a, b, c] = whole([4, 4], 0.5);
    let values = [0.25, 0.5, 0.125];
    let outputs = |f: &Fragment<'_>| vec![[number(f, 0), 0.0, 0.0, 1.0]];
    let clockwise = Program::new([4, 4], &[a, b, c]).varying(Linear, &values).outputs(outputs);
    let values = [values[0], values[2], values[1]];
    let other = Program::new([4, 4], &[a, c, b]).varying(Linear, &values).outputs(outputs);
    let [first, second] = [clockwise, other].map(|mut program| program.draw());
    assert_eq!(first.attachments, second.attachments);
    // At (½, ½): b1 and b2 are 1/16.
    assert_eq!(first.attachments[0][0][0], 0.25 + (0.25 / 16.0 - 0.125 / 16.0));
}

#[test]
fn first_vertices_of_clipped_triangles_keep_their_flat_values() {
    // Vertex 0 is behind the near plane.
    let [[x, y, _, w], b, c] = whole([4, 4], 0.5);
    let mut program = Program::new([4, 4], &[[x, y, -0.5, w], b, c])
        .varying(Flat, &[7.0, 1.0, 2.0])
        .outputs(|f| vec![[number(f, 0); 4]]);
    let picture = program.draw();
    let colours = &picture.attachments[0];
    assert_eq!(colours[0], [0.0; 4]);
    assert_eq!(colours[15], [7.0; 4]);
}

#[test]
fn depth_is_that_of_each_sample_and_clamped() {
    // The first sample, whose depth is kept, is at (3/8, 1/8).
    let [a, b, c] = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]].map(|[x, y]| at([1, 1], x, y));
    let depths = |z: [f32; 3]| {
        let positions = [0, 1, 2].map(|i| {
            let [x, y, _, w] = [a, b, c][i];
            [x, y, z[i], w]
        });
        let mut program = Program::new([1, 1], &positions)
            .state(|state| state.samples = Samples::Four)
            .outputs(|f| vec![f.frag_coord()]);
        let picture = program.draw();
        (picture.depth.expect("it has depths")[0], picture.attachments[0][0])
    };
    // Half the column.
    assert_eq!(depths([0.0, 1.0, 0.0]), (3.0 / 16.0, [0.5, 0.5, 0.25, 1.0]));
    // 1 less half the sum of column and row.
    assert_eq!(depths([1.0, 0.0, 0.0]).0, 0.75);
}

#[test]
fn centres_outside_the_triangle_are_extrapolated() {
    // Covers the third sample, at column 1/8, alone. At the centre v and z/w would be 2, and the depth is 1.
    let size = [1, 1];
    let corners = [[0.0, 0.0, 0.0], [0.25, 0.0, 1.0], [0.0, 4.0, 0.0]];
    let positions = corners.map(|[x, y, z]| {
        let [x, y, _, w] = at(size, x, y);
        [x, y, z, w]
    });
    let mut program = Program::new(size, &positions)
        .varying(Linear, &[0.0, 1.0, 0.0])
        .state(|state| state.samples = Samples::Four)
        .outputs(|f| vec![[number(f, 0), f.frag_coord()[2], 4.0, 4.0]]);
    let picture = program.draw();
    assert_eq!(picture.counts(2), [1]);
    assert_eq!([0, 1, 3].map(|sample| picture.counts(sample)[0]), [0, 0, 0]);
    assert_eq!(picture.attachments[0], [[0.5, 0.25, 1.0, 1.0]]);
}

#[test]
fn neighbours_may_lie_outside() {
    // v = x + 2y in pixels, and the only pixel is (0, 0).
    let mut program = Program::new([1, 1], &whole([1, 1], 0.5))
        .varying(Linear, &[0.0, 2.0, 4.0])
        .varying(Flat, &[3.0, 0.0, 0.0])
        .outputs(|f| {
            let v = |x, y| f32::from_bits(f.varying_at(0, x, y)[0]);
            assert_eq!(f.varying_at(1, 9, 9), [3.0_f32.to_bits()]);
            assert_eq!(f.frag_coord_at(-1, 7), [-0.5, 7.5, 0.5, 1.0]);
            vec![[v(0, 0), v(1, 0), v(0, 1), v(-4, 3)]]
        });
    assert_eq!(program.draw().attachments[0], [[1.5, 2.5, 3.5, 3.5]]);
}

/// A shader whose varying has NaNs with a payload.
struct Payload;

impl Shader for Payload {
    type Fault = ();

    fn vertex(&mut self, index: u32, _: u32) -> Result<Vertex, ()> {
        let position = whole([1, 1], 0.5)[index as usize];
        let infinity = f32::INFINITY.to_bits();
        let varyings = [0xffc0_0001, 0xffc0_0001, 0xffc0_0001, infinity];
        Ok(Vertex { position, varyings: varyings.map(|word| vec![word]).to_vec() })
    }

    fn discards(&mut self, _: &Fragment<'_>) -> Result<bool, ()> {
        Ok(false)
    }

    fn depth(&mut self, _: &Fragment<'_>) -> Result<f32, ()> {
        Ok(0.0)
    }

    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, ()> {
        assert_eq!(fragment.varying(0), [0x7fc0_0000]);
        assert_eq!(fragment.varying(1), [0x7fc0_0000]);
        assert_eq!(fragment.varying(2), [0xffc0_0001], "integers keep their words");
        assert_eq!(fragment.varying(3), [0x7fc0_0000], "infinity less infinity");
        Ok(vec![[f32::from_bits(0xffc0_0001), f32::INFINITY, -0.0, 1.0]])
    }
}

#[test]
fn all_nans_are_one() {
    let kind = |interpolation, is_integer| VaryingKind { components: 1, interpolation, is_integer };
    let call = DrawCall {
        varyings: vec![
            kind(Perspective, false),
            kind(Flat, false),
            kind(Flat, true),
            kind(Linear, false),
        ],
        ..Program::new([1, 1], &whole([1, 1], 0.5)).call
    };
    let picture = draw(&call, &mut Payload).expect("it has no faults");
    let bits = picture.attachments[0][0].map(f32::to_bits);
    assert_eq!(bits, [0x7fc0_0000, 0x7f80_0000, 0x8000_0000, 0x3f80_0000]);
}
