//! The traversal of lane programs that all passes use.
//!
//! A [`Walk`] visits blocks, their statements and nested blocks in program order. Its stack is explicit, so
//! deep programs cause no recursion. It borrows the program only during a step. So a pass may change the
//! part already visited, but not the number of statements of an open block.

use std::ops::Range;

use super::{BlockId, LaneEnd, LaneProgram, LaneStatement};

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A block begins.
    Enter(BlockId),
    /// A statement, before its inner blocks.
    Statement(BlockId, usize),
    /// A statement with inner blocks, after them.
    After(BlockId, usize),
    /// The end of a block, before the blocks of its tail.
    End(BlockId),
    /// A block and all its inner blocks have been visited.
    Leave(BlockId),
}

/// A traversal of a lane program.
pub(crate) struct Walk {
    /// The open blocks, and blocks that wait for an earlier one; the next last.
    stack: Vec<Step>,
}

/// The position of a walk in a block.
struct Step {
    block: BlockId,
    next: Next,
    /// The statement at which the walk ends.
    until: usize,
}

/// The next step in a block.
#[derive(Clone, Copy)]
enum Next {
    Enter,
    Statement(usize),
    After(usize),
    Leave,
}

impl Walk {
    /// Walks a whole program.
    pub(crate) fn new() -> Self {
        Self {
            stack: vec![Step { block: LaneProgram::ROOT, next: Next::Enter, until: usize::MAX }],
        }
    }

    /// Walks some statements of a block and their inner blocks.
    pub(crate) fn of_statements(block: BlockId, statements: Range<usize>) -> Self {
        let Range { start, end } = statements;
        Self { stack: vec![Step { block, next: Next::Statement(start), until: end }] }
    }

    fn push(&mut self, blocks: [Option<BlockId>; 2]) {
        let steps = blocks.into_iter().rev().flatten();
        self.stack.extend(steps.map(|block| Step { block, next: Next::Enter, until: usize::MAX }));
    }

    /// The next event.
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

    /// All events of a program that does not change.
    pub(crate) fn events(mut self, program: &LaneProgram) -> impl Iterator<Item = Event> {
        std::iter::from_fn(move || self.next(program))
    }
}

/// The block's tail in preorder.
pub(crate) fn tail(program: &LaneProgram, block: BlockId) -> Vec<BlockId> {
    let (mut blocks, mut stack) = (Vec::new(), vec![block]);
    while let Some(block) = stack.pop() {
        blocks.push(block);
        stack.extend(tails(program, block).into_iter().rev().flatten());
    }
    blocks
}

/// The inner blocks of a statement, in order.
pub(super) fn inner(
    program: &LaneProgram,
    block: BlockId,
    statement: usize,
) -> [Option<BlockId>; 2] {
    match program.block(block).statements[statement] {
        LaneStatement::Let { .. } | LaneStatement::Access { .. } => [None, None],
        LaneStatement::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        LaneStatement::Loop { body, .. } => [Some(body), None],
    }
}

/// The blocks that the end of a block chooses between, in order.
pub(super) fn tails(program: &LaneProgram, block: BlockId) -> [Option<BlockId>; 2] {
    match program.block(block).end {
        LaneEnd::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
        LaneEnd::Yield(_) | LaneEnd::Rec(_) => [None, None],
    }
}
