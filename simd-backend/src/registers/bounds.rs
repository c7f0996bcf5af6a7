//! Upper bounds of integers in registers, which prove that loads are in range.
//!
//! The bound of a constant is its value. A word of a descriptor is bounded by the size of its
//! resource. Operations derive bounds from those of their operands
//! ([`extents`](crate::lanes::extents) has the rules). Slots, spill slots, broadcasts and
//! permutations keep bounds. Block parameters have no bounds, nor has a spill slot that holds
//! different registers on different paths.

use super::{BlockId, Instr, Reg, RegisterFunction, RegisterProgram};
use crate::lanes::{Bound, Descriptors};
use rustc_hash::FxHashMap;

/// Bounds by register; empty if neither function has a load or an array access.
pub(crate) struct Bounds {
    pub(crate) frame: Vec<Bound>,
    pub(crate) row: Vec<Bound>,
    /// For each reload in the function for a row, the register that was stored in its spill slot.
    pub(super) origins: FxHashMap<Reg, Reg>,
}

impl Bounds {
    pub(crate) fn new(program: &RegisterProgram) -> Self {
        let loads = |function: &RegisterFunction| {
            let instrs = || function.blocks.iter().flat_map(|block| &block.instrs);
            instrs().any(|instr| {
                matches!(
                    instr,
                    Instr::Load(..)
                        | Instr::LoadFour { .. }
                        | Instr::LoadColumns { .. }
                        | Instr::LoadArray(..)
                        | Instr::StoreArray { .. }
                        | Instr::LoadMemory(..)
                        | Instr::StoreMemory { .. }
                        | Instr::LoadMemoryLanes(..)
                        | Instr::StoreMemoryLanes { .. }
                )
            })
        };
        let mut slots = vec![Bound::ANY; program.slots.len()];
        if !loads(&program.frame) && !loads(&program.row) {
            return Self { frame: Vec::new(), row: Vec::new(), origins: FxHashMap::default() };
        }
        let (frame, _) = of_function(&program.frame, &program.resources, &slots);
        for instr in program.frame.blocks.iter().flat_map(|block| &block.instrs) {
            if let Instr::SetSlot(slot, from) = instr
                && let (Some(slot), Some(&bound)) =
                    (slots.get_mut(*slot as usize), frame.get(from.index()))
            {
                *slot = bound;
            }
        }
        let (row, origins) = of_function(&program.row, &program.resources, &slots);
        Self { frame, row, origins }
    }
}

fn of_function(
    function: &RegisterFunction,
    resources: &Descriptors,
    slots: &[Bound],
) -> (Vec<Bound>, FxHashMap<Reg, Reg>) {
    let order = function.reverse_postorder();
    let mut held = HeldValues::new(function);
    held.reach(&order);
    let mut bounds = vec![Bound::ANY; function.registers.len()];
    // Operands are defined on every path to their use, and so earlier in this order.
    for &id in &order {
        let Some(mut now) = held.before[id.index()].clone() else { continue };
        for instr in &function.blocks[id.index()].instrs {
            let of = |reg: &Reg| bounds.get(reg.index()).copied().unwrap_or(Bound::ANY);
            let (to, bound) = match instr {
                Instr::Constant(to, bits) => (to, Bound::constant(*bits as u32)),
                Instr::Input(to, word) => (to, resources.bound_of(*word)),
                Instr::Op(to, op, operands) => {
                    let operand = |i: usize| operands.get(i).map_or(Bound::ANY, &of);
                    (to, Bound::of(*op, resources, operand))
                }
                Instr::Broadcast(to, from)
                | Instr::Neighbour(to, from, ..)
                | Instr::Lane(to, from, _) => (to, of(from)),
                Instr::Slot(to, slot) => {
                    (to, slots.get(*slot as usize).copied().unwrap_or(Bound::ANY))
                }
                Instr::Reload(to, slot) => match now.get(*slot as usize) {
                    Some(Held::Register(reg)) => (to, of(reg)),
                    Some(Held::Unknown) | None => continue,
                },
                Instr::Spill(..) => {
                    held.step(instr, &mut now);
                    continue;
                }
                _ => continue,
            };
            if let Some(to) = bounds.get_mut(to.index()) {
                *to = bound;
            }
        }
    }
    (bounds, held.origins)
}

/// The content of a spill slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Unset on some path, or different registers on different paths.
    Unknown,
    /// The value of that register.
    Register(Reg),
}

/// The contents of spill slots on entry to each reachable block.
struct HeldValues<'f> {
    function: &'f RegisterFunction,
    before: Vec<Option<Vec<Held>>>,
    /// For each reload, the register that was stored.
    origins: FxHashMap<Reg, Reg>,
}

impl<'f> HeldValues<'f> {
    fn new(function: &'f RegisterFunction) -> Self {
        let mut before = vec![None; function.blocks.len()];
        before[0] = Some(vec![Held::Unknown; function.spill_slots as usize]);
        Self { function, before, origins: FxHashMap::default() }
    }

    /// Iterates to a fixed point. Each slot changes at most twice on entry to a block.
    fn reach(&mut self, order: &[BlockId]) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &id in order {
                let Some(mut now) = self.before[id.index()].clone() else { continue };
                let block = &self.function.blocks[id.index()];
                block.instrs.iter().for_each(|instr| self.step(instr, &mut now));
                for call in block.end.targets() {
                    let Some(then) = self.before.get_mut(call.block.index()) else { continue };
                    let Some(then) = then else {
                        *then = Some(now.clone());
                        changed = true;
                        continue;
                    };
                    for (then, &now) in then.iter_mut().zip(&now) {
                        if *then != now && *then != Held::Unknown {
                            *then = Held::Unknown;
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    fn step(&mut self, instr: &Instr, now: &mut [Held]) {
        match instr {
            Instr::Spill(slot, from) => {
                if let Some(held) = now.get_mut(*slot as usize) {
                    *held = Held::Register(self.origins.get(from).copied().unwrap_or(*from));
                }
            }
            Instr::Reload(to, slot) => match now.get(*slot as usize) {
                Some(&Held::Register(reg)) => {
                    self.origins.insert(*to, reg);
                }
                Some(Held::Unknown) | None => {
                    self.origins.remove(to);
                }
            },
            _ => {}
        }
    }
}
