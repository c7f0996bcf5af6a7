//! Descriptions of machines for the choice of a shape, lowering, spilling and the call sequences of
//! emitters.
//!
//! A [`Machine`] is data, not code. Nothing else in this crate knows the number of lanes of a register, the
//! lane of a pixel, the number of registers or the registers that survive a call. Emitters describe their
//! machine. Tests describe others, which the interpreter of register programs executes as well.

use lambdav_core::graph::{Axis, Side};

/// The pixels of a register, `columns × rows` of them, and the lane of each pixel.
///
/// The table is a bijection: each pixel of the rectangle lies in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    columns: u32,
    rows: u32,
    /// The column and row of each lane.
    lanes: &'static [(u8, u8)],
}

impl Tile {
    /// One pixel: scalar code.
    pub const ONE: Self = Self { columns: 1, rows: 1, lanes: &[(0, 0)] };

    /// Four pixels side by side: registers of 128 bits.
    pub const FOUR: Self = Self { columns: 4, rows: 1, lanes: &[(0, 0), (1, 0), (2, 0), (3, 0)] };

    /// Two rows of four, one after the other: registers of 256 bits.
    pub const EIGHT: Self = Self {
        columns: 4,
        rows: 2,
        lanes: &[(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)],
    };

    /// Four rows of four, column by column: registers of 512 bits. Lane 4q + i is column q of row i. So
    /// storing rows of pixels needs only shuffles within 128 bits.
    pub const SIXTEEN: Self = Self {
        columns: 4,
        rows: 4,
        #[rustfmt::skip]
        lanes: &[
            (0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3),
            (2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (3, 3),
        ],
    };

    /// W, the number of lanes of a register.
    pub fn width(self) -> u32 {
        self.lanes.len() as u32
    }

    /// True if registers are those of AVX-512. Elementary functions have separate bodies for them
    /// ([`wide_body`](lambdav_core::elementary::wide_body)).
    pub fn has_512_bits(self) -> bool {
        self == Self::SIXTEEN
    }

    /// Number of columns of pixels.
    pub fn columns(self) -> u32 {
        self.columns
    }

    /// Number of rows of pixels.
    pub fn rows(self) -> u32 {
        self.rows
    }

    /// Number of pixels along an axis.
    pub fn extent(self, axis: Axis) -> u32 {
        match axis {
            Axis::X => self.columns,
            Axis::Y => self.rows,
        }
    }

    /// Position of a lane's pixel along an axis.
    pub fn offset(self, axis: Axis, lane: u32) -> f32 {
        let (column, row) = self.lanes[lane as usize];
        match axis {
            Axis::X => column.into(),
            Axis::Y => row.into(),
        }
    }

    /// The centre of a lane's pixel along an axis, in a tile whose first column or row is `first`.
    pub fn centre(self, axis: Axis, lane: u32, first: f32) -> f32 {
        first + self.offset(axis, lane) + 0.5
    }

    /// The lane of the pixel on the given side of the pair that the given lane belongs to, along an axis.
    pub fn neighbour(self, lane: u32, axis: Axis, side: Side) -> u32 {
        let (column, row) = self.lanes[lane as usize];
        let of = |offset: u8| offset & !1 | u8::from(side == Side::Odd);
        let pixel = match axis {
            Axis::X => (of(column), row),
            Axis::Y => (column, of(row)),
        };
        let found = self.lanes.iter().position(|&other| other == pixel);
        found.expect("a tile has whole pairs along the axis") as u32
    }

    /// The lane of the first pixel in the given lane's row.
    pub fn first_column(self, lane: u32) -> u32 {
        let row = self.lanes[lane as usize].1;
        let found = self.lanes.iter().position(|&other| other == (0, row));
        found.expect("a row has a first pixel") as u32
    }

    /// The column and row of a lane.
    pub fn pixel(self, lane: u32) -> (u32, u32) {
        let (column, row) = self.lanes[lane as usize];
        (column.into(), row.into())
    }
}

/// Register classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Vectors, and floating-point scalars in their first lanes.
    Vector,
    /// Masks of lanes, on machines with mask registers.
    Mask,
}

impl Class {
    /// Both classes.
    pub const ALL: [Self; 2] = [Self::Vector, Self::Mask];
}

/// A value for each register class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerClass<T>(pub [T; 2]);

impl<T> std::ops::Index<Class> for PerClass<T> {
    type Output = T;

    fn index(&self, class: Class) -> &T {
        &self.0[class as usize]
    }
}

impl<T> std::ops::IndexMut<Class> for PerClass<T> {
    fn index_mut(&mut self, class: Class) -> &mut T {
        &mut self.0[class as usize]
    }
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The pixels of a vector register.
    pub tile: Tile,
    /// Number of registers of each class. Zero mask registers: masks are vectors of all-ones and zeros.
    pub registers: PerClass<usize>,
    /// Number of registers of each class that a call preserves.
    pub preserved: PerClass<usize>,
    /// True if the machine has a fused multiply-add of binary64.
    pub fma: bool,
}

impl Machine {
    /// Bytes of a vector register, and of a spill slot.
    pub fn register_bytes(&self) -> u32 {
        self.tile.width() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_in_the_same_pair() {
        for tile in [Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN] {
            for axis in [Axis::X, Axis::Y].into_iter().filter(|&axis| tile.extent(axis) > 1) {
                for lane in 0..tile.width() {
                    let [even, odd] =
                        [Side::Even, Side::Odd].map(|s| tile.neighbour(lane, axis, s));
                    assert!(even == lane || odd == lane);
                    assert_eq!(tile.offset(axis, even) % 2.0, 0.0);
                    assert_eq!(tile.offset(axis, odd), tile.offset(axis, even) + 1.0);
                    let other = if axis == Axis::X { Axis::Y } else { Axis::X };
                    assert_eq!(tile.offset(other, even), tile.offset(other, odd));
                }
            }
        }
    }

    #[test]
    fn each_pixel_of_a_tile_lies_in_one_lane() {
        for tile in [Tile::ONE, Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN] {
            assert_eq!(tile.width(), tile.columns() * tile.rows());
            let mut pixels: Vec<_> = (0..tile.width()).map(|lane| tile.pixel(lane)).collect();
            pixels.sort_unstable();
            pixels.dedup();
            assert_eq!(pixels.len() as u32, tile.width());
            let inside = |&(column, row): &(u32, u32)| column < tile.columns() && row < tile.rows();
            assert!(pixels.iter().all(inside));
        }
    }
}
