//! Shaders: accepted programs, in any language.

use crate::accepted::Accepted;
use crate::bindings::Bindings;
use crate::error::{Error, Report};
use crate::options::Options;
use crate::pipeline::Pipeline;
use crate::program::{self, Fix, Loaded};
use crate::reading::ShaderOptions;
use crate::settings::{Paths, Settings, UniformError, UniformValue};
use lambdav_core::diagnostics::Diagnostics;
use lambdav_core::graph::{Attribute, Core, Uniform};
use lambdav_core::interface::{Binding, Interface};
use lambdav_core::layout::{Layout, Rules};
use lambdav_core::limits;
use lambdav_core::sampler::ImageOptions;
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Resource, ResourceKind, Type, Types};
use lambdav_frontend::compile_fixed;
use lambdav_image::Size;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// An accepted program: λV, core text, SPIR-V, WGSL or GLSL. Clones share it.
#[derive(Clone, Debug)]
pub struct Shader(pub(crate) Arc<Accepted>);

/// Use of a location's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocationUse {
    /// A uniform named `input.LOCATION`.
    Value,
    /// An input with a source: [`LocationInput`](crate::LocationInput).
    Source,
    /// Declared, but not used by the entry point.
    Unused,
}

impl Shader {
    /// Compiles the text of a shader, or core text. Messages call it `name`, whose extension identifies
    /// WGSL (`.wgsl`) and GLSL (`.frag`, `.vert` and others). The text cannot include files; [`Self::open`] loads
    /// programs that do.
    ///
    /// # Errors
    ///
    /// All errors, with their places in the text.
    pub fn new(name: &str, text: &str) -> Result<Self, Report> {
        Self::of(Loaded::from_text(name, text))
    }

    /// Like [`Self::new`], with options.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and [`Error::Uniform`] if there is no such constant, or it has another
    /// type.
    pub fn with_options(name: &str, text: &str, options: &ShaderOptions) -> Result<Self, Error> {
        Self::load(options, |fix| Loaded::from_text_with(name, text, options.errors, fix, options))
    }

    /// Compiles the shader in the file at `path`, with the files that it includes.
    ///
    /// # Errors
    ///
    /// [`Error::Open`], and [`Error::Program`] with all errors.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, &ShaderOptions::default())
    }

    /// Like [`Self::open`], with options.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`], and [`Error::Uniform`] if there is no such constant, or it has another
    /// type.
    pub fn open_with(path: impl AsRef<Path>, options: &ShaderOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = File::open(path).and_then(program::read_bytes);
        let bytes = bytes.map_err(|source| Error::Open { path: path.to_owned(), source })?;
        Self::load(options, |fix| {
            Loaded::with_options(Some(path), bytes, options.errors, fix, options)
        })
    }

    /// Loads a program with the constants of the options.
    fn load(
        options: &ShaderOptions,
        load: impl FnOnce(&mut Fix<'_>) -> Loaded,
    ) -> Result<Self, Error> {
        let mut wrong = None;
        let mut fix = |types: &Types, constant: &Uniform| {
            words_of(types, constant, &options.constants).unwrap_or_else(|error| {
                wrong.get_or_insert(error);
                None
            })
        };
        let loaded = load(&mut fix);
        if let Some(error) = wrong {
            return Err(error.into());
        }
        let shader = Self::of(loaded)?;
        let known = Paths::new(shader.0.types(), shader.constants());
        for name in options.constants.keys() {
            known.find(name)?;
        }
        Ok(shader)
    }

    /// Shader of a loaded program.
    ///
    /// # Errors
    ///
    /// All errors of the program.
    #[doc(hidden)]
    pub fn of(mut loaded: Loaded) -> Result<Self, Report> {
        loaded.diagnostics.drop_lints();
        Accepted::new(loaded).map(|accepted| Self(Arc::new(accepted)))
    }

    /// The same program with another value of a constant; earlier values stay. Files that a text in WGSL imports are
    /// read again.
    ///
    /// # Errors
    ///
    /// [`Error::Uniform`] if there is no such constant, or it has another type, [`Error::Program`] if the program is
    /// wrong with that value, and [`Error::Mismatch`] for a module or GLSL.
    pub fn with_constant(&self, name: &str, value: impl Into<UniformValue>) -> Result<Self, Error> {
        let core = &self.0.core;
        let mut constants = core.constants.clone();
        let mut settings = Settings::with_uniforms(&constants, Size::new(1, 1)?);
        let set = settings.set(core.graph.types(), &constants, name, value);
        set.map_err(UniformError::of_constant)?;
        let values = constants.iter_mut().zip(settings.inputs.uniforms);
        values.for_each(|(constant, value)| constant.default = value);
        #[cfg(feature = "foreign")]
        if let Some(wgsl) = &self.0.wgsl {
            let value = constants.iter().find(|constant| constant.name == name);
            let value = value.and_then(|constant| constant.default.first());
            return Ok(Self::of(wgsl.with(&self.0.source, name, *value.expect("it was set")))?);
        }
        if self.0.module.is_some() {
            let why = "the constants of modules and of GLSL are set when they are read: `ShaderOptions::constant`";
            return Err(Error::Mismatch(why.to_owned()));
        }
        let mut values = constants.into_iter().map(|constant| constant.default);
        let mut fix = |_: &Types, _: &Uniform| values.next();
        let (core, diagnostics, times) = compile_fixed(&self.0.source, limits::ERRORS, &mut fix);
        Ok(Self::of(Loaded {
            source: self.0.source.clone(),
            core,
            diagnostics,
            times: Some(times),
            ..Loaded::empty(limits::ERRORS)
        })?)
    }

    /// Compiles the program for an engine.
    ///
    /// # Errors
    ///
    /// [`Error::Output`], [`Error::Program`] if the program nests too deeply, [`Error::Unsupported`],
    /// [`Error::Machine`] and [`Error::TimedOut`].
    pub fn pipeline(&self, options: &Options) -> Result<Pipeline, Error> {
        Pipeline::new(&self.0, options)
    }

    /// Bindings with default uniforms, at time 0, without data.
    pub fn bindings(&self) -> Bindings {
        Bindings::new(&self.0)
    }

    /// Constants with their values, in the order of declaration.
    pub fn constants(&self) -> &[Uniform] {
        &self.0.core.constants
    }

    /// Warnings, if any.
    pub fn warnings(&self) -> Option<Report> {
        let diagnostics: Diagnostics = self.0.warnings.clone();
        (!diagnostics.is_empty()).then(|| Report { source: self.0.source.clone(), diagnostics })
    }

    /// Uniforms, in the order of declaration.
    pub fn uniforms(&self) -> &[Uniform] {
        &self.0.core.uniforms
    }

    /// Attributes of vertices and instances, in the order of declaration; none unless the program draws
    /// triangles.
    pub fn attributes(&self) -> &[Attribute] {
        self.0.core.triangles.as_deref().map_or(&[], |triangles| &triangles.attributes)
    }

    /// True if the program draws triangles.
    pub fn draws_triangles(&self) -> bool {
        self.0.core.triangles.is_some()
    }

    /// Textures and buffers, in the order of declaration.
    pub fn resources(&self) -> &[Arc<Resource>] {
        self.0.types().resources()
    }

    /// Locations of the outputs, ascending; none of a program of passes alone.
    pub fn outputs(&self) -> Vec<u32> {
        self.0.outputs()
    }

    /// The interface: entry point, inputs, outputs and bindings, in the same form for all languages.
    /// For λV it is the interface of the module that [`Shader::spirv`] emits, except that the module
    /// may omit inputs, uniforms and resources that no output reads.
    ///
    /// ```
    /// # use lambdav_engine::{Shader, interface::{Binding, Stage}};
    /// let text = "(uniform gain num 1) (texture photo)
    ///             (output 0 (* gain (sample photo (/ (.xy (frag-coord)) (resolution)))))";
    /// let shader = Shader::new("gain.lv", text)?;
    /// let interface = shader.interface();
    /// assert_eq!(interface.entry_point.stage, Stage::Fragment);
    /// assert_eq!(interface.outputs[0].location, 0);
    /// let (block, index, member) = interface.uniforms().next().expect("it has one");
    /// assert_eq!((block.binding.to_string(), member.name.as_str()), ("0.0".to_owned(), "gain"));
    /// assert_eq!(shader.type_name(shader.uniforms()[index].ty), "num");
    /// assert_eq!(interface.resources[0].binding, Binding::Descriptor { set: 0, binding: 1 });
    /// # Ok::<(), lambdav_engine::Report>(())
    /// ```
    pub fn interface(&self) -> &Interface {
        &self.0.interface
    }

    /// Name of a type of uniforms, inputs, outputs or buffers, as λV writes it.
    pub fn type_name(&self, ty: Type) -> String {
        self.0.types().name(ty).to_string()
    }

    /// Names of a module's fragment entry points; empty for λV.
    pub fn entry_points(&self) -> Vec<String> {
        let all = self.0.interface.entry_points.iter();
        all.filter(|entry| entry.stage.has_pixels()).map(|entry| entry.name.clone()).collect()
    }

    /// Locations of a module's inputs; empty for λV.
    pub fn locations(&self) -> Vec<u32> {
        let interface = &self.0.interface;
        let used = interface.locations.iter().map(|input| input.location);
        let unused = interface.unused.iter().filter_map(|input| input.location);
        used.chain(unused).collect()
    }

    /// Use of a location's input, if the module has one.
    pub fn location(&self, location: u32) -> Option<LocationUse> {
        let interface = &self.0.interface;
        match interface.location(location).map(|input| input.source) {
            Some(Ok(_)) => Some(LocationUse::Source),
            Some(Err(_)) => Some(LocationUse::Value),
            None => {
                let mut unused = interface.unused.iter();
                unused.any(|of| of.location == Some(location)).then_some(LocationUse::Unused)
            }
        }
    }

    /// Blocks of uniforms, each with the number of bytes that the program reads.
    #[doc(hidden)]
    pub fn blocks(&self) -> Vec<(Binding, usize)> {
        let mut blocks: Vec<(Binding, usize)> = Vec::new();
        let (types, layout) = (self.0.types(), Layout::new(self.0.types(), Rules::Std140));
        for (block, index, member) in self.0.interface.uniforms() {
            let offsets = member.placement.offsets(&layout, types, self.uniforms()[index].ty);
            let end = offsets.iter().max().map_or(0, |last| *last as usize + 4);
            match blocks.iter_mut().find(|(of, _)| *of == block.binding) {
                Some((_, size)) => *size = end.max(*size),
                None => blocks.push((block.binding, end)),
            }
        }
        blocks
    }

    /// Names of the samplers of a module, and of the textures that are combined with one; empty for λV.
    pub fn samplers(&self) -> Vec<String> {
        let Interface { samplers, resources, .. } = &self.0.interface;
        if !self.is_module() {
            return Vec::new();
        }
        let name = |own: &str, binding: Binding| match own {
            "" => binding.to_string(),
            own => own.to_owned(),
        };
        let textures = resources.iter().zip(self.0.types().resources());
        let textures = textures.filter(|(_, of)| matches!(of.kind, ResourceKind::Texture(_)));
        let separate = samplers.iter().map(|of| name(&of.name, of.binding));
        separate.chain(textures.map(|(of, _)| name(&of.name, of.binding))).collect()
    }

    /// True if [`ShaderOptions::sampler`](crate::ShaderOptions::sampler) of that name means something to the module, used or not.
    pub fn has_sampler(&self, name: &str) -> bool {
        let Interface { samplers, resources, unused, .. } = &self.0.interface;
        let is_it = |own: &str, binding: Binding, element: Option<u32>| {
            let suffix = element.map(|k| format!("[{k}]")).unwrap_or_default();
            let own = own.strip_suffix(&suffix).unwrap_or(own);
            ImageOptions::names(own, &binding.to_string(), element).iter().any(|of| of == name)
        };
        let textures = resources.iter().any(|of| is_it(&of.name, of.binding, of.element));
        let separate = samplers.iter().any(|of| is_it(&of.name, of.binding, None));
        let unused = || unused.iter().any(|of| of.names.iter().any(|of| of == name));
        self.is_module() && (textures || separate || unused())
    }

    /// True for modules: SPIR-V, WGSL and GLSL.
    pub fn is_module(&self) -> bool {
        self.0.module.is_some() || self.0.as_is.is_some()
    }

    /// True for texts in WGSL and GLSL.
    pub fn is_foreign(&self) -> bool {
        self.0.module.as_ref().is_some_and(|module| module.is_foreign)
    }

    /// The dialect of a text in GLSL: `vulkan`, `opengl`, `shadertoy` or `isf`; none for other languages.
    pub fn dialect(&self) -> Option<&'static str> {
        self.0.dialect
    }

    /// True if the origin is at the lower left: the program's first row is the lowest one of its pictures.
    pub fn is_lower_left(&self) -> bool {
        self.0.lower_left
    }

    /// Text that diagnostics point into.
    pub fn source(&self) -> &SourceFile {
        &self.0.source
    }

    /// The program in the core, for engines and backends.
    #[doc(hidden)]
    pub fn core(&self) -> &Core {
        &self.0.core
    }
}

/// Words of a constant with the values that are given, by path, to it or to parts of it; none if there
/// are none.
fn words_of(
    types: &Types,
    constant: &Uniform,
    values: &BTreeMap<String, UniformValue>,
) -> Result<Option<Arc<[u32]>>, UniformError> {
    let all = std::slice::from_ref(constant);
    let paths = Paths::new(types, all);
    let size = Size::new(1, 1).expect("a constant within the limits");
    let (mut settings, mut is_given) = (Settings::with_uniforms(all, size), false);
    // The path may be another constant's, whose longer name begins with this one's.
    for (path, value) in values.iter().filter(|(path, _)| paths.find(path).is_ok()) {
        settings.set_at(&paths, path, value.clone()).map_err(UniformError::of_constant)?;
        is_given = true;
    }
    Ok(is_given.then(|| settings.inputs.uniforms.swap_remove(0)))
}
