//! What integers in registers do not exceed, so that what is loaded by them is there.
//!
//! A constant is its own bound, operations have bounds by those of their operands
//! ([`most_of`]), and what goes through a slot, a spill slot, a broadcast or
//! a permutation keeps its bound. Of parameters nothing is known.
//!
//! What spill slots hold goes around loops, so bounds are found by iteration from below. What still
//! grows after some rounds grows to the next *landmark* at once: a bound that some spilled register has
//! whatever the slots hold. So an index that is clamped keeps the bound of its clamp, although what
//! is clamped is not bounded.

use super::{BlockId, Function, Instr, Reg, RegisterProgram};
use crate::lanes::most_of;

/// After so many rounds what still grows goes to the next landmark, and after twice as many it is not
/// bounded.
const ROUNDS: usize = 4;

/// Bounds by register; nothing where no function loads anything.
pub(crate) struct Bounds {
    pub(crate) frame: Vec<u32>,
    pub(crate) row: Vec<u32>,
}

impl Bounds {
    pub(crate) fn new(program: &RegisterProgram) -> Self {
        let loads = |function: &Function| {
            let instrs = || function.blocks.iter().flat_map(|block| &block.instrs);
            instrs().any(|instr| {
                matches!(
                    instr,
                    Instr::Load(..)
                        | Instr::LoadFour { .. }
                        | Instr::LoadArray(..)
                        | Instr::StoreArray { .. }
                )
            })
        };
        let mut slots = vec![u32::MAX; program.slots.len()];
        if !loads(&program.frame) && !loads(&program.row) {
            return Self { frame: Vec::new(), row: Vec::new() };
        }
        let frame = of_function(&program.frame, &slots);
        for instr in program.frame.blocks.iter().flat_map(|block| &block.instrs) {
            if let Instr::SetSlot(slot, from) = instr
                && let (Some(slot), Some(&most)) =
                    (slots.get_mut(*slot as usize), frame.get(from.index()))
            {
                *slot = most;
            }
        }
        Self { frame, row: of_function(&program.row, &slots) }
    }
}

fn of_function(function: &Function, slots: &[u32]) -> Vec<u32> {
    let mut most = vec![u32::MAX; function.registers.len()];
    // What spill slots hold where blocks begin, as far as they have been reached.
    let mut held: Vec<Option<Vec<u32>>> = vec![None; function.blocks.len()];
    held[0] = Some(vec![u32::MAX; function.spill_slots as usize]);
    let order = function.reverse_postorder();
    let landmarks = landmarks(function, &order, slots);
    for round in 0.. {
        let mut changed = false;
        for &id in &order {
            let Some(mut now) = held[id.index()].clone() else { continue };
            block(function, id, slots, &mut now, &mut most);
            for call in function.blocks[id.index()].end.targets() {
                let Some(then) = held.get_mut(call.block.index()) else { continue };
                let Some(then) = then else {
                    *then = Some(now.clone());
                    changed = true;
                    continue;
                };
                for (then, &now) in then.iter_mut().zip(&now) {
                    if now > *then {
                        let landmark = || landmarks.iter().copied().find(|&most| most >= now);
                        *then = match round / ROUNDS {
                            0 => now,
                            1 => landmark().unwrap_or(u32::MAX),
                            _ => u32::MAX,
                        };
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    most
}

/// The bounds of all registers that are spilled where nothing is known of what slots hold, ascending.
fn landmarks(function: &Function, order: &[BlockId], slots: &[u32]) -> Vec<u32> {
    let mut most = vec![u32::MAX; function.registers.len()];
    let mut found = Vec::new();
    for &id in order {
        let mut unknown = vec![u32::MAX; function.spill_slots as usize];
        block(function, id, slots, &mut unknown, &mut most);
        found.extend(function.blocks[id.index()].instrs.iter().filter_map(|instr| match instr {
            Instr::Spill(_, from) => most.get(from.index()).copied(),
            _ => None,
        }));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Goes through a block with what spill slots hold.
fn block(function: &Function, id: BlockId, slots: &[u32], held: &mut [u32], most: &mut [u32]) {
    for instr in &function.blocks[id.index()].instrs {
        let of = |reg: &Reg| most.get(reg.index()).copied().unwrap_or(u32::MAX);
        let known = |bounds: &[u32], slot: u32| bounds.get(slot as usize).copied();
        let (to, bound) = match instr {
            Instr::Constant(to, bits) => (to, *bits as u32),
            Instr::Op(to, op, operands) => {
                (to, most_of(*op, |i| operands.get(i).map_or(u32::MAX, &of)))
            }
            Instr::Broadcast(to, from) | Instr::Neighbour(to, from, ..) => (to, of(from)),
            Instr::Slot(to, slot) => (to, known(slots, *slot).unwrap_or(u32::MAX)),
            Instr::Reload(to, slot) => (to, known(held, *slot).unwrap_or(u32::MAX)),
            Instr::Spill(slot, from) => {
                let bound = of(from);
                if let Some(held) = held.get_mut(*slot as usize) {
                    *held = bound;
                }
                continue;
            }
            _ => continue,
        };
        if let Some(to) = most.get_mut(to.index()) {
            *to = bound;
        }
    }
}
