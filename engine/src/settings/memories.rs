//! Words of memories from slices, NPY files, JSON and bytes, and as such.

use super::buffers::{components, single_scalar};
use super::data::{BindError, DataRef};
use super::json;
use super::names::instead;
use lambdav_core::limits::BUFFER_WORDS;
use lambdav_core::memory_layout::{MemoryArray, MemoryLayout};
use lambdav_core::resource::BufferError;
use lambdav_core::types::{Scalar, Types};
use lambdav_image::file::npy;

/// The words of a memory of that name and layout.
///
/// # Errors
///
/// [`BindError::Kind`], [`BindError::Elements`] and [`BindError::Form`].
pub(crate) fn memory_words(
    types: &Types,
    name: &str,
    layout: &MemoryLayout,
    data: DataRef<'_>,
) -> Result<Vec<u32>, BindError> {
    let wrong = |reason: String| BindError::Form { name: name.to_owned(), reason };
    let words = match (data, &layout.array) {
        (DataRef::Image(_), _) => {
            let wanted = "numbers, not an image";
            return Err(BindError::Kind { name: name.to_owned(), declared: "memory", wanted });
        }
        (DataRef::Bytes(bytes), _) => {
            let (words, rest) = bytes.as_chunks();
            if !rest.is_empty() {
                return Err(wrong(format!("{} bytes are no whole words of 4", bytes.len())));
            }
            words.iter().map(|&word| u32::from_le_bytes(word)).collect()
        }
        (DataRef::Json(text), _) if text.trim_start().starts_with('{') => {
            from_object(types, name, layout, text)?
        }
        (data, Some(array)) if layout.members.is_empty() => {
            let components = components(types, name, array.element, data)?;
            let count = components.len() / array.words.len().max(1);
            let mut words = vec![0; size(name, layout, count as u64)?];
            put_elements(array, &components, &mut words).map_err(wrong)?;
            words
        }
        (DataRef::Json(_), _) => {
            let names = layout.members.iter().map(|of| &of.name);
            let names = names.chain(layout.array.iter().map(|of| &of.name));
            let names: Vec<String> = names.map(|name| format!("\"{name}\": …")).collect();
            return Err(wrong(format!("its block is an object: {{{}}}", names.join(", "))));
        }
        _ => {
            let reason = "its block has several members; give them as JSON, or all words as bytes";
            return Err(wrong(reason.to_owned()));
        }
    };
    match layout.size(0) {
        _ if words.len() > BUFFER_WORDS as usize => {
            let error = BufferError::TooLarge { words: words.len() as u64 };
            Err(BindError::Elements { name: name.to_owned(), error })
        }
        least if (words.len() as u64) < least => {
            let found = words.len();
            Err(wrong(format!("these are {found} words, and its block has {least} at least")))
        }
        _ => Ok(words),
    }
}

/// The number of words of a memory with so many elements.
fn size(name: &str, layout: &MemoryLayout, elements: u64) -> Result<usize, BindError> {
    let words = layout.size(elements);
    if words <= BUFFER_WORDS.into() {
        return Ok(words as usize);
    }
    let error = BufferError::TooLarge { words };
    Err(BindError::Elements { name: name.to_owned(), error })
}

/// Writes components to the places of an array's elements.
fn put_elements(array: &MemoryArray, components: &[u32], words: &mut [u32]) -> Result<(), String> {
    let count = components.len() / array.words.len().max(1);
    if let Some(length) = array.length.filter(|&length| length as usize != count) {
        return Err(format!("these are {count} elements, and its array has {length}"));
    }
    let places = (0..count).flat_map(|index| array.of_element(index));
    for (place, &component) in places.zip(components) {
        // (Elements of a wrong module may overlap the next ones.)
        if let Some(word) = words.get_mut(place) {
            *word = component;
        }
    }
    Ok(())
}

/// The words of an object's members; those that it omits are zero.
fn from_object(
    types: &Types,
    name: &str,
    layout: &MemoryLayout,
    text: &str,
) -> Result<Vec<u32>, BindError> {
    let wrong = |reason: String| BindError::Form { name: name.to_owned(), reason };
    let told = |error: json::JsonError| wrong(error.told(text));
    let all = json::members(text).map_err(told)?;
    let known = |of: &str| layout.members.iter().any(|member| member.name == of);
    let array = |of: &str| layout.array.as_ref().filter(|array| array.name == of);
    if let Some(other) = all.iter().find(|of| !known(&of.name) && array(&of.name).is_none()) {
        let names = layout.members.iter().map(|member| &*member.name);
        let help = instead(&other.name, names.chain(layout.array.iter().map(|of| &*of.name)));
        return Err(wrong(format!("its block has no member `{}`; {help}", other.name)));
    }
    let mut elements = Vec::new();
    if let Some((array, value)) = all.iter().find_map(|of| Some((array(&of.name)?, of.value)))
        && value != "[]"
    {
        elements = components(types, name, array.element, DataRef::Json(value))?;
    }
    let width = layout.array.as_ref().map_or(1, |array| array.words.len().max(1));
    let mut words = vec![0; size(name, layout, (elements.len() / width) as u64)?];
    if let Some(array) = layout.array.as_ref().filter(|_| !elements.is_empty()) {
        put_elements(array, &elements, &mut words).map_err(wrong)?;
    }
    for member in &layout.members {
        let Some(given) = all.iter().find(|of| of.name == member.name) else { continue };
        let mut value = vec![0; member.words.len()];
        json::read(types, member.ty, text, given.value, false, &mut value).map_err(told)?;
        for (&place, word) in member.words.iter().zip(value) {
            if let Some(to) = words.get_mut(place as usize) {
                *to = word;
            }
        }
    }
    Ok(words)
}

/// The words of a memory as JSON: a list of elements if its block is one array, else an object.
pub(crate) fn memory_text(types: &Types, layout: &MemoryLayout, words: &[u32]) -> String {
    let word = |place: usize| words.get(place).copied().unwrap_or(0);
    let array = layout.array.as_ref().map(|array| {
        let elements = (0..layout.elements(words.len())).map(|index| {
            let value: Vec<u32> = array.of_element(index).map(word).collect();
            json::write(types, array.element, &value)
        });
        format!("[{}]", elements.collect::<Vec<_>>().join(", "))
    });
    let members = layout.members.iter().map(|member| {
        let value: Vec<u32> = member.words.iter().map(|&place| word(place as usize)).collect();
        (&*member.name, json::write(types, member.ty, &value))
    });
    match array {
        Some(array) if layout.members.is_empty() => array,
        array => {
            let last = layout.array.iter().map(|of| &*of.name).zip(array);
            let all = members.chain(last);
            let all = all.map(|(name, value)| format!("{}: {value}", json::quoted(name)));
            format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The words of a memory as an NPY file: of shape (elements,), or (elements, components).
///
/// # Errors
///
/// [`BindError::Form`] if its block is no array of numbers of one type.
pub(crate) fn memory_array(
    types: &Types,
    name: &str,
    layout: &MemoryLayout,
    words: &[u32],
) -> Result<Vec<u8>, BindError> {
    let wrong = |reason: &str| BindError::Form { name: name.to_owned(), reason: reason.to_owned() };
    let Some(array) = layout.array.as_ref().filter(|_| layout.members.is_empty()) else {
        return Err(wrong("its block is not one array, which an NPY file holds; write JSON"));
    };
    let scalar = single_scalar(types, array.element)
        .map_err(|_| wrong("its elements have components of several kinds; write JSON"))?;
    let dtype = match scalar {
        Scalar::F32 => "<f4",
        Scalar::I32 => "<i4",
        Scalar::U32 | Scalar::Bool => "<u4",
    };
    let (count, width) = (layout.elements(words.len()), array.words.len());
    let shape = [count as u64, width as u64];
    let shape = if width == 1 { &shape[..1] } else { &shape[..] };
    let places = (0..count).flat_map(|index| array.of_element(index));
    let mut bytes = Vec::with_capacity(128 + 4 * count * width);
    let word = |place: usize| words.get(place).copied().unwrap_or(0);
    npy::write_array(dtype, shape, places.map(word), &mut bytes).expect("memory takes all bytes");
    Ok(bytes)
}
