//! Parts of the memories of a dispatch, and of the results of passes, with their types.

use crate::bindings::Bindings;
use lambdav_core::flat::FlatType;
use lambdav_core::types::{Type, TypeKind, Types};
use thiserror::Error;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryStep {
    /// An element of an array, a component of a vector or a column of a matrix.
    Index(u64),
    /// A member of a block or structure, or a component of a vector.
    Field(String),
}

/// Reason why a memory has no such part.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MemoryPartError {
    /// Nothing has that name.
    #[error("there is no buffer `{0}`")]
    NoMemory(String),
    /// It has no words yet.
    #[error("the buffer `{0}` has no data")]
    NoData(String),
    /// The index is beyond the end.
    #[error("the index {index} is out of range: {of} has {length} elements")]
    OutOfRange {
        /// The index.
        index: u64,
        /// The value, as the path names it.
        of: String,
        /// The number of its elements.
        length: usize,
    },
    /// It has no such member.
    #[error("{of} has no member `{name}`; it has {known}")]
    NoMember {
        /// The value.
        of: String,
        /// The name.
        name: String,
        /// Names of its members.
        known: String,
    },
    /// It has no elements.
    #[error("{of} has no elements")]
    NoElements {
        /// The value.
        of: String,
    },
    /// It is a whole array or block.
    #[error("{of} is a whole buffer; name an element or a member of it")]
    Whole {
        /// The buffer.
        of: String,
    },
}

/// The member of a structure, or the component of a vector, with a name; its number.
fn field(types: &Types, ty: Type, name: &str) -> Result<usize, String> {
    if let Some(structure) = types.structure(ty) {
        let names = structure.fields.iter().map(|field| &*field.name);
        let found = names.clone().position(|own| own == name);
        return found.ok_or_else(|| listed(names));
    }
    if let TypeKind::Vector(_, width) = *types.kind(ty) {
        let width = usize::from(width);
        let sets = ["xyzw", "rgba"];
        let found = sets.iter().find_map(|set| set[..width].find(name).filter(|_| name.len() == 1));
        return found.ok_or_else(|| listed(["x", "y", "z", "w"][..width].iter().copied()));
    }
    Err("none".to_owned())
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

impl Bindings {
    /// Type and words of a part of a memory of a compute program, or of a result of passes.
    ///
    /// # Errors
    ///
    /// [`MemoryPartError`].
    #[doc(hidden)]
    pub fn memory_part(
        &self,
        name: &str,
        steps: &[MemoryStep],
    ) -> Result<(FlatType, Vec<u32>), MemoryPartError> {
        let no_memory = || MemoryPartError::NoMemory(name.to_owned());
        let (_, layout) = self.memory(name).ok_or_else(no_memory)?;
        let no_data = || MemoryPartError::NoData(name.to_owned());
        let words = self.words(name).ok_or_else(no_data)?;
        let types = self.program.types();
        let (mut path, mut steps) = (name.to_owned(), steps.iter());
        let whole = |path: &str| MemoryPartError::Whole { of: format!("`{path}`") };
        // The member of the block; none for its last array.
        let mut member = None;
        if !layout.members.is_empty() {
            let MemoryStep::Field(field) = steps.next().ok_or_else(|| whole(&path))? else {
                return Err(MemoryPartError::NoElements { of: format!("`{path}`") });
            };
            member = layout.members.iter().find(|member| member.name == *field);
            if member.is_none() && layout.array.as_ref().is_none_or(|array| array.name != *field) {
                let names = layout.members.iter().map(|member| &*member.name);
                let known = listed(names.chain(layout.array.iter().map(|array| &*array.name)));
                let of = format!("`{path}`");
                return Err(MemoryPartError::NoMember { of, name: field.clone(), known });
            }
            path += &format!(".{field}");
        }
        let (mut ty, mut places): (Type, Vec<usize>) = match (member, &layout.array) {
            (Some(member), _) => (member.ty, member.words.iter().map(|&at| at as usize).collect()),
            (None, Some(array)) => {
                let index = match steps.next() {
                    Some(MemoryStep::Index(index)) => *index,
                    Some(MemoryStep::Field(name)) => {
                        let (of, known) = (format!("`{path}`"), "elements".to_owned());
                        return Err(MemoryPartError::NoMember { of, name: name.clone(), known });
                    }
                    None => return Err(whole(&path)),
                };
                let length = layout.elements(words.len());
                if index >= length as u64 {
                    let of = format!("`{path}`");
                    return Err(MemoryPartError::OutOfRange { index, of, length });
                }
                path += &format!("[{index}]");
                (array.element, array.of_element(index as usize).collect())
            }
            (None, None) => return Err(no_memory()),
        };
        for step in steps {
            let of = format!("`{path}`");
            let number = match step {
                MemoryStep::Index(index) => {
                    let is_indexed = !matches!(types.kind(ty), TypeKind::Structure(_));
                    let length = types.parts(ty).len();
                    if !is_indexed || length == 0 {
                        return Err(MemoryPartError::NoElements { of });
                    }
                    if *index >= length as u64 {
                        return Err(MemoryPartError::OutOfRange { index: *index, of, length });
                    }
                    path += &format!("[{index}]");
                    *index as usize
                }
                MemoryStep::Field(name) => {
                    path += &format!(".{name}");
                    let error = |known| MemoryPartError::NoMember { of, name: name.clone(), known };
                    field(types, ty, name).map_err(error)?
                }
            };
            let (part, first) = types.part(ty, number).expect("it is below the number of parts");
            places = places[first..first + types.components(part)].to_vec();
            ty = part;
        }
        let flat = FlatType::of(types, ty).ok_or_else(|| whole(&path))?;
        let word = |place: usize| words.get(place).copied().unwrap_or(0);
        Ok((flat, places.into_iter().map(word).collect()))
    }
}
