//! Quads in groups of listed lanes.
//!
//! A *cell* is a set of pixels that lie together in lanes: a quad; in groups of one row a pair; in groups
//! of one lane a pixel. Groups are filled with cells that have at least one pixel that runs. The last group
//! of a call is padded with empty cells, in which no lane runs.
//!
//! The kernel computes all pixels that run. [`TileBuffer`] stores those under the store mask.
//!
//! *Faults.* If some lane exceeded a loop's limit, all pixels that run are computed again one by one, in
//! scan order, by code without hoisting to the parts for the frame and the primitive. So this code meets
//! the loops in the order of the schedule.

use lambdav_core::inputs::centre;
use lambdav_raster::{Cancel, Fault, Quad, Stop, TileBuffer};

use super::groups::{Groups, Slots, poll};
use crate::lanes::Column;
use crate::mutants::{Mutant, is_active};
use crate::registers::{Callable, Listed, Shape, Status};

/// Maximum number of groups in one call: their results stay in the L1 cache.
const MAX_GROUPS: usize = 16;

impl Groups {
    /// Computes the pixels of quads that run, of a primitive with these words, and stores those under the
    /// store mask. The code is for listed lanes. `unhoisted` is the same code without hoisting.
    pub(super) fn quads<'c, C: Callable + 'c>(
        &self,
        code: &C,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
        unhoisted: impl FnOnce() -> &'c C,
    ) -> Result<(), Stop> {
        let Slots::Words(slots) = self.slots(code, cancel)? else {
            return Err(self.fault_of(unhoisted(), quads, primitive, cancel));
        };
        let layout = Layout::new(code.shape());
        let cells: Vec<Cell> = quads.iter().flat_map(|quad| layout.cells(quad)).collect();
        let (mut table, mut found) = (Vec::new(), Vec::new());
        for cells in cells.chunks(layout.room() * MAX_GROUPS) {
            layout.list(cells, &mut table);
            let plane = cells.len().div_ceil(layout.room()) * layout.lanes();
            found.resize(plane * code.attachments(), [0.0; 4]);
            let listed = Listed { table: &table, primitive };
            match code.listed(self.inputs(), slots, poll(cancel), listed, &mut found) {
                _ if cancel.is_cancelled() => return Err(Stop::Cancelled),
                Status::Cancelled => return Err(Stop::Cancelled),
                Status::Limit(_) => {
                    return Err(self.fault_of(unhoisted(), quads, primitive, cancel));
                }
                Status::Done => layout.store(cells, &found, plane, pixels),
            }
        }
        Ok(())
    }

    /// The first fault in scan order of quads with at least one fault.
    fn fault_of(
        &self,
        unhoisted: &impl Callable,
        quads: &[Quad],
        primitive: &[u32],
        cancel: &Cancel<'_>,
    ) -> Stop {
        let layout = Layout::new(unhoisted.shape());
        let pixels = |quad: &Quad| {
            let Quad { x, y, run, .. } = *quad;
            let runs = move |&(dx, dy): &(u32, u32)| run & Quad::bit(dx, dy) != 0;
            Quad::PIXELS.into_iter().filter(runs).map(move |(dx, dy)| (y + dy, x + dx))
        };
        let mut all: Vec<(u32, u32)> = quads.iter().flat_map(pixels).collect();
        all.sort_unstable();
        let (mut table, mut found) = (Vec::new(), Vec::new());
        found.resize(layout.lanes() * unhoisted.attachments(), [0.0; 4]);
        for (y, x) in all {
            if !cancel.wants(x, y) {
                return Stop::Cancelled;
            }
            let alone = Quad { x: x & !1, y: y & !1, run: Quad::bit(x & 1, y & 1), stored: 0 };
            let cell: Vec<Cell> = layout.cells(&alone).collect();
            layout.list(&cell, &mut table);
            let listed = Listed { table: &table, primitive };
            match unhoisted.listed(self.inputs(), &[], poll(cancel), listed, &mut found) {
                _ if cancel.is_cancelled() => return Stop::Cancelled,
                Status::Cancelled => return Stop::Cancelled,
                Status::Done => {}
                Status::Limit(site) => return Fault { x, y, site }.into(),
            }
        }
        unreachable!("a fault of a group is a fault of one of its lanes")
    }
}

/// Pixels that lie together in lanes. Bits are those of [`Quad`].
#[derive(Clone, Copy)]
struct Cell {
    x: u32,
    y: u32,
    run: u8,
    stored: u8,
}

/// The layout of cells in groups of a shape.
struct Layout {
    shape: Shape,
    /// Columns and rows of a cell.
    width: u32,
    height: u32,
    /// The lane of each column of each row of a group.
    lane_of: Vec<usize>,
}

impl Layout {
    fn new(shape: Shape) -> Self {
        let mut lane_of = vec![0; shape.lanes() as usize];
        for lane in 0..shape.lanes() {
            let (column, row) = shape.pixel(lane);
            lane_of[(row * shape.columns() + column) as usize] = lane as usize;
        }
        Self { shape, width: shape.columns().min(2), height: shape.rows().min(2), lane_of }
    }

    fn lanes(&self) -> usize {
        self.lane_of.len()
    }

    /// Number of cells in a group.
    fn room(&self) -> usize {
        self.lanes() / (self.width * self.height) as usize
    }

    /// The cells of a quad with at least one pixel that runs.
    fn cells(&self, quad: &Quad) -> impl Iterator<Item = Cell> + use<> {
        let (quad, width, height) = (*quad, self.width, self.height);
        let corners = move |x, y| {
            let inside = move |&(dx, dy): &(u32, u32)| dx < width && dy < height;
            let part = move |mask: u8| {
                let of = Quad::PIXELS.into_iter().filter(inside);
                let set = of.filter(|&(dx, dy)| mask & Quad::bit(x + dx, y + dy) != 0);
                set.fold(0, |all, (dx, dy)| all | Quad::bit(dx, dy))
            };
            Cell { x: quad.x + x, y: quad.y + y, run: part(quad.run), stored: part(quad.stored) }
        };
        let firsts =
            Quad::PIXELS.into_iter().filter(move |(x, y)| x % width == 0 && y % height == 0);
        firsts.map(move |(x, y)| corners(x, y)).filter(|cell| cell.run != 0)
    }

    /// The pixels of a cell, given its number in the group: for each its bit, its column and row in the
    /// cell, and its index in the group, row by row.
    fn pixels(&self, number: usize) -> impl Iterator<Item = (u8, u32, u32, usize)> {
        let across = self.shape.columns() / self.width;
        let (column, row) = (number as u32 % across, number as u32 / across);
        let inside = Quad::PIXELS.into_iter().filter(|&(x, y)| x < self.width && y < self.height);
        inside.map(move |(x, y)| {
            let (column, row) = (column * self.width + x, row * self.height + y);
            (Quad::bit(x, y), x, y, (row * self.shape.columns() + column) as usize)
        })
    }

    /// Writes the table of cells.
    fn list(&self, cells: &[Cell], table: &mut Vec<u32>) {
        let (lanes, room) = (self.lanes(), self.room());
        table.clear();
        for cells in cells.chunks(room) {
            let group = table.len();
            table.resize(group + Listed::words_of_group(self.shape), 0);
            let last = cells[cells.len() - 1];
            for number in 0..room {
                // Inactive lanes too get coordinates of pixels.
                let cell = cells.get(number).copied().unwrap_or(Cell { run: 0, ..last });
                for (bit, x, y, at) in self.pixels(number) {
                    let mut put = |column: Column, word| {
                        table[group + column as usize * lanes + self.lane_of[at]] = word;
                    };
                    put(Column::Mask, if cell.run & bit != 0 { u32::MAX } else { 0 });
                    put(Column::X, centre(cell.x + x).to_bits());
                    put(Column::Y, centre(cell.y + y).to_bits());
                }
            }
        }
    }

    /// Stores the pixels of cells that are under the store mask.
    fn store(&self, cells: &[Cell], found: &[[f32; 4]], plane: usize, pixels: &mut TileBuffer<'_>) {
        for (group, cells) in cells.chunks(self.room()).enumerate() {
            for (number, cell) in cells.iter().enumerate() {
                let stored = if is_active(Mutant::StoredUnderRun) { cell.run } else { cell.stored };
                for (bit, x, y, at) in self.pixels(number) {
                    if stored & bit == 0 {
                        continue;
                    }
                    for (attachment, found) in found.chunks(plane).enumerate() {
                        let pixel = found[group * self.lanes() + at];
                        pixels.store(attachment, cell.x + x, cell.y + y, pixel);
                    }
                }
            }
        }
    }
}
