//! Spilling before registers are allocated.
//!
//! A group of lanes has many times as many values as the machine has vector registers. The allocator finds that out
//! value by value, by trying all registers and splitting what does not fit, which took half of the time that compiling
//! takes. Here it is decided before, once and for all, what lies in memory when, so that what remains fits:
//!
//! - *Between blocks* ([`Plan`]): values live into other blocks compete for a part of the registers, in one walk over
//!   the blocks. Where they are too many, those are kept in memory that are used least, loops considered, as in linear
//!   scan (Poletto and Sarkar, "Linear Scan Register Allocation", 1999). Parameters of blocks may be kept in memory, too:
//!   who jumps there stores them. The parameters of a loop and of the block that goes on with the next round share their
//!   places, so a round copies nothing. No register survives a call, so what lives across calls more often than it is
//!   used is in memory, too: saved around each of them, it would travel with every round of the loops between.
//! - *In a block* ([`Rewriting`]): when registers run out, the value that is used again last goes (Belady, "A Study of
//!   Replacement Algorithms for a Virtual-Storage Computer", 1966; as in Braun and Hack, "Register Spilling and
//!   Live-Range Splitting for SSA-Form Programs", 2009). It is stored unless memory has it already, and read again
//!   before its next use.
//!
//! An allocator that goes through one block at a time stores all that lives into other blocks in any case, each value in a
//! place of its own. For that one nothing stays in registers between blocks ([`Between::Memory`]), and values share places.
//!
//! Live ranges are intervals of positions in one order of the blocks, which include more than the truth: arms of an `if`
//! stand one after the other. Only vectors and floating-point scalars compete for registers; other values are few, and are
//! only looked at where they live across calls. Constants are in memory anyway and do not count.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::mutants::{Mutant, is_active};

use super::order::{Loops, order};
use super::{Block, BlockId, End, Function, Instr, Program, Reg, Type};

/// Registers that the instructions of a block have for themselves, beside what lives through it.
const OF_BLOCK: usize = 4;

/// Where those values are that live into other blocks than their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// In registers, as far as there are; those that are used least in memory.
    Registers,
    /// All in memory.
    Memory,
}

/// Decides what the functions for the frame and for a row keep in memory, for a machine with so many registers for
/// vectors; in the one for a row, where values are `between` blocks. Procedures are short: nothing lives across them.
///
/// # Panics
///
/// If that are fewer than five.
pub fn spill(program: &mut Program, registers: usize, between: Between) {
    assert!(registers > OF_BLOCK, "{registers} registers are too few");
    spill_function(&mut program.frame, registers, Between::Registers);
    spill_function(&mut program.row, registers, between);
}

fn spill_function(function: &mut Function, registers: usize, between: Between) {
    let plan = Plan::new(function, registers - OF_BLOCK, between);
    let count = function.registers.len();
    let mut rewriting = Rewriting {
        plan,
        available: registers,
        names: vec![None; count],
        named: Vec::new(),
        upcoming: vec![NEVER; count],
        held: Vec::new(),
        copies: Vec::new(),
        pinned: 0,
        spilled: Vec::new(),
        last: 0,
        passed: Vec::new(),
        out: Vec::new(),
        registers: std::mem::take(&mut function.registers),
    };
    for index in 0..rewriting.plan.order.len() {
        let id = rewriting.plan.order[index];
        let mut block = std::mem::replace(&mut function.blocks[id.index()], EMPTY);
        rewriting.block(&mut block, index);
        function.blocks[id.index()] = block;
    }
    function.registers = rewriting.registers;
    let (places, count) = colour(&rewriting.plan.slots);
    for block in &mut function.blocks {
        for instr in &mut block.instrs {
            if let Instr::Spill(slot, _) | Instr::Reload(_, slot) = instr {
                *slot = places[*slot as usize];
            }
        }
    }
    function.spill_slots = count;
}

const EMPTY: Block = Block {
    params: Vec::new(),
    instrs: Vec::new(),
    end: End::Return(super::Status::Done),
    cold: false,
};

/// How much more a use counts for each loop around it.
const ROUNDS: u64 = 8;

/// Deeper loops count no more.
const MOST_LOOPS: u32 = 8;

/// Where a value lives from its definition on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// In a register, unless a block needs that.
    Register,
    /// In memory: this slot, of [`Plan::slots`].
    Memory(u32),
}

/// Positions count blocks' beginnings, instructions and blocks' ends, in the order of the blocks.
#[derive(Clone, Copy)]
struct Range {
    /// The index of its block.
    block: usize,
    start: u32,
    /// The last use, or the end of the outermost loop that has a use but not the definition.
    end: u32,
    /// Whether it wants a register for vectors, of which there are too few.
    competes: bool,
    /// What keeping it in memory would cost.
    weight: u64,
    /// The same where each block that uses it reads it once.
    reads: u64,
    /// The last block of which the reading was counted.
    read_in: usize,
}

/// What lies in memory between blocks.
struct Plan {
    /// All blocks that can be reached, each after those that dominate it.
    order: Vec<BlockId>,
    /// For each of these its first and its last position.
    extents: Vec<(u32, u32)>,
    /// What is kept in registers at the beginning of each, parameters included.
    residents: Vec<Vec<Reg>>,
    /// Of each register that is no constant; once it is chosen what is in memory, only of those that compete or are there.
    ranges: Vec<Option<Range>>,
    homes: Vec<Home>,
    /// From where to where each slot is in use.
    slots: Vec<(u32, u32)>,
    /// Of a parameter that is passed on to a loop for its next round, the parameter of the loop: they share a slot.
    twins: FxHashMap<Reg, Reg>,
    /// The other way round.
    again: FxHashMap<Reg, Reg>,
    /// Of each block, by its number.
    params: Vec<Vec<Reg>>,
    /// The position of each call, and what it and all before it count.
    calls: Vec<(u32, u64)>,
}

impl Plan {
    fn new(function: &mut Function, resident: usize, between: Between) -> Self {
        let order = order(function);
        let params = function.blocks.iter().map(|block| block.params.clone()).collect();
        let mut plan = Self {
            order,
            extents: Vec::new(),
            residents: Vec::new(),
            ranges: vec![None; function.registers.len()],
            homes: vec![Home::Register; function.registers.len()],
            slots: Vec::new(),
            twins: FxHashMap::default(),
            again: FxHashMap::default(),
            params,
            calls: Vec::new(),
        };
        let loops = Loops::new(function, &plan.order);
        plan.find_ranges(function, &loops);
        plan.find_twins(function);
        plan.choose(resident, between);
        plan.extend_params(function);
        plan
    }

    fn range_of(&self, reg: Reg) -> Option<&Range> {
        self.ranges[reg.index()].as_ref()
    }

    /// Whether a value may be wanted after a block.
    fn lives_after(&self, reg: Reg, block: usize) -> bool {
        self.range_of(reg).is_some_and(|range| range.end > self.extents[block].1)
    }

    fn find_ranges(&mut self, function: &mut Function, loops: &Loops) {
        let mut position = 0;
        for &id in &self.order {
            let block = &function.blocks[id.index()];
            let first = position;
            position += block.instrs.len() as u32 + 2;
            self.extents.push((first, position - 1));
        }
        for (index, &id) in self.order.iter().enumerate() {
            let block = &mut function.blocks[id.index()];
            let (first, last) = self.extents[index];
            let weight =
                if block.cold { 0 } else { ROUNDS.pow(loops.depth(index).min(MOST_LOOPS)) };
            let ranges = &mut self.ranges;
            let mut define = |reg: Reg, start| {
                ranges[reg.index()] = Some(Range {
                    block: index,
                    start,
                    end: start,
                    competes: competes(function.registers[reg.index()]),
                    weight,
                    reads: weight,
                    read_in: index,
                });
            };
            block.params.iter().for_each(|&reg| define(reg, first));
            for (at, instr) in block.instrs.iter().enumerate() {
                let position = first + 1 + at as u32;
                if !matches!(instr, Instr::Constant(..) | Instr::Centres(..)) {
                    instr.definitions(&mut |reg| define(reg, position));
                }
                if instr.is_call() {
                    let before = self.calls.last().map_or(0, |&(_, before)| before);
                    self.calls.push((position, before + weight));
                }
            }
            let extents = &self.extents;
            let mut used = |reg: Reg, position| {
                if let Some(range) = &mut ranges[reg.index()] {
                    let around = loops.outermost_without(index, range.block);
                    // One more, as it lives on in the next round.
                    let end = around.map_or(position, |end| extents[end].1 + 1);
                    range.end = range.end.max(end);
                    range.weight += weight;
                    if std::mem::replace(&mut range.read_in, index) != index {
                        range.reads += weight;
                    }
                }
            };
            for (at, instr) in block.instrs.iter_mut().enumerate() {
                instr.uses_mut(&mut |reg| used(*reg, first + 1 + at as u32));
            }
            block.end.uses_mut(&mut |reg| used(*reg, last));
        }
        // Where blocks that are not of a loop stand among its blocks, what is used there lives through all of it.
        let scattered = loops.scattered();
        if scattered.is_empty() {
            return;
        }
        for range in self.ranges.iter_mut().flatten() {
            while let Some(&end) = scattered.iter().find_map(|l| {
                let end = &self.extents[l.last].1;
                let enters = l.header > range.block && self.extents[l.header].0 <= range.end;
                (enters && *end >= range.end).then_some(end)
            }) {
                range.end = end + 1;
            }
        }
    }

    /// Finds the parameters that are passed on to a loop for its next round.
    fn find_twins(&mut self, function: &mut Function) {
        for index in 0..self.order.len() {
            let End::Jump(target) = &function.blocks[self.order[index].index()].end else {
                continue;
            };
            let target = target.clone();
            let mut may_share = None;
            for (argument, &param) in
                target.arguments.into_iter().zip(&self.params[target.block.index()])
            {
                let (Some(from), Some(to)) = (self.range_of(argument), self.range_of(param)) else {
                    continue;
                };
                let is_param = from.start == self.extents[from.block].0;
                if to.block > index || !is_param || !to.competes {
                    continue;
                }
                let again = self.order[from.block];
                let may_share = *may_share.get_or_insert_with(|| {
                    let params = &self.params[target.block.index()];
                    let competes = |reg: Reg| self.range_of(reg).is_some_and(|r| r.competes);
                    let params = params.iter().copied().filter(|&reg| competes(reg));
                    let params: Vec<Reg> = params.collect();
                    nothing_is_left(function, target.block, &params, again)
                });
                if may_share
                    && !self.twins.contains_key(&argument)
                    && !self.again.contains_key(&param)
                {
                    self.twins.insert(argument, param);
                    self.again.insert(param, argument);
                }
            }
        }
    }

    /// Finds for each block what is kept in registers when it begins, and gives slots to what is not.
    fn choose(&mut self, most: usize, between: Between) {
        let range = |reg: Reg| self.ranges[reg.index()].expect("it has one");
        // Those that live into another block, in order of their definition. Those that go on with the next round are
        // where the loop's own are.
        let crosses = |&i: &usize| {
            let reg = Reg(i as u32);
            self.range_of(reg).is_some_and(|r| {
                let is_param = r.start == self.extents[r.block].0;
                is_param || r.end > self.extents[r.block].1
            }) && !self.twins.contains_key(&reg)
        };
        let mut waiting: Vec<Reg> =
            (0..self.ranges.len()).filter(crosses).map(|i| Reg(i as u32)).collect();
        waiting.sort_by_key(|&reg| range(reg).start);
        let mut waiting = waiting.into_iter().peekable();
        let mut active = Vec::<Reg>::new();
        for &(first, _) in &self.extents {
            active.retain(|&reg| range(reg).end > first);
            let mut leaving = Vec::new();
            while let Some(reg) = waiting.next_if(|&reg| range(reg).start <= first) {
                let range = range(reg);
                if range.end <= first {
                    continue;
                }
                if between == Between::Memory || self.is_saved_often(range) {
                    leaving.push(reg);
                } else if range.competes {
                    active.push(reg);
                }
            }
            while active.len() > most {
                let lightest = (0..active.len()).min_by_key(|&i| range(active[i]).weight);
                leaving.push(active.swap_remove(lightest.expect("there are some")));
            }
            for reg in leaving {
                let (mut start, mut end) = (range(reg).start, range(reg).end);
                let slot = Home::Memory(self.slots.len() as u32);
                self.homes[reg.index()] = slot;
                if let Some(again) = self.again.get(&reg) {
                    self.homes[again.index()] = slot;
                    (start, end) = (start.min(range(*again).start), end.max(range(*again).end));
                }
                self.slots.push((start, end));
            }
            self.residents.push(active.clone());
        }
        for residents in &mut self.residents {
            residents.retain(|reg| self.homes[reg.index()] == Home::Register);
        }
        // Of those that do not compete, nothing is to be known but what is in memory.
        for (range, home) in self.ranges.iter_mut().zip(&self.homes) {
            range.take_if(|range| !range.competes && *home == Home::Register);
        }
    }

    /// Whether saving a value around calls costs as much as to keep it in memory: no register survives a call.
    fn is_saved_often(&self, range: Range) -> bool {
        let until = |position| {
            let calls = self.calls.partition_point(|&(call, _)| call < position);
            calls.checked_sub(1).map_or(0, |last| self.calls[last].1)
        };
        let calls = until(range.end) - until(range.start + 1);
        calls > 0 && 4 * calls >= range.reads
    }

    /// Slots of parameters are in use from where those begin who jump to them, and store them.
    fn extend_params(&mut self, function: &Function) {
        for (&id, &(first, last)) in self.order.iter().zip(&self.extents) {
            for target in function.blocks[id.index()].end.targets() {
                for param in &self.params[target.block.index()] {
                    if let Home::Memory(slot) = self.homes[param.index()] {
                        let extent = &mut self.slots[slot as usize];
                        *extent = (extent.0.min(first), extent.1.max(last));
                    }
                }
            }
        }
    }
}

/// Whether a block that goes on with the next round of the loop at `header` uses none of its parameters, nor
/// do the blocks on the way there. Then its own parameters are never alive together with these.
fn nothing_is_left(
    function: &mut Function,
    header: BlockId,
    params: &[Reg],
    again: BlockId,
) -> bool {
    const MOST: usize = 16;
    let (mut seen, mut next) = (vec![again], 0);
    while let Some(&id) = seen.get(next) {
        next += 1;
        let block = &mut function.blocks[id.index()];
        let mut uses = false;
        let mut look = |reg: &mut Reg| uses |= params.contains(reg);
        block.instrs.iter_mut().for_each(|instr| instr.uses_mut(&mut look));
        block.end.uses_mut(&mut look);
        if uses || seen.len() > MOST {
            return false;
        }
        for target in block.end.targets() {
            if target.block != header && !seen.contains(&target.block) {
                seen.push(target.block);
            }
        }
    }
    true
}

fn competes(ty: Type) -> bool {
    match ty {
        Type::Vector(_) | Type::WideMask => true,
        Type::Scalar(kind) => kind.is_float(),
    }
}

/// Numbers for slots, of which two that are in use at the same time have different ones, and how many.
fn colour(slots: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let mut by_start: Vec<u32> = (0..slots.len() as u32).collect();
    by_start.sort_unstable_by_key(|&slot| slots[slot as usize].0);
    let (mut colours, mut count) = (vec![0; slots.len()], 0);
    // By the ends of those in use.
    let mut used = BinaryHeap::<Reverse<(u32, u32)>>::new();
    for slot in by_start {
        let (start, end) = slots[slot as usize];
        let slack = if is_active(Mutant::ReusedPlace) { 2 } else { 0 };
        colours[slot as usize] = match used.peek() {
            Some(&Reverse((before, colour))) if before < start + slack => {
                used.pop();
                colour
            }
            _ => {
                count += 1;
                count - 1
            }
        };
        used.push(Reverse((end, colours[slot as usize])));
    }
    (colours, count)
}

/// As the next use: not in this block, but perhaps later.
const LATER: u32 = u32::MAX - 1;

/// As the next use: none.
const NEVER: u32 = u32::MAX;

/// Rewrites one block after the other. What it does not know of it leaves to the allocator: the registers of the program
/// stay what they are, they are just not used where memory is read instead.
struct Rewriting {
    plan: Plan,
    available: usize,
    /// The register that has a value at the moment.
    names: Vec<Option<Reg>>,
    /// The values that have names.
    named: Vec<Reg>,
    /// Where a value is used next in this block, or [`LATER`] or [`NEVER`].
    upcoming: Vec<u32>,
    /// The values in registers that may be taken out of them, all of which are used again in this block.
    held: Vec<Reg>,
    /// The values in other registers that are in memory, too, and are used again in this block.
    copies: Vec<Reg>,
    /// How many more than those held are in registers all through the block.
    pinned: usize,
    /// The values of registers that this block stores.
    spilled: Vec<Reg>,
    /// The last position of the block.
    last: u32,
    /// What it passes on, and to which parameters.
    passed: Vec<Passed>,
    out: Vec<Instr>,
    registers: Vec<Type>,
}

struct Passed {
    argument: Reg,
    param: Reg,
    /// Whether it is where it should be already.
    delivered: bool,
}

/// An operand: its position, and where it is used next.
type Use = (u32, Reg, u32);

impl Rewriting {
    fn is_tracked(&self, reg: Reg) -> bool {
        self.plan.range_of(reg).is_some()
    }

    fn competes(&self, reg: Reg) -> bool {
        self.plan.range_of(reg).is_some_and(|range| range.competes)
    }

    /// Remembers that a value is in a register, and is used again in this block.
    fn hold(&mut self, reg: Reg) {
        let list = if self.competes(reg) { &mut self.held } else { &mut self.copies };
        list.push(reg);
    }

    fn slot(&self, reg: Reg) -> Option<u32> {
        match self.plan.homes[reg.index()] {
            Home::Memory(slot) => Some(slot),
            Home::Register => None,
        }
    }

    /// Whether a value is in memory and nowhere else.
    fn is_missing(&self, reg: Reg) -> bool {
        self.names[reg.index()].is_none() && self.slot(reg).is_some()
    }

    fn block(&mut self, block: &mut Block, index: usize) {
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
            self.plan.homes[reg.index()] = Home::Register;
        }
    }

    /// All operands of a block, the last ones first.
    fn next_uses(&mut self, block: &mut Block, index: usize) -> Vec<Use> {
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

    /// What is in registers already.
    fn begin(&mut self, index: usize) {
        self.held.clear();
        self.copies.clear();
        self.pinned = 0;
        for reg in std::mem::take(&mut self.plan.residents[index]) {
            self.set_name(reg, reg);
            if self.plan.lives_after(reg, index) {
                self.pinned += 1;
            } else if self.upcoming[reg.index()] < LATER {
                self.held.push(reg);
            }
        }
    }

    fn instr(&mut self, mut instr: Instr, now: &[Use], position: u32, index: usize) {
        let operands = now.iter().map(|&(_, reg, _)| reg);
        let missing: Vec<Reg> = operands.filter(|&reg| self.is_missing(reg)).collect();
        self.make_room(&missing, position);
        // They come right before the instruction.
        let reloads: Vec<Instr> = missing.iter().map(|&reg| self.reload(reg)).collect();
        missing.into_iter().for_each(|reg| self.hold(reg));
        instr.uses_mut(&mut |reg| *reg = self.name(*reg));
        for &(_, reg, after) in now {
            self.upcoming[reg.index()] = after;
        }
        self.held.retain(|reg| self.upcoming[reg.index()] < LATER);
        self.copies.retain(|reg| self.upcoming[reg.index()] < LATER);
        if instr.is_call() {
            // No register survives it.
            while let Some(reg) = self.held.pop() {
                self.evict(reg, position);
            }
            for reg in self.copies.drain(..) {
                self.names[reg.index()] = None;
            }
        }
        let mut results = Vec::new();
        instr.definitions(&mut |reg| results.push(reg));
        results.retain(|&reg| self.is_tracked(reg));
        self.make_room(&results, position);
        self.out.extend(reloads);
        self.out.push(instr);
        for reg in results {
            self.set_name(reg, reg);
            match self.slot(reg) {
                Some(slot) => self.out.push(Instr::Spill(slot, reg)),
                None if self.plan.lives_after(reg, index) => {
                    self.pinned += 1;
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

    /// Reads for the end what it needs, and fills the places of parameters.
    fn end(&mut self, end: &mut End) {
        let End::Jump(target) = end else {
            end.uses_mut(&mut |reg| *reg = self.wanted(*reg));
            return;
        };
        target.arguments.clear();
        let (mut stores, mut copies) = (Vec::new(), Vec::new());
        for Passed { argument, param, delivered } in std::mem::take(&mut self.passed) {
            let Some(to) = self.slot(param) else {
                let argument = self.wanted(argument);
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
        // Places that are overwritten are read before.
        let filled: Vec<u32> =
            stores.iter().map(|s| s.0).chain(copies.iter().map(|c| c.0)).collect();
        copies.retain(|&(to, argument)| {
            let is_filled = !is_active(Mutant::OverwrittenPlace)
                && self.slot(argument).is_some_and(|from| filled.contains(&from));
            if is_filled {
                let name = self.wanted(argument);
                stores.push((to, name));
            }
            !is_filled
        });
        self.out.extend(stores.into_iter().map(|(to, name)| Instr::Spill(to, name)));
        for (to, argument) in copies {
            let name = self.wanted(argument);
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

    /// The register of a value, read from memory if it is there only.
    fn wanted(&mut self, reg: Reg) -> Reg {
        if self.is_missing(reg) {
            let reload = self.reload(reg);
            self.out.push(reload);
        }
        self.name(reg)
    }

    /// Takes values out of registers until these fit, if it can.
    fn make_room(&mut self, coming: &[Reg], position: u32) {
        let more = coming.iter().filter(|&&reg| self.competes(reg)).count();
        while self.pinned + self.held.len() + more > self.available {
            let furthest =
                (0..self.held.len()).max_by_key(|&i| self.upcoming[self.held[i].index()]);
            match furthest {
                Some(i) if self.upcoming[self.held[i].index()] > position => {
                    let reg = self.held.swap_remove(i);
                    self.evict(reg, position);
                }
                _ => return,
            }
        }
    }

    /// Takes a value out of its register; it is used again in this block.
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

    /// Stores a value that is only passed on where it goes, if all of these are in memory and their last values are not
    /// wanted any more.
    fn deliver(&mut self, reg: Reg, name: Reg) -> bool {
        let is_free = |reg: Reg| self.upcoming[reg.index()] >= LATER;
        let may = |passed: &&Passed| {
            let Plan { twins, again, .. } = &self.plan;
            let twin = twins.get(&passed.param).or(again.get(&passed.param));
            self.slot(passed.param).is_some()
                && is_free(passed.param)
                && twin.is_none_or(|&twin| is_free(twin))
        };
        let mut goals = self.passed.iter().filter(|passed| passed.argument == reg).peekable();
        if goals.peek().is_none() || !goals.all(|passed| may(&passed)) {
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
