//! The one way to walk a lane program, as [`lambdav_core::schedule::Walk`] is for a schedule.
//!
//! A [`Walk`] goes through blocks, the statements in them and the blocks in these, in the order of
//! the text, on a stack of its own: nothing recurses on the depth of a program. It borrows the
//! program for a step at a time, so a pass may change what it has been shown, but not how many
//! statements a block has that has not come to its end.

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
    /// What is to come, the next last. A statement stands for those after it, too.
    stack: Vec<Event<B>>,
    /// The statement after which the walk ends, if it is of one only.
    only: Option<(B, usize)>,
}

impl<B: Copy + Eq> Walk<B> {
    /// Of a whole program.
    pub(crate) fn new<P: Structured<Block = B>>(_: &P) -> Self {
        Self::of(P::ROOT)
    }

    /// Of a block and all in it.
    pub(crate) fn of(block: B) -> Self {
        Self { stack: vec![Event::Enter(block)], only: None }
    }

    /// Of a statement and the blocks in it.
    pub(crate) fn of_statement(block: B, index: usize) -> Self {
        Self { stack: vec![Event::Statement(block, index)], only: Some((block, index)) }
    }

    fn push(&mut self, blocks: [Option<B>; 2]) {
        self.stack.extend(blocks.into_iter().rev().flatten().map(Event::Enter));
    }

    fn push_statement<P: Structured<Block = B>>(&mut self, program: &P, block: B, next: usize) {
        let is_one = next < program.statements(block);
        self.stack.push(if is_one { Event::Statement(block, next) } else { Event::End(block) });
    }

    /// The next step.
    pub(crate) fn next<P: Structured<Block = B>>(&mut self, program: &P) -> Option<Event<B>> {
        let event = self.stack.pop()?;
        match event {
            Event::Enter(block) => self.push_statement(program, block, 0),
            Event::Statement(block, index) => {
                if self.only != Some((block, index)) {
                    self.push_statement(program, block, index + 1);
                }
                let inner = program.inner(block, index);
                if inner[0].is_some() {
                    self.stack.push(Event::After(block, index));
                    self.push(inner);
                }
            }
            Event::End(block) => {
                self.stack.push(Event::Leave(block));
                self.push(program.tails(block));
            }
            Event::After(..) | Event::Leave(_) => {}
        }
        Some(event)
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
