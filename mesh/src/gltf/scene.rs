//! The scene's nodes in order, with their transformations.

use super::buffers::{at, get};
use super::json::{Node, Number, Root};
use crate::camera::{Camera, Projection};
use crate::error::{GltfFault, Item, Place, ReadError};
use crate::transform::Affine;

/// A node that draws a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub(super) node: u32,
    pub(super) mesh: u32,
    pub(super) world: Affine,
}

/// A scene: meshes and cameras in the order of nodes.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub(super) drawn: Vec<Drawn>,
    pub(super) cameras: Vec<Camera>,
    /// The first drawn node with a skin.
    pub(super) skin: Option<u32>,
}

/// Walks the nodes depth first. Deep scenes take no more of the stack than flat ones.
pub(super) fn walk(root: &Root<'_>) -> Result<Scene, ReadError> {
    let index = root.scene.unwrap_or(0);
    let scene = match root.scene {
        None => root.scenes.first().ok_or(ReadError::NoScene)?,
        Some(_) => {
            let missing = GltfFault::Missing(Item::Scene, index);
            root.scenes.get(index as usize).ok_or(at(Item::Scene, index, missing))?
        }
    };
    let mut found = Scene::default();
    let mut is_reached = vec![false; root.nodes.len()];
    // Nodes to visit, the next one last, with the parent and its transformation.
    let mut pending: Vec<(u32, (Item, u32), Affine)> = Vec::new();
    let roots = scene.nodes.iter().rev();
    pending.extend(roots.map(|&node| (node, (Item::Scene, index), Affine::IDENTITY)));
    while let Some((index, user, parent)) = pending.pop() {
        let node = get(&root.nodes, Item::Node, index, user)?;
        let fault = |fault| ReadError::Gltf {
            place: Place::Item(Item::Node, index),
            name: node.name.as_ref().map(|name| name.0.as_ref().to_owned()),
            fault,
        };
        if std::mem::replace(&mut is_reached[index as usize], true) {
            return Err(fault(GltfFault::ReachedTwice));
        }
        let local = local(node).ok_or_else(|| fault(GltfFault::NotAffine))?;
        let world = parent.after(&local);
        if let Some(mesh) = node.mesh {
            found.drawn.push(Drawn { node: index, mesh, world });
            if node.skin.is_some() {
                found.skin = found.skin.or(Some(index));
            }
        }
        if let Some(camera) = node.camera {
            found.cameras.extend(view(root, camera, index, node, world)?);
        }
        let children = node.children.iter().rev();
        pending.extend(children.map(|&child| (child, (Item::Node, index), world)));
    }
    Ok(found)
}

/// The transformation of a node in its parent, unless its matrix is not affine. A matrix goes before its parts.
fn local(node: &Node<'_>) -> Option<Affine> {
    if let Some(matrix) = &node.matrix {
        return Affine::from_matrix(matrix.map(|number| number.0));
    }
    fn numbers<const N: usize>(given: &Option<Box<[Number; N]>>, default: [f64; N]) -> [f64; N] {
        given.as_ref().map_or(default, |numbers| numbers.map(|number| number.0))
    }
    let translation = numbers(&node.translation, [0.0; 3]);
    let rotation = numbers(&node.rotation, [0.0, 0.0, 0.0, 1.0]);
    Some(Affine::from_parts(translation, rotation, numbers(&node.scale, [1.0; 3])))
}

/// The camera of a node. A camera without parameters, of an extension, is left out.
fn view(
    root: &Root<'_>,
    camera: u32,
    index: u32,
    node: &Node<'_>,
    world: Affine,
) -> Result<Option<Camera>, ReadError> {
    let camera = get(&root.cameras, Item::Camera, camera, (Item::Node, index))?;
    let name = camera.name.as_ref().or(node.name.as_ref()).map(|name| name.0.as_ref().to_owned());
    let projection = match (camera.perspective, camera.orthographic) {
        (Some(given), _) => Projection::Perspective {
            fov_y: given.yfov.0,
            aspect: given.aspect_ratio.map(|number| number.0),
            near: given.znear.0,
            far: given.zfar.map(|number| number.0),
        },
        (None, Some(given)) => Projection::Orthographic {
            x: given.xmag.0,
            y: given.ymag.0,
            near: given.znear.0,
            far: given.zfar.0,
        },
        (None, None) => return Ok(None),
    };
    Ok(Some(Camera { name, world, projection }))
}
