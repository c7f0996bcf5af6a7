//! Bilinear mixes of texels, of which two lie side by side in memory.
//!
//! A sample with a linear filter loads four texels of each lane, transposes them, and mixes them component by component. Its
//! texels are two pairs of neighbours, but at the edges of a texture. So it is tested whether the second of each pair
//! follows the first ([`Instr::Apart`]). If so, one load of a lane fetches a pair. The pairs are mixed before
//! the transposition, which is then one in place of four ([`Instr::LoadMixed`]). The operations on
//! each number are the same, in the same order.
//!
//! The slow path, the loads and the operations as they were, is a cold block.

use rustc_hash::FxHashMap;

use super::paths::{self, Paths, register};
use crate::lanes::{Kind, LaneOp, Space};
use crate::mutants::{Mutant, is_active};
use crate::registers::{BlockId, Instr, Reg, RegisterFunction, RegisterProgram, RegisterType};

/// Most pairs of values that [`Guess::is_next`] compares.
const MAX_COMPARED: u32 = 128;

/// A load of four words in a block.
struct Texel {
    at: usize,
    to: [Option<Reg>; 4],
    space: Space,
    first: u32,
    index: Reg,
}

/// A value on the way from texels to their mix, with the instructions that make it.
#[derive(Clone)]
struct Part {
    component: usize,
    /// Numbers of the texels.
    texels: Vec<usize>,
    /// The weights of both texels of a pair, and then of both pairs.
    weights: Vec<Reg>,
    /// Positions of operations.
    made: Vec<usize>,
}

/// A bilinear mix: its four texels, its weights, and for each component the result and the position of the last
/// operation.
struct Mix {
    texels: Vec<usize>,
    weights: Vec<Reg>,
    to: [Option<Reg>; 4],
    at: usize,
    made: Vec<usize>,
}

/// Gives bilinear mixes their fast path.
pub(super) fn split(program: &mut RegisterProgram) {
    let function = &mut program.row;
    let has_fours = |instr: &Instr| matches!(instr, Instr::LoadFour { .. });
    if !function.blocks.iter().any(|block| block.instrs.iter().any(has_fours)) {
        return;
    }
    let guess = Guess::new(function);
    let found: Vec<Vec<(Mix, Vec<Texel>)>> = function
        .blocks
        .iter()
        .map(|block| if block.cold { Vec::new() } else { mixes(&block.instrs, &guess) })
        .collect();
    for (id, found) in found.into_iter().enumerate() {
        let mut all: Vec<Paths> = Vec::new();
        for (mix, texels) in found {
            let condition = register(function, RegisterType::Scalar(Kind::Mask));
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| texels[k].index);
            let mut weights = [0, 1, 2, 3].map(|k| mix.weights[k]);
            if is_active(Mutant::SwappedRows) {
                weights.swap(2, 3);
            }
            let Texel { space, first, .. } = texels[0];
            let mut slow = mix.made;
            slow.extend(texels.iter().map(|of| of.at));
            slow.sort_unstable();
            all.push(Paths {
                at: mix.at,
                test: Instr::Apart(condition, [[a, b], [c, d]]),
                condition,
                slow,
                fast: vec![Instr::LoadMixed { to: mix.to, space, first, indices: [a, c], weights }],
                results: mix.to.into_iter().flatten().collect(),
            });
        }
        if !all.is_empty() {
            all.sort_by_key(|of| of.at);
            paths::split(function, BlockId(id as u32), all);
        }
    }
}

/// The bilinear mixes of a block, each with its texels.
fn mixes(instrs: &[Instr], guess: &Guess) -> Vec<(Mix, Vec<Texel>)> {
    let mut texels: Vec<Option<Texel>> = Vec::new();
    // Loaded words, products and sums, by register; each has one use.
    let mut sums: FxHashMap<Reg, Part> = FxHashMap::default();
    let mut products: FxHashMap<Reg, Part> = FxHashMap::default();
    let mut mixes: Vec<Mix> = Vec::new();
    for (at, instr) in instrs.iter().enumerate() {
        match instr {
            Instr::LoadFour { to, space, first, index } => {
                for (component, to) in to.iter().enumerate() {
                    if let Some(to) = to
                        && guess.is_used_once(*to)
                    {
                        let part = Part {
                            component,
                            texels: vec![texels.len()],
                            weights: Vec::new(),
                            made: Vec::new(),
                        };
                        sums.insert(*to, part);
                    }
                }
                let (to, space, first, index) = (*to, *space, *first, *index);
                texels.push(Some(Texel { at, to, space, first, index }));
            }
            Instr::Op(to, LaneOp::Mul, of) => {
                let part = match (sums.get(&of[0]), sums.get(&of[1])) {
                    (Some(part), None) => Some((part, of[1])),
                    (None, Some(part)) => Some((part, of[0])),
                    _ => None,
                };
                if let Some((part, weight)) = part
                    && guess.is_used_once(*to)
                {
                    let mut part = part.clone();
                    part.weights.push(weight);
                    part.made.push(at);
                    products.insert(*to, part);
                }
            }
            Instr::Op(to, LaneOp::Add, of) => {
                let (Some(a), Some(b)) = (products.get(&of[0]), products.get(&of[1])) else {
                    continue;
                };
                let (count, before) = (a.texels.len(), a.weights.len() - 1);
                let is_alike = a.component == b.component
                    && count == b.texels.len()
                    && a.texels != b.texels
                    && a.weights[..before] == b.weights[..before];
                if !is_alike {
                    continue;
                }
                let mut weights = a.weights.clone();
                weights.push(b.weights[before]);
                let part = Part {
                    component: a.component,
                    texels: [&a.texels[..], &b.texels].concat(),
                    weights,
                    made: [&a.made[..], &b.made, &[at]].concat(),
                };
                if count == 2 {
                    add(&mut mixes, part, *to, at);
                } else if guess.is_used_once(*to) {
                    sums.insert(*to, part);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for mix in mixes {
        let is_whole = |of: &Texel| {
            of.space == texels_of(&texels, mix.texels[0]).space
                && of.first == texels_of(&texels, mix.texels[0]).first
                && of.to.map(|to| to.is_some()) == mix.to.map(|to| to.is_some())
        };
        let index = |k: usize| texels_of(&texels, mix.texels[k]).index;
        let are_whole = mix.texels.iter().all(|&k| texels[k].as_ref().is_some_and(is_whole));
        if are_whole && guess.is_next(index(0), index(1)) && guess.is_next(index(2), index(3)) {
            let taken = mix.texels.iter().map(|&k| texels[k].take().expect("it is whole"));
            let taken = taken.collect();
            found.push((mix, taken));
        }
    }
    found
}

fn texels_of(texels: &[Option<Texel>], k: usize) -> &Texel {
    texels[k].as_ref().expect("each component of a texel has one use")
}

/// Adds a component to the mix of its texels.
fn add(mixes: &mut Vec<Mix>, part: Part, to: Reg, at: usize) {
    let Part { component, texels, weights, made } = part;
    let known = mixes.iter_mut().find(|of| of.texels == texels && of.weights == weights);
    let mix = match known {
        Some(mix) => mix,
        None => {
            mixes.push(Mix { texels, weights, to: [None; 4], at, made: Vec::new() });
            mixes.last_mut().expect("it is there")
        }
    };
    mix.to[component] = Some(to);
    mix.at = mix.at.min(at);
    mix.made.extend(made);
}

/// Guesses about registers of a function. A wrong guess costs time alone.
struct Guess {
    uses: Vec<u32>,
    definitions: FxHashMap<Reg, Instr>,
}

impl Guess {
    fn new(function: &RegisterFunction) -> Self {
        let mut uses = vec![0; function.registers.len()];
        let mut definitions = FxHashMap::default();
        for block in &function.blocks {
            for instr in &block.instrs {
                instr.uses(&mut |reg| uses[reg.index()] += 1);
                if let Instr::Op(to, ..) | Instr::Constant(to, _) | Instr::Broadcast(to, _) = instr
                {
                    definitions.insert(*to, instr.clone());
                }
            }
            block.end.uses(&mut |reg| uses[reg.index()] += 1);
        }
        Self { uses, definitions }
    }

    fn is_used_once(&self, reg: Reg) -> bool {
        self.uses[reg.index()] == 1
    }

    /// True if the second number is probably made like the first, with one more column.
    fn is_next(&self, first: Reg, second: Reg) -> bool {
        self.columns_between(first, second, &mut MAX_COMPARED.clone()) == Some(1)
    }

    fn constant(&self, reg: Reg) -> Option<u64> {
        match self.definitions.get(&reg)? {
            Instr::Constant(_, bits) => Some(*bits),
            Instr::Broadcast(_, from) => match self.definitions.get(from)? {
                Instr::Constant(_, bits) => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// 0 for numbers that are made alike, 1 if one column was added to the second.
    fn columns_between(&self, first: Reg, second: Reg, left: &mut u32) -> Option<u32> {
        let is_same =
            self.constant(first).is_some() && self.constant(first) == self.constant(second);
        if first == second || is_same {
            return Some(0);
        }
        *left = left.checked_sub(1)?;
        let Instr::Op(_, op, of) = self.definitions.get(&second)? else { return None };
        if *op == LaneOp::Add
            && (of[0] == first && self.constant(of[1]) == Some(1)
                || of[1] == first && self.constant(of[0]) == Some(1))
        {
            return Some(1);
        }
        let Instr::Op(_, first_op, first_of) = self.definitions.get(&first)? else { return None };
        if op != first_op {
            return None;
        }
        let mut most = 0;
        for (&first, &second) in first_of.iter().zip(of) {
            most = most.max(self.columns_between(first, second, left)?);
        }
        Some(most)
    }
}
