//! Contents of buffers.

use super::error::{AmberError, AmberErrorKind};
use super::value::AmberValue;
use super::words::{Lines, Result, Words, unexpected};
use lambdav_core::texture::Texels;
use std::sync::Arc;

/// Most bytes of all buffers of a script together.
const MAX_BYTES: usize = 1 << 26;

/// Bytes taken by the buffers of a script.
#[derive(Debug, Default)]
pub(super) struct Room {
    taken: usize,
}

impl Room {
    /// True if so many more bytes are allowed.
    fn has(&self, bytes: usize) -> bool {
        bytes <= MAX_BYTES - self.taken
    }

    /// Takes so many bytes.
    pub(super) fn take(&mut self, bytes: usize, line: &Words<'_>) -> Result<()> {
        if !self.has(bytes) {
            return Err(Self::none(line));
        }
        self.taken += bytes;
        Ok(())
    }

    fn none(line: &Words<'_>) -> AmberError {
        line.unsupported(format!("buffers of more than {MAX_BYTES} bytes"))
    }
}

/// Type and layout of a buffer's elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    scalar: Scalar,
    columns: usize,
    /// Rows of a column.
    rows: usize,
    /// Strides of columns and of elements, in bytes.
    strides: [usize; 2],
}

#[derive(Clone, Copy, Debug)]
enum Scalar {
    Float,
    Int,
    Uint,
}

impl Elements {
    /// Reads a type and its layout from the line.
    pub(super) fn read(line: &mut Words<'_>) -> Result<Self> {
        let (name, _) = line.word("a type")?;
        let mut is_array = false;
        let ty = name.strip_suffix("[]").inspect(|_| is_array = true).unwrap_or(name);
        let unsupported = || line.unsupported(format!("a buffer of {ty}"));
        let (shape, of) = match ty.strip_suffix('>').and_then(|ty| ty.split_once('<')) {
            Some((shape, of)) => (shape, of),
            None => ("vec1", ty),
        };
        let scalar = match of {
            "float" => Scalar::Float,
            "int32" => Scalar::Int,
            "uint32" => Scalar::Uint,
            _ => return Err(unsupported()),
        };
        let size = |text: &str| text.parse().ok().filter(|size| (1..=4).contains(size));
        let sizes = match (shape.strip_prefix("vec"), shape.strip_prefix("mat")) {
            (Some(rows), _) => Some(1).zip(size(rows)),
            (_, Some(shape)) => {
                shape.split_once('x').and_then(|(columns, rows)| size(columns).zip(size(rows)))
            }
            _ => None,
        };
        let (columns, rows) = sizes.ok_or_else(unsupported)?;
        let is_std140 = line.take("STD140");
        if !is_std140 {
            line.take("STD430");
        }
        // Columns of three rows have the alignment of four.
        let mut column: usize = 4 * if rows == 3 { 4 } else { rows };
        if columns > 1 && is_std140 {
            column = 16;
        }
        let mut element: usize = columns * column;
        if is_array && is_std140 {
            element = element.next_multiple_of(16);
        }
        Ok(Self { scalar, columns, rows, strides: [column, element] })
    }

    /// Elements of these numbers; an incomplete last element is filled with zeros.
    pub(super) fn data(self, numbers: &mut Words<'_>, room: &mut Room) -> Result<Arc<[u8]>> {
        let mut bytes = Vec::new();
        let mut index = 0;
        while let Some((text, span)) = numbers.next() {
            let word = self.word(text).ok_or_else(|| unexpected("a number", text, span))?;
            if !room.has(bytes.len() + self.strides[1]) {
                return Err(Room::none(numbers));
            }
            self.put(&mut bytes, index, word);
            index += 1;
        }
        room.taken += bytes.len();
        Ok(bytes.into())
    }

    /// The components of a texel of these elements, and their number; none for a matrix.
    pub(super) fn texel(self) -> Option<(Texels, usize)> {
        let components = match self.scalar {
            Scalar::Float => Texels::Numbers,
            Scalar::Int => Texels::Integers,
            Scalar::Uint => Texels::Unsigned,
        };
        (self.columns == 1).then_some((components, self.rows))
    }

    /// The bytes of `count` elements, as the rest of the line says.
    pub(super) fn of_image<'t>(
        self,
        count: usize,
        line: &mut Words<'t>,
        lines: &mut Lines<'t>,
        room: &mut Room,
    ) -> Result<Arc<[u8]>> {
        let (form, span) = line.word("DATA, FILL or SERIES_FROM")?;
        match form {
            "DATA" => self.listed(line, lines, room),
            "FILL" => self.fill(count, line, room),
            "SERIES_FROM" => self.series(count, line, room),
            form => Err(unexpected("DATA, FILL or SERIES_FROM", form, span)),
        }
    }

    /// Elements of the numbers up to `END`, in the line or in the lines behind it.
    pub(super) fn listed<'t>(
        self,
        line: &mut Words<'t>,
        lines: &mut Lines<'t>,
        room: &mut Room,
    ) -> Result<Arc<[u8]>> {
        match line.before_end() {
            Some(mut words) => self.data(&mut words, room),
            None => {
                let (start, text) = lines.block(line, "data")?;
                self.data(&mut Words::of(text, start), room)
            }
        }
    }

    /// The bytes of so many elements.
    pub(super) fn size(self, count: usize) -> usize {
        count.saturating_mul(self.strides[1])
    }

    /// `count` elements that repeat one number.
    pub(super) fn fill(
        self,
        count: usize,
        line: &mut Words<'_>,
        room: &mut Room,
    ) -> Result<Arc<[u8]>> {
        room.take(self.size(count), line)?;
        let (text, span) = line.word("a number")?;
        let word = self.word(text).ok_or_else(|| unexpected("a number", text, span))?;
        Ok(self.elements(count, |_| word))
    }

    /// `count` elements whose components go on from one number by another.
    pub(super) fn series(
        self,
        count: usize,
        line: &mut Words<'_>,
        room: &mut Room,
    ) -> Result<Arc<[u8]>> {
        room.take(self.size(count), line)?;
        let first: f64 = line.number("a number")?;
        line.keyword("INC_BY")?;
        let by: f64 = line.number("a number")?;
        Ok(self.elements(count, |index| {
            let number = first + by * index as f64;
            match self.scalar {
                Scalar::Float => (number as f32).to_bits(),
                Scalar::Int | Scalar::Uint => number as i64 as u32,
            }
        }))
    }

    /// `count` elements of the words that `word` gives for the numbers of components.
    fn elements(self, count: usize, word: impl Fn(usize) -> u32) -> Arc<[u8]> {
        let mut bytes = Vec::with_capacity(count * self.strides[1]);
        let components = 0..count * self.columns * self.rows;
        components.for_each(|index| self.put(&mut bytes, index, word(index)));
        bytes.into()
    }

    /// The component that begins at a byte; none if none does.
    fn component(self, byte: usize) -> Option<usize> {
        let (element, rest) = (byte / self.strides[1], byte % self.strides[1]);
        let (column, row) = (rest / self.strides[0], rest % self.strides[0] / 4);
        let index = (element * self.columns + column) * self.rows + row;
        (self.place(index) == byte).then_some(index)
    }

    /// The byte of each of `count` components, one after another, from the one at a byte on; none if there begins none.
    pub(super) fn places(self, byte: usize, count: usize) -> Option<Vec<usize>> {
        let first = self.component(byte)?;
        Some((first..first + count).map(|index| self.place(index)).collect())
    }

    /// The byte of a component.
    fn place(self, index: usize) -> usize {
        let (column, row) = (index / self.rows, index % self.rows);
        let (element, column) = (column / self.columns, column % self.columns);
        element * self.strides[1] + column * self.strides[0] + 4 * row
    }

    /// A value of the type of the components, from its text.
    fn value(self, text: &str) -> Option<AmberValue> {
        let word = self.word(text)?;
        Some(match self.scalar {
            Scalar::Float => AmberValue::Float(f32::from_bits(word)),
            Scalar::Int => AmberValue::Int(word as i32),
            Scalar::Uint => AmberValue::Uint(word),
        })
    }

    /// Reads all further words as numbers of the type of the components, at least one.
    pub(super) fn values(self, line: &mut Words<'_>) -> Result<Vec<AmberValue>> {
        let mut values = Vec::new();
        while let Some((text, at)) = line.next() {
            let value = self.value(text);
            values
                .push(value.ok_or_else(|| unexpected("a number of the buffer's type", text, at))?);
        }
        match values.is_empty() {
            true => Err(AmberError { span: line.span(), kind: AmberErrorKind::Empty }),
            false => Ok(values),
        }
    }

    fn put(self, bytes: &mut Vec<u8>, index: usize, word: u32) {
        let at = self.place(index);
        bytes.resize((at / self.strides[1] + 1) * self.strides[1], 0);
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    pub(super) fn word(self, text: &str) -> Option<u32> {
        if let (Scalar::Int | Scalar::Uint, Some(digits)) = (self.scalar, text.strip_prefix("0x")) {
            return u32::from_str_radix(digits, 16).ok();
        }
        // A whole number may be written as `0.0`.
        let text = match (self.scalar, text.split_once('.')) {
            (Scalar::Int | Scalar::Uint, Some((whole, zeros)))
                if zeros.bytes().all(|of| of == b'0') =>
            {
                whole
            }
            _ => text,
        };
        match self.scalar {
            Scalar::Float => Some(text.parse::<f32>().ok()?.to_bits()),
            // Numbers above the largest wrap.
            Scalar::Int => match text.parse::<i32>() {
                Ok(number) => Some(number as u32),
                Err(_) => text.parse().ok(),
            },
            Scalar::Uint => text.parse().ok(),
        }
    }
}
