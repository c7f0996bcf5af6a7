//! Values of uniforms and inputs, and data of textures and buffers, for a program.

use crate::accepted::Accepted;
use crate::draw_inputs::DrawInputs;
use crate::error::Error;
use crate::memories::Memories;
#[cfg(feature = "formats")]
use crate::settings::of_file;
use crate::settings::{
    BindError, DataRef, Paths, Settings, Target, UniformError, UniformValue, block_members,
    elements, members, set_words, to_json_within, unset_parts,
};
use crate::test_card::test_card;
use lambdav_core::graph::{Attribute, AttributeRate};
use lambdav_core::interface::{Binding, Block, BuiltInPart, NamedValue, words_at};
use lambdav_core::layout::{Layout, Rules};
use lambdav_core::resource::{Bound, BufferData, BufferError};
use lambdav_core::texture::{Texels, TextureData, TextureOptions};
use lambdav_core::types::{Resource, ResourceKind, Scalar, Type, Types};
use lambdav_image::Size;
use lambdav_image::file::Undecoded;
#[cfg(feature = "formats")]
use lambdav_image::texture::TextureFile;
use lambdav_mesh::files::FileError;
use lambdav_mesh::{AttributeError, Folder, ImageData, Mesh, Role};
#[cfg(feature = "spirv")]
use lambdav_spirv_eval::Resources as DeviceMemory;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Values of uniforms and inputs, and data of textures and buffers. Bindings belong to a program, and
/// all pipelines of that program accept them. Clones share large data.
///
/// A uniform is named as in the program, and a part of one by a path: `light.power`, `kernel[1]`. In a
/// module, `SET.BINDING` and `push` name blocks, textures and buffers; `block.member` and
/// `SET.BINDING.member` name members of blocks; `input.LOCATION` names inputs of locations.
#[derive(Clone, Debug)]
pub struct Bindings {
    pub(crate) program: Arc<Accepted>,
    settings: Settings,
    /// Year, month, day and seconds.
    date: [f32; 4],
    /// Words of memories of a compute program.
    pub(crate) memories: Memories,
    /// Vertices, instances and attributes of a program that draws triangles.
    pub(crate) draw: DrawInputs,
    /// For each uniform of a module, a mask of the words that have been set; empty if none has.
    is_set: Vec<Box<[bool]>>,
    /// Names that were given a value although the program declares them without using them.
    unused: Vec<String>,
    /// Files of images that [`Self::mesh_images`] has read.
    image_files: Vec<PathBuf>,
    /// The resolution that the program sees in place of the size of its picture.
    resolution: Option<Size>,
}

/// Reason why a program cannot draw a mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The mesh lacks an attribute, or has it as another type.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// There are no vertices, or too many.
    #[error("its vertices cannot be drawn: {0}")]
    Vertices(BufferError),
}

/// Kind of data that a name accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// An image.
    Texture,
    /// Elements of an array.
    Buffer,
    /// The bytes of a block of uniforms.
    Block,
    /// Nothing: the module declares the name but does not use it.
    Unused,
}

impl Bindings {
    pub(crate) fn new(program: &Arc<Accepted>) -> Self {
        let one = Size::new(1, 1).expect("a constant within the limits");
        let settings = Settings::new(&program.core, one);
        let count = program.core.uniforms.len();
        Self {
            program: Arc::clone(program),
            settings,
            date: [0.0; 4],
            memories: Memories::default(),
            draw: DrawInputs::new(program.core.triangles.as_deref()),
            is_set: vec![Box::default(); count],
            unused: Vec::new(),
            image_files: Vec::new(),
            resolution: None,
        }
    }

    /// Sets a uniform, or a part of one, to an `f32`, an `i32`, a `u32`, a `bool`, or an array of one
    /// of these types (of a matrix, by columns).
    ///
    /// # Errors
    ///
    /// [`UniformError`] if there is no such uniform, or it has another type.
    pub fn set(
        &mut self,
        name: &str,
        value: impl Into<UniformValue>,
    ) -> Result<&mut Self, UniformError> {
        let program = Arc::clone(&self.program);
        let paths = program.paths();
        self.settings.set_at(&paths, name, value).map_err(|error| self.instead(error))?;
        match paths.find(name)? {
            Target::Place(place) => {
                let count = program.types().components(place.ty);
                self.mark(place.uniform, |set| set[place.start..][..count].fill(true));
            }
            Target::Unused => self.unused.push(name.to_owned()),
            Target::Block(_) => {}
        }
        Ok(self)
    }

    /// Sets a uniform from text; structures, arrays and blocks are JSON. See [`Settings::set_text`].
    ///
    /// # Errors
    ///
    /// [`UniformError`] if there is no such uniform, or the text is no value of its type.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<&mut Self, UniformError> {
        let program = Arc::clone(&self.program);
        self.set_text_at(&program.paths(), name, text)?;
        Ok(self)
    }

    /// Like [`Self::set_text`], with the table of names given: building it takes time linear in the
    /// number of names.
    fn set_text_at(
        &mut self,
        paths: &Paths<'_>,
        name: &str,
        text: &str,
    ) -> Result<(), UniformError> {
        match paths.find(name).map_err(|error| self.instead(error))? {
            Target::Block(_) => {
                for member in block_members(name, text)? {
                    let set = self.set_text_at(paths, &member.name, member.value);
                    set.map_err(|error| error.within(member.at))?;
                }
            }
            Target::Unused => self.unused.push(name.to_owned()),
            Target::Place(place) => {
                self.settings.set_text_at(paths, name, text)?;
                if !self.program.has_defaults() {
                    let index = place.uniform;
                    let uniform = &self.program.core.uniforms[index];
                    let words = set_words(paths, uniform, index, &[(name, text)])?;
                    self.mark(index, |set| {
                        set.iter_mut().zip(&words).for_each(|(all, one)| *all |= one);
                    });
                }
            }
        }
        Ok(())
    }

    /// Draws a mesh: sets its indices, and the attributes of vertices that the program reads.
    ///
    /// # Errors
    ///
    /// [`MeshError`] if the mesh lacks an attribute, or has it as another type.
    pub fn mesh(&mut self, mesh: &Mesh) -> Result<&mut Self, MeshError> {
        let program = Arc::clone(&self.program);
        let all = program.core.triangles.as_deref().map_or(&[][..], |of| &of.attributes);
        let of_vertices = |(_, of): &(usize, &Attribute)| of.rate == AttributeRate::Vertex;
        for (index, Attribute { name, ty, .. }) in all.iter().enumerate().filter(of_vertices) {
            let scalar = match ty.scalar() {
                Some(Scalar::I32) => lambdav_mesh::Scalar::Int,
                Some(Scalar::U32) => lambdav_mesh::Scalar::Uint,
                _ => lambdav_mesh::Scalar::Num,
            };
            let words = mesh.attribute(name, scalar, ty.width().unwrap_or(1))?;
            let data = BufferData::new(program.types(), *ty, words).map_err(MeshError::Vertices)?;
            self.draw.set_attribute(index, data);
        }
        self.draw.set_mesh(mesh.indices().into());
        Ok(self)
    }

    /// Binds images of the materials of a mesh, read from `file`, to textures without data. The texture
    /// `MATERIAL-ROLE` gets the image that has this role in this material, by the names of [`Role::name`]:
    /// `wood-base-color`. The texture `ROLE` gets the image of that role if all drawn materials with one
    /// share it. Only triangles that the mesh still has count ([`Mesh::select_material`]).
    ///
    /// # Errors
    ///
    /// [`Error::MeshImage`], [`Error::Load`] and [`Error::Bind`], of images that a texture asks for.
    pub fn mesh_images(&mut self, mesh: &Mesh, file: &Path) -> Result<&mut Self, Error> {
        let drawn = mesh.parts().iter().filter(|part| !part.triangles.is_empty());
        let drawn: BTreeSet<usize> = drawn.filter_map(|part| part.material).collect();
        for role in Role::ALL {
            let of_role = |&index: &usize| {
                let material = &mesh.materials()[index];
                let found = material.images.iter().find(|image| image.role == role)?;
                Some((material.name.as_deref(), found.image))
            };
            let all: Vec<_> = drawn.iter().filter_map(of_role).collect();
            for &(material, image) in &all {
                if let Some(material) = material {
                    self.mesh_image(&format!("{material}-{}", role.name()), mesh, image, file)?;
                }
            }
            if let Some(&(_, image)) = all.first()
                && all.iter().all(|&(_, other)| other == image)
            {
                self.mesh_image(role.name(), mesh, image, file)?;
            }
        }
        Ok(self)
    }

    /// Binds an image of a mesh to a texture, if there is one with that name and it has no data.
    fn mesh_image(
        &mut self,
        texture: &str,
        mesh: &Mesh,
        image: usize,
        file: &Path,
    ) -> Result<(), Error> {
        if !matches!(self.texture(texture), Some((_, None))) {
            return Ok(());
        }
        let failed = |source| Error::MeshImage { texture: texture.to_owned(), source };
        match &mesh.images()[image].data {
            ImageData::Bytes(bytes) => {
                let undecoded = Undecoded::read(&mut &bytes[..], file)?;
                self.check_size(texture, undecoded.size()?, 1)?;
                self.bind(texture, &undecoded.decode()?)?;
            }
            ImageData::File(path) => {
                let path = path.as_ref().map_err(|error| failed(FileError::Path(error.clone())))?;
                let path = Folder::beside(file).locate(path).map_err(failed)?;
                self.bind_file(texture, &path)?;
                self.image_files.push(path);
            }
        }
        Ok(())
    }

    /// Files of images that [`Self::mesh_images`] has read.
    #[doc(hidden)]
    pub fn image_files(&self) -> &[PathBuf] {
        &self.image_files
    }

    /// True if the program draws triangles.
    pub fn draws_triangles(&self) -> bool {
        self.program.core.triangles.is_some()
    }

    /// Draws so many vertices, without a mesh: their indices are 0, 1, 2, ….
    pub fn vertices(&mut self, count: u32) -> &mut Self {
        self.draw.set_vertices(count);
        self
    }

    /// Draws the vertices with these indices.
    pub fn indices(&mut self, indices: impl Into<Arc<[u32]>>) -> &mut Self {
        self.draw.set_indices(indices.into());
        self
    }

    /// Sets the values of an attribute, one for each vertex or instance.
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such attribute, or the data is of another kind.
    pub fn attribute<'d>(
        &mut self,
        name: &str,
        data: impl Into<DataRef<'d>>,
    ) -> Result<&mut Self, BindError> {
        let program = Arc::clone(&self.program);
        let all = program.core.triangles.as_deref().map_or(&[][..], |of| &of.attributes);
        let Some(index) = all.iter().position(|attribute| attribute.name == name) else {
            let names: Vec<String> = all.iter().map(|of| format!("`{}`", of.name)).collect();
            let help = match names.is_empty() {
                true => "it has no attributes".to_owned(),
                false => format!("its attributes are {}", names.join(", ")),
            };
            return Err(BindError::Unknown { name: name.to_owned(), help });
        };
        let data = elements(program.types(), name, all[index].ty, data.into())?;
        self.draw.set_attribute(index, data);
        Ok(self)
    }

    /// Draws so many instances.
    pub fn instances(&mut self, count: u32) -> &mut Self {
        self.draw.set_instances(count);
        self
    }

    /// True if a path begins with the name of a uniform or constant.
    #[doc(hidden)]
    pub fn knows(&self, path: &str) -> bool {
        let program = &self.program;
        program.paths().knows(path)
            || Paths::new(program.types(), &program.core.constants).knows(path)
    }

    /// Records a name that the program does not use.
    #[doc(hidden)]
    pub fn note_unused(&mut self, name: String) {
        self.unused.push(name);
    }

    /// Sets unset uniforms of a module to the defaults of equally named uniforms in the program of
    /// `other`, if their components have the same kinds.
    #[doc(hidden)]
    pub fn take_defaults(&mut self, other: &Self) {
        let program = Arc::clone(&self.program);
        // Blocks hold no bools; as words, bools are uints.
        let kinds = |types: &Types, ty: Type| {
            let all = types.scalars(ty);
            let kind = |kind| if kind == Scalar::Bool { Scalar::U32 } else { kind };
            all.map(kind).collect::<Vec<_>>()
        };
        for (index, uniform) in program.core.uniforms.iter().enumerate() {
            if self.is_set[index].contains(&true) || self.text_gives_default(index) {
                continue;
            }
            let found = other.program.core.uniforms.iter().find(|of| of.name == uniform.name);
            if let Some(found) = found
                && kinds(program.types(), uniform.ty) == kinds(other.program.types(), found.ty)
            {
                self.settings.inputs.uniforms[index].clone_from(&found.default);
                self.mark(index, |set| set.fill(true));
            }
        }
    }

    /// Sets uniforms from texts, in order. Names of constants are skipped: they were fixed when the
    /// program was compiled.
    ///
    /// # Errors
    ///
    /// The index of the first wrong setting, and its error.
    #[doc(hidden)]
    pub fn set_texts<'t>(
        &mut self,
        all: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Result<(), (usize, UniformError)> {
        let program = Arc::clone(&self.program);
        // A uniform's name may begin like a constant's path, so look both up together.
        let paths = program.paths().with_constants(&program.core.constants);
        for (number, (name, text)) in all.into_iter().enumerate() {
            match paths.find(name) {
                Ok(Target::Place(place)) if place.uniform >= program.core.uniforms.len() => {}
                Ok(_) => {
                    self.set_text_at(&paths, name, text).map_err(|error| (number, error))?;
                }
                Err(error) => return Err((number, error)),
            }
        }
        Ok(())
    }

    /// Sets uniforms from the members of a JSON object; see [`Settings::set_all`].
    ///
    /// # Errors
    ///
    /// [`UniformError`] if the text is no object, and as for [`Self::set_text`].
    pub fn set_all(&mut self, text: &str) -> Result<&mut Self, UniformError> {
        let program = Arc::clone(&self.program);
        let paths = program.paths();
        for member in members(text)? {
            let set = self.set_text_at(&paths, &member.name, member.value);
            set.map_err(|error| error.within(member.at))?;
        }
        Ok(self)
    }

    /// Kind of data that a name accepts.
    ///
    /// # Errors
    ///
    /// [`BindError::Unknown`].
    pub fn slot(&self, name: &str) -> Result<Slot, BindError> {
        let name = self.resource_name(name);
        if self.instance_attribute(name).is_some() {
            return Ok(Slot::Buffer);
        }
        let all = self.program.types().resources();
        if let Some(found) = all.iter().find(|resource| *resource.name == *name) {
            return Ok(match found.kind {
                ResourceKind::Texture(_) => Slot::Texture,
                ResourceKind::Buffer(_) | ResourceKind::Memory(_) => Slot::Buffer,
            });
        }
        let mut blocks = self.program.interface.blocks.iter();
        let binding = Binding::named(name);
        let is_it = |block: &Block| Some(block.binding) == binding;
        if blocks.any(|block| is_it(block) && block.uniforms().next().is_some()) {
            return Ok(Slot::Block);
        }
        if self.program.names.is_unused(name) {
            return Ok(Slot::Unused);
        }
        let unused = self.program.names.unused();
        Err(BindError::unknown_beside(self.program.types(), unused, name))
    }

    /// The attribute of instances with that name.
    fn instance_attribute(&self, name: &str) -> Option<&Attribute> {
        let mut all = self.program.core.triangles.iter().flat_map(|of| &of.attributes);
        all.find(|of| of.rate == AttributeRate::Instance && of.name == name)
    }

    /// The program's name of a texture or buffer that is given by set and binding.
    pub(crate) fn resource_name<'n>(&'n self, name: &'n str) -> &'n str {
        let binding = Binding::named(name);
        let number = binding.and_then(|binding| self.program.interface.resource(binding));
        number.map_or(name, |number| &self.program.types().resources()[number].name)
    }

    /// Binds data to a texture, buffer or block.
    ///
    /// A texture takes an image: a [`Frame`](crate::Frame), or an image of 8 or 16 bits (buffers of the
    /// crate `image` convert to these). A buffer takes elements: a slice of all their components or of
    /// rows of components, [`DataRef::Json`] or [`DataRef::Npy`]. A block of uniforms takes its bytes:
    /// [`DataRef::Bytes`]. A memory of a compute program takes elements, too, if its block is one array, JSON of all its
    /// members, or the bytes of its words.
    ///
    /// ```
    /// # use lambdav_engine::{Options, Shader, Size};
    /// let text = "(buffer heights num) (buffer spots vec2)
    ///             (vec2 (at heights 1) (.y (at spots (int (.x (frag-coord))))))";
    /// let pipeline = Shader::new("spots.lv", text)?.pipeline(&Options::default())?;
    /// let mut bindings = pipeline.bindings();
    /// bindings.bind("heights", &[0.25_f32, 0.5][..])?;
    /// bindings.bind("spots", &[[1.0_f32, 2.0], [3.0, 4.0]][..])?;
    /// let picture = pipeline.render(&bindings, Size::new(2, 1)?)?;
    /// assert_eq!(picture.pixel(1, 0), Some([0.5, 4.0, 0.0, 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A frame can be an input of the next one; its numbers are kept exactly.
    ///
    /// ```
    /// # use lambdav_engine::{Frame, Options, Shader, Size};
    /// let text = "(texture last) (+ 1 (* 2 (texel last (int (.xy (frag-coord))))))";
    /// let pipeline = Shader::new("feedback.lv", text)?.pipeline(&Options::default())?;
    /// let (mut bindings, size) = (pipeline.bindings(), Size::new(4, 4)?);
    /// let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
    /// for number in 0..3 {
    ///     bindings.frame(number as f32).bind("last", &frame)?;
    ///     frame = pipeline.render(&bindings, size)?;
    /// }
    /// assert_eq!(frame.pixel(0, 0), Some([7.0; 4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such texture, buffer or block, or the data is too large or of
    /// another kind than the program takes.
    pub fn bind<'d>(
        &mut self,
        name: &str,
        data: impl Into<DataRef<'d>>,
    ) -> Result<&mut Self, BindError> {
        let program = Arc::clone(&self.program);
        self.check_no_result(name)?;
        match (self.slot(name)?, data.into()) {
            (Slot::Unused, _) => self.unused.push(name.to_owned()),
            (Slot::Block, DataRef::Bytes(bytes)) => self.set_block(name, bytes)?,
            (Slot::Block, _) => {
                let (name, declared) = (name.to_owned(), "block of uniforms");
                return Err(BindError::Kind { name, declared, wanted: "its bytes" });
            }
            (_, data) if self.instance_attribute(name).is_some() => {
                self.attribute(name, data)?;
            }
            (_, data) if self.bind_memory(name, data)? => {}
            (_, data) => {
                let name = self.resource_name(name).to_owned();
                self.settings.bind(program.types(), &name, data)?;
            }
        }
        Ok(self)
    }

    /// Sets the members of a block from its bytes.
    fn set_block(&mut self, name: &str, bytes: &[u8]) -> Result<(), BindError> {
        let program = Arc::clone(&self.program);
        let (types, layout) = (program.types(), Layout::new(program.types(), Rules::Std140));
        let binding = Binding::named(name);
        for (block, index, member) in program.interface.uniforms() {
            if Some(block.binding) != binding {
                continue;
            }
            let ty = program.core.uniforms[index].ty;
            let offsets = member.placement.offsets(&layout, types, ty);
            let mut words = words_at(bytes, &offsets).ok_or_else(|| {
                let end = offsets.iter().max().map_or(0, |last| last + 4);
                let (length, of) = (bytes.len(), &member.name);
                let reason =
                    format!("{length} bytes, and `{of}` of the block {name} ends at byte {end}");
                BindError::Block { name: name.to_owned(), reason }
            })?;
            // A bool in a block is an integer, true if not 0.
            let bools =
                words.iter_mut().zip(types.scalars(ty)).filter(|(_, of)| *of == Scalar::Bool);
            bools.for_each(|(word, _)| *word = (*word != 0).into());
            self.settings.inputs.uniforms[index] = words.into();
            self.mark(index, |set| set.fill(true));
        }
        Ok(())
    }

    /// Binds the file at `path`: an image to a texture, NPY or JSON to a buffer. For a block of
    /// uniforms, a file that ends in `.json` holds the values of its members, any other file its bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Open`], [`Error::Load`], [`Error::Bind`] and [`Error::Uniform`].
    pub fn bind_file(&mut self, name: &str, path: impl AsRef<Path>) -> Result<&mut Self, Error> {
        let path = path.as_ref();
        match self.slot(name)? {
            Slot::Texture => {
                let undecoded = Undecoded::open(path)?;
                self.check_size(name, undecoded.size()?, 1)?;
                self.bind(name, &undecoded.decode()?)?;
            }
            Slot::Unused => self.unused.push(name.to_owned()),
            slot => {
                let bytes = std::fs::read(path);
                let bytes =
                    bytes.map_err(|source| Error::Open { path: path.to_owned(), source })?;
                let is_json = path.extension().is_some_and(|of| of.eq_ignore_ascii_case("json"));
                self.bind_bytes(name, slot, &bytes, is_json)?;
            }
        }
        Ok(self)
    }

    /// Binds the bytes of a file to a buffer or a block; `is_json` means that a block gets members, not
    /// bytes.
    fn bind_bytes(
        &mut self,
        name: &str,
        slot: Slot,
        bytes: &[u8],
        is_json: bool,
    ) -> Result<(), Error> {
        match (slot, str::from_utf8(bytes)) {
            (Slot::Block, Ok(text)) if is_json => self.set_text(name, text).map(drop)?,
            (Slot::Block, _) => self.bind(name, DataRef::Bytes(bytes)).map(drop)?,
            _ => {
                let form = |reason| BindError::Form { name: name.to_owned(), reason };
                let data = DataRef::of_array(bytes).map_err(|what| form(what.to_owned()))?;
                self.bind(name, data)?;
            }
        }
        Ok(())
    }

    /// Binds a labelled test card to each texture without data, for a program in GLSL. Returns the names of these
    /// textures.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind_test_cards(&mut self) -> Result<Vec<String>, BindError> {
        if self.program.dialect.is_none() {
            return Ok(Vec::new());
        }
        let program = Arc::clone(&self.program);
        let all = program.types().resources().iter();
        let is_texture = |of: &&Arc<Resource>| matches!(of.kind, ResourceKind::Texture(_));
        let names: Vec<String> = all.filter(is_texture).map(|of| of.name.to_string()).collect();
        let mut bound = Vec::new();
        for name in names {
            if matches!(self.texture(&name), Some((_, None))) {
                let ([width, height], card) = test_card(&name);
                let planes = self.texture_options(&name)?.kind.least_planes();
                let texels = card.repeat(planes as usize);
                self.bind_any(&name, [width, height, planes], &texels)?;
                bound.push(name);
            }
        }
        Ok(bound)
    }

    /// Gives the program another resolution than the size of its picture. A device has the picture's alone.
    pub(crate) fn set_resolution(&mut self, size: Size) {
        self.resolution = Some(size);
    }

    /// Binds one zero element, or texel, to each texture and buffer without data that the program does not read.
    pub(crate) fn bind_unread(&mut self) -> Result<(), BindError> {
        let program = Arc::clone(&self.program);
        let read = program.core.read_resources();
        let passes = program.core.passes.as_deref();
        let is_left = |number: &usize| {
            !read.contains(number) && passes.is_none_or(|of| of.result(*number).is_none())
        };
        let all = program.types().resources();
        for number in (0..all.len()).filter(is_left) {
            let is_bound = self.settings.inputs.resources.get(number);
            if is_bound.is_some_and(|bound| !matches!(bound, Bound::Nothing)) {
                continue;
            }
            let bound = match all[number].kind {
                ResourceKind::Texture(options) => {
                    let planes = options.kind.least_planes();
                    let texels = vec![[0.0; 4]; planes as usize];
                    self.bind_any(&all[number].name, [1, 1, planes], &texels)?;
                    continue;
                }
                ResourceKind::Buffer(element) => BufferData::zeros(program.types(), element, 1),
                ResourceKind::Memory(_) => continue,
            };
            let resources = &mut self.settings.inputs.resources;
            resources.resize(resources.len().max(number + 1), Bound::Nothing);
            resources[number] = Bound::Buffer(bound.expect("one element fits").into());
        }
        Ok(())
    }

    /// Binds colours to a texture; one of integers gets them as 8 bits.
    fn bind_any(
        &mut self,
        name: &str,
        size: [u32; 3],
        texels: &[[f32; 4]],
    ) -> Result<(), BindError> {
        if self.texture_options(name)?.texels == Texels::Numbers {
            return self.bind_planes(name, size, texels).map(drop);
        }
        let integers = texels.iter().map(|texel| texel.map(|of| (of * 255.0) as u32));
        self.bind_integers(name, size, &integers.collect::<Vec<_>>()).map(drop)
    }

    /// Binds texels to a texture without conversion, row by row from the upper left. Faces of cubes are squares one below the
    /// other.
    ///
    /// # Errors
    ///
    /// As for [`Self::bind_planes`].
    pub fn bind_texels(
        &mut self,
        name: &str,
        size: [u32; 2],
        texels: &[[f32; 4]],
    ) -> Result<&mut Self, BindError> {
        let kind = self.texture_options(name)?.kind;
        self.bind_planes(name, kind.size_of_image(size), texels)
    }

    /// The options of a texture.
    fn texture_options(&self, name: &str) -> Result<TextureOptions, BindError> {
        let (types, name) = (self.program.types(), self.resource_name(name));
        let of = types.resources().iter().find(|resource| *resource.name == *name);
        match of.map(|of| of.kind) {
            Some(ResourceKind::Texture(options)) => Ok(options),
            Some(kind @ (ResourceKind::Buffer(_) | ResourceKind::Memory(_))) => {
                let (name, wanted) = (name.to_owned(), "numbers, not texels");
                Err(BindError::Kind { name, declared: kind.word(), wanted })
            }
            None => Err(BindError::unknown(types, name)),
        }
    }

    /// Binds texels to a texture without conversion, plane by plane, row by row from the upper left. The size is that of a
    /// plane, and the number of planes: layers, slices, or six faces +x, −x, +y, −y, +z and −z of each cube.
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such texture, or the number of texels is too large or does not
    /// match the size.
    pub fn bind_planes(
        &mut self,
        name: &str,
        size: [u32; 3],
        texels: &[[f32; 4]],
    ) -> Result<&mut Self, BindError> {
        let program = Arc::clone(&self.program);
        let types = program.types();
        let TextureOptions { kind, mipmaps, texels: components, .. } =
            self.texture_options(name)?;
        let name = self.resource_name(name).to_owned();
        if components != Texels::Numbers {
            return Err(BindError::NoIntegers { name });
        }
        let data = TextureData::with_planes(kind, size, texels.iter().copied(), mipmaps);
        let data = data.map_err(|error| BindError::Image { name: name.clone(), error })?;
        self.settings.bind_data(types, &name, Bound::Texture(data.into()))?;
        Ok(self)
    }

    /// Binds a texture file with its levels. A texture without levels takes the largest; one with levels gets them, if the
    /// file has one only.
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such texture, or the file does not fit it.
    #[cfg(feature = "formats")]
    pub fn bind_texture_file(
        &mut self,
        name: &str,
        file: TextureFile,
    ) -> Result<&mut Self, BindError> {
        let program = Arc::clone(&self.program);
        let options = self.texture_options(name)?;
        let name = self.resource_name(name).to_owned();
        let data = of_file(&name, options, file)?;
        self.settings.bind_data(program.types(), &name, Bound::Texture(data.into()))?;
        Ok(self)
    }

    /// Binds texels to a texture of integers, as [`Self::bind_planes`] does to others. Signed integers are bound by their bits.
    ///
    /// # Errors
    ///
    /// As for [`Self::bind_planes`], and [`BindError::Kind`] for a texture of nums.
    pub fn bind_integers(
        &mut self,
        name: &str,
        size: [u32; 3],
        texels: &[[u32; 4]],
    ) -> Result<&mut Self, BindError> {
        let program = Arc::clone(&self.program);
        let options = self.texture_options(name)?;
        let name = self.resource_name(name).to_owned();
        if options.texels == Texels::Numbers {
            return Err(BindError::Kind { name, declared: "texture", wanted: "numbers" });
        }
        let all = texels.iter().copied();
        let data = TextureData::of_integers(options.kind, options.texels, size, all);
        let data = data.map_err(|error| BindError::Image { name: name.clone(), error })?;
        self.settings.bind_data(program.types(), &name, Bound::Texture(data.into()))?;
        Ok(self)
    }

    /// Checks that images of that size, so many, can be bound to a texture, before they are decoded.
    ///
    /// # Errors
    ///
    /// [`BindError::Unknown`], [`BindError::Kind`] and [`BindError::Image`].
    pub fn check_size(&self, name: &str, size: Size, images: u32) -> Result<(), BindError> {
        let name = self.resource_name(name);
        self.settings.check_size(self.program.types(), name, size, images)
    }

    /// Sets `(time)`, in seconds.
    pub fn time(&mut self, seconds: f32) -> &mut Self {
        self.settings.inputs.time = seconds;
        self
    }

    /// Sets `(frame)`.
    pub fn frame(&mut self, number: f32) -> &mut Self {
        self.settings.inputs.frame = number;
        self
    }

    /// Sets `(mouse)`.
    pub fn mouse(&mut self, mouse: [f32; 4]) -> &mut Self {
        self.settings.inputs.mouse = mouse;
        self
    }

    /// Sets year, month, day and seconds, which uniforms of modules take by their names: `iDate`, `u_date`, `DATE`.
    pub fn date(&mut self, date: [f32; 4]) -> &mut Self {
        self.date = date;
        self
    }

    /// Options of a texture, and the size of the image bound to it; none if there is no such texture.
    #[doc(hidden)]
    pub fn texture(&self, name: &str) -> Option<(TextureOptions, Option<[u32; 2]>)> {
        let name = self.resource_name(name);
        let all = self.program.types().resources();
        let number = all.iter().position(|resource| *resource.name == *name)?;
        let ResourceKind::Texture(options) = all[number].kind else { return None };
        let bound = self.settings.inputs.resources.get(number).and_then(Bound::texture);
        Some((options, bound.map(|data| [data.levels()[0].width, data.levels()[0].height])))
    }

    /// The first texture or buffer without data.
    pub fn unbound(&self) -> Option<&str> {
        let bound = &self.settings.inputs.resources;
        let missing = lambdav_core::resource::unbound(self.program.types(), bound);
        missing.map(|resource| &*resource.name)
    }

    /// Uniforms of a module without a value, and unset parts of partly set uniforms, at most `most`.
    /// They are zero. Empty for λV, whose uniforms have defaults, as some of GLSL have.
    pub fn unset(&self, most: usize) -> Vec<String> {
        if self.program.has_defaults() {
            return Vec::new();
        }
        let paths = self.program.paths();
        let mut unset = Vec::new();
        for (index, uniform) in self.program.core.uniforms.iter().enumerate() {
            if unset.len() == most {
                break;
            }
            if self.text_gives_default(index) {
                continue;
            }
            let mut is_set = match &self.is_set[index] {
                set if set.is_empty() => vec![false; uniform.default.len()],
                set => set.to_vec(),
            };
            for part in self.reached_parts().filter(|part| part.uniform == index) {
                is_set[part.start..part.start + part.width].fill(true);
            }
            unset.extend(unset_parts(&paths, uniform, &is_set, most - unset.len()));
        }
        unset
    }

    /// Parts of a module's uniforms that take values by their names, since they have no value of their own:
    /// paths and values.
    pub fn reached(&self) -> Vec<(&str, NamedValue)> {
        let all = self.program.named_inputs.iter().filter(|of| self.is_reached(&of.part));
        all.map(|of| (of.path.as_str(), of.part.value)).collect()
    }

    /// Names that were given a value although the program declares them without using them, each once.
    pub fn unused(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.unused {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Memory that the program's module reads on a device ([`Shader::spirv`](crate::Shader::spirv)):
    /// push constants, the uniform block, and the data of textures and buffers with their bindings.
    #[cfg(feature = "spirv")]
    pub fn device_memory(&self, size: Size) -> DeviceMemory {
        let settings = self.settings(size, 0);
        let types = self.program.core.uniforms.iter().map(|uniform| uniform.ty);
        DeviceMemory::new(&settings.inputs, self.program.types(), types)
    }

    /// Values of uniforms and constants as a JSON object; none if longer than `most` bytes.
    pub fn values(&self, most: usize) -> Option<String> {
        let core = &self.program.core;
        let constants = core.constants.iter().map(|c| (c.name.as_str(), c.ty, &*c.default));
        let values = self.settings.values(&core.uniforms).chain(constants);
        to_json_within(self.program.types(), values, most)
    }

    fn reached_parts(&self) -> impl Iterator<Item = BuiltInPart> {
        let all = self.program.named_inputs.iter().map(|of| of.part);
        all.filter(|part| self.is_reached(part))
    }

    /// True if the text of a module gives the default of a uniform.
    fn text_gives_default(&self, uniform: usize) -> bool {
        self.program.has_default.get(uniform).is_some_and(|&has| has)
    }

    /// True if a part that is named like an input has no value of its own.
    fn is_reached(&self, part: &BuiltInPart) -> bool {
        let set = &self.is_set[part.uniform];
        set.is_empty() || !set[part.start..part.start + part.width].contains(&true)
    }

    /// True if a part of the uniform is an input of λV, so that its value changes from picture to
    /// picture.
    pub(crate) fn varies(&self, uniform: usize) -> bool {
        self.reached_parts().any(|part| part.uniform == uniform)
    }

    /// Updates the mask of set words of a uniform; does nothing for λV.
    fn mark(&mut self, uniform: usize, mark: impl FnOnce(&mut [bool])) {
        if self.program.has_defaults() {
            return;
        }
        let set = &mut self.is_set[uniform];
        if set.is_empty() {
            *set = vec![false; self.program.core.uniforms[uniform].default.len()].into();
        }
        mark(set);
    }

    /// Sets the data of all textures and buffers, in the order of their numbers.
    #[doc(hidden)]
    pub fn set_resources(&mut self, all: Vec<Bound>) {
        self.settings.inputs.resources = all;
    }

    /// Data bound to textures and buffers so far.
    pub(crate) fn resources(&self) -> &[Bound] {
        &self.settings.inputs.resources
    }

    /// Inputs of a picture of that size.
    pub(crate) fn settings(&self, size: Size, max_iterations: u64) -> Settings {
        let mut settings = self.settings.clone();
        settings.max_iterations = max_iterations;
        let size = self.resolution.unwrap_or(size);
        settings.inputs.resolution = [size.width() as f32, size.height() as f32];
        settings.inputs.resources.resize(self.program.types().resources().len(), Bound::Nothing);
        let reached: Vec<BuiltInPart> = self.reached_parts().collect();
        settings.write_inputs(&reached, &self.date);
        settings
    }

    /// Adds to an error of an unknown uniform that a constant has this name, or a similar one.
    fn instead(&self, error: UniformError) -> UniformError {
        let constants = &self.program.core.constants;
        match error {
            UniformError::Unknown { name, .. }
                if constants.iter().any(|constant| constant.name == name) =>
            {
                UniformError::Constant { name }
            }
            error => error.or_one_of(constants),
        }
    }
}
