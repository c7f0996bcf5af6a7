//! Meshes: glTF and OBJ files as plain data. The crate knows no language, no renderer and no image format.
//!
//! | module | is |
//! |---|---|
//! | [`mesh`] | [`Mesh`]: attributes, indices, parts; attributes as words for a program |
//! | [`read`](mod@read) | [`Mesh::open`] and [`Mesh::read`], the formats |
//! | `gltf` | glTF 2.0, binary and text |
//! | `obj` | Wavefront OBJ, and the images of its material libraries |
//! | [`material`], [`camera`] | the rest of a file: materials' images, encoded as they are; cameras' matrices |
//! | [`files`] | files beside a mesh: a URI never leaves the mesh's folder |
//! | [`limits`] | bounds of bytes, vertices and triangles |
//! | [`error`] | errors with their place: accessor, primitive, line |
//!
//! # Invariants
//!
//! 1. All attributes of a [`Mesh`] have one length. Its indices are three for each triangle, and below that length.
//! 2. Every NaN of an attribute has the bits `0x7fc00000`.
//! 3. Equal files give equal bits on every machine: numbers are rounded once, in the default floating-point environment.
//! 4. No file, however malformed, makes a reader panic or hang, nor request memory beyond its [`Limits`].
//! 5. Time is linear in the files and the mesh, up to sorting.
#![forbid(unsafe_code)]

mod assembly;
pub mod camera;
pub mod error;
pub mod files;
mod gltf;
pub mod limits;
pub mod material;
pub mod mesh;
mod obj;
pub mod read;
pub mod transform;

pub use camera::{Camera, Projection};
pub use error::{AttributeError, BuildError, LoadError, MaterialError, ReadError};
pub use files::{Folder, NoFolder, RelativePath, Resolver};
pub use limits::Limits;
pub use material::{Image, ImageData, Material, MaterialImage, Role};
pub use mesh::{Attribute, Data, Mesh, Part, Remark, Scalar};
pub use read::Format;
