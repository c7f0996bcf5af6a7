//! The shaders of pictures, and the list of the pictures' digests.

use lambdav_core::graph::Core;
use lambdav_core::resource::Bound;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_engine::Settings;
use lambdav_engine::engines::BoundKernel;
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::DataRef;
use lambdav_image::{Frame, Size, file};
use lambdav_raster::{RenderOptions, render};
use lambdav_test_support::header_bindings;
use sha2::{Digest, Sha256};
use std::fmt::{self, Display, Formatter, Write};
use std::path::{Path, PathBuf};

/// Width and height of the pictures: one with tiles of all kinds, a single pixel, and one with an odd column
/// and row.
pub const SIZES: [(u32, u32); 3] = [(97, 61), (1, 1), (33, 17)];

/// A shader without errors or warnings.
#[derive(Debug)]
pub struct Shader {
    /// The file's name without extension; `bench/` in front for kernels of the benchmark.
    pub name: String,
    /// The loaded file.
    pub loaded: Loaded,
    /// The data of its textures and buffers.
    pub resources: Vec<Bound>,
}

impl Shader {
    /// The program.
    pub fn core(&self) -> &Core {
        self.loaded.core.as_ref().expect("it gives no diagnostics")
    }

    /// The settings for a picture of that size, with the defaults of uniforms.
    pub fn settings(&self, size: Size) -> Settings {
        let mut settings = Settings::new(self.core(), size);
        settings.inputs.resources.clone_from(&self.resources);
        settings
    }
}

/// The data bound to these textures and buffers by the first command line in a shader's header. Files are
/// relative to the root of the repository.
///
/// # Panics
///
/// If the header does not bind all of them, or a file is missing.
pub fn resources(shader: &str, types: &Types) -> Vec<Bound> {
    let mut settings = Settings::with_uniforms(&[], Size::new(1, 1).expect("a small size"));
    let bindings = header_bindings(shader);
    for resource in types.resources() {
        let Resource { name, kind } = &**resource;
        let binding = bindings.iter().find(|(of, _)| **of == **name);
        let (_, path) = binding.unwrap_or_else(|| panic!("the header binds nothing to {name}"));
        let path = root().join(path);
        let bound = match kind {
            ResourceKind::Texture(_) => {
                let image = file::load(&path).expect("images can be read");
                settings.bind(types, name, &image)
            }
            ResourceKind::Buffer(_) => {
                let bytes = std::fs::read(&path).expect("arrays can be read");
                settings.bind(types, name, DataRef::Npy(&bytes))
            }
            ResourceKind::Memory(_) => panic!("{name} is no data of a picture"),
        };
        bound.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    settings.inputs.resources
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The shaders of the gallery, by name.
pub fn gallery() -> Vec<Shader> {
    let shaders = folder("", "shaders");
    assert!(shaders.len() >= 8, "a gallery has more than a few pictures");
    shaders
}

/// The shaders of the gallery, then the kernels of the benchmark.
pub fn all() -> Vec<Shader> {
    let mut shaders = gallery();
    shaders.extend(folder("bench/", "bench/shaders"));
    shaders
}

fn folder(prefix: &str, path: &str) -> Vec<Shader> {
    let folder = std::fs::read_dir(root().join(path)).expect("the shaders are there");
    let files = folder.map(|entry| entry.expect("the folder can be listed").path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "lv")).collect();
    files.sort();
    let load = |path: &PathBuf| {
        let stem = path.file_stem().expect("a file has a name").to_string_lossy();
        let name = format!("{prefix}{stem}");
        let bytes = std::fs::read(path).expect("shaders can be read");
        let loaded = Loaded::from_bytes(&name, bytes);
        assert!(loaded.diagnostics.is_empty(), "{name} gives no diagnostics");
        let core = loaded.core.as_ref().expect("it gives no diagnostics");
        let resources = resources(loaded.source.text(), core.graph.types());
        Shader { name, loaded, resources }
    };
    files.iter().map(load).collect()
}

/// The frame drawn by an engine, with the tiles of `options`.
pub fn draw(engine: &impl BoundKernel, size: Size, options: &RenderOptions<'_>) -> Frame {
    render(engine, size, options).expect("every loop of the pictures ends")
}

/// The first 8 bytes of the SHA-256 of the frame's bits.
pub fn digest(frame: &Frame) -> String {
    let mut hash = Sha256::new();
    for sample in frame.samples() {
        hash.update(sample.to_bits().to_le_bytes());
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string succeeds");
        text
    })
}

/// Digests, with keys `shader output size`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct List(Vec<(String, String)>);

impl List {
    /// The path of the list.
    pub fn path() -> PathBuf {
        root().join("tests/golden/gallery.txt")
    }

    /// Reads the checked-in list.
    ///
    /// # Panics
    ///
    /// If the list is missing or malformed.
    pub fn read() -> Self {
        let text = std::fs::read_to_string(Self::path()).expect("the list of digests is there");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entry = |line: &str| {
            let (picture, digest) = line.split_once(": ").expect("a line is `picture: digest`");
            (picture.to_owned(), digest.to_owned())
        };
        Self(lines.map(entry).collect())
    }

    /// The digest of an output at that size; `None` if it is not listed.
    pub fn get(&self, shader: &str, location: u32, size: Size) -> Option<&str> {
        let wanted = picture(shader, location, size);
        self.0.iter().find(|(picture, _)| *picture == wanted).map(|(_, digest)| digest.as_str())
    }

    /// Adds a digest.
    pub fn insert(&mut self, shader: &str, location: u32, size: Size, digest: String) {
        self.0.push((picture(shader, location, size), digest));
    }
}

fn picture(shader: &str, location: u32, size: Size) -> String {
    format!("{shader} {location} {size}")
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "# shader output size: SHA-256 of the frame's bits (first 8 bytes)")?;
        self.0.iter().try_for_each(|(picture, digest)| writeln!(f, "{picture}: {digest}"))
    }
}
