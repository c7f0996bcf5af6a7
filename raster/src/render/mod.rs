//! A kernel run over a whole frame, on threads.
//!
//! The frame is cut into fixed tiles, which worker threads claim one by one in scan
//! order from a shared counter; each renders into a buffer of its own and then copies the rows
//! to their place. Nothing that comes out depends on who claimed what:
//!
//! - Every pixel is written once, by a kernel that knows its coordinates only.
//! - The first fault in scan order, at index f, is always found. Its tile is skipped or cut short
//!   before f only if the frontier (see [`crate::kernel`]) is at or below f; other faults lower it
//!   to their own indices, which are above f.
//! - Running out of time is the one thing that does depend on the machine. It is reported unless
//!   the outcome was already certain: all pixels done, or all before the first fault.

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use thiserror::Error;

use crate::image::{Frame, OutOfMemory, Sample};
use crate::kernel::{Cancel, Fault, Kernel, Stop, Tile, TileBuffer};
use crate::size::Size;

#[cfg(test)]
mod tests;

/// How to render. None of it changes the frame.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Worker threads; by default as many as the machine runs at a time, but one for a small frame that takes no time.
    pub threads: Option<NonZeroUsize>,
    /// The size of a tile; those at the right and lower edges may be smaller.
    pub tile: Size,
    /// Bounds the whole render.
    pub timeout: Option<Duration>,
    /// Bytes of stack for each worker.
    pub stack_size: usize,
    /// Called after each tile, from any worker, with the number of tiles done and of all tiles.
    /// Calls may overlap and overtake one another; each number of tiles done is given once.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// The default size of a tile: 16 KiB of pixels, enough that claiming one costs next to nothing, and small enough that a
/// frame of 512x512 keeps 64 threads busy. It has few rows because workers that write in turns to many rows slow one
/// another down: 4 is what the widest groups need.
const TILE: (u32, u32) = (256, 4);

/// A frame of at most so many pixels is begun by one thread, unless it is said how many there are.
const SMALL_FRAME: usize = 1 << 17;

/// How long that thread may take, by what it has done after [`GLANCE`], and then in truth, before the others join in.
/// Starting them takes as long as many small frames.
const PATIENCE: Duration = Duration::from_millis(2);

/// See [`PATIENCE`].
const GLANCE: Duration = Duration::from_micros(500);

/// The default stack of a worker: interpreters recurse, and compiled frames hold many registers.
const STACK_SIZE: usize = 8 << 20;

impl Default for Options<'_> {
    fn default() -> Self {
        let tile = Size::new(TILE.0, TILE.1).expect("a constant within the limits");
        Self { threads: None, tile, timeout: None, stack_size: STACK_SIZE, progress: None }
    }
}

/// Why there is no frame.
#[derive(Debug, Error)]
pub enum RenderError {
    /// A pixel could not be computed: the first such in scan order.
    #[error("pixel ({}, {}) could not be computed (site {})", .0.x, .0.y, .0.site)]
    Fault(Fault),
    /// The time that was given is over.
    #[error("rendering took longer than {} s", .timeout.as_secs_f64())]
    TimedOut {
        /// The time that was given.
        timeout: Duration,
    },
    /// No memory for the frame.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The system gave no thread at all. (With fewer than were asked for it only takes longer.)
    #[error("cannot start a rendering thread")]
    Threads(#[source] io::Error),
    /// The kernel gave up a tile although nothing had cancelled it.
    #[error("the kernel left the tile at ({}, {}) unfinished", .0.x, .0.y)]
    Abandoned(Tile),
}

/// Renders `kernel` over a frame of `size` pixels.
///
/// A panic of the kernel is passed on, once the other workers have finished.
///
/// # Errors
///
/// [`RenderError`]; the same for any threads and tiles, but for what the system refuses and for time.
pub fn render(
    kernel: &(impl Kernel + ?Sized),
    size: Size,
    options: &Options<'_>,
) -> Result<Frame, RenderError> {
    let mut frame = Frame::zeros(size)?;
    render_into(kernel, &mut frame, options)?;
    Ok(frame)
}

/// The same over a frame that is there, for one picture after another: getting fresh memory from the system takes
/// about as long as cheap pixels do.
///
/// # Errors
///
/// Those of [`render`] but [`RenderError::OutOfMemory`]. Then the frame holds some of the new picture and some of
/// what it held before.
pub fn render_into(
    kernel: &(impl Kernel + ?Sized),
    frame: &mut Frame,
    options: &Options<'_>,
) -> Result<(), RenderError> {
    let tiles = Tiles { size: frame.size(), tile: options.tile };
    let job = Job::new(kernel, tiles, frame.samples_mut(), options.progress);

    let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let most = options.threads.map_or_else(processors, NonZeroUsize::get).min(tiles.count());
    let is_small = options.threads.is_none() && tiles.size.pixels() <= SMALL_FRAME;
    let begun = Instant::now();
    let out_of_time = options.timeout.and_then(|timeout| begun.checked_add(timeout));
    if options.timeout == Some(Duration::ZERO) {
        job.time_out();
    }
    thread::scope(|scope| {
        let (ending, endings) = channel();
        let start = |number| {
            let (job, ending) = (&job, Ending(ending.clone()));
            let work = move || {
                let _ending = ending;
                job.work();
            };
            let thread = thread::Builder::new().name(format!("render {number}"));
            thread.stack_size(options.stack_size).spawn_scoped(scope, work)
        };
        let mut workers = vec![start(0).map_err(RenderError::Threads)?];
        let mut ended = 0;
        let mut all_end = |workers: usize, until: Option<Instant>| {
            while ended < workers {
                let in_time = match until {
                    None => endings.recv().is_ok(),
                    Some(until) => {
                        let left = until.saturating_duration_since(Instant::now());
                        endings.recv_timeout(left).is_ok()
                    }
                };
                if !in_time {
                    return false;
                }
                ended += 1;
            }
            true
        };
        let mut one_ends = |after| all_end(1, out_of_time.into_iter().chain([begun + after]).min());
        let one_will_do = is_small
            && (one_ends(GLANCE)
                || job.estimate(begun.elapsed()) <= PATIENCE && one_ends(PATIENCE));
        if !one_will_do {
            workers.extend((1..most).map_while(|number| start(number).ok()));
        }
        if !all_end(workers.len(), out_of_time) {
            job.time_out();
        }
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        Ok::<_, RenderError>(())
    })?;
    job.outcome(options.timeout)
}

/// Tells that a worker has come to its end, however.
struct Ending(Sender<()>);

impl Drop for Ending {
    fn drop(&mut self) {
        // Who waited may have been told that time is up.
        let _ = self.0.send(());
    }
}

/// The tiles of a frame, numbered in scan order of their first pixels.
#[derive(Clone, Copy)]
struct Tiles {
    size: Size,
    tile: Size,
}

impl Tiles {
    fn columns(self) -> usize {
        self.size.width().div_ceil(self.tile.width()) as usize
    }

    fn count(self) -> usize {
        self.columns() * self.size.height().div_ceil(self.tile.height()) as usize
    }

    /// The tile of this number.
    fn get(self, number: usize) -> Tile {
        let (column, band) = (number % self.columns(), number / self.columns());
        // A tile begins inside the frame, so its corner fits in 32 bits.
        let x = column as u32 * self.tile.width();
        let y = band as u32 * self.tile.height();
        let width = self.tile.width().min(self.size.width() - x);
        let height = self.tile.height().min(self.size.height() - y);
        Tile { x, y, width, height }
    }

    /// The rows of each tile in the samples of the frame.
    fn split(self, samples: &mut [f32]) -> Vec<Vec<&mut [f32]>> {
        let height = self.tile.height() as usize;
        let mut rows: Vec<_> = (0..self.count()).map(|_| Vec::with_capacity(height)).collect();
        for (y, row) in samples.chunks_mut(self.size.width() as usize * 4).enumerate() {
            let band = y / height * self.columns();
            for (column, part) in row.chunks_mut(self.tile.width() as usize * 4).enumerate() {
                rows[band + column].push(part);
            }
        }
        rows
    }
}

/// What the workers share.
struct Job<'a, K: ?Sized> {
    kernel: &'a K,
    tiles: Tiles,
    progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// The rows of each tile in the frame: nobody waits for another, as each tile is claimed once.
    rows: Vec<Mutex<Vec<&'a mut [f32]>>>,
    /// The number of the next tile to claim.
    next: CachePadded<AtomicUsize>,
    /// Tiles done, if anybody wants to know.
    done: CachePadded<AtomicUsize>,
    /// Pixels with an index below it are wanted. It is read all the time and hardly ever written.
    frontier: CachePadded<AtomicU64>,
    timed_out: AtomicBool,
    /// The fault with the lowest index so far.
    fault: Mutex<Option<Fault>>,
    /// The lowest number of a tile that was skipped or cut short without a fault of its own.
    unfinished: AtomicUsize,
}

impl<'a, K: Kernel + ?Sized> Job<'a, K> {
    fn new(
        kernel: &'a K,
        tiles: Tiles,
        samples: &'a mut [f32],
        progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    ) -> Self {
        Self {
            kernel,
            tiles,
            progress,
            rows: tiles.split(samples).into_iter().map(Mutex::new).collect(),
            next: AtomicUsize::new(0).into(),
            done: AtomicUsize::new(0).into(),
            frontier: AtomicU64::new(u64::MAX).into(),
            timed_out: AtomicBool::new(false),
            fault: Mutex::new(None),
            unfinished: AtomicUsize::new(usize::MAX),
        }
    }

    /// How long it will take in all if it goes on as in this time.
    fn estimate(&self, elapsed: Duration) -> Duration {
        let done = self.next.load(Ordering::Relaxed).saturating_sub(1);
        match done {
            0 => Duration::MAX,
            done => elapsed.mul_f64(self.tiles.count() as f64 / done as f64),
        }
    }

    /// What each worker does: claims tiles until none is left or wanted.
    fn work(&self) {
        let mut storage = vec![0.0; self.tiles.get(0).samples()];
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.tiles.count() {
                return;
            }
            let tile = self.tiles.get(number);
            let cancel = Cancel::new(&self.frontier, self.tiles.size, tile);
            if cancel.is_cancelled() {
                // Later tiles begin later in scan order, so they are not wanted either.
                self.unfinished.fetch_min(number, Ordering::Relaxed);
                return;
            }
            let mut buffer = TileBuffer::new(tile, &mut storage);
            match self.kernel.tile(tile, &mut buffer, &cancel) {
                Ok(()) => self.finish(number, &mut buffer),
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

    /// Copies a finished tile to its place, and counts it.
    fn finish(&self, number: usize, buffer: &mut TileBuffer<'_>) {
        let width = buffer.tile().width as usize * 4;
        {
            let mut rows = self.rows[number].lock().unwrap_or_else(PoisonError::into_inner);
            for (to, from) in rows.iter_mut().zip(buffer.samples_mut().chunks_exact(width)) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = from.canonical();
                }
            }
        }
        if let Some(progress) = self.progress {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(done, self.tiles.count());
        }
    }

    /// Keeps the fault if it is the first so far, and lowers the frontier to it.
    fn record(&self, fault: Fault) {
        let index = |fault: &Fault| self.tiles.size.index(fault.x, fault.y);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|first| index(&fault) < index(first)) {
            *first = Some(fault);
        }
        self.frontier.fetch_min(index(&fault), Ordering::Relaxed);
    }

    /// Cancels everything.
    fn time_out(&self) {
        self.timed_out.store(true, Ordering::Relaxed);
        self.frontier.store(0, Ordering::Relaxed);
    }

    /// What came of it, when all workers are done.
    fn outcome(self, timeout: Option<Duration>) -> Result<(), RenderError> {
        let count = self.tiles.count();
        let unfinished = Some(self.unfinished.into_inner()).filter(|&number| number < count);
        let unfinished = unfinished.map(|number| self.tiles.get(number));
        let timed_out = timeout.filter(|_| self.timed_out.into_inner());
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);

        let index = |x, y| self.tiles.size.index(x, y);
        match (fault, unfinished, timed_out) {
            (None, None, _) => Ok(()),
            (None, Some(tile), None) => Err(RenderError::Abandoned(tile)),
            (None, Some(_), Some(timeout)) => Err(RenderError::TimedOut { timeout }),
            // What was left out may hold an earlier fault, if it was for lack of time.
            (Some(fault), Some(tile), Some(timeout))
                if index(tile.x, tile.y) < index(fault.x, fault.y) =>
            {
                Err(RenderError::TimedOut { timeout })
            }
            (Some(fault), _, _) => Err(RenderError::Fault(fault)),
        }
    }
}
