//! Wavefront OBJ: `v`, `vt`, `vn`, `f`, `usemtl` and `mtllib`.
//!
//! Faces of more than three corners are fans of their first corner. Vertices are numbered in order of first use of
//! (v, vt, vn), in the whole file. Texture coordinates are (u, 1−v) in binary32. Weights and colours of `v`, and
//! the third number of `vt`, are ignored. Groups, objects and smoothing change nothing.
//!
//! The crate `tobj` (4.0.5) is not used: it numbers vertices anew for each group, shifts the texture coordinates of
//! later vertices where a corner lacks them, ignores indices without normals or texture coordinates, overflows on
//! large ones, and reports no lines. Tests compare this reader with it where they must agree.

mod faces;
mod library;
mod lines;

use std::collections::{BTreeMap, BTreeSet};

use self::faces::Faces;
use self::library::{Library, names};
use self::lines::{Lines, Words};
use crate::error::{ObjFault, ReadError};
use crate::files::{FileError, RelativePath, Resolver, read_path};
use crate::limits::{Budget, Limits, Quantity};
use crate::material::Material;
use crate::mesh::{Mesh, Remark};

/// Reads an OBJ file, and its material libraries.
pub(crate) fn read(
    bytes: &[u8],
    resolver: &dyn Resolver,
    mut budget: Budget,
    limits: &Limits,
) -> Result<Mesh, ReadError> {
    let mut faces = Faces::new(limits);
    let mut materials = Materials::default();
    let mut libraries = Libraries::default();
    let mut ignored = Ignored::default();
    for (number, line) in Lines::new(bytes) {
        let fault = |fault| ReadError::Obj { line: number, fault };
        let mut words = Words::new(&line);
        let Some(keyword) = words.next() else { continue };
        match keyword {
            b"v" => faces.position(words).map_err(fault)?,
            b"vt" => faces.texcoord(words).map_err(fault)?,
            b"vn" => faces.normal(words).map_err(fault)?,
            b"f" => faces.face(words, number, materials.current)?,
            b"usemtl" => materials.select(words.rest()),
            b"mtllib" => libraries.name(words.rest(), number, limits)?,
            b"o" | b"g" | b"s" => {}
            other => ignored.note(other, number),
        }
    }
    let mut mesh = faces.finish()?;
    let mut library = Library::default();
    mesh.remarks = ignored.remarks;
    libraries.read(&mut library, resolver, &mut budget, &mut mesh.remarks)?;
    let mut images = library.images();
    let materials = materials
        .names
        .into_iter()
        .map(|name| Material { images: images.of(&name), name: Some(name) });
    mesh.materials = materials.collect();
    mesh.images = images.into_images();
    Ok(mesh)
}

/// Names of materials, in order of first use.
#[derive(Default)]
struct Materials {
    names: Vec<String>,
    indices: BTreeMap<String, usize>,
    current: Option<usize>,
}

impl Materials {
    fn select(&mut self, name: String) {
        if name.is_empty() {
            self.current = None;
            return;
        }
        let next = self.names.len();
        let index = *self.indices.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        self.current = Some(index);
    }
}

/// Material libraries that lines name, in order, with the first line of each.
#[derive(Default)]
struct Libraries {
    paths: Vec<(RelativePath, u64)>,
    seen: BTreeSet<RelativePath>,
}

impl Libraries {
    fn name(&mut self, rest: String, line: u64, limits: &Limits) -> Result<(), ReadError> {
        for name in names(&rest) {
            let path = RelativePath::from_name(&name);
            let path =
                path.map_err(|error| ReadError::Obj { line, fault: ObjFault::Library(error) })?;
            if self.seen.insert(path.clone()) {
                limits.check(Quantity::Libraries, self.seen.len() as u64)?;
                self.paths.push((path, line));
            }
        }
        Ok(())
    }

    /// Reads all libraries. A library that cannot be read only costs images.
    fn read(
        self,
        library: &mut Library,
        resolver: &dyn Resolver,
        budget: &mut Budget,
        remarks: &mut Vec<Remark>,
    ) -> Result<(), ReadError> {
        for (path, line) in self.paths {
            match read_path(&path, resolver, budget) {
                Ok(bytes) => library.add(&bytes, &path),
                Err(FileError::Limit(error)) => return Err(error.into()),
                Err(error) => remarks.push(Remark::Library { line, error: error.to_string() }),
            }
        }
        Ok(())
    }
}

/// Keywords without effect, each with its first line. Only the first few are kept.
#[derive(Default)]
struct Ignored {
    remarks: Vec<Remark>,
}

impl Ignored {
    fn note(&mut self, keyword: &[u8], line: u64) {
        const MOST: usize = 8;
        let keyword = String::from_utf8_lossy(&keyword[..keyword.len().min(40)]).into_owned();
        let is_known = self.remarks.iter().any(
            |remark| matches!(remark, Remark::Keyword { keyword: known, .. } if *known == keyword),
        );
        if !is_known && self.remarks.len() < MOST {
            self.remarks.push(Remark::Keyword { line, keyword });
        }
    }
}

#[cfg(test)]
mod tests;
