//! The sites that the pixels of a picture met, by tiles.

use crate::mutants::{Mutant, is_active};
use lambdav_core::schedule::probes::{BITS, hits};
use lambdav_image::Size;
use lambdav_raster::Tile;
use std::collections::BTreeMap;
use std::fmt;
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
    size: Size,
    /// True if the first row is the last one of the picture.
    is_reversed: bool,
    found: Mutex<Found>,
    /// The words of tiles that are not complete, by the tile's first row and column: for each word the pixels, row by row.
    tiles: Mutex<BTreeMap<[u32; 2], MetTile>>,
}

/// A tile with the words of its pixels.
#[derive(Debug)]
struct MetTile {
    tile: Tile,
    words: Vec<u32>,
}

impl Pixels {
    /// No pixel of a picture has met one of so many sites.
    pub(super) fn new(sites: usize, size: Size, is_reversed: bool) -> Self {
        let found = Found { sites: BTreeMap::new(), pixels: vec![0; size.pixels().div_ceil(64)] };
        let (found, tiles) = (Mutex::new(found), Mutex::default());
        Self { words: sites.div_ceil(BITS as usize), size, is_reversed, found, tiles }
    }

    /// Words of zero for the pixels of a tile.
    pub(super) fn blank(&self, tile: Tile) -> Vec<u32> {
        vec![0; tile.pixels() * self.words]
    }

    /// Adds a tile with all words of its pixels: for each word the pixels, row by row.
    pub(super) fn put(&self, tile: Tile, words: &[u32]) {
        let mut sites: Vec<(usize, usize, u64)> = Vec::new();
        let mut any = vec![0; tile.pixels()];
        for (word, bits) in words.chunks_exact(tile.pixels()).enumerate() {
            let all = bits.iter().fold(0, |all, bits| all | bits);
            if all == 0 {
                continue;
            }
            any.iter_mut().zip(bits).for_each(|(any, bits)| *any |= bits);
            for site in hits(word, all) {
                let bit = site % BITS;
                let count = bits.iter().map(|bits| bits >> bit & 1).sum::<u32>();
                let is_hit = |bits: &u32| bits >> bit & 1 != 0;
                // In a picture with reversed rows the last row of the tile is the first.
                let at = match self.is_reversed {
                    _ if is_active(Mutant::LastPixel) => bits.iter().rposition(is_hit),
                    false => bits.iter().position(is_hit),
                    true => {
                        let rows = bits.chunks_exact(tile.width as usize).enumerate().rev();
                        let mut places = rows.filter_map(|(row, bits)| {
                            Some(row * tile.width as usize + bits.iter().position(is_hit)?)
                        });
                        places.next()
                    }
                };
                sites.push((site as usize, at.expect("a pixel has the bit"), count.into()));
            }
        }
        if sites.is_empty() {
            return;
        }
        let more = if is_active(Mutant::DoubledUnit) { 2 } else { 1 };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for (site, at, count) in sites {
            let pixel = self.pixel_of(tile, at);
            let of = found.sites.entry(site).or_insert((pixel, 0));
            *of = (earlier(pixel, of.0), of.1 + more * count);
        }
        for (row, any) in (0..).zip(any.chunks_exact(tile.width as usize)) {
            let [x, y] = self.pixel_of(tile, row * tile.width as usize);
            let first = self.size.index(x, y) as usize;
            for (index, _) in (first..).zip(any).filter(|(_, any)| **any != 0) {
                found.pixels[index / 64] |= 1 << (index % 64);
            }
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
            words[word * tile.pixels() + at] |= bits;
        }
    }

    /// The sites with their pixels, and all pixels that met any, in scan order.
    pub(super) fn into_found(self) -> (BTreeMap<usize, FirstPixel>, PixelSet) {
        let tiles = self.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        tiles.values().for_each(|of| self.put(of.tile, &of.words));
        drop(tiles);
        let Found { sites, pixels } =
            self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (sites, PixelSet { width: self.size.width(), bits: pixels })
    }

    /// Column and row of a pixel of a tile, in the picture.
    fn pixel_of(&self, tile: Tile, at: usize) -> [u32; 2] {
        let [x, y] = [tile.x + at as u32 % tile.width, tile.y + at as u32 / tile.width];
        [x, if self.is_reversed { self.size.height() - 1 - y } else { y }]
    }
}

/// A set of pixels of a picture.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct PixelSet {
    /// Pixels in a row.
    width: u32,
    /// A bit for each pixel, row by row.
    bits: Vec<u64>,
}

impl PixelSet {
    /// Column and row of its pixels, in scan order.
    pub fn iter(&self) -> impl Iterator<Item = [u32; 2]> {
        let of_word = |(first, &bits): (u64, &u64)| {
            let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
            let rest = rest.take_while(|bits| *bits != 0);
            rest.map(move |bits| first + u64::from(bits.trailing_zeros()))
        };
        let width = u64::from(self.width);
        let indices = (0..).step_by(64).zip(&self.bits).flat_map(of_word);
        indices.map(move |index| [(index % width) as u32, (index / width) as u32])
    }

    /// True if it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }
}

impl fmt::Debug for PixelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What some tiles met.
#[derive(Debug)]
struct Found {
    sites: BTreeMap<usize, FirstPixel>,
    /// A bit for each pixel of the picture.
    pixels: Vec<u64>,
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
