//! Values of uniforms as JSON, guided by their types: structures are objects; arrays, vectors and
//! matrices (by columns, or by components) are lists. A single component stands for all components of a
//! vector. Numbers are rounded once, from their text to binary32; non-finite numbers are the strings
//! `"inf"`, `"-inf"` and `"NaN"`.
//!
//! serde_json parses the syntax, one level at a time, into texts of values. No code recurses on the
//! nesting of a value, which its type limits.

use super::names::{instead, with_article};
use super::position::TextPosition;
use super::scalar::{int, number, truth, uint};
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_frontend::syntax::read_integer;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// An error message and its byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonError {
    pub(super) message: String,
    offset: usize,
}

impl JsonError {
    /// An error at a part of the text.
    fn at(text: &str, part: &str, message: String) -> Self {
        Self { message, offset: part.as_ptr().addr() - text.as_ptr().addr() }
    }

    /// Position in the text that was read.
    pub(super) fn position(&self, text: &str) -> TextPosition {
        TextPosition::of(text, self.offset)
    }

    /// The message with its position.
    pub(super) fn told(&self, text: &str) -> String {
        format!("{} ({})", self.message, self.position(text))
    }
}

/// A member of an object.
pub(super) struct Member<'t> {
    pub(super) name: String,
    /// Text of the name, with its quotes.
    key: &'t str,
    /// Text of the value.
    pub(super) value: &'t str,
}

/// Texts of an object's keys and values, in order, including duplicate keys.
struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairing;
        impl<'t> Visitor<'t> for Pairing {
            type Value = Pairs<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
                let mut all = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    all.push(pair);
                }
                Ok(Pairs(all))
            }
        }
        deserializer.deserialize_map(Pairing)
    }
}

/// Parses a part of `text`.
fn parsed<'t, T: Deserialize<'t>>(text: &str, part: &'t str) -> Result<T, JsonError> {
    serde_json::from_str(part).map_err(|error| syntax(text, part, &error))
}

/// Syntax error of a part, with its place in `text`.
fn syntax(text: &str, part: &str, error: &serde_json::Error) -> JsonError {
    let before: usize = part.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
    let mut offset = (before + error.column().saturating_sub(1)).min(part.len());
    while !part.is_char_boundary(offset) {
        offset -= 1;
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let (offset, message) = match foreign_number(part, offset) {
        Some((start, message)) => (start, message),
        None => (offset, message.to_owned()),
    };
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    JsonError { message, offset: start + offset }
}

/// A number around `offset` that JSON lacks: its start, and the JSON form.
fn foreign_number(part: &str, offset: usize) -> Option<(usize, String)> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let start = part[..offset].rfind(|c| !is_token(c)).map_or(0, |at| at + 1);
    // `offset` may lie inside a character.
    let start = (start..=offset).find(|&at| part.is_char_boundary(at))?;
    let rest = &part[start..];
    let token = &rest[..rest.find(|c| !is_token(c)).unwrap_or(rest.len())];
    if serde_json::from_str::<serde_json::Number>(token).is_ok() {
        return None;
    }
    let unsigned = token.trim_start_matches(['+', '-']);
    let name = unsigned.to_ascii_lowercase();
    let instead = if matches!(&*name, "nan" | "inf" | "infinity") {
        let sign = if token.starts_with('-') && name != "nan" { "-" } else { "" };
        let name = if name == "nan" { "NaN" } else { "inf" };
        format!("\"{sign}{name}\"")
    } else if !token.contains(|c: char| c.is_ascii_digit()) {
        return None;
    } else if let Ok(value) = number(token) {
        format!("{value:?}").trim_end_matches(".0").to_owned()
    } else {
        let written = ["", "i", "u"].map(|suffix| read_integer(&format!("{token}{suffix}")));
        match written.into_iter().flatten().next()? {
            (Scalar::I32, bits) => (bits? as i32).to_string(),
            (_, bits) => bits?.to_string(),
        }
    };
    Some((start, format!("`{token}` is not how JSON has numbers; write {instead}")))
}

/// The text without surrounding white space, if it is valid JSON.
fn whole(text: &str) -> Result<&str, JsonError> {
    parsed::<&RawValue>(text, text).map(RawValue::get)
}

/// The beginning of a value, for messages.
fn shown(value: &str) -> String {
    const SOME: usize = 20;
    let dots = if value.chars().nth(SOME).is_some() { "…" } else { "" };
    format!("`{}{dots}`", value.chars().take(SOME).collect::<String>())
}

/// Members of an object that is a part of the text.
fn members_of<'t>(text: &'t str, value: &'t str) -> Result<Vec<Member<'t>>, JsonError> {
    let Pairs(pairs) = parsed(text, value)?;
    let mut names = HashSet::with_capacity(pairs.len());
    let mut all = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let (key, value) = (key.get(), value.get());
        let name: String = parsed(text, key)?;
        if !names.insert(name.clone()) {
            return Err(JsonError::at(text, key, format!("the name `{name}` is given twice")));
        }
        all.push(Member { name, key, value });
    }
    Ok(all)
}

/// Elements of a list that is a part of the text.
fn elements_of<'t>(text: &str, value: &'t str) -> Result<Vec<&'t str>, JsonError> {
    let all: Vec<&RawValue> = parsed(text, value)?;
    Ok(all.into_iter().map(RawValue::get).collect())
}

/// Members of an object: names, and texts of values.
///
/// # Errors
///
/// A text that is no object, or has a duplicate name.
pub(super) fn members(text: &str) -> Result<Vec<Member<'_>>, JsonError> {
    let value = whole(text)?;
    match value.starts_with('{') {
        true => members_of(text, value),
        false => Err(JsonError::at(text, value, format!("{} is no object", shown(value)))),
    }
}

/// Texts of a list's elements.
///
/// # Errors
///
/// A text that is no list.
pub(super) fn elements(text: &str) -> Result<Vec<&str>, JsonError> {
    let value = whole(text)?;
    match value.starts_with('[') {
        true => elements_of(text, value),
        false => Err(JsonError::at(text, value, format!("{} is no list", shown(value)))),
    }
}

/// A value still to be read.
struct Next<'t> {
    ty: Type,
    /// Index of its first word.
    start: usize,
    value: &'t str,
}

/// Writes `value`, a part of `text`, into the words of a value of type `ty`. Fields that an object
/// omits keep their words. With `takes_truths`, `true` and `false` are integers, too.
///
/// # Errors
///
/// A value that does not fit the type.
pub(super) fn read(
    types: &Types,
    ty: Type,
    text: &str,
    value: &str,
    takes_truths: bool,
    words: &mut [u32],
) -> Result<(), JsonError> {
    let value = parsed::<&RawValue>(text, value)?.get();
    let mut open = vec![Next { ty, start: 0, value }];
    while let Some(Next { ty, start, value }) = open.pop() {
        let fail = |part: &str, message| Err(JsonError::at(text, part, message));
        let is_list = value.starts_with('[');
        let word = |scalar, value| {
            let word = scalar_word(scalar, value, takes_truths);
            word.map_err(|message| JsonError::at(text, value, message))
        };
        match types.kind(ty) {
            TypeKind::Scalar(scalar) => words[start] = word(*scalar, value)?,
            TypeKind::Vector(scalar, count) if !is_list => {
                words[start..start + usize::from(*count)].fill(word(*scalar, value)?);
            }
            TypeKind::Structure(_) => {
                let structure = types.structure(ty).expect("it is one");
                if !value.starts_with('{') {
                    let message =
                        format!("a {} is an object, not {}", structure.name, shown(value));
                    return fail(value, message);
                }
                let first = open.len();
                for Member { name, key, value } in members_of(text, value)? {
                    let fields = &structure.fields;
                    let Some(index) = fields.iter().position(|field| *field.name == *name) else {
                        let help = instead(&name, fields.iter().map(|field| &*field.name));
                        let message = format!("a {} has no field `{name}`; {help}", structure.name);
                        return fail(key, message);
                    };
                    let (part, offset) = types.part(ty, index).expect("it is a field");
                    open.push(Next { ty: part, start: start + offset, value });
                }
                open[first..].reverse();
            }
            TypeKind::Variant(_) | TypeKind::Resource(_) => {
                return fail(value, "it is no uniform".to_owned());
            }
            TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..) => {
                if !is_list {
                    return fail(
                        value,
                        format!("a {} is a list, not {}", types.name(ty), shown(value)),
                    );
                }
                let all = elements_of(text, value)?;
                let is_flat = matches!(types.kind(ty), TypeKind::Matrix(..))
                    && all.first().is_some_and(|first| !first.starts_with('['));
                let count = if is_flat { types.components(ty) } else { types.parts(ty).len() };
                if all.len() != count {
                    let (name, found) = (types.name(ty), all.len());
                    return fail(value, format!("{name} has {count} elements, not {found}"));
                }
                for (index, value) in all.into_iter().enumerate().rev() {
                    let (part, offset) = match is_flat {
                        true => (Type::of(types.component(ty, 0), 1), index),
                        false => types.part(ty, index).expect("it is below the count"),
                    };
                    open.push(Next { ty: part, start: start + offset, value });
                }
            }
        }
    }
    Ok(())
}

/// Word of a scalar's text.
fn scalar_word(scalar: Scalar, value: &str, takes_truths: bool) -> Result<u32, String> {
    if value.starts_with(['[', '{']) {
        let name = Type::of(scalar, 1);
        let name = with_article(&Types::default().name(name).to_string());
        return Err(format!("{name} is one value, not {}", shown(value)));
    }
    match (scalar, value) {
        (Scalar::F32, "\"inf\"") => Ok(f32::INFINITY.to_bits()),
        (Scalar::F32, "\"-inf\"") => Ok(f32::NEG_INFINITY.to_bits()),
        (Scalar::F32, "\"NaN\"") => Ok(f32::NAN.to_bits()),
        (Scalar::I32 | Scalar::U32, "true") if takes_truths => Ok(1),
        (Scalar::I32 | Scalar::U32, "false") if takes_truths => Ok(0),
        (Scalar::F32, _) => number(value).map(f32::to_bits),
        (Scalar::Bool, _) => truth(value).map(u32::from),
        (Scalar::I32, _) => int(value).map(|int| int as u32),
        (Scalar::U32, _) => uint(value),
    }
}
/// Writes a value of that type as JSON.
pub(super) fn write(types: &Types, ty: Type, words: &[u32]) -> String {
    enum Next<'a> {
        Value(Type, usize),
        Name(&'a str),
        Text(&'static str),
    }
    let mut text = String::new();
    let mut next = vec![Next::Value(ty, 0)];
    while let Some(now) = next.pop() {
        let (ty, start) = match now {
            Next::Value(ty, start) => (ty, start),
            Next::Name(name) => {
                text += &format!("{}: ", quoted(name));
                continue;
            }
            Next::Text(part) => {
                text += part;
                continue;
            }
        };
        let (names, ends) = match types.kind(ty) {
            TypeKind::Scalar(scalar) => {
                text += &written(*scalar, words[start]);
                continue;
            }
            TypeKind::Structure(_) => (types.structure(ty), ["{", "}"]),
            _ => (None, ["[", "]"]),
        };
        text += ends[0];
        next.push(Next::Text(ends[1]));
        for index in (0..types.parts(ty).len()).rev() {
            let (part, offset) = types.part(ty, index).expect("it is below the count");
            next.push(Next::Value(part, start + offset));
            if let Some(structure) = names {
                next.push(Next::Name(&structure.fields[index].name));
            }
            if index > 0 {
                next.push(Next::Text(", "));
            }
        }
    }
    text
}

fn written(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 if f32::from_bits(word).is_finite() => format!("{:?}", f32::from_bits(word)),
        Scalar::F32 => format!("\"{}\"", f32::from_bits(word)),
        Scalar::Bool => (word != 0).to_string(),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
    }
}

/// A name in quotes, in ASCII.
pub(super) fn quoted(name: &str) -> String {
    let mut text = "\"".to_owned();
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    text += &format!("\\u{unit:04x}");
                }
            }
        }
    }
    text + "\""
}
