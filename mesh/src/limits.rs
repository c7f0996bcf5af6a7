//! Bounds of a mesh. They are compared before memory is requested, whatever a file declares.

use thiserror::Error;

/// Bounds of the files that are read, and of the mesh made from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of all files together: the mesh, its buffers and libraries, with data URIs decoded.
    pub file_bytes: u64,
    /// Most bytes of attributes, indices and embedded images in memory.
    pub mesh_bytes: u64,
    /// Most vertices.
    pub vertices: u64,
    /// Most triangles.
    pub triangles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 1 << 31, mesh_bytes: 1 << 32, vertices: 1 << 28, triangles: 1 << 28 }
    }
}

impl Limits {
    /// The bound of a quantity.
    pub(crate) fn of(&self, quantity: Quantity) -> u64 {
        match quantity {
            Quantity::FileBytes => self.file_bytes,
            Quantity::MeshBytes => self.mesh_bytes,
            // Indices have 32 bits.
            Quantity::Vertices => self.vertices.min(u32::MAX.into()),
            Quantity::Triangles => self.triangles.min(u32::MAX.into()),
            Quantity::Objects => 1 << 20,
            Quantity::Elements => 1 << 24,
            Quantity::Attributes => 64,
            Quantity::Primitives => 1 << 20,
            Quantity::Libraries => 256,
        }
    }

    /// Compares a count with its bound.
    pub(crate) fn check(&self, quantity: Quantity, found: u64) -> Result<(), LimitError> {
        let limit = self.of(quantity);
        if found > limit { Err(LimitError { quantity, limit }) } else { Ok(()) }
    }
}

/// Counts that have a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes of all files.
    FileBytes,
    /// Bytes of the mesh in memory.
    MeshBytes,
    /// Vertices.
    Vertices,
    /// Triangles.
    Triangles,
    /// Objects of a glTF's JSON text. An object of a few characters takes hundreds of bytes of memory.
    Objects,
    /// Elements of arrays and objects of a glTF's JSON text.
    Elements,
    /// Attributes with different names.
    Attributes,
    /// Primitives of a scene, counted at each node that draws them.
    Primitives,
    /// Material libraries of an OBJ file.
    Libraries,
}

/// A count exceeds its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", exceeded(.quantity, .limit))]
pub struct LimitError {
    /// The count.
    pub quantity: Quantity,
    /// Its bound.
    pub limit: u64,
}

fn exceeded(quantity: &Quantity, limit: &u64) -> String {
    let (subject, verb, unit) = match quantity {
        Quantity::FileBytes => ("mesh's files", "have", "bytes"),
        Quantity::MeshBytes => ("mesh", "takes", "bytes of memory"),
        Quantity::Vertices => ("mesh", "has", "vertices"),
        Quantity::Triangles => ("mesh", "has", "triangles"),
        Quantity::Objects => ("JSON text", "has", "objects"),
        Quantity::Elements => ("JSON text", "has", "elements"),
        Quantity::Attributes => ("mesh", "has", "attributes"),
        Quantity::Primitives => ("scene", "draws", "primitives"),
        Quantity::Libraries => ("mesh", "has", "material libraries"),
    };
    format!("the {subject} {verb} more than {limit} {unit}")
}

/// Bytes that may still be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    /// The budget of a file that has been read, and of all files that it names.
    pub(crate) fn after(read: &[u8], limits: &Limits) -> Result<Self, LimitError> {
        let mut budget = Self { limit: limits.file_bytes, left: limits.file_bytes };
        budget.spend(read.len() as u64)?;
        Ok(budget)
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The error of reading more than is left.
    pub(crate) fn exceeded(&self) -> LimitError {
        LimitError { quantity: Quantity::FileBytes, limit: self.limit }
    }

    pub(crate) fn spend(&mut self, bytes: u64) -> Result<(), LimitError> {
        self.left = self.left.checked_sub(bytes).ok_or(self.exceeded())?;
        Ok(())
    }
}
