//! The expanded builtins of λV in Rust, in the order of operations of LANGUAGE §6.

use std::array::from_fn;

pub(super) type Vec2 = [f32; 2];
pub(super) type Vec3 = [f32; 3];

pub(super) fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

pub(super) fn max(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

pub(super) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    min(max(x, low), high)
}

pub(super) fn fract(x: f32) -> f32 {
    x - x.floor()
}

pub(super) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// An operation on the components of two vectors.
pub(super) fn zip<const N: usize>(
    a: [f32; N],
    b: [f32; N],
    op: impl Fn(f32, f32) -> f32,
) -> [f32; N] {
    from_fn(|i| op(a[i], b[i]))
}

pub(super) fn add<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    zip(a, b, |a, b| a + b)
}

pub(super) fn sub<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    zip(a, b, |a, b| a - b)
}

pub(super) fn scale<const N: usize>(a: [f32; N], by: f32) -> [f32; N] {
    a.map(|a| a * by)
}

pub(super) fn div<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    zip(a, b, |a, b| a / b)
}

pub(super) fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    let products = zip(a, b, |a, b| a * b);
    products[1..].iter().fold(products[0], |sum, product| sum + product)
}

pub(super) fn length<const N: usize>(a: [f32; N]) -> f32 {
    dot(a, a).sqrt()
}

pub(super) fn normalize<const N: usize>(a: [f32; N]) -> [f32; N] {
    let length = length(a);
    a.map(|a| a / length)
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
