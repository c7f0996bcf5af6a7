//! What integers in registers do not exceed, so that what is loaded by them is there.
//!
//! A constant is its own bound, and so is a word of a descriptor, which says how large a resource is. Operations
//! have bounds by those of their operands ([`extents`](crate::lanes::extents) has the rules), and what goes
//! through a slot, a spill slot, a broadcast or a permutation keeps its bound. Of parameters nothing is known,
//! nor of a spill slot that holds one register or another.

use super::{BlockId, Function, Instr, Reg, RegisterProgram};
use crate::lanes::{Bound, Descriptors};
use rustc_hash::FxHashMap;

/// Bounds by register; nothing where no function loads anything.
pub(crate) struct Bounds {
    pub(crate) frame: Vec<Bound>,
    pub(crate) row: Vec<Bound>,
    /// Of registers of the function for a row that are read from spill slots, those that were stored there.
    pub(super) origins: FxHashMap<Reg, Reg>,
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
                        | Instr::LoadColumns { .. }
                        | Instr::LoadArray(..)
                        | Instr::StoreArray { .. }
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
    function: &Function,
    resources: &Descriptors,
    slots: &[Bound],
) -> (Vec<Bound>, FxHashMap<Reg, Reg>) {
    let order = function.reverse_postorder();
    let mut held = HeldValues::new(function);
    held.reach(&order);
    let mut bounds = vec![Bound::ANY; function.registers.len()];
    // What is read has been defined on every way there, so earlier in this order.
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
                Instr::Broadcast(to, from) | Instr::Neighbour(to, from, ..) => (to, of(from)),
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

/// What a spill slot holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nothing, or one thing or another.
    Unknown,
    /// What that register was assigned.
    Register(Reg),
}

/// What spill slots hold where each block begins, of those that can be reached.
struct HeldValues<'f> {
    function: &'f Function,
    before: Vec<Option<Vec<Held>>>,
    /// Of registers that were read from slots, the ones that were stored there.
    origins: FxHashMap<Reg, Reg>,
}

impl<'f> HeldValues<'f> {
    fn new(function: &'f Function) -> Self {
        let mut before = vec![None; function.blocks.len()];
        before[0] = Some(vec![Held::Unknown; function.spill_slots as usize]);
        Self { function, before, origins: FxHashMap::default() }
    }

    /// Follows all ways. What a slot holds where a block begins changes twice at most.
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
