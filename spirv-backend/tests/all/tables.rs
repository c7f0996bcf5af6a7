//! Computes the constants of the library of exact modules by integer arithmetic.
//!
//! `BLESS=1 cargo test -p lambdav-spirv-backend --test all -- tables` writes `library/tables.lv`.

use num_bigint::{BigInt, BigUint};
use std::fmt::Write;
use std::path::Path;

/// Fraction bits of a constant.
const BITS: u32 = 112;
/// Fraction bits of intermediate results.
const MORE: u32 = 400;
/// Bias added to the limbs of alternating series: a number equal to 0.
const BIAS: [u32; 4] = [0xffff_fff8, 0x7fff_fff8, 0x7fff_fff8, 0x8000_0000];

fn one(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// The sum of (-1)^k / ((2k+1) n^(2k+1)), or of its absolute values: the arctangent of 1/n, or the
/// hyperbolic one.
fn inverse_tangent(n: u32, alternating: bool) -> BigInt {
    let mut sum = BigInt::from(0);
    let mut power = one(MORE) / n;
    let mut k = 0_u32;
    while power != BigInt::from(0) {
        let term = &power / (2 * k + 1);
        sum += if alternating && k % 2 == 1 { -term } else { term };
        power /= n * n;
        k += 1;
    }
    sum
}

/// π (C. F. Gauss).
fn pi() -> BigInt {
    let angle = |n| inverse_tangent(n, true);
    4 * (12 * angle(18) + 8 * angle(57) - 5 * angle(239))
}

/// ln 2, by sums of logarithms at 26, 4801 and 8749 (= 2 · 3^7 · …).
fn ln_2() -> BigInt {
    let area = |n| inverse_tangent(n, false);
    18 * area(26) - 2 * area(4801) + 8 * area(8749)
}

fn log2_e() -> BigInt {
    one(2 * MORE) / ln_2()
}

/// The leading bits.
fn truncated(value: BigInt) -> BigInt {
    value >> (MORE - BITS)
}

/// n / d.
fn quotient(n: BigInt, d: BigInt) -> BigInt {
    (n << BITS) / d
}

fn factorial(n: u32) -> BigInt {
    (1..=n).map(BigInt::from).product()
}

fn limbs(value: &BigInt, bias: [u32; 4]) -> String {
    let value = BigUint::try_from(value.clone()).expect("it is not negative");
    let mask = BigUint::from(0xfff_ffff_u32);
    let limb = |k: u32| {
        let shifted: BigUint = &value >> (28 * (3 - k));
        let limb = if k == 0 { shifted } else { shifted & &mask };
        u32::try_from(limb).expect("a constant is below 16").wrapping_add(bias[k as usize])
    };
    format!("(uvec4 {:#x}u {:#x}u {:#x}u {:#x}u)", limb(0), limb(1), limb(2), limb(3))
}

/// Writes a table. An alternating series has the bias added to its limbs, and its first coefficient, 1,
/// is written as 1 - 2^-112.
fn table(page: &mut String, name: &str, doc: &str, alternating: bool, terms: &[BigInt]) {
    writeln!(page, "; {doc}\n(define {name} (array").expect("writing to a string");
    let bias = if alternating { BIAS } else { [0; 4] };
    for term in terms {
        writeln!(page, "  {}", limbs(term, bias)).expect("writing to a string");
    }
    page.push_str("))\n\n");
}

fn page() -> String {
    let mut page = "; Constants of the elementary functions: numbers v.x * 2^-28 + v.y * 2^-56 + v.z * 2^-84 + v.w * 2^-112, \
                    truncated.\n; `BLESS=1 cargo test -p lambdav-spirv-backend --test all -- tables` writes them.\n\n"
        .to_owned();
    for (name, doc, value) in [
        ("quarter-pi", "pi/4", pi() / 4),
        ("ln-2", "ln 2", ln_2()),
        ("half-log2-e", "log2(e)/2", log2_e() / 2),
    ] {
        let limbs = limbs(&truncated(value), [0; 4]);
        writeln!(page, "; {doc}\n(define {name} {limbs})\n").expect("writing to a string");
    }
    let inverse: BigInt = one(2 * MORE + 1) / pi();
    let words = (1..=9).map(|k| {
        let word: BigInt = (&inverse >> (MORE - 32 * k)) & BigInt::from(u32::MAX);
        format!(" {word:#x}u")
    });
    let words: String = words.collect();
    writeln!(
        page,
        "; 2/pi after 64 zeros, in words\n(define two-over-pi (array 0x0u 0x0u{words}))\n"
    )
    .expect("writing to a string");
    let almost_one: BigInt = one(BITS) - 1;
    let from_first = |first: BigInt, rest: &mut dyn Iterator<Item = BigInt>| -> Vec<BigInt> {
        std::iter::once(first).chain(rest).collect()
    };
    let inverse_factorial = |n: u32| quotient(1.into(), factorial(n));
    let mut circle = vec![almost_one.clone(), almost_one.clone()];
    circle.extend((2..30).map(|n| inverse_factorial(n + 1 - 2 * (n % 2))));
    table(&mut page, "circle-table", "1/(2n+1)! and 1/(2n)!, alternating series", true, &circle);
    let terms = from_first(almost_one.clone(), &mut (1..30).map(inverse_factorial));
    table(&mut page, "exp-table", "1/n!, alternating series", true, &terms);
    let odd = |n: u32| quotient(1.into(), (2 * n + 1).into());
    let terms = from_first(almost_one, &mut (1..48).map(odd));
    table(&mut page, "atan-table", "1/(2n+1), alternating series", true, &terms);
    let terms: Vec<BigInt> = (0..24).map(odd).collect();
    table(&mut page, "log-table", "1/(2n+1)", false, &terms);
    let terms: Vec<BigInt> = (0..24).map(|n| truncated(log2_e() / (2 * (2 * n + 1)))).collect();
    table(&mut page, "log2-table", "log2(e)/(2(2n+1))", false, &terms);
    let arcsine = |n: u32| {
        let divisor = (factorial(n) * factorial(n) * (2 * n + 1)) << (2 * n);
        quotient(factorial(2 * n), divisor)
    };
    let terms: Vec<BigInt> = (0..56).map(arcsine).collect();
    table(&mut page, "asin-table", "(2n)!/(4^n n!^2 (2n+1))", false, &terms);
    page
}

#[test]
fn the_constants_are_those_of_the_formulas() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("library/tables.lv");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("the constants can be written");
    }
    let known = std::fs::read_to_string(&path).expect("the constants are there");
    for (line, (found, expected)) in known.lines().zip(page.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", line + 1);
    }
    assert!(known == page, "the constants have to be written again");
}
