//! Errors, each with its place in the file.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::files::{FileError, PathError, shown};
use crate::limits::LimitError;

/// Kinds of items of a glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A scene.
    Scene,
    /// A node.
    Node,
    /// A mesh.
    Mesh,
    /// An accessor.
    Accessor,
    /// A buffer view.
    View,
    /// A buffer.
    Buffer,
    /// A material.
    Material,
    /// A texture.
    Texture,
    /// An image.
    Image,
    /// A camera.
    Camera,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene => "scene",
            Self::Node => "node",
            Self::Mesh => "mesh",
            Self::Accessor => "accessor",
            Self::View => "buffer view",
            Self::Buffer => "buffer",
            Self::Material => "material",
            Self::Texture => "texture",
            Self::Image => "image",
            Self::Camera => "camera",
        })
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An item of a glTF, by kind and index.
    Item(Item, u32),
    /// A primitive of a glTF, at a node that draws it.
    Primitive {
        /// Index of the node.
        node: u32,
        /// Index of the mesh.
        mesh: u32,
        /// Index of the primitive in the mesh.
        primitive: u32,
    },
    /// A line of an OBJ file; the first is 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item(item, index) => write!(f, "{item} {index}"),
            Self::Primitive { node, mesh, primitive } => {
                write!(f, "primitive {primitive} of mesh {mesh} at node {node}")
            }
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Reason why a file cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be opened or read.
    #[error("cannot read `{}`", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is of no known format.
    #[error("`{}` is no mesh; a mesh is a file of glTF (.glb, .gltf) or OBJ (.obj)", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The file was read, but is no mesh.
    #[error("`{}` is not a mesh that can be read", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reader's error.
        source: ReadError,
    },
}

/// Reason why bytes are no mesh.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A count exceeds its bound.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The system has no memory for the mesh.
    #[error("there is no memory for {bytes} bytes of the mesh")]
    OutOfMemory {
        /// The size of the request.
        bytes: u64,
    },
    /// The container of a binary glTF is malformed.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The JSON text of a glTF is malformed, or lacks a required property.
    #[error("malformed glTF")]
    Json(#[source] serde_json::Error),
    /// A glTF of another version.
    #[error("glTF of version {} is not read, only of 2.0", shown(.0))]
    Version(String),
    /// The glTF requires extensions that are not supported.
    #[error("the glTF requires unsupported extensions: {}", listed(.0))]
    Extensions(Vec<String>),
    /// The glTF has no scene.
    #[error("the glTF has no scene")]
    NoScene,
    /// A part of a glTF is at fault.
    #[error("{place}{}: {fault}", called(.name.as_deref()))]
    Gltf {
        /// The part.
        place: Place,
        /// The name of the node, mesh or other item, if it has one.
        name: Option<String>,
        /// The fault.
        fault: GltfFault,
    },
    /// A line of an OBJ file is at fault.
    #[error("line {line}: {fault}")]
    Obj {
        /// Number of the line; the first is 1.
        line: u64,
        /// The fault.
        fault: ObjFault,
    },
}

/// A name in parentheses.
fn called(name: Option<&str>) -> String {
    name.map(|name| format!(" (`{}`)", shown(name))).unwrap_or_default()
}

/// Names, each between backquotes. At most eight are shown.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut all: Vec<String> =
        names.iter().take(MOST).map(|name| format!("`{}`", shown(name))).collect();
    if names.len() > MOST {
        all.push(format!("{} more", names.len() - MOST));
    }
    all.join(", ")
}

/// Fault of a binary glTF's container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ContainerError {
    /// A version other than 2.
    #[error("version {0} of binary glTF is not read, only 2")]
    Version(u32),
    /// The file is shorter than it declares.
    #[error("binary glTF is cut off: it declares {declared} bytes, and has {found}")]
    Truncated {
        /// Length in the header, or the end of a chunk.
        declared: u64,
        /// The actual length.
        found: u64,
    },
    /// The first chunk is not the JSON text.
    #[error("binary glTF does not begin with its JSON text")]
    NoJson,
}

/// Fault of a part of a glTF.
#[derive(Debug, Error)]
pub enum GltfFault {
    /// It names an item that is not there.
    #[error("there is no {0} {1}")]
    Missing(Item, u32),
    /// A node is the child of two nodes, of one node twice, or of itself.
    #[error("the scene reaches the node twice")]
    ReachedTwice,
    /// A matrix of a node does more than an affine transformation.
    #[error("the last row of the matrix is not 0 0 0 1")]
    NotAffine,
    /// Points, lines or an unknown mode.
    #[error("mode {0} is not drawn; only triangles are, in lists, strips and fans (4, 5 and 6)")]
    Mode(u32),
    /// A primitive without attributes.
    #[error("the primitive has no attributes")]
    NoAttributes,
    /// The attributes of a primitive have different lengths.
    #[error("`{}` has {found} elements, but other attributes have {expected}", shown(.name))]
    Length {
        /// The attribute.
        name: String,
        /// Its number of elements.
        found: u64,
        /// The others' number.
        expected: u64,
    },
    /// Two attributes of a primitive have one name for programs.
    #[error("two attributes are called `{}`", shown(.0))]
    SameName(String),
    /// An attribute has another number of components than its meaning demands.
    #[error("`{name}` has {found} components instead of {expected}")]
    Components {
        /// The attribute.
        name: String,
        /// Its components.
        found: u8,
        /// The components that it should have.
        expected: u8,
    },
    /// An unknown type of components.
    #[error("there is no component type {0}")]
    ComponentType(u32),
    /// An unknown type of elements.
    #[error("there is no element type `{}`", shown(.0))]
    ElementType(String),
    /// Normalised integers of 32 bits.
    #[error("integers of 32 bits cannot be normalised")]
    Normalised,
    /// A stride shorter than an element.
    #[error("a stride of {stride} bytes is shorter than an element of {size}")]
    Stride {
        /// The stride.
        stride: u64,
        /// Size of an element.
        size: u64,
    },
    /// A range exceeds its container.
    #[error("it ends at byte {end}, beyond the {length} bytes of {container} {index}")]
    Beyond {
        /// The end of the range; `u64::MAX` stands for anything beyond.
        end: u64,
        /// Length of the container.
        length: u64,
        /// Kind of the container.
        container: Item,
        /// Index of the container.
        index: u32,
    },
    /// A buffer has fewer bytes than it declares.
    #[error("it has {found} of the {declared} bytes that it declares")]
    Short {
        /// The declared length.
        declared: u64,
        /// The actual length.
        found: u64,
    },
    /// A buffer or image without bytes.
    #[error("it has neither a URI nor bytes in the file")]
    NoBytes,
    /// A file or data URI cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Indices of another type than unsigned integers.
    #[error("indices are single unsigned integers, not normalised")]
    Indices,
    /// An index without a vertex.
    #[error("index {index}, at position {position}, is beyond the {vertices} vertices")]
    Index {
        /// The index.
        index: u32,
        /// Its position.
        position: u64,
        /// Number of vertices of the primitive.
        vertices: u64,
    },
    /// The largest index of its type, which restarts strips in other systems.
    #[error(
        "index {index}, at position {position}, is the restart index, which a glTF must not contain"
    )]
    Restart {
        /// The index.
        index: u32,
        /// Its position.
        position: u64,
    },
    /// Sparse elements more than there are elements.
    #[error("{sparse} sparse elements replace {count}")]
    SparseCount {
        /// Number of sparse elements.
        sparse: u64,
        /// Number of elements.
        count: u64,
    },
    /// The indices of sparse elements do not increase, or exceed the elements.
    #[error("sparse index {0} does not increase, or is beyond the elements")]
    SparseIndex(u64),
}

/// Fault of a line of an OBJ file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ObjFault {
    /// A word is no number.
    #[error("`{}` is no number", shown(.0))]
    Number(String),
    /// Numbers are missing.
    #[error("`{keyword}` needs {expected} numbers, and has {found}")]
    Numbers {
        /// The first word of the line.
        keyword: &'static str,
        /// The least number of numbers.
        expected: usize,
        /// The actual number.
        found: usize,
    },
    /// A face of one or two corners.
    #[error("a face needs 3 corners, and has {0}")]
    Corners(usize),
    /// A corner that is not of the form `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[error("`{}` is no corner; write v, v/vt, v//vn or v/vt/vn", shown(.0))]
    Corner(String),
    /// An index without a vertex.
    #[error("there is no `{keyword}` {index}; the file has {count}")]
    Index {
        /// `v`, `vt` or `vn`.
        keyword: &'static str,
        /// The index, as in the file.
        index: i64,
        /// Number of such lines; for negative indices, of those before.
        count: u64,
    },
    /// A material library leads out of the mesh's folder.
    #[error(transparent)]
    Library(#[from] PathError),
}

/// Reason why a mesh has no attribute as a program declares it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttributeError {
    /// The mesh has no attribute of that name.
    #[error("the mesh has no attribute `{}`; {}", shown(.name), having(.has))]
    Missing {
        /// The name.
        name: String,
        /// The names of the mesh's attributes.
        has: Vec<String>,
    },
    /// A part of the mesh lacks the attribute.
    #[error("{place} lacks the attribute `{}`, which other parts of the mesh have; {}", shown(.name), having(.has))]
    Partial {
        /// The name.
        name: String,
        /// The first part that lacks it.
        place: Place,
        /// The names of the attributes that all parts have.
        has: Vec<String>,
    },
    /// The attribute's data are no integers.
    #[error("the attribute `{}` holds {}, which `{wanted}` does not take; `num` does", shown(.name), data(.normalised))]
    NotIntegers {
        /// The name.
        name: String,
        /// The declared type.
        wanted: &'static str,
        /// True if the data are normalised integers.
        normalised: bool,
    },
    /// The attribute's data have a sign.
    #[error("the attribute `{}` holds signed integers, which `uint` does not take; `int` does", shown(.name))]
    Signed {
        /// The name.
        name: String,
    },
    /// An unsigned integer exceeds `int`.
    #[error("the attribute `{}` has {value} at vertex {vertex}, which exceeds `int`", shown(.name))]
    Range {
        /// The name.
        name: String,
        /// The number.
        value: u32,
        /// Index of the vertex.
        vertex: usize,
    },
    /// The system has no memory for the words.
    #[error("there is no memory for {bytes} bytes of the attribute `{}`", shown(.name))]
    OutOfMemory {
        /// The name.
        name: String,
        /// The size of the request.
        bytes: u64,
    },
}

fn data(normalised: &bool) -> &'static str {
    if *normalised { "normalised integers" } else { "binary32 numbers" }
}

fn having(names: &[String]) -> String {
    if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", listed(names)) }
}

/// Reason why a material cannot be selected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no triangle of the mesh has the material `{}`; {}", shown(.name), choices(.names))]
pub struct MaterialError {
    /// The name.
    pub name: String,
    /// Names of the materials of triangles.
    pub names: Vec<String>,
}

fn choices(names: &[String]) -> String {
    match names {
        [] => "its materials have no names".to_owned(),
        names => format!("its materials are {}", listed(names)),
    }
}

/// Reason why slices make no mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The number of vertices or triangles exceeds 32 bits.
    #[error("the mesh has more than {} vertices or triangles", u32::MAX)]
    TooLarge,
    /// The number of indices is no multiple of three.
    #[error("{0} indices are not three for each triangle")]
    Indices(usize),
    /// An index without a vertex.
    #[error("index {index}, at position {position}, is beyond the {vertices} vertices")]
    Index {
        /// The index.
        index: u32,
        /// Its position.
        position: usize,
        /// Number of vertices.
        vertices: u32,
    },
    /// The number of components is not 1 to 4.
    #[error("the attribute `{}` has {components} components, not 1 to 4", shown(.name))]
    Components {
        /// The attribute.
        name: String,
        /// The given number.
        components: u8,
    },
    /// The attribute has another length than the mesh.
    #[error("the attribute `{}` has {found} numbers, not {expected}", shown(.name))]
    Length {
        /// The attribute.
        name: String,
        /// Its numbers.
        found: usize,
        /// Components times vertices.
        expected: usize,
    },
    /// The mesh has an attribute of that name.
    #[error("the mesh has two attributes `{}`", shown(.0))]
    SameName(String),
}
