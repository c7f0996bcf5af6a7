//! A search for inputs that are costly for their length.
//!
//! Most inputs of a campaign are short and cheap, so none comes near a second. This search keeps the
//! costliest inputs and mutates them further: those with the most allocated bytes, and those with the most
//! thread time, for each byte of input. Allocation is deterministic, so a search without the clock finds the
//! same inputs again.

use crate::campaign::{FindingKind, attempt};
use crate::targets::FuzzTarget;
use lambdav_generate::Random;
use std::time::{Duration, Instant};

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Seed of all inputs.
    pub seed: u64,
    /// Number of inputs.
    pub inputs: u64,
    /// No input is started after this time.
    pub time: Option<Duration>,
    /// Largest cost of an input.
    pub bounds: Bounds,
    /// Slow inputs are kept, too. They depend on the machine, and so do all inputs found after them.
    pub by_clock: bool,
}

/// Largest cost of an input.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Seconds of thread time.
    pub seconds: f64,
    /// Bytes in use at one time.
    pub peak: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { seconds: 4.0, peak: 1 << 30 }
    }
}

/// An input and its cost.
#[derive(Clone, Debug)]
pub struct Costly {
    /// The input.
    pub input: Vec<u8>,
    /// Seconds of thread time.
    pub seconds: f64,
    /// All allocated bytes.
    pub allocated: u64,
    /// Largest number of bytes in use at one time.
    pub peak: u64,
    /// The failure of the input, apart from its cost.
    pub wrong: Option<(FindingKind, String)>,
}

/// Shorter inputs count as this long, since part of the cost does not depend on the length.
const SHORT: usize = 400;
/// Number of kept inputs of each kind.
const KEPT: usize = 32;
/// An input number for which targets skip their slow checks.
const BRIEF: u64 = 2;

impl Costly {
    /// Runs an input. `number` is passed to the target.
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

    /// Allocated bytes and seconds for each byte of input.
    pub fn rates(&self) -> [f64; 2] {
        [self.per_byte(self.allocated as f64), self.per_byte(self.seconds)]
    }

    /// True if the input is a finding.
    pub fn exceeds(&self, bounds: Bounds) -> bool {
        self.wrong.is_some() || self.seconds > bounds.seconds || self.peak > bounds.peak
    }
}

impl Search {
    /// The costliest inputs, by allocated bytes and by seconds. The first list begins with the findings.
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
