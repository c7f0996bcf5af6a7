//! Builtins on integers, and those on the bits of nums, compared with Rust's own operations, without
//! `Op::apply`.

use super::RandomOperands;
use super::evaluator::{ConcreteValue, apply, call};
use crate::builtins::Builtin;
use crate::builtins::samples::floored_remainder;
use lambdav_core::float::{canonical_bits, same};
use lambdav_core::types::{Scalar, Type};

/// Integers near the limits, near powers of two, and any others.
fn words() -> Vec<u32> {
    let powers = (0..32).map(|k| 1_u32 << k).flat_map(|p| [p, p - 1, p.wrapping_neg()]);
    let mut words: Vec<u32> = powers.chain([3, 5, 7, 0x5555_5555, 0xdead_beef]).collect();
    let mut random = RandomOperands::new();
    words.extend((0..16).map(|_| random.bits()));
    words.sort_unstable();
    words.dedup();
    assert!(words.len() >= 60);
    words
}

/// The value of a builtin at scalars, given as types and bits.
fn value(name: &str, operands: &[(Type, u32)]) -> ConcreteValue {
    let operands: Vec<ConcreteValue> =
        operands.iter().map(|&(ty, word)| ConcreteValue { ty, bits: vec![word] }).collect();
    apply(Builtin::lookup(name).expect("a builtin"), &operands)
}

/// A builtin's name, and its meaning in Rust for ints and for uints.
type Meaning = (&'static str, fn(i32, i32) -> i32, fn(u32, u32) -> u32);

fn check(table: &[Meaning], count: usize) {
    let words = words();
    let seconds = if count == 1 { &words[..1] } else { &words };
    for &(name, ints, uints) in table {
        for (&a, &b) in words.iter().flat_map(|a| seconds.iter().map(move |b| (a, b))) {
            for ty in [Type::INT, Type::UINT] {
                let found = value(name, &[(ty, a), (ty, b)][..count]);
                let expected = match ty {
                    Type::INT => ints(a as i32, b as i32) as u32,
                    _ => uints(a, b),
                };
                assert_eq!((found.ty, found.bits[0]), (ty, expected), "{name} {a:#x} {b:#x}");
            }
        }
    }
}

#[test]
fn of_one_integer() {
    check(
        &[
            ("-", |a, _| a.wrapping_neg(), |a, _| 0_u32.wrapping_sub(a)),
            ("abs", |a, _| a.wrapping_abs(), |a, _| a),
            ("sign", |a, _| a.signum(), |a, _| u32::from(a > 0)),
            ("bit-not", |a, _| !a, |a, _| !a),
            ("count-ones", |a, _| a.count_ones() as i32, |a, _| a.count_ones()),
            ("leading-zeros", |a, _| a.leading_zeros() as i32, |a, _| a.leading_zeros()),
            ("trailing-zeros", |a, _| a.trailing_zeros() as i32, |a, _| a.trailing_zeros()),
            ("reverse-bits", |a, _| a.reverse_bits(), |a, _| a.reverse_bits()),
            (
                "first-leading-bit",
                |a, _| (if a < 0 { !a } else { a }).checked_ilog2().map_or(-1, |k| k as i32),
                |a, _| a.checked_ilog2().unwrap_or(u32::MAX),
            ),
            (
                "first-trailing-bit",
                |a, _| if a == 0 { -1 } else { a.trailing_zeros() as i32 },
                |a, _| if a == 0 { u32::MAX } else { a.trailing_zeros() },
            ),
        ],
        1,
    );
}

#[test]
fn of_two_integers() {
    check(
        &[
            ("+", i32::wrapping_add, u32::wrapping_add),
            ("-", i32::wrapping_sub, u32::wrapping_sub),
            ("*", i32::wrapping_mul, u32::wrapping_mul),
            ("min", |a, b| a.min(b), |a, b| a.min(b)),
            ("max", |a, b| a.max(b), |a, b| a.max(b)),
            (
                "div",
                |a, b| if b == 0 { a } else { a.overflowing_div(b).0 },
                |a, b| a.checked_div(b).unwrap_or(a),
            ),
            (
                "rem",
                |a, b| if b == 0 { 0 } else { a.overflowing_rem(b).0 },
                |a, b| a.checked_rem(b).unwrap_or(0),
            ),
            (
                // Floored remainder: the Euclidean remainder, plus the divisor if that is negative.
                "mod",
                |a, b| match i64::from(b) {
                    0 => 0,
                    b => {
                        let r = i64::from(a).rem_euclid(b);
                        (if b < 0 && r != 0 { r + b } else { r }) as i32
                    }
                },
                |a, b| a.checked_rem(b).unwrap_or(0),
            ),
            (
                "mul-high",
                |a, b| (i64::from(a) * i64::from(b)).div_euclid(1 << 32) as i32,
                |a, b| (u64::from(a) * u64::from(b) / (1 << 32)) as u32,
            ),
            ("bit-and", |a, b| a & b, |a, b| a & b),
            ("bit-or", |a, b| a | b, |a, b| a | b),
            ("bit-xor", |a, b| a ^ b, |a, b| a ^ b),
            ("shift-left", |a, n| a << (n & 31), |a, n| a << (n % 32)),
            ("shift-right", |a, n| a >> (n & 31), |a, n| a >> (n % 32)),
            ("dot", i32::wrapping_mul, u32::wrapping_mul),
        ],
        2,
    );
}

#[test]
fn comparisons() {
    type Holds = fn(std::cmp::Ordering) -> bool;
    let words = words();
    let table: [(&str, Holds); 6] = [
        ("eq", |o| o.is_eq()),
        ("neq", |o| o.is_ne()),
        ("less", |o| o.is_lt()),
        ("less-eq", |o| o.is_le()),
        ("greater", |o| o.is_gt()),
        ("greater-eq", |o| o.is_ge()),
    ];
    for (name, holds) in table {
        for (&a, &b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            let found = value(name, &[(Type::INT, a), (Type::INT, b)]).bits[0] != 0;
            assert_eq!(found, holds((a as i32).cmp(&(b as i32))), "{name} {a} {b}");
            let found = value(name, &[(Type::UINT, a), (Type::UINT, b)]).bits[0] != 0;
            assert_eq!(found, holds(a.cmp(&b)), "{name} {a} {b}");
        }
    }
}

/// A shift by an `int`, except of a `uint`, and the clamped fields of WGSL.
#[test]
fn fields_of_bits() {
    let words = words();
    let ends = [0, 1, 3, 8, 16, 30, 31, 32, 33, 64, 0x8000_0000, u32::MAX];
    for (k, &e) in words.iter().enumerate() {
        let new = words[words.len() - 1 - k];
        for (&offset, &count) in ends.iter().flat_map(|o| ends.iter().map(move |c| (o, c))) {
            let o = offset.min(32);
            let c = count.min(32 - o);
            // In 64 bits, so that no shift is too long.
            let mask = ((1_u64 << c) - 1) << o;
            let bits = (u64::from(e) & mask) >> o;
            let is_negative = c > 0 && bits >> (c - 1) == 1;
            let signed = if is_negative { bits.wrapping_sub(1 << c) } else { bits };
            let inserted = u64::from(e) & !mask | (u64::from(new) << o) & mask;
            let field = [(Type::UINT, offset), (Type::UINT, count)];
            for (ty, extracted) in [(Type::INT, signed), (Type::UINT, bits)] {
                let found = value("extract-bits", &[&[(ty, e)][..], &field].concat());
                assert_eq!(found.bits[0], extracted as u32, "{ty:?} {e:#x} {offset} {count}");
                let found = value("insert-bits", &[&[(ty, e), (ty, new)][..], &field].concat());
                assert_eq!((found.ty, found.bits[0]), (ty, inserted as u32));
            }
        }
    }
}

/// Vectors are computed componentwise; scalars of the same kind are broadcast.
#[test]
fn vectors() {
    let mut random = RandomOperands::new();
    let names = [
        "mod",
        "sign",
        "div",
        "shift-left",
        "shift-right",
        "count-ones",
        "leading-zeros",
        "trailing-zeros",
        "reverse-bits",
        "first-leading-bit",
        "first-trailing-bit",
        "clamp",
        "bit-xor",
        "exponent",
        "significand",
        "ldexp",
        "fma",
        "bits",
        "from-bits",
        "int",
        "uint",
        "num",
        "extract-bits",
        "insert-bits",
    ];
    let scalars = [Scalar::F32, Scalar::I32, Scalar::U32];
    let types: Vec<Type> =
        scalars.iter().flat_map(|&scalar| [1, 3].map(|n| Type::of(scalar, n))).collect();
    let mut compared = 0;
    for name in names {
        let builtin = Builtin::lookup(name).expect("a builtin");
        for count in 1..=4 {
            for types in super::tuples(&types, count) {
                let operands: Vec<_> = types.iter().map(|&ty| ty.into()).collect();
                let Ok(resolved) = builtin.resolve(&operands) else { continue };
                if resolved.result.width() != Some(3) {
                    continue;
                }
                let values: Vec<ConcreteValue> = types.iter().map(|&ty| random.value(ty)).collect();
                let found = apply(builtin, &values);
                for i in 0..3 {
                    let component = |v: &ConcreteValue| {
                        let scalar = Type::of(v.ty.scalar().expect("a scalar or vector"), 1);
                        (scalar, v.bits[i.min(v.bits.len() - 1)])
                    };
                    let components: Vec<_> = values.iter().map(component).collect();
                    assert_eq!(value(name, &components).bits[0], found.bits[i], "{name} {types:?}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "{compared}");
}

fn nums() -> Vec<f32> {
    let special =
        [0.0, -0.0, 1.0, 1.5, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 1e-45];
    let limits = [2_147_483_648.0_f32, 4_294_967_296.0, 8_388_608.0, 16_777_216.0, 1.0, 0.5];
    let mut nums: Vec<f32> = special.into();
    nums.extend(limits.iter().flat_map(|x| [x.next_down(), *x, x.next_up()]));
    nums.extend(nums.clone().iter().map(|x| -x));
    let mut random = RandomOperands::new();
    nums.extend((0..2_000).map(|_| random.number()));
    nums
}

fn of_num(name: &str, x: f32) -> u32 {
    value(name, &[(Type::NUM, x.to_bits())]).bits[0]
}

#[test]
fn conversions() {
    for x in nums() {
        // By wider integers, which saturate far beyond.
        let wide = if x.is_nan() { 0 } else { f64::from(x) as i128 };
        assert_eq!(of_num("int", x), wide.clamp(i32::MIN.into(), i32::MAX.into()) as u32, "{x}");
        assert_eq!(of_num("uint", x), wide.clamp(0, u32::MAX.into()) as u32, "{x}");
        assert_eq!(of_num("bool", x), u32::from(x != 0.0), "{x}");
        let bits = canonical_bits(x);
        assert_eq!(of_num("bits", x), bits);
        assert!(same(f32::from_bits(value("from-bits", &[(Type::UINT, x.to_bits())]).bits[0]), x));
    }
    for word in words() {
        // A single rounding: each integer is exact in binary64.
        let int = (f64::from(word as i32) as f32).to_bits();
        assert_eq!(value("num", &[(Type::INT, word)]).bits, [int]);
        assert_eq!(value("num", &[(Type::UINT, word)]).bits, [(f64::from(word) as f32).to_bits()]);
        assert_eq!(value("int", &[(Type::UINT, word)]).bits, [word]);
        assert_eq!(value("uint", &[(Type::INT, word)]).bits, [word]);
        assert_eq!(value("bool", &[(Type::INT, word)]).bits, [u32::from(word != 0)]);
    }
    for truth in [0, 1] {
        assert_eq!(value("uint", &[(Type::BOOL, truth)]).bits, [truth]);
        assert_eq!(value("num", &[(Type::BOOL, truth)]).bits, [(truth as f32).to_bits()]);
    }
}

#[test]
fn scaling() {
    let exponents =
        [0, 1, -1, 2, 23, 24, -24, 126, -126, 127, -149, 149, -150, 200, -200, 277, -278];
    for x in nums() {
        let [exponent, significand] = ["exponent", "significand"].map(|name| of_num(name, x));
        let (n, s) = (exponent as i32, f32::from_bits(significand));
        if x == 0.0 || !x.is_finite() {
            assert!(n == 0 && same(s, x), "{x}");
        } else {
            assert!((0.5..1.0).contains(&s.abs()), "{x}: {s}");
            assert_eq!(f64::from(s) * f64::from(n).exp2(), f64::from(x), "{x}");
        }
        for n in exponents.into_iter().chain([i32::MIN, i32::MAX, 1_000]) {
            // Exact in binary64 unless the result overflows or underflows.
            let expected = (f64::from(x) * f64::from(n.clamp(-700, 700)).exp2()) as f32;
            let found = value("ldexp", &[(Type::NUM, x.to_bits()), (Type::INT, n as u32)]).bits[0];
            assert!(same(f32::from_bits(found), expected), "{x:e} {n}");
        }
    }
    let mut random = RandomOperands::new();
    for _ in 0..20_000 {
        let [a, b, c] = [random.number(), random.number(), random.number()];
        let operands = [a, b, c].map(|x| (Type::NUM, x.to_bits()));
        let found = f32::from_bits(value("fma", &operands).bits[0]);
        assert!(same(found, a.mul_add(b, c)), "{a:e} {b:e} {c:e}");
    }
}

/// The components in a word, from the lowest bits on.
fn parts(word: u32, bits: u32) -> Vec<u32> {
    (0..32 / bits).map(|k| (word >> (k * bits)) & ((1_u64 << bits) - 1) as u32).collect()
}

/// Every integer of 8 and of 16 bits, the midpoint to the next one, and numbers next to these.
#[test]
fn normalized_integers() {
    for (pack, unpack, bits, is_signed) in [
        ("pack-unorm4x8", "unpack-unorm4x8", 8, false),
        ("pack-snorm4x8", "unpack-snorm4x8", 8, true),
        ("pack-unorm2x16", "unpack-unorm2x16", 16, false),
        ("pack-snorm2x16", "unpack-snorm2x16", 16, true),
    ] {
        let limit = (1_i64 << (bits - u32::from(is_signed))) - 1;
        let least = if is_signed { -limit } else { 0 };
        let builtin = Builtin::lookup(pack).expect("a builtin");
        let width = (32 / bits) as usize;
        let step = if bits == 16 { 7 } else { 1 };
        let mut numbers = nums();
        for k in (least - 1..=limit).step_by(step) {
            for halves in [2 * k, 2 * k + 1] {
                let x = (halves as f64 / (2 * limit) as f64) as f32;
                numbers.extend([x.next_down(), x, x.next_up()]);
            }
        }
        for xs in numbers.chunks_exact(width) {
            let found = apply(builtin, &[ConcreteValue::of(Type::vec(width as u8), xs)]);
            assert_eq!(found.ty, Type::UINT);
            for (&x, part) in xs.iter().zip(parts(found.bits[0], bits)) {
                let exact = f64::from(if x.is_nan() { 0.0 } else { x }) * limit as f64;
                let expected = exact.round_ties_even().clamp(least as f64, limit as f64) as i64;
                assert_eq!(part, expected as u32 & ((1_u64 << bits) - 1) as u32, "{pack} {x:e}");
            }
        }
        for k in (0..1_u32 << bits).step_by(width) {
            let word = (0..width as u32).fold(0, |word, i| word | (k + i) << (i * bits));
            let found = value(unpack, &[(Type::UINT, word)]).floats();
            for (found, part) in found.into_iter().zip(parts(word, bits)) {
                let is_negative = is_signed && part >> (bits - 1) == 1;
                let value = i64::from(part) - if is_negative { 1 << bits } else { 0 };
                let expected = (value as f32 / limit as f32).max(-1.0);
                assert!(same(found, expected), "{unpack} {part:#x}: {found}");
            }
        }
    }
}

/// The number with the bits of a binary16, from its definition.
fn half(bits: u32) -> f64 {
    let (exponent, fraction) = ((bits >> 10 & 31) as i32, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * f64::from(-24).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[test]
fn halves() {
    let pack = |a: f32, b: f32| {
        let operand = ConcreteValue::of(Type::vec(2), &[a, b]);
        apply(Builtin::lookup("pack-half2x16").expect("a builtin"), &[operand]).bits[0]
    };
    let unpack = |word| value("unpack-half2x16", &[(Type::UINT, word)]).floats();
    for bits in 0..0x1_0000_u32 {
        let other = bits ^ 0x8000;
        let found = unpack(bits | other << 16);
        for (found, bits) in found.iter().zip([bits, other]) {
            assert!(same(*found, half(bits) as f32), "{bits:#x}");
        }
    }
    // The ties lie midway between neighbours.
    for bits in (0..0x7c00).step_by(3) {
        let (low, mut high) = (half(bits), half(bits + 1));
        if high.is_infinite() {
            high = 65_536.0;
        }
        let even = bits + (bits & 1);
        let middle = ((low + high) / 2.0) as f32;
        let next = bits + 1;
        assert_eq!(pack(low as f32, -middle), bits | (even | 0x8000) << 16);
        assert_eq!(pack(middle.next_down(), middle.next_up()), bits | next << 16, "{bits:#x}");
    }
    assert_eq!(pack(f32::NAN, -f32::INFINITY), 0x7e00 | 0xfc00 << 16);
    assert_eq!(pack(f32::MAX, -1e-45), 0x7c00 | 0x8000 << 16);
}

/// The coordinates that textures wrap by, for each positive size.
#[test]
fn floored_remainders() {
    let words = words();
    let text = format!("(func (p n) {})", floored_remainder("p", "n"));
    let int = |word| ConcreteValue { ty: Type::INT, bits: vec![word] };
    for (&a, &n) in words.iter().flat_map(|a| words.iter().map(move |n| (a, n))) {
        if (n as i32) > 0 {
            let expected = (a as i32).rem_euclid(n as i32) as u32;
            assert_eq!(call(&text, &[int(a), int(n)]).bits, [expected], "{a:#x} {n:#x}");
        }
    }
}
