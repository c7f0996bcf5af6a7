//! Spilling before registers are allocated.
//!
//! A group of lanes has many times as many values as the machine has vector registers. A register
//! allocator discovers that value by value, by trying all registers and splitting live ranges; that
//! took half of the compile time. Spilling first decides once which values lie in memory when, so
//! that the others fit:
//!
//! - *Between blocks* ([`Plan`]): values that are live into other blocks share some of the
//!   registers, assigned in one walk over the blocks. If there are too many, those with the fewest
//!   uses, weighted by loop depth, are kept in memory, as in linear scan (Poletto and Sarkar,
//!   "Linear Scan Register Allocation", 1999). Block parameters may be kept in memory, too: the
//!   jump stores them. The parameters of a loop header and of the latch are coalesced into one
//!   slot, so a round copies nothing. If no register survives calls, a value is in memory also if
//!   saving it around calls would cost as much as reading it: otherwise each round of a loop with
//!   calls would save and restore it.
//! - *In a block* ([`Rewriting`]): when registers run out, the value with the furthest next use is
//!   evicted (Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", 1966; as
//!   in Braun and Hack, "Register Spilling and Live-Range Splitting for SSA-Form Programs", 2009).
//!   It is stored unless it is in memory already, and reloaded before its next use.
//!
//! An allocator of one block at a time stores all values that live into other blocks anyway, each
//! in a slot of its own. For such an allocator no value stays in a register between blocks
//! ([`Between::Memory`]), and values share slots.
//!
//! Live ranges are intervals of positions in a linear order of the blocks, an overestimate: the
//! arms of an `if` follow one another. The machine says how many registers of each [`Class`] there
//! are, and how many of them survive a call. Values without a class, integers and truth values of
//! scalar code, are few; where values stay in registers between blocks, these are spilled only
//! across calls. Constants are in memory anyway and do not count.
//!
//! | module | does |
//! |---|---|
//! | `plan` | live ranges, and spilling between blocks |
//! | `block` | spilling within blocks |
//!
//! [`Class`]: crate::machine::Class

mod block;
mod plan;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::block::Rewriting;
pub use self::plan::Between;
use self::plan::Plan;
use super::{End, Instr, RegisterBlock, RegisterFunction, RegisterProgram, Status};
use crate::cost::REGISTERS_OF_BLOCK;
use crate::machine::{Class, Machine};
use crate::mutants::{Mutant, is_active};

/// Spills in the functions for the frame and for a row, for the registers of a machine. `between`
/// applies to the function for a row. Procedures are short: no value lives across them.
///
/// # Panics
///
/// If a class has no more registers than a block needs for itself. Five are enough.
pub fn spill(program: &mut RegisterProgram, machine: &Machine, between: Between) {
    for class in Class::ALL {
        let (registers, least) = (machine.registers[class], REGISTERS_OF_BLOCK[class]);
        assert!(registers == 0 || registers > least, "{registers} registers are too few");
    }
    spill_function(&mut program.frame, machine, Between::Registers);
    spill_function(&mut program.row, machine, between);
}

fn spill_function(function: &mut RegisterFunction, machine: &Machine, between: Between) {
    let plan = Plan::new(function, machine, between);
    let registers = std::mem::take(&mut function.registers);
    let mut rewriting = Rewriting::new(plan, machine, registers);
    for index in 0..rewriting.plan.order.len() {
        let id = rewriting.plan.order[index];
        let mut block = std::mem::replace(&mut function.blocks[id.index()], EMPTY);
        rewriting.block(&mut block, index);
        function.blocks[id.index()] = block;
    }
    let (plan, registers) = rewriting.finish();
    function.registers = registers;
    let (places, count) = colour(&plan.slots);
    for block in &mut function.blocks {
        for instr in &mut block.instrs {
            if let Instr::Spill(slot, _) | Instr::Reload(_, slot) = instr {
                *slot = places[*slot as usize];
            }
        }
    }
    function.spill_slots = count;
}

const EMPTY: RegisterBlock = RegisterBlock {
    params: Vec::new(),
    instrs: Vec::new(),
    end: End::Return(Status::Done),
    cold: false,
};

/// Assigns numbers to slots so that slots in use at the same time differ; returns also their count.
fn colour(slots: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let mut by_start: Vec<u32> = (0..slots.len() as u32).collect();
    by_start.sort_unstable_by_key(|&slot| slots[slot as usize].0);
    let (mut colours, mut count) = (vec![0; slots.len()], 0);
    // The slots in use, by their ends.
    let mut used = BinaryHeap::<Reverse<(u32, u32)>>::new();
    for slot in by_start {
        let (start, end) = slots[slot as usize];
        let slack = if is_active(Mutant::ReusedSlot) { 2 } else { 0 };
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
