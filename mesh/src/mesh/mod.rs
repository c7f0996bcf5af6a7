//! A mesh: attributes of vertices, triangles, and the parts that materials divide them into.

use std::fmt;
use std::ops::Range;

use lambdav_float_environment::with_default;

use crate::camera::Camera;
use crate::error::{AttributeError, BuildError, MaterialError, Place};
use crate::files::shown;
use crate::material::{Image, Material};

/// A mesh: vertices with attributes, and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub(crate) vertices: u32,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) indices: Vec<u32>,
    pub(crate) parts: Vec<Part>,
    pub(crate) materials: Vec<Material>,
    pub(crate) images: Vec<Image>,
    pub(crate) cameras: Vec<Camera>,
    pub(crate) remarks: Vec<Remark>,
}

/// An attribute of all vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub(crate) name: String,
    pub(crate) components: u8,
    pub(crate) normalised: bool,
    pub(crate) data: Data,
}

impl Attribute {
    /// Its name, such as `texcoord-0`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Numbers of a vertex: 1 to 4.
    pub fn components(&self) -> u8 {
        self.components
    }

    /// True if some of the data were normalised integers in the file.
    pub fn is_normalised(&self) -> bool {
        self.normalised
    }

    /// The numbers of all vertices, one vertex after another.
    pub fn data(&self) -> &Data {
        &self.data
    }
}

/// Numbers of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// binary32 numbers. Every NaN has the bits `0x7fc00000`.
    Num(Vec<f32>),
    /// Signed integers.
    Int(Vec<i32>),
    /// Unsigned integers.
    Uint(Vec<u32>),
}

impl Data {
    /// Number of numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::Num(all) => all.len(),
            Self::Int(all) => all.len(),
            Self::Uint(all) => all.len(),
        }
    }

    /// True if there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bits of a number's canonical form.
pub(crate) fn canonical(number: f32) -> f32 {
    if number.is_nan() { f32::from_bits(0x7fc0_0000) } else { number }
}

/// Types of a program's attribute, or of its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// binary32.
    Num,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
}

/// Consecutive triangles of one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Index of the material.
    pub material: Option<usize>,
    /// The triangles.
    pub triangles: Range<usize>,
    /// The place in the file, if there is one: the primitive, or the first face.
    pub place: Option<Place>,
    /// Attributes that the part lacks, a bit for each index. Their numbers are (0, 0, 0, 1).
    pub(crate) lacks: u64,
}

/// A part of a file that is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A node has a skin. Its mesh is drawn as it rests, at the node.
    Skin {
        /// Index of the node.
        node: u32,
    },
    /// A primitive has morph targets. It is drawn without them.
    MorphTargets {
        /// Index of the mesh.
        mesh: u32,
    },
    /// An attribute has matrices as elements.
    Matrices {
        /// Index of the mesh.
        mesh: u32,
        /// The attribute.
        name: String,
    },
    /// Lines of an OBJ file have another meaning than vertices, faces and materials.
    Keyword {
        /// Number of the first such line.
        line: u64,
        /// Its first word.
        keyword: String,
    },
    /// A material library could not be read, so its images are not known.
    Library {
        /// Number of the line that names it.
        line: u64,
        /// The error.
        error: String,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skin { node } => {
                write!(f, "the skin of node {node} is ignored; its mesh is drawn as it rests")
            }
            Self::MorphTargets { mesh } => {
                write!(f, "the morph targets of mesh {mesh} are ignored")
            }
            Self::Matrices { mesh, name } => {
                let name = shown(name);
                write!(f, "the attribute `{name}` of mesh {mesh} is ignored, since it has matrices")
            }
            Self::Keyword { line, keyword } => {
                write!(f, "line {line}: `{}` is ignored", shown(keyword))
            }
            Self::Library { line, error } => {
                write!(f, "line {line}: the images of materials are not known: {error}")
            }
        }
    }
}

impl Mesh {
    /// A mesh without attributes: `indices` are three for each triangle.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if an index has no vertex, or a triangle is not complete.
    pub fn new(vertices: usize, indices: Vec<u32>) -> Result<Self, BuildError> {
        let vertices = u32::try_from(vertices).map_err(|_| BuildError::TooLarge)?;
        let triangles = indices.len() / 3;
        if !indices.len().is_multiple_of(3) {
            return Err(BuildError::Indices(indices.len()));
        }
        if u32::try_from(triangles).is_err() {
            return Err(BuildError::TooLarge);
        }
        if let Some(position) = indices.iter().position(|&index| index >= vertices) {
            return Err(BuildError::Index { index: indices[position], position, vertices });
        }
        let part = Part { material: None, triangles: 0..triangles, place: None, lacks: 0 };
        Ok(Self { vertices, indices, parts: vec![part], ..Self::default() })
    }

    /// The mesh with a further attribute, of 1 to 4 components.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if the data are not `components` numbers for each vertex, or the name is taken.
    pub fn with_attribute(
        mut self,
        name: &str,
        components: u8,
        mut data: Data,
    ) -> Result<Self, BuildError> {
        let name = name.to_owned();
        if !(1..=4).contains(&components) {
            return Err(BuildError::Components { name, components });
        }
        let (found, expected) = (data.len(), self.vertices as usize * usize::from(components));
        if found != expected {
            return Err(BuildError::Length { name, found, expected });
        }
        if self.attributes.iter().any(|attribute| attribute.name == name) {
            return Err(BuildError::SameName(name));
        }
        if let Data::Num(numbers) = &mut data {
            numbers.iter_mut().for_each(|number| *number = canonical(*number));
        }
        self.attributes.push(Attribute { name, components, normalised: false, data });
        Ok(self)
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices as usize
    }

    /// Number of triangles.
    pub fn triangles(&self) -> usize {
        self.indices.len() / 3
    }

    /// Vertex indices, three for each triangle.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// All attributes, also those that some parts lack. Those have the numbers (0, 0, 0, 1) there.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The parts, in order. Together they are all triangles.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The materials of the file, of an OBJ those that faces name.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The images of the materials.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The cameras of the scene, in the order of its nodes.
    pub fn cameras(&self) -> &[Camera] {
        &self.cameras
    }

    /// Parts of the file that are ignored, the first of each kind.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Names of the attributes that every part has.
    pub fn attribute_names(&self) -> Vec<String> {
        let lacking = self.parts.iter().fold(0, |bits, part| bits | part.lacks);
        let is_whole = |(i, _): &(usize, &Attribute)| !has_bit(lacking, *i);
        let whole = self.attributes.iter().enumerate().filter(is_whole);
        whole.map(|(_, attribute)| attribute.name.clone()).collect()
    }

    /// Keeps only the triangles of the materials with that name. Vertices keep their numbers. Attributes that only
    /// other parts lack become attributes of the mesh.
    ///
    /// # Errors
    ///
    /// [`MaterialError`] if no triangle has such a material. The mesh is as before.
    pub fn select_material(&mut self, name: &str) -> Result<(), MaterialError> {
        let named = |part: &Part| {
            let material = self.materials.get(part.material?)?;
            material.name.as_deref().filter(|_| !part.triangles.is_empty())
        };
        let is_selected: Vec<bool> =
            self.parts.iter().map(|part| named(part) == Some(name)).collect();
        if !is_selected.contains(&true) {
            let mut names: Vec<String> = Vec::new();
            let mut seen = vec![false; self.materials.len()];
            for part in &self.parts {
                if let (Some(name), Some(material)) = (named(part), part.material)
                    && !std::mem::replace(&mut seen[material], true)
                {
                    names.push(name.to_owned());
                }
            }
            names.sort();
            names.dedup();
            return Err(MaterialError { name: name.to_owned(), names });
        }
        let mut end = 0;
        let mut selected = is_selected.into_iter();
        self.parts.retain_mut(|part| {
            if selected.next() != Some(true) {
                return false;
            }
            let Range { start, end: old_end } = part.triangles;
            self.indices.copy_within(3 * start..3 * old_end, 3 * end);
            part.triangles = end..end + (old_end - start);
            end = part.triangles.end;
            true
        });
        self.indices.truncate(3 * end);
        Ok(())
    }

    /// The words of an attribute as a program declares it, `components` (1 to 4) for each vertex. Missing components
    /// are those of (0, 0, 0, 1), surplus ones are dropped.
    ///
    /// `num` takes all data, rounded to nearest even. `int` takes signed integers, and unsigned ones in its range;
    /// `uint` takes unsigned ones. Neither takes normalised integers.
    ///
    /// # Errors
    ///
    /// [`AttributeError`] if the mesh or a part of it lacks the attribute, or its data are of another type.
    pub fn attribute(
        &self,
        name: &str,
        scalar: Scalar,
        components: u8,
    ) -> Result<Vec<u32>, AttributeError> {
        let (attribute, index) = self.find(name)?;
        let owned = || name.to_owned();
        let lacks = |part: &&Part| has_bit(part.lacks, index);
        if let Some(Part { place: Some(place), .. }) = self.parts.iter().find(lacks) {
            let has = self.attribute_names();
            return Err(AttributeError::Partial { name: owned(), place: *place, has });
        }
        let width = usize::from(components.clamp(1, 4));
        let stride = usize::from(attribute.components);
        let one = if scalar == Scalar::Num { 1.0_f32.to_bits() } else { 1 };
        let not_integers = |wanted| {
            let normalised = attribute.normalised;
            Err(AttributeError::NotIntegers { name: owned(), wanted, normalised })
        };
        with_default(|| match (scalar, &attribute.data) {
            (Scalar::Num, Data::Num(all)) => words(name, all, stride, width, one, |x| x.to_bits()),
            (Scalar::Num, Data::Int(all)) => {
                words(name, all, stride, width, one, |i| (i as f32).to_bits())
            }
            (Scalar::Num, Data::Uint(all)) => {
                words(name, all, stride, width, one, |u| (u as f32).to_bits())
            }
            (Scalar::Int, Data::Int(all)) => {
                words(name, all, stride, width, one, i32::cast_unsigned)
            }
            (Scalar::Int, Data::Uint(all)) => {
                match all.iter().position(|&value| i32::try_from(value).is_err()) {
                    Some(at) => {
                        let (value, vertex) = (all[at], at / stride);
                        Err(AttributeError::Range { name: owned(), value, vertex })
                    }
                    None => words(name, all, stride, width, one, |u| u),
                }
            }
            (Scalar::Uint, Data::Uint(all)) => words(name, all, stride, width, one, |u| u),
            (Scalar::Uint, Data::Int(_)) => Err(AttributeError::Signed { name: owned() }),
            (Scalar::Int, Data::Num(_)) => not_integers("int"),
            (Scalar::Uint, Data::Num(_)) => not_integers("uint"),
        })
    }

    fn find(&self, name: &str) -> Result<(&Attribute, usize), AttributeError> {
        let found = self.attributes.iter().position(|attribute| attribute.name == name);
        let Some(index) = found else {
            let has = self.attribute_names();
            return Err(AttributeError::Missing { name: name.to_owned(), has });
        };
        Ok((&self.attributes[index], index))
    }
}

/// True if the set of attributes has that one. Sets know 64; a mesh in memory may have more, which no part lacks.
fn has_bit(set: u64, index: usize) -> bool {
    index < 64 && set >> index & 1 == 1
}

/// The words of all vertices: `stride` numbers each become `width` words.
fn words<T: Copy>(
    name: &str,
    all: &[T],
    stride: usize,
    width: usize,
    one: u32,
    word: impl Fn(T) -> u32,
) -> Result<Vec<u32>, AttributeError> {
    let count = all.len() / stride * width;
    let mut words = Vec::new();
    let bytes = count as u64 * 4;
    let no_room = |_| AttributeError::OutOfMemory { name: name.to_owned(), bytes };
    words.try_reserve_exact(count).map_err(no_room)?;
    let filler = [0, 0, 0, one];
    for vertex in all.chunks_exact(stride) {
        words.extend((0..width).map(|i| vertex.get(i).map_or(filler[i], |&number| word(number))));
    }
    Ok(words)
}

#[cfg(test)]
mod tests;
