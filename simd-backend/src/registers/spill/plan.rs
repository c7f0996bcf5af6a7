//! Live ranges, and spilling between blocks.

use rustc_hash::FxHashMap;

use crate::cost;
use crate::machine::{Class, Machine, PerClass};
use crate::registers::order::{Loops, order};
use crate::registers::{BlockId, End, Reg, RegisterFunction};

/// The place of values that live into other blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// In registers as far as these suffice; those with the fewest uses in memory.
    Registers,
    /// All in memory.
    Memory,
}

/// The place of a value from its definition on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// In a register, unless a block needs that register.
    Register,
    /// In the slot of that index in [`Plan::slots`].
    Memory(u32),
}

/// A live range. Positions count blocks' beginnings, instructions and blocks' ends, in the order of
/// the blocks.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// The index of the block that defines it.
    block: usize,
    start: u32,
    /// The last use, or the end of the outermost loop with a use but without the definition.
    end: u32,
    /// Its class, if registers of that class are few.
    pub(super) class: Option<Class>,
    /// The cost of keeping it in memory.
    weight: u64,
    /// The same cost if each block with uses reads it once.
    reads: u64,
    /// The last block whose read is counted in `reads`.
    read_in: usize,
}

/// The places of values between blocks.
pub(super) struct Plan {
    /// All reachable blocks, each after its dominators.
    pub(super) order: Vec<BlockId>,
    /// The first and the last position of each block.
    pub(super) extents: Vec<(u32, u32)>,
    /// The values in registers at the beginning of each block, parameters included.
    pub(super) residents: Vec<Vec<Reg>>,
    /// The live ranges of registers that are no constants. Once places are chosen, only those with
    /// a class or in memory remain.
    ranges: Vec<Option<Range>>,
    pub(super) homes: Vec<Home>,
    /// The interval of positions in which each slot is in use.
    pub(super) slots: Vec<(u32, u32)>,
    /// Maps a parameter that is passed to a loop header for the next round to the header's
    /// parameter: both are coalesced.
    pub(super) of_loop: FxHashMap<Reg, Reg>,
    /// The inverse of `of_loop`.
    pub(super) of_latch: FxHashMap<Reg, Reg>,
    /// The parameters of each block, by its number.
    pub(super) params: Vec<Vec<Reg>>,
    /// The position of each call, and the sum of the weights of all calls up to it.
    calls: Vec<(u32, u64)>,
}

impl Plan {
    pub(super) fn new(
        function: &mut RegisterFunction,
        machine: &Machine,
        between: Between,
    ) -> Self {
        let order = order(function);
        let params = function.blocks.iter().map(|block| block.params.clone()).collect();
        let mut plan = Self {
            order,
            extents: Vec::new(),
            residents: Vec::new(),
            ranges: vec![None; function.registers.len()],
            homes: vec![Home::Register; function.registers.len()],
            slots: Vec::new(),
            of_loop: FxHashMap::default(),
            of_latch: FxHashMap::default(),
            params,
            calls: Vec::new(),
        };
        let loops = Loops::new(function, &plan.order);
        plan.find_ranges(function, machine, &loops);
        plan.coalesce_params(function);
        plan.choose(machine, between);
        plan.extend_params(function);
        plan
    }

    pub(super) fn range_of(&self, reg: Reg) -> Option<&Range> {
        self.ranges[reg.index()].as_ref()
    }

    /// True if a value may be used after a block.
    pub(super) fn lives_after(&self, reg: Reg, block: usize) -> bool {
        self.range_of(reg).is_some_and(|range| range.end > self.extents[block].1)
    }

    fn find_ranges(&mut self, function: &mut RegisterFunction, machine: &Machine, loops: &Loops) {
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
            let weight = if block.cold { 0 } else { cost::in_loops(loops.depth(index)) };
            let ranges = &mut self.ranges;
            let mut define = |reg: Reg, start| {
                ranges[reg.index()] = Some(Range {
                    block: index,
                    start,
                    end: start,
                    class: function.registers[reg.index()].class(machine),
                    weight,
                    reads: weight,
                    read_in: index,
                });
            };
            block.params.iter().for_each(|&reg| define(reg, first));
            for (at, instr) in block.instrs.iter().enumerate() {
                let position = first + 1 + at as u32;
                if !instr.is_constant() {
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
                    // One position beyond the loop: the value lives on into the next round.
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
        // If the blocks of a loop are not consecutive, a value used between them lives through the
        // whole loop.
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

    /// Finds the parameters that are passed to a loop header for the next round.
    fn coalesce_params(&mut self, function: &mut RegisterFunction) {
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
                if to.block > index || !is_param || to.class.is_none() {
                    continue;
                }
                let again = self.order[from.block];
                let may_share = *may_share.get_or_insert_with(|| {
                    let params = &self.params[target.block.index()];
                    let has_class =
                        |reg: Reg| self.range_of(reg).is_some_and(|r| r.class.is_some());
                    let params = params.iter().copied().filter(|&reg| has_class(reg));
                    let params: Vec<Reg> = params.collect();
                    nothing_is_left(function, target.block, &params, again)
                });
                if may_share
                    && !self.of_loop.contains_key(&argument)
                    && !self.of_latch.contains_key(&param)
                {
                    self.of_loop.insert(argument, param);
                    self.of_latch.insert(param, argument);
                }
            }
        }
    }

    /// Finds the values in registers at the beginning of each block, and assigns slots to the
    /// others.
    fn choose(&mut self, machine: &Machine, between: Between) {
        let range = |reg: Reg| self.ranges[reg.index()].expect("it has one");
        // Values that live into another block, in order of definition. A coalesced latch parameter
        // shares the place of the header's.
        let crosses = |&i: &usize| {
            let reg = Reg(i as u32);
            self.range_of(reg).is_some_and(|r| {
                let is_param = r.start == self.extents[r.block].0;
                is_param || r.end > self.extents[r.block].1
            }) && !self.of_loop.contains_key(&reg)
        };
        let mut waiting: Vec<Reg> =
            (0..self.ranges.len()).filter(crosses).map(|i| Reg(i as u32)).collect();
        waiting.sort_by_key(|&reg| range(reg).start);
        let mut waiting = waiting.into_iter().peekable();
        let mut active = PerClass::<Vec<Reg>>::default();
        for &(first, _) in &self.extents {
            for class in Class::ALL {
                active[class].retain(|&reg| range(reg).end > first);
            }
            let mut leaving = Vec::new();
            while let Some(reg) = waiting.next_if(|&reg| range(reg).start <= first) {
                let range = range(reg);
                if range.end <= first {
                    continue;
                }
                let survives =
                    range.class.is_some_and(|class| machine.preserved[class] > active[class].len());
                if between == Between::Memory || !survives && self.is_saved_often(range) {
                    leaving.push(reg);
                } else if let Some(class) = range.class {
                    active[class].push(reg);
                }
            }
            for class in Class::ALL {
                let most = machine.registers[class].saturating_sub(cost::REGISTERS_OF_BLOCK[class]);
                let active = &mut active[class];
                while active.len() > most {
                    let lightest = (0..active.len()).min_by_key(|&i| range(active[i]).weight);
                    leaving.push(active.swap_remove(lightest.expect("there are some")));
                }
            }
            for reg in leaving {
                let (mut start, mut end) = (range(reg).start, range(reg).end);
                let slot = Home::Memory(self.slots.len() as u32);
                self.homes[reg.index()] = slot;
                if let Some(latch) = self.of_latch.get(&reg) {
                    self.homes[latch.index()] = slot;
                    (start, end) = (start.min(range(*latch).start), end.max(range(*latch).end));
                }
                self.slots.push((start, end));
            }
            self.residents.push(active.0.concat());
        }
        for residents in &mut self.residents {
            residents.retain(|reg| self.homes[reg.index()] == Home::Register);
        }
        // Values without a class matter only if they are in memory.
        for (range, home) in self.ranges.iter_mut().zip(&self.homes) {
            range.take_if(|range| range.class.is_none() && *home == Home::Register);
        }
    }

    /// True if saving a value around calls costs as much as keeping it in memory.
    fn is_saved_often(&self, range: Range) -> bool {
        let until = |position| {
            let calls = self.calls.partition_point(|&(call, _)| call < position);
            calls.checked_sub(1).map_or(0, |last| self.calls[last].1)
        };
        let calls = until(range.end) - until(range.start + 1);
        calls > 0 && cost::SAVES * calls >= range.reads
    }

    /// The slot of a parameter is in use from the beginning of each block that jumps to it: that
    /// block stores the argument.
    fn extend_params(&mut self, function: &RegisterFunction) {
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

/// True if neither the block `again` nor any block on the way from it to `header` uses the header's
/// parameters. Then the parameters of `again` never live at the same time as these.
fn nothing_is_left(
    function: &mut RegisterFunction,
    header: BlockId,
    params: &[Reg],
    again: BlockId,
) -> bool {
    const MAX_BLOCKS: usize = 16;
    let (mut seen, mut next) = (vec![again], 0);
    while let Some(&id) = seen.get(next) {
        next += 1;
        let block = &mut function.blocks[id.index()];
        let mut uses = false;
        let mut look = |reg: &mut Reg| uses |= params.contains(reg);
        block.instrs.iter_mut().for_each(|instr| instr.uses_mut(&mut look));
        block.end.uses_mut(&mut look);
        if uses || seen.len() > MAX_BLOCKS {
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
