//! Quads in groups of listed lanes.
//!
//! A *cell* is a set of pixels that lie together in lanes: a quad; in groups of one row a pair; in groups
//! of one lane a pixel. Groups are filled with cells that have at least one pixel that runs. The last group
//! of a call is padded with empty cells, in which no lane runs.
//!
//! The kernel computes all pixels that run. [`TileBuffer`] stores those under the store mask.
//!
//! Vertices need no cells: each lane is an item of its own, and its two coordinates are the words of the item.
//!
//! *Faults.* If some lane exceeded a loop's limit, all pixels that run are computed again one by one, in
//! scan order, by code without hoisting to the parts for the frame and the primitive. So this code meets
//! the loops in the order of the schedule.

use std::cell::RefCell;
use std::sync::atomic::AtomicU64;

use lambdav_core::inputs::centre;
use lambdav_image::Size;
use lambdav_raster::triangles::{VertexFault, VertexStop};
use lambdav_raster::{Cancel, Fault, Quad, Stop, TileBuffer};

use super::groups::{Groups, Slots, poll};
use crate::lanes::{Column, Items};
use crate::mutants::{Mutant, is_active};
use crate::registers::{Callable, Listed, Memories, Shape, Status};

/// The first words of the columns of a group: mask, x and y.
fn columns(lanes: usize) -> [usize; 3] {
    let position = |of| Items::Listed.position(of).expect("listed pixels have it");
    [Column::Mask, Column::X, Column::Y].map(|of| position(of) * lanes)
}

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
        SCRATCH.with_borrow_mut(|scratch| {
            let Scratch { layout, cells, table, found } = scratch;
            let layout = Layout::cached(layout, code.shape());
            layout.add_cells(quads, cells);
            for cells in cells.chunks(layout.room() * MAX_GROUPS) {
                layout.list(cells, table);
                let plane = cells.len().div_ceil(layout.room()) * layout.lanes();
                found.resize(plane * code.attachments(), [0.0; 4]);
                let listed = Listed { table, primitive };
                match code.listed(
                    self.inputs(),
                    slots,
                    poll(cancel),
                    listed,
                    &Memories::NONE,
                    found,
                ) {
                    _ if cancel.is_cancelled() => return Err(Stop::Cancelled),
                    Status::Cancelled => return Err(Stop::Cancelled),
                    Status::Limit(_) => {
                        return Err(self.fault_of(unhoisted(), quads, primitive, cancel));
                    }
                    Status::Done => layout.store(cells, found, plane, pixels),
                }
            }
            Ok(())
        })
    }

    /// Computes items, each the bits of the first two components of `frag-coord`, into `results`: attachment by
    /// attachment, item by item. The code is for listed lanes, without words of a primitive.
    pub(super) fn vertices<'c, C: Callable + 'c>(
        &self,
        code: &C,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
        unhoisted: impl FnOnce() -> &'c C,
    ) -> Result<(), VertexStop> {
        let cancel = Cancel::of_triangle(frontier, Size::PIXEL, 0);
        let slots = match self.slots(code, &cancel) {
            Ok(Slots::Words(slots)) => slots,
            Ok(Slots::Limit) => return Err(self.vertex_fault(unhoisted(), items, &cancel)),
            Err(_) => return Err(VertexStop::Cancelled),
        };
        let layout = Layout::new(code.shape());
        let (mut table, mut found) = (Vec::new(), Vec::new());
        let room = layout.lanes() * MAX_GROUPS;
        for (number, some) in items.chunks(room).enumerate() {
            layout.list_items(some, &mut table);
            let plane = some.len().div_ceil(layout.lanes()) * layout.lanes();
            found.resize(plane * code.attachments(), [0.0; 4]);
            let listed = Listed { table: &table, primitive: &[] };
            match code.listed(
                self.inputs(),
                slots,
                poll(&cancel),
                listed,
                &Memories::NONE,
                &mut found,
            ) {
                _ if cancel.is_cancelled() => return Err(VertexStop::Cancelled),
                Status::Cancelled => return Err(VertexStop::Cancelled),
                Status::Limit(_) => {
                    return Err(self.vertex_fault(unhoisted(), some, &cancel));
                }
                Status::Done => {}
            }
            let all = results.chunks_exact_mut(items.len()).zip(found.chunks_exact(plane));
            for (results, found) in all {
                results[number * room..][..some.len()].copy_from_slice(&found[..some.len()]);
            }
        }
        Ok(())
    }

    /// The first fault of items with at least one fault.
    fn vertex_fault(
        &self,
        unhoisted: &impl Callable,
        items: &[[u32; 2]],
        cancel: &Cancel<'_>,
    ) -> VertexStop {
        let layout = Layout::new(unhoisted.shape());
        let mut table = Vec::new();
        let mut found = vec![[0.0; 4]; layout.lanes() * unhoisted.attachments()];
        for &[vertex, instance] in items {
            layout.list_items(&[[vertex, instance]], &mut table);
            let listed = Listed { table: &table, primitive: &[] };
            match unhoisted.listed(
                self.inputs(),
                &[],
                poll(cancel),
                listed,
                &Memories::NONE,
                &mut found,
            ) {
                _ if cancel.is_cancelled() => return VertexStop::Cancelled,
                Status::Cancelled => return VertexStop::Cancelled,
                Status::Done => {}
                Status::Limit(site) => {
                    return VertexStop::Fault(VertexFault { instance, vertex, site });
                }
            }
        }
        unreachable!("a fault of a group is a fault of one of its lanes")
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
        let (mut cell, mut table, mut found) = (Vec::new(), Vec::new(), Vec::new());
        found.resize(layout.lanes() * unhoisted.attachments(), [0.0; 4]);
        for (y, x) in all {
            if !cancel.wants(x, y) {
                return Stop::Cancelled;
            }
            let alone = Quad { x: x & !1, y: y & !1, run: Quad::bit(x & 1, y & 1), stored: 0 };
            layout.add_cells(&[alone], &mut cell);
            layout.list(&cell, &mut table);
            let listed = Listed { table: &table, primitive };
            match unhoisted.listed(
                self.inputs(),
                &[],
                poll(cancel),
                listed,
                &Memories::NONE,
                &mut found,
            ) {
                _ if cancel.is_cancelled() => return Stop::Cancelled,
                Status::Cancelled => return Stop::Cancelled,
                Status::Done => {}
                Status::Limit(site) => return Fault { x, y, site }.into(),
            }
        }
        unreachable!("a fault of a group is a fault of one of its lanes")
    }
}

/// Memory of a thread that computes quads, used again by each call: a triangle may have few pixels.
#[derive(Default)]
struct Scratch {
    /// The layout of the last shape.
    layout: Option<Layout>,
    cells: Vec<Cell>,
    table: Vec<u32>,
    found: Vec<[f32; 4]>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
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
    /// The pixels of each cell of a group: the first ones of a quad.
    pixels: Vec<CellPixel>,
}

/// A pixel of a cell of a group.
#[derive(Clone, Copy)]
struct CellPixel {
    lane: usize,
    /// Its index in the group, row by row.
    at: usize,
}

impl Layout {
    /// The layout of a shape, which is made only if it is not the cached one.
    fn cached(cached: &mut Option<Self>, shape: Shape) -> &Self {
        if cached.as_ref().is_some_and(|layout| layout.shape != shape) {
            *cached = None;
        }
        cached.get_or_insert_with(|| Self::new(shape))
    }

    fn new(shape: Shape) -> Self {
        let mut lane_of = vec![0; shape.lanes() as usize];
        for lane in 0..shape.lanes() {
            let (column, row) = shape.pixel(lane);
            lane_of[(row * shape.columns() + column) as usize] = lane as usize;
        }
        let (width, height) = (shape.columns().min(2), shape.rows().min(2));
        let mut pixels = Vec::with_capacity(lane_of.len());
        let across = shape.columns() / width;
        for cell in 0..shape.lanes() / (width * height) {
            let (column, row) = (cell % across, cell / across);
            let inside = Quad::PIXELS.into_iter().filter(|&(x, y)| x < width && y < height);
            pixels.extend(inside.map(|(x, y)| {
                let (column, row) = (column * width + x, row * height + y);
                let at = (row * shape.columns() + column) as usize;
                CellPixel { lane: lane_of[at], at }
            }));
        }
        Self { shape, width, height, lane_of, pixels }
    }

    fn lanes(&self) -> usize {
        self.lane_of.len()
    }

    /// Number of pixels of a cell.
    fn pixels_of_cell(&self) -> usize {
        (self.width * self.height) as usize
    }

    /// Number of cells in a group.
    fn room(&self) -> usize {
        self.lanes() / self.pixels_of_cell()
    }

    /// Replaces `cells` by the cells of quads with at least one pixel that runs.
    fn add_cells(&self, quads: &[Quad], cells: &mut Vec<Cell>) {
        cells.clear();
        for quad in quads {
            if self.pixels_of_cell() == 4 {
                if quad.run != 0 {
                    cells.push(Cell { x: quad.x, y: quad.y, run: quad.run, stored: quad.stored });
                }
                continue;
            }
            for (x, y) in Quad::PIXELS {
                if x % self.width != 0 || y % self.height != 0 {
                    continue;
                }
                let cell = self.cell(quad, x, y);
                if cell.run != 0 {
                    cells.push(cell);
                }
            }
        }
    }

    /// The cell of a quad whose first pixel has this column and row.
    fn cell(&self, quad: &Quad, x: u32, y: u32) -> Cell {
        let part = |mask: u8| {
            let of = Quad::PIXELS.into_iter().filter(|&(dx, dy)| {
                dx < self.width && dy < self.height && mask & Quad::bit(x + dx, y + dy) != 0
            });
            of.fold(0, |all, (dx, dy)| all | Quad::bit(dx, dy))
        };
        Cell { x: quad.x + x, y: quad.y + y, run: part(quad.run), stored: part(quad.stored) }
    }

    /// Writes the table of cells.
    fn list(&self, cells: &[Cell], table: &mut Vec<u32>) {
        match self.pixels_of_cell() {
            4 => self.list_cells(self.pixels.as_chunks::<4>().0, cells, table),
            2 => self.list_cells(self.pixels.as_chunks::<2>().0, cells, table),
            _ => self.list_cells(self.pixels.as_chunks::<1>().0, cells, table),
        }
    }

    /// Writes the table of cells, given the pixels of each cell of a group: they are the first N of a quad.
    fn list_cells<const N: usize>(
        &self,
        places: &[[CellPixel; N]],
        cells: &[Cell],
        table: &mut Vec<u32>,
    ) {
        let lanes = self.lanes();
        let words = Listed::words_of_group(Items::Listed, self.shape);
        // All columns of all lanes are written.
        table.resize(cells.len().div_ceil(places.len()) * words, 0);
        let groups = cells.chunks(places.len()).zip(table.chunks_exact_mut(words));
        let [mask, x, y] = columns(lanes);
        for (cells, group) in groups {
            let last = cells[cells.len() - 1];
            for (number, places) in places.iter().enumerate() {
                // Inactive lanes too get coordinates of pixels.
                let cell = cells.get(number).copied().unwrap_or(Cell { run: 0, ..last });
                let runs = Quad::WORDS[usize::from(cell.run & 0b1111)];
                let columns = [centre(cell.x), centre(cell.x + 1)].map(f32::to_bits);
                let rows = [centre(cell.y), centre(cell.y + 1)].map(f32::to_bits);
                for (k, place) in places.iter().enumerate() {
                    group[mask + place.lane] = runs[k];
                    group[x + place.lane] = columns[k % 2];
                    group[y + place.lane] = rows[k / 2];
                }
            }
        }
    }

    /// Writes the table of items, which need no quads.
    fn list_items(&self, items: &[[u32; 2]], table: &mut Vec<u32>) {
        let lanes = self.lanes();
        let columns = columns(lanes);
        table.clear();
        for items in items.chunks(lanes) {
            let group = table.len();
            table.resize(group + Listed::words_of_group(Items::Listed, self.shape), 0);
            let last = items[items.len() - 1];
            for (at, &lane) in self.lane_of.iter().enumerate() {
                // Inactive lanes too get an item.
                let item = items.get(at).copied().unwrap_or(last);
                let runs = if at < items.len() { u32::MAX } else { 0 };
                for (first, word) in columns.into_iter().zip([runs, item[0], item[1]]) {
                    table[group + first + lane] = word;
                }
            }
        }
    }

    /// Stores the pixels of cells that are under the store mask.
    fn store(&self, cells: &[Cell], found: &[[f32; 4]], plane: usize, pixels: &mut TileBuffer<'_>) {
        match self.pixels_of_cell() {
            4 => Self::store_cells(self.pixels.as_chunks::<4>().0, cells, found, plane, pixels),
            2 => Self::store_cells(self.pixels.as_chunks::<2>().0, cells, found, plane, pixels),
            _ => Self::store_cells(self.pixels.as_chunks::<1>().0, cells, found, plane, pixels),
        }
    }

    /// Stores pixels of cells, given the pixels of each cell of a group: they are the first N of a quad.
    fn store_cells<const N: usize>(
        places: &[[CellPixel; N]],
        cells: &[Cell],
        found: &[[f32; 4]],
        plane: usize,
        pixels: &mut TileBuffer<'_>,
    ) {
        let tile = pixels.tile();
        let width = tile.width as usize;
        for (attachment, found) in found.chunks_exact(plane).enumerate() {
            let to = pixels.attachment_mut(attachment);
            let groups = cells.chunks(places.len()).zip(found.chunks_exact(N * places.len()));
            for (cells, found) in groups {
                for (cell, places) in cells.iter().zip(places) {
                    let is_mistaken = is_active(Mutant::StoredUnderRun);
                    let stored = if is_mistaken { cell.run } else { cell.stored };
                    // The first pixel may lie outside of the tile; then it is not stored.
                    let column = (cell.x as usize).wrapping_sub(tile.x as usize);
                    let row = (cell.y as usize).wrapping_sub(tile.y as usize);
                    let first = row.wrapping_mul(width).wrapping_add(column);
                    let at = |k: usize| {
                        let (x, y) = (cell.x + k as u32 % 2, cell.y + k as u32 / 2);
                        debug_assert!(tile.contains(x, y), "pixel ({x}, {y}) is not in {tile:?}");
                        first.wrapping_add(k % 2 + k / 2 * width)
                    };
                    if N == 4 && stored == 0b1111 {
                        // The pixels of a row are neighbours in both places.
                        for k in [0, 2] {
                            to[at(k)..][..2].copy_from_slice(&found[places[k].at..][..2]);
                        }
                        continue;
                    }
                    for (k, place) in places.iter().enumerate() {
                        if stored >> k & 1 == 1 {
                            to[at(k)] = found[place.at];
                        }
                    }
                }
            }
        }
    }
}
