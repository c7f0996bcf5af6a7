//! Names of the language: types, generators of types, words of template lists.

use super::builtin_table;
use super::values::Generator;
use crate::types::{Access, Dim, Kind, Scalar, Texture, TextureKind};

/// Types without a template list, and generators.
#[derive(Clone, Copy, Debug)]
pub(super) enum Predeclared {
    Type(Kind),
    Generator(Generator),
    /// A type that needs a template list.
    Templated,
    /// A type of 16 bits.
    Half,
    /// A type of an extension that is not built.
    Extension,
}

/// Names that need a template list, besides the generators.
const TEMPLATED: [&str; 4] = ["atomic", "ptr", "binding_array", "bitcast"];

/// Types of extensions that are not built.
const EXTENSIONS: [&str; 11] = [
    "f64",
    "i64",
    "u64",
    "i16",
    "u16",
    "acceleration_structure",
    "ray_query",
    "texture_1d_array",
    "texture_storage_1d_array",
    "texture_depth_1d",
    "subgroup_matrix_result",
];

/// Widths and component types of a vector's or matrix' name: `vec3f`, `mat2x3`.
fn shape(name: &str) -> Option<Predeclared> {
    let digit = |text: &str| match text.as_bytes() {
        [digit @ b'2'..=b'4', ..] => Some(digit - b'0'),
        _ => None,
    };
    let (generator, rest) = if let Some(rest) = name.strip_prefix("vec") {
        (Generator::Vector(digit(rest)?), rest.get(1..)?)
    } else {
        let rest = name.strip_prefix("mat")?;
        let columns = digit(rest)?;
        let rows = digit(rest.get(1..)?.strip_prefix('x')?)?;
        (Generator::Matrix(columns, rows), rest.get(3..)?)
    };
    let scalar = match (rest, generator) {
        ("", _) => return Some(Predeclared::Generator(generator)),
        ("h", _) => return Some(Predeclared::Half),
        ("f", _) => Scalar::Float,
        ("i", Generator::Vector(_)) => Scalar::Int,
        ("u", Generator::Vector(_)) => Scalar::Uint,
        _ => return None,
    };
    Some(Predeclared::Type(match generator {
        Generator::Vector(width) => Kind::Vector(scalar, width),
        Generator::Matrix(columns, rows) => Kind::Matrix(scalar, columns, rows),
        Generator::Array => return None,
    }))
}

/// What a name means that no declaration has.
pub(super) fn find(name: &str) -> Option<Predeclared> {
    let texture = |dim, arrayed, multisampled, kind| {
        let texture = Texture { dim, arrayed, multisampled, kind };
        Some(Predeclared::Type(Kind::Texture(texture)))
    };
    match name {
        "bool" => Some(Predeclared::Type(Kind::Scalar(Scalar::Bool))),
        "i32" => Some(Predeclared::Type(Kind::Scalar(Scalar::Int))),
        "u32" => Some(Predeclared::Type(Kind::Scalar(Scalar::Uint))),
        "f32" => Some(Predeclared::Type(Kind::Scalar(Scalar::Float))),
        "f16" => Some(Predeclared::Half),
        "array" => Some(Predeclared::Generator(Generator::Array)),
        "sampler" => Some(Predeclared::Type(Kind::Sampler(false))),
        "sampler_comparison" => Some(Predeclared::Type(Kind::Sampler(true))),
        "texture_depth_2d" => texture(Dim::D2, false, false, TextureKind::Depth),
        "texture_depth_2d_array" => texture(Dim::D2, true, false, TextureKind::Depth),
        "texture_depth_cube" => texture(Dim::Cube, false, false, TextureKind::Depth),
        "texture_depth_cube_array" => texture(Dim::Cube, true, false, TextureKind::Depth),
        "texture_depth_multisampled_2d" => texture(Dim::D2, false, true, TextureKind::Depth),
        "texture_external" => texture(Dim::D2, false, false, TextureKind::External),
        _ if EXTENSIONS.contains(&name) => Some(Predeclared::Extension),
        _ if TEMPLATED.contains(&name) || texture_shape(name).is_some() => {
            Some(Predeclared::Templated)
        }
        _ => shape(name),
    }
}

/// The shape of a texture type that takes a template list; true for a storage texture.
pub(super) fn texture_shape(name: &str) -> Option<(Dim, bool, bool, bool)> {
    let rest = name.strip_prefix("texture_")?;
    let (rest, is_stored) = match rest.strip_prefix("storage_") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (rest, multisampled) = match rest.strip_prefix("multisampled_") {
        Some(rest) if !is_stored => (rest, true),
        _ => (rest, false),
    };
    let (dim, arrayed) = match rest {
        "1d" => (Dim::D1, false),
        "2d" => (Dim::D2, false),
        "2d_array" => (Dim::D2, true),
        "3d" => (Dim::D3, false),
        "cube" if !is_stored => (Dim::Cube, false),
        "cube_array" if !is_stored => (Dim::Cube, true),
        _ => return None,
    };
    Some((dim, arrayed, multisampled, is_stored)).filter(|_| !multisampled || dim == Dim::D2)
}

/// The number of a texel format in SPIR-V, and its component type.
pub(super) fn format(name: &str) -> Option<(u32, Scalar)> {
    let (number, scalar) = match name {
        "rgba32float" => (1, Scalar::Float),
        "rgba16float" => (2, Scalar::Float),
        "r32float" => (3, Scalar::Float),
        "rgba8unorm" | "bgra8unorm" => (4, Scalar::Float),
        "rgba8snorm" => (5, Scalar::Float),
        "rg32float" => (6, Scalar::Float),
        "rg16float" => (7, Scalar::Float),
        "rg11b10ufloat" => (8, Scalar::Float),
        "r16float" => (9, Scalar::Float),
        "rgba16unorm" => (10, Scalar::Float),
        "rgb10a2unorm" => (11, Scalar::Float),
        "rg16unorm" => (12, Scalar::Float),
        "rg8unorm" => (13, Scalar::Float),
        "r16unorm" => (14, Scalar::Float),
        "r8unorm" => (15, Scalar::Float),
        "rgba16snorm" => (16, Scalar::Float),
        "rg16snorm" => (17, Scalar::Float),
        "rg8snorm" => (18, Scalar::Float),
        "r16snorm" => (19, Scalar::Float),
        "r8snorm" => (20, Scalar::Float),
        "rgba32sint" => (21, Scalar::Int),
        "rgba16sint" => (22, Scalar::Int),
        "rgba8sint" => (23, Scalar::Int),
        "r32sint" => (24, Scalar::Int),
        "rg32sint" => (25, Scalar::Int),
        "rg16sint" => (26, Scalar::Int),
        "rg8sint" => (27, Scalar::Int),
        "r16sint" => (28, Scalar::Int),
        "r8sint" => (29, Scalar::Int),
        "rgba32uint" => (30, Scalar::Uint),
        "rgba16uint" => (31, Scalar::Uint),
        "rgba8uint" => (32, Scalar::Uint),
        "r32uint" => (33, Scalar::Uint),
        "rgb10a2uint" => (34, Scalar::Uint),
        "rg32uint" => (35, Scalar::Uint),
        "rg16uint" => (36, Scalar::Uint),
        "rg8uint" => (37, Scalar::Uint),
        "r16uint" => (38, Scalar::Uint),
        "r8uint" => (39, Scalar::Uint),
        _ => return None,
    };
    Some((number, scalar))
}

/// True for the words that template lists take.
pub(super) fn is_word(name: &str) -> bool {
    Access::of(name).is_some() || crate::types::Space::of(name).is_some() || format(name).is_some()
}

/// Names to suggest for an unknown one.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const TYPES: [&str; 30] = [
        "bool",
        "i32",
        "u32",
        "f32",
        "array",
        "vec2",
        "vec3",
        "vec4",
        "vec2f",
        "vec3f",
        "vec4f",
        "vec2i",
        "vec3i",
        "vec4i",
        "vec2u",
        "vec3u",
        "vec4u",
        "mat2x2",
        "mat3x3",
        "mat4x4",
        "mat2x2f",
        "mat3x3f",
        "mat4x4f",
        "atomic",
        "ptr",
        "bitcast",
        "sampler",
        "texture_2d",
        "texture_3d",
        "texture_cube",
    ];
    TYPES.into_iter().chain(builtin_table::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shapes_are_read() {
        let is = |name, kind| matches!(find(name), Some(Predeclared::Type(of)) if of == kind);
        assert!(is("vec3f", Kind::Vector(Scalar::Float, 3)));
        assert!(is("mat4x2f", Kind::Matrix(Scalar::Float, 4, 2)));
        assert!(matches!(find("mat2x3"), Some(Predeclared::Generator(Generator::Matrix(2, 3)))));
        assert!(matches!(find("vec4h"), Some(Predeclared::Half)));
        assert!(matches!(find("texture_storage_2d_array"), Some(Predeclared::Templated)));
        for name in ["vec5", "vec1f", "mat2x5", "mat2x2i", "texture_storage_cube", "vec2é"] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
