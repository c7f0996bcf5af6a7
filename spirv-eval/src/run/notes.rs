//! Operands of derivatives and swaps, noted by the pixels of a quad for one another.

/// Notes of the pixels of a quad. Bit 0 of a pixel's number is its column, bit 1 its row.
#[derive(Debug, Default)]
pub(super) struct Quad {
    pub(super) notes: [Vec<Note>; 4],
    /// The current pixel, and the number of derivatives and swaps that it has reached.
    pub(super) pixel: usize,
    pub(super) next: usize,
}

/// An operand of a derivative or swap.
#[derive(Debug)]
pub(super) struct Note {
    /// Place of the result, which identifies the instruction.
    pub(super) to: usize,
    pub(super) words: Vec<u32>,
}

impl Quad {
    /// Begins the execution of a pixel.
    pub(super) fn begin(&mut self, pixel: usize) {
        (self.pixel, self.next) = (pixel, 0);
    }

    /// Number of notes of all pixels.
    pub(super) fn len(&self) -> usize {
        self.notes.iter().map(Vec::len).sum()
    }
}
