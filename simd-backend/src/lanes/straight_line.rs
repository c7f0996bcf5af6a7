//! Lane programs without control flow, made value by value: for trials of single operations and
//! functions, which no source text is compiled to.

use super::{
    Axis, Block, Descriptors, End, Expr, InputWord, Items, Kind, LaneProgram, Op, Rate, Space,
    Statement, ValueId, ValueInfo, Width,
};

/// Makes a [`LaneProgram`] of one block.
#[derive(Clone, Debug, Default)]
pub struct StraightLine {
    values: Vec<ValueInfo>,
    statements: Vec<Statement>,
    inputs: u32,
}

impl StraightLine {
    /// The values so far.
    pub fn values(&self) -> &[ValueInfo] {
        &self.values
    }

    /// A value of that kind and rate.
    pub fn push(&mut self, kind: Kind, rate: Rate, expr: Expr) -> ValueId {
        let value = ValueId(self.values.len() as u32);
        self.values.push(ValueInfo { kind, rate });
        if let Expr::Input(word) = expr {
            self.inputs = self.inputs.max(word + 1);
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

    /// That word of input; the caller decides what it stands for.
    pub fn input(&mut self, kind: Kind, word: u32) -> ValueId {
        self.push(kind, Rate::FRAME, Expr::Input(word))
    }

    /// The word of input that many after the first, at most `most`.
    pub fn load(&mut self, kind: Kind, first: u32, index: ValueId, most: u32) -> ValueId {
        self.inputs = self.inputs.max(first + most + 1);
        let rate = self.values[index.index()].rate;
        self.push(kind, rate, Expr::Load { space: Space::Inputs, first, index })
    }

    /// The coordinate of a pixel along an axis.
    pub fn coordinate(&mut self, axis: Axis) -> ValueId {
        self.push(Kind::F32, Items::Rows.rate(Width::Any, axis), Expr::Coordinate(axis))
    }

    /// The active lanes.
    pub fn execution_mask(&mut self) -> ValueId {
        self.push(Kind::Mask, Rate::VARYING, Expr::ExecutionMask)
    }

    /// The program with that red, green, blue and alpha.
    pub fn finish(self, outputs: [ValueId; 4]) -> LaneProgram {
        let end = End::Yield(outputs.into());
        LaneProgram {
            width: Width::Any,
            items: Items::Rows,
            values: self.values,
            blocks: vec![Block { statements: self.statements, end }],
            frame_len: 0,
            primitive_len: 0,
            primitive_words: 0,
            inputs: (0..self.inputs).map(|_| InputWord::Time).collect(),
            resources: Descriptors::default(),
            sites: Vec::new(),
            loop_nesting: 0,
        }
    }
}
