//! Bytes of buffers, read when they are first needed, and the views into them.

use std::borrow::Cow;

use super::json::Root;
use crate::error::{GltfFault, Item, Place, ReadError};
use crate::files::{FileError, Resolver, read_uri};
use crate::limits::Budget;

/// The way to files, and the bytes that may be read from them.
pub(super) struct Files<'r> {
    pub(super) resolver: &'r dyn Resolver,
    pub(super) budget: Budget,
}

/// The buffers of a glTF.
pub(super) struct Buffers<'a> {
    root: &'a Root<'a>,
    binary: Option<&'a [u8]>,
    /// Bytes of each buffer that is loaded, of its declared length.
    loaded: Vec<Option<Cow<'a, [u8]>>>,
}

/// A part of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    /// Distance between elements, unless they are packed.
    pub(super) stride: Option<u64>,
}

/// An error at an item.
pub(super) fn at(item: Item, index: u32, fault: GltfFault) -> ReadError {
    ReadError::Gltf { place: Place::Item(item, index), name: None, fault }
}

/// An item by index, which another one names.
pub(super) fn get<T>(
    all: &[T],
    item: Item,
    index: u32,
    user: (Item, u32),
) -> Result<&T, ReadError> {
    let missing = || at(user.0, user.1, GltfFault::Missing(item, index));
    all.get(index as usize).ok_or_else(missing)
}

/// Limits are told as such, other faults of files at an item.
pub(super) fn of_file(item: Item, index: u32, error: FileError) -> ReadError {
    match error {
        FileError::Limit(error) => error.into(),
        error => at(item, index, error.into()),
    }
}

impl<'a> Buffers<'a> {
    pub(super) fn new(root: &'a Root<'a>, binary: Option<&'a [u8]>) -> Self {
        Self { root, binary, loaded: root.buffers.iter().map(|_| None).collect() }
    }

    /// Loads the buffer of a view, which `user` names.
    pub(super) fn load(
        &mut self,
        view: u32,
        user: (Item, u32),
        files: &mut Files<'_>,
    ) -> Result<(), ReadError> {
        let root = self.root;
        let buffer = get(&root.buffer_views, Item::View, view, user)?.buffer;
        let declared = get(&root.buffers, Item::Buffer, buffer, (Item::View, view))?;
        let slot = &mut self.loaded[buffer as usize];
        if slot.is_some() {
            return Ok(());
        }
        let mut bytes = match &declared.uri {
            Some(uri) => {
                let bytes = read_uri(&uri.0, files.resolver, &mut files.budget);
                Cow::Owned(bytes.map_err(|error| of_file(Item::Buffer, buffer, error))?)
            }
            None => {
                let chunk = self.binary.filter(|_| buffer == 0);
                Cow::Borrowed(chunk.ok_or_else(|| at(Item::Buffer, buffer, GltfFault::NoBytes))?)
            }
        };
        let (declared, found) = (declared.byte_length, bytes.len() as u64);
        if found < declared {
            return Err(at(Item::Buffer, buffer, GltfFault::Short { declared, found }));
        }
        // At most the actual length, which a `usize` holds.
        let length = declared as usize;
        match &mut bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..length],
            Cow::Owned(bytes) => bytes.truncate(length),
        }
        *slot = Some(bytes);
        Ok(())
    }

    /// A view whose buffer is loaded.
    pub(super) fn view(&self, view: u32, user: (Item, u32)) -> Result<View<'_>, ReadError> {
        let declared = get(&self.root.buffer_views, Item::View, view, user)?;
        let index = declared.buffer;
        let buffer = get(&self.loaded, Item::Buffer, index, (Item::View, view))?;
        let buffer = buffer.as_deref().unwrap_or_default();
        let bytes = slice(buffer, declared.byte_offset, declared.byte_length);
        let bytes = bytes.map_err(|end| {
            let length = buffer.len() as u64;
            let fault = GltfFault::Beyond { end, length, container: Item::Buffer, index };
            at(Item::View, view, fault)
        })?;
        Ok(View { bytes, stride: declared.byte_stride.filter(|&stride| stride > 0) })
    }
}

/// The bytes from `begin` on, or else the end of the range.
pub(super) fn slice(bytes: &[u8], begin: u64, length: u64) -> Result<&[u8], u64> {
    let end = begin.checked_add(length).ok_or(u64::MAX)?;
    let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    range.and_then(|(begin, end)| bytes.get(begin..end)).ok_or(end)
}
