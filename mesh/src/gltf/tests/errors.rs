//! Files that are refused.

use super::builder::{Builder, TRIANGLE};
use crate::error::ReadError;
use crate::files::NoFolder;
use crate::limits::Limits;
use crate::mesh::Mesh;
use crate::read::Format;
use serde_json::{Value, json};

/// The error after a change of a right file: positions in accessor 0, indices in accessor 1.
fn after(change: impl FnOnce(&mut Value)) -> String {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let indices = file.indices(&[0, 1, 2]);
    file.primitive(json!({ "attributes": { "POSITION": positions }, "indices": indices }));
    file.root["nodes"][0]["name"] = json!("door");
    change(&mut file.root);
    file.error()
}

#[test]
fn faults_have_places() {
    let primitive = "primitive 0 of mesh 0 at node 0 (`door`)";
    let mode = |mode: u32| {
        let error = after(|root| root["meshes"][0]["primitives"][0]["mode"] = json!(mode));
        let start = format!("{primitive}: mode {mode} is not drawn; only triangles are");
        assert!(error.starts_with(&start), "{error}");
    };
    [0, 1, 2, 3, 7].into_iter().for_each(mode);
    type Change = fn(&mut Value);
    let changes: [(Change, &str); 26] = [
        (|root| root["scene"] = json!(1), "scene 1: there is no scene 1"),
        (|root| root["scenes"][0]["nodes"] = json!([7]), "scene 0: there is no node 7"),
        (|root| root["nodes"][0]["children"] = json!([9]), "node 0: there is no node 9"),
        (|root| root["nodes"][0]["mesh"] = json!(3), "node 0: there is no mesh 3"),
        (|root| root["nodes"][0]["camera"] = json!(0), "node 0: there is no camera 0"),
        (
            |root| root["nodes"][0]["children"] = json!([0]),
            "node 0 (`door`): the scene reaches the node twice",
        ),
        (
            |root| root["scenes"][0]["nodes"] = json!([0, 0]),
            "node 0 (`door`): the scene reaches the node twice",
        ),
        (
            |root| {
                root["nodes"][0]["matrix"] =
                    json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
            },
            "node 0 (`door`): the last row of the matrix is not 0 0 0 1",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["attributes"] = json!({}),
            "primitive 0 of mesh 0 at node 0 (`door`): the primitive has no attributes",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(5),
            "mesh 0: there is no accessor 5",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["material"] = json!(0),
            "mesh 0: there is no material 0",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["indices"] = json!(0),
            "primitive 0 of mesh 0 at node 0 (`door`): indices are single unsigned integers",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(1),
            "primitive 0 of mesh 0 at node 0 (`door`): `normal` has 1 components instead of 3",
        ),
        (
            |root| root["meshes"][0]["primitives"][0]["attributes"]["_POSITION"] = json!(0),
            "primitive 0 of mesh 0 at node 0 (`door`): two attributes are called `position`",
        ),
        (
            |root| {
                root["meshes"][0]["primitives"][0]["attributes"]["_A"] = json!(1);
                root["accessors"][1]["count"] = json!(2);
            },
            "primitive 0 of mesh 0 at node 0 (`door`): `_A` has 2 elements, but other attributes have 3",
        ),
        (
            |root| root["accessors"][0]["componentType"] = json!(5124),
            "accessor 0: there is no component type 5124",
        ),
        (
            |root| root["accessors"][0]["type"] = json!("VEC5"),
            "accessor 0: there is no element type `VEC5`",
        ),
        (
            |root| {
                root["accessors"][0]["componentType"] = json!(5125);
                root["accessors"][0]["normalized"] = json!(true);
            },
            "accessor 0: integers of 32 bits cannot be normalised",
        ),
        (
            |root| root["accessors"][0]["bufferView"] = json!(8),
            "accessor 0: there is no buffer view 8",
        ),
        (
            |root| root["accessors"][0]["count"] = json!(4),
            "accessor 0: it ends at byte 48, beyond the 36 bytes of buffer view 0",
        ),
        (
            |root| root["accessors"][0]["byteOffset"] = json!(u64::MAX),
            "accessor 0: it ends at byte 18446744073709551615, beyond the 36 bytes of buffer view 0",
        ),
        (
            |root| root["bufferViews"][0]["byteStride"] = json!(8),
            "accessor 0: a stride of 8 bytes is shorter than an element of 12",
        ),
        (|root| root["bufferViews"][0]["buffer"] = json!(1), "buffer view 0: there is no buffer 1"),
        (
            |root| root["bufferViews"][1]["byteLength"] = json!(7),
            "buffer view 1: it ends at byte 43, beyond the 42 bytes of buffer 0",
        ),
        (
            |root| root["buffers"][0]["byteLength"] = json!(60),
            "buffer 0: it has 44 of the 60 bytes that it declares",
        ),
        (
            |root| root["buffers"][0]["uri"] = json!("a.bin"),
            "buffer 0: `a.bin` cannot be read, since the mesh was not read from a folder",
        ),
    ];
    for (change, expected) in changes {
        let error = after(change);
        assert!(error.starts_with(expected), "{error}\ninstead of\n{expected}");
    }
}

#[test]
fn wrong_indices_are_refused() {
    for (component, bytes, expected) in [
        (5121, vec![0, 1, 3], "index 3, at position 2, is beyond the 3 vertices"),
        (5121, vec![0, 255, 1], "index 255, at position 1, is the restart index"),
        (5123, vec![255, 255, 0, 0, 0, 0], "index 65535, at position 0, is the restart index"),
        (5123, vec![255, 0, 0, 0, 0, 0], "index 255, at position 0, is beyond the 3 vertices"),
        (5125, [[255; 4]; 3].concat(), "index 4294967295, at position 0, is the restart index"),
    ] {
        let mut file = Builder::new();
        let positions = file.floats(3, &TRIANGLE);
        let indices = file.accessor("SCALAR", component, 3, &bytes);
        file.primitive(json!({ "attributes": { "POSITION": positions }, "indices": indices }));
        assert!(file.error().contains(expected), "{}", file.error());
    }
}

#[test]
fn required_extensions_are_named() {
    let error = after(|root| {
        root["extensionsRequired"] =
            json!(["KHR_mesh_quantization", "KHR_draco_mesh_compression", "EXT_\u{1b}"]);
    });
    assert_eq!(
        error,
        "the glTF requires unsupported extensions: `KHR_draco_mesh_compression`, `EXT_\\u{1b}`"
    );
}

#[test]
fn versions_are_checked() {
    let version = |version: Value| after(|root| root["asset"] = version);
    assert_eq!(
        version(json!({ "version": "1.0" })),
        "glTF of version 1.0 is not read, only of 2.0"
    );
    assert_eq!(
        version(json!({ "version": "2.1", "minVersion": "2.1" })),
        "glTF of version 2.1 is not read, only of 2.0"
    );
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    file.root["asset"] = json!({ "version": "2.1", "minVersion": "2.0" });
    assert_eq!(file.mesh().triangles(), 1);
}

#[test]
fn malformed_texts_are_refused() {
    for text in ["", "{", "[]", "{}", "{\"asset\":{}}", "{\"asset\":{\"version\":2}}"] {
        let read = Mesh::read(text.as_bytes(), Format::Gltf, &NoFolder, &Limits::default());
        assert!(matches!(read, Err(ReadError::Json(_))), "{text}");
    }
    assert_eq!(after(|root| root["nodes"][0]["scale"] = json!([1, 2])), "malformed glTF");
}

#[test]
fn limits_hold_for_what_is_declared() {
    let mut file = Builder::new();
    // Without bytes an accessor may declare any count.
    let zero = json!({ "componentType": 5126, "count": 1_u64 << 60, "type": "VEC3" });
    let accessor = file.push("accessors", zero);
    file.primitive(json!({ "attributes": { "POSITION": accessor } }));
    assert_eq!(file.error(), "the mesh has more than 268435456 vertices");
    file.root["accessors"][accessor]["count"] = json!(3);
    let indices = json!({ "componentType": 5125, "count": u64::MAX, "type": "SCALAR" });
    let indices = file.push("accessors", indices);
    file.root["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    for mode in [4, 5, 6] {
        file.root["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        assert_eq!(file.error(), "the mesh has more than 268435456 triangles");
    }
    let mut file = Builder::new();
    let positions = file.positions(&TRIANGLE);
    let within = |file: &Builder, limits| {
        file.read_within(&limits).map(|_| ()).map_err(|error| error.to_string())
    };
    let limits = Limits { vertices: 3, triangles: 1, mesh_bytes: 48, ..Limits::default() };
    assert_eq!(within(&file, limits), Ok(()));
    let refused = |text: &str| Err(text.to_owned());
    assert_eq!(
        within(&file, Limits { mesh_bytes: 47, ..limits }),
        refused("the mesh takes more than 47 bytes of memory")
    );
    assert_eq!(
        within(&file, Limits { triangles: 0, ..limits }),
        refused("the mesh has more than 0 triangles")
    );
    // A second node draws the mesh again.
    file.root["nodes"] = json!([{ "mesh": 0, "children": [1] }, { "mesh": 0 }]);
    assert_eq!(within(&file, limits), refused("the mesh has more than 3 vertices"));
    let mut file = Builder::new();
    file.floats(3, &TRIANGLE);
    let mut attributes = json!({ "POSITION": positions });
    for i in 0..63 {
        attributes[format!("_A{i}")] = json!(positions);
    }
    file.primitive(json!({ "attributes": attributes }));
    assert_eq!(file.mesh().attributes().len(), 64);
    file.root["meshes"][0]["primitives"][0]["attributes"]["_B"] = json!(positions);
    assert_eq!(file.error(), "the mesh has more than 64 attributes");
}

#[test]
fn many_primitives_are_refused() {
    let mut file = Builder::new();
    let empty = json!({ "componentType": 5126, "count": 0, "type": "VEC3" });
    let accessor = file.push("accessors", empty);
    let primitives = vec![json!({ "attributes": { "POSITION": accessor } }); 2000];
    file.root["meshes"][0]["primitives"] = json!(primitives);
    file.root["scenes"][0]["nodes"] = (0..2000).collect();
    file.root["nodes"] = json!(vec![json!({ "mesh": 0 }); 2000]);
    assert_eq!(file.error(), "the scene draws more than 1048576 primitives");
}

#[test]
fn deep_scenes_are_read() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    let mut nodes: Vec<Value> = (1..100_000).map(|child| json!({ "children": [child] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    file.root["nodes"] = json!(nodes);
    assert_eq!(file.mesh().triangles(), 1);
}
