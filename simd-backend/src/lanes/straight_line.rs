//! Lane programs without control flow, built value by value: for tests and measurements of single
//! operations and functions that no source text compiles to.

use super::{
    Axis, Descriptors, InputWord, Items, Kind, LaneBlock, LaneEnd, LaneExpr, LaneOp, LaneProgram,
    LaneStatement, Rate, Space, ValueId, ValueInfo, Width,
};

/// A builder of a [`LaneProgram`] with one block.
#[derive(Clone, Debug, Default)]
pub struct StraightLine {
    values: Vec<ValueInfo>,
    statements: Vec<LaneStatement>,
    inputs: u32,
}

impl StraightLine {
    /// The values defined so far.
    pub fn values(&self) -> &[ValueInfo] {
        &self.values
    }

    /// Adds a value of a kind and rate.
    pub fn push(&mut self, kind: Kind, rate: Rate, expr: LaneExpr) -> ValueId {
        let value = ValueId(self.values.len() as u32);
        self.values.push(ValueInfo { kind, rate });
        if let LaneExpr::Input(word) = expr {
            self.inputs = self.inputs.max(word + 1);
        }
        self.statements.push(LaneStatement::Let { value, expr });
        value
    }

    /// Adds an operation, if it is defined on the kinds of its operands.
    pub fn op(&mut self, op: LaneOp, operands: &[ValueId]) -> Option<ValueId> {
        let info = |v: &ValueId| self.values[v.index()];
        let kinds: Vec<Kind> = operands.iter().map(|v| info(v).kind).collect();
        let rate = operands.iter().fold(Rate::FRAME, |rate, v| rate | info(v).rate);
        Some(self.push(op.result(&kinds)?, rate, LaneExpr::Op(op, operands.into())))
    }

    /// Adds a constant, uniform over the frame.
    pub fn constant(&mut self, kind: Kind, bits: u64) -> ValueId {
        self.push(kind, Rate::FRAME, LaneExpr::Constant(bits))
    }

    /// Adds an input word. The caller decides its meaning.
    pub fn input(&mut self, kind: Kind, word: u32) -> ValueId {
        self.push(kind, Rate::FRAME, LaneExpr::Input(word))
    }

    /// Adds a load of the input word `first + index`, where the index is at most `most`.
    pub fn load(&mut self, kind: Kind, first: u32, index: ValueId, most: u32) -> ValueId {
        self.inputs = self.inputs.max(first + most + 1);
        let rate = self.values[index.index()].rate;
        self.push(kind, rate, LaneExpr::Load { space: Space::Inputs, first, index })
    }

    /// Adds the coordinate of a pixel along an axis.
    pub fn coordinate(&mut self, axis: Axis) -> ValueId {
        self.push(Kind::F32, Items::Rows.rate(Width::Any, axis), LaneExpr::Coordinate(axis))
    }

    /// Adds the mask of active lanes.
    pub fn execution_mask(&mut self) -> ValueId {
        self.push(Kind::Mask, Rate::VARYING, LaneExpr::ExecutionMask)
    }

    /// The program that yields this red, green, blue and alpha.
    pub fn finish(self, outputs: [ValueId; 4]) -> LaneProgram {
        let end = LaneEnd::Yield(outputs.into());
        LaneProgram {
            width: Width::Any,
            items: Items::Rows,
            values: self.values,
            blocks: vec![LaneBlock { statements: self.statements, end }],
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
