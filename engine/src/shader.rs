//! The short way: text in, picture out.
//!
//! A [`Shader`] is a program that was accepted, a [`Renderer`] what is asked of it, an
//! [`Error`](enum@Error) why there is no picture. The parts behind them are in [`crate::program`],
//! [`crate::engines`] and [`lambdav_raster`].

use crate::engines::{Engine, FastEngine, SimdError};
use crate::program::{self, Loaded};
use crate::settings::{
    BindError, DataRef, ModuleNames, Paths, Settings, UniformError, UniformValue,
};
use lambdav_core::LANGUAGE_VERSION;
use lambdav_core::diagnostics::{Diagnostics, render_text};
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::limits;
use lambdav_core::resource::Bound;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Resource, ResourceKind, Types};
use lambdav_frontend::compile_fixed;
use lambdav_image::file::{EncodeError, Format, FormatError, Metadata, SaveError};
use lambdav_image::{Frame, Size, SizeError, file};
use lambdav_raster::{RenderError, RenderOptions, render, render_into};
use lambdav_simd_backend::{Compiler, EmitError, Target};
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// A program that was accepted.
#[derive(Debug)]
pub struct Shader {
    source: SourceFile,
    core: Core,
    /// Names that a module has for its uniforms.
    names: ModuleNames,
    warnings: Diagnostics,
}

impl Shader {
    /// Compiles the text of a shader, or core text. `name` stands for it in messages. A text cannot
    /// include files; [`Self::open`] is for programs that do.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, with places in the text.
    pub fn new(name: &str, text: &str) -> Result<Self, Report> {
        Self::of(Loaded::from_text(name, text))
    }

    /// Compiles the shader, or the core text, in the file at `path`, with the files that it includes.
    ///
    /// # Errors
    ///
    /// [`Error::Open`], and [`Error::Program`] with all that is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = File::open(path).and_then(program::read_bytes);
        let bytes = bytes.map_err(|source| Error::Open { path: path.to_owned(), source })?;
        Ok(Self::of(Loaded::from_file(Some(path), bytes, limits::ERRORS))?)
    }

    fn of(Loaded { source, core, module, mut diagnostics, .. }: Loaded) -> Result<Self, Report> {
        diagnostics.drop_lints();
        let names = module.map(|module| ModuleNames::new(&module.interface)).unwrap_or_default();
        match core {
            Some(core) => Ok(Self { source, core, names, warnings: diagnostics }),
            None => Err(Report { source, diagnostics }),
        }
    }

    /// The same program with another value of a constant; those that were given before stay.
    ///
    /// # Errors
    ///
    /// [`Error::Uniform`] where there is no such constant, or it has another type, and
    /// [`Error::Program`] where the program is wrong with that value.
    pub fn with_constant(&self, name: &str, value: impl Into<UniformValue>) -> Result<Self, Error> {
        let mut constants = self.core.constants.clone();
        let mut settings = Settings::with_uniforms(&constants, Size::new(1, 1)?);
        let set = settings.set(self.core.graph.types(), &constants, name, value);
        set.map_err(UniformError::of_constant)?;
        let values = constants.iter_mut().zip(settings.inputs.uniforms);
        values.for_each(|(constant, value)| constant.default = value);
        let mut values = constants.into_iter().map(|constant| constant.default);
        let mut fix = |_: &Types, _: &Uniform| values.next();
        let (core, diagnostics, times) = compile_fixed(&self.source, limits::ERRORS, &mut fix);
        Ok(Self::of(Loaded {
            source: self.source.clone(),
            is_core_text: false,
            core,
            diagnostics,
            module: None,
            times: Some(times),
            included: Vec::new(),
        })?)
    }

    /// Its uniforms under all their names.
    fn paths(&self) -> Paths<'_> {
        Paths::new(self.core.graph.types(), &self.core.uniforms).with_module(&self.names)
    }

    /// What is to be said where a renderer is asked to give this a value.
    fn instead(&self, error: UniformError) -> UniformError {
        match error {
            UniformError::Unknown { name, .. }
                if self.core.constants.iter().any(|constant| constant.name == name) =>
            {
                UniformError::Constant { name }
            }
            error => error.or_one_of(&self.core.constants),
        }
    }

    /// Its constants, in the order in which they are declared, with the values that they have.
    pub fn constants(&self) -> &[Uniform] {
        &self.core.constants
    }

    /// What may be wrong with it all the same.
    pub fn warnings(&self) -> Option<Report> {
        let diagnostics = self.warnings.clone();
        (!diagnostics.is_empty()).then(|| Report { source: self.source.clone(), diagnostics })
    }

    /// Its uniforms, in the order in which they are declared.
    pub fn uniforms(&self) -> &[Uniform] {
        &self.core.uniforms
    }

    /// Its textures and buffers, in the order in which they are declared.
    pub fn resources(&self) -> &[Arc<Resource>] {
        self.core.graph.types().resources()
    }

    /// The locations of its outputs, at least one, ascending.
    pub fn outputs(&self) -> Vec<u32> {
        let mut locations: Vec<u32> = self.core.outputs.iter().map(|o| o.location).collect();
        locations.sort_unstable();
        locations
    }

    /// The program behind it, for the engines and backends.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Begins a picture of that size: of the lowest output, at time 0, with the uniforms' defaults.
    pub fn renderer(&self, size: Size) -> Renderer<'_> {
        let settings = Settings::new(&self.core, size);
        let (output, specialise) = (self.outputs()[0], false);
        Renderer { shader: self, output, size, settings, timeout: None, specialise }
    }
}

/// A picture that is asked for.
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    shader: &'a Shader,
    output: u32,
    size: Size,
    settings: Settings,
    timeout: Option<Duration>,
    specialise: bool,
}

impl Renderer<'_> {
    /// Gives a uniform, or a part of one, such as `light.power` or `kernel[1]`, a value: an `f32`, an `i32`, a `u32`, a `bool`,
    /// or an array of one of them, of a matrix by columns.
    ///
    /// # Errors
    ///
    /// [`UniformError`] where there is no such uniform, or it has another type.
    pub fn set(mut self, name: &str, value: impl Into<UniformValue>) -> Result<Self, UniformError> {
        let result = self.settings.set_at(&self.shader.paths(), name, value);
        result.map_err(|error| self.shader.instead(error))?;
        Ok(self)
    }

    /// Gives a uniform a value as text, of a structure or array as JSON; see
    /// [`Settings::set_text`].
    ///
    /// # Errors
    ///
    /// [`UniformError`] where there is no such uniform, or the text is no value of its type.
    pub fn set_text(mut self, name: &str, text: &str) -> Result<Self, UniformError> {
        let result = self.settings.set_text_at(&self.shader.paths(), name, text);
        result.map_err(|error| self.shader.instead(error))?;
        Ok(self)
    }

    /// Gives uniforms values that a JSON object has under their names; see [`Settings::set_all`].
    ///
    /// # Errors
    ///
    /// [`UniformError`] where the text is no object, and as [`Self::set_text`].
    pub fn set_all(mut self, text: &str) -> Result<Self, UniformError> {
        let result = self.settings.set_all_at(&self.shader.paths(), text);
        result.map_err(|error| self.shader.instead(error))?;
        Ok(self)
    }

    /// Binds an image to a texture: a [`Frame`], or an image of 8 or 16 bits. (Buffers of the crate
    /// `image` convert to these.) Or binds elements to a buffer: a slice of all their components, or of
    /// rows of them, or [`DataRef::Json`] or [`DataRef::Npy`].
    ///
    /// ```
    /// # use lambdav::{Shader, Size};
    /// let text = "(buffer heights num) (buffer spots vec2)
    ///             (vec2 (at heights 1) (.y (at spots (int (.x (frag-coord))))))";
    /// let shader = Shader::new("spots.lv", text)?;
    /// let picture = shader
    ///     .renderer(Size::new(2, 1)?)
    ///     .bind("heights", &[0.25_f32, 0.5][..])?
    ///     .bind("spots", &[[1.0_f32, 2.0], [3.0, 4.0]][..])?
    ///     .render()?;
    /// assert_eq!(picture.pixel(1, 0), Some([0.5, 4.0, 0.0, 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A frame can be read by the next one; its numbers are kept as they are. (`lambdav render --feedback`
    /// does it for a sequence, and compiles once: [`Engine::set_texture`].)
    ///
    /// ```
    /// # use lambdav::{Frame, Shader, Size};
    /// let text = "(texture last) (+ 1 (* 2 (texel last (int (.xy (frag-coord))))))";
    /// let (shader, size) = (Shader::new("feedback.lv", text)?, Size::new(4, 4)?);
    /// let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
    /// for number in 0..3 {
    ///     frame = shader.renderer(size).frame(number as f32).bind("last", &frame)?.render()?;
    /// }
    /// assert_eq!(frame.pixel(0, 0), Some([7.0; 4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BindError`] where there is no such texture or buffer, or the data is too large or of another
    /// kind than the program wants.
    pub fn bind<'d>(mut self, name: &str, data: impl Into<DataRef<'d>>) -> Result<Self, BindError> {
        self.settings.bind(self.shader.core.graph.types(), name, data)?;
        Ok(self)
    }

    /// Binds texels to a texture, row by row from the upper left, as they are.
    ///
    /// # Errors
    ///
    /// [`BindError`] where there is no such texture, or the texels are too many, or not as many as the
    /// size says.
    pub fn bind_texels(
        mut self,
        name: &str,
        size: [u32; 2],
        texels: &[[f32; 4]],
    ) -> Result<Self, BindError> {
        let types = self.shader.core.graph.types();
        let of = types.resources().iter().find(|resource| *resource.name == *name);
        let mipmaps = match of.map(|of| of.kind) {
            Some(ResourceKind::Texture(options)) => options.mipmaps,
            Some(kind @ ResourceKind::Buffer(_)) => {
                let (name, wanted) = (name.to_owned(), "numbers, not texels");
                return Err(BindError::Kind { name, declared: kind.word(), wanted });
            }
            None => return Err(BindError::unknown(types, name)),
        };
        let data = TextureData::new(size, texels.iter().copied(), mipmaps);
        let data = data.map_err(|error| BindError::Image { name: name.to_owned(), error })?;
        self.settings.bind_data(types, name, Bound::Texture(data.into()))?;
        Ok(self)
    }

    /// What `(time)` is, in seconds.
    #[must_use]
    pub fn time(mut self, seconds: f32) -> Self {
        self.settings.inputs.time = seconds;
        self
    }

    /// What `(frame)` is.
    #[must_use]
    pub fn frame(mut self, number: f32) -> Self {
        self.settings.inputs.frame = number;
        self
    }

    /// What `(mouse)` is.
    #[must_use]
    pub fn mouse(mut self, mouse: [f32; 4]) -> Self {
        self.settings.inputs.mouse = mouse;
        self
    }

    /// How many `rec`s each entry of a loop may execute.
    #[must_use]
    pub fn max_iterations(mut self, limit: u64) -> Self {
        self.settings.max_iterations = limit;
        self
    }

    /// How long rendering may take; by default as long as it takes. Compiling counts, and ends
    /// between two of its stages: a program of the largest size may take one and a half seconds
    /// more.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Compiles the program for the values that the uniforms have and for the sizes of textures and
    /// buffers, instead of for any: what they decide is decided once. The picture does not depend on it.
    #[must_use]
    pub fn specialise(mut self) -> Self {
        self.specialise = true;
        self
    }

    /// Draws the output at that location.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] where the program has none there.
    pub fn output(mut self, location: u32) -> Result<Self, Error> {
        let outputs = self.shader.outputs();
        if !outputs.contains(&location) {
            return Err(Error::Output { location, outputs });
        }
        self.output = location;
        Ok(self)
    }

    /// Draws it, on the threads of the caller's rayon pool, or of the global one.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] where a texture or buffer is not bound or a loop exceeds its limit, [`Error::Machine`], [`Error::Render`].
    pub fn render(&self) -> Result<Frame, Error> {
        self.draw(|engine, options| render(engine, self.size, options))
    }

    /// The same over a frame that exists, for one picture after another: getting fresh memory from the
    /// system takes about as long as cheap pixels do. A frame of another size is replaced.
    ///
    /// # Errors
    ///
    /// As of [`Self::render`]. Then the frame holds some of the new picture and some of the old one.
    pub fn render_into(&self, frame: &mut Frame) -> Result<(), Error> {
        if frame.size() != self.size {
            *frame = self.render()?;
            return Ok(());
        }
        self.draw(|engine, options| render_into(engine, frame, options))
    }

    fn draw<T>(
        &self,
        run: impl FnOnce(&FastEngine, &RenderOptions<'_>) -> Result<T, RenderError>,
    ) -> Result<T, Error> {
        let report = |diagnostic| {
            let source = self.shader.source.clone();
            Error::Program(Report { source, diagnostics: vec![diagnostic].into() })
        };
        let begun = Instant::now();
        let deadline = self.timeout.and_then(|timeout| begun.checked_add(timeout));
        let compiler = Compiler { deadline, ..Compiler::new(Target::host()?) };
        let settings = &self.settings;
        let compiler = match self.specialise {
            true => compiler.specialised(&settings.inputs.resources),
            false => compiler,
        };
        let uniforms = &settings.inputs.uniforms;
        let specialised = self.specialise.then(|| self.shader.core.with_uniforms_fixed(uniforms));
        let core = specialised.as_ref().unwrap_or(&self.shader.core);
        let engine = FastEngine::with_compiler(core, self.output, settings, compiler);
        let engine = engine.map_err(|error| match (error, self.timeout) {
            (SimdError::Program(diagnostic), _) => report(diagnostic),
            (SimdError::Emit(EmitError::TimedOut), Some(timeout)) => {
                RenderError::TimedOut { timeout }.into()
            }
            (SimdError::Emit(error), _) => Error::Machine(error),
        })?;
        let left = self.timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
        let options = RenderOptions { timeout: left, ..RenderOptions::default() };
        run(&engine, &options).map_err(|error| match (error, self.timeout) {
            (RenderError::Fault(fault), _) => report(engine.explain(&fault)),
            (RenderError::TimedOut { .. }, Some(timeout)) => {
                RenderError::TimedOut { timeout }.into()
            }
            (error, _) => Error::Render(error),
        })
    }
}

/// What is to be said about a program, with the text that it points into. Shown, it is what the
/// command prints.
#[derive(Clone)]
pub struct Report {
    /// The text.
    pub source: SourceFile,
    /// The findings.
    pub diagnostics: Diagnostics,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render_text(&self.diagnostics, &self.source, false).trim_end())?;
        match self.diagnostics.omitted() {
            omitted if omitted.is_none() => Ok(()),
            omitted => write!(f, "\n\n{omitted}"),
        }
    }
}

/// As shown, since a `main` that returns an error prints it so.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Report {}

/// Why there is no picture.
#[derive(Error)]
pub enum Error {
    /// The program is at fault.
    #[error(transparent)]
    Program(#[from] Report),
    /// The file of the program cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A uniform does not exist, or has another type.
    #[error(transparent)]
    Uniform(#[from] UniformError),
    /// Data is not bound to a texture or buffer.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The program has no output at that location.
    #[error("the program has no output {location}; it has {outputs:?}")]
    Output {
        /// The location that was asked for.
        location: u32,
        /// Those that there are.
        outputs: Vec<u32>,
    },
    /// There are no images of that size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The machine cannot execute the code, or the program is too large for the code generator.
    #[error(transparent)]
    Machine(#[from] EmitError),
    /// Time, memory or threads do not suffice.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The ending of a file says no format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file was not written.
    #[error(transparent)]
    Save(#[from] SaveError<EncodeError>),
}

/// As shown, with its causes, since a `main` that returns an error prints it so.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        f.write_str(&text)
    }
}

/// Writes a picture to the file at `path`, in the format of its ending, whole or not at all. PNG has
/// 8 bits a sample, without a transfer function; [`file::save`] has the choice.
///
/// # Errors
///
/// [`Error::Format`] and [`Error::Save`].
pub fn save(path: impl AsRef<Path>, frame: &Frame) -> Result<(), Error> {
    let path = path.as_ref();
    let encoding = Format::from_path(path)?.encoding();
    Ok(file::save(path, frame, encoding, &metadata())?)
}

/// What image files say of their origin.
pub fn metadata() -> Metadata {
    Metadata::default()
        .with(Metadata::SOFTWARE, concat!("lambdav ", env!("CARGO_PKG_VERSION")))
        .with(Metadata::LANGUAGE_VERSION, LANGUAGE_VERSION.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_image::Image;

    fn size() -> Size {
        Size::new(4, 2).expect("within the limits")
    }

    #[test]
    fn text_becomes_a_picture() {
        let text = "(uniform tint vec3 (vec3 1)) (output 3 tint) (output 1 (time))";
        let shader = Shader::new("test.lv", text).expect("it is right");
        assert!(shader.warnings().is_none());
        assert_eq!(shader.outputs(), [1, 3]);
        let frame = shader.renderer(size()).time(0.5).render().expect("nothing is in the way");
        assert_eq!(frame.pixel(3, 1), Some([0.5, 0.0, 0.0, 1.0]));
        let renderer = shader.renderer(size()).set("tint", [1.0, 0.5, 0.0]).expect("a vec3");
        let renderer = renderer.output(3).expect("it has one");
        let pool = raster_pool();
        let mut frame = pool.install(|| renderer.render()).expect("nothing is in the way");
        assert_eq!(frame.pixel(0, 0), Some([1.0, 0.5, 0.0, 1.0]));
        // One picture after another, of another size at last.
        let at = |frame: &Frame| frame.samples().as_ptr();
        let before = at(&frame);
        let black = renderer.set("tint", [0.0; 3]).expect("a vec3");
        black.render_into(&mut frame).expect("nothing is in the way");
        assert_eq!((at(&frame), frame.pixel(3, 1)), (before, Some([0.0, 0.0, 0.0, 1.0])));
        let larger = shader.renderer(Size::new(5, 3).expect("within the limits"));
        larger.render_into(&mut frame).expect("nothing is in the way");
        assert_eq!(frame.pixel(4, 2), Some([0.0, 0.0, 0.0, 1.0]));
    }

    fn raster_pool() -> rayon::ThreadPool {
        let threads = std::num::NonZeroUsize::new(2).expect("not zero");
        lambdav_raster::thread_pool(threads).expect("threads can be started")
    }

    /// The time that was given is that which the error tells, whatever compiling took of it.
    #[test]
    fn compiling_counts() {
        let endless = "((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))";
        let shader = Shader::new("endless.lv", endless).expect("it is well-typed");
        for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(20)] {
            let renderer = shader.renderer(size()).max_iterations(u64::MAX).timeout(timeout);
            match renderer.render().expect_err("it does not end") {
                Error::Render(RenderError::TimedOut { timeout: told }) => assert_eq!(told, timeout),
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn constants_are_fixed_by_the_shader() {
        let text = "(constant flat bool true) (constant k num 2) (uniform u num 3)
            (@ (if flat (* k u) (vec2 k u)))";
        let shader = Shader::new("constants.lv", text).expect("it is right");
        let pixel = |shader: &Shader| {
            let renderer = shader.renderer(size()).set("u", 5.0).expect("a num");
            let frames = [renderer.render(), renderer.specialise().render()];
            let pixels = frames.map(|frame| frame.expect("it ends").pixel(0, 0));
            assert_eq!(pixels[0], pixels[1]);
            pixels[0].expect("it is within")
        };
        assert_eq!(pixel(&shader), [10.0, 0.0, 0.0, 1.0]);
        let other = shader.with_constant("flat", false).expect("a bool");
        let other = other.with_constant("k", 7.0).expect("a num");
        assert_eq!(pixel(&other), [7.0, 5.0, 0.0, 1.0]);
        let words: Vec<u32> = other.constants().iter().map(|c| c.default[0]).collect();
        assert_eq!(words, [0, 7f32.to_bits()]);
        let error = shader.renderer(size()).set("flat", false).expect_err("a constant");
        let message = error.to_string();
        assert!(message.contains("`flat` is a constant"), "{message}");
        assert!(message.contains("Shader::with_constant"), "{message}");
        let error = shader.renderer(size()).set("flt", false).expect_err("no such name");
        assert!(error.to_string().contains("did you mean `flat`?"), "{error}");
        let error = shader.with_constant("flat", 1.0).expect_err("a bool");
        assert!(error.to_string().starts_with("constant `flat`: it is a bool"), "{error}");
    }

    /// A picture of a picture, and texels that somebody made.
    #[test]
    fn textures_are_images_or_texels() {
        let text = "(texture last) (+ 1 (texel last (int (.xy (frag-coord)))))";
        let shader = Shader::new("feedback.lv", text).expect("it is right");
        assert_eq!(*shader.resources()[0].name, *"last");
        let error = shader.renderer(size()).render().expect_err("nothing is bound");
        assert!(error.to_string().starts_with("error[LV0507]: the texture `last`"), "{error}");
        let texels = [[0.0, 1.0, 2.0, 3.0]];
        let renderer = shader.renderer(size()).bind_texels("last", [1, 1], &texels);
        let mut frame = renderer.expect("one of one").render().expect("it is bound");
        for _ in 0..3 {
            let renderer = shader.renderer(size()).bind("last", &frame).expect("it is a frame");
            frame = renderer.render().expect("it is bound");
        }
        assert_eq!(frame.pixel(3, 1), Some([4.0, 5.0, 6.0, 7.0]));
        let error = shader.renderer(size()).bind("lost", &frame).expect_err("no such name");
        assert!(error.to_string().contains("did you mean `last`?"), "{error}");
        let error = shader.renderer(size()).bind_texels("last", [2, 1], &texels);
        let error = error.expect_err("one of two");
        assert!(error.to_string().contains("another number of texels than 1"), "{error}");
        let error = shader.renderer(size()).bind_texels("last", [0, 0], &[]);
        let error = error.expect_err("no texels");
        assert!(error.to_string().contains("0x0 has no texels"), "{error}");
    }

    /// Pictures of the crate `image`.
    #[test]
    fn buffers_of_images_are_textures() {
        let text = "(texture picture) (texel picture (int (.xy (frag-coord))))";
        let shader = Shader::new("picture.lv", text).expect("it is right");
        let buffer =
            image::RgbaImage::from_fn(4, 3, |x, y| image::Rgba([51 * x as u8, y as u8, 0, 255]));
        let picture = Image::try_from(&buffer).expect("it is small");
        let renderer = shader.renderer(size()).bind("picture", &picture).expect("it is an image");
        let frame = renderer.render().expect("it is bound");
        assert_eq!(frame.pixel(2, 1), Some([0.4, 1.0 / 255.0, 0.0, 1.0]));
    }

    /// What a `main` that returns it would print.
    #[test]
    fn errors_say_what_and_where() {
        let error = Shader::new("wrong.lv", "(vec3 (sin x) 1)").expect_err("x is not bound");
        let text = format!("{:?}", Error::from(error));
        assert!(text.starts_with("error[LV0301]: `x` is not bound\n --> wrong.lv:1:12"), "{text}");

        let endless = "((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))";
        let shader = Shader::new("endless.lv", endless).expect("it is well-typed");
        let error = shader.renderer(size()).max_iterations(100).render().expect_err("no end");
        assert!(error.to_string().contains("the first such pixel in scan order is (0, 0)"));
        let error = shader.renderer(size()).output(2).expect_err("it has one at 0");
        assert_eq!(error.to_string(), "the program has no output 2; it has [0]");

        let frame = Shader::new("black.lv", "(vec4 0)").expect("right").renderer(size()).render();
        let error = save("no/such/folder/a.png", &frame.expect("it ends")).expect_err("no folder");
        let text = format!("{error:?}");
        assert!(text.starts_with("cannot write `no/such/folder/a.png`: "), "{text}");
    }

    /// An index into an array of which machine code is not made.
    #[test]
    fn large_computed_arrays_are_drawn_by_the_evaluator() {
        let text = "(uniform gain num) (uniform n int 0i)
             (define t (tabulate 16385 (func (i) (* gain (+ (num i) (.y (frag-coord)))))))
             (at t (+ n (int (.x (frag-coord)))))";
        let shader = Shader::new("table.lv", text).expect("it is right");
        let settings = Settings::new(shader.core(), size());
        let engine = FastEngine::new(shader.core(), 0, &settings, None).expect("it is evaluated");
        let FastEngine::Core(_, EmitError::IndexedArray(why)) = engine else {
            panic!("machine code is made of it")
        };
        assert_eq!(why.code.as_str(), "LV0506");
        let renderer = shader.renderer(size()).set_all(r#"{"n": 16381, "gain": 2}"#);
        let frame = renderer.expect("it has these").render().expect("nothing is in the way");
        assert_eq!(frame.pixel(0, 0), Some([32763.0, 0.0, 0.0, 1.0]));
        assert_eq!(frame.pixel(3, 1), Some([32771.0, 0.0, 0.0, 1.0]));
    }

    /// Loops that nest more deeply than machine code is made of.
    #[test]
    fn deep_nests_are_drawn_by_the_evaluator() {
        let mut text = "(time)".to_owned();
        for _ in 0..230 {
            text = format!("((rec-func (n s) (if (< n 1) (rec (+ n 1) {text}) s)) (time) 1)");
        }
        let shader = Shader::new("deep.lv", &text).expect("it is right");
        let settings = Settings::new(shader.core(), size());
        let engine = FastEngine::new(shader.core(), 0, &settings, None).expect("it nests little");
        assert!(matches!(engine, FastEngine::Core(_, EmitError::TooDeep { .. })));
        let frame = shader.renderer(size()).render().expect("nothing is in the way");
        assert_eq!(frame.pixel(3, 1), Some([0.0, 0.0, 0.0, 1.0]));
    }
}
