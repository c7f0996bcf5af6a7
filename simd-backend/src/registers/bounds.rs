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
    /// For each reload in the function for a row, the value that was stored in its spill slot.
    pub(super) origins: FxHashMap<Reg, Origin>,
}

impl Bounds {
    pub(crate) fn new(program: &RegisterProgram) -> Self {
        let loads = |function: &RegisterFunction| {
            let instrs = || function.blocks.iter().flat_map(|block| &block.instrs);
            instrs().any(|instr| {
                matches!(
                    instr,
                    Instr::Load(..)
                        | Instr::LoadTwo { .. }
                        | Instr::LoadFour { .. }
                        | Instr::LoadColumns { .. }
                        | Instr::LoadMixed { .. }
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
) -> (Vec<Bound>, FxHashMap<Reg, Origin>) {
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
                    Some(Origin::Register(reg)) => (to, of(reg)),
                    Some(Origin::Entry(..)) | None => continue,
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

/// The value that a register or a spill slot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// That of a register.
    Register(Reg),
    /// That of a slot on the last entry to a block, which has several predecessors, or is the first one and the slot unset.
    Entry(BlockId, u32),
}

/// The contents of spill slots on entry to each reachable block.
struct HeldValues<'f> {
    function: &'f RegisterFunction,
    before: Vec<Option<Vec<Origin>>>,
    /// For each reload, the value that was stored.
    origins: FxHashMap<Reg, Origin>,
}

impl<'f> HeldValues<'f> {
    fn new(function: &'f RegisterFunction) -> Self {
        let mut before = vec![None; function.blocks.len()];
        let unset = |slot| Origin::Entry(BlockId(0), slot);
        before[0] = Some((0..function.spill_slots).map(unset).collect());
        Self { function, before, origins: FxHashMap::default() }
    }

    /// Iterates to a fixed point. Each slot changes at most twice on entry to a block with several predecessors.
    fn reach(&mut self, order: &[BlockId]) {
        let mut edges = vec![0; self.function.blocks.len()];
        for call in order.iter().flat_map(|id| self.function.blocks[id.index()].end.targets()) {
            if let Some(edges) = edges.get_mut(call.block.index()) {
                *edges += 1;
            }
        }
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
                    for (slot, (then, &now)) in (0..).zip(then.iter_mut().zip(&now)) {
                        let merged = Origin::Entry(call.block, slot);
                        // What an earlier entry to the block found is no longer what it finds.
                        let is_old = matches!(now, Origin::Entry(block, _) if block == call.block);
                        let found = match edges[call.block.index()] {
                            1 => now,
                            _ if *then == now && !is_old => now,
                            _ => merged,
                        };
                        if *then != merged && *then != found {
                            *then = found;
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    fn step(&mut self, instr: &Instr, now: &mut [Origin]) {
        match instr {
            Instr::Spill(slot, from) => {
                if let Some(held) = now.get_mut(*slot as usize) {
                    let origin = self.origins.get(from).copied();
                    *held = origin.unwrap_or(Origin::Register(*from));
                }
            }
            Instr::Reload(to, slot) => match now.get(*slot as usize) {
                Some(&held) => {
                    self.origins.insert(*to, held);
                }
                None => {
                    self.origins.remove(to);
                }
            },
            _ => {}
        }
    }
}
