//! Loads of four consecutive words together.
//!
//! A gather takes as long as loading its lanes one after the other, and the channels of a texel are
//! four gathers of one index. One load of 128 bits per lane and a transposition give all four. So
//! loads of a block with the same index, of words at most three apart, become one
//! [`Instr::LoadFour`]. There must be at least two such words, and the bound of the index must keep
//! all four in range: from the first word on or, failing that, up to the last.

use rustc_hash::FxHashMap;

use crate::lanes::{Bound, Space, Spaces};
use crate::mutants::{Mutant, is_active};
use crate::registers::bounds::Bounds;
use crate::registers::{
    Instr, Reg, RegisterBlock, RegisterFunction, RegisterProgram, RegisterType,
};

/// The loads of one index in a block: positions, words and results.
type Loads = Vec<(usize, u32, Reg)>;

/// Combines the loads of a program.
pub(super) fn combine(program: &mut RegisterProgram) {
    let bounds = Bounds::new(program);
    let RegisterProgram { frame, row, inputs, resources, slots, .. } = program;
    let spaces = Spaces { inputs: inputs.len(), resources, slots: slots.len() };
    for (function, bounds) in [(frame, &bounds.frame), (row, &bounds.row)] {
        let RegisterFunction { registers, blocks, .. } = function;
        // There are no bounds where there are no loads.
        if bounds.is_empty() {
            continue;
        }
        for block in blocks {
            combine_in(block, registers, bounds, spaces);
        }
    }
}

fn combine_in(
    block: &mut RegisterBlock,
    registers: &[RegisterType],
    bounds: &[Bound],
    spaces: Spaces<'_>,
) {
    let mut all: FxHashMap<(Space, Reg), Loads> = FxHashMap::default();
    for (at, instr) in block.instrs.iter().enumerate() {
        if let Instr::Load(to, space, first, index) = instr
            && matches!(registers[index.index()], RegisterType::Vector(_))
        {
            all.entry((*space, *index)).or_default().push((at, *first, *to));
        }
    }
    // The replacement of each load of a group: the first becomes the combined load, the others
    // vanish.
    let mut fours: FxHashMap<usize, Option<Instr>> = FxHashMap::default();
    for ((space, index), mut loads) in all {
        let is_inside = |first: u32| spaces.hold(space, first, 3, bounds[index.index()]);
        loads.sort_by_key(|&(at, first, _)| (first, at));
        loads.dedup_by_key(|&mut (_, first, _)| first);
        let mut rest = &loads[..];
        while let Some(&(_, lowest, _)) = rest.first() {
            let count = rest.iter().take_while(|&&(_, first, _)| first - lowest < 4).count();
            let (group, after) = rest.split_at(count);
            rest = after;
            let highest = group[count - 1].1;
            let ends = highest.checked_sub(3).filter(|&first| is_inside(first));
            let first = if is_inside(lowest) { Some(lowest) } else { ends };
            let (Some(first), 2..) = (first, count) else { continue };
            let mut to = [None; 4];
            for &(at, word, reg) in group {
                to[(word - first) as usize] = Some(reg);
                fours.insert(at, None);
            }
            if is_active(Mutant::SwappedWords) {
                to.swap(0, 1);
            }
            let at = group.iter().map(|&(at, ..)| at).min().expect("there are two or more");
            fours.insert(at, Some(Instr::LoadFour { to, space, first, index }));
        }
    }
    if fours.is_empty() {
        return;
    }
    let instrs = std::mem::take(&mut block.instrs).into_iter().enumerate();
    block.instrs = instrs
        .filter_map(|(at, instr)| match fours.remove(&at) {
            None => Some(instr),
            Some(instead) => instead,
        })
        .collect();
}
