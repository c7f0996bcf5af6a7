//! Code sinking: moves a computation into the only arm that uses it. Accesses to memories stay.
//!
//! The schedule has done this for the arms of the source. Lowering to lanes makes new arms. For example, a
//! uniform decision of a loop's tail now comes before a divergent one, so the condition of the divergent
//! decision is not needed where the loop ends. Sinking also puts dependent computations into one block.

use super::{BlockId, LaneEnd, LaneExpr, LaneProgram, LaneStatement, ValueId};
use crate::lanes::walk::{Event, Walk, inner, tails};

/// Moves computations down into the arm that uses them, but not into loops.
pub(super) fn sink(program: &mut LaneProgram) {
    let root = Position { parent: LaneProgram::ROOT, depth: 0, is_body: false };
    let mut sinking = Sinking {
        positions: vec![root; program.blocks.len()],
        used_in: vec![None; program.values.len()],
        moved: vec![Vec::new(); program.blocks.len()],
        gone: vec![Vec::new(); program.blocks.len()],
        first: program.frame_len + program.primitive_len,
    };
    let mut events = Vec::with_capacity(program.values.len());
    for event in Walk::new().events(program) {
        sinking.place(program, event);
        events.push(event);
    }
    // In reverse order all uses come before the definition.
    for &event in events.iter().rev() {
        sinking.look(program, event);
    }
    let Sinking { moved, gone, .. } = sinking;
    for (block, (moved, gone)) in program.blocks.iter_mut().zip(moved.into_iter().zip(gone)) {
        let (mut gone, mut index) = (gone.into_iter().rev().peekable(), 0..);
        block.statements.retain(|_| {
            let index: usize = index.next().expect("the range is endless");
            gone.next_if_eq(&index).is_none()
        });
        block.statements.splice(..0, moved.into_iter().rev());
    }
}

/// The position of a block in the tree.
#[derive(Clone, Copy)]
struct Position {
    parent: BlockId,
    depth: usize,
    /// True for a loop body, false for an arm.
    is_body: bool,
}

struct Sinking {
    positions: Vec<Position>,
    /// For each value, the innermost block around all uses seen so far.
    used_in: Vec<Option<BlockId>>,
    /// Statements to insert at the beginning of each block, the last first.
    moved: Vec<Vec<LaneStatement>>,
    /// Indices of the statements moved out of each block, the last first.
    gone: Vec<Vec<usize>>,
    /// Number of statements of the root that run once for the frame or a primitive: they stay.
    first: usize,
}

impl Sinking {
    /// Records the positions of inner blocks.
    fn place(&mut self, program: &LaneProgram, event: Event) {
        let (parent, children, is_body) = match event {
            Event::Statement(id, index) => {
                let is_body =
                    matches!(program.block(id).statements[index], LaneStatement::Loop { .. });
                (id, inner(program, id, index), is_body)
            }
            Event::End(id) => (id, tails(program, id), false),
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => return,
        };
        let depth = self.positions[parent.index()].depth + 1;
        for child in children.into_iter().flatten() {
            self.positions[child.index()] = Position { parent, depth, is_body };
        }
    }

    fn look(&mut self, program: &mut LaneProgram, event: Event) {
        match event {
            Event::End(id) => match &program.block(id).end {
                LaneEnd::Yield(values) | LaneEnd::Rec(values) => {
                    self.uses(values.iter().copied(), id);
                }
                &LaneEnd::If { condition, .. } => self.uses([condition], id),
            },
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr } => {
                    let stays = id == LaneProgram::ROOT && index < self.first;
                    let to = if stays { id } else { self.target(*value, expr, id) };
                    self.uses(expr.operands(), to);
                    if to != id {
                        let nothing =
                            LaneStatement::Let { value: *value, expr: LaneExpr::Undefined };
                        let place = &mut program.blocks[id.index()].statements[index];
                        self.moved[to.index()].push(std::mem::replace(place, nothing));
                        self.gone[id.index()].push(index);
                    }
                }
                LaneStatement::Access { access, .. } => self.uses(access.operands(), id),
                &LaneStatement::If { condition, .. } => self.uses([condition], id),
                LaneStatement::Loop { inits, .. } => self.uses(inits.iter().copied(), id),
            },
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => {}
        }
    }

    fn uses(&mut self, values: impl IntoIterator<Item = ValueId>, at: BlockId) {
        for value in values {
            let known = self.used_in[value.index()];
            self.used_in[value.index()] = Some(known.map_or(at, |known| self.around(known, at)));
        }
    }

    /// The innermost block around both blocks.
    fn around(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        while a != b {
            let deeper = if self.positions[a.index()].depth < self.positions[b.index()].depth {
                &mut b
            } else {
                &mut a
            };
            *deeper = self.positions[deeper.index()].parent;
        }
        a
    }

    /// The block that a computation moves to.
    fn target(&self, value: ValueId, expr: &LaneExpr, from: BlockId) -> BlockId {
        if !matches!(
            expr,
            LaneExpr::Op(..)
                | LaneExpr::Elementary { .. }
                | LaneExpr::Any(_)
                | LaneExpr::Load { .. }
                | LaneExpr::Lookup { .. }
                | LaneExpr::Neighbour { .. }
        ) {
            return from;
        }
        let Some(mut at) = self.used_in[value.index()] else { return from };
        let mut target = at;
        while at != from {
            let Position { parent, is_body, .. } = self.positions[at.index()];
            if is_body {
                target = parent;
            }
            at = parent;
        }
        target
    }
}
