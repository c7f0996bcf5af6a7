//! Single operations on a device, with many operands.

use lambdav_core::float::canonical_bits;
use lambdav_core::op::Op;
use lambdav_core::types::Scalar;
use lambdav_gpu::probe::apply;
use lambdav_gpu::{Device, forever};
use lambdav_spirv_backend::emit::EmitOptions;

/// Bits of numbers: special ones, then random ones. Half of these have uniform bits, half are near 1.
fn words(count: usize, seed: u64) -> Vec<u32> {
    let special = [
        0,
        1,
        2,
        0x0000_ffff,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0100_0000,
        0x1f80_0000,
        0x2000_0000,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x4000_0000,
        0x4049_0fdb,
        0x42b1_7218,
        0x4b7f_ffff,
        0x4b80_0000,
        0x4f00_0000,
        0x7149_f2ca,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
    ];
    let mut state = seed;
    let random = std::iter::repeat_with(move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let word = (state >> 32) as u32;
        if state >> 31 & 1 == 0 { word } else { word & 0x87ff_ffff | 0x3800_0000 }
    });
    let special = special.into_iter().flat_map(|word| [word, word | 1 << 31]);
    special.chain(random).take(count).collect()
}

/// Products that are midpoints of two numbers, with an addend that 53 bits cannot hold beside them.
const MIDDLES: [[f32; 3]; 4] = [
    [97.0, 172_961.0, 1e-12],
    [97.0, -172_961.0, 1e-12],
    [97.0 / 1024.0, 172_961.0, -1e-14],
    [97e-30, 172_961.0, 1e-45],
];

/// Operands: hard products with addends, all pairs of special numbers, and random numbers.
pub fn operands(count: usize, seed: u64) -> Vec<[u32; 3]> {
    let special = words(50, 0);
    let pairs = special.iter().flat_map(|&a| special.iter().map(move |&b| [a, b]));
    let random = words(count, seed).into_iter().zip(words(count, seed + 1));
    let third = words(2500 + count, seed + 2);
    let pairs = pairs.chain(random.map(|(a, b)| [a, b]));
    let triples = pairs.zip(third).map(|([a, b], c)| [a, b, c]);
    MIDDLES.map(|of| of.map(f32::to_bits)).into_iter().chain(triples).collect()
}

/// Number of wrong results of an operation on numbers, and a description of the first.
///
/// # Panics
///
/// If the device cannot draw.
pub fn wrong(
    device: &Device,
    options: &EmitOptions,
    op: Op,
    operands: &[[u32; 3]],
    expected: impl Fn([f32; 3]) -> f32,
) -> (usize, String) {
    let arity = match op {
        Op::Elementary(function) => function.arity(),
        Op::Fma => 3,
        Op::Sqrt => 1,
        _ => 2,
    };
    let of = &[Scalar::F32; 3][..arity];
    let found = apply(device, options, op, of, operands, &forever).expect("it draws");
    let both = operands.iter().zip(found);
    let differ =
        both.map(|(of, found)| (of, canonical_bits(expected(of.map(f32::from_bits))), found));
    let differ: Vec<_> = differ.filter(|(_, wanted, found)| wanted != found).collect();
    let first = differ.first().map(|(of, wanted, found)| {
        format!("{op:?} of {:08x?} is {found:08x}, not {wanted:08x}", &of[..arity])
    });
    (differ.len(), first.unwrap_or_default())
}

/// An operation and its definition.
pub type Meaning = (Op, fn([f32; 3]) -> f32);

/// Arithmetic operations and their definitions.
pub const ARITHMETIC: [Meaning; 6] = [
    (Op::Add, |[a, b, _]| a + b),
    (Op::Sub, |[a, b, _]| a - b),
    (Op::Mul, |[a, b, _]| a * b),
    (Op::Div, |[a, b, _]| a / b),
    (Op::Sqrt, |[a, ..]| a.sqrt()),
    (Op::Fma, |[a, b, c]| a.mul_add(b, c)),
];
