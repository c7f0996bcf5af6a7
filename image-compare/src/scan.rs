//! Comparison of all pixels of two images.
//!
//! Images are compared in bands of rows. The results of the bands are joined from top to bottom, so
//! that the outcome, including floating-point sums, does not depend on the number of threads.

use super::antialias::Antialias;
use super::outcome::{CompareOptions, Comparison, Difference, Peak, SWEEP, Verdict};
use super::sample::{Compare, Depth, distance};
use super::ulp::UlpHistogram;
use lambdav_float_environment::with_default;
use lambdav_image::pixels::Image;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::ops::Range;
use std::time::Instant;

/// Rows of a band.
const BAND: u32 = 16;

/// Images of fewer pixels are compared on one thread, which is as fast.
const LARGE: usize = 1 << 19;

/// Result of one band, or of adjacent bands.
struct Found {
    compared: u64,
    differing: u64,
    first: Option<Difference>,
    steps: Option<Peak<u32>>,
    absolute: Option<Peak<f64>>,
    ulps: UlpHistogram,
    exceeding: [u64; SWEEP.len()],
    antialiased: u64,
    beyond: u64,
    /// Sum of the squares of the differences.
    squares: f64,
}

/// Compares two images of one size; none if not finished at `until`.
pub(super) fn scan<T: Compare>(
    a: &Image<T>,
    b: &Image<T>,
    options: &CompareOptions,
    until: Option<Instant>,
) -> Option<Comparison> {
    let size = a.size();
    let bands = size.height().div_ceil(BAND);
    let band = |band: u32| {
        if until.is_some_and(|until| Instant::now() >= until) {
            return None;
        }
        let rows = band * BAND..((band + 1) * BAND).min(size.height());
        Some(with_default(|| rows_of(a, b, options, rows)))
    };
    let all = || -> Option<Vec<Found>> { (0..bands).into_par_iter().map(band).collect() };
    let found = if size.pixels() < LARGE || bands == 1 {
        (0..bands).map(band).collect()
    } else if rayon::current_thread_index().is_some() {
        all()
    } else {
        // If the system starts no threads, compare on this one.
        match rayon::ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(all),
            Err(_) => (0..bands).map(band).collect(),
        }
    };
    let found = found?.into_iter().reduce(Found::join)?;
    let mut ulps = (T::DEPTH == Depth::Float).then_some(found.ulps);
    if let Some(ulps) = &mut ulps {
        ulps.count_equal((found.compared - found.differing) * 4);
    }
    let (mut rmse, mut verdict) = (0.0, Verdict::Identical);
    if found.differing > 0 {
        rmse = (found.squares / (found.compared * 4) as f64).sqrt();
        let allowed = options.allows_any() && options.pixels.allows(found.beyond, found.compared);
        verdict = if allowed { Verdict::WithinTolerance } else { Verdict::Different };
    }
    Some(Comparison {
        size,
        depth: T::DEPTH,
        compared: found.compared,
        differing: found.differing,
        first: found.first,
        steps: found.steps,
        absolute: found.absolute,
        ulps,
        exceeding: found.exceeding,
        antialiased: found.antialiased,
        beyond: found.beyond,
        rmse,
        lost_nans: 0,
        specials: Default::default(),
        verdict,
    })
}

impl Found {
    fn nothing() -> Self {
        Self {
            compared: 0,
            differing: 0,
            first: None,
            steps: None,
            absolute: None,
            ulps: UlpHistogram::default(),
            exceeding: [0; SWEEP.len()],
            antialiased: 0,
            beyond: 0,
            squares: 0.0,
        }
    }

    /// Joins the result of the bands below.
    fn join(mut self, below: Self) -> Self {
        self.compared += below.compared;
        self.differing += below.differing;
        self.first = self.first.or(below.first);
        if let Some(peak) = below.steps {
            raise(&mut self.steps, peak);
        }
        if let Some(peak) = below.absolute {
            raise(&mut self.absolute, peak);
        }
        self.ulps.add(&below.ulps);
        for (count, more) in self.exceeding.iter_mut().zip(below.exceeding) {
            *count += more;
        }
        self.antialiased += below.antialiased;
        self.beyond += below.beyond;
        self.squares += below.squares;
        self
    }
}

fn rows_of<T: Compare>(
    a: &Image<T>,
    b: &Image<T>,
    options: &CompareOptions,
    rows: Range<u32>,
) -> Found {
    let width = a.size().width();
    let is_float = T::DEPTH == Depth::Float;
    let mut found = Found::nothing();
    let pixels = rows.start as usize * width as usize..rows.end as usize * width as usize;
    let mut antialias = None;
    let pairs = a.pixels()[pixels.clone()].iter().zip(&b.pixels()[pixels]);
    let places = rows.clone().flat_map(|y| (0..width).map(move |x| (x, y)));
    for ((x, y), (pixel_a, pixel_b)) in places.zip(pairs) {
        if options.ignores(x, y) {
            continue;
        }
        found.compared += 1;
        let pairs = pixel_a.iter().copied().zip(pixel_b.iter().copied());
        if pairs.clone().all(|(a, b)| a.equal(b)) {
            continue;
        }
        found.differing += 1;
        found.first.get_or_insert_with(|| Difference {
            x,
            y,
            a: pixel_a.map(T::into),
            b: pixel_b.map(T::into),
        });

        let mut most = 0.0f64;
        let mut within = options.tolerance.is_some() || options.ulps.is_some();
        for (channel, (a, b)) in pairs.enumerate() {
            let (steps, absolute) = distance(a, b);
            let levels = levels_between(a, b, absolute);
            most = most.max(levels);
            found.squares += (absolute / T::FULL).powi(2);
            let near = |tolerance: [f64; 4]| levels.is_finite() && levels <= tolerance[channel];
            let few = |ulps: u32| is_float && steps.is_some_and(|steps| steps <= ulps);
            within &= options.tolerance.is_some_and(near) || options.ulps.is_some_and(few);
            if is_float {
                found.ulps.count(steps);
            }
            let Some(steps) = steps else { continue };
            raise(&mut found.steps, Peak { value: steps, x, y });
            if is_float {
                raise(&mut found.absolute, Peak { value: absolute, x, y });
            }
        }
        for (count, tolerance) in found.exceeding.iter_mut().zip(SWEEP) {
            *count += u64::from(most > tolerance.into());
        }
        if within {
            continue;
        }
        let is_antialiased = options.antialiased
            && antialias
                .get_or_insert_with(|| Antialias::new(a, b, rows.clone()))
                .is_antialiased(x, y);
        if is_antialiased {
            found.antialiased += 1;
        } else {
            found.beyond += 1;
        }
    }
    found
}

/// Distance of two samples in levels, from their difference. If rounding to binary32 explains the
/// deviation, the distance is a whole number of levels.
fn levels_between<T: Compare>(a: T, b: T, difference: f64) -> f64 {
    let levels = T::levels(difference);
    let whole = levels.round();
    if (levels - whole).abs() <= a.rounding(b) && whole > 0.0 { whole } else { levels }
}

/// Replaces a peak by another one if that is higher; without a peak the height is 0.
fn raise<T: PartialOrd + Default + Copy>(peak: &mut Option<Peak<T>>, other: Peak<T>) {
    let ground = peak.map_or(T::default(), |peak| peak.value);
    if other.value > ground {
        *peak = Some(other);
    }
}
