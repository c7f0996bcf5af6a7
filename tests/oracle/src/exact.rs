//! Arguments of powers with few bits: all arguments whose power is a binary32 number or a midpoint of two.
//!
//! Let x = ±a·2^s with a odd. A power x^y that is not 1 has finitely many binary digits in two
//! cases (V. Lefèvre, D. Stehlé, P. Zimmermann, "Worst Cases for the Exponential Function in the
//! IEEE 754r decimal64 Format", 2006, discuss the same for base 10):
//!
//! - a = 1 and s·y is an integer;
//! - a ≥ 3, y = n/2^k > 0 with n odd or k = 0, and both a and 2^s are 2^k-th powers: a = c^(2^k).
//!   The power is then c^n times a power of two. It has at most 25 bits, so n ≤ 15, and c^(2^k) <
//!   2^24 leaves k ≤ 3.
//!
//! (`pow` of a negative x and a fractional y is undefined; x^0 and 1^y are special values.)

/// All pairs (x, y) for which x^y is a power of two or has at most 25 bits, except y = 1.
pub fn powers() -> Vec<(f32, f32)> {
    let mut pairs = powers_of_two();
    for k in 0..=3_u32 {
        for c in (3..).step_by(2) {
            let Some(a) = u64::checked_pow(c, 1 << k).filter(|&a| a < 1 << 24) else { break };
            for n in (1..=15_u32).filter(|n| k == 0 || n % 2 == 1) {
                if c.checked_pow(n).is_none_or(|power| power >= 1 << 25) {
                    break;
                }
                if (n, k) == (1, 0) {
                    continue;
                }
                let y = n as f32 / (1 << k) as f32;
                for s in (-152..128).filter(|s| s % (1 << k) == 0) {
                    let Some(x) = number(a, s) else { continue };
                    pairs.push((x, y));
                    if k == 0 {
                        pairs.push((-x, y));
                    }
                }
            }
            // Squares of larger numbers exceed 25 bits.
            if k == 0 && c * c >= 1 << 25 {
                break;
            }
        }
    }
    pairs
}

/// Pairs whose power is a power of two, from half the least number to beyond the largest.
fn powers_of_two() -> Vec<(f32, f32)> {
    let mut pairs = Vec::new();
    for s in -149..128 {
        let x = number(1, s).expect("a power of two in the range");
        for j in -152..=129 {
            let y = f64::from(j) / f64::from(s);
            // A quotient equal to a binary32 number is exact: two different numbers of so few bits are
            // farther apart.
            if s != 0 && y != 1.0 && f64::from(y as f32) == y && y * f64::from(s) == f64::from(j) {
                pairs.push((x, y as f32));
                if y.fract() == 0.0 {
                    pairs.push((-x, y as f32));
                }
            }
        }
    }
    pairs
}

/// a·2^s if it is a binary32 number.
fn number(a: u64, s: i32) -> Option<f32> {
    let exact = a as f64 * f64::from(s).exp2();
    (f64::from(exact as f32) == exact).then_some(exact as f32)
}

/// The pairs and their neighbours: x or y one ULP up or down. Powers of neighbours are as close to 25-bit
/// numbers as powers get.
pub fn with_neighbours(pairs: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let beside = |&(x, y): &(f32, f32)| {
        [(x, y), (x.next_up(), y), (x.next_down(), y), (x, y.next_up()), (x, y.next_down())]
    };
    pairs.iter().flat_map(beside).collect()
}
