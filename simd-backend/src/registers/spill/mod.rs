//! Spilling before registers are allocated.
//!
//! A group of lanes has many times as many values as the machine has vector registers. The
//! allocator finds that out value by value, by trying all registers and splitting what does not
//! fit, which took half of the time that compiling takes. Here it is decided before, once and for
//! all, what lies in memory when, so that what remains fits:
//!
//! - *Between blocks* ([`Plan`]): values that are live into other blocks share a part of the
//!   registers, in one walk over the blocks. Where they are too many, those are kept in memory that
//!   are used least, loops considered, as in linear scan (Poletto and Sarkar, "Linear Scan Register
//!   Allocation", 1999). Parameters of blocks may be kept in memory, too: who jumps there stores
//!   them. The parameters of a loop and of the block that goes on with the next round are coalesced
//!   into one slot, so a round copies nothing. Where no register survives a call, what lives across
//!   calls more often than it is used is in memory, too: saved around each of them, it would travel
//!   with every round of the loops between.
//! - *In a block* ([`Rewriting`]): when registers run out, the value that is used again last goes
//!   (Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", 1966; as in Braun
//!   and Hack, "Register Spilling and Live-Range Splitting for SSA-Form Programs", 2009). It is
//!   stored unless memory has it already, and read again before its next use.
//!
//! An allocator that goes through one block at a time stores all that lives into other blocks in
//! any case, each value in a slot of its own. For that one nothing stays in registers between
//! blocks ([`Between::Memory`]), and values share slots.
//!
//! Live ranges are intervals of positions in one order of the blocks, which include more than the
//! truth: arms of an `if` stand one after the other. The machine says how many registers of each
//! [`Class`] there are, and how many of them survive a call. Values without a class, integers and
//! truth values of scalar code, are few, and are only looked at where they live across calls.
//! Constants are in memory anyway and do not count.
//!
//! | module | does |
//! |---|---|
//! | `plan` | live ranges, and what lies in memory between blocks |
//! | `block` | rewrites one block after the other |
//!
//! [`Class`]: crate::machine::Class

mod block;
mod plan;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::block::Rewriting;
pub use self::plan::Between;
use self::plan::Plan;
use super::{Block, End, Function, Instr, RegisterProgram, Status};
use crate::cost::REGISTERS_OF_BLOCK;
use crate::machine::{Class, Machine};
use crate::mutants::{Mutant, is_active};

/// Decides what the functions for the frame and for a row keep in memory on a machine; in the one
/// for a row, where values are `between` blocks. Procedures are short: nothing lives across them.
///
/// # Panics
///
/// If a class has no more registers than a block needs for itself: five are enough.
pub fn spill(program: &mut RegisterProgram, machine: &Machine, between: Between) {
    for class in Class::ALL {
        let (registers, least) = (machine.registers[class], REGISTERS_OF_BLOCK[class]);
        assert!(registers == 0 || registers > least, "{registers} registers are too few");
    }
    spill_function(&mut program.frame, machine, Between::Registers);
    spill_function(&mut program.row, machine, between);
}

fn spill_function(function: &mut Function, machine: &Machine, between: Between) {
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

const EMPTY: Block =
    Block { params: Vec::new(), instrs: Vec::new(), end: End::Return(Status::Done), cold: false };

/// Numbers for slots, of which two that are in use at the same time have different ones, and how
/// many.
fn colour(slots: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let mut by_start: Vec<u32> = (0..slots.len() as u32).collect();
    by_start.sort_unstable_by_key(|&slot| slots[slot as usize].0);
    let (mut colours, mut count) = (vec![0; slots.len()], 0);
    // By the ends of those in use.
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
