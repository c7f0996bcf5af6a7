//! Inputs of programs that draw triangles: vertices, instances and their attributes.

use lambdav_core::graph::{Attribute, AttributeRate, Triangles};
use lambdav_core::resource::{Bound, BufferData};
use std::sync::Arc;

/// The vertices and instances of a draw.
#[derive(Clone, Debug, Default)]
pub struct DrawInputs {
    /// Number of vertices, without indices.
    vertices: Option<u32>,
    indices: Option<Arc<[u32]>>,
    /// The vertices are those of a mesh.
    has_mesh: bool,
    instances: Option<u32>,
    /// Data of each attribute of the program.
    attributes: Vec<Bound>,
}

impl DrawInputs {
    /// No data for the attributes of a program.
    pub(crate) fn new(triangles: Option<&Triangles>) -> Self {
        let count = triangles.map_or(0, |of| of.attributes.len());
        Self { attributes: vec![Bound::Nothing; count], ..Self::default() }
    }

    /// Sets the number of vertices; there are no indices.
    pub(crate) fn set_vertices(&mut self, count: u32) {
        self.vertices = Some(count);
    }

    /// Sets the indices of a mesh.
    pub(crate) fn set_mesh(&mut self, indices: Arc<[u32]>) {
        (self.has_mesh, self.indices) = (true, Some(indices));
    }

    /// Sets the indices of vertices.
    pub(crate) fn set_indices(&mut self, indices: Arc<[u32]>) {
        self.indices = Some(indices);
    }

    pub(crate) fn set_instances(&mut self, count: u32) {
        self.instances = Some(count);
    }

    pub(crate) fn set_attribute(&mut self, index: usize, data: BufferData) {
        self.attributes[index] = Bound::Buffer(data.into());
    }

    /// The data of an attribute, by index.
    pub(crate) fn attribute(&self, index: u32) -> Bound {
        self.attributes[index as usize].clone()
    }

    pub(crate) fn indices(&self) -> Option<&[u32]> {
        self.indices.as_deref()
    }

    pub(crate) fn vertex_count(&self) -> u32 {
        self.vertices.unwrap_or(0)
    }

    /// The number of different vertices: of the attributes, or as set.
    pub(crate) fn vertex_count_of(&self, of: &Triangles) -> u32 {
        let mut lengths = self.lengths(of, AttributeRate::Vertex).map(|(_, count)| count);
        let of_indices =
            || self.indices.iter().flat_map(|all| all.iter()).max().map(|&last| last + 1);
        lengths.next().or_else(of_indices).unwrap_or(self.vertex_count())
    }

    /// The number of instances: as set, or that of the instance attributes, or 1.
    pub(crate) fn instance_count(&self, of: &Triangles) -> u32 {
        let lengths = || self.lengths(of, AttributeRate::Instance).map(|(_, count)| count);
        self.instances.or_else(|| lengths().min()).unwrap_or(1)
    }

    /// The lengths of the attributes of this rate that have data.
    fn lengths<'t>(
        &'t self,
        of: &'t Triangles,
        rate: AttributeRate,
    ) -> impl Iterator<Item = (&'t Attribute, u32)> {
        let all = of.attributes.iter().zip(&self.attributes);
        all.filter(move |(attribute, _)| attribute.rate == rate)
            .filter_map(|(attribute, data)| Some((attribute, data.buffer()?.len() as u32)))
    }

    /// The reason why attributes of vertices and indices do not fit together.
    fn mismatch(&self, of: &Triangles) -> Option<String> {
        let lengths = self.lengths(of, AttributeRate::Vertex);
        let mut lengths = lengths.map(|(attribute, count)| (&attribute.name, count));
        let (first, count) = lengths.next()?;
        if let Some((other, found)) = lengths.find(|&(_, found)| found != count) {
            return Some(format!(
                "the attribute `{first}` has {count} vertices, and `{other}` has {found}"
            ));
        }
        let end = match &self.indices {
            Some(indices) => indices.iter().max().map_or(0, |&last| u64::from(last) + 1),
            None => self.vertex_count().into(),
        };
        (end > u64::from(count)).then(|| {
            format!("the last vertex is {}, and the attribute `{first}` has {count}", end - 1)
        })
    }

    /// The reason why a program cannot draw these vertices and instances.
    pub(crate) fn missing(&self, of: &Triangles) -> Option<String> {
        let mut all = of.attributes.iter().zip(&self.attributes);
        let is_missing = |(_, data): &(&Attribute, &Bound)| matches!(data, Bound::Nothing);
        if let Some((attribute, _)) = all.find(is_missing) {
            let name = &attribute.name;
            return Some(match attribute.rate {
                AttributeRate::Vertex => format!(
                    "the program reads the attribute `{name}`, and there is no mesh; give one: `--mesh FILE`"
                ),
                AttributeRate::Instance => format!(
                    "the attribute `{name}` of instances is not bound; give it numbers: `--bind {name}=FILE`"
                ),
            });
        }
        let reads_mesh = of.attributes.iter().any(|of| of.rate == AttributeRate::Vertex);
        if self.has_mesh && !reads_mesh {
            return Some(
                "the program reads no attribute of a mesh: leave the mesh out, and give the number of vertices: `--vertices N`".to_owned(),
            );
        }
        if self.vertices.is_some() && (self.has_mesh || reads_mesh) {
            let why = "the vertices are those of the mesh: leave `--vertices` out";
            return Some(why.to_owned());
        }
        if self.vertices.is_none() && self.indices.is_none() {
            return Some(
                "the program draws triangles; give the number of vertices: `--vertices N`"
                    .to_owned(),
            );
        }
        if let Some(mismatch) = self.mismatch(of) {
            return Some(mismatch);
        }
        let mut lengths = self.lengths(of, AttributeRate::Instance);
        if let Some((first, count)) = lengths.next() {
            if let Some((other, found)) = lengths.find(|&(_, found)| found != count) {
                return Some(format!(
                    "the attribute `{}` has {count} instances, and `{}` has {found}",
                    first.name, other.name
                ));
            }
            if let Some(instances) = self.instances.filter(|&instances| instances > count) {
                return Some(format!(
                    "{instances} instances are asked for, and the attribute `{}` has {count}",
                    first.name
                ));
            }
        }
        None
    }
}
