//! Materials and their images.

use std::collections::BTreeMap;

use super::buffers::{Buffers, Files, at, get, of_file};
use super::json::{self, Root, Text, TextureInfo};
use crate::error::{GltfFault, Item, ReadError};
use crate::files::{RelativePath, data_uri, media_type};
use crate::limits::{LimitError, Limits, Quantity};
use crate::material::{Image, ImageData, Material, MaterialImage, Role};
use crate::mesh::Mesh;

/// Reads the materials, and the images that they use. Images in the file are copied, at most `embedded` bytes
/// together; images beside it are not looked for.
pub(super) fn read(
    root: &Root<'_>,
    buffers: &mut Buffers<'_>,
    files: &mut Files<'_>,
    embedded: u64,
    limits: &Limits,
    mesh: &mut Mesh,
) -> Result<(), ReadError> {
    let mut images =
        Images { root, buffers, files, left: embedded, limits, indices: BTreeMap::new() };
    for (material, i) in root.materials.iter().zip(0..) {
        let name = material.name.as_ref().map(owned);
        let mut used = Vec::new();
        for (role, info) in textures(material) {
            let texture = get(&root.textures, Item::Texture, info.index, (Item::Material, i))?;
            // Without a source, only an extension knows the image.
            if let Some(source) = texture.source {
                let image = images.index(source, info.index, &mut mesh.images)?;
                used.push(MaterialImage { role, image, texcoord: info.tex_coord });
            }
        }
        mesh.materials.push(Material { name, images: used });
    }
    Ok(())
}

fn owned(text: &Text<'_>) -> String {
    text.0.as_ref().to_owned()
}

/// The textures of a material, in the order of roles.
fn textures(material: &json::Material<'_>) -> impl Iterator<Item = (Role, TextureInfo)> {
    let reflectance = material.pbr_metallic_roughness.as_deref();
    let infos = Role::ALL.map(|role| match role {
        Role::BaseColor => reflectance.and_then(|found| found.base_color_texture),
        Role::Normal => material.normal_texture,
        Role::MetallicRoughness => reflectance.and_then(|found| found.metallic_roughness_texture),
        Role::Occlusion => material.occlusion_texture,
        Role::Emissive => material.emissive_texture,
    });
    Role::ALL.into_iter().zip(infos).filter_map(|(role, info)| Some((role, info?)))
}

struct Images<'i, 'a, 'r> {
    root: &'i Root<'i>,
    buffers: &'i mut Buffers<'a>,
    files: &'i mut Files<'r>,
    left: u64,
    limits: &'i Limits,
    /// Index in the mesh of each image in use.
    indices: BTreeMap<u32, usize>,
}

impl Images<'_, '_, '_> {
    /// The index of an image in the mesh, to which it is added at first.
    fn index(
        &mut self,
        source: u32,
        texture: u32,
        images: &mut Vec<Image>,
    ) -> Result<usize, ReadError> {
        if let Some(index) = self.indices.get(&source) {
            return Ok(*index);
        }
        let image = get(&self.root.images, Item::Image, source, (Item::Texture, texture))?;
        let told = image.uri.as_ref().and_then(|uri| media_type(&uri.0)).map(str::to_owned);
        let data = self.data(image, source)?;
        images.push(Image {
            name: image.name.as_ref().map(owned),
            media_type: image.mime_type.as_ref().map(owned).or(told),
            data,
        });
        self.indices.insert(source, images.len() - 1);
        Ok(images.len() - 1)
    }

    fn data(&mut self, image: &json::Image<'_>, index: u32) -> Result<ImageData, ReadError> {
        let here = (Item::Image, index);
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match data_uri(&uri.0, &mut self.files.budget) {
                None => Ok(ImageData::File(RelativePath::from_uri(&uri.0))),
                Some(bytes) => {
                    let bytes = bytes.map_err(|error| of_file(here.0, here.1, error))?;
                    self.spend(bytes.len())?;
                    Ok(ImageData::Bytes(bytes))
                }
            },
            (None, Some(view)) => {
                self.buffers.load(view, here, self.files)?;
                let length = self.buffers.view(view, here)?.bytes.len();
                self.spend(length)?;
                let mut bytes = Vec::new();
                let no_room = |_| ReadError::OutOfMemory { bytes: length as u64 };
                bytes.try_reserve_exact(length).map_err(no_room)?;
                bytes.extend_from_slice(self.buffers.view(view, here)?.bytes);
                Ok(ImageData::Bytes(bytes))
            }
            (None, None) => Err(at(here.0, here.1, GltfFault::NoBytes)),
        }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), ReadError> {
        let limit = self.limits.mesh_bytes;
        let exceeded = LimitError { quantity: Quantity::MeshBytes, limit };
        self.left = self.left.checked_sub(bytes as u64).ok_or(exceeded)?;
        Ok(())
    }
}
