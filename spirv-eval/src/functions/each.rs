//! Access to operands as floats or words.

use super::super::arithmetic::word;
use super::super::code::Operand;

/// A component of an operand as a float. (Zero if absent, which type checks exclude.)
pub(super) fn number(of: &[Operand<'_>], operand: usize, component: usize) -> f32 {
    f32::from_bits(bits(of, operand, component))
}

/// A component of an operand.
pub(super) fn bits(of: &[Operand<'_>], operand: usize, component: usize) -> u32 {
    of.get(operand).and_then(|of| of.words.get(component)).copied().unwrap_or(0)
}

/// All components of an operand as floats.
pub(super) fn numbers(of: &[Operand<'_>], operand: usize) -> Vec<f32> {
    let words = of.get(operand).map_or(&[][..], |of| of.words);
    words.iter().map(|&word| f32::from_bits(word)).collect()
}

/// Applies a function of floats to each component.
pub(super) fn each(of: &[Operand<'_>], out: &mut [u32], f: impl Fn([f32; 3]) -> f32) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = word(f([0, 1, 2].map(|operand| number(of, operand, k))));
    }
}

/// Applies a function of words to each component.
pub(super) fn each_word(of: &[Operand<'_>], out: &mut [u32], f: impl Fn([u32; 3]) -> u32) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = f([0, 1, 2].map(|operand| bits(of, operand, k)));
    }
}

/// Writes floats to the result.
pub(super) fn put(out: &mut [u32], numbers: impl IntoIterator<Item = f32>) {
    for (out, number) in out.iter_mut().zip(numbers) {
        *out = word(number);
    }
}
