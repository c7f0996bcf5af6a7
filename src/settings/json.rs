//! Values of uniforms as JSON, guided by their types: structures are objects, arrays, vectors and
//! matrices (by columns, or by components) are lists. A single component is that of a whole vector. Numbers are rounded once, to binary32.
//!
//! Nothing recurses on how deep a value is nested.

use super::names::instead;
use super::scalar::{int, number, truth, uint};
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use std::str::CharIndices;

/// The members of an object, as names and the text of values.
///
/// # Errors
///
/// What is wrong with the text.
pub(super) fn members(text: &str) -> Result<Vec<(String, &str)>, String> {
    let mut reader = Reader { text, at: 0 };
    let mut all = Vec::new();
    reader.expect('{')?;
    if !reader.accept('}') {
        loop {
            let name = reader.string()?;
            reader.expect(':')?;
            all.push((name, reader.raw_value()?));
            if !reader.accept(',') {
                reader.expect('}')?;
                break;
            }
        }
    }
    reader.end()?;
    Ok(all)
}

/// The texts of a list's elements.
///
/// # Errors
///
/// What is wrong with the text.
pub(super) fn elements(text: &str) -> Result<Vec<&str>, String> {
    let mut reader = Reader { text, at: 0 };
    let mut all = Vec::new();
    reader.expect('[')?;
    if !reader.accept(']') {
        loop {
            all.push(reader.raw_value()?);
            if !reader.accept(',') {
                reader.expect(']')?;
                break;
            }
        }
    }
    reader.end()?;
    Ok(all)
}

/// Changes the words of a value of that type to what the text says. Fields that an object leaves
/// out stay as they are.
///
/// # Errors
///
/// What is wrong with the text.
pub(super) fn read(types: &Types, ty: Type, text: &str, words: &mut [u32]) -> Result<(), String> {
    let mut reader = Reader { text, at: 0 };
    let mut open: Vec<Open> = Vec::new();
    // What comes next, and where its words are.
    let mut next = Some((ty, 0));
    loop {
        if let Some((ty, start)) = next.take() {
            match types.kind(ty) {
                TypeKind::Scalar(scalar) => words[start] = reader.scalar(*scalar)?,
                TypeKind::Vector(scalar, count) if reader.peek() != Some('[') => {
                    words[start..start + usize::from(*count)].fill(reader.scalar(*scalar)?);
                }
                TypeKind::Structure(_) => {
                    reader.expect('{')?;
                    open.push(Open { ty, start, done: 0, part: None });
                }
                TypeKind::Variant(_) | TypeKind::Resource(_) => {
                    return Err("it is no uniform".to_owned());
                }
                TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..) => {
                    reader.expect('[')?;
                    let is_flat = matches!(types.kind(ty), TypeKind::Matrix(..))
                        && reader.peek() != Some('[');
                    let part = is_flat.then(|| Type::of(types.component(ty, 0), 1));
                    open.push(Open { ty, start, done: 0, part });
                }
            }
        }
        let Some(innermost) = open.last_mut() else { break };
        let (ty, start) = (innermost.ty, innermost.start);
        if let Some(structure) = types.structure(ty) {
            let is_first = innermost.done == 0;
            if reader.accept('}') {
                open.pop();
                continue;
            }
            if !is_first {
                reader.expect(',')?;
            }
            innermost.done += 1;
            let name = reader.string()?;
            reader.expect(':')?;
            let Some(index) = structure.fields.iter().position(|field| *field.name == *name) else {
                let help = instead(&name, structure.fields.iter().map(|field| &*field.name));
                return Err(format!("a {} has no field `{name}`; {help}", structure.name));
            };
            let (part, offset) = types.part(ty, index).expect("it is a field");
            next = Some((part, start + offset));
            continue;
        }
        let count = match innermost.part {
            Some(_) => types.components(ty),
            None => types.parts(ty).len(),
        };
        if innermost.done == count {
            if !reader.accept(']') {
                return Err(format!("{} has {count} elements, not more", types.name(ty)));
            }
            open.pop();
            continue;
        }
        if reader.peek() == Some(']') {
            let done = innermost.done;
            return Err(format!("{} has {count} elements, not {done}", types.name(ty)));
        }
        if innermost.done > 0 {
            reader.expect(',')?;
        }
        let (part, offset) = match innermost.part {
            Some(part) => (part, innermost.done),
            None => types.part(ty, innermost.done).expect("it is below the count"),
        };
        innermost.done += 1;
        next = Some((part, start + offset));
    }
    reader.end()
}

/// A value of that type as JSON.
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

/// A list or object that is being read.
struct Open {
    ty: Type,
    start: usize,
    /// How many parts have been read.
    done: usize,
    /// The type of its elements, where they are not the parts of the type.
    part: Option<Type>,
}

/// The four digits after `\\u`.
fn unit(characters: &mut CharIndices<'_>) -> Result<u16, String> {
    let digits: String = characters.take(4).map(|(_, digit)| digit).collect();
    let unit = u16::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
    unit.ok_or_else(|| "`\\u` stands before four hexadecimal digits".to_owned())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.accept(wanted) {
            return Ok(());
        }
        let found = self.found();
        Err(format!("`{wanted}` must follow, not {found}"))
    }

    fn found(&mut self) -> String {
        match self.rest() {
            "" => "the end".to_owned(),
            rest => format!("`{}`", rest.chars().take(20).collect::<String>()),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        if self.rest().is_empty() { Ok(()) } else { Err(format!("{} is too much", self.found())) }
    }

    fn scalar(&mut self, scalar: Scalar) -> Result<u32, String> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | ':' | '[' | '{');
        let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += token.len();
        match scalar {
            Scalar::F32 => number(token).map(f32::to_bits),
            Scalar::Bool => truth(token).map(u32::from),
            Scalar::I32 => int(token).map(|int| int as u32),
            Scalar::U32 => uint(token),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.accept('"') {
            let found = self.found();
            return Err(format!("a name in quotes must follow, not {found}"));
        }
        let mut name = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(name);
                }
                '\\' => match characters.next() {
                    Some((_, c @ ('"' | '\\' | '/'))) => name.push(c),
                    Some((_, 'u')) => {
                        // A character beyond the first 65,536 is two units.
                        let mut units = vec![unit(&mut characters)?];
                        if (0xd800..0xdc00).contains(&units[0])
                            && characters.as_str().starts_with("\\u")
                        {
                            characters.nth(1);
                            units.push(unit(&mut characters)?);
                        }
                        name += &String::from_utf16_lossy(&units);
                    }
                    _ => {
                        return Err(
                            "in a name `\\` stands before `\"`, `\\`, `/` or `u` only".into()
                        );
                    }
                },
                c => name.push(c),
            }
        }
        Err("the quotes are not closed".to_owned())
    }

    /// The text of a value, whatever it is.
    fn raw_value(&mut self) -> Result<&'a str, String> {
        self.rest();
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            match self.peek() {
                None => return Err("the end comes too early".to_owned()),
                Some('"') => {
                    self.string()?;
                }
                Some('[' | '{') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(']' | '}' | ',') if depth == 0 => break,
                Some(c) => {
                    depth -= usize::from(matches!(c, ']' | '}'));
                    self.at += c.len_utf8();
                }
            }
        }
        Ok(self.text[start..self.at].trim_end())
    }
}
