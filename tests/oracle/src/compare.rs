//! Compares two implementations of a function at many arguments, on all threads.

use crate::inputs::{self, RandomArguments};
use lambdav_core::float::same;
use lambdav_core::op::Elementary;
use rayon::prelude::*;

/// Number of arguments of a task. Each task has its own random sequence, so the arguments do not depend on
/// the number of threads.
const CHUNK: u64 = 1024;

/// An implementation: computes the results for pairs of arguments. Unary functions ignore the second
/// argument.
pub type Side<'a> = &'a (dyn Fn(&[(f32, f32)], &mut [f32]) + Sync);

/// The arguments of a comparison.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// These pairs.
    These(Vec<(f32, f32)>),
    /// Random arguments ([`inputs::random`]).
    Random {
        /// Number of pairs.
        count: u64,
        /// The seed.
        seed: u64,
    },
    /// One binary32 number in each block of 2^`step` consecutive encodings, with a fixed second argument. The
    /// place within a block varies.
    Numbers {
        /// The logarithm of the block's size.
        step: u8,
        /// The second argument.
        second: f32,
    },
}

impl Arguments {
    /// The special arguments of a function.
    pub fn special(f: Elementary) -> Self {
        Self::These(inputs::special(f))
    }

    /// Number of pairs.
    pub fn len(&self) -> u64 {
        match self {
            Self::These(pairs) => pairs.len() as u64,
            Self::Random { count, .. } => *count,
            Self::Numbers { step, .. } => 1 << (32 - step),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The arguments of one task.
    fn chunk(&self, f: Elementary, chunk: u64) -> Vec<(f32, f32)> {
        let numbers = chunk * CHUNK..self.len().min((chunk + 1) * CHUNK);
        match *self {
            Self::These(ref pairs) => pairs[numbers.start as usize..numbers.end as usize].to_vec(),
            Self::Random { seed, .. } => {
                let mut random = RandomArguments::new(seed, chunk << 8 | f as u64);
                numbers.map(|_| inputs::random(f, &mut random)).collect()
            }
            Self::Numbers { step, second } => numbers
                .map(|n| {
                    // Fibonacci hashing varies the last bits.
                    let hash = (n as u32).wrapping_mul(0x9e37_79b9);
                    let last = u64::from(hash) >> (32 - step);
                    (f32::from_bits((n << step | last) as u32), second)
                })
                .collect(),
        }
    }
}

/// Arguments at which two implementations differ.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// First argument.
    pub x: f32,
    /// Second argument.
    pub y: f32,
    /// The result of the implementation under test.
    pub found: f32,
    /// The expected result.
    pub expected: f32,
}

/// Number of differences kept for each task.
const KEPT: usize = 4;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct OracleReport {
    /// Number of compared pairs.
    pub inputs: u64,
    /// Number of pairs whose results differ in bits and are not both NaN.
    pub differing: u64,
    /// Some of the differences.
    pub differences: Vec<Difference>,
}

impl OracleReport {
    /// The sum of two reports.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.inputs += other.inputs;
        self.differing += other.differing;
        self.differences.extend(other.differences);
        self
    }
}

/// Compares an implementation with the expected results.
pub fn compare(
    f: Elementary,
    arguments: &Arguments,
    found: Side<'_>,
    expected: Side<'_>,
) -> OracleReport {
    let tasks = (0..arguments.len().div_ceil(CHUNK)).into_par_iter();
    tasks
        .map(|chunk| {
            let pairs = arguments.chunk(f, chunk);
            let [found, expected] = [found, expected].map(|side| {
                let mut results = vec![0.0; pairs.len()];
                side(&pairs, &mut results);
                results
            });
            let mut report = OracleReport { inputs: pairs.len() as u64, ..OracleReport::default() };
            for ((&(x, y), found), expected) in pairs.iter().zip(found).zip(expected) {
                if !same(found, expected) {
                    report.differing += 1;
                    if report.differences.len() < KEPT {
                        report.differences.push(Difference { x, y, found, expected });
                    }
                }
            }
            report
        })
        .reduce(OracleReport::default, OracleReport::and)
}

/// An implementation that applies a function to each pair.
pub fn each(
    evaluate: impl Fn(f32, f32) -> f32 + Sync,
) -> impl Fn(&[(f32, f32)], &mut [f32]) + Sync {
    move |pairs, results| {
        for (result, &(x, y)) in results.iter_mut().zip(pairs) {
            *result = evaluate(x, y);
        }
    }
}
