//! The work of blocks.

use lambdav_core::memory::MemoryOp;
use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Event, Expr, Program, Statement};

use crate::cost::{BEFORE_EXIT, DECISION, LOAD, STORE, UNTESTED, of_core};
use crate::lanes::arrays::Arrays;
use lambdav_core::schedule::Places;

/// The work of a block, nested blocks included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Operations on one component, weighted by cost. A block with a loop saturates.
    work: u64,
    /// True if its tail has a `rec`.
    pub(super) has_rec: bool,
    /// True if it updates arrays in memory or changes memories, which needs the exact mask of the block.
    stores: bool,
}

impl Cost {
    /// True if a test if any lane is active would cost more than the work.
    pub(super) fn is_cheap(self) -> bool {
        self.work <= UNTESTED
    }

    /// True if the rest of a round may be executed before the test if any lane leaves.
    pub(super) fn is_small(self) -> bool {
        self.work <= BEFORE_EXIT && !self.stores
    }

    fn add(&mut self, more: u64) {
        self.work = self.work.saturating_add(more);
    }
}

/// The costs of all blocks.
pub(super) fn costs(program: &Program, places: &Places, arrays: &Arrays) -> Vec<Cost> {
    let mut costs = vec![Cost { work: 0, has_rec: false, stores: false }; program.blocks.len()];
    for event in program.walk() {
        if let Event::Leave(id) = event {
            costs[id.index()] = cost(program, places, arrays, id, &costs);
        }
    }
    costs
}

/// The cost of a block, from the costs of its inner blocks.
fn cost(program: &Program, places: &Places, arrays: &Arrays, id: BlockId, costs: &[Cost]) -> Cost {
    let mut cost = Cost { work: 0, has_rec: false, stores: false };
    for statement in &program.block(id).statements {
        match statement {
            Statement::Let { value, expr: Expr::Op(op, operands) } => {
                let of_component = match op {
                    _ if places.is_in_memory(*value) => {
                        if places.is_whole(*value) {
                            LOAD
                        } else {
                            0
                        }
                    }
                    Op::Memory(MemoryOp::Load) => LOAD,
                    Op::Memory(op) if op.is_effect() => {
                        cost.stores = true;
                        cost.add(STORE);
                        continue;
                    }
                    Op::Update if arrays.is_whole(program.ty(*value)) => {
                        cost.stores = true;
                        cost.add(STORE * program.types.components(program.ty(operands[2])) as u64);
                        continue;
                    }
                    Op::At if arrays.is_whole(program.ty(operands[0])) => LOAD,
                    Op::At => program.types.parts(program.ty(operands[0])).len() as u64,
                    _ => of_core(*op),
                };
                cost.add(of_component * program.types.components(program.ty(*value)) as u64);
            }
            Statement::Let { .. } => {}
            Statement::If { value, then, otherwise, .. } => {
                for arm in [then, otherwise].map(|arm| costs[arm.index()]) {
                    cost.add(arm.work);
                    cost.stores |= arm.stores;
                }
                cost.add(program.types.components(program.ty(*value)) as u64);
            }
            Statement::Loop { .. } => cost.add(u64::MAX),
        }
    }
    match program.block(id).end {
        End::Yield(_) => {}
        End::Rec(_) => cost.has_rec = true,
        End::If { then, otherwise, .. } => {
            cost.add(DECISION);
            for arm in [then, otherwise].map(|arm| costs[arm.index()]) {
                cost.add(arm.work);
                cost.has_rec |= arm.has_rec;
                cost.stores |= arm.stores;
            }
        }
    }
    cost
}
