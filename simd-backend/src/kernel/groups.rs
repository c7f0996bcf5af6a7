//! Tiles in groups of lanes.
//!
//! *Cancellation.* Calls poll ([`Poll`]). A cancelled call may still return [`Status::Done`], with
//! undefined results (its slow paths compute nothing), so cancellation is checked after each call.
//!
//! Whole groups are computed in place, one row of groups to a call. Groups that cross the tile's edges are
//! computed in a buffer beside the tile, with a mask of the lanes inside. Groups begin in even columns and
//! rows of the image, so that they hold whole quads, whatever the tile is.
//!
//! *Faults.* A call reports only that some lane of some group exceeded a loop's limit. To find the first
//! pixel in scan order and the first loop that it meets, the pixels of the band are computed again one by
//! one, each in a group that holds its quad, with a mask of its lane alone. If the part for the frame is at
//! fault, every pixel is at fault. Code without hoisting then finds the loop that the first pixel meets.

use std::sync::{Mutex, OnceLock, PoisonError};

use lambdav_raster::{Cancel, Fault, Quad, Stop, Tile, TileBuffer};

use crate::lanes::Items;
use crate::registers::{Callable, Inputs, Poll, Row, Shape, Status};

/// The inputs of code, and the results of the part for the frame.
#[derive(Debug)]
pub(super) struct Groups {
    inputs: Inputs,
    /// The words of the primitive, unless the caller passes others.
    primitive: Vec<u32>,
    /// The results of the part for the frame, computed when a tile first needs them.
    slots: OnceLock<Slots>,
    /// Held while `slots` is computed.
    computing: Mutex<()>,
}

/// The outcome of the part for the frame.
#[derive(Debug)]
pub(super) enum Slots {
    Words(Vec<u64>),
    Limit,
}

impl Groups {
    pub(super) fn new(inputs: Inputs, primitive: Vec<u32>) -> Self {
        Self { inputs, primitive, slots: OnceLock::new(), computing: Mutex::new(()) }
    }

    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    pub(super) fn primitive(&self) -> &[u32] {
        &self.primitive
    }

    /// The inputs, to be changed. The part for the frame runs again.
    pub(super) fn inputs_mut(&mut self) -> &mut Inputs {
        self.slots.take();
        &mut self.inputs
    }

    pub(super) fn slots(&self, code: &impl Callable, cancel: &Cancel<'_>) -> Result<&Slots, Stop> {
        if let Some(known) = self.slots.get() {
            return Ok(known);
        }
        let _computing = self.computing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.slots.get() {
            return Ok(known);
        }
        let (status, words) = code.frame(&self.inputs, poll(cancel));
        let found = match status {
            // A cancelled call has undefined results.
            _ if cancel.is_cancelled() => return Err(Stop::Cancelled),
            Status::Done => Slots::Words(words),
            Status::Limit(_) => Slots::Limit,
            Status::Cancelled => return Err(Stop::Cancelled),
        };
        Ok(self.slots.get_or_init(|| found))
    }

    /// Computes the pixels of a tile; `unhoisted` is the same code without hoisting.
    pub(super) fn tile<'c, C: Callable + 'c>(
        &self,
        code: &C,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
        unhoisted: impl FnOnce() -> &'c C,
    ) -> Result<(), Stop> {
        if code.items() == Items::Listed {
            let quads: Vec<Quad> = Quad::of_tile(tile).collect();
            return self.quads(code, &quads, &self.primitive, pixels, cancel, unhoisted);
        }
        let slots = match self.slots(code, cancel)? {
            Slots::Words(words) => words,
            Slots::Limit => {
                // Every pixel of the tile has a fault; the first pixel's is reported.
                return Err(self.fault(unhoisted(), &[], tile, cancel));
            }
        };
        let shape = code.shape();
        let (columns, rows) = (shape.columns(), shape.rows());
        let lanes = shape.lanes() as usize;
        let all = vec![u32::MAX; lanes];
        let mut beside = vec![[0.0; 4]; lanes * code.attachments()];
        let stride = tile.width as usize;
        let plane = tile.pixels();
        let [first_column, first_row] = before(shape, tile.x, tile.y);
        for top in (0..first_row + tile.height).step_by(rows as usize) {
            let y = tile.y - first_row + top;
            let above = first_row.saturating_sub(top);
            if !cancel.wants(tile.x, y + above) {
                return Err(Stop::Cancelled);
            }
            let height = rows.min(first_row + tile.height - top);
            let compute = |mask: &[u32], row: Row, pixels: &mut [[f32; 4]]| match code.row(
                &self.inputs,
                slots,
                mask,
                poll(cancel),
                row,
                pixels,
            ) {
                _ if cancel.is_cancelled() => Err(Stop::Cancelled),
                Status::Done => Ok(()),
                Status::Cancelled => Err(Stop::Cancelled),
                Status::Limit(_) => {
                    let band = Tile { y: y + above, height: height - above, ..tile };
                    Err(self.fault(code, slots, band, cancel))
                }
            };
            let is_whole = height == rows && above == 0 && first_column == 0;
            let whole = if is_whole { tile.width / columns } else { 0 };
            let done = (top + above - first_row) as usize;
            let band = &mut pixels.samples_mut().as_chunks_mut().0[done * stride..];
            if whole > 0 {
                compute(&all, Row { x: tile.x, y, groups: whole, stride, plane }, band)?;
            }
            let end = first_column + tile.width;
            for left in (whole * columns..end).step_by(columns as usize) {
                let before = first_column.saturating_sub(left);
                let width = columns.min(end - left);
                let mask: Vec<u32> = (0..shape.lanes())
                    .map(|lane| {
                        let (column, row) = shape.pixel(lane);
                        let is_inside =
                            (before..width).contains(&column) && (above..height).contains(&row);
                        if is_inside { u32::MAX } else { 0 }
                    })
                    .collect();
                let x = tile.x - first_column + left;
                let row = Row { x, y, groups: 1, stride: columns as usize, plane: lanes };
                compute(&mask, row, &mut beside)?;
                for (number, beside) in beside.chunks(lanes).enumerate() {
                    let inside = beside.chunks(columns as usize).take(height as usize);
                    for (row, from) in inside.skip(above as usize).enumerate() {
                        let from = &from[before as usize..width as usize];
                        let at = row * stride + (left + before - first_column) as usize;
                        band[number * plane + at..][..from.len()].copy_from_slice(from);
                    }
                }
            }
        }
        Ok(())
    }

    /// The first fault in scan order within `part`, which has at least one.
    fn fault(&self, code: &impl Callable, slots: &[u64], part: Tile, cancel: &Cancel<'_>) -> Stop {
        let shape = code.shape();
        let plane = shape.lanes() as usize;
        let mut group = vec![[0.0; 4]; plane * code.attachments()];
        for y in part.y..part.y + part.height {
            for x in part.x..part.x + part.width {
                if !cancel.wants(x, y) {
                    return Stop::Cancelled;
                }
                let [column, line] = before(shape, x, y);
                let is_it = |lane| shape.pixel(lane) == (column, line);
                let mask: Vec<u32> =
                    (0..shape.lanes()).map(|lane| if is_it(lane) { u32::MAX } else { 0 }).collect();
                let (x0, y0) = (x - column, y - line);
                let stride = shape.columns() as usize;
                let row = Row { x: x0, y: y0, groups: 1, stride, plane };
                match code.row(&self.inputs, slots, &mask, poll(cancel), row, &mut group) {
                    _ if cancel.is_cancelled() => return Stop::Cancelled,
                    Status::Done => {}
                    Status::Cancelled => return Stop::Cancelled,
                    Status::Limit(site) => return Fault { x, y, site }.into(),
                }
            }
        }
        unreachable!("a fault of a group is a fault of one of its lanes")
    }
}

/// Numbers of columns and rows by which groups begin before a pixel, so that its quad is in the group.
fn before(shape: Shape, x: u32, y: u32) -> [u32; 2] {
    [x % shape.columns().min(2), y % shape.rows().min(2)]
}

pub(super) fn poll<'a>(cancel: &Cancel<'a>) -> Poll<'a> {
    Poll { frontier: cancel.frontier(), first: cancel.first() }
}
