//! How much work a block is.

use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Expr, Program, Statement};

/// What there is in a block and the blocks in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Operations on one component; with a loop, beyond every bound.
    work: u32,
    /// Whether its tail has a `rec`.
    pub(super) has_rec: bool,
}

/// Up to this much work is done for all lanes rather than asking whether any wants it: about what
/// a test, a branch that is sometimes predicted wrongly, and the values that go around it cost.
const CHEAP: u32 = 8;

/// Up to this much work of a round is done before asking whether any lane leaves the loop, which is for nothing in the
/// last round alone.
const SMALL: u32 = 24;

impl Cost {
    /// Whether the work needs no test.
    pub(super) fn is_cheap(self) -> bool {
        self.work <= CHEAP
    }

    /// Whether the rest of a round is to be done before any lane leaves.
    pub(super) fn is_small(self) -> bool {
        self.work <= SMALL
    }

    fn add(&mut self, more: u32) {
        self.work = self.work.saturating_add(more);
    }
}

/// The cost of each block with all blocks in it. Recurses on their nesting.
pub(super) fn costs(program: &Program) -> Vec<Cost> {
    let mut costs = vec![Cost { work: 0, has_rec: false }; program.blocks.len()];
    block(program, Program::ROOT, &mut costs);
    costs
}

fn block(program: &Program, id: BlockId, costs: &mut [Cost]) -> Cost {
    let mut cost = Cost { work: 0, has_rec: false };
    for statement in &program.block(id).statements {
        match statement {
            Statement::Let { value, expr: Expr::Op(op, _) } => {
                let each = match op {
                    Op::Component(_) | Op::Column(_) | Op::Construct(_) => 0,
                    Op::Div | Op::Sqrt => 4,
                    Op::Elementary(_) => 40,
                    _ => 1,
                };
                cost.add(each * program.types.components(program.ty(*value)) as u32);
            }
            Statement::Let { .. } => {}
            Statement::If { value, then, otherwise, .. } => {
                cost.add(block(program, *then, costs).work);
                cost.add(block(program, *otherwise, costs).work);
                cost.add(program.types.components(program.ty(*value)) as u32);
            }
            Statement::Loop { body, .. } => {
                block(program, *body, costs);
                cost.add(u32::MAX);
            }
        }
    }
    match program.block(id).end {
        End::Yield(_) => {}
        End::Rec(_) => cost.has_rec = true,
        End::If { then, otherwise, .. } => {
            for arm in [then, otherwise] {
                let arm = block(program, arm, costs);
                cost.add(arm.work);
                cost.has_rec |= arm.has_rec;
            }
        }
    }
    costs[id.index()] = cost;
    cost
}
