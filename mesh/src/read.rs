//! Reading of files: formats, and the way from bytes to a [`Mesh`].

use std::path::Path;

use lambdav_float_environment::with_default;

use crate::error::{LoadError, ReadError};
use crate::files::{Folder, Resolver, read_bounded};
use crate::gltf;
use crate::limits::{Budget, LimitError, Limits, Quantity};
use crate::mesh::Mesh;
use crate::obj;

/// Formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// glTF 2.0, binary or text.
    Gltf,
    /// Wavefront OBJ.
    Obj,
}

impl Format {
    /// The format of a file with that name.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "glb" | "gltf" => Some(Self::Gltf),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }

    /// The format of a file that begins so. OBJ files have no mark.
    pub fn recognise(bytes: &[u8]) -> Option<Self> {
        let is_gltf = bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{");
        is_gltf.then_some(Self::Gltf)
    }
}

impl Mesh {
    /// Reads a file, and the files beside it that it names. The format is that of the file's name, or else of its
    /// first bytes.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, LoadError> {
        let owned = || path.to_owned();
        let failed = |source| LoadError::Io { path: owned(), source };
        let refused = |source| LoadError::Read { path: owned(), source };
        let exceeded = LimitError { quantity: Quantity::FileBytes, limit: limits.file_bytes };
        let bytes = read_bounded(path, limits.file_bytes).map_err(failed)?;
        let bytes = bytes.ok_or_else(|| refused(exceeded.into()))?;
        let format = Format::of(path).or_else(|| Format::recognise(&bytes));
        let format = format.ok_or_else(|| LoadError::Format { path: owned() })?;
        Self::read(&bytes, format, &Folder::beside(path), limits).map_err(refused)
    }

    /// Reads a mesh from memory. `resolver` reads the files that it names: a [`Folder`],
    /// [`NoFolder`](crate::NoFolder), or one of the caller.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    pub fn read(
        bytes: &[u8],
        format: Format,
        resolver: &dyn Resolver,
        limits: &Limits,
    ) -> Result<Self, ReadError> {
        let budget = Budget::after(bytes, limits)?;
        with_default(|| match format {
            Format::Gltf => gltf::read(bytes, resolver, budget, limits),
            Format::Obj => obj::read(bytes, resolver, budget, limits),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFolder;
    use std::fs;

    #[test]
    fn formats_are_told_by_name_or_content() {
        assert_eq!(Format::of(Path::new("a/b.GLB")), Some(Format::Gltf));
        assert_eq!(Format::of(Path::new("b.gltf")), Some(Format::Gltf));
        assert_eq!(Format::of(Path::new("b.obj")), Some(Format::Obj));
        assert_eq!(Format::of(Path::new("b.ply")), None);
        assert_eq!(Format::recognise(b"glTF\x02"), Some(Format::Gltf));
        assert_eq!(Format::recognise(b" \n{"), Some(Format::Gltf));
        assert_eq!(Format::recognise(b"v 0 0 0"), None);
    }

    #[test]
    fn files_are_opened() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let file = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::write(&path, text).expect("it can be written");
            path
        };
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        let path = file("a.obj", text);
        let mesh = Mesh::open(&path, &Limits::default()).expect("it is right");
        assert_eq!((mesh.vertices(), mesh.triangles()), (3, 1));
        let few = Limits { file_bytes: text.len() as u64 - 1, ..Limits::default() };
        assert!(matches!(
            Mesh::open(&path, &few),
            Err(LoadError::Read { source: ReadError::Limit(_), .. })
        ));
        assert!(matches!(
            Mesh::read(text.as_bytes(), Format::Obj, &NoFolder, &few),
            Err(ReadError::Limit(_))
        ));
        let unknown = Mesh::open(&file("a.ply", "ply"), &Limits::default());
        assert!(matches!(unknown, Err(LoadError::Format { .. })));
        let absent = Mesh::open(&place.path().join("b.obj"), &Limits::default());
        assert!(matches!(absent, Err(LoadError::Io { .. })));
    }
}
