//! Comparison of two implementations of a function at many arguments, on all cores.

use crate::inputs::{self, RandomArguments};
use lambdav_core::op::Elementary;
use rayon::prelude::*;

/// How many arguments one task takes. Each task draws from a random sequence of its own, so that
/// the arguments do not depend on the number of threads.
const CHUNK: u64 = 1024;

/// An implementation of a function: computes the results for pairs of arguments. Unary functions
/// ignore the second.
pub type Side<'a> = &'a (dyn Fn(&[(f32, f32)], &mut [f32]) + Sync);

/// Where to compare.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// At these.
    These(Vec<(f32, f32)>),
    /// At so many random ones ([`inputs::random`]) of that seed.
    Random {
        /// How many.
        count: u64,
        /// The seed.
        seed: u64,
    },
    /// At one of every 2^`step` binary32 numbers, with a fixed second argument. Which one varies
    /// from step to step.
    Numbers {
        /// The logarithm of the distance.
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

    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            Self::These(pairs) => pairs.len() as u64,
            Self::Random { count, .. } => *count,
            Self::Numbers { step, .. } => 1 << (32 - step),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of one task.
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
                    // Fibonacci hashing, so that the last bits vary.
                    let hash = (n as u32).wrapping_mul(0x9e37_79b9);
                    let last = u64::from(hash) >> (32 - step);
                    (f32::from_bits((n << step | last) as u32), second)
                })
                .collect(),
        }
    }
}

/// Arguments for which the two sides differ.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// First argument.
    pub x: f32,
    /// Second argument.
    pub y: f32,
    /// What was found.
    pub found: f32,
    /// What was expected.
    pub expected: f32,
}

/// The most differences that an [`OracleReport`] keeps of one task.
const KEPT: usize = 4;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct OracleReport {
    /// How many arguments, or pairs of them, were compared.
    pub inputs: u64,
    /// At how many the bits differ and not both are NaN.
    pub differing: u64,
    /// Some of those.
    pub differences: Vec<Difference>,
}

impl OracleReport {
    /// That of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.inputs += other.inputs;
        self.differing += other.differing;
        self.differences.extend(other.differences);
        self
    }
}

/// Compares what is found with what is expected.
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

/// Whether two results are the same number, or both NaN.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// A function of a pair as a side.
pub fn each(
    evaluate: impl Fn(f32, f32) -> f32 + Sync,
) -> impl Fn(&[(f32, f32)], &mut [f32]) + Sync {
    move |pairs, results| {
        for (result, &(x, y)) in results.iter_mut().zip(pairs) {
            *result = evaluate(x, y);
        }
    }
}
