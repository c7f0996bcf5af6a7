//! The file format of the conformance suite, which `tests/language/README.md` describes.

use lambdav_core::float::same_words;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::texture::{Texels, TextureData, TextureKind, TextureOptions};
use lambdav_core::types::{Resource, ResourceKind, Scalar, Type, Types};
use std::sync::Arc;

/// A program and its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// The behaviour that it shows.
    pub title: String,
    /// The header's line in the file, from 1.
    pub line: usize,
    /// The program's text.
    pub program: String,
    /// The expected result.
    pub verdict: ExpectedVerdict,
    /// All warnings, in order.
    pub warnings: Vec<Finding>,
    /// The reason why the verdict is today's behaviour, but wrong.
    pub fixme: Option<String>,
    /// The locations of the evaluated outputs; `None`: all.
    pub asked: Option<Vec<u32>>,
    /// Inputs of the evaluated pixel.
    pub inputs: Inputs,
    /// The size of all textures.
    pub textures: [u32; 2],
    /// Number of elements of all buffers.
    pub buffers: u32,
    /// Largest number of `rec`s in each execution of a loop.
    pub max_iterations: u64,
}

impl Case {
    /// The pixel's inputs for a program with these types. The texel in column x, row y and plane p is (x, y,
    /// x + 10y + 100p, 1). Arrays have two layers, volumes two slices, and faces of cubes the lesser side. Component c of a buffer's element k is k + 10c; a `bool` is true if k + c is odd.
    pub fn inputs_of(&self, types: &Types) -> Inputs {
        let [width, height] = self.textures;
        let side = width.min(height);
        let data = |resource: &Arc<Resource>| match resource.kind {
            ResourceKind::Texture(options) => {
                let size @ [width, height, planes] = match options.kind {
                    TextureKind::Flat => [width, height, 1],
                    TextureKind::Array | TextureKind::Volume => [width, height, 2],
                    TextureKind::Cube => [side, side, 6],
                    TextureKind::CubeArray => [side, side, 12],
                };
                let texel = |i: u32| {
                    let (x, y, plane) = (i % width, i / width % height, i / width / height);
                    [x, y, x + 10 * y + 100 * plane, 1]
                };
                let texels: Vec<[u32; 4]> = (0..width * height * planes).map(texel).collect();
                let TextureOptions { kind, texels: components, mipmaps, .. } = options;
                let data = match components {
                    Texels::Numbers => {
                        let texels = texels.into_iter().map(|of| of.map(|part| part as f32));
                        TextureData::with_planes(kind, size, texels, mipmaps)
                    }
                    Texels::Integers | Texels::Unsigned => {
                        TextureData::of_integers(kind, components, size, texels.into_iter())
                    }
                };
                Bound::Texture(data.expect("it is small").into())
            }
            ResourceKind::Buffer(element) => Bound::Buffer(self.elements(types, element).into()),
            ResourceKind::Memory(_) => Bound::Nothing,
        };
        let resources = types.resources().iter().map(data).collect();
        Inputs { resources, ..self.inputs.clone() }
    }

    fn elements(&self, types: &Types, element: Type) -> BufferData {
        let mut words = Vec::new();
        for k in 0..self.buffers {
            words.extend((0..).zip(types.scalars(element)).map(|(c, scalar)| match scalar {
                Scalar::F32 => ((k + 10 * c) as f32).to_bits(),
                Scalar::Bool => (k + c) % 2,
                Scalar::I32 | Scalar::U32 => k + 10 * c,
            }));
        }
        BufferData::new(types, element, words).expect("it is small")
    }
}

/// The expected result of a program.
#[derive(Clone, Debug)]
pub enum ExpectedVerdict {
    /// The values of outputs by location.
    Accepted(Vec<(u32, Expected)>),
    /// The first error.
    Rejected(Finding),
    /// A loop that exceeds [`Case::max_iterations`].
    Exceeds(Finding),
}

/// A code at a line and column of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Such as `LV0401`.
    pub code: String,
    /// Line and column, from 1.
    pub at: (u32, u32),
}

/// The bits of a `num` or vector.
#[derive(Clone, Debug)]
pub struct Expected(pub Vec<u32>);

impl Expected {
    /// True if the words are equal; all NaNs are equal.
    pub fn matches(&self, words: &[u32]) -> bool {
        same_words(&self.0, words)
    }
}

/// The programs of a file.
pub fn read_cases(text: &str) -> Result<Vec<Case>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = Vec::new();
    let mut at = lines.iter().position(|l| l.starts_with(";;")).ok_or("holds no program")?;
    if let Some(stray) = lines[..at].iter().position(|l| !l.is_empty() && !l.starts_with("; ")) {
        return Err(format!("line {}: text before the first header", stray + 1));
    }
    while at < lines.len() {
        let header = count(&lines[at..], |l| l.starts_with(";;"));
        let body = count(&lines[at + header..], |l| !l.starts_with(";;"));
        let program = lines[at + header..at + header + body].join("\n");
        let case = read_case(&lines[at..at + header], at + 1, program.trim_end().to_owned());
        cases.push(case.map_err(|e| format!("line {}: {e}", at + 1))?);
        at += header + body;
    }
    for (i, case) in cases.iter().enumerate() {
        if cases[..i].iter().any(|other| other.title == case.title) {
            return Err(format!("line {}: two programs have this title", case.line));
        }
    }
    Ok(cases)
}

fn count(lines: &[&str], wanted: impl Fn(&str) -> bool) -> usize {
    lines.iter().take_while(|l| wanted(l)).count()
}

fn read_case(header: &[&str], line: usize, program: String) -> Result<Case, String> {
    let mut lines = header.iter().map(|l| l.trim_start_matches(";;").trim());
    let title = lines.next().ok_or("there is no title")?.to_owned();
    let (mut values, mut refusal) = (Vec::new(), None);
    let (mut warnings, mut fixme) = (Vec::new(), None);
    let (mut asked, mut textures, mut buffers) = (None, [1, 1], 1);
    let (mut inputs, mut max_iterations) = (Inputs::default(), limits::ITERATIONS);
    for line in lines {
        let (key, value) = line.split_once(": ").ok_or_else(|| format!("no `: ` in `{line}`"))?;
        let mut words = key.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some("accepted"), None) => values.push((0, expected(value)?)),
            (Some("output"), Some(location)) => {
                values.push((number(location)?, expected(value)?));
            }
            (Some("rejected"), None) => refusal = Some(ExpectedVerdict::Rejected(finding(value)?)),
            (Some("exceeds"), Some(limit)) => {
                max_iterations = number(limit)?;
                refusal = Some(ExpectedVerdict::Exceeds(finding(value)?));
            }
            (Some("warned"), None) => warnings.push(finding(value)?),
            (Some("fixme"), None) => fixme = Some(value.to_owned()),
            (Some("asked"), None) => asked = Some(numbers(value)?),
            (Some("max-iterations"), None) => max_iterations = number(value)?,
            (Some("textures"), None) => {
                let sides = value.split('x').map(number).collect::<Result<Vec<u32>, _>>()?;
                textures = sides.try_into().map_err(|_| "a size is `WxH`")?;
            }
            (Some("buffers"), None) => buffers = number(value)?,
            (Some("pixel"), None) => pixel(value, &mut inputs)?,
            (Some("time"), None) => inputs.time = number(value)?,
            (Some("frame"), None) => inputs.frame = number(value)?,
            (Some("mouse"), None) => {
                inputs.mouse = numbers(value)?.try_into().map_err(|_| "a mouse has 4 numbers")?;
            }
            _ => return Err(format!("what does `{key}` mean?")),
        }
    }
    let verdict = match (refusal, values.is_empty()) {
        (None, false) => ExpectedVerdict::Accepted(values),
        (Some(refusal), true) => refusal,
        _ => return Err("one verdict is needed".into()),
    };
    Ok(Case {
        title,
        line,
        program,
        verdict,
        warnings,
        fixme,
        asked,
        inputs,
        textures,
        buffers,
        max_iterations,
    })
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number that fits here"))
}

fn numbers<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    text.split_ascii_whitespace().map(number).collect()
}

/// `3,4 of 10x20`
fn pixel(text: &str, inputs: &mut Inputs) -> Result<(), String> {
    let pair = |text: &str, separator| -> Result<(f32, f32), String> {
        let (a, b) = text.split_once(separator).ok_or("two numbers are needed")?;
        Ok((number(a)?, number(b)?))
    };
    let (at, size) = text.split_once(" of ").ok_or("a pixel is `X,Y of WxH`")?;
    let ((x, y), (width, height)) = (pair(at, ',')?, pair(size, 'x')?);
    inputs.frag_coord = [x + 0.5, y + 0.5, 0.0, 1.0];
    inputs.resolution = [width, height];
    Ok(())
}

/// `LV0401 at 2:10`
fn finding(text: &str) -> Result<Finding, String> {
    let parts = text.split_once(" at ").and_then(|(code, at)| Some((code, at.split_once(':')?)));
    let (code, (line, column)) = parts.ok_or("a finding is `CODE at LINE:COLUMN`")?;
    Ok(Finding { code: code.to_owned(), at: (number(line)?, number(column)?) })
}

/// `0.5`, `vec3(1 -0 nan)`, `vec2(0x3f800000 inf)`
fn expected(text: &str) -> Result<Expected, String> {
    let Some((name, rest)) = text.split_once('(') else {
        return Ok(Expected(vec![word(text)?]));
    };
    let components = rest.strip_suffix(')').ok_or("`)` is missing")?;
    let words: Vec<u32> =
        components.split_ascii_whitespace().map(word).collect::<Result<_, _>>()?;
    if name != format!("vec{}", words.len()) {
        return Err(format!("`{text}` has {} components", words.len()));
    }
    Ok(Expected(words))
}

fn word(text: &str) -> Result<u32, String> {
    match text.strip_prefix("0x") {
        Some(bits) => u32::from_str_radix(bits, 16).map_err(|_| format!("`{text}` is not bits")),
        None => Ok(number::<f32>(text)?.to_bits()),
    }
}
