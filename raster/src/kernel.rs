//! The interface to what computes pixels.
//!
//! A [`Kernel`] fills one rectangle of the frame at a time, the [`Tile`], on whichever thread asks
//! for it. It may stop early for two reasons, the two variants of [`Stop`]: a pixel is at fault,
//! or what is left of the tile is no longer wanted.
//!
//! *Scan order* is row by row from the top, each from the left. The fault that a render reports is
//! that of the first pixel in scan order of the whole frame, so a fault at (x, y) makes exactly the
//! pixels after (x, y) unwanted. Tiles that stand side by side interleave in scan order: one to the
//! right of the fault is still wanted in the rows above y.
//!
//! All of that is one number, the *frontier*: pixels whose [index](Size::index) is below it are
//! wanted. It starts above every index, a fault lowers it to the faulty pixel's index, running out
//! of time lowers it to 0, and it never rises. Polling is one relaxed load and one comparison, and
//! compiled code may do both itself, given [`Cancel::frontier`] and [`Cancel::first`].

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_image::size::Size;

/// A rectangle of pixels inside the frame; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// The leftmost column.
    pub x: u32,
    /// The topmost row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Tile {
    /// The tile that is a whole frame.
    pub fn whole(size: Size) -> Self {
        Self { x: 0, y: 0, width: size.width(), height: size.height() }
    }

    /// Whether the frame's pixel (`x`, `y`) lies in the tile.
    pub fn contains(self, x: u32, y: u32) -> bool {
        // Left of the tile the difference wraps to something larger than any width.
        x.wrapping_sub(self.x) < self.width && y.wrapping_sub(self.y) < self.height
    }

    /// How many pixels it has.
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// RGBA samples of the tile: four to a pixel.
    pub fn samples(self) -> usize {
        4 * self.pixels()
    }
}

/// Two by two pixels, the first in an even column and row, some of which are computed.
///
/// Masks have [a bit](Self::bit) for each pixel. Pixels that run are computed, and some of these are stored: others
/// are of use to the derivatives of their neighbours only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quad {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// The pixels that run.
    pub run: u8,
    /// The pixels that are stored; all of them run.
    pub stored: u8,
}

impl Quad {
    /// The column and row of each pixel in the quad.
    pub const PIXELS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

    /// The bit of a pixel, by its column and row in the quad.
    pub fn bit(x: u32, y: u32) -> u8 {
        1 << (x + 2 * y)
    }

    /// The quads that have pixels of a tile: these run and are stored.
    pub fn of_tile(tile: Tile) -> impl Iterator<Item = Self> {
        let rows = (tile.y & !1..tile.y + tile.height).step_by(2);
        rows.flat_map(move |y| {
            let columns = (tile.x & !1..tile.x + tile.width).step_by(2);
            columns.map(move |x| {
                let inside = Self::PIXELS.into_iter();
                let inside = inside.filter(|&(dx, dy)| tile.contains(x + dx, y + dy));
                let run = inside.fold(0, |all, (dx, dy)| all | Self::bit(dx, dy));
                Self { x, y, run, stored: run }
            })
        })
    }
}

/// Where a kernel writes the pixels of a tile: attachment by attachment RGBA, row-major, without gaps between the rows.
///
/// What it holds at first is unspecified; after success, the kernel has written every sample.
#[derive(Debug)]
pub struct TileBuffer<'a> {
    tile: Tile,
    samples: &'a mut [f32],
}

impl<'a> TileBuffer<'a> {
    /// A buffer of one attachment for `tile` over the first samples of `storage`.
    ///
    /// # Panics
    ///
    /// If `storage` has fewer than `tile.samples()`.
    pub fn new(tile: Tile, storage: &'a mut [f32]) -> Self {
        Self::with_attachments(tile, 1, storage)
    }

    /// The same of so many attachments.
    ///
    /// # Panics
    ///
    /// If `storage` has fewer than `tile.samples()` for each.
    pub fn with_attachments(tile: Tile, attachments: usize, storage: &'a mut [f32]) -> Self {
        Self { tile, samples: &mut storage[..attachments * tile.samples()] }
    }

    /// The rectangle of the frame that this buffer stands for.
    pub fn tile(&self) -> Tile {
        self.tile
    }

    /// How many attachments it has.
    pub fn attachments(&self) -> usize {
        self.samples.len() / self.tile.samples()
    }

    /// All samples, `tile().samples()` of each attachment; that of row r, column c and channel i of the first is at
    /// `(r * width + c) * 4 + i`.
    pub fn samples_mut(&mut self) -> &mut [f32] {
        self.samples
    }

    /// The pixels of the tile's row `row`, counted from the tile's top, of an attachment.
    ///
    /// # Panics
    ///
    /// If there is no such row or attachment.
    pub fn row_mut(&mut self, attachment: usize, row: u32) -> &mut [[f32; 4]] {
        let width = self.tile.width as usize;
        let first = attachment * self.tile.pixels() + row as usize * width;
        &mut self.samples.as_chunks_mut().0[first..][..width]
    }

    /// Writes the *frame's* pixel (`x`, `y`) of the first attachment.
    ///
    /// # Panics
    ///
    /// If it is not in the tile.
    pub fn set(&mut self, x: u32, y: u32, pixel: [f32; 4]) {
        self.store(0, x, y, pixel);
    }

    /// The same of any attachment.
    ///
    /// # Panics
    ///
    /// If it is not in the tile, or there is no such attachment.
    pub fn store(&mut self, attachment: usize, x: u32, y: u32, pixel: [f32; 4]) {
        let tile = self.tile;
        assert!(tile.contains(x, y), "pixel ({x}, {y}) is not in {tile:?}");
        self.row_mut(attachment, y - tile.y)[(x - tile.x) as usize] = pixel;
    }
}

/// A pixel that could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// The pixel's column in the frame.
    pub x: u32,
    /// The pixel's row in the frame.
    pub y: u32,
    /// What went wrong and where in the program: a number that the kernel chose, for whoever
    /// made the kernel to look up again. This crate only passes it on.
    pub site: u32,
}

/// Why a kernel left a tile unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The first pixel at fault, in scan order, within the tile.
    Fault(Fault),
    /// [`Cancel`] said that the rest is not wanted, and no pixel before it is at fault.
    Cancelled,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Something that computes pixels.
///
/// The pixels, and which of them is at fault, must depend on their coordinates alone: not on the
/// tile that they are asked for with, nor on earlier calls. Given that, so do frames.
pub trait Kernel: Sync {
    /// Computes the pixels of `tile` into `pixels`.
    ///
    /// The kernel should poll `cancel` often enough that a user who waits for it will not notice;
    /// in any loop of a length that the program chooses, it must.
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop>;

    /// An upper bound of the bytes of stack that [`tile`](Self::tile) takes, where that may be more
    /// than half a MiB, which any thread has.
    fn stack_size(&self) -> usize {
        0
    }

    /// How many attachments it has pixels for.
    fn attachments(&self) -> usize {
        1
    }
}

/// A kernel that computes any pixels of a tile, as a rasterizer asks for them.
pub trait QuadKernel: Kernel {
    /// Computes the pixels of quads that run, and stores those that are to be stored; other pixels of `pixels` stay as
    /// they are. All are of one primitive, which has these words.
    ///
    /// # Errors
    ///
    /// As for [`Kernel::tile`]; a fault is that of the first pixel in scan order that runs.
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop>;
}

impl<K: Kernel + ?Sized> Kernel for &K {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        (**self).tile(tile, pixels, cancel)
    }

    fn stack_size(&self) -> usize {
        (**self).stack_size()
    }

    fn attachments(&self) -> usize {
        (**self).attachments()
    }
}

/// Tells a kernel which pixels are still wanted. See the head of this module.
#[derive(Clone, Copy, Debug)]
pub struct Cancel<'a> {
    frontier: &'a AtomicU64,
    size: Size,
    first: u64,
}

/// The frontier of a render that nothing cancels. Only ever read.
static EVERYTHING: AtomicU64 = AtomicU64::new(u64::MAX);

impl<'a> Cancel<'a> {
    /// For `tile` of a frame of this size, with this frontier.
    pub fn new(frontier: &'a AtomicU64, size: Size, tile: Tile) -> Self {
        Self { frontier, size, first: size.index(tile.x, tile.y) }
    }

    /// Never cancels: for running a kernel by itself.
    pub fn never(size: Size) -> Cancel<'static> {
        Cancel { frontier: &EVERYTHING, size, first: 0 }
    }

    /// Whether nothing of the tile is wanted any more.
    pub fn is_cancelled(&self) -> bool {
        self.first >= self.frontier.load(Ordering::Relaxed)
    }

    /// Whether the frame's pixel (`x`, `y`) is still wanted. Once it is not, neither is any pixel
    /// after it in scan order.
    pub fn wants(&self, x: u32, y: u32) -> bool {
        self.size.index(x, y) < self.frontier.load(Ordering::Relaxed)
    }

    /// The size of the frame.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The index of the tile's first pixel, for compiled code.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The frontier, for compiled code: the tile is cancelled once `first() >= frontier()`.
    pub fn frontier(&self) -> &'a AtomicU64 {
        self.frontier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_contains_its_own_pixels_only() {
        let tile = Tile { x: 4, y: 8, width: 3, height: 2 };
        let inside = (0..20).flat_map(|y| (0..20).map(move |x| (x, y)));
        assert_eq!(inside.filter(|&(x, y)| tile.contains(x, y)).count(), 6);
        assert!(tile.contains(4, 8) && tile.contains(6, 9));
        assert!(!tile.contains(7, 9) && !tile.contains(6, 10) && !tile.contains(3, 8));
    }

    #[test]
    fn a_buffer_addresses_the_frame() {
        let tile = Tile { x: 4, y: 8, width: 3, height: 2 };
        let mut storage = vec![0.0; 100];
        let mut buffer = TileBuffer::new(tile, &mut storage);
        buffer.set(6, 9, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(buffer.row_mut(0, 1)[2], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(buffer.samples_mut()[20..], [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn a_fault_leaves_the_rows_above_it_wanted() {
        let size = Size::new(64, 64).expect("within the limits");
        let frontier = AtomicU64::new(size.index(10, 5));
        let at = |x, y| Cancel::new(&frontier, size, Tile { x, y, width: 16, height: 16 });
        assert!(!at(0, 0).is_cancelled() && !at(48, 0).is_cancelled());
        assert!(at(0, 16).is_cancelled());
        assert!(at(48, 0).wants(63, 4) && at(0, 0).wants(9, 5));
        assert!(!at(48, 0).wants(48, 5) && !at(0, 0).wants(10, 5) && !at(0, 0).wants(0, 6));
        assert!(!Cancel::never(size).is_cancelled());
    }
}
