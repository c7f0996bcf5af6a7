//! Scripts: AmberScript files, which hold shaders, commands to draw them, and expectations.
//!
//! A script is one test. It has no golden, since it holds its own expectations; nothing is blessed or
//! written. An unsupported feature makes it [`Status::Unsupported`], which is neither a pass nor a
//! failure.

use super::options::RunOptions;
use super::plan::Test;
use super::result::{Status, TestResult};
use super::run::{Said, frame_of, timed};
use crate::engines::engine;
use crate::failure::{Failure, Result};
use crate::files::read_bytes;
use crate::watch;
use lambdav_amber::{
    AmberBindings, AmberCommand, AmberCompute, AmberErrorKind, AmberImage, AmberPipeline,
    AmberShader, AmberTexels, AmberTexture, Script,
};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::interface::{Binding, BoundResource, Interface};
use lambdav_core::limits;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::texture::Texels;
use lambdav_engine::program::Loaded;
use lambdav_engine::{
    AnyImage, Bindings, DataRef, DispatchOptions, Image, LocationUse, Options, Report, Shader,
    ShaderOptions, Size, TextLanguage,
};
use lambdav_image::file::Encoding;
use lambdav_image::quantize::Transfer;
use lambdav_spirv::assemble::assemble;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path};
use std::time::Instant;

/// Most pixels that a script may draw, and most that its expectations may compare.
const PIXELS: u64 = 1 << 26;

/// Reason why a script stopped.
enum Stop {
    /// It uses an unsupported feature.
    Unsupported(String),
    /// An expectation failed.
    Differs(String),
    Failure(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// State of a picture between commands.
struct Target {
    picture: Image<u8>,
    /// The colour to which it was cleared, if nothing was drawn since.
    cleared: Option<[f32; 4]>,
}

impl Target {
    fn texels(&self) -> Vec<[f32; 4]> {
        let texel = |pixel: &[u8; 4]| pixel.map(|level| f32::from(level) / 255.0);
        self.picture.samples().as_chunks().0.iter().map(texel).collect()
    }
}

/// Runs the tests of one script.
pub(super) fn run_script(tests: &[&Test], run_options: &RunOptions, say: &dyn Fn(Said<'_>)) {
    for test in tests {
        say(Said::Begins(test));
        let run =
            |result: &mut TestResult, until| attempt(&test.program, run_options, until, result);
        say(Said::Ends(test, timed(test, run, run_options).into()));
    }
}

/// Runs the script at `path`.
fn attempt(
    path: &Path,
    run_options: &RunOptions,
    until: Instant,
    result: &mut TestResult,
) -> Result {
    match run(path, run_options, until) {
        Ok(()) => {}
        Err(Stop::Unsupported(what)) => {
            (result.status, result.message) = (Status::Unsupported, what);
        }
        Err(Stop::Differs(what)) => (result.status, result.message) = (Status::Failed, what),
        Err(Stop::Failure(failure)) => return Err(failure),
    }
    Ok(())
}

fn run(path: &Path, run_options: &RunOptions, until: Instant) -> std::result::Result<(), Stop> {
    let (name, bytes) = read_bytes(path)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) if text.len() <= limits::CORE_TEXT => text,
        Ok(_) => return Err(Failure::input(format!("`{name}` is too long")).into()),
        Err(error) => return Err(Failure::input(format!("`{name}`: {error}")).into()),
    };
    let script = Script::read_with(&text, &mut |name| data_of(path, name));
    let run =
        |script| Running { path, source: SourceFile::new(name, text), script, run_options, until };
    match script {
        Ok(script) => run(script).run(),
        Err(error) => match error.kind {
            AmberErrorKind::Unsupported(what) => Err(Stop::Unsupported(what)),
            kind => Err(run(Script::default()).wrong(error.span, kind.to_string()).into()),
        },
    }
}

/// A running script.
struct Running<'a> {
    path: &'a Path,
    source: SourceFile,
    script: Script,
    run_options: &'a RunOptions,
    until: Instant,
}

impl Running<'_> {
    fn wrong(&self, span: Span, message: String) -> Failure {
        let place = self.source.line_column(span.start);
        let name = self.source.name();
        Failure::input(format!("{name}:{}:{}: {message}", place.line, place.column))
    }

    /// Failure of an expectation, with its line.
    fn differs(&self, span: Span, what: &str) -> Stop {
        let line = self.source.line_column(span.start).line;
        Stop::Differs(format!("{what} (line {line})"))
    }

    fn run(&self) -> std::result::Result<(), Stop> {
        let mut targets: BTreeMap<&str, Target> = BTreeMap::new();
        let mut buffers: Vec<Vec<u8>> =
            self.script.buffers.iter().map(|buffer| buffer.bytes.to_vec()).collect();
        let mut has_expectation = false;
        let [mut cleared, mut drawn, mut compared] = [0; 3];
        for command in &self.script.commands {
            match command {
                AmberCommand::Clear { pipeline, colour, span } => {
                    let AmberPipeline { target, size, .. } = &self.script.pipelines[*pipeline];
                    count(&mut cleared, *size, "cleared")?;
                    let level = colour.map(|part| (part * 255.0).round() as u8);
                    let picture = Image::from_fn(self.size(*size, *span)?, |_, _| level);
                    targets.insert(target, Target { picture, cleared: Some(*colour) });
                }
                AmberCommand::Draw { pipeline, span } => {
                    let pipeline = &self.script.pipelines[*pipeline];
                    count(&mut drawn, pipeline.size, "drawn")?;
                    let clear = match targets.get(&*pipeline.target) {
                        None => [0.0; 4],
                        Some(Target { cleared: Some(colour), .. }) => *colour,
                        Some(_) => {
                            let what = "several draws into one picture".to_owned();
                            return Err(Stop::Unsupported(what));
                        }
                    };
                    let picture = self.draw(pipeline, &buffers, &targets, clear, *span)?;
                    targets.insert(&pipeline.target, Target { picture, cleared: None });
                }
                AmberCommand::Dispatch { pipeline, groups, span } => {
                    let pipeline = &self.script.computes[*pipeline];
                    self.dispatch(pipeline, &mut buffers, &targets, *groups, *span)?;
                }
                AmberCommand::ExpectNumbers { buffer, places, relation, values, span } => {
                    has_expectation = true;
                    let of = &self.script.buffers[*buffer];
                    for (&place, &wanted) in places.iter().zip(values) {
                        let bytes = buffers[*buffer].get(place..place + 4);
                        let Some(bytes) = bytes.and_then(|bytes| bytes.try_into().ok()) else {
                            let what = format!("`{}` ends before byte {}", of.name, place + 4);
                            return Err(self.wrong(*span, what).into());
                        };
                        let found = wanted.of_bits(u32::from_le_bytes(bytes));
                        if !found.has(*relation, wanted) {
                            let name = &of.name;
                            let what = format!(
                                "`{name}`: expected {wanted}, got {found}, at byte {place}"
                            );
                            return Err(self.differs(*span, &what));
                        }
                    }
                }
                AmberCommand::ExpectSame { buffers: [one, other], span } => {
                    has_expectation = true;
                    let [a, b] = [*one, *other].map(|index| &buffers[index]);
                    if a != b {
                        let [one, other] =
                            [*one, *other].map(|index| &self.script.buffers[index].name);
                        let what = match a.iter().zip(b).position(|(a, b)| a != b) {
                            Some(byte) => format!("first at byte {byte}"),
                            None => format!("{} and {} bytes", a.len(), b.len()),
                        };
                        let what = format!("`{one}` is not `{other}`: {what}");
                        return Err(self.differs(*span, &what));
                    }
                }
                AmberCommand::ExpectColour { picture, place, size, colour, tolerance, span } => {
                    has_expectation = true;
                    let picture = self.drawn(&targets, picture, *span)?;
                    let areas = (place, size, picture.size());
                    if !lies_within(areas.0, areas.1, areas.2) {
                        let what = "the rectangle lies outside of the picture".to_owned();
                        return Err(self.wrong(*span, what).into());
                    }
                    count(&mut compared, *size, "compared")?;
                    if let Some(what) = first_other(picture, *place, *size, colour, tolerance) {
                        return Err(self.differs(*span, &what));
                    }
                }
                AmberCommand::ExpectEqual { pictures: [one, other], span } => {
                    has_expectation = true;
                    let [a, b] = [one, other].map(|name| self.drawn(&targets, name, *span));
                    let (a, b) = (a?, b?);
                    count(&mut compared, [a.size().width(), a.size().height()], "compared")?;
                    if let Some(what) = first_unequal([one, other], a, b) {
                        return Err(self.differs(*span, &what));
                    }
                }
            }
        }
        match has_expectation {
            true => Ok(()),
            false => Err(Stop::Unsupported("a script that expects nothing".to_owned())),
        }
    }

    /// A picture that a command has drawn into.
    fn drawn<'t>(
        &self,
        targets: &'t BTreeMap<&str, Target>,
        name: &str,
        span: Span,
    ) -> std::result::Result<&'t Image<u8>, Stop> {
        match targets.get(name) {
            Some(Target { picture, .. }) => Ok(picture),
            _ => Err(self.wrong(span, format!("nothing was drawn into `{name}`")).into()),
        }
    }

    /// The size of a framebuffer.
    fn size(&self, [width, height]: [u32; 2], span: Span) -> Result<Size> {
        let size = Size::new(width, height);
        size.map_err(|error| self.wrong(span, format!("the framebuffer: {error}")))
    }

    fn draw(
        &self,
        pipeline: &AmberPipeline,
        buffers: &[Vec<u8>],
        targets: &BTreeMap<&str, Target>,
        clear: [f32; 4],
        span: Span,
    ) -> std::result::Result<Image<u8>, Stop> {
        let options = ShaderOptions::default().clear(clear).constants_by_id(&pipeline.constants);
        let options = with_samplers(options, &pipeline.bound);
        let shader = self.load(&self.script.shaders[pipeline.shader], &options)?;
        let size = self.size(pipeline.size, span)?;
        if shader.locations().iter().any(|of| shader.location(*of) != Some(LocationUse::Unused)) {
            return Err(Stop::Unsupported("inputs of locations".to_owned()));
        }
        let mut resources = shader.interface().resources.iter();
        if resources.any(|of| of.memory.is_some()) {
            return Err(Stop::Unsupported("storage buffers of a fragment shader".to_owned()));
        }
        if !shader.outputs().contains(&0) {
            return Err(Stop::Unsupported("a shader without an output at location 0".to_owned()));
        }
        let bindings = self.fill(&pipeline.bound, buffers, targets, &shader, span)?;
        let options = Options::default()
            .engine(engine(self.run_options.engine, self.run_options.gpu.as_ref()))
            .for_size(size);
        let encoding = Encoding::Png8(Transfer::Linear);
        let (run_options, until) = (self.run_options, self.until);
        match frame_of(&shader, &options, &bindings, size, encoding, run_options, until)? {
            (AnyImage::Unorm8(picture), _) => Ok(picture),
            _ => Err(Failure::machine("the picture does not have 8 bits").into()),
        }
    }

    /// Runs a compute pipeline on buffers.
    fn dispatch(
        &self,
        pipeline: &AmberCompute,
        buffers: &mut [Vec<u8>],
        targets: &BTreeMap<&str, Target>,
        groups: [u32; 3],
        span: Span,
    ) -> std::result::Result<(), Stop> {
        let mut options = ShaderOptions::default().compute();
        if let Some(name) = &pipeline.entry_point {
            options = options.entry_point(name);
        }
        let options = options.constants_by_id(&pipeline.constants);
        let options = with_samplers(options, &pipeline.bound);
        let shader = self.load(&self.script.shaders[pipeline.shader], &options)?;
        let mut bindings = self.fill(&pipeline.bound, buffers, targets, &shader, span)?;
        let all = &shader.interface().resources;
        let memories: Vec<Binding> =
            all.iter().filter(|of| of.memory.is_some()).map(|of| of.binding).collect();
        for &binding in &memories {
            let Some(&buffer) = pipeline.bound.buffers.get(&binding) else {
                return Err(self.unbound(binding, span).into());
            };
            let bound = bindings.bind(&binding.to_string(), DataRef::Bytes(&buffers[buffer]));
            bound.map_err(|error| self.wrong(span, error.to_string()))?;
        }
        let engine = self
            .run_options
            .compute_engine(true)
            .ok_or_else(|| Stop::Unsupported("compute shaders by this engine".to_owned()))?;
        let failed = |error| self.run_options.failed(error);
        let compiled = shader.compute_pipeline(&Options::default().engine(engine));
        let left = self.until.saturating_duration_since(Instant::now());
        let dispatch = DispatchOptions::default().timeout(left);
        let compiled = compiled.map_err(failed)?;
        compiled.dispatch_with(&mut bindings, groups, &dispatch).map_err(failed)?;
        for binding in memories {
            let words = bindings.words(&binding.to_string()).unwrap_or_default();
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            buffers[pipeline.bound.buffers[&binding]] = bytes.collect();
        }
        Ok(())
    }

    /// Compiles the shader.
    fn load(
        &self,
        shader: &AmberShader,
        options: &ShaderOptions,
    ) -> std::result::Result<Shader, Stop> {
        let Some(version) = shader.version() else {
            let options = options.clone().language(TextLanguage::Glsl);
            let text = self.source.slice(shader.text);
            let fix = &mut |_: &_, _: &_| None;
            let name = self.source.name();
            let loaded = Loaded::from_text_with(name, text, limits::ERRORS, fix, &options);
            return accepted(loaded);
        };
        let words = assemble(self.source.slice(shader.text), version).map_err(|error| {
            let start = shader.text.start;
            let span = Span::new(start + error.span.start, start + error.span.end);
            let message = error.kind.to_string();
            let found = Diagnostic::new(DiagnosticCode::MalformedModule, span, message);
            let diagnostics = vec![found].into();
            Failure::input(Report { source: self.source.clone(), diagnostics }.to_string())
        })?;
        let bytes = lambdav_spirv::bytes(&words);
        let fix = &mut |_: &_, _: &_| None;
        accepted(Loaded::with_options(Some(self.path), bytes, limits::ERRORS, fix, options))
    }

    /// The error of a binding without a buffer.
    fn unbound(&self, binding: Binding, span: Span) -> Failure {
        let what = match binding {
            Binding::Descriptor { set, binding } => format!("set {set}, binding {binding}"),
            Binding::PushConstants => "push constants".to_owned(),
        };
        self.wrong(span, format!("nothing is bound to {what}"))
    }

    /// Binds the script's buffers to uniform blocks, and images to textures. Bytes beyond the end of a buffer are zero.
    fn fill(
        &self,
        bound: &AmberBindings,
        buffers: &[Vec<u8>],
        targets: &BTreeMap<&str, Target>,
        shader: &Shader,
        span: Span,
    ) -> std::result::Result<Bindings, Stop> {
        let mut bindings = shader.bindings();
        for (binding, size) in shader.blocks() {
            let Some(&block) = bound.buffers.get(&binding) else {
                return Err(self.unbound(binding, span).into());
            };
            let mut bytes = buffers[block].clone();
            bytes.resize(bytes.len().max(size), 0);
            let bound = bindings.bind(&binding.to_string(), DataRef::Bytes(&bytes));
            bound.map_err(|error| self.wrong(span, error.to_string()))?;
        }
        let Interface { resources, samplers, .. } = shader.interface();
        if let Some(of) = samplers.iter().find(|of| !bound.samplers.contains_key(&of.binding)) {
            return Err(self.unbound(of.binding, span).into());
        }
        for &BoundResource { binding, .. } in resources.iter().filter(|of| of.memory.is_none()) {
            let name = binding.to_string();
            if let Some(&buffer) = bound.buffers.get(&binding) {
                let done = bindings.bind(&name, DataRef::Bytes(&buffers[buffer]));
                done.map_err(|error| self.wrong(span, error.to_string()))?;
                continue;
            }
            let Some(AmberTexture { texels, .. }) = bound.textures.get(&binding) else {
                return Err(self.unbound(binding, span).into());
            };
            let done = match texels {
                AmberTexels::Picture(picture) => {
                    let Some(target) = targets.get(&**picture) else {
                        let what = format!("nothing was drawn into `{picture}`");
                        return Err(self.wrong(span, what).into());
                    };
                    let size = target.picture.size();
                    let size = [size.width(), size.height(), 1];
                    bindings.bind_planes(&name, size, &target.texels())
                }
                AmberTexels::Image(index) => {
                    let AmberImage { size, components, texels, .. } = &self.script.images[*index];
                    match components {
                        Texels::Numbers => {
                            let texels = texels.iter().map(|texel| texel.map(f32::from_bits));
                            bindings.bind_planes(&name, *size, &texels.collect::<Vec<_>>())
                        }
                        _ => bindings.bind_integers(&name, *size, texels),
                    }
                }
            };
            done.map_err(|error| self.wrong(span, error.to_string()))?;
        }
        Ok(bindings)
    }
}

/// The options with the samplers of a pipeline.
fn with_samplers(mut options: ShaderOptions, bound: &AmberBindings) -> ShaderOptions {
    let combined = bound.textures.iter().filter_map(|(binding, of)| Some((binding, of.sampler?)));
    for (binding, sampler) in combined.chain(bound.samplers.iter().map(|(of, &to)| (of, to))) {
        options = options.sampler(binding.to_string(), sampler);
    }
    options
}

/// Most bytes of a file of data.
const MAX_DATA: u64 = 1 << 26;

/// The text of a file of data in the folder of a script.
fn data_of(script: &Path, name: &str) -> io::Result<String> {
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_inside {
        return Err(io::Error::other("it is not below the folder of the script"));
    }
    let path = script.with_file_name(name);
    watch::note(&path);
    let mut text = String::new();
    let count = File::open(path)?.take(MAX_DATA + 1).read_to_string(&mut text)?;
    match count as u64 > MAX_DATA {
        true => Err(io::Error::other(format!("it has more than {MAX_DATA} bytes"))),
        false => Ok(text),
    }
}

/// The shader of a loaded program.
fn accepted(loaded: Loaded) -> std::result::Result<Shader, Stop> {
    let unsupported = DiagnosticCode::UnsupportedModule;
    let found = loaded.diagnostics.iter().find(|diagnostic| diagnostic.code == unsupported);
    if let Some(diagnostic) = found {
        return Err(Stop::Unsupported(diagnostic.message.clone()));
    }
    Shader::of(loaded).map_err(|found| Failure::input(found.to_string()).into())
}

/// Adds pixels to a count; too many are unsupported.
fn count(all: &mut u64, [width, height]: [u32; 2], what: &str) -> std::result::Result<(), Stop> {
    *all = all.saturating_add(u64::from(width) * u64::from(height));
    match *all > PIXELS {
        true => Err(Stop::Unsupported(format!("more than {PIXELS} pixels that are {what}"))),
        false => Ok(()),
    }
}

fn lies_within(place: &[u32; 2], size: &[u32; 2], picture: Size) -> bool {
    let ends = [0, 1].map(|axis| u64::from(place[axis]) + u64::from(size[axis]));
    ends[0] <= u64::from(picture.width()) && ends[1] <= u64::from(picture.height())
}

/// The first pixel of a rectangle that differs from the colour.
fn first_other(
    picture: &Image<u8>,
    [left, top]: [u32; 2],
    [width, height]: [u32; 2],
    colour: &[Option<u8>; 4],
    tolerance: &[f32; 4],
) -> Option<String> {
    let differs = |found: [u8; 4]| {
        (0..4).any(|part| {
            let by = colour[part].map_or(0, |wanted| wanted.abs_diff(found[part]));
            f32::from(by) > tolerance[part]
        })
    };
    let places = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    let mut pixels = places.filter_map(|(x, y)| Some((x, y, picture.pixel(x, y)?)));
    let (x, y, found) = pixels.find(|&(_, _, found)| differs(found))?;
    let parts = colour.iter().flatten().count();
    let wanted: Vec<u8> = colour.iter().flatten().copied().collect();
    Some(format!("expected {wanted:?}, got {:?}, first at ({x}, {y})", &found[..parts]))
}

/// The first pixel in which two pictures differ.
fn first_unequal(names: [&String; 2], a: &Image<u8>, b: &Image<u8>) -> Option<String> {
    let [one, other] = names;
    if a.size() != b.size() {
        return Some(format!("`{one}` is of {}, `{other}` of {}", a.size(), b.size()));
    }
    let (width, height) = (a.size().width(), a.size().height());
    let mut places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let (x, y) = places.find(|&(x, y)| a.pixel(x, y) != b.pixel(x, y))?;
    let [wanted, found] = [b, a].map(|picture| picture.pixel(x, y).unwrap_or_default());
    Some(format!(
        "`{one}` is not `{other}`: expected {wanted:?}, got {found:?}, first at ({x}, {y})"
    ))
}
