//! Vectors and matrices of floats. Sums have their terms in the order of indices, from the left.

use super::numbers::{add, div, float, mul, sub};
use lambdav_core::op::Op;

/// A matrix by columns.
pub type Columns = Vec<Vec<u32>>;

/// The columns of a matrix of that many rows.
pub fn columns(words: &[u32], rows: u8) -> Columns {
    words.chunks(usize::from(rows)).map(<[u32]>::to_vec).collect()
}

/// The sum of the products of components.
pub fn dot(a: &[u32], b: &[u32]) -> u32 {
    let mut products = a.iter().zip(b).map(|(&a, &b)| mul(a, b));
    let first = products.next().expect("a vector has components");
    products.fold(first, add)
}

/// A matrix times a column.
pub fn times_column(matrix: &Columns, vector: &[u32]) -> Vec<u32> {
    let row = |row: usize| matrix.iter().map(|column| column[row]).collect::<Vec<u32>>();
    (0..matrix[0].len()).map(|r| dot(&row(r), vector)).collect()
}

/// A row times a matrix.
pub fn row_times(vector: &[u32], matrix: &Columns) -> Vec<u32> {
    matrix.iter().map(|column| dot(vector, column)).collect()
}

/// The product of two matrices.
pub fn product(a: &Columns, b: &Columns) -> Vec<u32> {
    b.iter().flat_map(|column| times_column(a, column)).collect()
}

/// The transposed matrix.
pub fn transpose(matrix: &Columns) -> Vec<u32> {
    let rows = 0..matrix[0].len();
    rows.flat_map(|row| matrix.iter().map(move |column| column[row])).collect()
}

/// The matrix without a column and a row.
fn minor(matrix: &Columns, column: usize, row: usize) -> Columns {
    let mut rest = matrix.clone();
    rest.remove(column);
    for column in &mut rest {
        column.remove(row);
    }
    rest
}

/// The determinant, expanded along the first column.
pub fn determinant(matrix: &Columns) -> u32 {
    match matrix.len() {
        1 => matrix[0][0],
        2 => sub(mul(matrix[0][0], matrix[1][1]), mul(matrix[0][1], matrix[1][0])),
        size => {
            let term = |row: usize| mul(matrix[0][row], determinant(&minor(matrix, 0, row)));
            (1..size).fold(term(0), |sum, row| match row % 2 {
                1 => sub(sum, term(row)),
                _ => add(sum, term(row)),
            })
        }
    }
}

/// The inverse: cofactors divided by the determinant.
pub fn inverse(matrix: &Columns) -> Vec<u32> {
    let size = matrix.len();
    let whole = determinant(matrix);
    let element = |row: usize, column: usize| {
        let cofactor = determinant(&minor(matrix, row, column));
        let is_negated = (row + column) % 2 == 1;
        let cofactor = if is_negated { float(Op::Neg, &[cofactor]) } else { cofactor };
        div(cofactor, whole)
    };
    (0..size)
        .flat_map(|column| (0..size).map(move |row| (row, column)))
        .map(|(r, c)| element(r, c))
        .collect()
}
