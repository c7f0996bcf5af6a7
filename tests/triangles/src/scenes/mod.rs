//! Random scenes: tables of vertices, a state, and shaders of a small family.
//!
//! A [`Scene`] has three readings. [`Scene::draw`] draws it with the reference rasterizer and evaluates the
//! shaders here, in binary32 and in the order of the program's text. [`Scene::lambda_v`] prints the program
//! that draws it from a mesh, whose data [`Scene::attributes`] and [`Scene::indices`] have.
//! [`Scene::lambda_v_with_arrays`] prints a program without a mesh.
//!
//! [`Scene::random`] makes a scene from a seed.

mod device;
mod family;
mod geometry;
mod random;
mod shader;
mod text;

pub use family::{Comparison, Component, Limit, Output, Site, Source};
pub use geometry::{Geometry, Triangulation, position};
pub use shader::LimitExceeded;

use crate::picture::Picture;
use crate::reference::{self, DrawCall, Error, Interpolation, State, VaryingKind};
use shader::SceneShader;

/// A picture as data: everything that a program, a mesh and a command line say.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The width of the image in pixels.
    pub width: u32,
    /// The height of the image in pixels.
    pub height: u32,
    /// The options of the program.
    pub state: State,
    /// The kind of positions.
    pub geometry: Geometry,
    /// The attribute `p`: the position of each vertex.
    pub positions: Vec<[f32; 4]>,
    /// The instance attribute `offset`, which the vertex stage adds to `p`; `None` if there is one instance
    /// and no such attribute.
    pub offsets: Option<Vec<[f32; 4]>>,
    /// The indices of the mesh; `None` if it has none.
    pub indices: Option<Vec<u32>>,
    /// The varyings `f0`, `f1` ….
    pub varyings: Vec<Varying>,
    /// The condition of `discard-if`.
    pub discard: Option<Comparison>,
    /// The value of `(depth e)`.
    pub depth: Option<Component>,
    /// The outputs 0, 1 ….
    pub outputs: Vec<Output>,
    /// A loop that ends only under a condition.
    pub limit: Option<Limit>,
}

/// A varying.
#[derive(Clone, Debug, PartialEq)]
pub struct Varying {
    /// The type of a component.
    pub scalar: Scalar,
    /// The number of components, 1 to 4.
    pub components: usize,
    /// The interpolation. Integers are flat.
    pub interpolation: Interpolation,
    /// The value at each vertex.
    pub values: VaryingValues,
}

/// The types of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `num`.
    Num,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
}

/// The values of a varying at the vertices.
#[derive(Clone, Debug, PartialEq)]
pub enum VaryingValues {
    /// An attribute, `v0` for `f0`: the words of each vertex.
    Attribute(Vec<Vec<u32>>),
    /// `(vertex-index)`, an `int`.
    VertexIndex,
    /// `(instance-index)`, an `int`.
    InstanceIndex,
}

/// The data of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name in the program.
    pub name: String,
    /// The type of a component.
    pub scalar: Scalar,
    /// The number of components.
    pub components: usize,
    /// True if it has an element for each instance, not for each vertex.
    pub per_instance: bool,
    /// The words of all elements.
    pub words: Vec<u32>,
}

impl Scene {
    /// The number of instances.
    pub fn instances(&self) -> u32 {
        self.offsets.as_ref().map_or(1, |offsets| offsets.len() as u32)
    }

    /// The indices of each instance, also of a mesh without any.
    pub fn indices(&self) -> Vec<u32> {
        self.indices.clone().unwrap_or_else(|| (0..self.positions.len() as u32).collect())
    }

    /// The data of all attributes, in order of declaration.
    pub fn attributes(&self) -> Vec<Attribute> {
        let of_positions = |name: &str, per_instance: bool, values: &[[f32; 4]]| Attribute {
            name: name.into(),
            scalar: Scalar::Num,
            components: 4,
            per_instance,
            words: values.iter().flatten().map(|x| x.to_bits()).collect(),
        };
        let mut attributes = vec![of_positions("p", false, &self.positions)];
        attributes.extend(self.offsets.as_ref().map(|all| of_positions("offset", true, all)));
        for (k, varying) in self.varyings.iter().enumerate() {
            if let VaryingValues::Attribute(values) = &varying.values {
                attributes.push(Attribute {
                    name: format!("v{k}"),
                    scalar: varying.scalar,
                    components: varying.components,
                    per_instance: false,
                    words: values.concat(),
                });
            }
        }
        attributes
    }

    /// The reference rasterizer's data.
    pub fn draw_call(&self) -> DrawCall {
        let kind = |varying: &Varying| VaryingKind {
            components: varying.components,
            interpolation: varying.interpolation,
            is_integer: varying.scalar != Scalar::Num,
        };
        DrawCall {
            width: self.width,
            height: self.height,
            instances: self.instances(),
            indices: self.indices(),
            state: self.state,
            varyings: self.varyings.iter().map(kind).collect(),
            attachments: self.outputs.len(),
            has_depth: self.depth.is_some(),
        }
    }

    /// The shaders, evaluated in binary32.
    pub fn shader(&self) -> impl reference::Shader<Fault = LimitExceeded> {
        SceneShader(self)
    }

    /// The picture by the reference rasterizer.
    ///
    /// # Errors
    ///
    /// The first fault, if the scene has a limit.
    pub fn draw(&self) -> Result<Picture, Error<LimitExceeded>> {
        reference::draw(&self.draw_call(), &mut SceneShader(self))
    }
}
