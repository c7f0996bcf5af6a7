//! Materials: their names, and the images that they use. Programs do the shading, so nothing else is read.

use crate::files::{PathError, RelativePath};

/// A material of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its images, each role at most once.
    pub images: Vec<MaterialImage>,
}

/// An image in a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaterialImage {
    /// Its purpose.
    pub role: Role,
    /// Its index among the images of the mesh.
    pub image: usize,
    /// Number of its texture coordinates: n stands for the attribute `texcoord-n`.
    pub texcoord: u32,
}

/// Purposes of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Colour and coverage, encoded as sRGB.
    BaseColor,
    /// Normals in the space of the tangents.
    Normal,
    /// Roughness in green, metalness in blue.
    MetallicRoughness,
    /// Ambient occlusion in red.
    Occlusion,
    /// Emitted light, encoded as sRGB.
    Emissive,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] =
        [Self::BaseColor, Self::Normal, Self::MetallicRoughness, Self::Occlusion, Self::Emissive];

    /// The role's name: `base-color`, `normal`, `metallic-roughness`, `occlusion` or `emissive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::BaseColor => "base-color",
            Self::Normal => "normal",
            Self::MetallicRoughness => "metallic-roughness",
            Self::Occlusion => "occlusion",
            Self::Emissive => "emissive",
        }
    }
}

/// An image, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its media type, such as `image/png`, if the file tells it.
    pub media_type: Option<String>,
    /// Its bytes, or the way to them.
    pub data: ImageData,
}

/// The bytes of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageData {
    /// An image file inside the mesh's file.
    Bytes(Vec<u8>),
    /// A file beside the mesh, which was not looked for. [`Folder::locate`](crate::Folder::locate) finds it.
    /// The error tells that its name leads out of the mesh's folder; a program that binds no image does not mind.
    File(Result<RelativePath, PathError>),
}
