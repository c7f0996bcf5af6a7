//! Values of uniforms as JSON, compared with a plain reading of serde_json's tree.

use super::{FuzzTarget, Reached};
use lambdav_core::graph::Uniform;
use lambdav_core::types::{Field, Scalar, Structure, Type, TypeKind, Types};
use lambdav_engine::Settings;
use lambdav_engine::settings::to_json;
use lambdav_generate::Random;
use lambdav_image::Size;
use serde_json::Value;

/// A program's uniforms and their types.
pub(super) struct Program {
    pub(super) types: Types,
    pub(super) uniforms: Vec<Uniform>,
}

impl Program {
    pub(super) fn new(names: &[(&str, &str)]) -> Self {
        let mut types = Types::default();
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let kernel = types.add_array(Type::NUM, 3).expect("is small");
        let fields = [
            field("power", Type::NUM),
            field("at", Type::vec(2)),
            field("on", Type::BOOL),
            field("n", Type::INT),
            field("kernel", kernel),
            field("a.b", Type::UINT),
        ];
        let light = Structure { name: "Light".into(), fields: fields.into() };
        let light = types.add_structure(light).expect("is small");
        let lights = types.add_array(light, 2).expect("is small");
        let known = |kind: &str| match kind {
            "num" => Type::NUM,
            "bool" => Type::BOOL,
            "int" => Type::INT,
            "uint" => Type::UINT,
            "vec3" => Type::vec(3),
            "mat2" => Type::mat(2),
            "kernel" => kernel,
            "light" => light,
            _ => lights,
        };
        let uniform = |&(name, kind): &(&str, &str)| {
            let ty = known(kind);
            let word = |scalar| if scalar == Scalar::Bool { 1 } else { 7 };
            let default = types.scalars(ty).map(word).collect();
            Uniform { name: name.to_owned(), ty, default }
        };
        let uniforms = names.iter().map(uniform).collect();
        Self { types, uniforms }
    }

    pub(super) fn settings(&self) -> Settings {
        let size = Size::new(1, 1).expect("is small");
        Settings::with_uniforms(&self.uniforms, size)
    }
}

pub(super) struct Json(Program);

/// Names of members.
const NAMES: [&str; 8] = ["gain", "on", "count", "seed", "tint", "m", "kernel", "lights"];

impl Json {
    pub(super) fn new() -> Self {
        let kinds = ["num", "bool", "int", "uint", "vec3", "mat2", "kernel", "lights"];
        let names: Vec<(&str, &str)> = NAMES.into_iter().zip(kinds).collect();
        Self(Program::new(&names))
    }

    /// A value of a type, as text; sometimes a value of another type.
    fn value(&self, ty: Type, random: &mut Random) -> String {
        let types = &self.0.types;
        let list = |all: Vec<String>| format!("[{}]", all.join(","));
        let parts: Vec<Type> = types.parts(ty).collect();
        match types.kind(ty) {
            _ if random.percent(2) => (*random.pick(&OTHERS)).to_owned(),
            TypeKind::Scalar(Scalar::F32) => number(random),
            TypeKind::Scalar(Scalar::Bool) => {
                (*random.pick(&["true", "false", "1", "0"])).to_owned()
            }
            TypeKind::Scalar(Scalar::I32) => (random.bits() as i32 >> random.below(32)).to_string(),
            TypeKind::Scalar(Scalar::U32) => (random.bits() as u32 >> random.below(32)).to_string(),
            TypeKind::Structure(_) => {
                let structure = types.structure(ty).expect("it is one");
                let mut members = Vec::new();
                for (field, &part) in structure.fields.iter().zip(&parts) {
                    if random.percent(70) {
                        let value = self.value(part, random);
                        members.push(format!("{}:{value}", quoted(&field.name, random)));
                    }
                }
                format!("{{{}}}", members.join(","))
            }
            TypeKind::Vector(..) if random.percent(30) => self.value(parts[0], random),
            TypeKind::Matrix(..) if random.percent(30) => {
                let count = types.components(ty);
                list((0..count).map(|_| self.value(Type::NUM, random)).collect())
            }
            _ => list(parts.into_iter().map(|part| self.value(part, random)).collect()),
        }
    }
}

/// Values that fit few types or none.
const OTHERS: [&str; 12] = [
    "null", "[]", "{}", "\"inf\"", "\"-inf\"", "\"NaN\"", "\"2\"", "0x1f", ".5", "01", "3u",
    "[[[[]]]]",
];

fn number(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{:?}", f32::from_bits(random.bits() as u32 & 0xbf7f_ffff)),
        1 => format!("{}.{}", random.below(100_000_000), random.bits()),
        2 => format!("-{}e-{}", random.below(1000), random.below(60)),
        3 => format!("{}E+{}", random.below(1000), random.below(45)),
        4 => "16777217.0000000001".to_owned(),
        _ => random.below(10).to_string(),
    }
}

/// A name in quotes, with some characters escaped.
fn quoted(name: &str, random: &mut Random) -> String {
    let escaped = |c: char| match random.percent(5) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    format!("\"{}\"", name.chars().map(escaped).collect::<String>())
}

impl FuzzTarget for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut members = Vec::new();
        for uniform in &self.0.uniforms {
            if random.percent(60) {
                let value = self.value(uniform.ty, random);
                members.push(format!("{} : {value}", quoted(&uniform.name, random)));
            }
            if random.percent(2) {
                members.push(format!("\"{}\": 1", random.pick(&NAMES)));
            }
        }
        let text = format!("{{{}}}", members.join(*random.pick(&[",", ", ", ",\n  "])));
        if random.percent(40) { self.mutate(text.as_bytes(), random) } else { text.into_bytes() }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        const PARTS: [&str; 16] = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u+078", "\\ud800", " ", "\n", "0", "-",
            "e", "λ",
        ];
        let mut bytes = input.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() + 1);
            match random.below(4) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, random.bits() as u8),
                _ => bytes.splice(at..at, random.pick(&PARTS).bytes()).for_each(drop),
            }
        }
        bytes
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let Program { types, uniforms } = &self.0;
        let Ok(text) = str::from_utf8(input) else { return Ok(Reached::default()) };
        let mut settings = self.0.settings();
        let read = settings.set_all(types, uniforms, text).map_err(|error| error.to_string());
        let value: Option<Value> = serde_json::from_str(text).ok();
        let mut reached = Reached { parsed: value.is_some(), ..Reached::default() };
        let mut words: Vec<Vec<u32>> = uniforms.iter().map(|of| of.default.to_vec()).collect();
        let plain = value.as_ref().and_then(Value::as_object).is_some_and(|object| {
            object.iter().all(|(name, value)| {
                let index = uniforms.iter().position(|of| of.name == *name);
                index.is_some_and(|k| fill(types, uniforms[k].ty, value, &mut words[k]))
            })
        });
        match read {
            Ok(()) if plain => {
                reached.accepted = true;
                for ((uniform, words), plain) in
                    uniforms.iter().zip(&settings.inputs.uniforms).zip(&words)
                {
                    let scalars = types.scalars(uniform.ty);
                    let mut pairs = scalars.zip(words.iter().zip(plain));
                    if !pairs.all(|(scalar, (&a, &b))| is_near(scalar, a, b)) {
                        return Err(format!("`{}` is {words:?}, not {plain:?}", uniform.name));
                    }
                }
                let again = to_json(types, settings.values(uniforms));
                let mut other = self.0.settings();
                other.set_all(types, uniforms, &again).map_err(|error| error.to_string())?;
                if other.inputs.uniforms != settings.inputs.uniforms {
                    return Err(format!("it is read back differently: {again}"));
                }
                reached.computed = true;
            }
            Ok(()) => return Err("invalid JSON for these uniforms is accepted".to_owned()),
            Err(why) if plain && !why.contains("is given twice") => {
                return Err(format!("it is refused: {why}"));
            }
            Err(why) => has_place(&why, text)?,
        }
        Ok(reached)
    }
}

/// Checks that a message ends with a place in the text.
fn has_place(message: &str, text: &str) -> Result<(), String> {
    let wrong = || format!("no place in the text: {message}");
    let (_, place) = message.rsplit_once(" (line ").ok_or_else(wrong)?;
    let place = place.strip_suffix(')').and_then(|place| place.split_once(", column "));
    let place = place.and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    let (line, column): (usize, usize) = place.ok_or_else(wrong)?;
    let found = text.split('\n').nth(line.wrapping_sub(1)).ok_or_else(wrong)?;
    if column == 0 || column > found.chars().count() + 1 { Err(wrong()) } else { Ok(()) }
}

/// True if a component is equal, or off by the ULP that double rounding may cost.
fn is_near(scalar: Scalar, a: u32, b: u32) -> bool {
    a == b || scalar == Scalar::F32 && a.abs_diff(b) == 1
}

/// Sets the words of a value. False if the value does not have that type.
fn fill(types: &Types, ty: Type, value: &Value, words: &mut [u32]) -> bool {
    match (types.kind(ty), value) {
        (TypeKind::Scalar(scalar), _) => match word(*scalar, value) {
            Some(word) => {
                words[0] = word;
                true
            }
            None => false,
        },
        (TypeKind::Structure(_), Value::Object(object)) => object.iter().all(|(name, value)| {
            let structure = types.structure(ty).expect("it is one");
            let index = structure.fields.iter().position(|field| *field.name == **name);
            index.and_then(|index| types.part(ty, index)).is_some_and(|(part, start)| {
                fill(types, part, value, &mut words[start..start + types.components(part)])
            })
        }),
        (TypeKind::Vector(scalar, _), Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            word(*scalar, value).map(|word| words.fill(word)).is_some()
        }
        (TypeKind::Matrix(..), Value::Array(all)) if !all.first().is_some_and(Value::is_array) => {
            all.len() == words.len()
                && words
                    .iter_mut()
                    .zip(all)
                    .all(|(of, value)| word(Scalar::F32, value).map(|word| *of = word).is_some())
        }
        (TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..), Value::Array(all)) => {
            all.len() == types.parts(ty).len()
                && all.iter().enumerate().all(|(index, value)| {
                    let (part, start) = types.part(ty, index).expect("it is below the count");
                    fill(types, part, value, &mut words[start..start + types.components(part)])
                })
        }
        _ => false,
    }
}

fn word(scalar: Scalar, value: &Value) -> Option<u32> {
    match (scalar, value) {
        (Scalar::F32, Value::Number(number)) => {
            let number = number.as_f64()? as f32;
            number.is_finite().then(|| number.to_bits())
        }
        (Scalar::F32, Value::String(text)) => match &**text {
            "inf" => Some(f32::INFINITY.to_bits()),
            "-inf" => Some(f32::NEG_INFINITY.to_bits()),
            "NaN" => Some(f32::NAN.to_bits()),
            _ => None,
        },
        (Scalar::Bool, Value::Bool(truth)) => Some((*truth).into()),
        (Scalar::Bool, Value::Number(number)) => {
            number.as_u64().filter(|number| *number < 2).map(|number| number as u32)
        }
        (Scalar::I32, Value::Number(number)) => {
            number.as_i64().and_then(|number| i32::try_from(number).ok()).map(|int| int as u32)
        }
        (Scalar::U32, Value::Number(number)) => {
            number.as_u64().and_then(|number| u32::try_from(number).ok())
        }
        _ => None,
    }
}
