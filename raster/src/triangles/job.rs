//! All tiles of a draw, on threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lambdav_float_environment::with_default;
use lambdav_workers::{self as workers, Work};

use super::assemble;
use super::bins::Bins;
use super::draw::{Depths, Draw, DrawError};
use super::tile::{FirstFault, TileDrawer};
use super::vertices::Vertices;
use crate::kernel::Tile;
use crate::render::{Attachment, RenderOptions, TileQueue, Tiles, stores};

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
    drop((vertices, assembled));
    let stores = attachments.into_iter().map(|attachment| stores(tiles, attachment)).collect();
    let depths = depths.map(|depths| {
        assert_eq!(depths.len(), size.pixels(), "pixels of the depth buffer");
        Mutex::new(depths)
    });
    let job = Job {
        draw,
        queue: TileQueue::new(tiles, stores, options),
        bins: &bins,
        depths,
        unfinished: AtomicBool::new(false),
        first: Mutex::new(None),
    };
    let stack = draw.colours.stack_size().max(draw.test.map_or(0, |test| test.stack_size()));
    let tasks = tiles.count();
    let crew = workers::Crew { stack, tasks, is_small: false, begun, deadline };
    workers::run(&crew, &job)?;
    let first = job.first.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (first, job.unfinished.into_inner(), job.queue.has_timed_out()) {
        (_, _, true) => Err(timed_out()),
        (Some(first), _, false) => Err(DrawError::Fragment(first.fault)),
        (None, true, false) => Err(DrawError::Abandoned),
        (None, false, false) => Ok(()),
    }
}

/// State shared by the workers of the tiles.
struct Job<'a> {
    draw: &'a Draw<'a>,
    /// Its frontier counts triangles.
    queue: TileQueue<'a>,
    bins: &'a Bins,
    depths: Option<Mutex<Depths<'a>>>,
    /// True if a tile was cut short without a fault of its own.
    unfinished: AtomicBool,
    first: Mutex<Option<FirstFault>>,
}

impl Work for Job<'_> {
    fn work(&self) {
        with_default(|| match self.draw.state.samples {
            4 => self.draw_tiles::<4>(),
            _ => self.draw_tiles::<1>(),
        });
    }

    fn estimate(&self, elapsed: Duration) -> Duration {
        self.queue.estimate(elapsed)
    }

    fn time_out(&self) {
        self.queue.time_out();
    }
}

impl Job<'_> {
    fn draw_tiles<const SAMPLES: usize>(&self) {
        let queue = &self.queue;
        let largest = queue.tiles.get(0);
        let mut drawer = TileDrawer::<SAMPLES>::new(self.draw, self.bins, largest);
        while let Some((number, tile)) = queue.claim() {
            if queue.has_timed_out() {
                return;
            }
            match drawer.draw(number, tile, queue.tiles.size, &queue.frontier) {
                Ok(()) => {
                    self.store_depths(tile, &mut drawer);
                    queue.finish(number, tile, drawer.resolved(queue.attachments()));
                }
                Err(None) => self.unfinished.store(true, Ordering::Relaxed),
                Err(Some(first)) => self.record(first),
            }
        }
    }

    /// Copies the depths of a finished tile to their place, if they are asked for.
    fn store_depths<const SAMPLES: usize>(&self, tile: Tile, drawer: &mut TileDrawer<'_, SAMPLES>) {
        let Some(depths) = &self.depths else { return };
        let mut depths = depths.lock().unwrap_or_else(PoisonError::into_inner);
        let width = self.queue.tiles.size.width() as usize;
        for (row, found) in drawer.first_depths().chunks_exact(tile.width as usize).enumerate() {
            let at = (tile.y as usize + row) * width + tile.x as usize;
            depths[at..at + found.len()].copy_from_slice(found);
        }
    }

    /// Keeps the fault if it is the first so far. Triangles after its own are no longer wanted.
    fn record(&self, found: FirstFault) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none_or(|first| found.ordinal < first.ordinal) {
            *first = Some(found);
        }
        self.queue.frontier.fetch_min(found.ordinal.triangle + 1, Ordering::Relaxed);
    }
}
