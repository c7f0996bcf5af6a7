//! Joins of decisions, and the stores between a decision and its join.
//!
//! The *join* of a block is its immediate postdominator: the first block that all ways to the end pass. The iterative
//! algorithm is that of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), on the reversed graph
//! with one more block, the exit.

use super::super::super::code::{End, Function, Passed, Step};
use super::super::super::module::Module;
use super::super::super::values::Space;
use std::ops::Range;

/// The largest variable that counts as stored where one of the ways of a decision would store it, in words.
const WORDS: usize = 64;

/// The joins of a function's blocks; `None` for the exit, and for a block that never ends.
pub(super) fn joins(function: &Function) -> Vec<Option<usize>> {
    let count = function.blocks.len();
    let exit = count;
    let successors: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|block| match block.end {
            End::Return | End::ReturnValue { .. } | End::Kill | End::Unreachable => vec![exit],
            ref end => end.targets(),
        })
        .collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (block, all) in successors.iter().enumerate() {
        all.iter().for_each(|&target| before[target].push(block));
    }
    // Numbers in a postorder of the reversed graph; the exit has the largest.
    let mut number: Vec<Option<usize>> = vec![None; count + 1];
    let mut order = Vec::new();
    let mut seen = vec![false; count + 1];
    seen[exit] = true;
    let mut way = vec![(exit, 0)];
    while let Some((block, next)) = way.last_mut() {
        match before[*block].get(*next) {
            Some(&other) => {
                *next += 1;
                if !std::mem::replace(&mut seen[other], true) {
                    way.push((other, 0));
                }
            }
            None => {
                number[*block] = Some(order.len());
                order.push(*block);
                way.pop();
            }
        }
    }
    let rank = |block: usize| number[block].unwrap_or(0);
    let mut join: Vec<Option<usize>> = vec![None; count + 1];
    join[exit] = Some(exit);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in order.iter().rev().filter(|&&block| block != exit) {
            let known = successors[block].iter().copied().filter(|&of| join[of].is_some());
            let new = known.reduce(|mut a, mut b| {
                while a != b {
                    while rank(a) < rank(b) {
                        a = join[a].unwrap_or(exit);
                    }
                    while rank(b) < rank(a) {
                        b = join[b].unwrap_or(exit);
                    }
                }
                a
            });
            if new.is_some() && join[block] != new {
                join[block] = new;
                has_changed = true;
            }
        }
    }
    join.truncate(count);
    join.into_iter().map(|join| join.filter(|&of| of != exit)).collect()
}

/// The effects of the ways from a decision to its join.
#[derive(Clone, Debug, Default)]
pub(super) struct Between {
    /// Words of variables that one of them may store.
    pub(super) stored: Vec<Range<usize>>,
    /// True if one discards the pixel.
    pub(super) discards: bool,
}

/// The effects between a block and its join.
pub(super) fn between(
    module: &Module,
    function: &Function,
    from: usize,
    join: Option<usize>,
) -> Between {
    let mut found = Between::default();
    let mut seen = vec![false; function.blocks.len()];
    let mut open = function.blocks[from].end.targets();
    while let Some(index) = open.pop() {
        if Some(index) == join || std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let block = &function.blocks[index];
        found.discards |= matches!(block.end, End::Kill);
        for step in &block.steps {
            let places: Vec<_> = match step {
                Step::Store { place, .. } => vec![place],
                Step::Call(call) => {
                    let all = call.arguments.iter().filter_map(|argument| match argument {
                        Passed::Address { place, .. } => Some(place),
                        Passed::Words { .. } => None,
                    });
                    all.collect()
                }
                Step::Demote => {
                    found.discards = true;
                    continue;
                }
                _ => continue,
            };
            for place in places {
                if let Space::Own(number) = place.space
                    && let variable = &module.variables[number]
                    && variable.words <= WORDS
                {
                    let range = variable.at..variable.at + variable.words;
                    if !found.stored.contains(&range) {
                        found.stored.push(range);
                    }
                }
            }
        }
        open.extend(block.end.targets());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::super::code::Block;
    use super::*;

    fn function(ends: Vec<End>) -> Function {
        let block =
            |end| Block { label: 0, header: None, phis: Vec::new(), steps: Vec::new(), end };
        Function { blocks: ends.into_iter().map(block).collect(), variables: Vec::new() }
    }

    fn either(then: usize, otherwise: usize) -> End {
        End::Conditional { condition: 0, then, otherwise }
    }

    #[test]
    fn joins_of_choices_loops_and_returns() {
        // A choice whose first arm returns; then a loop with a choice that leaves it.
        let of = function(vec![
            either(1, 2),
            End::Return,
            End::Branch(3),
            either(4, 7),
            either(5, 6),
            End::Branch(7),
            End::Branch(3),
            End::Return,
        ]);
        let expected = [None, None, Some(3), Some(7), Some(7), Some(7), Some(3), None];
        assert_eq!(joins(&of), expected);
        // A loop without an end has no join.
        let of = function(vec![either(1, 2), End::Branch(1), End::Return]);
        assert_eq!(joins(&of), [Some(2), None, None]);
    }
}
