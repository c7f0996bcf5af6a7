//! Rewrites blocks one after the other: inserts spills and reloads, and passes parameters in
//! memory.

use super::plan::{Home, Plan};
use crate::machine::{Class, Machine, PerClass};
use crate::mutants::{Mutant, is_active};
use crate::registers::{End, Instr, Reg, RegisterBlock, RegisterType};

/// Next use: not in this block, but perhaps in a later one.
const LATER: u32 = u32::MAX - 1;

/// Next use: none.
const NEVER: u32 = u32::MAX;

/// Rewrites blocks one after the other. Untracked values are left to the register allocator.
/// Tracked values keep their registers; a reload gives a new one to the uses after it.
pub(super) struct Rewriting<'m> {
    pub(super) plan: Plan,
    machine: &'m Machine,
    /// The register that holds a value at the moment.
    names: Vec<Option<Reg>>,
    /// The values that have names.
    named: Vec<Reg>,
    /// The next use of a value in this block, or [`LATER`] or [`NEVER`].
    upcoming: Vec<u32>,
    /// Values in registers that may be evicted; all have another use in this block.
    held: PerClass<Vec<Reg>>,
    /// Values without a class that are in memory as well as in a register, and have another use in
    /// this block.
    copies: Vec<Reg>,
    /// The number of registers, beside those of `held`, that are occupied all through the block.
    pinned: PerClass<usize>,
    /// Values of registers that this block stores for itself.
    spilled: Vec<Reg>,
    /// The last position of the block.
    last: u32,
    /// The arguments of the block's jump, and their parameters.
    passed: Vec<Passed>,
    out: Vec<Instr>,
    registers: Vec<RegisterType>,
}

struct Passed {
    argument: Reg,
    param: Reg,
    /// True if the argument is already stored in the parameter's slot.
    delivered: bool,
}

/// An operand: its position, its register and its next use.
type Use = (u32, Reg, u32);

impl<'m> Rewriting<'m> {
    pub(super) fn new(plan: Plan, machine: &'m Machine, registers: Vec<RegisterType>) -> Self {
        let count = registers.len();
        Self {
            plan,
            machine,
            names: vec![None; count],
            named: Vec::new(),
            upcoming: vec![NEVER; count],
            held: PerClass::default(),
            copies: Vec::new(),
            pinned: PerClass::default(),
            spilled: Vec::new(),
            last: 0,
            passed: Vec::new(),
            out: Vec::new(),
            registers,
        }
    }

    /// The plan with its slots, and the types of all registers, new ones included.
    pub(super) fn finish(self) -> (Plan, Vec<RegisterType>) {
        (self.plan, self.registers)
    }

    fn is_tracked(&self, reg: Reg) -> bool {
        self.plan.range_of(reg).is_some()
    }

    /// The class of a value, if registers of that class are few.
    fn class(&self, reg: Reg) -> Option<Class> {
        self.plan.range_of(reg).and_then(|range| range.class)
    }

    /// Notes that a value is in a register and has another use in this block.
    fn hold(&mut self, reg: Reg) {
        match self.class(reg) {
            Some(class) => self.held[class].push(reg),
            None => self.copies.push(reg),
        }
    }

    fn slot(&self, reg: Reg) -> Option<u32> {
        match self.plan.homes[reg.index()] {
            Home::Memory(slot) => Some(slot),
            Home::Register => None,
        }
    }

    /// True if a value is in memory only.
    fn is_missing(&self, reg: Reg) -> bool {
        self.names[reg.index()].is_none() && self.slot(reg).is_some()
    }

    pub(super) fn block(&mut self, block: &mut RegisterBlock, index: usize) {
        let (first, last) = self.plan.extents[index];
        self.last = last;
        self.passed.clear();
        if let End::Jump(target) = &block.end {
            let params = &self.plan.params[target.block.index()];
            let pairs = target.arguments.iter().zip(params);
            self.passed.extend(pairs.map(|(&argument, &param)| Passed {
                argument,
                param,
                delivered: false,
            }));
        }
        block.params.retain(|&reg| self.slot(reg).is_none());
        let uses = self.next_uses(block, index);
        self.begin(index);
        let mut each = uses.chunk_by(|a, b| a.0 == b.0).rev().peekable();
        for (at, instr) in std::mem::take(&mut block.instrs).into_iter().enumerate() {
            let position = first + 1 + at as u32;
            let now = each.next_if(|uses| uses[0].0 == position).unwrap_or_default();
            self.instr(instr, now, position, index);
        }
        self.end(&mut block.end);
        block.instrs = std::mem::take(&mut self.out);
        for (_, reg, _) in uses {
            self.upcoming[reg.index()] = NEVER;
        }
        for reg in self.named.drain(..) {
            self.names[reg.index()] = None;
        }
        for reg in self.spilled.drain(..) {
            if !is_active(Mutant::StaleSlot) {
                self.plan.homes[reg.index()] = Home::Register;
            }
        }
    }

    /// All operands of a block, the last ones first.
    fn next_uses(&mut self, block: &mut RegisterBlock, index: usize) -> Vec<Use> {
        let (first, last) = self.plan.extents[index];
        let mut uses = Vec::new();
        let (plan, upcoming) = (&self.plan, &mut self.upcoming);
        let mut look = |reg: Reg, position: u32| {
            let next = &mut upcoming[reg.index()];
            if plan.range_of(reg).is_some() && *next != position {
                let is_last = *next == NEVER;
                let after = if is_last && plan.lives_after(reg, index) { LATER } else { *next };
                uses.push((position, reg, after));
                *next = position;
            }
        };
        block.end.uses_mut(&mut |reg| look(*reg, last));
        for (at, instr) in block.instrs.iter_mut().enumerate().rev() {
            instr.uses_mut(&mut |reg| look(*reg, first + 1 + at as u32));
        }
        uses
    }

    /// Notes the values that are in registers on entry.
    fn begin(&mut self, index: usize) {
        self.held.0.iter_mut().for_each(Vec::clear);
        self.copies.clear();
        self.pinned = PerClass::default();
        for reg in std::mem::take(&mut self.plan.residents[index]) {
            self.set_name(reg, reg);
            let class = self.class(reg).expect("residents have a class");
            if self.plan.lives_after(reg, index) {
                self.pinned[class] += 1;
            } else if self.upcoming[reg.index()] < LATER {
                self.held[class].push(reg);
            }
        }
    }

    fn instr(&mut self, mut instr: Instr, now: &[Use], position: u32, index: usize) {
        let operands = now.iter().map(|&(_, reg, _)| reg);
        let missing: Vec<Reg> = operands.filter(|&reg| self.is_missing(reg)).collect();
        self.make_room(&missing, position);
        // Reloads come before the stores that make more room: these may overwrite the slots.
        for reg in missing {
            let reload = self.reload(reg);
            self.out.push(reload);
            self.hold(reg);
        }
        instr.uses_mut(&mut |reg| *reg = self.name(*reg));
        for &(_, reg, after) in now {
            self.upcoming[reg.index()] = after;
        }
        for held in &mut self.held.0 {
            held.retain(|reg| self.upcoming[reg.index()] < LATER);
        }
        self.copies.retain(|reg| self.upcoming[reg.index()] < LATER);
        if instr.is_call() {
            for class in Class::ALL {
                self.make_room_in(class, self.machine.preserved[class], 0, position);
            }
            for reg in self.copies.drain(..) {
                self.names[reg.index()] = None;
            }
        }
        let mut results = Vec::new();
        instr.definitions(&mut |reg| results.push(reg));
        results.retain(|&reg| self.is_tracked(reg));
        self.make_room(&results, position);
        let is_stored = !(instr.is_call() && is_active(Mutant::UnstoredResult));
        self.out.push(instr);
        for reg in results {
            self.set_name(reg, reg);
            match self.slot(reg) {
                Some(slot) if is_stored => self.out.push(Instr::Spill(slot, reg)),
                Some(_) => {}
                None if self.plan.lives_after(reg, index) => {
                    if let Some(class) = self.class(reg) {
                        self.pinned[class] += 1;
                    }
                    continue;
                }
                None => {}
            }
            if self.upcoming[reg.index()] < LATER {
                self.hold(reg);
            } else {
                self.names[reg.index()] = None;
            }
        }
    }

    /// Reloads the operands of the block's end, and stores arguments in the slots of parameters.
    fn end(&mut self, end: &mut End) {
        let End::Jump(target) = end else {
            end.uses_mut(&mut |reg| *reg = self.in_register(*reg));
            return;
        };
        target.arguments.clear();
        let (mut stores, mut copies) = (Vec::new(), Vec::new());
        for Passed { argument, param, delivered } in std::mem::take(&mut self.passed) {
            let Some(to) = self.slot(param) else {
                let argument = self.in_register(argument);
                target.arguments.push(argument);
                continue;
            };
            match self.slot(argument) {
                _ if delivered => {}
                Some(from) if from == to => {}
                _ if self.is_missing(argument) => copies.push((to, argument)),
                _ => stores.push((to, self.name(argument))),
            }
        }
        // Slots that are overwritten are read first.
        let filled: Vec<u32> =
            stores.iter().map(|s| s.0).chain(copies.iter().map(|c| c.0)).collect();
        copies.retain(|&(to, argument)| {
            let is_filled = !is_active(Mutant::OverwrittenSlot)
                && self.slot(argument).is_some_and(|from| filled.contains(&from));
            if is_filled {
                let name = self.in_register(argument);
                stores.push((to, name));
            }
            !is_filled
        });
        self.out.extend(stores.into_iter().map(|(to, name)| Instr::Spill(to, name)));
        for (to, argument) in copies {
            let name = self.in_register(argument);
            self.out.push(Instr::Spill(to, name));
        }
    }

    fn name(&self, reg: Reg) -> Reg {
        self.names[reg.index()].unwrap_or(reg)
    }

    fn set_name(&mut self, reg: Reg, name: Reg) {
        self.names[reg.index()] = Some(name);
        self.named.push(reg);
    }

    fn reload(&mut self, reg: Reg) -> Instr {
        let name = Reg(self.registers.len() as u32);
        self.registers.push(self.registers[reg.index()]);
        self.set_name(reg, name);
        Instr::Reload(name, self.slot(reg).expect("it is in memory"))
    }

    /// The register of a value, reloaded if it is in memory only.
    fn in_register(&mut self, reg: Reg) -> Reg {
        if self.is_missing(reg) {
            let reload = self.reload(reg);
            self.out.push(reload);
        }
        self.name(reg)
    }

    /// Evicts values until the coming ones fit, if possible.
    fn make_room(&mut self, coming: &[Reg], position: u32) {
        for class in Class::ALL {
            let more = coming.iter().filter(|&&reg| self.class(reg) == Some(class)).count();
            self.make_room_in(class, self.machine.registers[class], more, position);
        }
    }

    /// Evicts values of a class until `more` fit into `available` registers, if possible: the one
    /// with the furthest next use first.
    fn make_room_in(&mut self, class: Class, available: usize, more: usize, position: u32) {
        while self.pinned[class] + self.held[class].len() + more > available {
            let held = &self.held[class];
            let furthest = (0..held.len()).max_by_key(|&i| self.upcoming[held[i].index()]);
            match furthest {
                Some(i) if self.upcoming[held[i].index()] > position => {
                    let reg = self.held[class].swap_remove(i);
                    self.evict(reg, position);
                }
                _ => return,
            }
        }
    }

    /// Evicts a value that has another use in this block.
    fn evict(&mut self, reg: Reg, position: u32) {
        let name = self.name(reg);
        self.names[reg.index()] = None;
        if self.slot(reg).is_some() {
            return;
        }
        if self.upcoming[reg.index()] == self.last && self.deliver(reg, name) {
            return;
        }
        let slot = self.plan.slots.len() as u32;
        self.plan.slots.push((position, self.last));
        self.plan.homes[reg.index()] = Home::Memory(slot);
        self.spilled.push(reg);
        self.out.push(Instr::Spill(slot, name));
    }

    /// Stores a value whose only use is the jump directly in the slots of its parameters, if all of
    /// them have slots whose old values are dead.
    fn deliver(&mut self, reg: Reg, name: Reg) -> bool {
        let is_free = |reg: Reg| self.upcoming[reg.index()] >= LATER;
        let may = |passed: &&Passed| {
            let Plan { of_loop, of_latch, .. } = &self.plan;
            let coalesced = of_loop.get(&passed.param).or(of_latch.get(&passed.param));
            self.slot(passed.param).is_some()
                && is_free(passed.param)
                && coalesced.is_none_or(|&other| is_free(other))
        };
        let mut targets = self.passed.iter().filter(|passed| passed.argument == reg).peekable();
        if targets.peek().is_none() || !targets.all(|passed| may(&passed)) {
            return false;
        }
        for i in 0..self.passed.len() {
            if self.passed[i].argument == reg {
                let slot = self.slot(self.passed[i].param).expect("it is in memory");
                self.out.push(Instr::Spill(slot, name));
                self.passed[i].delivered = true;
            }
        }
        true
    }
}
