//! The functions of binary64 against CORE-MATH. `ARGUMENTS` arguments for each function, by default 3,000.

use lambdav_core::math::binary64;
use lambdav_core::op::Elementary::{self, *};
use lambdav_oracle::coremath64;
use lambdav_test_support::Random;

fn count() -> u64 {
    std::env::var("ARGUMENTS").map_or(3_000, |count| count.parse().expect("a number"))
}

/// A number of a kind: any bits; the usual range; near 1; few bits; integers and halves.
fn number(random: &mut Random) -> f64 {
    let bits = random.bits();
    match random.below(6) {
        0 => f64::from_bits(bits),
        // From 2^-8 to 2^8.
        1 | 2 => f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1015 + bits % 16) << 52),
        3 => 1.0 + (bits as i64 >> 20) as f64 * 2.0_f64.powi(-60 - (bits % 40) as i32),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => (bits as i64 >> 44) as f64 / [1.0, 2.0, 4.0, 1024.0][(bits % 4) as usize],
    }
}

#[track_caller]
fn agrees(f: Elementary, x: f64, y: f64) {
    let (found, expected) = (binary64::evaluate(f, x, y), coremath64::evaluate(f, x, y));
    let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{} {x:e} {y:e}: {found:e}, {expected:e} by CORE-MATH", f.name());
}

#[test]
fn functions_are_those_of_core_math() {
    let special = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        1e-320,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        709.782_712_893_384,
        745.133_219_101_941_2,
        1074.0,
        1074.5,
        1075.0,
        std::f64::consts::PI,
        std::f64::consts::FRAC_PI_2,
        9_007_199_254_740_992.0,
    ];
    std::thread::scope(|scope| {
        for f in Elementary::ALL {
            scope.spawn(move || {
                let mut random = Random::new(1 + f as u64);
                for x in special.into_iter().flat_map(|x| [x, -x, x.next_up(), -x.next_down()]) {
                    for y in special.into_iter().flat_map(|y| [y, -y]) {
                        agrees(f, x, y);
                    }
                }
                for _ in 0..count() {
                    let (mut x, mut y) = (number(&mut random), number(&mut random));
                    match f {
                        // Powers that are numbers or midpoints, and others in the range.
                        Pow if random.below(3) == 0 => {
                            x = f64::from(random.below(1 << 20) as u32);
                            y = f64::from(random.below(160) as u32) / 8.0;
                        }
                        Pow => x = x.abs(),
                        Asin | Acos | Atanh if x.abs() > 1.0 => x = 1.0 / x,
                        Exp | Exp2 | Sinh | Cosh if x.abs() > 1100.0 => x %= 1100.0,
                        _ => {}
                    }
                    agrees(f, x, y);
                }
            });
        }
    });
}
