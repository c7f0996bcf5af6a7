//! The reader of AmberScript.

use super::data::{Elements, Room};
use super::error::{AmberError, AmberErrorKind};
use super::images;
use super::runner;
use super::script::{
    AmberBindings, AmberBuffer, AmberCommand, AmberCompute, AmberLanguage, AmberPipeline,
    AmberShader, AmberTexels, AmberTexture, Script,
};
use super::value::AmberRelation;
use super::words::{Lines, Result, Words, unexpected};
use lambdav_core::interface::Binding;
use lambdav_core::sampler::Sampler;
use lambdav_core::source::Span;
use lambdav_spirv::assemble::SpirvVersion;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// Shader that a name stands for.
#[derive(Clone, Copy)]
enum Stage {
    Passthrough,
    Fragment(usize),
    Compute(usize),
}

/// A pipeline by its index among those of its kind.
#[derive(Clone, Copy)]
enum Pipeline {
    Graphics(usize),
    Compute(usize),
}

/// Use of a buffer.
#[derive(Clone, Copy)]
enum Buffer {
    /// Numbers, by index.
    Data(usize),
    Picture,
    /// Texels, by index.
    Image(usize),
}

/// Reads a file of text beside the script, by its name there.
pub type ReadFile<'f> = &'f mut dyn FnMut(&str) -> io::Result<String>;

#[derive(Default)]
struct Reader<'t, 'f> {
    files: Option<ReadFile<'f>>,
    script: Script,
    stages: FxHashMap<&'t str, Stage>,
    buffers: FxHashMap<&'t str, Buffer>,
    samplers: FxHashMap<&'t str, Sampler>,
    pipelines: FxHashMap<&'t str, Pipeline>,
    clear: FxHashMap<usize, [f32; 4]>,
    room: Room,
    /// Open repetitions: the number of the first command, how often, and the place.
    repeats: Vec<(usize, usize, Span)>,
}

impl Script {
    /// Reads a script of less than 4 GiB that names no files of data.
    ///
    /// # Errors
    ///
    /// The first error or unsupported feature.
    pub fn read(text: &str) -> Result<Self> {
        Self::read_from(text, None)
    }

    /// Reads a script of less than 4 GiB.
    ///
    /// # Errors
    ///
    /// The first error or unsupported feature, and [`AmberErrorKind::File`].
    pub fn read_with(text: &str, files: ReadFile<'_>) -> Result<Self> {
        Self::read_from(text, Some(files))
    }

    fn read_from(text: &str, files: Option<ReadFile<'_>>) -> Result<Self> {
        let mut lines = Lines::new(text);
        let mut reader = Reader { files, ..Reader::default() };
        while let Some(mut line) = lines.next() {
            let is_first = reader.script.commands.is_empty() && reader.stages.is_empty();
            if is_first && line.text().trim_start().starts_with('[') {
                return runner::read(&line, &mut lines);
            }
            reader.command(&mut line, &mut lines)?;
        }
        match reader.repeats.pop() {
            None => Ok(reader.script),
            Some((_, _, span)) => Err(AmberError { span, kind: AmberErrorKind::NoEnd("REPEAT") }),
        }
    }
}

/// Most commands that one repetition makes.
const MAX_REPEATED: usize = 1 << 16;

/// The entry of the next word's name, or an error.
fn find<T: Clone>(all: &FxHashMap<&str, T>, what: &'static str, line: &mut Words<'_>) -> Result<T> {
    let (name, span) = line.word(what)?;
    let unknown = || AmberErrorKind::Unknown(what, name.to_owned());
    all.get(name).cloned().ok_or_else(|| AmberError { span, kind: unknown() })
}

impl<'t> Reader<'t, '_> {
    fn command(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (word, span) = line.word("a command")?;
        match word {
            "DEVICE_EXTENSION" | "INSTANCE_EXTENSION" | "DEVICE_FEATURE" | "DEVICE_PROPERTY" => {
                Ok(())
            }
            "SHADER" => self.shader(line, lines),
            "BUFFER" => self.buffer(line, lines),
            "PIPELINE" => self.pipeline(line, lines),
            "CLEAR_COLOR" => {
                let pipeline = self.graphics(line)?;
                let colour: [u8; 4] = line.numbers("a number from 0 to 255")?;
                self.clear.insert(pipeline, colour.map(|level| f32::from(level) / 255.0));
                line.end()
            }
            "CLEAR" => {
                let pipeline = self.graphics(line)?;
                let colour = self.clear.get(&pipeline).copied().unwrap_or_default();
                let span = line.span();
                self.script.commands.push(AmberCommand::Clear { pipeline, colour, span });
                line.end()
            }
            "RUN" => self.run(line),
            "REPEAT" => {
                let count: usize = line.number("a number")?;
                self.repeats.push((self.script.commands.len(), count, span));
                line.end()
            }
            "END" if !self.repeats.is_empty() => self.repeat(line),
            "EXPECT" => self.expect(line),
            "SAMPLER" => self.sampler(line),
            "IMAGE" => self.image(line, lines),
            _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => Err(line.unsupported(word)),
            _ => Err(unexpected("a command", word, span)),
        }
    }

    /// Ends a repetition: its commands stand there as often as it says.
    fn repeat(&mut self, line: &mut Words<'t>) -> Result<()> {
        let (first, count, _) = self.repeats.pop().expect("one is open");
        let commands = self.script.commands.split_off(first);
        if commands.len().saturating_mul(count) > MAX_REPEATED {
            return Err(line.unsupported(format!("more than {MAX_REPEATED} repeated commands")));
        }
        for _ in 0..count {
            self.script.commands.extend_from_slice(&commands);
        }
        line.end()
    }

    /// A pipeline that draws.
    fn graphics(&self, line: &mut Words<'t>) -> Result<usize> {
        match find(&self.pipelines, "pipeline", line)? {
            Pipeline::Graphics(pipeline) => Ok(pipeline),
            Pipeline::Compute(_) => Err(line.unsupported("pictures of a compute pipeline")),
        }
    }

    fn shader(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (stage, _) = line.word("a stage")?;
        let (name, span) = line.word("a name")?;
        let (form, _) = line.word("a format")?;
        let stage = match (stage, form) {
            ("vertex", "PASSTHROUGH") => Stage::Passthrough,
            ("fragment" | "compute", "SPIRV-ASM") => {
                let version = Self::environment(line)?;
                let version = version.or_else(|| SpirvVersion::of_environment("spv1.0"));
                let language = AmberLanguage::Spirv(version.unwrap_or_default());
                self.add_shader(stage, language, line, lines)?
            }
            ("fragment" | "compute", "GLSL") => {
                Self::environment(line)?;
                self.add_shader(stage, AmberLanguage::Glsl, line, lines)?
            }
            ("fragment" | "compute", form) => {
                return Err(line.unsupported(format!("a shader in {form}")));
            }
            (stage, _) => return Err(line.unsupported(format!("a {stage} shader"))),
        };
        line.end()?;
        once(self.stages.insert(name, stage), "shader", name, span)
    }

    /// The version of SPIR-V that a shader's line names.
    fn environment(line: &mut Words<'t>) -> Result<Option<SpirvVersion>> {
        if !line.take("TARGET_ENV") {
            return Ok(None);
        }
        let (name, _) = line.word("a target environment")?;
        let version = SpirvVersion::of_environment(name.trim_matches('"'));
        let unknown = || line.unsupported(format!("target environment {name}"));
        version.ok_or_else(unknown).map(Some)
    }

    fn add_shader(
        &mut self,
        stage: &str,
        language: AmberLanguage,
        line: &Words<'t>,
        lines: &mut Lines<'t>,
    ) -> Result<Stage> {
        let (start, text) = lines.block(line, "shader")?;
        let text = Span::new(start, start + text.len() as u32);
        self.script.shaders.push(AmberShader { text, language });
        let index = self.script.shaders.len() - 1;
        Ok(if stage == "compute" { Stage::Compute(index) } else { Stage::Fragment(index) })
    }

    fn buffer(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (name, span) = line.word("a name")?;
        let buffer = match line.word("DATA_TYPE or FORMAT")?.0 {
            "FORMAT" => match line.word("a format")?.0 {
                "B8G8R8A8_UNORM" | "R8G8B8A8_UNORM" => Buffer::Picture,
                format => return Err(line.unsupported(format!("pictures in {format}"))),
            },
            "DATA_TYPE" => {
                let elements = Elements::read(line)?;
                let bytes = match line.word("DATA or SIZE")?.0 {
                    "DATA" => elements.listed(line, lines, &mut self.room)?,
                    "SIZE" => {
                        let count = line.number("a number")?;
                        match line.word("FILL")?.0 {
                            "FILL" => elements.fill(count, line, &mut self.room)?,
                            "SERIES_FROM" => elements.series(count, line, &mut self.room)?,
                            "FILE" => self.file(elements, count, line)?,
                            form => return Err(line.unsupported(format!("a buffer by {form}"))),
                        }
                    }
                    form => return Err(line.unsupported(format!("a buffer by {form}"))),
                };
                self.script.buffers.push(AmberBuffer { name: name.to_owned(), bytes, elements });
                Buffer::Data(self.script.buffers.len() - 1)
            }
            form => return Err(line.unsupported(format!("a buffer by {form}"))),
        };
        line.end()?;
        once(self.buffers.insert(name, buffer), "buffer", name, span)
    }

    fn sampler(&mut self, line: &mut Words<'t>) -> Result<()> {
        let (name, span) = line.word("a name")?;
        let sampler = images::sampler(line)?;
        once(self.samplers.insert(name, sampler), "sampler", name, span)
    }

    fn image(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (name, span) = line.word("a name")?;
        let image = images::image(name, line, lines, &mut self.room)?;
        line.end()?;
        self.script.images.push(image);
        let image = Buffer::Image(self.script.images.len() - 1);
        once(self.buffers.insert(name, image), "buffer", name, span)
    }

    /// The first `count` elements of a file of text.
    fn file(
        &mut self,
        elements: Elements,
        count: usize,
        line: &mut Words<'t>,
    ) -> Result<Arc<[u8]>> {
        let (form, _) = line.word("a form")?;
        let (name, span) = line.word("a file")?;
        let Some(files) = self.files.as_mut().filter(|_| form == "TEXT") else {
            return Err(line.unsupported(format!("a buffer by FILE {form}")));
        };
        let wrong = |why| AmberError { span, kind: AmberErrorKind::File(name.to_owned(), why) };
        let text = files(name).map_err(|error| wrong(error.to_string()))?;
        let bytes = elements.data(&mut Words::of(&text, 0), &mut self.room);
        let bytes = bytes.map_err(|error| wrong(error.kind.to_string()))?;
        match bytes.get(..elements.size(count)) {
            Some(bytes) => Ok(bytes.into()),
            None => {
                let found = bytes.len() / elements.size(1).max(1);
                Err(wrong(format!("it has {found} elements in place of {count}")))
            }
        }
    }

    /// The specialisation constants of an attached shader.
    fn constants(line: &mut Words<'t>) -> Result<BTreeMap<u32, u32>> {
        let mut constants = BTreeMap::new();
        while line.take("SPECIALIZE") {
            let id = line.number("a number")?;
            line.keyword("AS")?;
            let ty = Elements::read(line)?;
            let (text, span) = line.word("a number")?;
            let bits = ty.word(text).ok_or_else(|| unexpected("a number", text, span))?;
            constants.insert(id, bits);
        }
        Ok(constants)
    }

    fn pipeline(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (kind, _) = line.word("a kind")?;
        if kind == "compute" {
            return self.compute(line, lines);
        }
        if kind != "graphics" {
            return Err(line.unsupported(format!("a {kind} pipeline")));
        }
        let (name, span) = line.word("a name")?;
        line.end()?;
        let (mut shader, mut target) = (None, None);
        let (mut bound, mut constants) = (AmberBindings::default(), BTreeMap::new());
        let mut size = [250, 250];
        loop {
            let no_end = || AmberError { span, kind: AmberErrorKind::NoEnd("pipeline") };
            let mut line = lines.next().ok_or_else(no_end)?;
            match line.word("a command")?.0 {
                "END" => break,
                "ATTACH" => {
                    if let Stage::Fragment(index) = find(&self.stages, "shader", &mut line)? {
                        shader = Some(index);
                        constants = Self::constants(&mut line)?;
                    }
                }
                "FRAMEBUFFER_SIZE" => size = line.numbers("a number")?,
                "BIND" => self.bind(&mut line, &mut bound, &mut target)?,
                other => return Err(line.unsupported(other)),
            }
            line.end()?;
        }
        let lacks = |what| AmberError {
            span,
            kind: AmberErrorKind::Unsupported(format!("a pipeline without {what}")),
        };
        let shader = shader.ok_or_else(|| lacks("a fragment shader"))?;
        let target = target.ok_or_else(|| lacks("a colour attachment"))?;
        self.script.pipelines.push(AmberPipeline { shader, constants, bound, target, size });
        let pipeline = Pipeline::Graphics(self.script.pipelines.len() - 1);
        once(self.pipelines.insert(name, pipeline), "pipeline", name, span)
    }

    fn compute(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (name, span) = line.word("a name")?;
        line.end()?;
        let (mut shader, mut target, mut bound) = (None, None, AmberBindings::default());
        let mut constants = BTreeMap::new();
        loop {
            let no_end = || AmberError { span, kind: AmberErrorKind::NoEnd("pipeline") };
            let mut line = lines.next().ok_or_else(no_end)?;
            match line.word("a command")?.0 {
                "END" => break,
                "ATTACH" => {
                    let Stage::Compute(index) = find(&self.stages, "shader", &mut line)? else {
                        return Err(line.unsupported("a compute pipeline with another shader"));
                    };
                    let entry_point = match line.take("ENTRY_POINT") {
                        true => Some(line.word("a name")?.0.to_owned()),
                        false => None,
                    };
                    shader = Some((index, entry_point));
                    constants = Self::constants(&mut line)?;
                }
                "BIND" => self.bind(&mut line, &mut bound, &mut target)?,
                other => return Err(line.unsupported(other)),
            }
            line.end()?;
        }
        let lacks = || AmberErrorKind::Unsupported("a pipeline without a compute shader".into());
        let (shader, entry_point) = shader.ok_or_else(|| AmberError { span, kind: lacks() })?;
        self.script.computes.push(AmberCompute { shader, entry_point, constants, bound });
        let pipeline = Pipeline::Compute(self.script.computes.len() - 1);
        once(self.pipelines.insert(name, pipeline), "pipeline", name, span)
    }

    fn bind(
        &self,
        line: &mut Words<'t>,
        bound: &mut AmberBindings,
        target: &mut Option<String>,
    ) -> Result<()> {
        for (word, what) in [("SAMPLER_ARRAY", "samplers"), ("BUFFER_ARRAY", "buffers")] {
            if line.take(word) {
                return Err(line.unsupported(format!("arrays of {what}")));
            }
        }
        if line.take("SAMPLER") {
            let sampler = find(&self.samplers, "sampler", line)?;
            bound.samplers.insert(descriptor(line)?, sampler);
            return Ok(());
        }
        line.keyword("BUFFER")?;
        let name = line.clone().next().map_or("", |(name, _)| name);
        let buffer = find(&self.buffers, "buffer", line)?;
        line.keyword("AS")?;
        let (usage, span) = line.word("a use")?;
        match (usage, buffer) {
            ("color", Buffer::Picture) => {
                line.keyword("LOCATION")?;
                if line.number::<u32>("a number")? != 0 || target.is_some() {
                    return Err(line.unsupported("several colour attachments"));
                }
                *target = Some(name.to_owned());
            }
            ("uniform" | "storage", Buffer::Data(data)) => {
                bound.buffers.insert(descriptor(line)?, data);
            }
            ("push_constant", Buffer::Data(data)) => {
                bound.buffers.insert(Binding::PushConstants, data);
            }
            ("color" | "uniform" | "storage" | "push_constant", _) => {
                return Err(unexpected("a use that such a buffer has", usage, span));
            }
            ("combined_image_sampler" | "sampled_image", Buffer::Picture | Buffer::Image(_)) => {
                let texels = match buffer {
                    Buffer::Image(index) => AmberTexels::Image(index),
                    _ => AmberTexels::Picture(name.to_owned()),
                };
                let sampler = match usage {
                    "sampled_image" => None,
                    _ => {
                        line.keyword("SAMPLER")?;
                        Some(find(&self.samplers, "sampler", line)?)
                    }
                };
                let binding = descriptor(line)?;
                if line.take("BASE_MIP_LEVEL") && line.number::<u32>("a number")? != 0 {
                    return Err(line.unsupported("images with several levels"));
                }
                bound.textures.insert(binding, AmberTexture { texels, sampler });
            }
            ("combined_image_sampler" | "sampled_image", Buffer::Data(_)) => {
                return Err(line.unsupported("a buffer of numbers as an image"));
            }
            (usage, _) => return Err(line.unsupported(format!("a buffer as {usage}"))),
        }
        Ok(())
    }

    fn run(&mut self, line: &mut Words<'t>) -> Result<()> {
        // No time is measured.
        line.take("TIMED_EXECUTION");
        let pipeline = match find(&self.pipelines, "pipeline", line)? {
            Pipeline::Graphics(pipeline) => pipeline,
            Pipeline::Compute(pipeline) => {
                let groups = line.numbers("a number of workgroups")?;
                let span = line.span();
                self.script.commands.push(AmberCommand::Dispatch { pipeline, groups, span });
                return line.end();
            }
        };
        let (form, _) = line.word("DRAW_RECT")?;
        if form != "DRAW_RECT" {
            return Err(line.unsupported(form));
        }
        line.keyword("POS")?;
        let place: [u32; 2] = line.numbers("a number")?;
        line.keyword("SIZE")?;
        let size: [u32; 2] = line.numbers("a number")?;
        if place != [0, 0] || size != self.script.pipelines[pipeline].size {
            return Err(line.unsupported("a rectangle that is not the whole frame"));
        }
        self.script.commands.push(AmberCommand::Draw { pipeline, span: line.span() });
        line.end()
    }

    /// Reads the name of a picture.
    fn picture(&self, line: &mut Words<'t>) -> Result<String> {
        let name = line.clone().next().map_or("", |(name, _)| name);
        match find(&self.buffers, "buffer", line)? {
            Buffer::Picture => Ok(name.to_owned()),
            Buffer::Data(_) => Err(line.unsupported("buffers that are written")),
            Buffer::Image(_) => Err(line.unsupported("expectations of an IMAGE")),
        }
    }

    /// Expectations of numbers in a buffer.
    fn expect_numbers(&mut self, buffer: usize, line: &mut Words<'t>) -> Result<()> {
        let span = line.span();
        let (form, _) = line.word("IDX")?;
        if form == "EQ_BUFFER" {
            let Buffer::Data(other) = find(&self.buffers, "buffer", line)? else {
                return Err(line.unsupported("a buffer that equals a picture"));
            };
            let buffers = [buffer, other];
            self.script.commands.push(AmberCommand::ExpectSame { buffers, span });
            return line.end();
        }
        if form != "IDX" {
            return Err(line.unsupported(format!("EXPECT … {form}")));
        }
        let byte = line.number("a number")?;
        let relation = match line.word("EQ")?.0 {
            "EQ" => AmberRelation::Equal,
            "NE" => AmberRelation::NotEqual,
            "LT" => AmberRelation::Less,
            "LE" => AmberRelation::LessEqual,
            "GT" => AmberRelation::Greater,
            "GE" => AmberRelation::GreaterEqual,
            "TOLERANCE" => {
                let (text, at) = line.word("a number")?;
                let (digits, is_share) = match text.strip_suffix('%') {
                    Some(digits) => (digits, true),
                    None => (text, false),
                };
                let by: f64 = digits.parse().map_err(|_| unexpected("a number", text, at))?;
                let by = if is_share { by / 100.0 } else { by };
                if !line.take("EQ") {
                    return Err(line.unsupported("several tolerances of one expectation"));
                }
                AmberRelation::Near(by, is_share)
            }
            form => return Err(line.unsupported(format!("EXPECT … IDX … {form}"))),
        };
        let elements = self.script.buffers[buffer].elements;
        let values = elements.values(line)?;
        let Some(places) = elements.places(byte, values.len()) else {
            return Err(AmberError { span, kind: AmberErrorKind::NoNumber(byte) });
        };
        let expected = AmberCommand::ExpectNumbers { buffer, places, relation, values, span };
        self.script.commands.push(expected);
        Ok(())
    }

    fn expect(&mut self, line: &mut Words<'t>) -> Result<()> {
        let span = line.span();
        if let Buffer::Data(buffer) = find(&self.buffers, "buffer", &mut line.clone())? {
            line.word("a buffer")?;
            return self.expect_numbers(buffer, line);
        }
        let picture = self.picture(line)?;
        let (form, _) = line.word("IDX")?;
        if matches!(form, "EQ_BUFFER" | "EQ_HISTOGRAM_EMD_BUFFER") {
            let pictures = [picture, self.picture(line)?];
            if line.take("TOLERANCE") {
                // The tolerance has no effect: the pictures must be equal.
                tolerance(line)?;
            }
            self.script.commands.push(AmberCommand::ExpectEqual { pictures, span });
            return line.end();
        }
        if form != "IDX" {
            return Err(line.unsupported(format!("EXPECT … {form}")));
        }
        let left = line.number("a number")?;
        if let Some((form, _)) = line.clone().next()
            && form.starts_with(|c: char| c.is_ascii_uppercase())
        {
            return Err(line.unsupported(format!("EXPECT … IDX … {form}")));
        }
        let place = [left, line.number("a number")?];
        let (form, _) = line.word("SIZE")?;
        if form != "SIZE" {
            return Err(line.unsupported(format!("EXPECT … IDX … {form}")));
        }
        let size: [u32; 2] = line.numbers("a number")?;
        if size.contains(&0) {
            let kind = AmberErrorKind::Empty;
            return Err(AmberError { span: line.span(), kind });
        }
        let parts = match line.word("EQ_RGBA or EQ_RGB")?.0 {
            "EQ_RGBA" => 4,
            "EQ_RGB" => 3,
            form => return Err(line.unsupported(format!("EXPECT … {form}"))),
        };
        let mut colour = [None; 4];
        for part in &mut colour[..parts] {
            *part = Some(line.number("a number from 0 to 255")?);
        }
        let mut tolerance = [0.0; 4];
        if line.take("TOLERANCE") {
            tolerance = [self::tolerance(line)?; 4];
            if line.clone().next().is_some() {
                for part in &mut tolerance[1..parts] {
                    *part = self::tolerance(line)?;
                }
            }
        }
        let expected = AmberCommand::ExpectColour { picture, place, size, colour, tolerance, span };
        self.script.commands.push(expected);
        line.end()
    }
}

/// Reads a descriptor's set and binding.
fn descriptor(line: &mut Words<'_>) -> Result<Binding> {
    line.keyword("DESCRIPTOR_SET")?;
    let set = line.number("a number")?;
    line.keyword("BINDING")?;
    Ok(Binding::Descriptor { set, binding: line.number("a number")? })
}

/// Reads a tolerance in levels.
fn tolerance(line: &mut Words<'_>) -> Result<f32> {
    let (word, span) = line.word("a number")?;
    let number = word.parse().ok().filter(|number: &f32| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| unexpected("a number that is finite and not negative", word, span))
}

/// Fails if a name was defined before.
fn once<T>(before: Option<T>, what: &'static str, name: &str, span: Span) -> Result<()> {
    match before {
        None => Ok(()),
        Some(_) => Err(AmberError { span, kind: AmberErrorKind::Twice(what, name.to_owned()) }),
    }
}
