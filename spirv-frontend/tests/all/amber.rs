//! AmberScript, as far as tests of fragment shaders need it.

use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Default)]
pub(crate) struct Shader {
    /// Its text, if it is in SPIR-V's assembly.
    pub(crate) assembly: Option<String>,
    pub(crate) environment: String,
}

#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub(crate) fragment: Option<String>,
    /// Buffers by set and binding, and that of push constants.
    pub(crate) uniforms: HashMap<Option<(u32, u32)>, String>,
    pub(crate) colour: Option<String>,
    pub(crate) size: [u32; 2],
    pub(crate) clear: [f32; 4],
    /// What of it is not known.
    pub(crate) unsupported: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Expectation {
    Colour { buffer: String, place: [u32; 2], size: [u32; 2], colour: [u8; 4], parts: usize },
    Equal(String, String),
}

#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) shaders: HashMap<String, Shader>,
    pub(crate) buffers: HashMap<String, Vec<u8>>,
    pub(crate) pipelines: BTreeMap<String, Pipeline>,
    pub(crate) runs: Vec<String>,
    pub(crate) expectations: Vec<Expectation>,
}

impl Script {
    /// Reads a script, or says what of it is not known.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut script = Self::default();
        let mut kinds: HashMap<String, String> = HashMap::new();
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let mut pipeline: Option<String> = None;
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |index: usize| -> u32 {
                words[index].parse().unwrap_or_else(|_| panic!("{line}: no number"))
            };
            match words[..] {
                []
                | [
                    "DEVICE_EXTENSION" | "DEVICE_PROPERTY" | "DEVICE_FEATURE"
                    | "INSTANCE_EXTENSION",
                    ..,
                ] => {}
                ["SHADER", kind, name, form, ref rest @ ..] => {
                    kinds.insert(name.to_owned(), format!("{kind} {form}"));
                    let mut shader = Shader::default();
                    if form != "PASSTHROUGH" {
                        let text: Vec<&str> =
                            lines.by_ref().take_while(|line| line.trim() != "END").collect();
                        shader.assembly = (form == "SPIRV-ASM").then(|| text.join("\n"));
                        shader.environment = rest.get(1).unwrap_or(&"spv1.0").to_string();
                    }
                    script.shaders.insert(name.to_owned(), shader);
                }
                ["BUFFER", name, "DATA_TYPE", ty, ref rest @ ..] => {
                    let is_std140 = rest.contains(&"STD140");
                    let text: Vec<&str> =
                        lines.by_ref().take_while(|line| line.trim() != "END").collect();
                    let numbers = text.iter().flat_map(|line| line.split_whitespace());
                    let data = data(ty, is_std140, numbers)?;
                    script.buffers.insert(name.to_owned(), data);
                }
                ["BUFFER" | "SAMPLER", ..] => {}
                ["PIPELINE", kind, name] => {
                    let mut new = Pipeline { size: [250, 250], ..Pipeline::default() };
                    if kind != "graphics" {
                        new.unsupported = Some(format!("a {kind} pipeline"));
                    }
                    script.pipelines.insert(name.to_owned(), new);
                    pipeline = Some(name.to_owned());
                }
                ["END"] => pipeline = None,
                ["CLEAR_COLOR", name, ..] => {
                    let of = script.pipelines.get_mut(name).expect("it is declared");
                    of.clear = [2, 3, 4, 5].map(|k| number(k) as f32 / 255.0);
                }
                ["CLEAR", _] => {}
                ["RUN", name, "DRAW_RECT", ..] => script.runs.push(name.to_owned()),
                ["RUN", name, ..] => {
                    let of = script.pipelines.get_mut(name).expect("it is declared");
                    of.unsupported = Some(words[2..3].concat());
                    script.runs.push(name.to_owned());
                }
                ["EXPECT", buffer, "IDX", _, _, "SIZE", _, _, how, ..] => {
                    let parts = match how {
                        "EQ_RGBA" => 4,
                        "EQ_RGB" => 3,
                        _ => return Err(how.to_owned()),
                    };
                    let mut colour = [255; 4];
                    (0..parts).for_each(|k| colour[k] = number(9 + k) as u8);
                    let (place, size) = ([number(3), number(4)], [number(6), number(7)]);
                    let buffer = buffer.to_owned();
                    let expected = Expectation::Colour { buffer, place, size, colour, parts };
                    script.expectations.push(expected);
                }
                ["EXPECT", one, "EQ_HISTOGRAM_EMD_BUFFER", other, ..] => {
                    script.expectations.push(Expectation::Equal(one.to_owned(), other.to_owned()));
                }
                ["EXPECT", ..] => return Err(line.to_owned()),
                _ => {
                    let Some(name) = &pipeline else { return Err(line.to_owned()) };
                    let of = script.pipelines.get_mut(name).expect("it is declared");
                    match words[..] {
                        ["ATTACH", shader] => match kinds.get(shader).map(String::as_str) {
                            Some("vertex PASSTHROUGH") => {}
                            Some(kind) if kind.starts_with("fragment") => {
                                of.fragment = Some(shader.to_owned());
                            }
                            Some(kind) => of.unsupported = Some(kind.to_owned()),
                            None => return Err(line.to_owned()),
                        },
                        ["FRAMEBUFFER_SIZE", ..] => of.size = [number(1), number(2)],
                        ["BIND", "BUFFER", buffer, "AS", "color", ..] => {
                            of.colour = Some(buffer.to_owned());
                        }
                        [
                            "BIND",
                            "BUFFER",
                            buffer,
                            "AS",
                            "uniform" | "storage",
                            "DESCRIPTOR_SET",
                            _,
                            "BINDING",
                            _,
                        ] => {
                            let place = Some((number(6), number(8)));
                            of.uniforms.insert(place, buffer.to_owned());
                        }
                        ["BIND", "BUFFER", buffer, "AS", "push_constant"] => {
                            of.uniforms.insert(None, buffer.to_owned());
                        }
                        ["BIND", _, _, "AS", what, ..] => of.unsupported = Some(what.to_owned()),
                        _ => of.unsupported = Some(line.trim().to_owned()),
                    }
                }
            }
        }
        Ok(script)
    }
}

/// The bytes of a buffer.
fn data<'t>(
    ty: &str,
    is_std140: bool,
    numbers: impl Iterator<Item = &'t str>,
) -> Result<Vec<u8>, String> {
    let (of, is_array) = match ty.strip_suffix("[]") {
        Some(of) => (of, true),
        None => (ty, false),
    };
    let (scalar, width) = match of {
        "float" | "int32" | "uint32" => (of, 1),
        "vec2<float>" => ("float", 2),
        "vec4<float>" => ("float", 4),
        "vec4<int32>" => ("int32", 4),
        "mat4x4<float>" => ("float", 16),
        _ => return Err(format!("a buffer of {ty}")),
    };
    let words = numbers.map(|text| match scalar {
        "float" => text.parse::<f32>().expect("a number").to_bits(),
        "int32" => text.parse::<i64>().expect("a number") as u32,
        _ => text.parse::<u32>().expect("a number"),
    });
    let words: Vec<u32> = words.collect();
    let mut bytes = Vec::new();
    for element in words.chunks(width) {
        bytes.extend(element.iter().flat_map(|word| word.to_le_bytes()));
        if is_std140 && is_array {
            bytes.resize(bytes.len().next_multiple_of(16), 0);
        }
    }
    Ok(bytes)
}
