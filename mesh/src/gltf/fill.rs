//! The mesh of a plan.

use super::accessor::{self, Elements};
use super::buffers::Buffers;
use super::json::Root;
use super::plan::{Kind, Meaning, Plan, Shape, Slot, at_primitive};
use super::scene::{Drawn, Scene};
use crate::error::{GltfFault, Item, Place, ReadError};
use crate::mesh::{Attribute, Data, Mesh, Part, canonical};
use crate::transform::{Affine, Linear, apply, is_unit};

/// Fills attributes and indices. All memory is requested at the beginning.
pub(super) fn fill(
    root: &Root<'_>,
    scene: &Scene,
    plan: &Plan,
    buffers: &Buffers<'_>,
) -> Result<Mesh, ReadError> {
    let (vertices, triangles) = (plan.vertices as usize, plan.triangles as usize);
    let mut mesh = Mesh { remarks: plan.remarks.clone(), ..Mesh::default() };
    reserve(&mut mesh.indices, 3 * triangles)?;
    for slot in &plan.slots {
        mesh.attributes.push(Attribute {
            name: slot.name.clone(),
            components: slot.components,
            normalised: slot.normalised,
            data: empty(slot, vertices)?,
        });
    }
    for (drawn, shape) in plan.instances(scene) {
        let matrices = Matrices::of(&drawn.world);
        let user = (Item::Mesh, drawn.mesh);
        let mut accessors = shape.accessors.iter().peekable();
        for (i, (slot, attribute)) in plan.slots.iter().zip(&mut mesh.attributes).enumerate() {
            let accessor = accessors.next_if(|(slot, _)| *slot == i);
            let elements = match accessor {
                Some(&(_, accessor)) => accessor::elements(root, accessor, user, buffers)?,
                None => None,
            };
            match elements {
                Some(elements) => append(&mut attribute.data, slot, &elements, &matrices),
                None => append_nothing(&mut attribute.data, slot, shape.vertices),
            }
        }
        let begin = mesh.indices.len() / 3;
        assemble(root, drawn, shape, mesh.vertices, buffers, &mut mesh.indices)?;
        // Fits, since the plan's sum fits.
        mesh.vertices += shape.vertices as u32;
        let end = mesh.indices.len() / 3;
        if begin < end {
            let (node, mesh_index, primitive) = (drawn.node, drawn.mesh, shape.primitive);
            mesh.parts.push(Part {
                material: shape.material.map(|material| material as usize),
                triangles: begin..end,
                place: Some(Place::Primitive { node, mesh: mesh_index, primitive }),
                lacks: shape.lacks(plan.slots.len()),
            });
        }
    }
    Ok(mesh)
}

fn reserve<T>(all: &mut Vec<T>, count: usize) -> Result<(), ReadError> {
    let bytes = (count * size_of::<T>()) as u64;
    all.try_reserve_exact(count).map_err(|_| ReadError::OutOfMemory { bytes })
}

/// Room for the data of an attribute.
fn empty(slot: &Slot, vertices: usize) -> Result<Data, ReadError> {
    let count = vertices * usize::from(slot.components);
    fn room<T>(count: usize) -> Result<Vec<T>, ReadError> {
        let mut all = Vec::new();
        reserve(&mut all, count)?;
        Ok(all)
    }
    Ok(match slot.kind {
        Kind::Num => Data::Num(room(count)?),
        Kind::Int => Data::Int(room(count)?),
        Kind::SmallUint | Kind::Uint => Data::Uint(room(count)?),
    })
}

/// The matrices of a node; none where the matrix changes nothing.
struct Matrices<'a> {
    points: Option<&'a Affine>,
    tangents: Option<Linear>,
    normals: Option<Linear>,
}

impl<'a> Matrices<'a> {
    fn of(world: &'a Affine) -> Self {
        let is_turned = !is_unit(&world.linear());
        Self {
            points: (*world != Affine::IDENTITY).then_some(world),
            tangents: is_turned.then(|| world.linear()),
            normals: is_turned.then(|| world.normals()),
        }
    }

    /// An element's numbers in the world.
    fn transform(&self, meaning: Meaning, [x, y, z, w]: [f64; 4]) -> [f64; 4] {
        let transformed = match meaning {
            Meaning::Position => self.points.map(|world| world.point([x, y, z])),
            Meaning::Normal => self.normals.map(|linear| apply(&linear, [x, y, z])),
            Meaning::Tangent => self.tangents.map(|linear| apply(&linear, [x, y, z])),
            Meaning::Other => None,
        };
        let [x, y, z] = transformed.unwrap_or([x, y, z]);
        [x, y, z, w]
    }
}

/// Appends the elements of a primitive to an attribute.
fn append(data: &mut Data, slot: &Slot, elements: &Elements<'_>, matrices: &Matrices<'_>) {
    let width = usize::from(slot.components);
    match data {
        Data::Num(all) => {
            for element in elements.iter() {
                let numbers = matrices.transform(slot.meaning, elements.numbers(element));
                all.extend(numbers[..width].iter().map(|&number| canonical(number as f32)));
            }
        }
        // The kind of the slot says that integers fit.
        Data::Int(all) => {
            for element in elements.iter() {
                all.extend(elements.integers(element)[..width].iter().map(|&number| number as i32));
            }
        }
        Data::Uint(all) => {
            for element in elements.iter() {
                all.extend(elements.integers(element)[..width].iter().map(|&number| number as u32));
            }
        }
    }
}

/// Appends (0, 0, 0, 1) for each vertex of a primitive without the attribute.
fn append_nothing(data: &mut Data, slot: &Slot, vertices: u64) {
    let (vertices, width) = (vertices as usize, usize::from(slot.components));
    fn append<T: Copy>(all: &mut Vec<T>, filler: [T; 4], vertices: usize, width: usize) {
        all.extend(filler[..width].iter().cycle().take(vertices * width));
    }
    match data {
        Data::Num(all) => append(all, [0.0, 0.0, 0.0, 1.0], vertices, width),
        Data::Int(all) => append(all, [0, 0, 0, 1], vertices, width),
        Data::Uint(all) => append(all, [0, 0, 0, 1], vertices, width),
    }
}

/// Appends the triangles of a primitive whose vertices begin at `first`.
fn assemble(
    root: &Root<'_>,
    drawn: &Drawn,
    shape: &Shape,
    first: u32,
    buffers: &Buffers<'_>,
    indices: &mut Vec<u32>,
) -> Result<(), ReadError> {
    let user = (Item::Mesh, drawn.mesh);
    let elements = match shape.indices {
        None => None,
        Some(accessor) => accessor::elements(root, accessor, user, buffers)?,
    };
    let corners = match &elements {
        None => None,
        Some(elements) => {
            let mut corners = Vec::new();
            reserve(&mut corners, elements.count as usize)?;
            let fault = |fault| at_primitive(root, drawn, shape.primitive, fault);
            read_corners(elements, shape.vertices, first, &mut corners).map_err(fault)?;
            Some(corners)
        }
    };
    let is_mirrored = drawn.world.determinant() < 0.0;
    for i in 0..shape.triangles as usize {
        let mut triangle = shape.topology.corners(i);
        if is_mirrored {
            triangle.swap(1, 2);
        }
        match &corners {
            Some(corners) => indices.extend(triangle.map(|corner| corners[corner])),
            // A corner is less than the number of vertices.
            None => indices.extend(triangle.map(|corner| first + corner as u32)),
        }
    }
    Ok(())
}

/// Appends the vertices of all corners.
fn read_corners(
    elements: &Elements<'_>,
    vertices: u64,
    first: u32,
    corners: &mut Vec<u32>,
) -> Result<(), GltfFault> {
    let restart = elements.component.restart();
    for (element, position) in elements.iter().zip(0..) {
        // Indices are unsigned, of at most 32 bits.
        let index = elements.integers(element)[0] as u32;
        if index == restart {
            return Err(GltfFault::Restart { index, position });
        }
        if u64::from(index) >= vertices {
            return Err(GltfFault::Index { index, position, vertices });
        }
        corners.push(first + index);
    }
    Ok(())
}
