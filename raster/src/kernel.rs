//! Interface of pixel kernels.
//!
//! A [`Kernel`] fills one rectangle of the frame at a time, the [`Tile`], on any thread. It may stop
//! early for two reasons, the variants of [`Stop`]: a pixel is at fault, or the rest of the tile is no
//! longer wanted.
//!
//! *Scan order* is row by row from the top, each row from the left. A render reports the fault of the
//! first pixel in scan order of the whole frame, so a fault at (x, y) makes exactly the pixels after
//! (x, y) unwanted. Tiles side by side interleave in scan order: a tile to the right of the fault is
//! still wanted in the rows above y.
//!
//! One number represents this, the *frontier*: pixels whose [index](Size::index) is below it are
//! wanted. It starts above all indices. A fault lowers it to the faulty pixel's index, a timeout lowers
//! it to 0, and it never rises. Polling is one relaxed load and one comparison; compiled code may do
//! both itself, with [`Cancel::frontier`] and [`Cancel::first`].

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_image::size::Size;

/// A nonempty rectangle of pixels inside the frame.
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
    /// The tile of a whole frame.
    pub fn whole(size: Size) -> Self {
        Self { x: 0, y: 0, width: size.width(), height: size.height() }
    }

    /// True if the frame's pixel (`x`, `y`) lies in the tile.
    pub fn contains(self, x: u32, y: u32) -> bool {
        // Left of the tile, the difference wraps to a number above all widths.
        x.wrapping_sub(self.x) < self.width && y.wrapping_sub(self.y) < self.height
    }

    /// Number of pixels.
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// RGBA samples of the tile: four per pixel.
    pub fn samples(self) -> usize {
        4 * self.pixels()
    }
}

/// Two by two pixels that begin in an even column and row; some of them are computed.
///
/// Masks have [a bit](Self::bit) for each pixel. Pixels that run are computed; some of them are stored,
/// others only serve the derivatives of their neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quad {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// Mask of the pixels that run.
    pub run: u8,
    /// Mask of the pixels that are stored; all of them run.
    pub stored: u8,
}

impl Quad {
    /// Column and row of each pixel in the quad.
    pub const PIXELS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

    /// For each mask a word for each pixel: all bits are set if the pixel's bit is.
    pub const WORDS: [[u32; 4]; 16] = {
        let mut words = [[0; 4]; 16];
        let mut at = 0;
        while at < 64 {
            let (mask, pixel) = (at / 4, at % 4);
            words[mask][pixel] = if mask >> pixel & 1 == 1 { u32::MAX } else { 0 };
            at += 1;
        }
        words
    };

    /// Bit of a pixel, by its column and row in the quad.
    pub fn bit(x: u32, y: u32) -> u8 {
        1 << (x + 2 * y)
    }

    /// Quads that contain pixels of a tile; these pixels run and are stored.
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

/// Memory for the pixels of a tile: attachment by attachment RGBA, row-major, without gaps between the
/// rows.
///
/// Initial contents are unspecified; after success, the kernel has written every sample.
#[derive(Debug)]
pub struct TileBuffer<'a> {
    tile: Tile,
    samples: &'a mut [f32],
}

impl<'a> TileBuffer<'a> {
    /// A buffer of one attachment for `tile`, in the first samples of `storage`.
    ///
    /// # Panics
    ///
    /// If `storage` has fewer than `tile.samples()` samples.
    pub fn new(tile: Tile, storage: &'a mut [f32]) -> Self {
        Self::with_attachments(tile, 1, storage)
    }

    /// Like [`Self::new`], with so many attachments.
    ///
    /// # Panics
    ///
    /// If `storage` has fewer than `tile.samples()` samples per attachment.
    pub fn with_attachments(tile: Tile, attachments: usize, storage: &'a mut [f32]) -> Self {
        Self { tile, samples: &mut storage[..attachments * tile.samples()] }
    }

    /// Rectangle of the frame that this buffer holds.
    pub fn tile(&self) -> Tile {
        self.tile
    }

    /// Number of attachments.
    pub fn attachments(&self) -> usize {
        self.samples.len() / self.tile.samples()
    }

    /// All samples, `tile().samples()` per attachment. The sample of row r, column c and channel i of
    /// the first attachment is at `(r * width + c) * 4 + i`.
    pub fn samples_mut(&mut self) -> &mut [f32] {
        self.samples
    }

    /// All pixels of an attachment, row by row.
    ///
    /// # Panics
    ///
    /// If there is no such attachment.
    pub fn attachment_mut(&mut self, attachment: usize) -> &mut [[f32; 4]] {
        let pixels = self.tile.pixels();
        &mut self.samples.as_chunks_mut().0[attachment * pixels..][..pixels]
    }

    /// Pixels of an attachment in the tile's row `row`, counted from the tile's top.
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
    /// If the pixel is not in the tile.
    pub fn set(&mut self, x: u32, y: u32, pixel: [f32; 4]) {
        self.store(0, x, y, pixel);
    }

    /// Like [`Self::set`], for any attachment.
    ///
    /// # Panics
    ///
    /// If the pixel is not in the tile, or there is no such attachment.
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
    /// Cause and place in the program: a number chosen by the kernel, for its creator to look up. This
    /// crate only passes it on.
    pub site: u32,
}

/// Reason why a kernel left a tile unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Fault of the first faulty pixel of the tile in scan order.
    Fault(Fault),
    /// [`Cancel`] reports the rest as unwanted, and no earlier pixel is at fault.
    Cancelled,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A function that computes pixels.
///
/// The pixels, and the faults among them, must depend on their coordinates alone: not on the requested
/// tile, nor on earlier calls. Then frames do not depend on tiles or threads.
pub trait Kernel: Sync {
    /// Computes the pixels of `tile` into `pixels`.
    ///
    /// The kernel must poll `cancel` in all loops whose length the program determines, and should poll
    /// it often enough that a waiting user does not notice a delay.
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop>;

    /// Upper bound of the stack that [`tile`](Self::tile) takes, in bytes, if that may be more than
    /// half a MiB, which any thread has.
    fn stack_size(&self) -> usize {
        0
    }

    /// Number of attachments.
    fn attachments(&self) -> usize {
        1
    }
}

/// A kernel that computes any pixels of a tile, on request of a rasterizer.
pub trait QuadKernel: Kernel {
    /// Computes the running pixels of quads and stores those with a bit in `stored`; other pixels of
    /// `pixels` are unchanged. All quads belong to one primitive, whose words are `primitive`.
    ///
    /// # Errors
    ///
    /// As for [`Kernel::tile`]; a fault is that of the first running pixel in scan order that is at
    /// fault.
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

/// Tells a kernel which pixels are still wanted; see the head of this module.
#[derive(Clone, Copy, Debug)]
pub struct Cancel<'a> {
    frontier: &'a AtomicU64,
    size: Size,
    first: u64,
    /// The frontier is an index of a pixel, not the number of a triangle.
    is_of_pixels: bool,
}

/// Frontier of a render that is never cancelled; read only.
static EVERYTHING: AtomicU64 = AtomicU64::new(u64::MAX);

impl<'a> Cancel<'a> {
    /// For `tile` of a frame of this size, with this frontier.
    pub fn new(frontier: &'a AtomicU64, size: Size, tile: Tile) -> Self {
        let first = size.index(tile.x, tile.y);
        Self { frontier, size, first, is_of_pixels: true }
    }

    /// For fragments of a triangle, of which all or none are wanted: it is cancelled once its number is not
    /// below the frontier.
    pub fn of_triangle(frontier: &'a AtomicU64, size: Size, triangle: u64) -> Self {
        Self { frontier, size, first: triangle, is_of_pixels: false }
    }

    /// Never cancels; for running a kernel alone.
    pub fn never(size: Size) -> Cancel<'static> {
        Cancel { frontier: &EVERYTHING, size, first: 0, is_of_pixels: true }
    }

    /// True if no pixel of the tile is wanted.
    pub fn is_cancelled(&self) -> bool {
        self.first >= self.frontier.load(Ordering::Relaxed)
    }

    /// True if the frame's pixel (`x`, `y`) is still wanted. Once it is unwanted, so are all pixels
    /// after it in scan order.
    pub fn wants(&self, x: u32, y: u32) -> bool {
        let index = if self.is_of_pixels { self.size.index(x, y) } else { self.first };
        index < self.frontier.load(Ordering::Relaxed)
    }

    /// Size of the frame.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Index of the tile's first pixel, for compiled code.
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
