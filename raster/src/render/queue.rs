//! The tiles of a picture as work for threads: the claim of tiles, and what becomes of finished ones.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;
use lambdav_image::pixels::Specials;

use super::{RenderOptions, SpecialsCounter, Store, Tiles};
use crate::kernel::Tile;

/// State shared by the workers of a picture.
pub(crate) struct TileQueue<'a> {
    pub(crate) tiles: Tiles,
    /// Work with a number below it is wanted: pixels by index, or triangles. Read all the time and rarely written.
    pub(crate) frontier: CachePadded<AtomicU64>,
    progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    specials: Option<&'a SpecialsCounter>,
    /// One store per attachment.
    stores: Vec<Box<dyn Store + 'a>>,
    /// Number of the next tile to claim.
    next: CachePadded<AtomicUsize>,
    /// Number of finished tiles, for `progress`.
    done: CachePadded<AtomicUsize>,
    timed_out: AtomicBool,
}

impl<'a> TileQueue<'a> {
    pub(crate) fn new(
        tiles: Tiles,
        stores: Vec<Box<dyn Store + 'a>>,
        options: &RenderOptions<'a>,
    ) -> Self {
        Self {
            tiles,
            frontier: AtomicU64::new(u64::MAX).into(),
            progress: options.progress,
            specials: options.specials,
            stores,
            next: AtomicUsize::new(0).into(),
            done: AtomicUsize::new(0).into(),
            timed_out: AtomicBool::new(false),
        }
    }

    /// The number of attachments.
    pub(crate) fn attachments(&self) -> usize {
        self.stores.len()
    }

    /// The next tile, with its number.
    pub(crate) fn claim(&self) -> Option<(usize, Tile)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.tiles.count()).then(|| (number, self.tiles.get(number)))
    }

    /// Copies the pixels of a finished tile, attachment by attachment, to their place, and counts the tile.
    pub(crate) fn finish(&self, number: usize, tile: Tile, samples: &[[f32; 4]]) {
        if let Some(specials) = self.specials {
            specials.add(Specials::of(samples.as_flattened()));
        }
        for (store, pixels) in self.stores.iter().zip(samples.chunks_exact(tile.pixels())) {
            store.store(number, tile.width as usize, pixels);
        }
        if let Some(progress) = self.progress {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(done, self.tiles.count());
        }
    }

    /// The time that all tiles take, after `elapsed`.
    pub(crate) fn estimate(&self, elapsed: Duration) -> Duration {
        match self.next.load(Ordering::Relaxed).saturating_sub(1) {
            0 => Duration::MAX,
            done => elapsed.mul_f64(self.tiles.count() as f64 / done as f64),
        }
    }

    /// Ends the work: nothing is wanted any more.
    pub(crate) fn time_out(&self) {
        self.timed_out.store(true, Ordering::Relaxed);
        self.frontier.store(0, Ordering::Relaxed);
    }

    pub(crate) fn has_timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }
}
