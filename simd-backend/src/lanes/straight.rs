//! Lane programs without control flow, made value by value: for trials of single operations and functions, which no
//! source text is compiled to.

use super::{
    Axis, Block, End, Expr, Given, Kind, Op, Program, Rate, Statement, ValueId, ValueInfo, Width,
};

/// Makes a [`Program`] of one block.
#[derive(Clone, Debug, Default)]
pub struct Straight {
    values: Vec<ValueInfo>,
    statements: Vec<Statement>,
    given: u32,
}

impl Straight {
    /// The values so far.
    pub fn values(&self) -> &[ValueInfo] {
        &self.values
    }

    /// A value of that kind and rate.
    pub fn push(&mut self, kind: Kind, rate: Rate, expr: Expr) -> ValueId {
        let value = ValueId(self.values.len() as u32);
        self.values.push(ValueInfo { kind, rate });
        if let Expr::Given(word) = expr {
            self.given = self.given.max(word + 1);
        }
        self.statements.push(Statement::Let { value, expr });
        value
    }

    /// An operation on these operands, if it is defined on their kinds.
    pub fn op(&mut self, op: Op, operands: &[ValueId]) -> Option<ValueId> {
        let info = |v: &ValueId| self.values[v.index()];
        let kinds: Vec<Kind> = operands.iter().map(|v| info(v).kind).collect();
        let rate = operands.iter().fold(Rate::FRAME, |rate, v| rate | info(v).rate);
        Some(self.push(op.result(&kinds)?, rate, Expr::Op(op, operands.into())))
    }

    /// These bits, the same for all lanes.
    pub fn constant(&mut self, kind: Kind, bits: u64) -> ValueId {
        self.push(kind, Rate::FRAME, Expr::Constant(bits))
    }

    /// That word of what the frame is given; the caller decides what it stands for.
    pub fn given(&mut self, kind: Kind, word: u32) -> ValueId {
        self.push(kind, Rate::FRAME, Expr::Given(word))
    }

    /// The coordinate of a pixel along an axis.
    pub fn coordinate(&mut self, axis: Axis) -> ValueId {
        self.push(Kind::F32, Width::Any.rate(axis), Expr::Coordinate(axis))
    }

    /// The lanes for which the kernel runs.
    pub fn run(&mut self) -> ValueId {
        self.push(Kind::Mask, Rate::VARYING, Expr::Run)
    }

    /// The program with that red, green, blue and alpha.
    pub fn finish(self, outputs: [ValueId; 4]) -> Program {
        let end = End::Yield(outputs.into());
        Program {
            width: Width::Any,
            values: self.values,
            blocks: vec![Block { statements: self.statements, end }],
            frame_len: 0,
            given: vec![Given::Time; self.given as usize],
            sites: Vec::new(),
            nesting: 1,
            loop_nesting: 0,
        }
    }
}
