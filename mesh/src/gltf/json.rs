//! The JSON text of a glTF as data: the properties that a mesh needs. Others are skipped, and take no memory.
//!
//! An object of a few characters becomes a structure of some hundred bytes, so objects and elements are counted
//! before the text is parsed. Texts are borrowed from the file where they have no escapes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::error::ReadError;
use crate::limits::{Limits, Quantity};

/// Parses the text.
pub(super) fn parse<'a>(text: &'a [u8], limits: &Limits) -> Result<Root<'a>, ReadError> {
    let count = |characters: &[u8]| text.iter().filter(|byte| characters.contains(byte)).count();
    limits.check(Quantity::Objects, count(b"{") as u64)?;
    limits.check(Quantity::Elements, count(b",[") as u64)?;
    serde_json::from_slice(text).map_err(ReadError::Json)
}

/// A text.
#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A number of binary64, correctly rounded. `serde_json` rounds its numbers less carefully.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(pub(super) f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        let number: f64 = text.parse().map_err(|_| Error::custom("expected a number"))?;
        if !number.is_finite() {
            return Err(Error::custom("a number is out of range"));
        }
        Ok(Self(number))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    #[serde(borrow)]
    pub(super) asset: Asset<'a>,
    #[serde(borrow, default)]
    pub(super) extensions_required: Vec<Text<'a>>,
    pub(super) scene: Option<u32>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(borrow, default)]
    pub(super) nodes: Vec<Node<'a>>,
    #[serde(borrow, default)]
    pub(super) meshes: Vec<Mesh<'a>>,
    #[serde(borrow, default)]
    pub(super) accessors: Vec<Accessor<'a>>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(borrow, default)]
    pub(super) buffers: Vec<Buffer<'a>>,
    #[serde(borrow, default)]
    pub(super) materials: Vec<Material<'a>>,
    #[serde(default)]
    pub(super) textures: Vec<Texture>,
    #[serde(borrow, default)]
    pub(super) images: Vec<Image<'a>>,
    #[serde(borrow, default)]
    pub(super) cameras: Vec<Camera<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset<'a> {
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow)]
    pub(super) min_version: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) children: Vec<u32>,
    pub(super) matrix: Option<Box<[Number; 16]>>,
    pub(super) translation: Option<Box<[Number; 3]>>,
    pub(super) rotation: Option<Box<[Number; 4]>>,
    pub(super) scale: Option<Box<[Number; 3]>>,
    pub(super) mesh: Option<u32>,
    pub(super) camera: Option<u32>,
    pub(super) skin: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) primitives: Vec<Primitive<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive<'a> {
    #[serde(borrow)]
    pub(super) attributes: BTreeMap<Text<'a>, u32>,
    pub(super) indices: Option<u32>,
    pub(super) material: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
    pub(super) targets: Option<IgnoredAny>,
}

fn triangles() -> u32 {
    4
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor<'a> {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    pub(super) byte_length: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    pub(super) pbr_metallic_roughness: Option<Box<Reflectance>>,
    pub(super) normal_texture: Option<TextureInfo>,
    pub(super) occlusion_texture: Option<TextureInfo>,
    pub(super) emissive_texture: Option<TextureInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reflectance {
    pub(super) base_color_texture: Option<TextureInfo>,
    pub(super) metallic_roughness_texture: Option<TextureInfo>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: u32,
    #[serde(default)]
    pub(super) tex_coord: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Texture {
    pub(super) source: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) uri: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) mime_type: Option<Text<'a>>,
    pub(super) buffer_view: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Camera<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    pub(super) perspective: Option<Perspective>,
    pub(super) orthographic: Option<Orthographic>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Perspective {
    pub(super) aspect_ratio: Option<Number>,
    pub(super) yfov: Number,
    pub(super) znear: Number,
    pub(super) zfar: Option<Number>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Orthographic {
    pub(super) xmag: Number,
    pub(super) ymag: Number,
    pub(super) znear: Number,
    pub(super) zfar: Number,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_once() {
        // Between two binary64 numbers; serde_json's own conversion gives the other neighbour of some such texts.
        for text in ["0.1", "1e-3", "9007199254740993", "2.2250738585072011e-308", "-0", "1E2"] {
            let number: Number = serde_json::from_str(text).expect("it is a number");
            let expected: f64 = text.parse().expect("it is a number");
            assert_eq!(number.0.to_bits(), expected.to_bits(), "{text}");
        }
        for text in ["\"1\"", "null", "1e999", "{}", "[1]", "true", "NaN"] {
            assert!(serde_json::from_str::<Number>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn objects_and_elements_are_counted_first() {
        let text = format!("[{}", "{},".repeat(1 << 21));
        let error = parse(text.as_bytes(), &Limits::default()).map_err(|error| error.to_string());
        assert_eq!(error.err(), Some("the JSON text has more than 1048576 objects".into()));
        let text = "0,".repeat((1 << 24) + 1);
        let error = parse(text.as_bytes(), &Limits::default()).map_err(|error| error.to_string());
        assert_eq!(error.err(), Some("the JSON text has more than 16777216 elements".into()));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
            let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":{inner}}}");
            assert!(parse(text.as_bytes(), &Limits::default()).is_err());
        }
    }
}
