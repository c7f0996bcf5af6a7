//! A walk over a scheduled program: a sequence of events, in the order of the program's text.
//!
//! For each block there is
//!
//! ```text
//! Enter  (Statement  [inner blocks  After])*  End  [inner blocks]  Leave
//! ```
//!
//! A `let` has neither inner blocks nor an [`Event::After`]. An end has inner blocks if it is a decision. A
//! value defined by a statement with blocks is in scope from `After` on; the values of a block are in scope
//! until `Leave`. A consumer keeps its own stack of facts about the enclosing blocks.
//!
//! The walk keeps its state on a heap-allocated stack, so nothing recurses on the nesting of blocks. The
//! program's blocks must form a tree.

use super::program::{Block, BlockId, End, Program, Statement, ValueId};

/// The role of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRole {
    /// The whole program.
    Root,
    /// The arm for a true condition, of the `if` with this value, or (`None`) of a decision at a block's end.
    Then(Option<ValueId>),
    /// The arm for a false condition, likewise.
    Otherwise(Option<ValueId>),
    /// The body of the loop with this value.
    Body(ValueId),
}

/// An event of a walk.
#[derive(Clone, Copy, Debug)]
pub enum Event<'p> {
    /// A block begins.
    Enter(BlockId, BlockRole),
    /// A statement of this block; its inner blocks follow at once.
    Statement(BlockId, &'p Statement),
    /// The inner blocks of this `if` or loop have been left.
    After(BlockId, &'p Statement),
    /// The end of this block; the two blocks of a decision follow at once.
    End(BlockId, &'p End),
    /// The block and all its inner blocks have been visited.
    Leave(BlockId),
}

#[derive(Debug)]
enum Task {
    Enter(BlockId, BlockRole),
    Statement(BlockId, usize),
    After(BlockId, usize),
    Leave(BlockId),
}

/// A walk over a program; see the head of this module.
#[derive(Debug)]
pub struct Walk<'p> {
    program: &'p Program,
    /// The pending tasks, the next one last.
    tasks: Vec<Task>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self { program, tasks: vec![Task::Enter(Program::ROOT, BlockRole::Root)] }
    }

    /// Right after [`Event::Enter`]: skips the block's contents, so that its [`Event::Leave`] comes next.
    pub fn skip_block(&mut self) {
        if let Some(task @ Task::Statement(..)) = self.tasks.last_mut()
            && let Task::Statement(block, 0) = *task
        {
            *task = Task::Leave(block);
        }
    }

    fn choice(&mut self, then: BlockId, otherwise: BlockId, value: Option<ValueId>) {
        self.tasks.push(Task::Enter(otherwise, BlockRole::Otherwise(value)));
        self.tasks.push(Task::Enter(then, BlockRole::Then(value)));
    }
}

impl<'p> Iterator for Walk<'p> {
    type Item = Event<'p>;

    fn next(&mut self) -> Option<Event<'p>> {
        let program: &'p Program = self.program;
        Some(match self.tasks.pop()? {
            Task::Enter(block, role) => {
                self.tasks.push(Task::Statement(block, 0));
                Event::Enter(block, role)
            }
            Task::Statement(id, at) => {
                let Block { statements, end } = program.block(id);
                let Some(statement) = statements.get(at) else {
                    self.tasks.push(Task::Leave(id));
                    if let End::If { then, otherwise, .. } = *end {
                        self.choice(then, otherwise, None);
                    }
                    return Some(Event::End(id, end));
                };
                self.tasks.push(Task::Statement(id, at + 1));
                match *statement {
                    Statement::Let { .. } => {}
                    Statement::If { value, then, otherwise, .. } => {
                        self.tasks.push(Task::After(id, at));
                        self.choice(then, otherwise, Some(value));
                    }
                    Statement::Loop { value, body, .. } => {
                        self.tasks.push(Task::After(id, at));
                        self.tasks.push(Task::Enter(body, BlockRole::Body(value)));
                    }
                }
                Event::Statement(id, statement)
            }
            Task::After(id, at) => Event::After(id, &program.block(id).statements[at]),
            Task::Leave(block) => Event::Leave(block),
        })
    }
}

impl Program {
    /// The number of blocks around the innermost statement, its own included.
    pub fn nesting(&self) -> usize {
        let (mut deepest, mut depth) = (0, 0);
        for event in self.walk() {
            match event {
                Event::Enter(..) => depth += 1,
                Event::Leave(_) => depth -= 1,
                _ => deepest = deepest.max(depth),
            }
        }
        deepest
    }

    /// A walk over all blocks, in the order of the program's text.
    pub fn walk(&self) -> Walk<'_> {
        Walk::new(self)
    }

    /// The block's tail in preorder: the block itself, then the blocks of its decisions, the `then` block
    /// first.
    pub fn tail(&self, block: BlockId) -> Vec<BlockId> {
        let (mut blocks, mut stack) = (Vec::new(), vec![block]);
        while let Some(id) = stack.pop() {
            blocks.push(id);
            if let End::If { then, otherwise, .. } = self.block(id).end {
                stack.extend([otherwise, then]);
            }
        }
        blocks
    }
}
