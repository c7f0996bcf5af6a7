//! A search for inputs that cost much for their length.
//!
//! Most inputs of a campaign are as cheap as they are short, so none comes near a second. Here the
//! costliest of each kind are kept and mutated further: those that allocate most bytes, and those that
//! take a thread longest, for each byte of their own. Bytes are the same each time, so a search that
//! asks no clock finds the same inputs again.

use crate::campaign::{FindingKind, attempt};
use crate::targets::FuzzTarget;
use lambdav_generate::Random;
use std::time::{Duration, Instant};

/// What to search for, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Decides all inputs.
    pub seed: u64,
    /// How many inputs.
    pub inputs: u64,
    /// No input is begun after that.
    pub time: Option<Duration>,
    /// What one may cost.
    pub bounds: Bounds,
    /// Whether inputs that take long are kept, too: which ones depends on the machine, and what is
    /// found after them.
    pub by_clock: bool,
}

/// What an input may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Seconds of a thread.
    pub seconds: f64,
    /// Bytes that are in use at one time.
    pub peak: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { seconds: 4.0, peak: 1 << 30 }
    }
}

/// An input and what it cost.
#[derive(Clone, Debug)]
pub struct Costly {
    /// The input.
    pub input: Vec<u8>,
    /// Seconds of a thread.
    pub seconds: f64,
    /// All bytes that were allocated.
    pub allocated: u64,
    /// Bytes in use at one time.
    pub peak: u64,
    /// What is wrong with it, if anything is but its cost.
    pub wrong: Option<(FindingKind, String)>,
}

/// A length below which an input is not cheaper: what is done once for each is not its text's.
const SHORT: usize = 400;
/// How many of each kind are kept.
const KEPT: usize = 32;
/// A number for which a target leaves out what takes long whatever the input is.
const BRIEF: u64 = 2;

impl Costly {
    /// Runs an input; `number` is that of an input in a campaign.
    pub fn of(target: &dyn FuzzTarget, input: Vec<u8>, number: u64) -> Self {
        let mut outcome = None;
        let info = allocation_counter::measure(|| outcome = Some(attempt(target, &input, number)));
        let (seconds, result) = outcome.expect("it has been run");
        let (allocated, peak) = (info.bytes_total, info.bytes_max);
        Self { input, seconds, allocated, peak, wrong: result.err() }
    }

    fn per_byte(&self, cost: f64) -> f64 {
        cost / self.input.len().max(SHORT) as f64
    }

    /// Allocated bytes, and seconds, for each byte of the input.
    pub fn rates(&self) -> [f64; 2] {
        [self.per_byte(self.allocated as f64), self.per_byte(self.seconds)]
    }

    /// Whether it is a finding.
    pub fn exceeds(&self, bounds: Bounds) -> bool {
        self.wrong.is_some() || self.seconds > bounds.seconds || self.peak > bounds.peak
    }
}

impl Search {
    /// The costliest inputs, by allocated bytes and by seconds; at the beginning of the first list
    /// those that are findings.
    pub fn run(&self, target: &dyn FuzzTarget) -> [Vec<Costly>; 2] {
        let mut random = Random::new(self.seed);
        let (mut kept, mut found) = ([Vec::<Costly>::new(), Vec::new()], Vec::new());
        let start = Instant::now();
        for _ in 0..self.inputs {
            if self.time.is_some_and(|time| start.elapsed() > time) {
                break;
            }
            let pool = &kept[usize::from(self.by_clock && random.percent(50))];
            let input = match pool.is_empty() || random.percent(20) {
                true => target.input(&mut random),
                false => target.mutate(&random.pick(pool).input, &mut random),
            };
            let costly = Costly::of(target, input, BRIEF);
            if costly.exceeds(self.bounds) {
                found.push(costly.clone());
            }
            for (k, pool) in kept.iter_mut().enumerate() {
                let is_known = pool.iter().any(|other| other.input == costly.input);
                let at = pool.partition_point(|other| other.rates()[k] >= costly.rates()[k]);
                if at < KEPT && !is_known {
                    pool.insert(at, costly.clone());
                    pool.truncate(KEPT);
                }
            }
        }
        let [by_bytes, by_seconds] = kept;
        found.extend(by_bytes);
        [found, by_seconds]
    }
}
