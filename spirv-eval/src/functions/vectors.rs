//! Vectors and matrices: sums of products in the order of indices, left to right (LANGUAGE §6). A matrix
//! is stored column by column.

use super::super::code::Operand;
use super::each::{each, number, numbers, put};

fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut products = a.iter().zip(b).map(|(a, b)| a * b);
    let first = products.next().unwrap_or(0.0);
    products.fold(first, |sum, product| sum + product)
}

fn length_of(v: &[f32]) -> f32 {
    match v {
        [x] => x.abs(),
        v => product(v, v).sqrt(),
    }
}

pub(super) fn dot(of: &[Operand<'_>], out: &mut [u32]) {
    put(out, [product(&numbers(of, 0), &numbers(of, 1))]);
}

pub(super) fn length(of: &[Operand<'_>], out: &mut [u32]) {
    put(out, [length_of(&numbers(of, 0))]);
}

pub(super) fn distance(of: &[Operand<'_>], out: &mut [u32]) {
    let (a, b) = (numbers(of, 0), numbers(of, 1));
    let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    put(out, [length_of(&difference)]);
}

pub(super) fn normalize(of: &[Operand<'_>], out: &mut [u32]) {
    let length = length_of(&numbers(of, 0));
    each(of, out, |[x, ..]| x / length);
}

pub(super) fn cross(of: &[Operand<'_>], out: &mut [u32]) {
    let ([a, b, c], [x, y, z]) =
        ([0, 1, 2].map(|k| number(of, 0, k)), [0, 1, 2].map(|k| number(of, 1, k)));
    put(out, [b * z - c * y, c * x - a * z, a * y - b * x]);
}

pub(super) fn face_forward(of: &[Operand<'_>], out: &mut [u32]) {
    let is_toward = product(&numbers(of, 2), &numbers(of, 1)) < 0.0;
    each(of, out, |[n, ..]| if is_toward { n } else { -n });
}

pub(super) fn reflect(of: &[Operand<'_>], out: &mut [u32]) {
    let double = 2.0 * product(&numbers(of, 1), &numbers(of, 0));
    each(of, out, |[i, n, _]| i - n * double);
}

pub(super) fn refract(of: &[Operand<'_>], out: &mut [u32]) {
    let (d, eta) = (product(&numbers(of, 1), &numbers(of, 0)), number(of, 2, 0));
    let k = 1.0 - eta * eta * (1.0 - d * d);
    let along = eta * d + k.sqrt();
    each(of, out, |[i, n, _]| if k < 0.0 { 0.0 } else { i * eta - n * along });
}

/// Multiplies all components by the scalar.
pub(super) fn scaled(of: &[Operand<'_>], out: &mut [u32]) {
    let scalar = number(of, 1, 0);
    each(of, out, |[x, ..]| x * scalar);
}

pub(super) fn vector_times_matrix(of: &[Operand<'_>], out: &mut [u32]) {
    let (v, m) = (numbers(of, 0), numbers(of, 1));
    put(out, m.chunks(v.len().max(1)).map(|column| product(&v, column)));
}

/// The sum of the columns, each times a component of `v`.
fn combined(columns: &[f32], rows: usize, v: &[f32]) -> Vec<f32> {
    let row = |r: usize| {
        let row: Vec<f32> = columns.iter().skip(r).step_by(rows.max(1)).copied().collect();
        product(&row, v)
    };
    (0..rows).map(row).collect()
}

pub(super) fn matrix_times_vector(of: &[Operand<'_>], out: &mut [u32]) {
    let rows = out.len();
    put(out, combined(&numbers(of, 0), rows, &numbers(of, 1)));
}

pub(super) fn matrix_times_matrix(of: &[Operand<'_>], out: &mut [u32]) {
    let [rows, inner] = [0, 1].map(|k| of.get(k).map_or(1, |of| of.rows.max(1)));
    let (a, b) = (numbers(of, 0), numbers(of, 1));
    put(out, b.chunks(inner).flat_map(|column| combined(&a, rows, column)));
}

pub(super) fn outer_product(of: &[Operand<'_>], out: &mut [u32]) {
    let (a, b) = (numbers(of, 0), numbers(of, 1));
    put(out, b.iter().flat_map(|b| a.iter().map(move |a| a * b)));
}

pub(super) fn transpose(of: &[Operand<'_>], out: &mut [u32]) {
    let rows = of.first().map_or(1, |of| of.rows.max(1));
    let words = of.first().map_or(&[][..], |of| of.words);
    let transposed = (0..rows).flat_map(|row| words.iter().skip(row).step_by(rows));
    out.iter_mut().zip(transposed).for_each(|(out, &word)| *out = word);
}

/// The determinant, expanded along the first column. (At most four columns.)
fn expanded(columns: &[Vec<f32>]) -> f32 {
    match columns {
        [only] => only.first().copied().unwrap_or(0.0),
        [a, b] if a.len() == 2 && b.len() == 2 => a[0] * b[1] - a[1] * b[0],
        [] => 0.0,
        _ => {
            let mut sum = 0.0;
            for (row, element) in columns[0].iter().enumerate() {
                let term = element * expanded(&without(columns, 0, row));
                sum = match row {
                    0 => term,
                    row if row % 2 == 1 => sum - term,
                    _ => sum + term,
                };
            }
            sum
        }
    }
}

fn without(columns: &[Vec<f32>], column: usize, row: usize) -> Vec<Vec<f32>> {
    let mut rest = columns.to_vec();
    rest.remove(column);
    for column in &mut rest {
        column.remove(row);
    }
    rest
}

fn columns(of: &[Operand<'_>]) -> Vec<Vec<f32>> {
    let rows = of.first().map_or(1, |of| of.rows.max(1));
    numbers(of, 0).chunks(rows).map(<[f32]>::to_vec).collect()
}

pub(super) fn determinant(of: &[Operand<'_>], out: &mut [u32]) {
    put(out, [expanded(&columns(of))]);
}

/// Each element is the cofactor at the transposed place divided by the determinant.
pub(super) fn inverse(of: &[Operand<'_>], out: &mut [u32]) {
    let columns = columns(of);
    let (count, determinant) = (columns.len(), expanded(&columns));
    let element = |column: usize, row: usize| {
        let minor = expanded(&without(&columns, row, column));
        (if (row + column) % 2 == 1 { -minor } else { minor }) / determinant
    };
    let all = (0..count).flat_map(|column| (0..count).map(move |row| (column, row)));
    put(out, all.map(|(column, row)| element(column, row)));
}
