//! Small glTFs.

use crate::error::ReadError;
use crate::files::NoFolder;
use crate::limits::Limits;
use crate::mesh::{Data, Mesh};
use crate::read::Format;
use serde_json::{Value, json};

/// A glTF under construction: its JSON text as a value, and the bytes of its only buffer.
pub(super) struct Builder {
    pub(super) root: Value,
    pub(super) bytes: Vec<u8>,
}

impl Builder {
    /// A scene of one node, which draws mesh 0.
    pub(super) fn new() -> Self {
        let root = json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [] }],
            "accessors": [],
            "bufferViews": [],
            "buffers": [{ "byteLength": 0 }],
        });
        Self { root, bytes: Vec::new() }
    }

    /// A view of these bytes.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        let view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend_from_slice(bytes);
        self.root["buffers"][0]["byteLength"] = self.bytes.len().into();
        self.push("bufferViews", view)
    }

    /// Adds an item, and returns its index.
    pub(super) fn push(&mut self, list: &str, item: Value) -> usize {
        if self.root[list].is_null() {
            self.root[list] = json!([]);
        }
        let items = self.root[list].as_array_mut().expect("it is a list");
        items.push(item);
        items.len() - 1
    }

    /// An accessor of these bytes.
    pub(super) fn accessor(
        &mut self,
        kind: &str,
        component: u32,
        count: usize,
        bytes: &[u8],
    ) -> usize {
        let view = self.view(bytes);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        self.push("accessors", accessor)
    }

    /// An accessor of binary32 numbers.
    pub(super) fn floats(&mut self, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        self.accessor(kind, 5126, numbers.len() / width, &bytes)
    }

    /// An accessor of indices of 16 bits.
    pub(super) fn indices(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.accessor("SCALAR", 5123, indices.len(), &bytes)
    }

    /// Adds a primitive to mesh 0.
    pub(super) fn primitive(&mut self, primitive: Value) {
        let primitives = self.root["meshes"][0]["primitives"].as_array_mut();
        primitives.expect("it is a list").push(primitive);
    }

    /// A primitive of these positions, and no more.
    pub(super) fn positions(&mut self, numbers: &[f32]) -> usize {
        let accessor = self.floats(3, numbers);
        self.primitive(json!({ "attributes": { "POSITION": accessor } }));
        accessor
    }

    /// The binary file.
    pub(super) fn glb(&self) -> Vec<u8> {
        let mut json = self.root.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut binary = self.bytes.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let length = 12 + 8 + json.len() + 8 + binary.len();
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((length as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    pub(super) fn read(&self) -> Result<Mesh, ReadError> {
        self.read_within(&Limits::default())
    }

    pub(super) fn read_within(&self, limits: &Limits) -> Result<Mesh, ReadError> {
        Mesh::read(&self.glb(), Format::Gltf, &NoFolder, limits)
    }

    pub(super) fn mesh(&self) -> Mesh {
        self.read().unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    pub(super) fn error(&self) -> String {
        self.read().map(|_| ()).expect_err("it is wrong").to_string()
    }
}

/// Data of an attribute.
pub(super) fn data<'a>(mesh: &'a Mesh, name: &str) -> &'a Data {
    let found = mesh.attributes().iter().find(|attribute| attribute.name() == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).data()
}

/// Numbers of an attribute.
pub(super) fn nums<'a>(mesh: &'a Mesh, name: &str) -> &'a [f32] {
    match data(mesh, name) {
        Data::Num(numbers) => numbers,
        other => panic!("{name} has {other:?}"),
    }
}

/// Nine numbers that are three positions.
pub(super) const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
