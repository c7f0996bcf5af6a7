//! The one way to walk a lane program.
//!
//! A [`Walk`] goes through blocks, the statements in them and the blocks in these, in the order of
//! the text, on a stack of its own: nothing recurses on the depth of a program. It borrows the
//! program for a step at a time, so a pass may change what it has been shown, but not how many
//! statements a block has that has not come to its end.

use super::{BlockId, End, LaneProgram, Statement};

/// What a walk comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A block begins.
    Enter(BlockId),
    /// A statement, before the blocks in it.
    Statement(BlockId, usize),
    /// A statement, after the blocks in it: of those that have some.
    After(BlockId, usize),
    /// The end of a block, before the blocks that it ends as.
    End(BlockId),
    /// A block, and all in it, has been seen.
    Leave(BlockId),
}

/// A walk.
pub(crate) struct Walk {
    /// What is to come, the next last. A statement stands for those after it, too.
    stack: Vec<Event>,
    /// The statement after which the walk ends, if it is of one only.
    only: Option<(BlockId, usize)>,
}

impl Walk {
    /// Of a whole program.
    pub(crate) fn new() -> Self {
        Self::of(LaneProgram::ROOT)
    }

    /// Of a block and all in it.
    pub(crate) fn of(block: BlockId) -> Self {
        Self { stack: vec![Event::Enter(block)], only: None }
    }

    /// Of a statement and the blocks in it.
    pub(crate) fn of_statement(block: BlockId, index: usize) -> Self {
        Self { stack: vec![Event::Statement(block, index)], only: Some((block, index)) }
    }

    fn push(&mut self, blocks: [Option<BlockId>; 2]) {
        self.stack.extend(blocks.into_iter().rev().flatten().map(Event::Enter));
    }

    fn push_statement(&mut self, program: &LaneProgram, block: BlockId, next: usize) {
        let is_one = next < program.block(block).statements.len();
        self.stack.push(if is_one { Event::Statement(block, next) } else { Event::End(block) });
    }

    /// The next step.
    pub(crate) fn next(&mut self, program: &LaneProgram) -> Option<Event> {
        let event = self.stack.pop()?;
        match event {
            Event::Enter(block) => self.push_statement(program, block, 0),
            Event::Statement(block, index) => {
                if self.only != Some((block, index)) {
                    self.push_statement(program, block, index + 1);
                }
                let inner = inner(program, block, index);
                if inner[0].is_some() {
                    self.stack.push(Event::After(block, index));
                    self.push(inner);
                }
            }
            Event::End(block) => {
                self.stack.push(Event::Leave(block));
                self.push(tails(program, block));
            }
            Event::After(..) | Event::Leave(_) => {}
        }
        Some(event)
    }

    /// All steps of a program that stays as it is.
    pub(crate) fn events(mut self, program: &LaneProgram) -> impl Iterator<Item = Event> {
        std::iter::from_fn(move || self.next(program))
    }
}

/// The blocks that a block ends as, and those that these end as, itself first; each before those
/// that it ends as, the first of them before the second.
pub(crate) fn tail(program: &LaneProgram, block: BlockId) -> Vec<BlockId> {
    let (mut blocks, mut stack) = (Vec::new(), vec![block]);
    while let Some(block) = stack.pop() {
        blocks.push(block);
        stack.extend(tails(program, block).into_iter().rev().flatten());
    }
    blocks
}

/// The blocks in a statement, in order.
pub(super) fn inner(
    program: &LaneProgram,
    block: BlockId,
    statement: usize,
) -> [Option<BlockId>; 2] {
    match program.block(block).statements[statement] {
        Statement::Let { .. } => [None, None],
        Statement::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        Statement::Loop { body, .. } => [Some(body), None],
    }
}

/// The blocks that a block ends as, in order.
pub(super) fn tails(program: &LaneProgram, block: BlockId) -> [Option<BlockId>; 2] {
    match program.block(block).end {
        End::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        End::Yield(_) | End::Rec(_) => [None, None],
    }
}
