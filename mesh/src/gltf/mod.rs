//! glTF 2.0, binary and text.
//!
//! | module | is |
//! |---|---|
//! | `container` | the chunks of a binary glTF |
//! | `json` | the properties that matter, as data |
//! | `buffers` | bytes of buffers and of their views |
//! | `accessor` | elements of accessors, sparse ones included |
//! | `scene` | the nodes in order, their transformations, cameras |
//! | `plan` | the primitives to draw, and the attributes that they have together |
//! | `fill` | the mesh, once its size is known and allowed |
//! | `images` | materials and their images |
//!
//! The mesh is the default scene, or else the first. Its nodes follow one another depth first, their primitives in
//! order, transformed in binary64: positions by the node's matrix, tangents by its upper 3×3, normals by the inverse
//! transpose of that. Results are rounded once to binary32 and not normalised. A matrix that changes nothing leaves
//! the bits. Normalised positions, normals and tangents are dequantised in binary64.
//!
//! An attribute has the most components of any primitive; others are filled from (0, 0, 0, 1). Its data are integers
//! if they are in every primitive, else binary32 numbers. `position`, `normal` and `tangent` are always binary32.
//! An attribute that a primitive lacks is an error for programs that ask for it, unless they select materials
//! whose primitives have it.
//!
//! Nodes are read with numbers of binary64, rounded once from their decimals. The crate `gltf` (1.4.1) reads them as
//! binary32, multiplies normalised integers by a reciprocal, refuses `KHR_mesh_quantization`, panics if `POSITION`
//! names no accessor or a header is cut off, and takes memory of 150 times the text. So it is not used; tests compare
//! this reader with it.

mod accessor;
mod buffers;
mod container;
mod fill;
mod images;
mod json;
mod plan;
mod scene;

use crate::error::ReadError;
use crate::files::Resolver;
use crate::limits::{Budget, Limits};
use crate::mesh::Mesh;

/// Required extensions that this reader knows.
const EXTENSIONS: [&str; 1] = ["KHR_mesh_quantization"];

/// Reads a glTF, and its buffers.
pub(crate) fn read(
    bytes: &[u8],
    resolver: &dyn Resolver,
    budget: Budget,
    limits: &Limits,
) -> Result<Mesh, ReadError> {
    let container = container::split(bytes)?;
    let root = json::parse(container.json, limits)?;
    check(&root)?;
    let mut files = buffers::Files { resolver, budget };
    let mut buffers = buffers::Buffers::new(&root, container.binary);
    let scene = scene::walk(&root)?;
    plan::load(&root, &scene, &mut buffers, &mut files)?;
    let plan = plan::plan(&root, &scene, &buffers, limits)?;
    let mut mesh = fill::fill(&root, &scene, &plan, &buffers)?;
    let embedded = limits.mesh_bytes.saturating_sub(plan.bytes);
    images::read(&root, &mut buffers, &mut files, embedded, limits, &mut mesh)?;
    mesh.cameras = scene.cameras;
    Ok(mesh)
}

/// Checks the version and the required extensions.
fn check(root: &json::Root<'_>) -> Result<(), ReadError> {
    let version = &*root.asset.version.0;
    let least = root.asset.min_version.as_ref().map_or("2.0", |version| &*version.0);
    if !version.starts_with("2.") || least != "2.0" {
        let refused = if least == "2.0" { version } else { least };
        return Err(ReadError::Version(refused.to_owned()));
    }
    let is_unknown = |name: &&json::Text<'_>| !EXTENSIONS.contains(&&*name.0);
    let unknown = root.extensions_required.iter().filter(is_unknown);
    let unknown: Vec<String> = unknown.map(|name| name.0.as_ref().to_owned()).collect();
    if unknown.is_empty() { Ok(()) } else { Err(ReadError::Extensions(unknown)) }
}

#[cfg(test)]
mod tests;
