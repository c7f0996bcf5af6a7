//! Vectors and matrices: sums of products in the order of indices, left to right (LANGUAGE §6).

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type, TypeKind};
use rspirv::spirv::Op;

impl Raiser<'_, '_> {
    /// A product of vectors, matrices and scalars.
    pub(super) fn linear(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let ty = self.core_type(of.operand(0)?)?;
        let a = self.operand(of, 2)?;
        if of.op == Op::Transpose {
            let columns = self.columns(a)?;
            return self.transposed(ty, &columns);
        }
        let b = self.operand(of, 3)?;
        match of.op {
            Op::Dot => self.dot(a, b),
            Op::VectorTimesScalar => {
                let b = self.spread(b, self.type_of(a))?;
                self.op(Core::Mul, &[a, b])
            }
            Op::MatrixTimesScalar => {
                let mut columns = self.columns(a)?;
                for column in &mut columns {
                    let b = self.spread(b, self.type_of(*column))?;
                    *column = self.op(Core::Mul, &[*column, b])?;
                }
                self.construct(ty, columns)
            }
            Op::VectorTimesMatrix => {
                let columns = self.columns(b)?;
                let parts = columns.into_iter().map(|column| self.dot(a, column));
                let parts = parts.collect::<Result<_>>()?;
                self.construct(ty, parts)
            }
            Op::MatrixTimesVector => {
                let columns = self.columns(a)?;
                self.combined(&columns, b)
            }
            Op::MatrixTimesMatrix => {
                let [left, right] = [self.columns(a)?, self.columns(b)?];
                let columns = right.into_iter().map(|column| self.combined(&left, column));
                let columns = columns.collect::<Result<_>>()?;
                self.construct(ty, columns)
            }
            _ => {
                let parts = self.scalars(&[b])?;
                let mut columns = Vec::new();
                for part in parts {
                    let part = self.spread(part, self.type_of(a))?;
                    columns.push(self.op(Core::Mul, &[a, part])?);
                }
                self.construct(ty, columns)
            }
        }
    }

    /// Broadcasts a scalar to a vector type; a scalar type keeps it.
    pub(super) fn spread(&mut self, scalar: NodeId, ty: Type) -> Result<NodeId> {
        let of = self.type_of(scalar);
        match (of.scalar() == ty.scalar(), of.width(), ty.width()) {
            (true, Some(1), Some(_)) => Ok(self.graph.broadcast(scalar, ty, self.span)),
            _ => Err(RaiseError::malformed("its operands are of other types")),
        }
    }

    /// The columns of a matrix.
    pub(super) fn columns(&mut self, matrix: NodeId) -> Result<Vec<NodeId>> {
        let ty = self.type_of(matrix);
        let count = match *self.graph.types().kind(ty) {
            TypeKind::Matrix(_, n) => u32::from(n),
            TypeKind::Array(column, n @ 2..=4) if column.is_num() => n,
            _ => return Err(RaiseError::malformed("its operand is no matrix")),
        };
        let column = |k| {
            let index = self.splat(Type::INT, k);
            self.op(Core::At, &[matrix, index])
        };
        (0..count).map(column).collect()
    }

    /// The sum of the products of components.
    pub(super) fn dot(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let products = self.op(Core::Mul, &[a, b])?;
        let parts = self.scalars(&[products])?;
        self.sum(&parts)
    }

    fn sum(&mut self, parts: &[NodeId]) -> Result<NodeId> {
        let mut sum = parts[0];
        for &part in &parts[1..] {
            sum = self.op(Core::Add, &[sum, part])?;
        }
        Ok(sum)
    }

    /// The sum of the columns, each times a component of a vector.
    fn combined(&mut self, columns: &[NodeId], vector: NodeId) -> Result<NodeId> {
        let parts = self.scalars(&[vector])?;
        if parts.len() != columns.len() {
            return Err(RaiseError::malformed("its operands have other sizes"));
        }
        let mut products = Vec::new();
        for (&column, part) in columns.iter().zip(parts) {
            let part = self.spread(part, self.type_of(column))?;
            products.push(self.op(Core::Mul, &[column, part])?);
        }
        self.sum(&products)
    }

    fn transposed(&mut self, ty: Type, columns: &[NodeId]) -> Result<NodeId> {
        let rows: Vec<Vec<NodeId>> =
            columns.iter().map(|&column| self.scalars(&[column])).collect::<Result<_>>()?;
        let size = rows[0].len();
        let column = Type::vec(columns.len() as u8);
        let columns = (0..size).map(|k| {
            let parts = rows.iter().map(|row| row[k]).collect();
            self.construct(column, parts)
        });
        let columns = columns.collect::<Result<_>>()?;
        self.construct(ty, columns)
    }

    /// The elements of a square matrix: `[column][row]`.
    fn elements(&mut self, matrix: NodeId) -> Result<Vec<Vec<NodeId>>> {
        let columns = self.columns(matrix)?;
        let elements: Vec<Vec<NodeId>> =
            columns.iter().map(|&column| self.scalars(&[column])).collect::<Result<_>>()?;
        match elements.iter().all(|column| column.len() == elements.len()) {
            true => Ok(elements),
            false => Err(RaiseError::malformed("its operand is no square matrix")),
        }
    }

    /// The determinant, expanded along the first column.
    pub(super) fn determinant(&mut self, matrix: NodeId) -> Result<NodeId> {
        let elements = self.elements(matrix)?;
        self.expanded(&elements)
    }

    /// (Recursion ends: at most four rows.)
    fn expanded(&mut self, of: &[Vec<NodeId>]) -> Result<NodeId> {
        if let [column] = of {
            return Ok(column[0]);
        }
        if let [a, b] = of {
            let first = self.op(Core::Mul, &[a[0], b[1]])?;
            let second = self.op(Core::Mul, &[a[1], b[0]])?;
            return self.op(Core::Sub, &[first, second]);
        }
        let mut sum = None;
        for row in 0..of.len() {
            let minor = self.minor(of, 0, row)?;
            let term = self.op(Core::Mul, &[of[0][row], minor])?;
            sum = Some(match sum {
                None => term,
                Some(sum) if row % 2 == 1 => self.op(Core::Sub, &[sum, term])?,
                Some(sum) => self.op(Core::Add, &[sum, term])?,
            });
        }
        Ok(sum.expect("it has rows"))
    }

    /// The determinant without a column and a row.
    fn minor(&mut self, of: &[Vec<NodeId>], column: usize, row: usize) -> Result<NodeId> {
        let others = of.iter().enumerate().filter(|&(c, _)| c != column);
        let rest = others.map(|(_, parts)| {
            let kept = parts.iter().enumerate().filter(|&(r, _)| r != row);
            kept.map(|(_, &part)| part).collect::<Vec<NodeId>>()
        });
        let rest: Vec<Vec<NodeId>> = rest.collect();
        self.expanded(&rest)
    }

    /// The inverse: each element is the cofactor at the transposed place divided by the determinant.
    pub(super) fn inverse(&mut self, matrix: NodeId) -> Result<NodeId> {
        let elements = self.elements(matrix)?;
        let determinant = self.expanded(&elements)?;
        let ty = self.type_of(matrix);
        let column_type = Type::of(Scalar::F32, elements.len() as u8);
        let mut columns = Vec::new();
        for column in 0..elements.len() {
            let mut parts = Vec::new();
            for row in 0..elements.len() {
                let mut cofactor = self.minor(&elements, row, column)?;
                if (row + column) % 2 == 1 {
                    cofactor = self.op(Core::Neg, &[cofactor])?;
                }
                parts.push(self.op(Core::Div, &[cofactor, determinant])?);
            }
            columns.push(self.construct(column_type, parts)?);
        }
        self.construct(ty, columns)
    }
}
