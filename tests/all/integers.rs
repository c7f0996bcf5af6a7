//! Expressions of two integers against Rust's own operations, for all pairs of integers near powers of two:
//! in the core evaluator, the SPIR-V evaluator and machine code at all numbers of lanes.

use lambdav_core::float::canonical_bits;
use lambdav_engine::Settings;
use lambdav_engine::engines::{CoreEngine, SimdEngine, SpirvEngine};
use lambdav_engine::program::Loaded;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::registers::Shape;

/// Powers of two, their predecessors and their negations.
fn word(i: u32) -> u32 {
    let power = 1_u32 << (i % 32);
    match i / 32 {
        0 => power,
        1 => power - 1,
        _ => power.wrapping_neg(),
    }
}

/// The same in λV: `a` and `b` depend on the pixel.
const WORDS: &str = "
(define (word i)
  (let ((power (shift-left 1u (rem i 32u))))
    (if (< i 32u) power (if (< i 64u) (- power 1u) (- power)))))
(define a (word (uint (.x (frag-coord)))))
(define b (word (uint (.y (frag-coord)))))";

const SIDE: u32 = 96;

/// An expression of the uints `a` and `b`, and its definition in Rust.
type Meaning = (&'static str, fn(u32, u32) -> u32);

fn signed(f: impl Fn(i64, i64) -> i64) -> impl Fn(u32, u32) -> u32 {
    move |a, b| f(i64::from(a as i32), i64::from(b as i32)) as u32
}

const TABLE: &[Meaning] = &[
    ("(+ a b)", u32::wrapping_add),
    ("(- a b)", u32::wrapping_sub),
    ("(* a b)", u32::wrapping_mul),
    ("(- (int a))", |a, _| a.wrapping_neg()),
    ("(abs (int a))", |a, _| (a as i32).unsigned_abs()),
    ("(sign (int a))", |a, _| (a as i32).signum() as u32),
    ("(div (int a) (int b))", |a, b| signed(|a, b| if b == 0 { a } else { a / b })(a, b)),
    ("(rem (int a) (int b))", |a, b| signed(|a, b| if b == 0 { 0 } else { a % b })(a, b)),
    ("(mod (int a) (int b))", |a, b| signed(|a, b| if b == 0 { 0 } else { (a % b + b) % b })(a, b)),
    ("(div a b)", |a, b| a.checked_div(b).unwrap_or(a)),
    ("(rem a b)", |a, b| a.checked_rem(b).unwrap_or(0)),
    ("(mod a b)", |a, b| a.checked_rem(b).unwrap_or(0)),
    ("(mul-high (int a) (int b))", |a, b| signed(|a, b| (a * b).div_euclid(1 << 32))(a, b)),
    ("(mul-high a b)", |a, b| (u64::from(a) * u64::from(b) / (1 << 32)) as u32),
    ("(min (int a) (int b))", |a, b| signed(i64::min)(a, b)),
    ("(max (int a) (int b))", |a, b| signed(i64::max)(a, b)),
    ("(min a b)", |a, b| a.min(b)),
    ("(max a b)", |a, b| a.max(b)),
    ("(uint (< (int a) (int b)))", |a, b| signed(|a, b| (a < b).into())(a, b)),
    ("(uint (<= (int a) (int b)))", |a, b| signed(|a, b| (a <= b).into())(a, b)),
    ("(uint (> a b))", |a, b| (a > b).into()),
    ("(uint (>= a b))", |a, b| (a >= b).into()),
    ("(uint (= a b))", |a, b| (a == b).into()),
    ("(uint (!= a b))", |a, b| (a != b).into()),
    ("(bit-and a b)", |a, b| a & b),
    ("(bit-or a b)", |a, b| a | b),
    ("(bit-xor (int a) (int b))", |a, b| a ^ b),
    ("(bit-not a)", |a, _| !a),
    ("(shift-left a b)", |a, b| a << (b % 32)),
    ("(shift-left (int a) (int b))", |a, b| a << (b % 32)),
    ("(shift-left a (uint (.y (resolution))))", |a, _| a << (SIDE % 32)),
    ("(shift-right a b)", |a, b| a >> (b % 32)),
    ("(shift-right (int a) b)", |a, b| ((a as i32) >> (b % 32)) as u32),
    ("(shift-right (int a) 7i)", |a, _| ((a as i32) >> 7) as u32),
    ("(count-ones (bit-xor a b))", |a, b| (a ^ b).count_ones()),
    ("(leading-zeros (bit-and a b))", |a, b| (a & b).leading_zeros()),
    ("(trailing-zeros (bit-and a b))", |a, b| (a & b).trailing_zeros()),
    ("(reverse-bits (+ a b))", |a, b| a.wrapping_add(b).reverse_bits()),
    ("(first-leading-bit (int (+ a b)))", |a, b| {
        let sum = a.wrapping_add(b) as i32;
        (if sum < 0 { !sum } else { sum }).checked_ilog2().unwrap_or(u32::MAX)
    }),
    ("(first-trailing-bit (+ a b))", |a, b| {
        let sum = a.wrapping_add(b);
        if sum == 0 { u32::MAX } else { sum.trailing_zeros() }
    }),
    ("(extract-bits (int a) (shift-right b 3u) (shift-right b 2u))", |a, b| {
        let offset = (b >> 3).min(32);
        let count = (b >> 2).min(32 - offset);
        if count == 0 {
            return 0;
        }
        ((i128::from(a) << (128 - offset - count)) >> (128 - count)) as u32
    }),
    ("(insert-bits a b (shift-right b 3u) (shift-right b 2u))", |a, b| {
        let offset = (b >> 3).min(32);
        let count = (b >> 2).min(32 - offset);
        let mask = ((1_u64 << count) - 1) << offset;
        (u64::from(a) & !mask | (u64::from(b) << offset) & mask) as u32
    }),
    ("(int (from-bits a))", |a, _| f32::from_bits(a) as i32 as u32),
    ("(uint (from-bits a))", |a, _| f32::from_bits(a) as u32),
    ("(uint (bool (from-bits a)))", |a, _| (f32::from_bits(a) != 0.0).into()),
    ("(int (* (num (int a)) 1.5))", |a, _| (a as i32 as f32 * 1.5) as i32 as u32),
    ("(uint (* (num a) 1.5))", |a, _| (a as f32 * 1.5) as u32),
    ("(bits (num (int (+ a b))))", |a, b| (a.wrapping_add(b) as i32 as f32).to_bits()),
    ("(bits (num (+ a b)))", |a, b| (a.wrapping_add(b) as f32).to_bits()),
    ("(bits (* (from-bits a) (from-bits b)))", |a, b| {
        canonical_bits(f32::from_bits(a) * f32::from_bits(b))
    }),
    ("(bits (fma (num (int a)) (num b) (from-bits (bit-xor a b))))", |a, b| {
        canonical_bits((a as i32 as f32).mul_add(b as f32, f32::from_bits(a ^ b)))
    }),
    ("(bits (fma (from-bits a) (from-bits b) (from-bits 0x00000003u)))", |a, b| {
        canonical_bits(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(3)))
    }),
    ("(bits (ldexp (from-bits a) (int b)))", |a, b| {
        // Exact in binary64, except for results that certainly overflow or underflow.
        let factor = f64::from((b as i32).clamp(-700, 700)).exp2();
        canonical_bits((f64::from(f32::from_bits(a)) * factor) as f32)
    }),
];

/// The upper and lower half of each pixel's value, as numbers.
fn draw(kernel: &impl Kernel) -> Vec<[u32; 2]> {
    let size = Size::new(SIDE, SIDE).expect("a small size");
    let mut samples = vec![0.0; (SIDE * SIDE * 4) as usize];
    let tile = Tile { x: 0, y: 0, width: SIDE, height: SIDE };
    let mut buffer = TileBuffer::new(tile, &mut samples);
    kernel.tile(tile, &mut buffer, &Cancel::never(size)).expect("there are no loops");
    samples.chunks_exact(4).map(|pixel| [pixel[0] as u32, pixel[1] as u32]).collect()
}

#[test]
fn all_pairs_on_every_engine() {
    for (expression, meaning) in TABLE {
        let text = format!(
            "{WORDS}\n(define r (uint {expression}))\n\
             (vec2 (num (shift-right r 16u)) (num (bit-and r 0xffffu)))"
        );
        let loaded = Loaded::from_text("integers.lv", &text);
        let core = loaded.core.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        let settings = Settings::new(&core, Size::new(SIDE, SIDE).expect("a small size"));
        let check = |name: &str, found: Vec<[u32; 2]>| {
            for (at, [high, low]) in (0..).zip(found) {
                let (a, b) = (word(at % SIDE), word(at / SIDE));
                let (found, expected) = (high << 16 | low, meaning(a, b));
                assert_eq!(found, expected, "{name}: {expression} of {a:#x} {b:#x}");
            }
        };
        check("core", draw(&CoreEngine::new(&core, 0, &settings).expect("it schedules")));
        check("spirv", draw(&SpirvEngine::new(&core, 0, &settings).expect("it compiles")));
        for lanes in Shape::LANES {
            let engine = SimdEngine::new(&core, 0, &settings, Some(lanes)).expect("it compiles");
            check(&format!("{lanes} lanes"), draw(&engine));
        }
    }
}
