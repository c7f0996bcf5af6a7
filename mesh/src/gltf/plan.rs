//! The plan of a mesh: its primitives and attributes, with all counts, before memory is requested.

use std::collections::{BTreeMap, btree_map::Entry};
use std::ops::Range;

use super::accessor::{self, Component, Elements};
use super::buffers::{Buffers, Files, get};
use super::json::{Primitive, Root};
use super::scene::{Drawn, Scene};
use crate::assembly::Topology;
use crate::error::{GltfFault, Item, Place, ReadError};
use crate::limits::{Limits, Quantity};
use crate::mesh::Remark;

/// The attributes and sizes of a mesh.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) slots: Vec<Slot>,
    /// Primitives of all drawn meshes, once each.
    pub(super) shapes: Vec<Shape>,
    /// Shapes of each drawn mesh, by its index.
    shapes_of: BTreeMap<u32, Range<usize>>,
    pub(super) vertices: u64,
    pub(super) triangles: u64,
    /// Memory of attributes and indices.
    pub(super) bytes: u64,
    pub(super) remarks: Vec<Remark>,
}

/// An attribute of the mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) name: String,
    pub(super) meaning: Meaning,
    pub(super) components: u8,
    pub(super) kind: Kind,
    pub(super) normalised: bool,
}

/// Ways in which a node transforms an attribute. The order is that of the mesh's attributes; others follow by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    Position,
    Normal,
    Tangent,
    Other,
}

impl Meaning {
    fn of(name: &str) -> Self {
        match name {
            "position" => Self::Position,
            "normal" => Self::Normal,
            "tangent" => Self::Tangent,
            _ => Self::Other,
        }
    }

    /// The components that elements must have.
    fn components(self) -> Option<u8> {
        match self {
            Self::Position | Self::Normal => Some(3),
            Self::Tangent => Some(4),
            Self::Other => None,
        }
    }
}

/// Types of an attribute's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Num,
    Int,
    /// Unsigned integers of at most 16 bits, which `Int` holds, too.
    SmallUint,
    Uint,
}

impl Kind {
    fn of(elements: &Elements<'_>, meaning: Meaning) -> Self {
        if elements.normalised || meaning != Meaning::Other {
            return Self::Num;
        }
        match elements.component {
            Component::F32 => Self::Num,
            Component::I8 | Component::I16 => Self::Int,
            Component::U8 | Component::U16 => Self::SmallUint,
            Component::U32 => Self::Uint,
        }
    }

    /// The type of data that are of one type in some primitives, of another in others.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Int, Self::SmallUint) | (Self::SmallUint, Self::Int) => Self::Int,
            (Self::Uint, Self::SmallUint) | (Self::SmallUint, Self::Uint) => Self::Uint,
            _ => Self::Num,
        }
    }
}

/// A primitive, wherever it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) primitive: u32,
    pub(super) topology: Topology,
    pub(super) material: Option<u32>,
    pub(super) indices: Option<u32>,
    /// The accessor of each attribute, by slot.
    pub(super) accessors: Vec<(usize, u32)>,
    pub(super) vertices: u64,
    pub(super) triangles: u64,
}

impl Shape {
    /// Slots of attributes that the primitive lacks, a bit for each.
    pub(super) fn lacks(&self, slots: usize) -> u64 {
        let all = if slots == 64 { u64::MAX } else { (1 << slots) - 1 };
        self.accessors.iter().fold(all, |bits, (slot, _)| bits & !(1 << slot))
    }
}

impl Plan {
    /// The primitives in order: each drawn node with its shapes.
    pub(super) fn instances<'a>(
        &'a self,
        scene: &'a Scene,
    ) -> impl Iterator<Item = (&'a Drawn, &'a Shape)> {
        scene.drawn.iter().flat_map(move |drawn| {
            let shapes = self.shapes_of.get(&drawn.mesh).cloned().unwrap_or_default();
            self.shapes[shapes].iter().map(move |shape| (drawn, shape))
        })
    }
}

/// Loads the buffers of all drawn meshes.
pub(super) fn load(
    root: &Root<'_>,
    scene: &Scene,
    buffers: &mut Buffers<'_>,
    files: &mut Files<'_>,
) -> Result<(), ReadError> {
    let mut is_loaded = vec![false; root.meshes.len()];
    for drawn in &scene.drawn {
        let mesh = get(&root.meshes, Item::Mesh, drawn.mesh, (Item::Node, drawn.node))?;
        if std::mem::replace(&mut is_loaded[drawn.mesh as usize], true) {
            continue;
        }
        for primitive in &mesh.primitives {
            for &accessor in primitive.attributes.values().chain(&primitive.indices) {
                accessor::load(root, accessor, (Item::Mesh, drawn.mesh), buffers, files)?;
            }
        }
    }
    Ok(())
}

/// Plans the mesh of a scene whose buffers are loaded.
pub(super) fn plan(
    root: &Root<'_>,
    scene: &Scene,
    buffers: &Buffers<'_>,
    limits: &Limits,
) -> Result<Plan, ReadError> {
    let mut plan = Plan::default();
    let mut planner = Planner { root, buffers, limits, slots: BTreeMap::new() };
    let mut primitives = 0;
    plan.remarks.extend(scene.skin.map(|node| Remark::Skin { node }));
    for drawn in &scene.drawn {
        let mesh = get(&root.meshes, Item::Mesh, drawn.mesh, (Item::Node, drawn.node))?;
        primitives += mesh.primitives.len() as u64;
        limits.check(Quantity::Primitives, primitives)?;
        if !plan.shapes_of.contains_key(&drawn.mesh) {
            let begin = plan.shapes.len();
            for (primitive, i) in mesh.primitives.iter().zip(0..) {
                let shape = planner.shape(primitive, i, drawn, &mut plan.remarks)?;
                plan.shapes.push(shape);
            }
            plan.shapes_of.insert(drawn.mesh, begin..plan.shapes.len());
        }
        for shape in &plan.shapes[plan.shapes_of[&drawn.mesh].clone()] {
            plan.vertices = plan.vertices.saturating_add(shape.vertices);
            limits.check(Quantity::Vertices, plan.vertices)?;
            plan.triangles = plan.triangles.saturating_add(shape.triangles);
            limits.check(Quantity::Triangles, plan.triangles)?;
        }
    }
    planner.finish(&mut plan);
    let components: u64 = plan.slots.iter().map(|slot| u64::from(slot.components)).sum();
    // Neither product exceeds 2^32 · 256 · 4.
    plan.bytes = plan.vertices * components * 4 + plan.triangles * 12;
    limits.check(Quantity::MeshBytes, plan.bytes)?;
    Ok(plan)
}

struct Planner<'p> {
    root: &'p Root<'p>,
    buffers: &'p Buffers<'p>,
    limits: &'p Limits,
    /// Attributes by name, with the number of those before.
    slots: BTreeMap<String, (usize, Slot)>,
}

impl Planner<'_> {
    fn shape(
        &mut self,
        primitive: &Primitive<'_>,
        index: u32,
        drawn: &Drawn,
        remarks: &mut Vec<Remark>,
    ) -> Result<Shape, ReadError> {
        let (root, buffers) = (self.root, self.buffers);
        let (mesh, user) = (drawn.mesh, (Item::Mesh, drawn.mesh));
        let fault = |fault| at_primitive(root, drawn, index, fault);
        let topology = match primitive.mode {
            4 => Topology::List,
            5 => Topology::Strip,
            6 => Topology::Fan,
            other => return Err(fault(GltfFault::Mode(other))),
        };
        if let Some(material) = primitive.material {
            get(&root.materials, Item::Material, material, user)?;
        }
        let is_morphed = |remark: &Remark| matches!(remark, Remark::MorphTargets { .. });
        if primitive.targets.is_some() && !remarks.iter().any(is_morphed) {
            remarks.push(Remark::MorphTargets { mesh });
        }
        let mut vertices = None;
        let mut accessors: Vec<(usize, u32)> = Vec::new();
        for (name, &accessor) in &primitive.attributes {
            let Some(elements) = accessor::elements(root, accessor, user, buffers)? else {
                let ours = |remark: &Remark| matches!(remark, Remark::Matrices { .. });
                if !remarks.iter().any(ours) {
                    remarks.push(Remark::Matrices { mesh, name: name.0.as_ref().to_owned() });
                }
                continue;
            };
            let (found, expected) = (elements.count, *vertices.get_or_insert(elements.count));
            if found != expected {
                let name = name.0.as_ref().to_owned();
                return Err(fault(GltfFault::Length { name, found, expected }));
            }
            let name = program_name(&name.0);
            let slot = self.slot(&name, &elements)?.map_err(fault)?;
            if accessors.iter().any(|&(used, _)| used == slot) {
                return Err(fault(GltfFault::SameName(name)));
            }
            accessors.push((slot, accessor));
        }
        let vertices = vertices.ok_or_else(|| fault(GltfFault::NoAttributes))?;
        let corners = match primitive.indices {
            None => vertices,
            Some(indices) => {
                let elements = accessor::elements(root, indices, user, buffers)?;
                let elements = elements.filter(|elements| {
                    let is_unsigned = matches!(
                        elements.component,
                        Component::U8 | Component::U16 | Component::U32
                    );
                    is_unsigned && !elements.normalised && elements.components == 1
                });
                elements.ok_or_else(|| fault(GltfFault::Indices))?.count
            }
        };
        Ok(Shape {
            primitive: index,
            topology,
            material: primitive.material,
            indices: primitive.indices,
            accessors,
            vertices,
            triangles: topology.triangles(corners),
        })
    }

    /// The slot of an attribute, which becomes wide and general enough for these elements.
    fn slot(
        &mut self,
        name: &str,
        elements: &Elements<'_>,
    ) -> Result<Result<usize, GltfFault>, ReadError> {
        let meaning = Meaning::of(name);
        let (found, kind) = (elements.components, Kind::of(elements, meaning));
        if let Some(expected) = meaning.components().filter(|&expected| expected != found) {
            let name = name.to_owned();
            return Ok(Err(GltfFault::Components { name, found, expected }));
        }
        let next = self.slots.len();
        Ok(Ok(match self.slots.entry(name.to_owned()) {
            Entry::Occupied(entry) => {
                let (index, slot) = entry.into_mut();
                slot.components = slot.components.max(found);
                slot.kind = slot.kind.join(kind);
                slot.normalised |= elements.normalised;
                *index
            }
            Entry::Vacant(entry) => {
                self.limits.check(Quantity::Attributes, next as u64 + 1)?;
                let (name, normalised) = (name.to_owned(), elements.normalised);
                let slot = Slot { name, meaning, components: found, kind, normalised };
                entry.insert((next, slot));
                next
            }
        }))
    }

    /// Orders the slots: position, normal, tangent, then others by name.
    fn finish(self, plan: &mut Plan) {
        let mut slots: Vec<(usize, Slot)> = self.slots.into_values().collect();
        slots.sort_by_key(|(_, slot)| slot.meaning);
        let mut moved = vec![0; slots.len()];
        for (to, (from, _)) in slots.iter().enumerate() {
            moved[*from] = to;
        }
        for shape in &mut plan.shapes {
            shape.accessors.iter_mut().for_each(|(slot, _)| *slot = moved[*slot]);
            shape.accessors.sort_unstable();
        }
        plan.slots = slots.into_iter().map(|(_, slot)| slot).collect();
    }
}

/// An error at a primitive.
pub(super) fn at_primitive(
    root: &Root<'_>,
    drawn: &Drawn,
    primitive: u32,
    fault: GltfFault,
) -> ReadError {
    let place = Place::Primitive { node: drawn.node, mesh: drawn.mesh, primitive };
    let mesh = root.meshes.get(drawn.mesh as usize).and_then(|mesh| mesh.name.as_ref());
    let node = root.nodes.get(drawn.node as usize).and_then(|node| node.name.as_ref());
    let name = mesh.or(node).map(|name| name.0.as_ref().to_owned());
    ReadError::Gltf { place, name, fault }
}

/// The name of an attribute in programs: `TEXCOORD_0` is `texcoord-0`, `_FOO` is `foo`.
fn program_name(semantic: &str) -> String {
    let name = semantic.strip_prefix('_').unwrap_or(semantic);
    name.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_small_with_hyphens() {
        for (semantic, name) in [
            ("POSITION", "position"),
            ("TEXCOORD_0", "texcoord-0"),
            ("WEIGHTS_0", "weights-0"),
            ("_FOO", "foo"),
            ("_Two_Words", "two-words"),
            ("__X", "-x"),
        ] {
            assert_eq!(program_name(semantic), name);
        }
    }

    #[test]
    fn data_of_different_types_are_joined() {
        use Kind::{Int, Num, SmallUint, Uint};
        for (a, b, joined) in [
            (Num, Int, Num),
            (Int, SmallUint, Int),
            (SmallUint, Uint, Uint),
            (Int, Uint, Num),
            (SmallUint, SmallUint, SmallUint),
            (Num, Uint, Num),
        ] {
            assert_eq!((a.join(b), b.join(a)), (joined, joined));
        }
    }
}
