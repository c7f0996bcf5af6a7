//! Topologies, instances and indices.

use crate::support::{Program, at, number, whole};
use lambdav_triangles::reference::{Cull, Front, Interpolation, Topology};

const SIZE: [u32; 2] = [4, 4];

/// A zigzag of four vertices: upper left, lower left, upper right, lower right.
fn zigzag() -> [[f32; 4]; 4] {
    [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 4.0]].map(|[x, y]| at(SIZE, x, y))
}

#[test]
fn triangles_of_a_strip_have_one_winding() {
    // 0, 1, 2 is anticlockwise as seen, and so is 1, 3, 2.
    for (front, count) in [(Front::Ccw, 16), (Front::Cw, 0)] {
        let mut program = Program::new(SIZE, &zigzag()).state(|state| {
            state.topology = Topology::Strip;
            state.cull = Cull::Back;
            state.front = front;
        });
        let picture = program.draw();
        assert_eq!(picture.counts(0).iter().sum::<usize>(), count);
    }
}

/// The values of a flat varying that is the vertex's number, for primitives 0, 1 ….
fn first_vertices(topology: Topology, positions: &[[f32; 4]]) -> Vec<f32> {
    let numbers: Vec<f32> = (0..positions.len()).map(|k| k as f32).collect();
    let mut program = Program::new(SIZE, positions)
        .varying(Interpolation::Flat, &numbers)
        .state(|state| state.topology = topology)
        .outputs(|f| vec![[number(f, 0), f.primitive_index as f32, 0.0, 1.0]]);
    let picture = program.draw();
    let mut seen: Vec<[f32; 2]> =
        picture.attachments[0].iter().filter(|c| c[3] == 1.0).map(|c| [c[1], c[0]]).collect();
    seen.sort_by(|a, b| a.partial_cmp(b).expect("they are numbers"));
    seen.dedup();
    assert!(seen.iter().enumerate().all(|(k, [primitive, _])| k as f32 == *primitive));
    seen.into_iter().map(|[_, first]| first).collect()
}

#[test]
fn flat_varyings_are_those_of_the_first_vertex() {
    assert_eq!(first_vertices(Topology::Strip, &zigzag()), [0.0, 1.0]);
    let around = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(|[x, y]| at(SIZE, x, y));
    assert_eq!(first_vertices(Topology::Fan, &around), [1.0, 2.0]);
    let [a, b, c, d] = around;
    assert_eq!(first_vertices(Topology::Triangles, &[a, b, c, c, d, a, b, a]), [0.0, 3.0]);
}

#[test]
fn dropped_triangles_are_counted() {
    let [a, b, c] = whole(SIZE, 0.5);
    let nan = [f32::NAN; 4];
    // Without area, NaN, behind the eye, culled, and one that is drawn.
    let behind = [0.0, 0.0, 0.0, -1.0];
    let positions = [a, b, b, a, b, nan, behind, behind, behind, a, c, b, a, b, c];
    let mut program = Program::new(SIZE, &positions)
        .state(|state| {
            state.cull = Cull::Front;
            state.front = Front::Ccw;
        })
        .outputs(|f| vec![[f.primitive_index as f32; 4]]);
    assert_eq!(program.draw().attachments[0], [[4.0; 4]; 16]);
}

#[test]
fn each_vertex_that_a_triangle_uses_is_evaluated_once() {
    let mut program = Program::new(SIZE, &zigzag());
    // The last two are left over. Vertex 0 is used by none.
    program.call.indices = vec![3, 2, 1, 1, 2, 3, 0, 2];
    program.call.instances = 2;
    program.faults = vec!["vertex 1.2"];
    assert!(program.try_draw().is_err());
    assert_eq!(program.log, ["vertex 0.1", "vertex 0.2", "vertex 0.3", "vertex 1.1", "vertex 1.2"]);
}

#[test]
fn instances_follow_one_another() {
    let mut program = Program::new([1, 1], &whole([1, 1], 0.5))
        .state(|state| state.depth = lambdav_triangles::reference::DepthTest::Always)
        .outputs(|f| vec![[f.instance as f32; 4]]);
    program.call.instances = 3;
    assert_eq!(program.draw().attachments[0], [[2.0; 4]]);
}
