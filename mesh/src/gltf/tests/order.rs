//! Order: nodes, primitives, triangles, vertices; transformations.

use super::builder::{Builder, TRIANGLE, data, nums};
use crate::camera::Projection;
use crate::error::Place;
use crate::mesh::Data;
use serde_json::json;

#[test]
fn nodes_are_depth_first() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    // 0 has the children 3 and 1; 3 has 2; 4 is a root before 0. Node i is moved by 10^i in its parent.
    file.root["scenes"] = json!([{ "nodes": [] }, { "nodes": [4, 0] }]);
    file.root["scene"] = json!(1);
    let node = |x: u32, children: &[u32]| match children {
        [] => json!({ "mesh": 0, "translation": [x, 0, 0] }),
        _ => json!({ "mesh": 0, "translation": [x, 0, 0], "children": children }),
    };
    let nodes =
        [node(1, &[3, 1]), node(10, &[]), node(100, &[]), node(1000, &[2]), node(10000, &[])];
    file.root["nodes"] = json!(nodes);
    let mesh = file.mesh();
    let first: Vec<f32> = nums(&mesh, "position").chunks(9).map(|positions| positions[0]).collect();
    assert_eq!(first, [10000.0, 1.0, 1001.0, 1101.0, 11.0]);
    assert_eq!(mesh.indices(), (0..15).collect::<Vec<u32>>());
    let nodes: Vec<_> = mesh.parts().iter().filter_map(|part| part.place).collect();
    let place = |node| Place::Primitive { node, mesh: 0, primitive: 0 };
    assert_eq!(nodes, [4, 0, 3, 2, 1].map(place));
}

#[test]
fn without_a_scene_number_the_first_counts() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    file.root.as_object_mut().expect("it is an object").remove("scene");
    assert_eq!(file.mesh().triangles(), 1);
    file.root["scenes"] = json!([]);
    assert_eq!(file.error(), "the glTF has no scene");
}

#[test]
fn lists_strips_and_fans_are_triangles() {
    for (mode, expected) in [
        (4, vec![0, 1, 2]),
        (5, vec![0, 1, 2, 1, 3, 2, 2, 3, 4]),
        (6, vec![1, 2, 0, 2, 3, 0, 3, 4, 0]),
    ] {
        let mut file = Builder::new();
        let positions = file.floats(3, &[0.0; 15]);
        file.primitive(json!({ "attributes": { "POSITION": positions }, "mode": mode }));
        assert_eq!(file.mesh().indices(), expected, "{mode}");
        // The same through indices, and after another primitive.
        let indices = file.indices(&[4, 3, 2, 1, 0]);
        file.primitive(
            json!({ "attributes": { "POSITION": positions }, "mode": mode, "indices": indices }),
        );
        let turned: Vec<u32> = expected.iter().map(|index| 5 + (4 - index)).collect();
        assert_eq!(file.mesh().indices()[expected.len()..], turned, "{mode}");
    }
}

#[test]
fn indices_have_any_unsigned_type() {
    for (component, bytes) in [
        (5121, vec![2, 1, 0]),
        (5123, vec![2, 0, 1, 0, 0, 0]),
        (5125, vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        let mut file = Builder::new();
        let positions = file.floats(3, &TRIANGLE);
        let indices = file.accessor("SCALAR", component, 3, &bytes);
        file.primitive(json!({ "attributes": { "POSITION": positions }, "indices": indices }));
        assert_eq!(file.mesh().indices(), [2, 1, 0]);
    }
}

/// A triangle with normals (1, 1, 1) and tangents (1, 1, 1, -1).
fn shaded(node: serde_json::Value) -> Builder {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let normals = file.floats(3, &[1.0; 9]);
    let tangents: Vec<f32> = [1.0, 1.0, 1.0, -1.0].repeat(3);
    let tangents = file.floats(4, &tangents);
    file.primitive(json!({
        "attributes": { "POSITION": positions, "NORMAL": normals, "TANGENT": tangents }
    }));
    file.root["nodes"] = json!([node]);
    file
}

#[test]
fn normals_and_tangents_are_transformed() {
    let node = json!({ "mesh": 0, "translation": [5, 6, 7], "scale": [2, 4, 8] });
    let mesh = shaded(node).mesh();
    assert_eq!(nums(&mesh, "position"), [5., 6., 7., 7., 6., 7., 5., 10., 7.]);
    assert_eq!(nums(&mesh, "normal")[..3], [0.5, 0.25, 0.125]);
    assert_eq!(nums(&mesh, "tangent")[..4], [2., 4., 8., -1.]);
    assert_eq!(mesh.indices(), [0, 1, 2]);
}

#[test]
fn a_mirror_swaps_the_last_two_vertices() {
    let mesh = shaded(json!({ "mesh": 0, "scale": [-2, 1, 1] })).mesh();
    assert_eq!(mesh.indices(), [0, 2, 1]);
    assert_eq!(nums(&mesh, "position"), [0., 0., 0., -2., 0., 0., 0., 1., 0.]);
    assert_eq!(nums(&mesh, "normal")[..3], [-0.5, 1., 1.]);
    assert_eq!(nums(&mesh, "tangent")[..4], [-2., 1., 1., -1.]);
    // Two mirrors are none.
    let node = json!({ "mesh": 0, "scale": [-2, -1, 1] });
    assert_eq!(shaded(node).mesh().indices(), [0, 1, 2]);
    // A strip's exchange comes before the mirror's.
    let mut file = Builder::new();
    let positions = file.floats(3, &[0.0; 12]);
    file.primitive(json!({ "attributes": { "POSITION": positions }, "mode": 5 }));
    file.root["nodes"] = json!([{ "mesh": 0, "scale": [1, 1, -1] }]);
    assert_eq!(file.mesh().indices(), [0, 2, 1, 1, 2, 3]);
}

#[test]
fn matrices_are_by_columns() {
    let matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 10, 20, 30, 1];
    let mesh = shaded(json!({ "mesh": 0, "matrix": matrix })).mesh();
    // A quarter turn about z: x becomes y.
    assert_eq!(nums(&mesh, "position"), [10., 20., 30., 10., 21., 30., 9., 20., 30.]);
    assert_eq!(nums(&mesh, "normal")[..3], [-1., 1., 1.]);
}

#[test]
fn transformations_are_in_binary64_and_rounded_once() {
    // 0.1 in binary64, times 3 twice, plus 1: not what binary32 gives in between.
    let mut file = Builder::new();
    file.positions(&[0.1, 16_777_216.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    file.root["nodes"] = json!([
        { "scale": [0.1, 1, 1], "children": [1] },
        { "mesh": 0, "translation": [0.1, 1.5, 0] },
    ]);
    let mesh = file.mesh();
    let x = (f64::from(0.1_f32) * 0.1 + 0.1 * 0.1) as f32;
    assert_eq!(nums(&mesh, "position")[..2], [x, 16_777_218.0]);
}

#[test]
fn a_node_that_changes_nothing_keeps_the_bits() {
    let mut file = Builder::new();
    file.positions(&[
        -0.0,
        f32::INFINITY,
        1e-45,
        -0.0,
        0.0,
        0.0,
        f32::from_bits(0xffc1_2345),
        0.0,
        0.0,
    ]);
    let mesh = file.mesh();
    let bits: Vec<u32> = nums(&mesh, "position").iter().map(|number| number.to_bits()).collect();
    assert_eq!(bits[..4], [1 << 31, f32::INFINITY.to_bits(), 1, 1 << 31]);
    // NaN alone has other bits.
    assert_eq!(bits[6], 0x7fc0_0000);
    // Translation alone keeps normals.
    let mut file = shaded(json!({ "mesh": 0, "translation": [1, 0, 0] }));
    let normals = file.floats(3, &[-0.0; 9]);
    file.root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normals);
    assert_eq!(nums(&file.mesh(), "normal")[0].to_bits(), 1 << 31);
}

#[test]
fn vertices_of_instances_are_separate() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let ids = file.accessor("SCALAR", 5121, 3, &[7, 8, 9]);
    let indices = file.indices(&[0, 2, 1]);
    file.primitive(
        json!({ "attributes": { "POSITION": positions, "_ID": ids }, "indices": indices }),
    );
    file.root["nodes"] = json!([{ "mesh": 0, "children": [1] }, { "mesh": 0 }]);
    let mesh = file.mesh();
    assert_eq!(mesh.indices(), [0, 2, 1, 3, 5, 4]);
    assert_eq!(data(&mesh, "id"), &Data::Uint(vec![7, 8, 9, 7, 8, 9]));
    assert_eq!(mesh.vertices(), 6);
}

#[test]
fn cameras_have_the_nodes_transformation() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    file.root["cameras"] = json!([
        { "type": "perspective", "perspective": { "yfov": 0.1, "znear": 0.5 } },
        { "name": "flat", "type": "orthographic",
          "orthographic": { "xmag": 2, "ymag": 3, "znear": 0, "zfar": 9 } },
        { "type": "other" },
    ]);
    file.root["nodes"] = json!([
        { "mesh": 0, "translation": [1, 0, 0], "children": [1, 2, 3] },
        { "camera": 1, "name": "a" },
        { "camera": 0, "name": "b", "translation": [0, 1, 0] },
        { "camera": 2 },
    ]);
    let mesh = file.mesh();
    let [flat, deep] = mesh.cameras() else { panic!("{:?}", mesh.cameras()) };
    assert_eq!((flat.name.as_deref(), deep.name.as_deref()), (Some("flat"), Some("b")));
    assert_eq!(flat.projection, Projection::Orthographic { x: 2.0, y: 3.0, near: 0.0, far: 9.0 });
    let expected = Projection::Perspective { fov_y: 0.1, aspect: None, near: 0.5, far: None };
    assert_eq!(deep.projection, expected);
    assert_eq!(deep.world.columns[3], [1.0, 1.0, 0.0]);
}

#[test]
fn the_environment_of_the_caller_does_not_matter() {
    use lambdav_float_environment::{Foreign, with_foreign};
    let mut file = Builder::new();
    file.positions(&[0.1, 0.2, 1e-40, 1.0, 0.3, 0.7, 0.9, 1.0, 0.0]);
    file.root["nodes"][0]["scale"] = json!([0.1, 0.3, 1e-3]);
    file.root["nodes"][0]["translation"] = json!([0.1, 0.01, 0]);
    let expected = file.mesh();
    for foreign in Foreign::ALL {
        with_foreign(foreign, || assert_eq!(file.mesh(), expected, "{foreign:?}"));
    }
}
