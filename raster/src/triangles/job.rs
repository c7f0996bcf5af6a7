//! All tiles of a draw, on threads.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use lambdav_float_environment::with_default;
use lambdav_image::pixels::Specials;
use lambdav_workers::{self as workers, Work};

use super::assemble;
use super::bins::Bins;
use super::draw::{Depths, Draw, DrawError};
use super::tile::{FirstFault, TileDrawer};
use super::vertices::Vertices;
use crate::render::{Attachment, RenderOptions, Store, Tiles, stores};

/// Draws into attachments, which have one size, and into a depth buffer of that size, if there is one.
///
/// # Errors
///
/// The first fault, or the reason why there is no picture. Then the contents of the attachments are unspecified.
///
/// # Panics
///
/// If the kernels have another number of attachments, attachments differ in size, or the depth buffer has
/// another number of pixels.
pub fn draw(
    draw: &Draw<'_>,
    attachments: Vec<Attachment<'_>>,
    depths: Option<Depths<'_>>,
    options: &RenderOptions<'_>,
) -> Result<(), DrawError> {
    let size = attachments.first().expect("there is an attachment").size();
    assert!(attachments.iter().all(|other| other.size() == size), "attachments have one size");
    let count = attachments.len() + usize::from(draw.has_mask);
    assert_eq!(draw.colours.attachments(), count, "attachments of the kernel");
    assert_eq!(draw.vertices.attachments(), 1 + draw.varied.len(), "values of a vertex");
    let begun = Instant::now();
    let deadline = options.timeout.and_then(|timeout| begun.checked_add(timeout));
    let timed_out = || DrawError::TimedOut { timeout: options.timeout.unwrap_or_default() };
    if options.timeout == Some(Duration::ZERO) {
        return Err(timed_out());
    }
    let assembled = with_default(|| assemble::assemble(draw))?;
    let vertices = Vertices::compute(draw, &assembled, begun, deadline, timed_out)?;
    let tiles = Tiles { size, tile: options.tile };
    let bins = Bins::of(draw, &assembled, &vertices, tiles, begun, deadline, timed_out)?;
    let stores = attachments.into_iter().map(|attachment| stores(tiles, attachment)).collect();
    let depths = depths.map(|depths| {
        assert_eq!(depths.len(), size.pixels(), "pixels of the depth buffer");
        Mutex::new(depths)
    });
    let job = Job {
        draw,
        tiles,
        vertices: &vertices,
        bins: &bins,
        stores,
        depths,
        options,
        next: AtomicUsize::new(0).into(),
        done: AtomicUsize::new(0).into(),
        frontier: AtomicU64::new(u64::MAX).into(),
        timed_out: AtomicBool::new(false),
        unfinished: AtomicBool::new(false),
        first: Mutex::new(None),
    };
    let stack = draw.colours.stack_size().max(draw.test.map_or(0, |test| test.stack_size()));
    let tasks = tiles.count();
    let crew = workers::Crew { stack, tasks, is_small: false, begun, deadline };
    workers::run(&crew, &job)?;
    let first = job.first.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (first, job.unfinished.into_inner(), job.timed_out.into_inner()) {
        (_, _, true) => Err(timed_out()),
        (Some(first), _, false) => Err(DrawError::Fragment(first.fault)),
        (None, true, false) => Err(DrawError::Abandoned),
        (None, false, false) => Ok(()),
    }
}

/// State shared by the workers of the tiles.
struct Job<'a> {
    draw: &'a Draw<'a>,
    tiles: Tiles,
    vertices: &'a Vertices,
    bins: &'a Bins,
    stores: Vec<Box<dyn Store + 'a>>,
    depths: Option<Mutex<Depths<'a>>>,
    options: &'a RenderOptions<'a>,
    /// The next tile.
    next: CachePadded<AtomicUsize>,
    done: CachePadded<AtomicUsize>,
    /// Triangles below this number are wanted.
    frontier: CachePadded<AtomicU64>,
    timed_out: AtomicBool,
    /// True if a tile was cut short without a fault of its own.
    unfinished: AtomicBool,
    first: Mutex<Option<FirstFault>>,
}

impl Work for Job<'_> {
    fn work(&self) {
        with_default(|| self.draw_tiles());
    }

    fn estimate(&self, elapsed: Duration) -> Duration {
        match self.next.load(Ordering::Relaxed).saturating_sub(1) {
            0 => Duration::MAX,
            done => elapsed.mul_f64(self.tiles.count() as f64 / done as f64),
        }
    }

    fn time_out(&self) {
        self.timed_out.store(true, Ordering::Relaxed);
        self.frontier.store(0, Ordering::Relaxed);
    }
}

impl Job<'_> {
    fn draw_tiles(&self) {
        let largest = self.tiles.get(0);
        let mut drawer = TileDrawer::new(self.draw, self.vertices, self.bins, largest);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.tiles.count() || self.timed_out.load(Ordering::Relaxed) {
                return;
            }
            let tile = self.tiles.get(number);
            match drawer.draw(number, tile, self.tiles.size, &self.frontier) {
                Ok(()) => self.finish(number, &mut drawer),
                Err(None) => self.unfinished.store(true, Ordering::Relaxed),
                Err(Some(first)) => self.record(first),
            }
        }
    }

    /// Stores a finished tile.
    fn finish(&self, number: usize, drawer: &mut TileDrawer<'_>) {
        let tile = self.tiles.get(number);
        let count = self.stores.len();
        let samples = drawer.resolved(count);
        if let Some(specials) = self.options.specials {
            specials.add(Specials::of(samples.as_flattened()));
        }
        for (store, pixels) in self.stores.iter().zip(samples.chunks_exact(tile.pixels())) {
            store.store(number, tile.width as usize, pixels);
        }
        if let Some(depths) = &self.depths {
            let mut depths = depths.lock().unwrap_or_else(PoisonError::into_inner);
            let width = self.tiles.size.width() as usize;
            for (row, found) in drawer.first_depths().chunks_exact(tile.width as usize).enumerate()
            {
                let at = (tile.y as usize + row) * width + tile.x as usize;
                depths[at..at + found.len()].copy_from_slice(found);
            }
        }
        if let Some(progress) = self.options.progress {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(done, self.tiles.count());
        }
    }

    /// Keeps the fault if it is the first so far. Triangles after its own are no longer wanted.
    fn record(&self, found: FirstFault) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none_or(|first| found.ordinal < first.ordinal) {
            *first = Some(found);
        }
        self.frontier.fetch_min(found.ordinal.triangle + 1, Ordering::Relaxed);
    }
}
