//! Vertices and faces of an OBJ file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::lines::Words;
use crate::error::{ObjFault, Place, ReadError};
use crate::limits::{Limits, Quantity};
use crate::mesh::{Attribute, Data, Mesh, Part, canonical};

/// Indices of a corner into positions, texture coordinates and normals, counted from 1; 0 for none.
type Corner = [u32; 3];

const KEYWORDS: [&str; 3] = ["v", "vt", "vn"];

/// Bits of a part's lacks, before attributes have indices.
const LACKS_TEXCOORD: u64 = 1;
const LACKS_NORMAL: u64 = 2;

/// The vertices and faces read so far.
pub(super) struct Faces<'a> {
    limits: &'a Limits,
    positions: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    /// Largest index of each kind, with its first line. Faces may come before their vertices.
    furthest: [(u32, u64); 3],
    /// Number of each vertex. The map's order is never observed.
    numbers: HashMap<Corner, u32>,
    indices: Vec<u32>,
    parts: Vec<Part>,
    /// The corners of the current face.
    face: Vec<Corner>,
}

impl<'a> Faces<'a> {
    pub(super) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            positions: Vec::new(),
            texcoords: Vec::new(),
            normals: Vec::new(),
            furthest: [(0, 0); 3],
            numbers: HashMap::new(),
            indices: Vec::new(),
            parts: Vec::new(),
            face: Vec::new(),
        }
    }

    pub(super) fn position(&mut self, words: Words<'_>) -> Result<(), ObjFault> {
        self.positions.push(numbers("v", words, 3)?);
        Ok(())
    }

    pub(super) fn texcoord(&mut self, words: Words<'_>) -> Result<(), ObjFault> {
        let [u, v] = numbers("vt", words, 1)?;
        self.texcoords.push([u, canonical(1.0 - v)]);
        Ok(())
    }

    pub(super) fn normal(&mut self, words: Words<'_>) -> Result<(), ObjFault> {
        self.normals.push(numbers("vn", words, 3)?);
        Ok(())
    }

    pub(super) fn face(
        &mut self,
        words: Words<'_>,
        line: u64,
        material: Option<usize>,
    ) -> Result<(), ReadError> {
        let fault = |fault| ReadError::Obj { line, fault };
        let mut face = std::mem::take(&mut self.face);
        face.clear();
        for word in words {
            face.push(self.corner(word, line).map_err(fault)?);
        }
        let [first, second, others @ ..] = &face[..] else {
            return Err(fault(ObjFault::Corners(face.len())));
        };
        if others.is_empty() {
            return Err(fault(ObjFault::Corners(2)));
        }
        let triangles = self.indices.len() / 3 + others.len();
        self.limits.check(Quantity::Triangles, triangles as u64)?;
        self.limits.check(Quantity::MeshBytes, self.bytes(triangles))?;
        self.begin_part(&face, line, material);
        let (first, mut second) = (self.vertex(*first)?, self.vertex(*second)?);
        for third in others {
            let third = self.vertex(*third)?;
            self.indices.extend([first, second, third]);
            second = third;
        }
        if let Some(part) = self.parts.last_mut() {
            part.triangles.end = triangles;
        }
        self.face = face;
        Ok(())
    }

    /// Bytes of the mesh with that many triangles.
    fn bytes(&self, triangles: usize) -> u64 {
        let normal = if self.normals.is_empty() { 0 } else { 12 };
        let texcoord = if self.texcoords.is_empty() { 0 } else { 8 };
        triangles as u64 * 12 + self.numbers.len() as u64 * (12 + normal + texcoord)
    }

    fn corner(&mut self, word: &[u8], line: u64) -> Result<Corner, ObjFault> {
        let malformed = || ObjFault::Corner(lossy(word));
        let mut corner = [0; 3];
        let counts = [self.positions.len(), self.texcoords.len(), self.normals.len()];
        let mut fields = word.split(|&byte| byte == b'/');
        for (kind, field) in fields.by_ref().take(3).enumerate() {
            if field.is_empty() && kind > 0 {
                continue;
            }
            let text = std::str::from_utf8(field).map_err(|_| malformed())?;
            let index: i64 = text.parse().map_err(|_| malformed())?;
            let count = counts[kind] as u64;
            let number = match index {
                1.. => u32::try_from(index).ok(),
                0 => None,
                _ => count
                    .checked_add_signed(index)
                    .and_then(|before| u32::try_from(before + 1).ok()),
            };
            let keyword = KEYWORDS[kind];
            let number = number.ok_or(ObjFault::Index { keyword, index, count })?;
            corner[kind] = number;
            if number > self.furthest[kind].0 {
                self.furthest[kind] = (number, line);
            }
        }
        if fields.next().is_some() { Err(malformed()) } else { Ok(corner) }
    }

    /// Begins a part, unless the current one has that material and those attributes.
    fn begin_part(&mut self, face: &[Corner], line: u64, material: Option<usize>) {
        let lack =
            |kind: usize, bit| if face.iter().any(|corner| corner[kind] == 0) { bit } else { 0 };
        let lacks = lack(1, LACKS_TEXCOORD) | lack(2, LACKS_NORMAL);
        let is_same = |part: &Part| part.material == material && part.lacks == lacks;
        if !self.parts.last().is_some_and(is_same) {
            let begin = self.indices.len() / 3;
            let place = Some(Place::Line(line));
            self.parts.push(Part { material, triangles: begin..begin, place, lacks });
        }
    }

    /// Number of a vertex, which is new or was used before.
    fn vertex(&mut self, corner: Corner) -> Result<u32, ReadError> {
        let next = self.numbers.len() as u32;
        match self.numbers.entry(corner) {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(entry) => {
                self.limits.check(Quantity::Vertices, u64::from(next) + 1)?;
                Ok(*entry.insert(next))
            }
        }
    }

    /// The mesh, without materials.
    pub(super) fn finish(self) -> Result<Mesh, ReadError> {
        let counts = [self.positions.len(), self.texcoords.len(), self.normals.len()];
        for ((keyword, (number, line)), count) in
            KEYWORDS.into_iter().zip(self.furthest).zip(counts)
        {
            if number as usize > count {
                let (index, count) = (number.into(), count as u64);
                return Err(ReadError::Obj {
                    line,
                    fault: ObjFault::Index { keyword, index, count },
                });
            }
        }
        let bytes = self.bytes(self.indices.len() / 3);
        self.limits.check(Quantity::MeshBytes, bytes)?;
        let Self { positions, texcoords, normals, numbers, indices, mut parts, .. } = self;
        let vertices = in_order(numbers)?;
        let has = |kind: usize| vertices.iter().any(|corner| corner[kind] != 0);
        let mut attributes = vec![attribute("position", 0, positions, &vertices)?];
        // Lacks refer to indices of attributes from now on.
        let mut bits = [(LACKS_NORMAL, 0), (LACKS_TEXCOORD, 0)];
        if has(2) {
            bits[0].1 = 1 << attributes.len();
            attributes.push(attribute("normal", 2, normals, &vertices)?);
        }
        if has(1) {
            bits[1].1 = 1 << attributes.len();
            attributes.push(attribute("texcoord-0", 1, texcoords, &vertices)?);
        }
        for part in &mut parts {
            let index = |(bit, index)| if part.lacks & bit == 0 { 0 } else { index };
            part.lacks = bits.map(index).iter().fold(0, |all, index| all | index);
        }
        let count = vertices.len() as u32;
        Ok(Mesh { vertices: count, attributes, indices, parts, ..Mesh::default() })
    }
}

/// The vertices in the order of their numbers.
fn in_order(numbers: HashMap<Corner, u32>) -> Result<Vec<Corner>, ReadError> {
    let mut vertices = reserved(numbers.len())?;
    vertices.resize(numbers.len(), [0; 3]);
    for (corner, number) in numbers {
        vertices[number as usize] = corner;
    }
    Ok(vertices)
}

/// An empty list with room.
fn reserved<T>(count: usize) -> Result<Vec<T>, ReadError> {
    let mut all = Vec::new();
    let bytes = (count * size_of::<T>()) as u64;
    all.try_reserve_exact(count).map_err(|_| ReadError::OutOfMemory { bytes })?;
    Ok(all)
}

/// The attribute of all vertices whose corners have their numbers in `all`; 0 where a corner has none. Frees `all`,
/// so that not all attributes are in memory twice.
fn attribute<const N: usize>(
    name: &str,
    kind: usize,
    all: Vec<[f32; N]>,
    vertices: &[Corner],
) -> Result<Attribute, ReadError> {
    let mut numbers = reserved(vertices.len() * N)?;
    for corner in vertices {
        let index = (corner[kind] as usize).checked_sub(1);
        numbers.extend(index.and_then(|index| all.get(index)).unwrap_or(&[0.0; N]));
    }
    let data = Data::Num(numbers);
    Ok(Attribute { name: name.to_owned(), components: N as u8, normalised: false, data })
}

/// The first numbers of a line, of which `least` must be there; others are 0.
fn numbers<const N: usize>(
    keyword: &'static str,
    words: Words<'_>,
    least: usize,
) -> Result<[f32; N], ObjFault> {
    let mut numbers = [0.0; N];
    let mut found = 0;
    for (number, word) in numbers.iter_mut().zip(words) {
        let text = std::str::from_utf8(word).ok();
        let parsed = text.and_then(|text| text.parse().ok());
        *number = canonical(parsed.ok_or_else(|| ObjFault::Number(lossy(word)))?);
        found += 1;
    }
    let missing = ObjFault::Numbers { keyword, expected: least, found };
    if found < least { Err(missing) } else { Ok(numbers) }
}

/// A word for a message.
fn lossy(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(400)]).into_owned()
}
