//! What the pixels of a quad note for one another.

/// What the pixels of a quad have noted. Bit 0 of a pixel's number is its column, bit 1 its row.
#[derive(Debug, Default)]
pub(super) struct Quad {
    pub(super) notes: [Vec<Note>; 4],
    /// The pixel that is computed, and how many derivatives it has come to.
    pub(super) pixel: usize,
    pub(super) next: usize,
}

/// An operand of a derivative.
#[derive(Debug)]
pub(super) struct Note {
    /// Where its result goes, which says which derivative it is.
    pub(super) to: usize,
    pub(super) words: Vec<u32>,
}

impl Quad {
    /// Begins a pixel.
    pub(super) fn begin(&mut self, pixel: usize) {
        (self.pixel, self.next) = (pixel, 0);
    }

    /// How much they have noted.
    pub(super) fn len(&self) -> usize {
        self.notes.iter().map(Vec::len).sum()
    }
}
