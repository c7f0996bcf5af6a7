//! Scripts of VkRunner, the older form of AmberScript: sections in brackets, of which those for compute shaders are read.
//!
//! `[compute shader spirv]` or `[compute shader]` holds the shader, `[test]` the commands: `ssbo SET:BINDING SIZE`, `ssbo`
//! and `ubo SET:BINDING subdata TYPE BYTE NUMBER…`, `uniform [ubo SET:BINDING] TYPE BYTE NUMBER…`, `compute entrypoint NAME`, `compute X Y Z`, and
//! `probe ssbo TYPE SET:BINDING BYTE RELATION NUMBER…`. What `[require]` lists is ignored.

use super::data::{Elements, Room};
use super::error::{AmberError, AmberErrorKind};
use super::script::{
    AmberBindings, AmberBuffer, AmberCommand, AmberCompute, AmberLanguage, AmberShader, Script,
};
use super::value::AmberRelation;
use super::words::{Lines, Result, Words, unexpected};
use lambdav_core::interface::Binding;
use lambdav_core::source::Span;
use lambdav_spirv::assemble::SpirvVersion;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads a script whose first section is on this line.
pub(super) fn read<'t>(first: &Words<'t>, lines: &mut Lines<'t>) -> Result<Script> {
    let mut runner = Runner { script: Script::default(), room: Room::default(), ran: false };
    let mut next = Some(first.clone());
    while let Some(head) = next.take() {
        let name = head.text().trim();
        match name {
            "[require]" => next = lines.section().1,
            "[compute shader spirv]" | "[compute shader]" => {
                let (text, following) = lines.section();
                let language = match name {
                    "[compute shader]" => AmberLanguage::Glsl,
                    _ => AmberLanguage::Spirv(
                        SpirvVersion::of_environment("spv1.0").unwrap_or_default(),
                    ),
                };
                if !runner.script.shaders.is_empty() {
                    return Err(head.unsupported("several shaders of VkRunner"));
                }
                runner.script.shaders.push(AmberShader { text, language });
                next = following;
            }
            "[test]" => {
                if runner.script.shaders.is_empty() {
                    return Err(head.unsupported("a script of VkRunner that draws"));
                }
                let pipeline = AmberCompute {
                    shader: 0,
                    entry_point: None,
                    constants: BTreeMap::new(),
                    bound: AmberBindings::default(),
                };
                runner.script.computes.push(pipeline);
                while let Some(mut line) = lines.next() {
                    runner.command(&mut line)?;
                }
            }
            _ => return Err(head.unsupported("a script of VkRunner that draws")),
        }
    }
    Ok(runner.script)
}

struct Runner {
    script: Script,
    room: Room,
    /// True after the first dispatch.
    ran: bool,
}

/// The type in AmberScript for one in VkRunner.
fn type_of<'t>(line: &mut Words<'t>) -> Result<Elements> {
    let (name, _) = line.word("a type")?;
    let scalar = match name.as_bytes() {
        [b'i', b'v', ..] | b"int" => "int32",
        [b'u', b'v', ..] | b"uint" => "uint32",
        [b'v', ..] | b"float" => "float",
        _ => return Err(line.unsupported(format!("a buffer of {name}"))),
    };
    let text = match name.split_once("vec") {
        Some((_, count)) => format!("vec{count}<{scalar}>"),
        None => scalar.to_owned(),
    };
    Elements::read(&mut Words::of(&text, 0))
        .map_err(|_| line.unsupported(format!("a buffer of {name}")))
}

impl Runner {
    fn command(&mut self, line: &mut Words<'_>) -> Result<()> {
        let (word, span) = line.word("a command")?;
        match word {
            "ssbo" | "ubo" => {
                let number = self.bound(line)?;
                self.buffer(number, line)
            }
            // Push constants, or a member of a block.
            "uniform" if line.take("ubo") => {
                let number = self.bound(line)?;
                self.data(number, line)
            }
            "uniform" => {
                let number = self.at(Binding::PushConstants, "push")?;
                self.data(number, line)
            }
            "compute" if line.take("entrypoint") => {
                self.script.computes[0].entry_point = Some(line.word("a name")?.0.to_owned());
                line.end()
            }
            "compute" => {
                let groups = line.numbers("a number of workgroups")?;
                let span = line.span();
                self.ran = true;
                let command = AmberCommand::Dispatch { pipeline: 0, groups, span };
                self.script.commands.push(command);
                line.end()
            }
            "probe" => self.probe(line),
            _ if word.starts_with('[') => Err(line.unsupported("a section behind the tests")),
            "clear" | "draw" | "tolerance" | "relative" | "patch" | "layout" => {
                Err(line.unsupported(format!("`{word}` of VkRunner")))
            }
            _ => Err(unexpected("a command", word, span)),
        }
    }

    /// The buffer at the set and binding that the next word names.
    fn bound(&mut self, line: &mut Words<'_>) -> Result<usize> {
        let (text, span) = line.word("SET:BINDING")?;
        let (set, binding) = text.split_once(':').unwrap_or(("0", text));
        let (Ok(set), Ok(binding)) = (set.parse(), binding.parse()) else {
            return Err(unexpected("SET:BINDING", text, span));
        };
        self.at(Binding::Descriptor { set, binding }, text)
    }

    /// The buffer at a binding.
    fn at(&mut self, binding: Binding, name: &str) -> Result<usize> {
        if let Some(&known) = self.script.computes[0].bound.buffers.get(&binding) {
            return Ok(known);
        }
        let elements = Elements::read(&mut Words::of("uint32", 0))?;
        let bytes = Arc::default();
        self.script.buffers.push(AmberBuffer { name: name.to_owned(), bytes, elements });
        let number = self.script.buffers.len() - 1;
        self.script.computes[0].bound.buffers.insert(binding, number);
        Ok(number)
    }

    fn buffer(&mut self, number: usize, line: &mut Words<'_>) -> Result<()> {
        if line.take("subdata") {
            return self.data(number, line);
        }
        let size: usize = line.number("a number of bytes")?;
        let mut bytes = self.bytes(number, size, line)?;
        bytes.resize(bytes.len().max(size), 0);
        self.script.buffers[number].bytes = bytes.into();
        line.end()
    }

    /// The bytes of a buffer, which will have `size` at least.
    fn bytes(&mut self, number: usize, size: usize, line: &Words<'_>) -> Result<Vec<u8>> {
        if self.ran {
            return Err(line.unsupported("data after a dispatch"));
        }
        let bytes = self.script.buffers[number].bytes.to_vec();
        self.room.take(size.saturating_sub(bytes.len()), line)?;
        Ok(bytes)
    }

    /// Numbers from a byte of a buffer on.
    fn data(&mut self, number: usize, line: &mut Words<'_>) -> Result<()> {
        let elements = type_of(line)?;
        let first: usize = line.number("a byte")?;
        let data = elements.data(line, &mut self.room)?;
        let end = first.saturating_add(data.len());
        let mut bytes = self.bytes(number, end, line)?;
        bytes.resize(bytes.len().max(end), 0);
        bytes[first..end].copy_from_slice(&data);
        self.script.buffers[number].bytes = bytes.into();
        line.end()
    }

    fn probe(&mut self, line: &mut Words<'_>) -> Result<()> {
        let span: Span = line.span();
        if !line.take("ssbo") {
            return Err(line.unsupported("`probe` of pictures"));
        }
        let elements = type_of(line)?;
        let buffer = self.bound(line)?;
        let byte: usize = line.number("a byte")?;
        let (relation, at) = line.word("a relation")?;
        let relation = match relation {
            "==" => AmberRelation::Equal,
            "!=" => AmberRelation::NotEqual,
            "<" => AmberRelation::Less,
            "<=" => AmberRelation::LessEqual,
            ">" => AmberRelation::Greater,
            ">=" => AmberRelation::GreaterEqual,
            // Within a millionth of a percent, where no tolerance is given.
            "~=" => AmberRelation::Near(1e-8, true),
            other => return Err(unexpected("a relation", other, at)),
        };
        let values = elements.values(line)?;
        let Some(places) = elements.places(byte, values.len()) else {
            return Err(AmberError { span, kind: AmberErrorKind::NoNumber(byte) });
        };
        let command = AmberCommand::ExpectNumbers { buffer, places, relation, values, span };
        self.script.commands.push(command);
        Ok(())
    }
}
