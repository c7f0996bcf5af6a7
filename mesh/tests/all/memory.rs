//! Memory: a mesh of a million triangles, its file included, takes about 300 MB, and a refused file little.

use allocation_counter::measure;
use lambdav_mesh::{Format, Limits, Mesh, NoFolder};
use lambdav_test_support::meshes::Gltf;
use std::fmt::Write as _;

/// Bytes for each triangle.
const MOST: u64 = 300;

/// A fourth of a million, so that lists that grow by doubling have as much room to spare.
const TRIANGLES: u32 = 250_000;

/// Peak memory of reading, with the file.
fn peak(bytes: &[u8], format: Format) -> u64 {
    let mut triangles = 0;
    let read = || {
        let mesh = Mesh::read(bytes, format, &NoFolder, &Limits::default()).expect("it is right");
        triangles = mesh.triangles();
    };
    let info = measure(read);
    assert_eq!(triangles, TRIANGLES as usize);
    info.bytes_max + bytes.len() as u64
}

/// No two triangles share a vertex: the worst case.
#[test]
fn an_obj_takes_little_memory() {
    let mut text = String::from("vt 0.5 0.5\nvn 0 0 1\n");
    for i in 0..3 * TRIANGLES {
        let _ = writeln!(text, "v {}.25 {}.5 0.125", i % 1000, i / 1000);
    }
    for i in 0..TRIANGLES {
        let _ = writeln!(text, "f {}/1/1 {}/1/1 {}/1/1", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    let peak = peak(text.as_bytes(), Format::Obj);
    assert!(peak < MOST * u64::from(TRIANGLES), "{peak}");
}

#[test]
fn a_gltf_takes_little_memory() {
    let vertices = 3 * TRIANGLES;
    let binary: Vec<u8> = (0..vertices * 9).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let views = [(0, 12), (12, 12), (24, 8)];
    let view = |(offset, stride): (u32, u32)| {
        let (begin, length) = (offset * vertices, stride * vertices);
        format!("{{\"buffer\":0,\"byteOffset\":{begin},\"byteLength\":{length}}}")
    };
    let accessor = |i: usize, kind: &str| {
        format!(
            "{{\"bufferView\":{i},\"componentType\":5126,\"count\":{vertices},\"type\":\"{kind}\"}}"
        )
    };
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0,\"scale\":[2,2,2]}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2}}}}]}}],\
         \"accessors\":[{},{},{}],\"bufferViews\":[{}],\"buffers\":[{{\"byteLength\":{}}}]}}",
        accessor(0, "VEC3"),
        accessor(1, "VEC3"),
        accessor(2, "VEC2"),
        views.map(view).join(","),
        binary.len(),
    );
    let peak = peak(&Gltf { json, binary }.glb(), Format::Gltf);
    assert!(peak < MOST * u64::from(TRIANGLES), "{peak}");
}

/// A text of objects and elements takes at most some hundred bytes for each.
#[test]
fn a_text_of_objects_takes_little_memory() {
    for element in ["{}", "{\"primitives\":[]}", "{\"children\":[]}"] {
        let all = vec![element; 50_000].join(",");
        for list in ["nodes", "meshes", "materials", "scenes", "images", "cameras", "textures"] {
            let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"{list}\":[{all}]}}");
            let read = || {
                let _ = Mesh::read(text.as_bytes(), Format::Gltf, &NoFolder, &Limits::default());
            };
            let peak = measure(read).bytes_max;
            assert!(peak < 50_000 * 600, "{list} of {element}: {peak}");
        }
    }
}

/// Counts are refused before memory is requested.
#[test]
fn declared_counts_take_no_memory() {
    let json = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\
         \"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\
         \"accessors\":[{\"componentType\":5126,\"count\":COUNT,\"type\":\"VEC3\"},\
         {\"componentType\":5125,\"count\":1000000000000,\"type\":\"SCALAR\"}]}";
    for count in ["3", "4294967295", "18446744073709551615"] {
        let json = json.replace("COUNT", count);
        let read = || {
            let read = Mesh::read(json.as_bytes(), Format::Gltf, &NoFolder, &Limits::default());
            assert!(read.is_err());
        };
        let peak = measure(read).bytes_max;
        assert!(peak < 10_000, "{peak}");
    }
}
