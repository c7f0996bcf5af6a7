//! Files of meshes: glTF, binary and text, and OBJ, with wrong numbers, missing and repeated parts.

use super::{FuzzTarget, Reached};
use crate::bytes;
use lambdav_generate::Random;
use lambdav_mesh::{Format, Limits, Mesh, NoFolder, ReadError, Scalar};
use lambdav_test_support::meshes::{Gltf, random_obj};
use std::ops::Range;

pub(super) struct Meshes;

/// Limits that keep accepted files small.
const LIMITS: Limits =
    Limits { file_bytes: 1 << 24, mesh_bytes: 1 << 24, vertices: 1 << 16, triangles: 1 << 16 };

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "4",
    "255",
    "65535",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e300",
    "-0.0",
    "1e-320",
    "5121",
    "5126",
];

/// Parts of a text that are numbers.
fn numbers(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        if byte.is_ascii_digit() || b"-.".contains(byte) {
            match found.last_mut().filter(|last| last.end == at) {
                Some(last) => last.end += 1,
                None => found.push(at..at + 1),
            }
        }
    }
    found
}

/// Objects of a JSON text, from brace to brace.
fn objects(text: &[u8]) -> Vec<Range<usize>> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' => found.extend(open.pop().map(|begin| begin..at + 1)),
            _ => {}
        }
    }
    found
}

/// The text with one to a few changes.
fn changed(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.weighted(&[50, 25, 12, 6, 4]) {
        let (numbers, objects) = (numbers(&text), objects(&text));
        match random.weighted(&[50, 10, 10, 12, 6, 12]) {
            0 | 1 if !numbers.is_empty() => {
                let number = match random.percent(60) {
                    true => random.pick(&NUMBERS).as_bytes().to_vec(),
                    false => text[random.pick(&numbers).clone()].to_vec(),
                };
                text.splice(random.pick(&numbers).clone(), number).for_each(drop);
            }
            2 if !objects.is_empty() => {
                let object = random.pick(&objects).clone();
                let copies = 1 + random.weighted(&[60, 20, 10, 10]).pow(3);
                let copy = [b",", &text[object.clone()]].concat().repeat(copies);
                text.splice(object.end..object.end, copy).for_each(drop);
            }
            3 if !objects.is_empty() => {
                let (from, to) = (random.pick(&objects).clone(), random.pick(&objects).clone());
                let part = text[from].to_vec();
                text.splice(to, part).for_each(drop);
            }
            4 => {
                let lines: Vec<Vec<u8>> =
                    text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                if !lines.is_empty() {
                    let at = random.below(text.len() + 1);
                    let line = random.pick(&lines).repeat(1 + random.below(3));
                    text.splice(at..at, line).for_each(drop);
                }
            }
            _ => text = bytes::mutate(&text, &[b"{}[],:\"\\/ ".to_vec()], random),
        }
        // Copies of copies would grow without end.
        text.truncate(1 << 18);
    }
    text
}

/// The chunks of a binary glTF, if they are whole.
fn chunks(file: &[u8]) -> Option<Gltf> {
    let chunk = |bytes: &mut &[u8]| -> Option<Vec<u8>> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (content, rest) =
            rest.get(4..)?.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *bytes = rest;
        Some(content.to_vec())
    };
    let mut rest = file.strip_prefix(b"glTF")?.get(8..)?;
    let json = String::from_utf8(chunk(&mut rest)?).ok()?;
    Some(Gltf { json, binary: chunk(&mut rest)? })
}

impl FuzzTarget for Meshes {
    fn name(&self) -> &'static str {
        "meshes"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let file = match random.percent(65) {
            true => Gltf::random(random).glb(),
            false => random_obj(random).into_bytes(),
        };
        if random.percent(90) { self.mutate(&file, random) } else { file }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        match chunks(input) {
            Some(mut file) if random.percent(85) => {
                let json = changed(file.json.as_bytes(), random);
                file.json = String::from_utf8_lossy(&json).into_owned();
                match random.percent(5) {
                    true => file.json.into_bytes(),
                    false => file.glb(),
                }
            }
            Some(_) => bytes::mutate(input, &[input.to_vec()], random),
            None => changed(input, random),
        }
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let format = Format::recognise(input).unwrap_or(Format::Obj);
        let plain = |error: &dyn std::fmt::Display| {
            let text = error.to_string();
            match text.is_empty() || text.chars().any(char::is_control) {
                true => Err(format!("the message {text:?} is no message")),
                false => Ok(()),
            }
        };
        let mut mesh = match Mesh::read(input, format, &NoFolder, &LIMITS) {
            Ok(mesh) => mesh,
            Err(error) => {
                plain(&error)?;
                let parsed = !matches!(error, ReadError::Json(_) | ReadError::Container(_));
                return Ok(Reached { parsed, ..Reached::default() });
            }
        };
        mesh.remarks().iter().try_for_each(|remark| plain(remark))?;
        check(&mesh)?;
        for attribute in mesh.attributes() {
            let (name, width) = (attribute.name(), attribute.components());
            let words = [Scalar::Num, Scalar::Int, Scalar::Uint]
                .map(|scalar| mesh.attribute(name, scalar, width));
            for words in &words {
                match words {
                    Ok(words) if words.len() == mesh.vertices() * usize::from(width) => {}
                    Ok(_) => return Err(format!("`{name}` has another length than the mesh")),
                    Err(error) => plain(error)?,
                }
            }
            if let [Err(_), Ok(_), _] | [Err(_), _, Ok(_)] = &words {
                return Err(format!("`{name}` gives integers, but no nums"));
            }
        }
        for camera in mesh.cameras() {
            let _ = (camera.view(), camera.projection(1.5));
        }
        let whole = mesh.triangles();
        match mesh.select_material("red") {
            Ok(()) if (1..=whole).contains(&mesh.triangles()) => check(&mesh)?,
            Ok(()) => return Err("a selected material has no triangles, or too many".into()),
            Err(error) => plain(&error)?,
        }
        Ok(Reached { parsed: true, accepted: true, computed: whole > 0 })
    }

    fn is_binary(&self) -> bool {
        true
    }
}

/// Checks indices, parts and lengths.
fn check(mesh: &Mesh) -> Result<(), String> {
    if mesh.indices().iter().any(|&index| index as usize >= mesh.vertices()) {
        return Err("an index is beyond the vertices".into());
    }
    let parts = mesh
        .parts()
        .iter()
        .try_fold(0, |begin, part| (part.triangles.start == begin).then_some(part.triangles.end));
    if parts != Some(mesh.triangles()) || mesh.indices().len() != 3 * mesh.triangles() {
        return Err("the parts are not all triangles".into());
    }
    let expected = |components: u8| mesh.vertices() * usize::from(components);
    match mesh.attributes().iter().find(|a| a.data().len() != expected(a.components())) {
        Some(attribute) => Err(format!("`{}` has another length than the mesh", attribute.name())),
        None => Ok(()),
    }
}
