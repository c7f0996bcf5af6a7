//! Where the values of a buffer's block lie among the words of its [memory](crate::memory).
//!
//! A block has members. If the last one is an array, it stands apart: it is often all of the block, and large. Without a
//! length it has as many whole elements as there is room for in the words that the host binds. Offsets count words.

use crate::types::{Type, Types};

/// The values in the words of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryLayout {
    /// The members, without the last array, in order.
    pub members: Vec<MemoryMember>,
    /// The last member, if it is an array.
    pub array: Option<MemoryArray>,
}

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryMember {
    /// The author's name; without one, the member's number.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The place of each component.
    pub words: Vec<u32>,
}

/// An array at the end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryArray {
    /// The author's name; without one, the member's number.
    pub name: String,
    /// The type of its elements.
    pub element: Type,
    /// The number of elements, unless the host says it.
    pub length: Option<u32>,
    /// The place of the first element.
    pub offset: u32,
    /// From one element to the next.
    pub stride: u32,
    /// The place of each component in an element.
    pub words: Vec<u32>,
}

impl MemoryLayout {
    /// A list of words: `uint`s, one after another.
    pub fn of_words() -> Self {
        Self { members: Vec::new(), array: Some(array()) }
    }

    /// A list of elements of a type, without gaps.
    pub fn of_elements(types: &Types, element: Type) -> Self {
        let count = types.components(element) as u32;
        let array = MemoryArray { element, stride: count, words: (0..count).collect(), ..array() };
        Self { members: Vec::new(), array: Some(array) }
    }

    /// The number of words of a block. Its array has `elements` elements, unless it has a length.
    pub fn size(&self, elements: u64) -> u64 {
        let end = |words: &[u32]| words.iter().max().map_or(0, |&last| u64::from(last) + 1);
        let members = self.members.iter().map(|member| end(&member.words)).max().unwrap_or(0);
        let array = self.array.as_ref().map_or(0, |array| {
            let stride = u64::from(array.stride.max(1));
            u64::from(array.offset)
                + match array.length {
                    // The last element needs no padding.
                    Some(length) => u64::from(length.max(1) - 1) * stride + end(&array.words),
                    // With it, or it would not be counted.
                    None => elements * stride,
                }
        });
        members.max(array)
    }

    /// The number of elements that the array has in a memory of `words` words; 0 without an array.
    pub fn elements(&self, words: usize) -> usize {
        let of = |array: &MemoryArray| {
            let (stride, room) =
                (array.stride.max(1) as usize, words.saturating_sub(array.offset as usize));
            let end = array.words.iter().max().map_or(0, |&last| last as usize + 1);
            match array.length {
                Some(length) => ((room + stride).saturating_sub(end) / stride).min(length as usize),
                None => room / stride,
            }
        };
        self.array.as_ref().map_or(0, of)
    }
}

/// A list of words.
fn array() -> MemoryArray {
    MemoryArray {
        name: String::from("0"),
        element: Type::UINT,
        length: None,
        offset: 0,
        stride: 1,
        words: vec![0],
    }
}

impl MemoryArray {
    /// The place of each component of an element.
    pub fn of_element(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.offset as usize + index * self.stride as usize;
        self.words.iter().map(move |&word| first + word as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let words = MemoryLayout::of_words();
        assert_eq!((words.size(5), words.elements(5)), (5, 5));
        let header = MemoryMember { name: "n".into(), ty: Type::UINT, words: vec![0] };
        let array = MemoryArray {
            name: "all".into(),
            element: Type::vec(3),
            length: None,
            offset: 4,
            stride: 4,
            words: vec![0, 1, 2],
        };
        let layout = MemoryLayout { members: vec![header.clone()], array: Some(array) };
        assert_eq!([0, 1, 3].map(|count| layout.size(count)), [4, 8, 16]);
        assert_eq!([0, 3, 4, 7, 8, 16].map(|words| layout.elements(words)), [0, 0, 0, 0, 1, 3]);
        let array = layout.array.expect("it has one");
        assert_eq!(array.of_element(2).collect::<Vec<_>>(), [12, 13, 14]);
        let two = MemoryArray { length: Some(2), ..array };
        let fixed = MemoryLayout { members: vec![header.clone()], array: Some(two) };
        assert_eq!([0, 9].map(|count| fixed.size(count)), [11, 11]);
        assert_eq!([4, 6, 7, 10, 11, 99].map(|words| fixed.elements(words)), [0, 0, 1, 1, 2, 2]);
        let alone = MemoryLayout { members: vec![header], array: None };
        assert_eq!((alone.size(9), alone.elements(9)), (1, 0));
    }
}
