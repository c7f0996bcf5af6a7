//! The one way to walk a lane program.
//!
//! A [`Walk`] goes through blocks, the statements in them and the blocks in these, in the order of
//! the text, on a stack of its own: nothing recurses on the depth of a program. It borrows the
//! program for a step at a time, so a pass may change what it has been shown, but not how many
//! statements a block has that has not come to its end.

use std::ops::Range;

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
    /// The blocks that have begun, and those that come after one of them; the next last.
    stack: Vec<Step>,
}

/// Where a walk is in a block.
struct Step {
    block: BlockId,
    next: Next,
    /// The statements end before this one, and with them the walk.
    until: usize,
}

/// What comes next in a block.
#[derive(Clone, Copy)]
enum Next {
    Enter,
    Statement(usize),
    After(usize),
    Leave,
}

impl Walk {
    /// Of a whole program.
    pub(crate) fn new() -> Self {
        Self {
            stack: vec![Step { block: LaneProgram::ROOT, next: Next::Enter, until: usize::MAX }],
        }
    }

    /// Of some statements of a block and the blocks in them.
    pub(crate) fn of_statements(block: BlockId, statements: Range<usize>) -> Self {
        let Range { start, end } = statements;
        Self { stack: vec![Step { block, next: Next::Statement(start), until: end }] }
    }

    fn push(&mut self, blocks: [Option<BlockId>; 2]) {
        let steps = blocks.into_iter().rev().flatten();
        self.stack.extend(steps.map(|block| Step { block, next: Next::Enter, until: usize::MAX }));
    }

    /// The next step.
    #[inline]
    pub(crate) fn next(&mut self, program: &LaneProgram) -> Option<Event> {
        let step = self.stack.last_mut()?;
        let block = step.block;
        match step.next {
            Next::Enter => {
                step.next = Next::Statement(0);
                Some(Event::Enter(block))
            }
            Next::Statement(index) if index == step.until => None,
            Next::Statement(index) if index < program.block(block).statements.len() => {
                let inner = inner(program, block, index);
                if inner[0].is_none() {
                    step.next = Next::Statement(index + 1);
                } else {
                    step.next = Next::After(index);
                    self.push(inner);
                }
                Some(Event::Statement(block, index))
            }
            Next::Statement(_) => {
                step.next = Next::Leave;
                self.push(tails(program, block));
                Some(Event::End(block))
            }
            Next::After(index) => {
                step.next = Next::Statement(index + 1);
                Some(Event::After(block, index))
            }
            Next::Leave => {
                self.stack.pop();
                Some(Event::Leave(block))
            }
        }
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
