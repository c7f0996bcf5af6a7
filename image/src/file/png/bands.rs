//! Compresses rows into one zlib stream, made of bands that threads filter and deflate independently.
//!
//! *The stream does not depend on the number of threads*: the number of rows in a band depends on their
//! length only. A band's blocks end at a byte boundary and refer to no earlier data, so bands can be
//! concatenated; their checksums are combined.
//!
//! # Blocks
//!
//! `fdeflate` deflates a band, as the `png` crate does with whole images: one block with fixed codes,
//! whose matches are runs of zeros. From each of its streams this module takes the block, clears the
//! bit for "last", and appends an empty stored block, which ends at a byte boundary. The stream reveals
//! the end of the block: the end's code has a one for its last bit, and zeros follow. This holds for
//! one version of `fdeflate`, so the dependency is pinned to it. If deflating gains nothing, rows are
//! stored.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::filter::Filter;
use crate::size::Size;
use lambdav_workers::{self as workers, Work};

/// Smallest size of a band in bytes, except in smaller images.
const BAND: usize = 256 << 10;

/// Most bands in memory at once.
const WINDOW: usize = 64;

/// Images of fewer bytes do not pay for another thread.
const SMALL: usize = 1 << 20;

/// Header of a stream: deflate, a window of 32 KiB, the fastest compression.
const BEGINNING: [u8; 2] = [0x78, 0x01];

/// The last block: stored and empty.
const LAST: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// Most bytes of a stored block.
const STORED: usize = u16::MAX as usize;

/// Rows of an image in PNG's byte order.
pub(super) struct Rows<'a> {
    /// Size of the image.
    pub(super) size: Size,
    /// Bytes per pixel.
    pub(super) step: usize,
    /// Returns the bytes of a range of rows.
    pub(super) bytes: &'a (dyn Fn(Range<usize>) -> Cow<'a, [u8]> + Sync),
}

impl Rows<'_> {
    fn row(&self) -> usize {
        self.size.width() as usize * self.step
    }

    /// Calls `write` with the parts of the stream, in order.
    pub(super) fn deflate<E>(
        &self,
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = self.size.height() as usize;
        let band = (BAND / self.row()).max(1);
        let bands = rows.div_ceil(band);
        let mut checksum = Checksum::default();
        let mut beginning = BEGINNING.to_vec();
        for first in (0..bands).step_by(WINDOW) {
            let range = |number: usize| (number * band)..((number + 1) * band).min(rows);
            let made = self.bands((first..bands.min(first + WINDOW)).map(range).collect());
            for Band { blocks, checksum: of_band } in made {
                checksum = checksum.then(of_band);
                beginning.extend_from_slice(&blocks);
                write(&beginning)?;
                beginning.clear();
            }
        }
        write(&[&LAST[..], &checksum.bytes()].concat())
    }

    /// Compresses the bands of these ranges of rows.
    fn bands(&self, ranges: Vec<Range<usize>>) -> Vec<Band> {
        let job = Job {
            rows: self,
            next: AtomicUsize::new(0),
            made: ranges.iter().map(|_| Mutex::new(None)).collect(),
            ranges,
        };
        let crew = workers::Crew {
            stack: 0,
            tasks: job.ranges.len(),
            is_small: false,
            begun: Instant::now(),
            deadline: None,
        };
        let is_small = self.row() * self.size.height() as usize <= SMALL || job.ranges.len() == 1;
        if is_small || workers::run(&crew, &job).is_err() {
            job.work();
        }
        let made = job.made.into_iter();
        let made = made.map(|band| band.into_inner().unwrap_or_else(PoisonError::into_inner));
        made.map(|band| band.expect("all have been made")).collect()
    }

    fn band(&self, rows: Range<usize>) -> Band {
        // The filter predicts from the row above the band.
        let from = rows.start.saturating_sub(1);
        let (row, height) = (self.row(), rows.len());
        let bytes = (self.bytes)(from..rows.end);
        let (above, bytes) = bytes.split_at((rows.start - from) * row);
        let mut above = (!above.is_empty()).then_some(above);
        let mut filter = Filter::new(row, self.step);
        let mut filtered = Vec::with_capacity((row + 1) * height);
        for row in bytes.chunks_exact(row) {
            filter.row(row, above, &mut filtered);
            above = Some(row);
        }
        Band::deflated(&filtered).unwrap_or_else(|| {
            filtered.clear();
            for row in bytes.chunks_exact(row) {
                filtered.push(0);
                filtered.extend_from_slice(row);
            }
            Band::stored(&filtered)
        })
    }
}

/// State shared by the threads.
struct Job<'r, 'a> {
    rows: &'r Rows<'a>,
    ranges: Vec<Range<usize>>,
    /// Next band to claim.
    next: AtomicUsize,
    made: Vec<Mutex<Option<Band>>>,
}

impl Work for Job<'_, '_> {
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(range) = self.ranges.get(number) else { return };
            let band = self.rows.band(range.clone());
            *self.made[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(band);
        }
    }

    fn estimate(&self, _elapsed: Duration) -> Duration {
        Duration::MAX
    }

    /// Compression has no deadline.
    fn time_out(&self) {}
}

/// Compressed rows.
struct Band {
    blocks: Vec<u8>,
    checksum: Checksum,
}

impl Band {
    /// Deflates the bytes; none if that does not make them shorter.
    fn deflated(bytes: &[u8]) -> Option<Self> {
        let room = Vec::with_capacity(bytes.len() / 4);
        let into_memory = "memory takes everything";
        let mut compressor = fdeflate::Compressor::new(room).expect(into_memory);
        compressor.write_data(bytes).expect(into_memory);
        let mut blocks = compressor.finish().expect(into_memory);
        let sum = blocks.split_off(blocks.len() - 4);
        let sum = u32::from_be_bytes(sum.try_into().expect("it has four bytes"));
        blocks.drain(..BEGINNING.len());
        blocks[0] &= !1;
        // Three zero bits announce a stored block; zeros then pad to the next byte.
        let unused = blocks.last().map_or(0, |last| last.leading_zeros());
        if unused < 3 {
            blocks.push(0);
        }
        blocks.extend_from_slice(&LAST[1..]);
        let checksum = Checksum { sum, length: bytes.len() };
        (blocks.len() < bytes.len()).then_some(Self { blocks, checksum })
    }

    /// Stores the bytes uncompressed.
    fn stored(bytes: &[u8]) -> Self {
        let mut blocks = Vec::with_capacity(bytes.len() + 5 * bytes.len().div_ceil(STORED));
        for part in bytes.chunks(STORED) {
            let length = part.len() as u16;
            blocks.push(0);
            blocks.extend_from_slice(&length.to_le_bytes());
            blocks.extend_from_slice(&(!length).to_le_bytes());
            blocks.extend_from_slice(part);
        }
        Self {
            blocks,
            checksum: Checksum { sum: simd_adler32::adler32(&bytes), length: bytes.len() },
        }
    }
}

/// Adler-32 and number of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checksum {
    sum: u32,
    length: usize,
}

impl Default for Checksum {
    fn default() -> Self {
        Self { sum: 1, length: 0 }
    }
}

impl Checksum {
    /// Checksum of the concatenation. In the sum of the second part's prefixes, each prefix starts from
    /// the first part's sum instead of 1.
    fn then(self, other: Self) -> Self {
        const PRIME: u64 = 65521;
        let halves =
            |checksum: Self| (u64::from(checksum.sum & 0xffff), u64::from(checksum.sum >> 16));
        let ((a, b), (c, d)) = (halves(self), halves(other));
        let low = (a + c + PRIME - 1) % PRIME;
        let high = (b + d + other.length as u64 % PRIME * (a + PRIME - 1)) % PRIME;
        Self { sum: (high << 16 | low) as u32, length: self.length + other.length }
    }

    fn bytes(self) -> [u8; 4] {
        self.sum.to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use lambdav_test_support::Random;

    use super::*;

    #[test]
    fn checksums_are_combined() {
        let mut random = Random::new(1);
        let bytes: Vec<u8> = (0..200_000).map(|_| random.bits() as u8 | 0xf0).collect();
        let whole = simd_adler32::adler32(&&bytes[..]);
        for cut in [0, 1, 17, 65_521, 65_522, 150_000, 200_000] {
            let of =
                |bytes: &[u8]| Checksum { sum: simd_adler32::adler32(&bytes), length: bytes.len() };
            let combined = of(&bytes[..cut]).then(of(&bytes[cut..]));
            assert_eq!(combined, Checksum { sum: whole, length: bytes.len() }, "{cut}");
        }
    }

    /// A stream whose blocks end at each bit of a byte.
    #[test]
    fn blocks_end_at_a_byte() {
        let mut random = Random::new(2);
        let mut ends = [false; 8];
        let (mut stream, mut checksum, mut all) =
            (BEGINNING.to_vec(), Checksum::default(), Vec::new());
        for length in 0..300 {
            let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8 & 3).collect();
            let band = Band::deflated(&[&[0; 400][..], &bytes].concat()).expect("zeros are short");
            let block = &band.blocks[..band.blocks.len() - 4];
            let last = block.iter().rfind(|&&byte| byte != 0).expect("it has an end");
            ends[last.leading_zeros() as usize] = true;
            stream.extend_from_slice(&band.blocks);
            checksum = checksum.then(band.checksum);
            all.extend_from_slice(&[0; 400]);
            all.extend_from_slice(&bytes);
        }
        stream.extend_from_slice(&LAST);
        stream.extend_from_slice(&checksum.bytes());
        let found = fdeflate::decompress_to_vec(&stream).expect("it is a stream");
        assert!(found == all);
        assert_eq!(ends, [true; 8]);
    }
}
