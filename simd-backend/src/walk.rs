//! The one way to walk a structured program: a schedule, or a lane program.
//!
//! A [`Walk`] goes through blocks, the statements in them and the blocks in these, in the order of
//! the text, on a stack of its own: nothing recurses on the depth of a program. It borrows the
//! program for a step at a time, so a pass may change what it has been shown, but not how many
//! statements a block has that has not come to its end.

use std::ops::Range;

use lambdav_core::schedule;

use crate::lanes;

/// A program of blocks.
pub(crate) trait Structured {
    /// A block.
    type Block: Copy + Eq;

    /// The block around all others.
    const ROOT: Self::Block;

    /// How many statements a block has.
    fn statements(&self, block: Self::Block) -> usize;

    /// The blocks in a statement, in order.
    fn inner(&self, block: Self::Block, statement: usize) -> [Option<Self::Block>; 2];

    /// The blocks that a block ends as, in order.
    fn tails(&self, block: Self::Block) -> [Option<Self::Block>; 2];
}

/// What a walk comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event<B> {
    /// A block begins.
    Enter(B),
    /// A statement, before the blocks in it.
    Statement(B, usize),
    /// A statement, after the blocks in it: of those that have some.
    After(B, usize),
    /// The end of a block, before the blocks that it ends as.
    End(B),
    /// A block, and all in it, has been seen.
    Leave(B),
}

/// A walk.
pub(crate) struct Walk<B> {
    /// The blocks that have begun, and those that come after one of them; the next last.
    stack: Vec<Step<B>>,
}

/// Where a walk is in a block.
struct Step<B> {
    block: B,
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

impl<B: Copy + Eq> Walk<B> {
    /// Of a whole program.
    pub(crate) fn new<P: Structured<Block = B>>(_: &P) -> Self {
        Self { stack: vec![Step { block: P::ROOT, next: Next::Enter, until: usize::MAX }] }
    }

    /// Of some statements of a block and the blocks in them.
    pub(crate) fn of_statements(block: B, statements: Range<usize>) -> Self {
        let Range { start, end } = statements;
        Self { stack: vec![Step { block, next: Next::Statement(start), until: end }] }
    }

    fn push(&mut self, blocks: [Option<B>; 2]) {
        let steps = blocks.into_iter().rev().flatten();
        self.stack.extend(steps.map(|block| Step { block, next: Next::Enter, until: usize::MAX }));
    }

    /// The next step.
    #[inline]
    pub(crate) fn next<P: Structured<Block = B>>(&mut self, program: &P) -> Option<Event<B>> {
        let step = self.stack.last_mut()?;
        let block = step.block;
        match step.next {
            Next::Enter => {
                step.next = Next::Statement(0);
                Some(Event::Enter(block))
            }
            Next::Statement(index) if index == step.until => None,
            Next::Statement(index) if index < program.statements(block) => {
                let inner = program.inner(block, index);
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
                self.push(program.tails(block));
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
    pub(crate) fn events<P: Structured<Block = B>>(
        mut self,
        program: &P,
    ) -> impl Iterator<Item = Event<B>> {
        std::iter::from_fn(move || self.next(program))
    }
}

/// The blocks that a block ends as, and those that these end as, itself first; each before those
/// that it ends as, the first of them before the second.
pub(crate) fn tail<P: Structured>(program: &P, block: P::Block) -> Vec<P::Block> {
    let (mut blocks, mut stack) = (Vec::new(), vec![block]);
    while let Some(block) = stack.pop() {
        blocks.push(block);
        stack.extend(program.tails(block).into_iter().rev().flatten());
    }
    blocks
}

impl Structured for schedule::Program {
    type Block = schedule::BlockId;

    const ROOT: Self::Block = Self::ROOT;

    fn statements(&self, block: Self::Block) -> usize {
        self.block(block).statements.len()
    }

    fn inner(&self, block: Self::Block, statement: usize) -> [Option<Self::Block>; 2] {
        match self.block(block).statements[statement] {
            schedule::Statement::Let { .. } => [None, None],
            schedule::Statement::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            schedule::Statement::Loop { body, .. } => [Some(body), None],
        }
    }

    fn tails(&self, block: Self::Block) -> [Option<Self::Block>; 2] {
        match self.block(block).end {
            schedule::End::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            schedule::End::Yield(_) | schedule::End::Rec(_) => [None, None],
        }
    }
}

impl Structured for lanes::LaneProgram {
    type Block = lanes::BlockId;

    const ROOT: Self::Block = Self::ROOT;

    fn statements(&self, block: Self::Block) -> usize {
        self.block(block).statements.len()
    }

    fn inner(&self, block: Self::Block, statement: usize) -> [Option<Self::Block>; 2] {
        match self.block(block).statements[statement] {
            lanes::Statement::Let { .. } => [None, None],
            lanes::Statement::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            lanes::Statement::Loop { body, .. } => [Some(body), None],
        }
    }

    fn tails(&self, block: Self::Block) -> [Option<Self::Block>; 2] {
        match self.block(block).end {
            lanes::End::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            lanes::End::Yield(_) | lanes::End::Rec(_) => [None, None],
        }
    }
}
