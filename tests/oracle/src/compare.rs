//! Comparison of the reference mathematics with the oracle, on all cores.

use crate::inputs::{self, Random};
use lambdav_frontend::op::Elementary;
use rayon::prelude::*;

/// How many arguments one task takes: each draws from a random sequence of its own, so that the
/// arguments do not depend on the number of threads.
const CHUNK: u64 = 1024;

/// Arguments for which the two sides differ.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// First argument.
    pub x: f32,
    /// Second argument, 0 for unary functions.
    pub y: f32,
    /// What the reference mathematics gives.
    pub found: f32,
    /// What the oracle gives.
    pub expected: f32,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many arguments, or pairs of them, were compared.
    pub inputs: u64,
    /// Where the bits differ and not both are NaN.
    pub differences: Vec<Difference>,
}

/// Compares `f` at its special arguments and at `count` random ones of this seed.
pub fn compare(f: Elementary, count: u64, seed: u64) -> Report {
    let special = inputs::special(f);
    let inputs = special.len() as u64 + count;
    let mut differences: Vec<_> =
        special.par_iter().with_min_len(64).filter_map(|&(x, y)| difference(f, x, y)).collect();
    differences.par_extend((0..count.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|chunk| {
        let mut random = Random::new(seed, chunk << 8 | f as u64);
        (0..CHUNK.min(count - chunk * CHUNK)).filter_map(move |_| {
            let (x, y) = inputs::random(f, &mut random);
            difference(f, x, y)
        })
    }));
    Report { inputs, differences }
}

fn difference(f: Elementary, x: f32, y: f32) -> Option<Difference> {
    let (found, expected) = (f.evaluate(x, y), crate::evaluate(f, x, y));
    let equal = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
    (!equal).then_some(Difference { x, y, found, expected })
}
