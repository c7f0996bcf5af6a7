//! Meshes of `--mesh`, and cameras of `--camera`.

use super::failure::{Failure, Result};
use lambdav_engine::{Bindings, Mesh, UniformError, error_chain};
use lambdav_image::Size;
use lambdav_mesh::Limits;
use std::path::{Path, PathBuf};

/// A file, and the material of which triangles are drawn.
#[derive(Clone, Debug)]
pub(super) struct MeshArgument {
    path: PathBuf,
    material: Option<String>,
}

impl MeshArgument {
    /// Parses `FILE` or `FILE#MATERIAL`. A file whose name contains a `#` goes before.
    pub(super) fn read(text: &str) -> Self {
        match text.rsplit_once('#') {
            Some((path, material)) if !Path::new(text).exists() => {
                Self { path: path.into(), material: Some(material.to_owned()) }
            }
            _ => Self { path: text.into(), material: None },
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Reads the mesh, and sets it, its images and the matrices of a camera.
    pub(super) fn apply(
        &self,
        camera: Option<&str>,
        size: Size,
        bindings: &mut Bindings,
    ) -> Result {
        let name = self.path.display();
        let mesh = Mesh::open(&self.path, &Limits::default());
        let mut mesh = mesh.map_err(|error| Failure::input(error_chain(&error)))?;
        if let Some(material) = &self.material {
            let selected = mesh.select_material(material);
            selected.map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
        }
        let set = bindings.mesh(&mesh).map(drop);
        set.map_err(|error| Failure::input(format!("`{name}`: {}", error_chain(&error))))?;
        let set = bindings.mesh_images(&mesh, &self.path).map(drop);
        set.map_err(|error| Failure::input(format!("`{name}`: {}", error_chain(&error))))?;
        let Some(wanted) = camera else { return Ok(()) };
        let all = mesh.cameras();
        let Some(camera) = all.iter().find(|camera| camera.name.as_deref() == Some(wanted)) else {
            let names: Vec<String> =
                all.iter().flat_map(|of| &of.name).map(|name| format!("`{name}`")).collect();
            let has = match names.is_empty() {
                true => "it has no cameras with names".to_owned(),
                false => format!("its cameras are {}", names.join(", ")),
            };
            return Err(Failure::usage(format!("`{name}` has no camera `{wanted}`; {has}")));
        };
        let aspect = f64::from(size.width()) / f64::from(size.height());
        let Some(view) = camera.view() else {
            return Err(Failure::input(format!("the camera `{wanted}` of `{name}` has no view")));
        };
        let uniform = |error: UniformError| {
            let message = format!("--camera sets `view` and `projection`, which are mat4: {error}");
            Failure::usage(message)
        };
        bindings.set("view", view).map_err(uniform)?;
        bindings.set("projection", camera.projection(aspect)).map_err(uniform)?;
        Ok(())
    }
}
