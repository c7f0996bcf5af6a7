//! Products with matrices, summed in the order in which the raise sums.

use super::arithmetic::binary;
use super::value::{Constant, Fault, scalars};
use crate::syntax::tree::Binary;
use crate::types::Scalar;

fn add(scalar: Scalar, a: &Constant, b: &Constant) -> Result<Constant, Fault> {
    binary(Binary::Add, scalar, a, b)
}

fn multiply(scalar: Scalar, a: &Constant, b: &Constant) -> Result<Constant, Fault> {
    binary(Binary::Multiply, scalar, a, b)
}

fn dot(scalar: Scalar, a: &Constant, b: &Constant) -> Result<Constant, Fault> {
    let mut sum = None;
    for (a, b) in scalars(a).iter().zip(&scalars(b)) {
        let product = multiply(scalar, a, b)?;
        sum = Some(match sum {
            None => product,
            Some(sum) => add(scalar, &sum, &product)?,
        });
    }
    Ok(sum.unwrap_or(Constant::Zero))
}

/// The sum of the columns, each times a component of the vector.
fn combined(scalar: Scalar, columns: &[Constant], vector: &Constant) -> Result<Constant, Fault> {
    let parts = scalars(vector);
    let mut sum: Option<Vec<Constant>> = None;
    for (column, part) in columns.iter().zip(&parts) {
        let products: Result<Vec<Constant>, Fault> =
            scalars(column).iter().map(|of| multiply(scalar, of, part)).collect();
        let products = products?;
        sum = Some(match sum {
            None => products,
            Some(sum) => {
                let sums = sum.iter().zip(&products).map(|(a, b)| add(scalar, a, b));
                sums.collect::<Result<_, Fault>>()?
            }
        });
    }
    Ok(Constant::composite(sum.unwrap_or_default()))
}

/// The shapes of the operands of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    MatrixMatrix,
    MatrixVector,
    VectorMatrix,
}

/// A product with a matrix.
pub(crate) fn product(
    shape: Product,
    scalar: Scalar,
    a: &Constant,
    b: &Constant,
) -> Result<Constant, Fault> {
    match shape {
        Product::MatrixVector => combined(scalar, &scalars(a), b),
        Product::VectorMatrix => {
            let parts: Result<Vec<Constant>, Fault> =
                scalars(b).iter().map(|column| dot(scalar, a, column)).collect();
            parts.map(Constant::composite)
        }
        Product::MatrixMatrix => {
            let columns = scalars(a);
            let all: Result<Vec<Constant>, Fault> =
                scalars(b).iter().map(|column| combined(scalar, &columns, column)).collect();
            all.map(Constant::composite)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_matrices() {
        let vector = |parts: [f64; 2]| Constant::composite(parts.map(Constant::Wide).to_vec());
        let a = Constant::composite(vec![vector([1.0, 2.0]), vector([3.0, 4.0])]);
        let v = vector([5.0, 6.0]);
        let of = |shape, a: &Constant, b: &Constant| product(shape, Scalar::AbstractFloat, a, b);
        assert_eq!(of(Product::MatrixVector, &a, &v), Ok(vector([23.0, 34.0])));
        assert_eq!(of(Product::VectorMatrix, &v, &a), Ok(vector([17.0, 39.0])));
        let square = Constant::composite(vec![vector([7.0, 10.0]), vector([15.0, 22.0])]);
        assert_eq!(of(Product::MatrixMatrix, &a, &a), Ok(square));
    }
}
