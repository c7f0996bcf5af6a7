//! Runs a kernel over a whole frame, on threads.
//!
//! The frame is cut into fixed tiles. Workers claim tiles in scan order from a shared counter; each
//! worker renders into its own buffer and copies the rows to their place. The result does not depend on
//! the order of claims:
//!
//! - Every pixel is written once, by a kernel that knows only its coordinates.
//! - The first fault in scan order, at index f, is always found. Its tile is skipped or cut short
//!   before f only if the frontier (see [`crate::kernel`]) is at or below f; other faults lower the
//!   frontier to their own indices, which are above f.
//! - Only a timeout depends on the machine. It is reported unless the outcome was already certain: all
//!   pixels done, or all before the first fault.
//!
//! # Threads
//!
//! Workers are threads of a rayon pool (see [`lambdav_workers`]): of the caller's pool if `render` is
//! called inside one ([`lambdav_workers::ThreadPool::install`]), else of rayon's global pool. To choose
//! the number of threads, choose a pool; [`lambdav_workers::thread_pool`] makes one. Outside a pool,
//! one thread begins a small frame, and the global pool joins, or is started, only if that takes long:
//! starting it takes as long as many small frames.
//!
//! Workers share nothing that one of them writes while others read: false sharing costs as much as a cheap tile. Tiles have few
//! rows for the same reason.
//!
//! Pixels are quantised once, where a tile is finished, into the samples of the file: a picture of 8 bits never has a frame of
//! floats.

mod queue;

pub(crate) use queue::TileQueue;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lambdav_float_environment::with_default;
use lambdav_workers::{self as workers, ThreadError, Work};
use thiserror::Error;

use crate::kernel::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use lambdav_image::pixels::{AnyImage, Frame, Image, OutOfMemory, Sample, Specials};
use lambdav_image::quantize::{Transfer, Unorm, quantize_into};
use lambdav_image::size::Size;

#[cfg(test)]
mod tests;

/// Options of rendering. They do not change the frame.
#[derive(Clone, Copy)]
pub struct RenderOptions<'a> {
    /// Size of a tile; tiles at the right and lower edges may be smaller.
    pub tile: Size,
    /// Time limit of the whole render.
    pub timeout: Option<Duration>,
    /// Called after each tile, on any worker, with the number of finished tiles and of all tiles. Calls
    /// may overlap and arrive out of order; each number is reported once.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Counts non-finite samples before they are quantised.
    pub specials: Option<&'a SpecialsCounter>,
}

/// Counter of non-finite samples in rendered tiles.
#[derive(Debug, Default)]
pub struct SpecialsCounter {
    nans: AtomicU64,
    infinities: AtomicU64,
}

impl SpecialsCounter {
    pub(crate) fn add(&self, found: Specials) {
        if !found.is_none() {
            self.nans.fetch_add(found.nans, Ordering::Relaxed);
            self.infinities.fetch_add(found.infinities, Ordering::Relaxed);
        }
    }

    /// The counts so far.
    pub fn total(&self) -> Specials {
        Specials {
            nans: self.nans.load(Ordering::Relaxed),
            infinities: self.infinities.load(Ordering::Relaxed),
        }
    }
}

/// Default size of a tile: 16 KiB of pixels. That is enough to make claims cheap, and small enough that
/// a frame of 512×512 keeps 64 threads busy. It has few rows, since workers that alternately write to
/// many rows slow one another down; the widest groups need 4.
const TILE: (u32, u32) = (256, 4);

/// Outside a pool, one thread begins frames of at most so many pixels.
const SMALL_FRAME: usize = 1 << 17;

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        let tile = Size::new(TILE.0, TILE.1).expect("a constant within the limits");
        Self { tile, timeout: None, progress: None, specials: None }
    }
}

impl RenderOptions<'_> {
    /// Number of tiles of a frame; more threads would be idle.
    pub fn tiles(&self, size: Size) -> NonZeroUsize {
        let count = Tiles { size, tile: self.tile }.count();
        NonZeroUsize::new(count).expect("a frame has a pixel")
    }
}

/// Reason why there is no frame.
#[derive(Debug, Error)]
pub enum RenderError {
    /// A pixel could not be computed: the first one in scan order.
    #[error("pixel ({}, {}) could not be computed (site {})", .0.x, .0.y, .0.site)]
    Fault(Fault),
    /// The time limit was exceeded.
    #[error("rendering took longer than {} s", .timeout.as_secs_f64())]
    TimedOut {
        /// The time limit.
        timeout: Duration,
    },
    /// There is no memory for the frame.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The system started no thread at all. (Fewer threads than requested only take longer.)
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The kernel stopped in a tile although it was not cancelled.
    #[error("the kernel left the tile at ({}, {}) unfinished", .0.x, .0.y)]
    Abandoned(Tile),
}

/// Renders `kernel` over a frame of `size` pixels.
///
/// A panic of the kernel is passed on after the other workers have finished.
///
/// # Errors
///
/// [`RenderError`]. It does not depend on threads and tiles, except for refusals of the system and
/// timeouts.
pub fn render(
    kernel: &(impl Kernel + ?Sized),
    size: Size,
    options: &RenderOptions<'_>,
) -> Result<Frame, RenderError> {
    let mut frame = Frame::zeros(size)?;
    render_into(kernel, &mut frame, options)?;
    Ok(frame)
}

/// Like [`render`], into an existing frame, for one picture after another: allocating fresh memory
/// takes about as long as drawing cheap pixels.
///
/// # Errors
///
/// Those of [`render`] except [`RenderError::OutOfMemory`]. After an error the frame holds a mixture of
/// the new and the old picture.
pub fn render_into(
    kernel: &(impl Kernel + ?Sized),
    frame: &mut Frame,
    options: &RenderOptions<'_>,
) -> Result<(), RenderError> {
    render_attachments(kernel, vec![Attachment::Float(frame.into())], options)
}

/// Renders a picture in the samples of its file, without a binary32 frame.
///
/// # Errors
///
/// Those of [`render`].
pub fn render_quantized<T: Quantized>(
    kernel: &(impl Kernel + ?Sized),
    size: Size,
    transfer: Transfer,
    options: &RenderOptions<'_>,
) -> Result<Image<T>, RenderError> {
    let mut image = Image::zeros(size)?;
    render_quantized_into(kernel, &mut image, transfer, options)?;
    Ok(image)
}

/// Like [`render_quantized`], into an existing image, for one picture after another.
///
/// # Errors
///
/// As for [`render_into`].
pub fn render_quantized_into<T: Quantized>(
    kernel: &(impl Kernel + ?Sized),
    image: &mut Image<T>,
    transfer: Transfer,
    options: &RenderOptions<'_>,
) -> Result<(), RenderError> {
    render_attachments(kernel, vec![T::attachment(image.into(), transfer)], options)
}

/// Renders into an image of any sample type; integer samples are quantised with `transfer`.
///
/// # Errors
///
/// As for [`render_into`].
pub fn render_image_into(
    kernel: &(impl Kernel + ?Sized),
    image: &mut AnyImage,
    transfer: Transfer,
    options: &RenderOptions<'_>,
) -> Result<(), RenderError> {
    match image {
        AnyImage::Unorm8(image) => render_quantized_into(kernel, image, transfer, options),
        AnyImage::Unorm16(image) => render_quantized_into(kernel, image, transfer, options),
        AnyImage::Float(frame) => render_into(kernel, frame, options),
    }
}

/// Samples of the caller, four channels per pixel, row by row from the upper left.
#[derive(Debug)]
pub struct Surface<'a, T> {
    samples: &'a mut [T],
    size: Size,
    stride: usize,
}

impl<'a, T> Surface<'a, T> {
    /// A surface whose rows begin `stride` samples apart. Samples between rows are unchanged.
    ///
    /// `None` if rows overlap, or the memory ends before the last pixel.
    pub fn new(samples: &'a mut [T], size: Size, stride: usize) -> Option<Self> {
        let row = 4 * size.width() as usize;
        let rows = (size.height() as usize - 1).checked_mul(stride)?;
        let fits = stride >= row && samples.len() >= rows.checked_add(row)?;
        fits.then_some(Self { samples, size, stride })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The same surface, for a shorter time.
    fn reborrow(&mut self) -> Surface<'_, T> {
        Surface { samples: self.samples, size: self.size, stride: self.stride }
    }

    /// Puts the rows into the reverse order.
    fn reverse_rows(&mut self) {
        lambdav_image::pixels::reverse_rows(self.samples, self.size, self.stride);
    }
}

impl<'a, T: Sample> From<&'a mut Image<T>> for Surface<'a, T> {
    fn from(image: &'a mut Image<T>) -> Self {
        let size = image.size();
        Self { samples: image.samples_mut(), size, stride: 4 * size.width() as usize }
    }
}

/// Target of an attachment's pixels, with the type of their samples.
#[derive(Debug)]
#[non_exhaustive]
pub enum Attachment<'a> {
    /// 8 bits, with this transfer function.
    Unorm8(Surface<'a, u8>, Transfer),
    /// 16 bits, with this transfer function.
    Unorm16(Surface<'a, u16>, Transfer),
    /// Binary32. All NaNs are stored as 0x7fc00000.
    Float(Surface<'a, f32>),
    /// Integers, as the bits of binary32.
    Bits(Surface<'a, f32>),
}

impl Attachment<'_> {
    /// Width and height in pixels.
    pub fn size(&self) -> Size {
        match self {
            Self::Unorm8(surface, _) => surface.size(),
            Self::Unorm16(surface, _) => surface.size(),
            Self::Float(surface) | Self::Bits(surface) => surface.size(),
        }
    }

    /// The same attachment, for a shorter time.
    pub fn reborrow(&mut self) -> Attachment<'_> {
        match self {
            Self::Unorm8(surface, transfer) => Attachment::Unorm8(surface.reborrow(), *transfer),
            Self::Unorm16(surface, transfer) => Attachment::Unorm16(surface.reborrow(), *transfer),
            Self::Float(surface) => Attachment::Float(surface.reborrow()),
            Self::Bits(surface) => Attachment::Bits(surface.reborrow()),
        }
    }

    /// Puts the rows into the reverse order.
    pub fn reverse_rows(&mut self) {
        match self {
            Self::Unorm8(surface, _) => surface.reverse_rows(),
            Self::Unorm16(surface, _) => surface.reverse_rows(),
            Self::Float(surface) | Self::Bits(surface) => surface.reverse_rows(),
        }
    }
}

/// Sample types of attachments that are quantised.
pub trait Quantized: Unorm {
    /// An attachment of these samples.
    fn attachment(surface: Surface<'_, Self>, transfer: Transfer) -> Attachment<'_>;
}

impl Quantized for u8 {
    fn attachment(surface: Surface<'_, Self>, transfer: Transfer) -> Attachment<'_> {
        Attachment::Unorm8(surface, transfer)
    }
}

impl Quantized for u16 {
    fn attachment(surface: Surface<'_, Self>, transfer: Transfer) -> Attachment<'_> {
        Attachment::Unorm16(surface, transfer)
    }
}

/// Renders all attachments of a kernel at once.
///
/// # Errors
///
/// As for [`render_into`].
///
/// # Panics
///
/// If the kernel has another number of attachments, or they differ in size.
pub fn render_attachments(
    kernel: &(impl Kernel + ?Sized),
    attachments: Vec<Attachment<'_>>,
    options: &RenderOptions<'_>,
) -> Result<(), RenderError> {
    let size = attachments.first().expect("there is an attachment").size();
    assert_eq!(attachments.len(), kernel.attachments(), "attachments of the kernel");
    assert!(attachments.iter().all(|other| other.size() == size), "attachments have one size");
    let tiles = Tiles { size, tile: options.tile };
    let stores = attachments.into_iter().map(|attachment| stores(tiles, attachment)).collect();
    let queue = TileQueue::new(tiles, stores, options);
    let (fault, unfinished) = (Mutex::new(None), AtomicUsize::new(usize::MAX));
    let job = Job { kernel, queue, fault, unfinished };
    let begun = Instant::now();
    if options.timeout == Some(Duration::ZERO) {
        job.time_out();
    }
    let crew = workers::Crew {
        stack: kernel.stack_size(),
        tasks: tiles.count(),
        is_small: tiles.size.pixels() <= SMALL_FRAME,
        begun,
        deadline: options.timeout.and_then(|timeout| begun.checked_add(timeout)),
    };
    workers::run(&crew, &job)?;
    job.outcome(options.timeout)
}

/// Stores the pixels of finished tiles.
pub(crate) trait Store: Sync {
    /// Copies the pixels of the tile `number`, in rows of `width`, to their place.
    fn store(&self, number: usize, width: usize, pixels: &[[f32; 4]]);
}

/// Rows of each tile in a surface, and the conversion of pixels to samples. The locks are uncontended,
/// since each tile is claimed once.
struct Rows<'a, T, F> {
    tiles: Vec<Mutex<Vec<&'a mut [[T; 4]]>>>,
    convert: F,
}

impl<T: Sample, F: Fn(&[[f32; 4]], &mut [[T; 4]]) + Sync> Store for Rows<'_, T, F> {
    fn store(&self, number: usize, width: usize, pixels: &[[f32; 4]]) {
        let mut rows = self.tiles[number].lock().unwrap_or_else(PoisonError::into_inner);
        for (to, from) in rows.iter_mut().zip(pixels.chunks_exact(width)) {
            (self.convert)(from, to);
        }
    }
}

/// Store of an attachment.
pub(crate) fn stores<'a>(tiles: Tiles, attachment: Attachment<'a>) -> Box<dyn Store + 'a> {
    fn rows<'a, T: Sample>(
        tiles: Tiles,
        surface: Surface<'a, T>,
        convert: impl Fn(&[[f32; 4]], &mut [[T; 4]]) + Sync + 'a,
    ) -> Box<dyn Store + 'a> {
        let tiles = tiles.split(surface).into_iter().map(Mutex::new).collect();
        Box::new(Rows { tiles, convert })
    }
    match attachment {
        Attachment::Unorm8(surface, transfer) => {
            rows(tiles, surface, move |from, to| quantize_into(from, transfer, to))
        }
        Attachment::Unorm16(surface, transfer) => {
            rows(tiles, surface, move |from, to| quantize_into(from, transfer, to))
        }
        Attachment::Float(surface) => rows(tiles, surface, |from, to| {
            for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                *to = from.canonical();
            }
        }),
        Attachment::Bits(surface) => rows(tiles, surface, |from, to| to.copy_from_slice(from)),
    }
}

/// The tiles of a frame, numbered in scan order of their first pixels.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) size: Size,
    pub(crate) tile: Size,
}

impl Tiles {
    pub(crate) fn columns(self) -> usize {
        self.size.width().div_ceil(self.tile.width()) as usize
    }

    pub(crate) fn count(self) -> usize {
        self.columns() * self.size.height().div_ceil(self.tile.height()) as usize
    }

    /// The tile of this number.
    pub(crate) fn get(self, number: usize) -> Tile {
        let (column, band) = (number % self.columns(), number / self.columns());
        // A tile begins inside the frame, so its corner fits in 32 bits.
        let x = column as u32 * self.tile.width();
        let y = band as u32 * self.tile.height();
        let width = self.tile.width().min(self.size.width() - x);
        let height = self.tile.height().min(self.size.height() - y);
        Tile { x, y, width, height }
    }

    /// Splits a surface of that size into the rows of each tile.
    fn split<T>(self, surface: Surface<'_, T>) -> Vec<Vec<&mut [[T; 4]]>> {
        let height = self.tile.height() as usize;
        let mut rows: Vec<_> = (0..self.count()).map(|_| Vec::with_capacity(height)).collect();
        let width = self.size.width() as usize;
        let all = surface.samples.chunks_mut(surface.stride).take(self.size.height() as usize);
        for (y, row) in all.enumerate() {
            let row = &mut row.as_chunks_mut().0[..width];
            let band = y / height * self.columns();
            for (column, part) in row.chunks_mut(self.tile.width() as usize).enumerate() {
                rows[band + column].push(part);
            }
        }
        rows
    }
}

/// State shared by the workers.
struct Job<'a, K: ?Sized> {
    kernel: &'a K,
    queue: TileQueue<'a>,
    /// The fault with the lowest index so far.
    fault: Mutex<Option<Fault>>,
    /// Lowest number of a tile that was skipped or cut short without its own fault.
    unfinished: AtomicUsize,
}

impl<K: Kernel + ?Sized> Work for Job<'_, K> {
    fn work(&self) {
        with_default(|| self.render_tiles());
    }

    fn estimate(&self, elapsed: Duration) -> Duration {
        self.queue.estimate(elapsed)
    }

    fn time_out(&self) {
        self.queue.time_out();
    }
}

impl<K: Kernel + ?Sized> Job<'_, K> {
    /// Renders tiles until none is left or wanted.
    fn render_tiles(&self) {
        let Self { kernel, queue, .. } = self;
        let attachments = queue.attachments();
        let mut storage = vec![0.0; attachments * queue.tiles.get(0).samples()];
        while let Some((number, tile)) = queue.claim() {
            let cancel = Cancel::new(&queue.frontier, queue.tiles.size, tile);
            if cancel.is_cancelled() {
                // Later tiles begin later in scan order, so they are unwanted, too.
                self.unfinished.fetch_min(number, Ordering::Relaxed);
                return;
            }
            let mut buffer = TileBuffer::with_attachments(tile, attachments, &mut storage);
            match kernel.tile(tile, &mut buffer, &cancel) {
                Ok(()) => queue.finish(number, tile, buffer.samples_mut().as_chunks().0),
                Err(Stop::Cancelled) => {
                    self.unfinished.fetch_min(number, Ordering::Relaxed);
                }
                Err(Stop::Fault(fault)) => {
                    debug_assert!(tile.contains(fault.x, fault.y), "{fault:?} is not in {tile:?}");
                    self.record(fault);
                }
            }
        }
    }

    /// Keeps the fault if it is the first so far, and lowers the frontier to it.
    fn record(&self, fault: Fault) {
        let index = |fault: &Fault| self.queue.tiles.size.index(fault.x, fault.y);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|first| index(&fault) < index(first)) {
            *first = Some(fault);
        }
        self.queue.frontier.fetch_min(index(&fault), Ordering::Relaxed);
    }

    /// The outcome, after all workers have finished.
    fn outcome(self, timeout: Option<Duration>) -> Result<(), RenderError> {
        let count = self.queue.tiles.count();
        let unfinished = Some(self.unfinished.into_inner()).filter(|&number| number < count);
        let unfinished = unfinished.map(|number| self.queue.tiles.get(number));
        let timed_out = timeout.filter(|_| self.queue.has_timed_out());
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);

        let index = |x, y| self.queue.tiles.size.index(x, y);
        match (fault, unfinished, timed_out) {
            (None, None, _) => Ok(()),
            (None, Some(tile), None) => Err(RenderError::Abandoned(tile)),
            (None, Some(_), Some(timeout)) => Err(RenderError::TimedOut { timeout }),
            // After a timeout, the unfinished tiles may contain an earlier fault.
            (Some(fault), Some(tile), Some(timeout))
                if index(tile.x, tile.y) < index(fault.x, fault.y) =>
            {
                Err(RenderError::TimedOut { timeout })
            }
            (Some(fault), _, _) => Err(RenderError::Fault(fault)),
        }
    }
}
