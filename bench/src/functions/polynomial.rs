//! `sin` and `exp` as usual without correct rounding: in binary32, by Cody and Waite's reduction and the
//! minimax polynomials of Cephes (Moshier). They replace the correctly rounded functions in the lane
//! program, so that the rest of the program stays the same.

use lambdav_core::op::Elementary;
use lambdav_simd_backend::lanes::{
    Kind, LaneBlock, LaneExpr, LaneOp, LaneProgram, LaneStatement, Rate, ValueId, ValueInfo,
};

/// True if the function has a polynomial.
pub(super) fn exists(function: Elementary) -> bool {
    matches!(function, Elementary::Sin | Elementary::Exp)
}

/// 1.5·2^23. Adding it to a number below 2^22 rounds the number to an integer, which then is in the low
/// bits.
const MAGIC: f32 = 12_582_912.0;

/// The program with functions replaced by their polynomials.
pub(super) fn instead(program: &LaneProgram) -> LaneProgram {
    let mut result = program.clone();
    for (i, block) in program.blocks.iter().enumerate() {
        let mut builder = Builder { values: &mut result.values, statements: Vec::new() };
        for statement in &block.statements {
            match statement {
                LaneStatement::Let {
                    value,
                    expr: LaneExpr::Elementary { function, operands, .. },
                } if exists(*function) => {
                    if *function == Elementary::Sin {
                        builder.sin(operands[0], *value);
                    } else {
                        builder.exp(operands[0], *value);
                    }
                }
                other => builder.statements.push(other.clone()),
            }
        }
        result.blocks[i] = LaneBlock { statements: builder.statements, end: block.end.clone() };
    }
    result
}

struct Builder<'a> {
    values: &'a mut Vec<ValueInfo>,
    statements: Vec<LaneStatement>,
}

impl Builder<'_> {
    fn value(&mut self, kind: Kind, rate: Rate) -> ValueId {
        self.values.push(ValueInfo { kind, rate });
        ValueId(self.values.len() as u32 - 1)
    }

    fn constant(&mut self, kind: Kind, bits: u32) -> ValueId {
        let value = self.value(kind, Rate::FRAME);
        self.statements.push(LaneStatement::Let { value, expr: LaneExpr::Constant(bits.into()) });
        value
    }

    fn c(&mut self, value: f32) -> ValueId {
        self.constant(Kind::F32, value.to_bits())
    }

    fn op(&mut self, op: LaneOp, operands: &[ValueId]) -> ValueId {
        let kinds: Vec<Kind> = operands.iter().map(|v| self.values[v.index()].kind).collect();
        let kind = op.result(&kinds).expect("the operation is defined on these kinds");
        let rates = operands.iter().map(|v| self.values[v.index()].rate);
        let rate = rates.fold(Rate::FRAME, |rate, other| rate | other);
        let value = self.value(kind, rate);
        self.statements.push(LaneStatement::Let { value, expr: LaneExpr::Op(op, operands.into()) });
        value
    }

    /// Defines `value` by the last operation of its polynomial.
    fn end(&mut self, op: LaneOp, operands: &[ValueId], value: ValueId) {
        self.statements.push(LaneStatement::Let { value, expr: LaneExpr::Op(op, operands.into()) });
    }

    /// x − k·part for each part, where k is an integer.
    fn reduce(&mut self, x: ValueId, k: ValueId, parts: &[f32]) -> ValueId {
        parts.iter().fold(x, |r, &part| {
            let part = self.c(part);
            let product = self.op(LaneOp::Mul, &[k, part]);
            self.op(LaneOp::Sub, &[r, product])
        })
    }

    /// x times a factor, rounded to an integer: with [`MAGIC`] added, and without.
    fn rounded(&mut self, x: ValueId, factor: f32) -> (ValueId, ValueId) {
        let (factor, magic) = (self.c(factor), self.c(MAGIC));
        let quotient = self.op(LaneOp::Mul, &[x, factor]);
        let rounded = self.op(LaneOp::Add, &[quotient, magic]);
        (rounded, self.op(LaneOp::Sub, &[rounded, magic]))
    }

    /// Evaluates a polynomial by Horner's rule, from the highest coefficient down.
    fn polynomial(&mut self, x: ValueId, coefficients: &[f32]) -> ValueId {
        let highest = self.c(coefficients[0]);
        coefficients[1..].iter().fold(highest, |sum, &coefficient| {
            let c = self.c(coefficient);
            let product = self.op(LaneOp::Mul, &[sum, x]);
            self.op(LaneOp::Add, &[product, c])
        })
    }

    /// Sine for |x| up to some thousands.
    fn sin(&mut self, x: ValueId, value: ValueId) {
        let (rounded, k) = self.rounded(x, std::f32::consts::FRAC_2_PI);
        let r = self.reduce(x, k, &[1.570_312_5, 4.837_513e-4, 7.549_79e-8]);
        let z = self.op(LaneOp::Mul, &[r, r]);
        let p = self.polynomial(z, &[-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]);
        let p = self.op(LaneOp::Mul, &[p, z]);
        let p = self.op(LaneOp::Mul, &[p, r]);
        let sine = self.op(LaneOp::Add, &[p, r]);
        let q = self.polynomial(z, &[2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2, -0.5, 1.0]);
        let k = self.op(LaneOp::Bits, &[rounded]);
        let (zero, one) = (self.constant(Kind::I32, 0), self.constant(Kind::I32, 1));
        let two = self.constant(Kind::I32, 2);
        let last = self.op(LaneOp::And, &[k, one]);
        let even = self.op(LaneOp::Equal, &[last, zero]);
        let chosen = self.op(LaneOp::Select, &[even, sine, q]);
        // Adding the highest bit flips it.
        let half_turn = self.op(LaneOp::And, &[k, two]);
        let sign = self.op(LaneOp::ShiftLeft(30), &[half_turn]);
        let bits = self.op(LaneOp::Bits, &[chosen]);
        let bits = self.op(LaneOp::Add, &[bits, sign]);
        self.end(LaneOp::Bits, &[bits], value);
    }

    /// Exponential function. Arguments are clamped to −87 and 88, so the result is neither 0 nor infinite.
    fn exp(&mut self, x: ValueId, value: ValueId) {
        let (low, high) = (self.c(-87.0), self.c(88.0));
        let x = self.op(LaneOp::Max, &[x, low]);
        let x = self.op(LaneOp::Min, &[x, high]);
        let (rounded, k) = self.rounded(x, std::f32::consts::LOG2_E);
        let r = self.reduce(x, k, &[0.693_359_4, -2.121_944_4e-4]);
        let coefficients =
            [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
        let p = self.polynomial(r, &coefficients);
        let (square, one) = (self.op(LaneOp::Mul, &[r, r]), self.c(1.0));
        let p = self.op(LaneOp::Mul, &[p, square]);
        let p = self.op(LaneOp::Add, &[p, r]);
        let p = self.op(LaneOp::Add, &[p, one]);
        let k = self.op(LaneOp::Bits, &[rounded]);
        let power = self.op(LaneOp::ShiftLeft(23), &[k]);
        let bits = self.op(LaneOp::Bits, &[p]);
        let bits = self.op(LaneOp::Add, &[bits, power]);
        self.end(LaneOp::Bits, &[bits], value);
    }
}
