//! The sites that the pixels of a picture met, by tiles.

use crate::mutants::{Mutant, is_active};
use lambdav_core::schedule::probes::{BITS, hits};
use lambdav_image::Size;
use lambdav_raster::Tile;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bits of sites that a pixel met.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelBits {
    /// Index of the pixel in its tile.
    pub(super) at: usize,
    /// Index of the word.
    pub(super) word: usize,
    /// The word: [`BITS`] sites from `word * BITS` on.
    pub(super) bits: u32,
}

impl PixelBits {
    /// The sites.
    pub(super) fn sites(self) -> impl Iterator<Item = usize> {
        hits(self.word, self.bits).map(|site| site as usize)
    }

    /// What the attachments for sites say of a pixel, four words to an attachment.
    pub(super) fn of_words(
        at: usize,
        words: usize,
        attachment: impl Fn(usize) -> [f32; 4],
    ) -> impl Iterator<Item = Self> {
        (0..words).flat_map(move |k| {
            (4 * k..)
                .zip(attachment(k))
                .filter(|(_, word)| *word != 0.0)
                .map(move |(word, bits)| Self { at, word, bits: bits as u32 })
        })
    }
}

/// The first pixel, column and row, that met a site, and the number of pixels.
pub(super) type FirstPixel = ([u32; 2], u64);

/// The sites that pixels met so far: a pixel meets a site once.
#[derive(Debug)]
pub(super) struct Pixels {
    /// Words of a pixel, each with [`BITS`] sites.
    pub(super) words: usize,
    /// The words of the pixels of tiles, by the tile's first row and column.
    tiles: Mutex<BTreeMap<[u32; 2], MetTile>>,
}

/// A tile with the words of its pixels.
#[derive(Debug)]
struct MetTile {
    tile: Tile,
    words: Vec<u32>,
}

impl Pixels {
    /// No pixel has met one of so many sites.
    pub(super) fn new(sites: usize) -> Self {
        Self { words: sites.div_ceil(BITS as usize), tiles: Mutex::default() }
    }

    /// Words of zero for the pixels of a tile.
    pub(super) fn blank(&self, tile: Tile) -> Vec<u32> {
        vec![0; tile.pixels() * self.words]
    }

    /// The bits of a site: the index among the words of a tile's pixels, and the word.
    pub(super) fn bit(&self, at: usize, site: u32) -> (usize, u32) {
        (at * self.words + (site / BITS) as usize, 1 << (site % BITS))
    }

    /// Adds a tile with all words of its pixels, pixel by pixel.
    pub(super) fn put(&self, tile: Tile, words: Vec<u32>) {
        if words.iter().any(|word| *word != 0) {
            let mut tiles = self.tiles.lock().unwrap_or_else(PoisonError::into_inner);
            tiles.insert([tile.y, tile.x], MetTile { tile, words });
        }
    }

    /// Adds the sites that pixels of a tile met.
    pub(super) fn add(&self, tile: Tile, met: &[PixelBits]) {
        if met.is_empty() {
            return;
        }
        let mut tiles = self.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        let blank = || MetTile { tile, words: self.blank(tile) };
        let MetTile { words, .. } = tiles.entry([tile.y, tile.x]).or_insert_with(blank);
        for PixelBits { at, word, bits } in met {
            words[at * self.words + word] |= bits;
        }
    }

    /// The sites with their pixels, and all pixels that met any, in scan order. `is_reversed` if the first row is the last one
    /// of the picture.
    pub(super) fn into_found(
        self,
        size: Size,
        is_reversed: bool,
    ) -> (BTreeMap<usize, FirstPixel>, Vec<[u32; 2]>) {
        let tiles = self.tiles.into_inner().unwrap_or_else(PoisonError::into_inner);
        let tiles: Vec<MetTile> = tiles.into_values().collect();
        let blank = || Found { sites: Vec::new(), pixels: vec![0; size.pixels().div_ceil(64)] };
        let add = |mut found: Found, of: &MetTile| {
            found.add(of, self.words, size, is_reversed);
            found
        };
        let found = tiles.par_iter().fold(blank, add).reduce(blank, Found::merged);
        let sites = found.sites.into_iter().enumerate();
        let sites = sites.filter_map(|(site, of)| Some((site, of?))).collect();
        let width = size.width() as usize;
        let pixels = found.pixels.into_iter().enumerate().flat_map(|(at, bits)| {
            let bits = (0..64).filter(move |bit| bits >> bit & 1 != 0);
            bits.map(move |bit| 64 * at + bit)
        });
        (sites, pixels.map(|index| [(index % width) as u32, (index / width) as u32]).collect())
    }
}

/// What some tiles met.
struct Found {
    /// By site.
    sites: Vec<Option<FirstPixel>>,
    /// A bit for each pixel of the picture.
    pixels: Vec<u64>,
}

impl Found {
    fn add(
        &mut self,
        MetTile { tile, words }: &MetTile,
        count: usize,
        size: Size,
        is_reversed: bool,
    ) {
        let more = if is_active(Mutant::DoubledUnit) { 2 } else { 1 };
        for (at, words) in words.chunks_exact(count).enumerate() {
            if words.iter().all(|bits| *bits == 0) {
                continue;
            }
            let pixel = pixel_of(*tile, at, size, is_reversed);
            let index = size.index(pixel[0], pixel[1]) as usize;
            self.pixels[index / 64] |= 1 << (index % 64);
            for (word, &bits) in words.iter().enumerate() {
                for site in (PixelBits { at, word, bits }).sites() {
                    self.note(site, (pixel, more));
                }
            }
        }
    }

    /// Notes pixels that met a site.
    fn note(&mut self, site: usize, (pixel, pixels): FirstPixel) {
        if self.sites.len() <= site {
            self.sites.resize(site + 1, None);
        }
        let (first, count) = self.sites[site].get_or_insert((pixel, 0));
        (*first, *count) = (earlier(pixel, *first), *count + pixels);
    }

    fn merged(mut self, other: Self) -> Self {
        for (site, found) in other.sites.into_iter().enumerate() {
            if let Some(found) = found {
                self.note(site, found);
            }
        }
        self.pixels.iter_mut().zip(other.pixels).for_each(|(mine, theirs)| *mine |= theirs);
        self
    }
}

/// Column and row of a pixel of a tile, in the picture.
fn pixel_of(tile: Tile, at: usize, size: Size, is_reversed: bool) -> [u32; 2] {
    let [x, y] = [tile.x + at as u32 % tile.width, tile.y + at as u32 / tile.width];
    [x, if is_reversed { size.height() - 1 - y } else { y }]
}

/// The earlier one of two pixels in scan order.
fn earlier(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    let by_row = |[x, y]: &[u32; 2]| [*y, *x];
    if is_active(Mutant::LastPixel) {
        std::cmp::max_by_key(a, b, by_row)
    } else {
        std::cmp::min_by_key(a, b, by_row)
    }
}
