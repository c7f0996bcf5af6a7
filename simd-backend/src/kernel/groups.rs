//! A tile in groups of lanes.
//!
//! *Cancellation.* Calls poll ([`Poll`]). One that is cancelled may come to its end all the same,
//! with undefined results (its call-outs compute nothing), so it is asked for afterwards.
//!
//! Whole groups are computed in place, a row of them at a call. Groups that reach over the tile's
//! right or lower edge are computed beside it, with a mask of the lanes inside.
//!
//! *Faults.* A call says that some lane of some group exceeded a loop's limit. Which pixel is the
//! first in scan order, and what it met first, is then found by computing the band's pixels again
//! one by one, each in a group with a mask of its lane alone. Where the part for the whole frame is
//! at fault, every pixel is, and code in which nothing has been moved to that part tells what it
//! meets first.

use std::sync::{Mutex, OnceLock, PoisonError};

use lambdav_core::resource::Bound;
use lambdav_raster::{Cancel, Fault, Stop, Tile, TileBuffer};

use crate::registers::{Callable, Inputs, Poll, Row, Status};

/// Code with its inputs, and what it has computed for the frame.
#[derive(Debug)]
pub(super) struct Groups<C> {
    code: C,
    inputs: Inputs,
    /// What is the same for the whole frame, once some tile has needed it.
    slots: OnceLock<Slots>,
    /// Held while that is computed.
    computing: Mutex<()>,
    /// The code with nothing moved to the frame's part.
    unhoisted: OnceLock<C>,
}

/// What the function for the frame has left.
#[derive(Debug)]
enum Slots {
    Words(Vec<u64>),
    Limit,
}

impl<C: Callable> Groups<C> {
    pub(super) fn new(code: C, inputs: Inputs) -> Self {
        let (slots, unhoisted) = (OnceLock::new(), OnceLock::new());
        Self { code, inputs, slots, computing: Mutex::new(()), unhoisted }
    }

    pub(super) fn code(&self) -> &C {
        &self.code
    }

    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Changes an input. What was computed for the frame is computed again.
    pub(super) fn set_input(&mut self, index: usize, word: u32) {
        self.inputs.words[index] = word;
        self.slots.take();
    }

    /// Changes the data of a resource, of the same size. What was computed for the frame is computed again.
    pub(super) fn set_resource(&mut self, number: usize, data: Bound) {
        self.inputs.resources.replace(number, data);
        self.slots.take();
    }

    fn slots(&self, cancel: &Cancel<'_>) -> Result<&Slots, Stop> {
        if let Some(known) = self.slots.get() {
            return Ok(known);
        }
        let _computing = self.computing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.slots.get() {
            return Ok(known);
        }
        let (status, words) = self.code.frame(&self.inputs, poll(cancel));
        let found = match status {
            // Once a call is cancelled its results are not looked at.
            _ if cancel.is_cancelled() => return Err(Stop::Cancelled),
            Status::Done => Slots::Words(words),
            Status::Limit(_) => Slots::Limit,
            Status::Cancelled => return Err(Stop::Cancelled),
        };
        Ok(self.slots.get_or_init(|| found))
    }

    /// Computes the pixels of a tile.
    pub(super) fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
        unhoisted: impl FnOnce() -> C,
    ) -> Result<(), Stop> {
        let slots = match self.slots(cancel)? {
            Slots::Words(words) => words,
            Slots::Limit => {
                // The first pixel of the tile meets what every pixel meets.
                let code = self.unhoisted.get_or_init(unhoisted);
                return Err(self.fault(code, &[], tile, cancel));
            }
        };
        let shape = self.code.shape();
        let (columns, rows) = (shape.columns(), shape.rows());
        let all = vec![u32::MAX; shape.lanes() as usize];
        let mut beside = vec![[0.0; 4]; shape.lanes() as usize];
        let stride = tile.width as usize;
        for top in (0..tile.height).step_by(rows as usize) {
            let y = tile.y + top;
            if !cancel.wants(tile.x, y) {
                return Err(Stop::Cancelled);
            }
            let height = rows.min(tile.height - top);
            let compute = |mask: &[u32], row: Row, pixels: &mut [[f32; 4]]| match self.code.row(
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
                    let band = Tile { y, height, ..tile };
                    Err(self.fault(&self.code, slots, band, cancel))
                }
            };
            let whole = if height == rows { tile.width / columns } else { 0 };
            let band = &mut pixels.samples_mut().as_chunks_mut().0[top as usize * stride..];
            if whole > 0 {
                compute(&all, Row { x: tile.x, y, groups: whole, stride }, band)?;
            }
            for left in (whole * columns..tile.width).step_by(columns as usize) {
                let width = columns.min(tile.width - left);
                let mask: Vec<u32> = (0..shape.lanes())
                    .map(|lane| {
                        let (column, row) = shape.pixel(lane);
                        if column < width && row < height { u32::MAX } else { 0 }
                    })
                    .collect();
                let row = Row { x: tile.x + left, y, groups: 1, stride: columns as usize };
                compute(&mask, row, &mut beside)?;
                for (row, from) in beside.chunks(columns as usize).take(height as usize).enumerate()
                {
                    let to = &mut band[row * stride + left as usize..][..width as usize];
                    to.copy_from_slice(&from[..width as usize]);
                }
            }
        }
        Ok(())
    }

    /// The first fault in scan order of a part of a tile in which there is one.
    fn fault(&self, code: &C, slots: &[u64], part: Tile, cancel: &Cancel<'_>) -> Stop {
        let shape = code.shape();
        // The first pixel of a group lies in its first lane.
        let mut mask = vec![0; shape.lanes() as usize];
        mask[0] = u32::MAX;
        let mut group = vec![[0.0; 4]; shape.lanes() as usize];
        for y in part.y..part.y + part.height {
            for x in part.x..part.x + part.width {
                if !cancel.wants(x, y) {
                    return Stop::Cancelled;
                }
                let row = Row { x, y, groups: 1, stride: shape.columns() as usize };
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

fn poll<'a>(cancel: &Cancel<'a>) -> Poll<'a> {
    Poll { frontier: cancel.frontier(), first: cancel.first() }
}
