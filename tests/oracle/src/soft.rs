//! The operations of the library of exact modules, compared with this processor's.

use crate::library::LibraryCode;
use lambdav_core::float::canonical_bits;
use lambdav_spirv_backend::library::LibraryFunction;
use lambdav_test_support::{NUMBERS, Random};
use rayon::prelude::*;

/// Number of arguments of a task.
const CHUNK: u64 = 1 << 14;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct SoftReport {
    /// Number of compared arguments.
    pub inputs: u64,
    /// Number of arguments with different bits.
    pub differing: u64,
    /// One difference: operands, result, expected result.
    pub first: Option<([u32; 3], u32, u32)>,
}

impl SoftReport {
    /// The sum of two reports.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            differing: self.differing + other.differing,
            first: self.first.or(other.first),
        }
    }
}

/// The processor's result; `None` for an elementary function.
fn expected(function: LibraryFunction, [a, b, c]: [f32; 3]) -> Option<u32> {
    let value = match function {
        LibraryFunction::Add => a + b,
        LibraryFunction::Mul => a * b,
        LibraryFunction::Div => a / b,
        LibraryFunction::Sqrt => a.sqrt(),
        LibraryFunction::Fma => a.mul_add(b, c),
        LibraryFunction::Elementary(_) => return None,
    };
    Some(canonical_bits(value))
}

/// A number with that encoded exponent, clamped, and a significand of many or few bits.
fn of_exponent(random: &mut Random, exponent: i64) -> f32 {
    let bits = random.bits();
    let mut significand = bits as u32 & 0x7f_ffff;
    if bits >> 61 == 0 {
        significand = significand >> (bits >> 32 & 31) << (bits >> 32 & 31);
    } else if bits >> 61 == 1 {
        significand >>= bits >> 32 & 31;
    }
    f32::from_bits(
        ((bits >> 40) as u32) << 31 | (exponent.clamp(0, 254) as u32) << 23 | significand,
    )
}

fn exponent(x: f32) -> i64 {
    i64::from(x.to_bits() >> 23 & 0xff)
}

/// A number at most four encodings away.
fn beside(random: &mut Random, x: f32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add(random.below(9) as u32).wrapping_sub(4))
}

fn any(random: &mut Random) -> f32 {
    match random.below(4) {
        0 => f32::from_bits(random.bits() as u32),
        1 => of_exponent(random, 0),
        2 => f32::from_bits(*random.pick(&NUMBERS)),
        _ => {
            let exponent = random.below(255) as i64;
            of_exponent(random, exponent)
        }
    }
}

/// Random operands, and operands whose result is near zero, near the limits of the exponent, or near a
/// midpoint.
fn operands(function: LibraryFunction, random: &mut Random) -> [f32; 3] {
    let [a, mut b, mut c] = [(); 3].map(|()| any(random));
    let about =
        |random: &mut Random, width: usize| random.below(2 * width + 1) as i64 - width as i64;
    let kind = random.below(4);
    let e = exponent(a);
    match function {
        LibraryFunction::Add => match kind {
            0 => b = -beside(random, a),
            1 | 2 => {
                b = {
                    let e = e + about(random, 28);
                    of_exponent(random, e)
                }
            }
            _ => {}
        },
        LibraryFunction::Mul => match kind {
            0 => {
                b = {
                    let e = 127 - e + about(random, 30);
                    of_exponent(random, e)
                }
            }
            1 => {
                b = {
                    let e = 254 + 127 - e + about(random, 2);
                    of_exponent(random, e)
                }
            }
            2 => {
                b = {
                    let e = 254 - e + about(random, 127);
                    of_exponent(random, e)
                }
            }
            _ => {}
        },
        LibraryFunction::Div => match kind {
            0 => {
                b = {
                    let e = e + 127 + about(random, 30);
                    of_exponent(random, e)
                }
            }
            1 => {
                b = {
                    let e = e - 127 + about(random, 2);
                    of_exponent(random, e)
                }
            }
            // A quotient with few bits.
            2 => {
                let [x, y] = [(); 2].map(|()| 1.0 + random.below(1 << 13) as f32);
                let scale = f32::from_bits((random.below(200) as u32 + 20) << 23);
                return [x * y, x * scale, 0.0];
            }
            _ => {}
        },
        LibraryFunction::Fma => {
            if random.below(3) != 0 {
                b = {
                    let e = 127 + 127 - e + about(random, 140);
                    of_exponent(random, e)
                };
            }
            let product = f64::from(a) * f64::from(b);
            match kind {
                0 => c = -beside(random, product as f32),
                1 | 2 => {
                    let e = e + exponent(b) - 127 + about(random, 56);
                    c = of_exponent(random, e);
                }
                _ => {}
            }
        }
        LibraryFunction::Sqrt | LibraryFunction::Elementary(_) => {}
    }
    if random.below(2) == 0 && matches!(function, LibraryFunction::Add | LibraryFunction::Mul) {
        return [b, a, c];
    }
    [a, b, c]
}

fn compared(function: LibraryFunction, code: &LibraryCode, operands: &[[f32; 3]]) -> SoftReport {
    let mut results = vec![0.0; operands.len()];
    code.evaluate(operands, &mut results);
    let mut report = SoftReport { inputs: operands.len() as u64, ..SoftReport::default() };
    for (&operands, result) in operands.iter().zip(results) {
        let expected = expected(function, operands).expect("the processor has it");
        let found = result.to_bits();
        if found != expected {
            report.differing += 1;
            report.first.get_or_insert((operands.map(f32::to_bits), found, expected));
        }
    }
    report
}

/// Compares at all combinations of special operands.
pub fn special(function: LibraryFunction, code: &LibraryCode) -> SoftReport {
    let numbers: Vec<f32> =
        NUMBERS.iter().flat_map(|&bits| [bits, bits ^ 1 << 31]).map(f32::from_bits).collect();
    let one = vec![0.0];
    let [second, third] = [2, 3].map(|n| if function.arity() >= n { &numbers } else { &one });
    let all = numbers
        .iter()
        .flat_map(|&a| second.iter().flat_map(move |&b| third.iter().map(move |&c| [a, b, c])));
    compared(function, code, &all.collect::<Vec<_>>())
}

/// Compares at `count` random operands. For one operand, they are one random encoding from each of `count`
/// equal ranges.
pub fn random(function: LibraryFunction, code: &LibraryCode, count: u64, seed: u64) -> SoftReport {
    let tasks = (0..count.div_ceil(CHUNK)).into_par_iter();
    tasks
        .map(|chunk| {
            let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ chunk << 20);
            let numbers = 0..CHUNK.min(count - chunk * CHUNK);
            let first = (chunk * CHUNK).wrapping_add(seed << 32) as u32;
            let operands: Vec<[f32; 3]> = numbers
                .map(|n| match function.arity() {
                    1 => {
                        // One encoding from each range.
                        let step = (1_u64 << 32) / count.max(1);
                        let offset = random.below(step.max(1) as usize) as u64;
                        let place = u64::from(first.wrapping_add(n as u32)) * step + offset;
                        [f32::from_bits(place as u32), 0.0, 0.0]
                    }
                    _ => operands(function, &mut random),
                })
                .collect();
            compared(function, code, &operands)
        })
        .reduce(SoftReport::default, SoftReport::and)
}
