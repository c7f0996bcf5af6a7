//! Access to the memory of a pixel.

use super::super::code::{Place, Words};
use super::super::options::Undefined;
use super::super::resources::{BindingKind, SharedData};
use super::super::values::{ELEMENTS, ImageType, Index, Space};
use super::{ModuleEvaluator, Wrong};
use crate::mutants::{Mutant, is_active};
use lambdav_core::float::canonical;
use lambdav_core::sampler::Sampler;
use lambdav_core::texture::TextureData;

impl ModuleEvaluator<'_> {
    pub(super) fn is_marked(&self) -> bool {
        self.module.undefined == Undefined::Marked
    }

    /// The words of a value, if it has been computed.
    pub(super) fn get(&self, at: usize, words: usize) -> Option<&[u32]> {
        self.check(at).ok().map(|()| &self.memory[at..at + words])
    }

    /// Checks that a value is a constant or was computed in this activation.
    pub(super) fn check(&self, at: usize) -> Result<(), Wrong> {
        if self.defined[at] >= self.activation { Ok(()) } else { Err(Wrong::Undefined) }
    }

    /// The texture whose number is stored at a place.
    pub(super) fn texture(&self, at: usize) -> Result<&TextureData, Wrong> {
        self.check(at)?;
        let number = self.memory[at] as usize;
        match self.resources.get(number) {
            Some(Some(SharedData::Texture(data))) => Ok(data),
            _ => Err(Wrong::Unbound(number)),
        }
    }

    /// A level of a texture; the largest without an operand.
    pub(super) fn level(&self, texture: &TextureData, at: Option<usize>) -> Result<i32, Wrong> {
        let Some(at) = at else { return Ok(0) };
        self.check(at)?;
        let (level, count) = (self.memory[at], texture.levels().len());
        match self.is_marked() {
            true if level as usize >= count => Err(Wrong::Outside),
            _ => Ok((level as i32).clamp(0, count as i32 - 1)),
        }
    }

    /// The sampler whose number is at a place.
    pub(super) fn sampler(&self, at: usize) -> Result<Sampler, Wrong> {
        self.check(at)?;
        let number = self.memory[at] as usize;
        self.module.samplers.get(number).copied().ok_or(Wrong::Unbound(number))
    }

    /// Offset of a texel of a texture of this type, in texels; zero without an operand.
    pub(super) fn offset(&self, ty: ImageType, at: Option<usize>) -> Result<[u32; 3], Wrong> {
        let mut offset = [0; 3];
        let Some(at) = at else { return Ok(offset) };
        self.check(at)?;
        let count = ty.axes();
        offset[..count].copy_from_slice(&self.memory[at..at + count]);
        Ok(offset)
    }

    /// The words of a buffer.
    pub(super) fn buffer(&self, number: usize) -> Result<&[u32], Wrong> {
        match &self.resources[number] {
            Some(SharedData::Buffer(words)) => Ok(words),
            _ => Err(Wrong::Unbound(number)),
        }
    }

    /// The value of an index below `count`: clamped, or a fault for [`Undefined::Marked`].
    pub(super) fn index(&self, index: &Index, count: usize) -> Result<usize, Wrong> {
        self.check(index.value)?;
        let word = self.memory[index.value];
        match count.checked_sub(1) {
            Some(_) if self.is_marked() && word as usize >= count => Err(Wrong::Outside),
            None => Err(Wrong::Outside),
            Some(_) if index.is_signed && (word as i32) < 0 => Ok(0),
            Some(last) => Ok((word as usize).min(last)),
        }
    }

    /// True if a place is that of an element which its buffer does not have.
    fn is_beyond(&self, place: &Place) -> Result<bool, Wrong> {
        let Space::Buffer(number) = place.space else { return Ok(false) };
        if self.is_marked() {
            return Ok(false);
        }
        for index in place.indices.iter().filter(|index| index.count == ELEMENTS) {
            self.check(index.value)?;
            if self.memory[index.value] as usize >= self.elements(number)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Index of the first word of a place.
    pub(super) fn first(&self, place: &Place) -> Result<usize, Wrong> {
        let mut first = place.at;
        if let Some(base) = place.base {
            self.check(base)?;
            first += self.memory[base] as usize;
        }
        for index in &place.indices {
            let count = match (index.count, place.space) {
                (ELEMENTS, Space::Buffer(number)) => self.elements(number)?,
                (count, _) => count,
            };
            first += self.index(index, count)? * index.stride;
        }
        Ok(first)
    }

    /// Number of elements of a buffer.
    pub(super) fn elements(&self, number: usize) -> Result<usize, Wrong> {
        match self.module.resources[number].kind {
            BindingKind::Buffer { stride, .. } => Ok(self.buffer(number)?.len() / stride),
            BindingKind::Texture | BindingKind::Memory => Err(Wrong::Unbound(number)),
        }
    }

    /// The place of a value in memory that other invocations see, in words modulo 2^32; and the memory. Beyond its end
    /// words are read as 0, and not written.
    fn outside(&mut self, place: &Place) -> Result<(u32, &mut Vec<u32>), Wrong> {
        let mut first = place.at as u32;
        for index in &place.indices {
            self.check(index.value)?;
            let words = self.memory[index.value].wrapping_mul(index.stride as u32);
            first = first.wrapping_add(words);
        }
        Ok(match place.space {
            Space::Shared(number) => (first, &mut self.shared[number]),
            Space::Memory(number) => (first, &mut self.storage[number]),
            _ => return Err(Wrong::Outside),
        })
    }

    /// Reads a value from such memory.
    fn read(&mut self, to: usize, place: &Place) -> Result<(), Wrong> {
        let (first, memory) = self.outside(place)?;
        let word = |k: u32| memory.get(first.wrapping_add(k) as usize).copied().unwrap_or(0);
        let words: Vec<u32> = match &place.words {
            Words::Together(count) => (0..*count as u32).map(word).collect(),
            Words::Apart(words) => words.iter().copied().map(word).collect(),
        };
        self.memory[to..to + words.len()].copy_from_slice(&words);
        Ok(())
    }

    /// Writes a value into such memory. A NaN gets the canonical bits.
    pub(super) fn write(&mut self, place: &Place, a: usize, numbers: &[bool]) -> Result<(), Wrong> {
        let values = self.memory[a..a + numbers.len()].to_vec();
        let (first, memory) = self.outside(place)?;
        for (k, (&value, &is_number)) in values.iter().zip(numbers).enumerate() {
            let offset = match &place.words {
                Words::Together(_) => k as u32,
                Words::Apart(words) => words[k],
            };
            let mut at = first.wrapping_add(offset) as usize;
            if is_active(Mutant::ClampedStore) {
                at = at.min(memory.len().saturating_sub(1));
            }
            if let Some(word) = memory.get_mut(at) {
                *word = if is_number { canonical(value) } else { value };
            }
        }
        Ok(())
    }

    /// Replaces a word of such memory; returns the old one, 0 beyond the end.
    pub(super) fn replace(
        &mut self,
        place: &Place,
        new: impl FnOnce(u32) -> u32,
    ) -> Result<u32, Wrong> {
        let (first, memory) = self.outside(place)?;
        let at = match &place.words {
            Words::Together(_) => first,
            Words::Apart(words) => first.wrapping_add(words.first().copied().unwrap_or(0)),
        };
        let Some(word) = memory.get_mut(at as usize) else { return Ok(0) };
        let old = *word;
        *word = new(old);
        Ok(old)
    }

    pub(super) fn load(&mut self, to: usize, place: &Place) -> Result<(), Wrong> {
        if place.space.is_written_by_others() {
            return self.read(to, place);
        }
        if self.is_beyond(place)? {
            let count = match &place.words {
                Words::Together(count) => *count,
                Words::Apart(words) => words.len(),
            };
            self.memory[to..to + count].fill(0);
            return Ok(());
        }
        let first = self.first(place)?;
        let space = match place.space {
            Space::Own(_) | Space::Pointed => {
                let Words::Together(count) = place.words else {
                    unreachable!("a variable's words are contiguous");
                };
                let filled = self.filled.get(first..first + count).ok_or(Wrong::Outside)?;
                if !filled.iter().all(|&filled| filled) {
                    return Err(Wrong::Undefined);
                }
                &self.variables[..]
            }
            Space::Block(number) => &self.blocks[number][..],
            Space::Buffer(number) => match &self.resources[number] {
                Some(SharedData::Buffer(words)) => &words[..],
                _ => return Err(Wrong::Unbound(number)),
            },
            Space::Memory(_) | Space::Shared(_) => return Err(Wrong::Outside),
        };
        match &place.words {
            Words::Together(count) => {
                let words = space.get(first..first + count).ok_or(Wrong::Outside)?;
                self.memory[to..to + count].copy_from_slice(words);
            }
            Words::Apart(words) => {
                for (to, &word) in self.memory[to..].iter_mut().zip(words) {
                    *to = *space.get(first + word as usize).ok_or(Wrong::Outside)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, place: &Place, a: usize) -> Result<(), Wrong> {
        let first = self.first(place)?;
        let Words::Together(count) = place.words else {
            unreachable!("stored words are contiguous");
        };
        let words = self.variables.get_mut(first..first + count).ok_or(Wrong::Outside)?;
        words.copy_from_slice(&self.memory[a..a + count]);
        self.filled[first..first + count].fill(true);
        Ok(())
    }
}
