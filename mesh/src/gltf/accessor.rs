//! Elements of accessors.

use super::buffers::{Buffers, Files, View, at, get, slice};
use super::json::Root;
use crate::error::{GltfFault, Item, ReadError};

/// Types of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Result<Self, GltfFault> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            other => return Err(GltfFault::ComponentType(other)),
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest integer, for normalised ones.
    fn largest(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }

    /// The index that restarts strips in other systems.
    pub(super) fn restart(self) -> u32 {
        match self.size() {
            1 => u8::MAX.into(),
            2 => u16::MAX.into(),
            _ => u32::MAX,
        }
    }

    /// The integer in these bytes. Bits of a binary32 number are no integer.
    fn integer(self, bytes: &[u8]) -> i64 {
        match *bytes {
            [a] if self == Self::I8 => i64::from(a as i8),
            [a] => a.into(),
            [a, b] if self == Self::I16 => i16::from_le_bytes([a, b]).into(),
            [a, b] => u16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
            _ => 0,
        }
    }
}

/// The elements of an accessor, all of which lie in their buffers.
#[derive(Clone, Debug)]
pub(super) struct Elements<'a> {
    pub(super) count: u64,
    pub(super) component: Component,
    pub(super) components: u8,
    pub(super) normalised: bool,
    /// The elements; without them, they are 0.
    base: Option<Strided<'a>>,
    sparse: Option<Sparse<'a>>,
}

/// Bytes of elements at a distance.
#[derive(Clone, Copy, Debug)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Strided<'a> {
    fn get(&self, i: usize) -> &'a [u8] {
        let begin = i * self.stride;
        &self.bytes[begin..begin + self.size]
    }
}

/// Elements that replace others. Their indices increase.
#[derive(Clone, Debug)]
struct Sparse<'a> {
    count: usize,
    component: Component,
    indices: Strided<'a>,
    values: Strided<'a>,
}

impl Sparse<'_> {
    /// Index of the element that sparse element `i` replaces.
    fn index(&self, i: usize) -> Option<u64> {
        (i < self.count).then(|| self.component.integer(self.indices.get(i)) as u64)
    }
}

/// Loads the buffers of an accessor, which `user` names.
pub(super) fn load(
    root: &Root<'_>,
    index: u32,
    user: (Item, u32),
    buffers: &mut Buffers<'_>,
    files: &mut Files<'_>,
) -> Result<(), ReadError> {
    let accessor = get(&root.accessors, Item::Accessor, index, user)?;
    let sparse = accessor.sparse.as_deref();
    let views = [
        accessor.buffer_view,
        sparse.map(|sparse| sparse.indices.buffer_view),
        sparse.map(|sparse| sparse.values.buffer_view),
    ];
    views
        .into_iter()
        .flatten()
        .try_for_each(|view| buffers.load(view, (Item::Accessor, index), files))
}

/// The elements of an accessor whose buffers are loaded, or nothing if they are matrices.
pub(super) fn elements<'b>(
    root: &Root<'_>,
    index: u32,
    user: (Item, u32),
    buffers: &'b Buffers<'_>,
) -> Result<Option<Elements<'b>>, ReadError> {
    let here = (Item::Accessor, index);
    let fault = |fault| at(here.0, here.1, fault);
    let accessor = get(&root.accessors, Item::Accessor, index, user)?;
    let component = Component::of(accessor.component_type).map_err(fault)?;
    let components = match &*accessor.kind.0 {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT2" | "MAT3" | "MAT4" => return Ok(None),
        other => return Err(fault(GltfFault::ElementType(other.to_owned()))),
    };
    let normalised = accessor.normalized && component != Component::F32;
    if normalised && component == Component::U32 {
        return Err(fault(GltfFault::Normalised));
    }
    let size = component.size() * usize::from(components);
    let count = accessor.count;
    let strided = |view: u32, offset, count, size| {
        let found = buffers.view(view, here)?;
        Strided::of(found, view, offset, count, size).map_err(fault)
    };
    let base = accessor.buffer_view.map(|view| strided(view, accessor.byte_offset, count, size));
    let sparse = match accessor.sparse.as_deref() {
        None => None,
        Some(sparse) => {
            if sparse.count > count {
                return Err(fault(GltfFault::SparseCount { sparse: sparse.count, count }));
            }
            let (indices, values) = (&sparse.indices, &sparse.values);
            let component = Component::of(indices.component_type).map_err(fault)?;
            if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
                return Err(fault(GltfFault::Indices));
            }
            let index_size = component.size();
            let sparse = Sparse {
                component,
                indices: strided(
                    indices.buffer_view,
                    indices.byte_offset,
                    sparse.count,
                    index_size,
                )?,
                values: strided(values.buffer_view, values.byte_offset, sparse.count, size)?,
                // It lies in a buffer.
                count: sparse.count as usize,
            };
            let mut least = 0;
            for i in 0..sparse.count {
                let index = sparse.index(i).unwrap_or_default();
                if index < least || index >= count {
                    return Err(fault(GltfFault::SparseIndex(index)));
                }
                least = index + 1;
            }
            Some(sparse)
        }
    };
    let base = base.transpose()?;
    Ok(Some(Elements { count, component, components, normalised, base, sparse }))
}

impl<'a> Strided<'a> {
    /// `count` elements in a view.
    fn of(
        view: View<'a>,
        index: u32,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Self, GltfFault> {
        let stride = view.stride.unwrap_or(size as u64);
        if stride < size as u64 {
            return Err(GltfFault::Stride { stride, size: size as u64 });
        }
        let length = match count.checked_sub(1) {
            None => Some(0),
            Some(before) => before.checked_mul(stride).and_then(|all| all.checked_add(size as u64)),
        };
        let bytes = slice(view.bytes, offset, length.unwrap_or(u64::MAX)).map_err(|end| {
            let length = view.bytes.len() as u64;
            GltfFault::Beyond { end, length, container: Item::View, index }
        })?;
        // A stride beyond the bytes is that of a single element.
        Ok(Self { bytes, stride: usize::try_from(stride).unwrap_or(usize::MAX), size })
    }
}

impl<'a> Elements<'a> {
    /// The bytes of all elements, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        const ZERO: &[u8] = &[0; 16];
        let zero = &ZERO[..self.component.size() * usize::from(self.components)];
        let mut next = 0;
        (0..self.count).map(move |i| {
            if let Some(sparse) = &self.sparse
                && sparse.index(next) == Some(i)
            {
                next += 1;
                return sparse.values.get(next - 1);
            }
            // Elements of a buffer are less than its bytes.
            self.base.as_ref().map_or(zero, |base| base.get(i as usize))
        })
    }

    /// The numbers of an element, filled from (0, 0, 0, 1): the quotients of normalised integers, and other numbers
    /// as they are. A quotient of 16 bits differs enough from the middle between two binary32 numbers that rounding
    /// it once more gives the nearest of them.
    pub(super) fn numbers(&self, element: &[u8]) -> [f64; 4] {
        let mut numbers = [0.0, 0.0, 0.0, 1.0];
        for (number, bytes) in numbers.iter_mut().zip(element.chunks_exact(self.component.size())) {
            *number = match *bytes {
                [a, b, c, d] if self.component == Component::F32 => {
                    f32::from_le_bytes([a, b, c, d]).into()
                }
                // Integers of 32 bits are exact.
                _ => self.component.integer(bytes) as f64,
            };
            if self.normalised {
                *number = (*number / self.component.largest()).max(-1.0);
            }
        }
        numbers
    }

    /// The integers of an element, filled from (0, 0, 0, 1).
    pub(super) fn integers(&self, element: &[u8]) -> [i64; 4] {
        let mut integers = [0, 0, 0, 1];
        for (number, bytes) in integers.iter_mut().zip(element.chunks_exact(self.component.size()))
        {
            *number = self.component.integer(bytes);
        }
        integers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest binary32 number of n/d, by exact comparison with its neighbours.
    fn is_nearest(found: f32, n: i64, d: i64) -> bool {
        // Twice the distance to a neighbour's middle, in exact integers: |found - n/d| <= |other - n/d|.
        let distance = |number: f32| {
            let (bits, scale) = (f64::from(number) * (1u64 << 60) as f64, 1i128 << 60);
            ((bits as i128) * i128::from(d) - i128::from(n) * scale).abs()
        };
        distance(found) <= distance(found.next_up())
            && distance(found) <= distance(found.next_down())
    }

    #[test]
    fn quotients_are_the_nearest_binary32() {
        for (component, range) in [
            (Component::I8, -127..=127),
            (Component::U8, 0..=255),
            (Component::I16, -32767..=32767),
            (Component::U16, 0..=65535),
        ] {
            let elements = Elements {
                count: 1,
                component,
                components: 1,
                normalised: true,
                base: None,
                sparse: None,
            };
            for n in range {
                let bytes = i64::to_le_bytes(n);
                let number = elements.numbers(&bytes[..component.size()])[0] as f32;
                assert!(is_nearest(number, n, component.largest() as i64), "{component:?} {n}");
            }
            let least =
                elements.numbers(&i64::to_le_bytes(1 << 7 | 1 << 15)[..component.size()])[0];
            assert_eq!(least < 0.0, matches!(component, Component::I8 | Component::I16));
            assert!(least >= -1.0);
        }
    }
}
