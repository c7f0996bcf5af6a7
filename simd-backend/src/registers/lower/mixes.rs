//! Bilinear and trilinear mixes of texels, of which two lie side by side in memory.
//!
//! A sample with a linear filter loads four or eight texels of each lane, transposes them, and mixes them component by component. Its
//! texels are pairs of neighbours, but at the edges of a texture. So it is tested whether the second of each pair
//! follows the first ([`Instr::Apart`]). If so, one load of a lane fetches a pair. The pairs are mixed before
//! the transposition, which is then one in place of four or eight ([`Instr::LoadMixed`]). The operations on
//! each number are the same, in the same order.
//!
//! The slow path, the loads and the operations as they were, is a cold block. (AMD Zen 3, AVX2, one thread: a march of 32 steps
//! through a volume at 1920×1080 takes 338 ms, with pairs mixed four by four 414.)

use rustc_hash::FxHashMap;

use super::guess::Guess;
use super::paths::{self, Paths, register};
use crate::lanes::{Kind, LaneOp, Space};
use crate::mutants::{Mutant, is_active};
use crate::registers::{BlockId, Instr, Reg, RegisterProgram, RegisterType};
use std::cmp::Reverse;

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
    /// The weights along each axis.
    weights: Vec<[Reg; 2]>,
    /// Positions of operations.
    made: Vec<usize>,
}

/// A product of a value and a weight.
struct Product {
    of: Part,
    weight: Reg,
    at: usize,
}

/// A mix of four or eight texels, with the result of each component.
struct Mix {
    texels: Vec<usize>,
    weights: Vec<[Reg; 2]>,
    to: [Option<Reg>; 4],
    /// The position of the first result.
    at: usize,
    /// Positions of operations.
    made: Vec<usize>,
}

/// Gives mixes of texels their fast path.
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
            let pairs = texels.chunks(2).map(|pair| [pair[0].index, pair[1].index]);
            let pairs: Box<[[Reg; 2]]> = pairs.collect();
            let indices = pairs.iter().map(|pair| pair[0]).collect();
            let mut weights: Box<[[Reg; 2]]> = mix.weights.into();
            if is_active(Mutant::SwappedRows) {
                weights[1].reverse();
            }
            let Texel { space, first, .. } = texels[0];
            let mut slow = mix.made;
            slow.extend(texels.iter().map(|of| of.at));
            slow.sort_unstable();
            all.push(Paths {
                at: mix.at,
                test: Instr::Apart(condition, 4, pairs),
                condition,
                slow,
                fast: vec![Instr::LoadMixed { to: mix.to, space, first, indices, weights }],
                results: mix.to.into_iter().flatten().collect(),
            });
        }
        if !all.is_empty() {
            all.sort_by_key(|of| of.at);
            paths::split(function, BlockId(id as u32), all);
        }
    }
}

/// The mixes of a block, each with its texels.
fn mixes(instrs: &[Instr], guess: &Guess) -> Vec<(Mix, Vec<Texel>)> {
    let mut texels: Vec<Option<Texel>> = Vec::new();
    // Loaded words and sums, and products, by register; each has one use.
    let mut values: FxHashMap<Reg, Part> = FxHashMap::default();
    let mut products: FxHashMap<Reg, Product> = FxHashMap::default();
    let (mut mixes, mut numbers) = (Vec::new(), FxHashMap::default());
    for (at, instr) in instrs.iter().enumerate() {
        match instr {
            Instr::LoadFour { to, space, first, index } => {
                let used = to.iter().enumerate().filter_map(|(k, to)| Some((k, (*to)?)));
                let may_mix = |to: Reg| guess.is_float(to) && guess.is_used_once(to);
                for (component, to) in used.filter(|(_, to)| may_mix(*to)) {
                    let (texels, weights, made) = (vec![texels.len()], Vec::new(), Vec::new());
                    values.insert(to, Part { component, texels, weights, made });
                }
                let (to, space, first, index) = (*to, *space, *first, *index);
                texels.push(Some(Texel { at, to, space, first, index }));
            }
            Instr::Op(to, LaneOp::Mul, of) if guess.is_used_once(*to) => {
                let (part, weight) = match (values.get(&of[0]), values.get(&of[1])) {
                    (Some(part), None) => (part, of[1]),
                    (None, Some(part)) => (part, of[0]),
                    _ => continue,
                };
                products.insert(*to, Product { of: part.clone(), weight, at });
            }
            Instr::Op(to, LaneOp::Add, of) => {
                let (Some(a), Some(b)) = (products.get(&of[0]), products.get(&of[1])) else {
                    continue;
                };
                let Some(part) = joined(a, b, at) else { continue };
                if part.texels.len() >= 4 {
                    add(&mut mixes, &mut numbers, &part, *to, at);
                }
                if part.texels.len() < 8 && guess.is_used_once(*to) {
                    values.insert(*to, part);
                }
            }
            _ => {}
        }
    }
    // The larger ones first, which have the texels of others.
    mixes.sort_by_key(|mix| Reverse(mix.texels.len()));
    let mut found = Vec::new();
    for mix in mixes {
        let all: Option<Vec<&Texel>> = mix.texels.iter().map(|&k| texels[k].as_ref()).collect();
        let Some(all) = all else { continue };
        let is_whole = |of: &&Texel| {
            of.space == all[0].space
                && of.first == all[0].first
                && of.to.map(|to| to.is_some()) == mix.to.map(|to| to.is_some())
        };
        let is_pair = |pair: &[&Texel]| guess.is_next(pair[0].index, pair[1].index);
        if all.iter().all(is_whole) && all.chunks(2).all(is_pair) {
            let taken = mix.texels.iter().filter_map(|&k| texels[k].take()).collect();
            found.push((mix, taken));
        }
    }
    found
}

/// The mix of two values that were made alike.
fn joined(a: &Product, b: &Product, at: usize) -> Option<Part> {
    let is_alike = a.of.component == b.of.component
        && a.of.texels.len() == b.of.texels.len()
        && a.of.texels != b.of.texels
        && a.of.weights == b.of.weights;
    is_alike.then(|| Part {
        component: a.of.component,
        texels: [&a.of.texels[..], &b.of.texels].concat(),
        weights: [&a.of.weights[..], &[[a.weight, b.weight]]].concat(),
        made: [&a.of.made[..], &b.of.made, &[a.at, b.at, at]].concat(),
    })
}

/// Adds a component to the mix of its texels. `numbers` has the mixes by their texels and weights.
fn add(
    mixes: &mut Vec<Mix>,
    numbers: &mut FxHashMap<(Vec<usize>, Vec<[Reg; 2]>), usize>,
    part: &Part,
    to: Reg,
    at: usize,
) {
    let Part { component, texels, weights, made } = part;
    let number = *numbers.entry((texels.clone(), weights.clone())).or_insert_with(|| {
        let (texels, weights) = (texels.clone(), weights.clone());
        mixes.push(Mix { texels, weights, to: [None; 4], at, made: Vec::new() });
        mixes.len() - 1
    });
    let mix = &mut mixes[number];
    mix.to[*component] = Some(to);
    mix.at = mix.at.min(at);
    mix.made.extend(made);
}
