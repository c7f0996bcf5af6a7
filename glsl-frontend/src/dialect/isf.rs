//! ISF: the JSON object in the first comment, and what it declares.

use super::text::{Frame, TextWords};
use serde_json::Value;

/// The JSON object of a text.
pub(super) fn header(text: &str) -> Option<Value> {
    let start = text.find("/*")?;
    if !text[..start].trim_start_matches('\u{feff}').trim().is_empty() {
        return None;
    }
    let end = text[start..].find("*/")? + start;
    let inside = text[start + 2..end].trim();
    if !inside.starts_with('{') {
        return None;
    }
    let last = inside.rfind('}')?;
    let value: Value = serde_json::from_str(&without_commas(&inside[..=last])).ok()?;
    let known = ["INPUTS", "ISFVSN", "PASSES", "CATEGORIES", "DESCRIPTION", "CREDIT"];
    known.iter().any(|key| value.get(key).is_some()).then_some(value)
}

/// Without commas in front of a closing bracket, which files have and JSON does not allow, and with blanks for
/// control characters in strings.
fn without_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if inside {
            inside = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            out.push(if c.is_control() { ' ' } else { c });
            continue;
        }
        let closes = |rest: &str| rest.trim_start().starts_with([']', '}']);
        if c == ',' && closes(&text[at + 1..]) {
            continue;
        }
        inside = c == '"';
        out.push(c);
    }
    out
}

fn number(value: &Value) -> Option<f32> {
    let number = match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::String(text) => text.parse().ok()?,
        other => other.as_f64()?,
    };
    Some(number as f32)
}

/// The default of an input of type `float`. Where the format says nothing, this is what its reference host does: the
/// range is 0 to 1 unless both ends are given, a default is clamped to it, and without one it is the middle.
fn float(input: &Value) -> f32 {
    let of = |key: &str| input.get(key).and_then(number);
    let (least, most) = of("MIN").zip(of("MAX")).unwrap_or((0.0, 1.0));
    match of("DEFAULT") {
        Some(value) if least <= most => value.clamp(least, most),
        Some(value) => value,
        None => (least + most) / 2.0,
    }
}

fn vector(value: Option<&Value>, width: usize, missing: f32) -> String {
    let given = value.and_then(Value::as_array);
    let parts: Vec<String> = (0..width)
        .map(|k| {
            let part = given.and_then(|given| number(given.get(k)?));
            format!("{:?}", part.unwrap_or(missing))
        })
        .collect();
    format!("vec{width}({})", parts.join(", "))
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Uniforms of the host, and functions on images.
const HOST: [(&str, &str); 6] = [
    ("RENDERSIZE", "uniform vec2 RENDERSIZE;"),
    ("TIME", "uniform float TIME;"),
    ("TIMEDELTA", "uniform float TIMEDELTA;"),
    ("DATE", "uniform vec4 DATE;"),
    ("FRAMEINDEX", "uniform int FRAMEINDEX;"),
    ("PASSINDEX", "uniform int PASSINDEX;"),
];

const FUNCTIONS: &str = "\
#define IMG_SIZE(image) vec2(textureSize(image, 0))
#define IMG_NORM_PIXEL(image, at) texture2D(image, at)
#define IMG_PIXEL(image, at) texture2D(image, (at) / IMG_SIZE(image))
#define IMG_THIS_PIXEL(image) texture2D(image, isf_FragNormCoord)
#define IMG_THIS_NORM_PIXEL(image) texture2D(image, isf_FragNormCoord)
#define isf_FragNormCoord (gl_FragCoord.xy / RENDERSIZE)
#define vv_FragNormCoord isf_FragNormCoord
#define isf_fragCoord floor(gl_FragCoord.xy)
";

/// The text in front of a shader.
pub(super) fn frame(text: &str, words: &TextWords<'_>) -> Frame {
    let Some(header) = header(text) else { return Frame::default() };
    let mut frame = Frame::default();
    for (name, text) in HOST {
        if !words.declares(name) {
            frame.before += text;
            frame.before.push('\n');
        }
    }
    frame.before += FUNCTIONS;
    let mut declare = |name: &str, text: String| {
        if is_name(name) && !words.declares(name) {
            frame.before += &text;
            frame.before.push('\n');
        }
    };
    let list = |key: &str| header.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    for input in list("INPUTS") {
        let Some(name) = input.get("NAME").and_then(Value::as_str) else { continue };
        let default = input.get("DEFAULT");
        let ty = input.get("TYPE").and_then(Value::as_str).unwrap_or_default();
        let text = match ty {
            "bool" | "event" => {
                let value = default.and_then(number).map_or(ty == "bool", |value| value != 0.0);
                format!("uniform bool {name} = {value};")
            }
            "long" => {
                let value = default.and_then(Value::as_f64).unwrap_or(0.0);
                format!("uniform int {name} = {};", value as i32)
            }
            "float" => format!("uniform float {name} = {:?};", float(&input)),
            "point2D" => format!("uniform vec2 {name} = {};", vector(default, 2, 0.0)),
            "color" => format!("uniform vec4 {name} = {};", vector(default, 4, 1.0)),
            _ => format!("uniform sampler2D {name};"),
        };
        declare(name, text);
    }
    let mut passes = 0;
    for pass in list("PASSES") {
        passes += 1;
        if let Some(target) = pass.get("TARGET").and_then(Value::as_str) {
            declare(target, format!("uniform sampler2D {target};"));
        }
    }
    for key in ["PERSISTENT_BUFFERS", "IMPORTED"] {
        let names: Vec<String> = match header.get(key) {
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            Some(Value::Array(all)) => all
                .iter()
                .filter_map(|one| one.as_str().or_else(|| one.get("NAME")?.as_str()))
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        for name in names {
            declare(&name, format!("uniform sampler2D {name};"));
        }
    }
    if passes > 1 {
        frame.notes.push(format!(
            "the shader has {passes} passes; the picture is that of the pass `PASSINDEX`, by default the first"
        ));
    }
    frame
}
