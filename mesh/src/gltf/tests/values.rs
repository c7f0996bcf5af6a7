//! Values: types of components, sparse accessors, buffers, attributes that primitives do not share, materials.

use super::builder::{Builder, TRIANGLE, data, nums};
use crate::error::{AttributeError, Place};
use crate::files::{FileError, Folder, NoFolder, RelativePath, Resolver};
use crate::limits::Limits;
use crate::material::{ImageData, MaterialImage, Role};
use crate::mesh::{Data, Mesh, Scalar};
use crate::read::Format;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

/// A triangle with a further attribute.
fn with(name: &str, kind: &str, component: u32, normalized: bool, bytes: &[u8]) -> Builder {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let other = file.accessor(kind, component, 3, bytes);
    file.root["accessors"][other]["normalized"] = json!(normalized);
    file.primitive(json!({ "attributes": { "POSITION": positions, name: other } }));
    file
}

#[test]
fn integers_keep_their_sign() {
    let mesh = with("JOINTS_0", "SCALAR", 5121, false, &[1, 2, 255]).mesh();
    assert_eq!(data(&mesh, "joints-0"), &Data::Uint(vec![1, 2, 255]));
    let mesh = with("_A", "SCALAR", 5120, false, &[1, 128, 255]).mesh();
    assert_eq!(data(&mesh, "a"), &Data::Int(vec![1, -128, -1]));
    let mesh = with("_A", "SCALAR", 5122, false, &[1, 0, 0, 128, 255, 255]).mesh();
    assert_eq!(data(&mesh, "a"), &Data::Int(vec![1, -32768, -1]));
    let bytes = [1, 0, 0, 0, 0, 0, 0, 128, 1, 0, 0, 1];
    let mesh = with("_A", "SCALAR", 5125, false, &bytes).mesh();
    assert_eq!(data(&mesh, "a"), &Data::Uint(vec![1, 1 << 31, (1 << 24) + 1]));
    let nums = mesh.attribute("a", Scalar::Num, 1).expect("integers become nums");
    assert_eq!(nums[2], 16_777_216.0_f32.to_bits());
}

#[test]
fn normalised_integers_are_quotients() {
    let mesh = with("COLOR_0", "VEC2", 5121, true, &[0, 255, 51, 1, 128, 127]).mesh();
    let expected = [0.0, 1.0, 0.2, 1.0 / 255.0, 128.0 / 255.0, 127.0 / 255.0];
    assert_eq!(nums(&mesh, "color-0"), expected);
    assert!(mesh.attributes()[1].is_normalised());
    let mesh = with("_A", "SCALAR", 5120, true, &[128, 129, 64]).mesh();
    assert_eq!(nums(&mesh, "a"), [-1.0, -1.0, 64.0 / 127.0]);
    let mesh = with("_A", "SCALAR", 5122, true, &[0, 128, 255, 127, 1, 0]).mesh();
    assert_eq!(nums(&mesh, "a"), [-1.0, 1.0, 1.0 / 32767.0]);
    let mesh = with("_A", "SCALAR", 5123, true, &[0, 0, 255, 255, 1, 0]).mesh();
    assert_eq!(nums(&mesh, "a"), [0.0, 1.0, 1.0 / 65535.0]);
    let refused = mesh.attribute("a", Scalar::Uint, 1).map_err(|error| error.to_string());
    let expected =
        "the attribute `a` holds normalised integers, which `uint` does not take; `num` does";
    assert_eq!(refused, Err(expected.into()));
    let floats: Vec<u8> = [1.0_f32; 3].iter().flat_map(|number| number.to_le_bytes()).collect();
    assert_eq!(nums(&with("_A", "SCALAR", 5126, true, &floats).mesh(), "a"), [1.0; 3]);
}

#[test]
fn quantised_positions_are_transformed_once() {
    let mut file = Builder::new();
    // Shorts with a stride, so that two bytes lie between elements.
    let shorts: [i16; 12] = [0, 0, 0, 99, 32767, 0, 0, 99, 3, -32768, 0, 99];
    let bytes: Vec<u8> = shorts.iter().flat_map(|short| short.to_le_bytes()).collect();
    let positions = file.accessor("VEC3", 5122, 3, &bytes);
    file.root["bufferViews"][0]["byteStride"] = json!(8);
    file.root["accessors"][positions]["normalized"] = json!(true);
    file.root["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    file.primitive(json!({ "attributes": { "POSITION": positions } }));
    file.root["nodes"][0]["scale"] = json!([3, 3, 3]);
    let third = (3.0 / 32767.0_f64 * 3.0) as f32;
    assert_eq!(nums(&file.mesh(), "position"), [0., 0., 0., 3., 0., 0., third, -3., 0.]);
    file.root["accessors"][positions]["normalized"] = json!(false);
    let scaled = [0., 0., 0., 98301., 0., 0., 9., -98304., 0.];
    assert_eq!(nums(&file.mesh(), "position"), scaled);
}

#[test]
fn sparse_elements_replace_others() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let base = file.accessor("SCALAR", 5121, 3, &[1, 2, 3]);
    let indices = file.view(&[0, 0, 2, 0]);
    let values = file.view(&[8, 9]);
    file.root["accessors"][base]["sparse"] = json!({
        "count": 2,
        "indices": { "bufferView": indices, "componentType": 5123 },
        "values": { "bufferView": values },
    });
    file.primitive(json!({ "attributes": { "POSITION": positions, "_A": base } }));
    assert_eq!(data(&file.mesh(), "a"), &Data::Uint(vec![8, 2, 9]));
    // Without a view the others are 0.
    file.root["accessors"][base].as_object_mut().expect("it is one").remove("bufferView");
    assert_eq!(data(&file.mesh(), "a"), &Data::Uint(vec![8, 0, 9]));
    for (indices, fault) in
        [([2, 0], "sparse index 0"), ([2, 2], "sparse index 2"), ([0, 3], "sparse index 3")]
    {
        let view = file.view(&[indices[0], indices[1]]);
        file.root["accessors"][base]["sparse"]["indices"] =
            json!({ "bufferView": view, "componentType": 5121 });
        assert!(file.error().contains(fault), "{}", file.error());
    }
    file.root["accessors"][base]["sparse"]["count"] = json!(4);
    assert!(file.error().ends_with("4 sparse elements replace 3"));
}

#[test]
fn an_accessor_without_bytes_is_zero() {
    let mut file = Builder::new();
    let zero = json!({ "componentType": 5126, "count": 3, "type": "VEC3" });
    let accessor = file.push("accessors", zero);
    file.primitive(json!({ "attributes": { "POSITION": accessor } }));
    assert_eq!(nums(&file.mesh(), "position"), [0.0; 9]);
}

#[test]
fn components_are_the_most_of_any_primitive() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let three = file.floats(3, &[0.5; 9]);
    let four = file.floats(4, &[0.25; 12]);
    for color in [three, four] {
        file.primitive(json!({ "attributes": { "POSITION": positions, "COLOR_0": color } }));
    }
    let mesh = file.mesh();
    let expected = [[0.5, 0.5, 0.5, 1.0].repeat(3), vec![0.25; 12]].concat();
    assert_eq!(nums(&mesh, "color-0"), expected);
    assert_eq!(mesh.attributes()[1].components(), 4);
}

#[test]
fn data_of_several_types_are_joined() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let bytes = file.accessor("SCALAR", 5121, 3, &[1, 2, 3]);
    let shorts = file.accessor("SCALAR", 5122, 3, &[255, 255, 0, 0, 1, 0]);
    let floats = file.floats(1, &[0.5, 1.5, 2.5]);
    for accessors in [[bytes, bytes], [shorts, floats]] {
        let [a, b] = accessors;
        file.primitive(json!({ "attributes": { "POSITION": positions, "_A": a, "_B": b } }));
    }
    let mesh = file.mesh();
    assert_eq!(data(&mesh, "a"), &Data::Int(vec![1, 2, 3, -1, 0, 1]));
    assert_eq!(nums(&mesh, "b"), [1.0, 2.0, 3.0, 0.5, 1.5, 2.5]);
}

#[test]
fn an_attribute_that_a_primitive_lacks_is_none_of_the_mesh() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let texcoords = file.floats(2, &[0.5; 6]);
    file.primitive(json!({
        "attributes": { "POSITION": positions, "TEXCOORD_0": texcoords }, "material": 1
    }));
    file.primitive(json!({ "attributes": { "POSITION": positions }, "material": 0 }));
    file.root["materials"] = json!([{ "name": "plain" }, { "name": "wood" }, { "name": "unused" }]);
    let mut mesh = file.mesh();
    assert_eq!(mesh.attribute_names(), ["position"]);
    let place = Place::Primitive { node: 0, mesh: 0, primitive: 1 };
    let error = mesh.attribute("texcoord-0", Scalar::Num, 2);
    assert!(matches!(&error, Err(AttributeError::Partial { place: found, .. }) if *found == place));
    assert_eq!(
        error.map_err(|error| error.to_string()),
        Err("primitive 1 of mesh 0 at node 0 lacks the attribute `texcoord-0`, which other parts \
             of the mesh have; it has `position`"
            .into())
    );
    let error = mesh.select_material("unused").map_err(|error| error.to_string());
    let expected =
        "no triangle of the mesh has the material `unused`; its materials are `plain`, `wood`";
    assert_eq!(error, Err(expected.into()));
    mesh.select_material("wood").expect("it has triangles");
    assert_eq!(mesh.indices(), [0, 1, 2]);
    let words = mesh.attribute("texcoord-0", Scalar::Num, 1).expect("the part has it");
    assert_eq!(words[..3], [0.5_f32.to_bits(); 3]);
}

#[test]
fn attributes_have_an_order() {
    let mut file = Builder::new();
    let three = file.floats(3, &TRIANGLE);
    let four = file.floats(4, &[0.0; 12]);
    file.primitive(json!({ "attributes": {
        "COLOR_0": four, "_B": three, "TANGENT": four, "NORMAL": three, "POSITION": three, "_A": three
    } }));
    let names = ["position", "normal", "tangent", "a", "b", "color-0"];
    assert_eq!(file.mesh().attribute_names(), names);
}

/// Files in memory.
struct Memory(Vec<(&'static str, Vec<u8>)>);

impl Resolver for Memory {
    fn read(&self, path: &RelativePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let (_, bytes) =
            self.0.iter().find(|(name, _)| *name == path.as_str()).expect("it is there");
        assert!(bytes.len() as u64 <= limit, "the test's limits are high enough");
        Ok(bytes.clone())
    }
}

#[test]
fn buffers_are_chunks_files_and_data_uris() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    let text = |file: &Builder| file.root.to_string().into_bytes();
    let read = |file: &Builder, resolver: &dyn Resolver| {
        Mesh::read(&text(file), Format::Gltf, resolver, &Limits::default())
    };
    let error = read(&file, &NoFolder).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(error, Err("buffer 0: it has neither a URI nor bytes in the file".into()));
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&file.bytes));
    file.root["buffers"][0]["uri"] = json!(uri);
    assert_eq!(read(&file, &NoFolder).expect("it is right"), file.mesh());
    // A file may be longer than the buffer.
    file.root["buffers"][0]["uri"] = json!("in/my%20mesh.bin");
    let longer = [file.bytes.clone(), vec![1, 2, 3]].concat();
    let memory = Memory(vec![("in/my mesh.bin", longer.clone())]);
    let expected = read(&file, &memory).expect("it is right");
    // The same from a folder.
    let place = tempfile::tempdir().expect("a folder can be made");
    std::fs::create_dir(place.path().join("in")).expect("a folder can be made");
    std::fs::write(place.path().join("in/my mesh.bin"), longer).expect("it can be written");
    std::fs::write(place.path().join("a.gltf"), text(&file)).expect("it can be written");
    let opened = Mesh::open(&place.path().join("a.gltf"), &Limits::default());
    assert_eq!(opened.expect("it is right"), expected);
    let few = Limits { file_bytes: text(&file).len() as u64 + 38, ..Limits::default() };
    let folder = Folder::beside(&place.path().join("a.gltf"));
    let error = Mesh::read(&text(&file), Format::Gltf, &folder, &few).map(|_| ());
    let expected = format!("the mesh's files have more than {} bytes", few.file_bytes);
    assert_eq!(error.map_err(|error| error.to_string()), Err(expected));
    for uri in ["../a.bin", "/a.bin", "http://a/b", "%2e%2e/a.bin"] {
        file.root["buffers"][0]["uri"] = json!(uri);
        let error = read(&file, &NoFolder).map(|_| ()).expect_err("it is outside").to_string();
        assert!(error.ends_with("leads out of the mesh's folder"), "{error}");
    }
}

#[test]
fn materials_name_their_images() {
    let mut file = Builder::new();
    file.positions(&TRIANGLE);
    let view = file.view(b"PNG");
    file.root["images"] = json!([
        { "uri": "a%20b.png", "name": "outside" },
        { "bufferView": view, "mimeType": "image/png" },
        { "uri": "data:image/jpeg;base64,AQID" },
        { "uri": "../c.png" },
        { "uri": "unused" },
    ]);
    file.root["textures"] =
        json!([{ "source": 1 }, { "source": 0 }, {}, { "source": 2 }, { "source": 3 }]);
    file.root["materials"] = json!([
        {
            "name": "a",
            "pbrMetallicRoughness": {
                "baseColorTexture": { "index": 0 },
                "metallicRoughnessTexture": { "index": 1, "texCoord": 1 },
            },
            "normalTexture": { "index": 3, "scale": 2 },
            "occlusionTexture": { "index": 2 },
        },
        { "emissiveTexture": { "index": 0 }, "occlusionTexture": { "index": 4 } },
    ]);
    let mesh = file.mesh();
    let used = |role, image, texcoord| MaterialImage { role, image, texcoord };
    let [a, b] = mesh.materials() else { panic!("{:?}", mesh.materials()) };
    assert_eq!((a.name.as_deref(), b.name.as_deref()), (Some("a"), None));
    assert_eq!(
        a.images,
        [
            used(Role::BaseColor, 0, 0),
            used(Role::Normal, 1, 0),
            used(Role::MetallicRoughness, 2, 1)
        ]
    );
    assert_eq!(b.images, [used(Role::Occlusion, 3, 0), used(Role::Emissive, 0, 0)]);
    let [embedded, uri, file_beside, outside] = mesh.images() else {
        panic!("{:?}", mesh.images())
    };
    assert_eq!(embedded.data, ImageData::Bytes(b"PNG".to_vec()));
    assert_eq!(embedded.media_type.as_deref(), Some("image/png"));
    assert_eq!(uri.data, ImageData::Bytes(vec![1, 2, 3]));
    assert_eq!(uri.media_type.as_deref(), Some("image/jpeg"));
    assert_eq!(file_beside.name.as_deref(), Some("outside"));
    let path = RelativePath::from_name("a b.png").expect("it is inside");
    assert_eq!(file_beside.data, ImageData::File(Ok(path)));
    assert!(matches!(outside.data, ImageData::File(Err(_))));
    // 36 bytes of positions, 12 of indices, 6 of images.
    assert!(file.read_within(&Limits { mesh_bytes: 54, ..Limits::default() }).is_ok());
    assert!(file.read_within(&Limits { mesh_bytes: 53, ..Limits::default() }).is_err());
}

#[test]
fn what_is_ignored_is_remarked() {
    let mut file = Builder::new();
    let positions = file.floats(3, &TRIANGLE);
    let matrices = file.accessor("MAT2", 5126, 3, &[0; 48]);
    for _ in 0..2 {
        file.primitive(json!({
            "attributes": { "POSITION": positions, "_M": matrices },
            "targets": [{ "POSITION": positions }],
        }));
    }
    file.root["nodes"][0]["skin"] = json!(0);
    let mesh = file.mesh();
    let remarks: Vec<_> = mesh.remarks().iter().map(ToString::to_string).collect();
    assert_eq!(
        remarks,
        [
            "the skin of node 0 is ignored; its mesh is drawn as it rests",
            "the morph targets of mesh 0 are ignored",
            "the attribute `_M` of mesh 0 is ignored, since it has matrices",
        ]
    );
    assert_eq!(mesh.attribute_names(), ["position"]);
}
