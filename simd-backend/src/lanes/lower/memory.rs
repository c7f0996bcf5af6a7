//! Lowers accesses to memories, and inputs of invocations.
//!
//! An index is compared with the number of words, and clamped. A loaded word beyond the end is replaced by 0; a change
//! has the mask of the block without the lanes whose index is beyond the end.

use lambdav_core::memory::{Atomic, InvocationInput, MemoryOp};
use lambdav_core::schedule;

use super::state::Lowering;
use crate::lanes::{
    Access, Change, Extent, InputSet, Kind, LaneBlock, LaneExpr, LaneOp, LaneStatement, Rate,
    ValueId, Width,
};
use crate::mutants::{Mutant, is_active};

/// The inputs of the invocation that a program reads.
pub(super) fn inputs(blocks: &[LaneBlock]) -> InputSet {
    let mut inputs = InputSet::NONE;
    for statement in blocks.iter().flat_map(|block| &block.statements) {
        if let LaneStatement::Let { expr: LaneExpr::Invocation(input, k), .. } = statement {
            inputs = inputs.with(*input, *k).expect("it varies by lane");
        }
    }
    inputs
}

impl Lowering<'_> {
    /// The components of an input of the invocation.
    pub(super) fn invocation(&mut self, input: InvocationInput) -> Vec<ValueId> {
        let lanes = self.out.width.lanes();
        let component = |k| match input {
            InvocationInput::Workgroups => {
                self.define(Kind::I32, Rate::PRIMITIVE, LaneExpr::Primitive(k))
            }
            _ => self.define(Kind::I32, lanes, LaneExpr::Invocation(input, k as u8)),
        };
        let count = if input == InvocationInput::LocalIndex { 1 } else { 3 };
        (0..count).map(component).collect()
    }

    /// The components of the result of an operation on memories, in the lanes of a mask: a word, or none for a state.
    ///
    /// # Panics
    ///
    /// If it is a barrier. A program with barriers is split first.
    pub(super) fn of_memory(
        &mut self,
        op: MemoryOp,
        operands: &[schedule::ValueId],
        mask: ValueId,
    ) -> Vec<ValueId> {
        let word = |s: &Self, operand: usize| s.components(operands[operand])[0];
        match op {
            MemoryOp::State(_) => Vec::new(),
            MemoryOp::Barrier(_) => unreachable!("programs with barriers are refused"),
            MemoryOp::Size => vec![self.extent(self.resource(operands[0]), Extent::Length)],
            MemoryOp::Load => {
                let (memory, index, inside) = self.memory_at(operands[0], word(self, 1));
                let rate = self.out.rate(index) | Rate::GROUP;
                let mask = (self.out.width != Width::One).then_some(mask);
                let access = Access { memory, index, mask, change: None };
                let old = self.access(Some(rate), access);
                vec![self.or_zero(inside, old.expect("it has a rate"))]
            }
            MemoryOp::Store => {
                let words = [word(self, 2)].into();
                self.change(operands[0], word(self, 1), Atomic::Exchange, words, mask, false);
                Vec::new()
            }
            MemoryOp::Atomic(atomic, _) => {
                let words = (2..operands.len()).map(|operand| word(self, operand)).collect();
                self.change(operands[0], word(self, 1), atomic, words, mask, true)
            }
        }
    }

    /// Changes a word; if it `is_used`, returns the old one.
    fn change(
        &mut self,
        state: schedule::ValueId,
        index: ValueId,
        atomic: Atomic,
        words: Box<[ValueId]>,
        mask: ValueId,
        is_used: bool,
    ) -> Vec<ValueId> {
        let (memory, index, inside) = self.memory_at(state, index);
        let mask = if is_active(Mutant::RunMask) { self.run } else { mask };
        let mask = match self.out.width {
            // The lane of a block that runs is active.
            Width::One => inside,
            _ => self.op(LaneOp::And, &[mask, inside]),
        };
        let rate = is_used.then(|| self.out.width.lanes());
        let change = Some(Change { atomic, words, mask });
        let old = self.access(rate, Access { memory, index, mask: None, change });
        old.map(|old| self.or_zero(inside, old)).into_iter().collect()
    }

    /// The number of a memory, a clamped index, and the truth value that the index is not beyond the end.
    fn memory_at(&mut self, state: schedule::ValueId, index: ValueId) -> (u32, ValueId, ValueId) {
        let number = self.resource(state);
        let [count, last] = [Extent::Length, Extent::Last].map(|of| self.extent(number, of));
        let inside = match is_active(Mutant::ClampedAccess) {
            true => self.constant(Kind::Mask, 1),
            false => self.op(LaneOp::LessUnsigned, &[index, count]),
        };
        let clamped = self.op(LaneOp::MinUnsigned, &[index, last]);
        (number as u32, clamped, inside)
    }

    fn or_zero(&mut self, inside: ValueId, word: ValueId) -> ValueId {
        let zero = self.integer(0);
        self.select(inside, word, zero)
    }

    fn access(&mut self, rate: Option<Rate>, access: Access) -> Option<ValueId> {
        let value = rate.map(|rate| self.value(Kind::I32, rate));
        self.current.push(LaneStatement::Access { value, access });
        value
    }
}
