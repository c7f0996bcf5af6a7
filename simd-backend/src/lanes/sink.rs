//! What only one arm needs is computed there.
//!
//! The schedule has done this for the arms that the source has. Lowering to lanes makes others: a decision that is the
//! same for all lanes comes before a divergent one, whose condition then need not be computed where the loop
//! ends, and what belongs together comes into one block.

use super::{Block, BlockId, End, Expr, LaneProgram, Statement, ValueId};

/// Moves computations down into the one arm that uses them, but not into loops. Recurses on the nesting of blocks.
pub(super) fn sink(program: &mut LaneProgram) {
    let mut places =
        vec![Place { parent: LaneProgram::ROOT, depth: 0, is_body: false }; program.blocks.len()];
    // Parents have smaller depths; they are met first.
    let mut stack = vec![LaneProgram::ROOT];
    while let Some(id) = stack.pop() {
        let depth = places[id.index()].depth + 1;
        let mut child = |child: BlockId, is_body| {
            places[child.index()] = Place { parent: id, depth, is_body };
            stack.push(child);
        };
        for statement in &program.block(id).statements {
            match *statement {
                Statement::Let { .. } => {}
                Statement::If { then, otherwise, .. } => {
                    child(then, false);
                    child(otherwise, false);
                }
                Statement::Loop { body, .. } => child(body, true),
            }
        }
        if let End::If { then, otherwise, .. } = program.block(id).end {
            child(then, false);
            child(otherwise, false);
        }
    }
    let mut sinking = Sinking {
        places,
        used_in: vec![None; program.values.len()],
        moved: vec![Vec::new(); program.blocks.len()],
        frame_len: program.frame_len,
    };
    sinking.block(&mut program.blocks, LaneProgram::ROOT);
    for (block, moved) in program.blocks.iter_mut().zip(sinking.moved) {
        block.statements.splice(..0, moved.into_iter().rev());
    }
}

/// Where a block is.
#[derive(Clone, Copy)]
struct Place {
    parent: BlockId,
    depth: usize,
    /// Whether it is a loop's, rather than an arm.
    is_body: bool,
}

struct Sinking {
    places: Vec<Place>,
    /// Of each value, the innermost block around all uses that have been seen.
    used_in: Vec<Option<BlockId>>,
    /// What comes to the beginning of each block, the last first.
    moved: Vec<Vec<Statement>>,
    frame_len: usize,
}

impl Sinking {
    /// All uses come before what they use: from the end to the beginning.
    fn block(&mut self, blocks: &mut [Block], id: BlockId) {
        match &blocks[id.index()].end {
            End::Yield(values) | End::Rec(values) => self.uses(values.iter().copied(), id),
            &End::If { condition, then, otherwise } => {
                self.uses([condition], id);
                self.block(blocks, then);
                self.block(blocks, otherwise);
            }
        }
        let frame_len = if id == LaneProgram::ROOT { self.frame_len } else { 0 };
        let statements = std::mem::take(&mut blocks[id.index()].statements);
        let mut kept = Vec::with_capacity(statements.len());
        for (i, statement) in statements.into_iter().enumerate().rev() {
            match &statement {
                Statement::Let { value, expr } => {
                    let to = if i < frame_len { id } else { self.target(*value, expr, id) };
                    self.uses(expr.operands(), to);
                    if to != id {
                        self.moved[to.index()].push(statement);
                        continue;
                    }
                }
                &Statement::If { condition, then, otherwise, .. } => {
                    self.block(blocks, then);
                    self.block(blocks, otherwise);
                    self.uses([condition], id);
                }
                Statement::Loop { inits, body, .. } => {
                    self.block(blocks, *body);
                    self.uses(inits.iter().copied(), id);
                }
            }
            kept.push(statement);
        }
        kept.reverse();
        blocks[id.index()].statements = kept;
    }

    fn uses(&mut self, values: impl IntoIterator<Item = ValueId>, at: BlockId) {
        for value in values {
            let known = self.used_in[value.index()];
            self.used_in[value.index()] = Some(known.map_or(at, |known| self.around(known, at)));
        }
    }

    /// The innermost block around two.
    fn around(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        while a != b {
            let deeper = if self.places[a.index()].depth < self.places[b.index()].depth {
                &mut b
            } else {
                &mut a
            };
            *deeper = self.places[deeper.index()].parent;
        }
        a
    }

    /// The block that a computation of a block belongs to.
    fn target(&self, value: ValueId, expr: &Expr, from: BlockId) -> BlockId {
        if !matches!(expr, Expr::Op(..) | Expr::Elementary { .. } | Expr::Any(_)) {
            return from;
        }
        let Some(mut at) = self.used_in[value.index()] else { return from };
        let mut target = at;
        while at != from {
            let Place { parent, is_body, .. } = self.places[at.index()];
            if is_body {
                target = parent;
            }
            at = parent;
        }
        target
    }
}
