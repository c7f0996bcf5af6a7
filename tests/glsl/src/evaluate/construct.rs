//! Constructors.

use super::numbers::convert;
use crate::program::{Expr, Scalar, Type};

/// The value of a constructor.
pub(super) fn construct(ty: &Type, parts: &[Expr], values: Vec<Vec<u32>>) -> Vec<u32> {
    if let Type::Structure(_) | Type::Array(..) = ty {
        return values.concat();
    }
    let to = ty.scalar().expect("it has components");
    let mut components = Vec::new();
    for (part, value) in parts.iter().zip(values) {
        let from = part.ty.scalar().expect("it has components");
        components.extend(value.into_iter().map(|word| convert(from, to, word)));
    }
    match *ty {
        Type::Matrix(columns, rows) => match parts {
            [part] if part.ty.width() == Some(1) => {
                diagonal(columns, rows, |_, _| None, components[0])
            }
            [part] if let Type::Matrix(old_columns, old_rows) = part.ty => {
                let old = |column: u8, row: u8| {
                    let is_old = column < old_columns && row < old_rows;
                    is_old.then(|| components[usize::from(column * old_rows + row)])
                };
                diagonal(columns, rows, old, 1_f32.to_bits())
            }
            _ => components,
        },
        _ => {
            let width = usize::from(ty.width().expect("a scalar or vector"));
            // One scalar is every component; surplus components are dropped.
            if components.len() == 1 {
                return components.repeat(width);
            }
            components.truncate(width);
            components
        }
    }
}

/// A matrix of known elements; elsewhere, `word` on the diagonal and zeros.
fn diagonal(columns: u8, rows: u8, known: impl Fn(u8, u8) -> Option<u32>, word: u32) -> Vec<u32> {
    let zero = convert(Scalar::Int, Scalar::Float, 0);
    let element =
        |column: u8, row: u8| known(column, row).unwrap_or(if column == row { word } else { zero });
    (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))).map(|(c, r)| element(c, r)).collect()
}
