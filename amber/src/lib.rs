//! AmberScript, the language in which the Vulkan conformance suite and GraphicsFuzz write shader tests;
//! only the subset for full-screen pictures.
//!
//! A script declares shaders, buffers and pipelines, runs pipelines, and states expectations of the
//! pictures. [`Script::read`] returns its commands in order, with all names resolved and all data as
//! bytes.
//!
//! # Supported commands
//!
//! - `SHADER vertex NAME PASSTHROUGH`, `SHADER fragment NAME SPIRV-ASM [TARGET_ENV ENV]`;
//! - `BUFFER NAME DATA_TYPE TYPE [STD140|STD430]` with `DATA … END` or `SIZE N FILL X`, of floats and integers of
//!   32 bits, vectors and matrices of them; `BUFFER NAME FORMAT` of four bytes a pixel;
//! - `PIPELINE graphics` with `ATTACH`, `FRAMEBUFFER_SIZE`, and `BIND BUFFER … AS` color, uniform, storage,
//!   push_constant;
//! - `CLEAR_COLOR`, `CLEAR`, `RUN … DRAW_RECT` of the whole frame;
//! - `EXPECT … IDX … SIZE …` with `EQ_RGBA` or `EQ_RGB`, and a tolerance in levels; `EQ_BUFFER`, and
//!   `EQ_HISTOGRAM_EMD_BUFFER`, which is taken to say the same: the pictures are equal.
//!
//! Anything else is [`AmberErrorKind::Unsupported`], with the name of the feature. *Any text gives a
//! script or an error with its place, never a panic*, in time linear in the text.

mod data;
mod error;
mod words;

pub use error::{AmberError, AmberErrorKind};

use data::{Elements, Room};
use lambdav_core::interface::Binding;
use lambdav_core::source::Span;
use lambdav_spirv::assemble::SpirvVersion;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use words::{Lines, Result, Words, unexpected};

/// A fragment shader in SPIR-V text.
#[derive(Clone, Debug)]
pub struct AmberShader {
    /// Place of the text in the script.
    pub text: Span,
    /// SPIR-V version to assemble.
    pub version: SpirvVersion,
}

/// A pipeline that draws one picture.
#[derive(Clone, Debug)]
pub struct AmberPipeline {
    /// Index of the fragment shader.
    pub shader: usize,
    /// Bytes of uniform blocks; blocks of one buffer share them.
    pub blocks: BTreeMap<Binding, Arc<[u8]>>,
    /// Name of the picture that it draws into.
    pub target: String,
    /// Width and height.
    pub size: [u32; 2],
}

/// A command of a script.
#[derive(Clone, Debug)]
pub enum AmberCommand {
    /// Fills the picture of a pipeline with a colour.
    Clear {
        /// Index of the pipeline.
        pipeline: usize,
        /// The colour.
        colour: [f32; 4],
    },
    /// Draws the whole picture of a pipeline.
    Draw {
        /// Index of the pipeline.
        pipeline: usize,
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects a colour in a rectangle.
    ExpectColour {
        /// Name of the picture.
        picture: String,
        /// Upper left pixel of the rectangle.
        place: [u32; 2],
        /// Width and height.
        size: [u32; 2],
        /// Levels of red, green, blue and alpha; no alpha if it does not matter.
        colour: [Option<u8>; 4],
        /// Largest allowed difference of each channel, in levels.
        tolerance: [f32; 4],
        /// Place of the command in the script.
        span: Span,
    },
    /// Expects two equal pictures.
    ExpectEqual {
        /// Names of the pictures.
        pictures: [String; 2],
        /// Place of the command in the script.
        span: Span,
    },
}

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Fragment shaders.
    pub shaders: Vec<AmberShader>,
    /// Pipelines.
    pub pipelines: Vec<AmberPipeline>,
    /// Commands in order.
    pub commands: Vec<AmberCommand>,
}

/// Shader that a name stands for.
#[derive(Clone, Copy)]
enum Stage {
    Passthrough,
    Fragment(usize),
}

/// Use of a buffer.
#[derive(Clone)]
enum Buffer {
    Data(Arc<[u8]>),
    Picture,
}

#[derive(Default)]
struct Reader<'t> {
    script: Script,
    stages: FxHashMap<&'t str, Stage>,
    buffers: FxHashMap<&'t str, Buffer>,
    pipelines: FxHashMap<&'t str, usize>,
    clear: FxHashMap<usize, [f32; 4]>,
    room: Room,
}

impl Script {
    /// Reads a script of less than 4 GiB.
    ///
    /// # Errors
    ///
    /// The first error or unsupported feature.
    pub fn read(text: &str) -> std::result::Result<Self, AmberError> {
        let mut lines = Lines::new(text);
        let mut reader = Reader::default();
        while let Some(mut line) = lines.next() {
            reader.command(&mut line, &mut lines)?;
        }
        Ok(reader.script)
    }
}

/// The entry of the next word's name, or an error.
fn find<T: Clone>(all: &FxHashMap<&str, T>, what: &'static str, line: &mut Words<'_>) -> Result<T> {
    let (name, span) = line.word(what)?;
    let unknown = || AmberErrorKind::Unknown(what, name.to_owned());
    all.get(name).cloned().ok_or_else(|| AmberError { span, kind: unknown() })
}

impl<'t> Reader<'t> {
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
                let pipeline = find(&self.pipelines, "pipeline", line)?;
                let colour: [u8; 4] = line.numbers("a number from 0 to 255")?;
                self.clear.insert(pipeline, colour.map(|level| f32::from(level) / 255.0));
                line.end()
            }
            "CLEAR" => {
                let pipeline = find(&self.pipelines, "pipeline", line)?;
                let colour = self.clear.get(&pipeline).copied().unwrap_or_default();
                self.script.commands.push(AmberCommand::Clear { pipeline, colour });
                line.end()
            }
            "RUN" => self.run(line),
            "EXPECT" => self.expect(line),
            _ if word.starts_with('[') => Err(line.unsupported("a script of VkRunner")),
            "SAMPLER" => Err(line.unsupported("textures")),
            _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => Err(line.unsupported(word)),
            _ => Err(unexpected("a command", word, span)),
        }
    }

    fn shader(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (stage, _) = line.word("a stage")?;
        let (name, span) = line.word("a name")?;
        let (form, _) = line.word("a format")?;
        let stage = match (stage, form) {
            ("vertex", "PASSTHROUGH") => Stage::Passthrough,
            ("fragment", "SPIRV-ASM") => {
                let version = match line.take("TARGET_ENV") {
                    true => {
                        let (name, _) = line.word("a target environment")?;
                        SpirvVersion::of_environment(name.trim_matches('"'))
                            .ok_or_else(|| line.unsupported(format!("target environment {name}")))?
                    }
                    false => SpirvVersion::of_environment("spv1.0").unwrap_or_default(),
                };
                let (start, text) = lines.block(line, "shader")?;
                let text = Span::new(start, start + text.len() as u32);
                self.script.shaders.push(AmberShader { text, version });
                Stage::Fragment(self.script.shaders.len() - 1)
            }
            ("fragment", form) => return Err(line.unsupported(format!("a shader in {form}"))),
            (stage, _) => return Err(line.unsupported(format!("a {stage} shader"))),
        };
        line.end()?;
        match self.stages.insert(name, stage) {
            None => Ok(()),
            Some(_) => Err(twice("shader", name, span)),
        }
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
                Buffer::Data(match line.word("DATA or SIZE")?.0 {
                    "DATA" => {
                        let (start, text) = lines.block(line, "data")?;
                        elements.data(&mut Words::of(text, start), &mut self.room)?
                    }
                    "SIZE" => {
                        let count = line.number("a number")?;
                        match line.word("FILL")?.0 {
                            "FILL" => elements.fill(count, line, &mut self.room)?,
                            form => return Err(line.unsupported(format!("a buffer by {form}"))),
                        }
                    }
                    form => return Err(line.unsupported(format!("a buffer by {form}"))),
                })
            }
            form => return Err(line.unsupported(format!("a buffer by {form}"))),
        };
        line.end()?;
        match self.buffers.insert(name, buffer) {
            None => Ok(()),
            Some(_) => Err(twice("buffer", name, span)),
        }
    }

    fn pipeline(&mut self, line: &mut Words<'t>, lines: &mut Lines<'t>) -> Result<()> {
        let (kind, _) = line.word("a kind")?;
        if kind != "graphics" {
            return Err(line.unsupported(format!("a {kind} pipeline")));
        }
        let (name, span) = line.word("a name")?;
        line.end()?;
        let (mut shader, mut target) = (None, None);
        let mut blocks = BTreeMap::new();
        let mut size = [250, 250];
        loop {
            let no_end = || AmberError { span, kind: AmberErrorKind::NoEnd("pipeline") };
            let mut line = lines.next().ok_or_else(no_end)?;
            match line.word("a command")?.0 {
                "END" => break,
                "ATTACH" => {
                    if let Stage::Fragment(index) = find(&self.stages, "shader", &mut line)? {
                        shader = Some(index);
                    }
                }
                "FRAMEBUFFER_SIZE" => size = line.numbers("a number")?,
                "BIND" => self.bind(&mut line, &mut blocks, &mut target)?,
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
        self.script.pipelines.push(AmberPipeline { shader, blocks, target, size });
        match self.pipelines.insert(name, self.script.pipelines.len() - 1) {
            None => Ok(()),
            Some(_) => Err(twice("pipeline", name, span)),
        }
    }

    fn bind(
        &self,
        line: &mut Words<'t>,
        blocks: &mut BTreeMap<Binding, Arc<[u8]>>,
        target: &mut Option<String>,
    ) -> Result<()> {
        if line.take("SAMPLER") {
            return Err(line.unsupported("textures"));
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
                line.keyword("DESCRIPTOR_SET")?;
                let set = line.number("a number")?;
                line.keyword("BINDING")?;
                let binding = line.number("a number")?;
                blocks.insert(Binding::Descriptor { set, binding }, data);
            }
            ("push_constant", Buffer::Data(data)) => {
                blocks.insert(Binding::PushConstants, data);
            }
            ("color" | "uniform" | "storage" | "push_constant", _) => {
                return Err(unexpected("a use that such a buffer has", usage, span));
            }
            ("combined_image_sampler" | "sampled_image", _) => {
                return Err(line.unsupported("textures"));
            }
            (usage, _) => return Err(line.unsupported(format!("a buffer as {usage}"))),
        }
        Ok(())
    }

    fn run(&mut self, line: &mut Words<'t>) -> Result<()> {
        let pipeline = find(&self.pipelines, "pipeline", line)?;
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
        }
    }

    fn expect(&mut self, line: &mut Words<'t>) -> Result<()> {
        let span = line.span();
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

/// Reads a tolerance in levels.
fn tolerance(line: &mut Words<'_>) -> Result<f32> {
    let (word, span) = line.word("a number")?;
    let number = word.parse().ok().filter(|number: &f32| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| unexpected("a number that is finite and not negative", word, span))
}

fn twice(what: &'static str, name: &str, span: Span) -> AmberError {
    AmberError { span, kind: AmberErrorKind::Twice(what, name.to_owned()) }
}
