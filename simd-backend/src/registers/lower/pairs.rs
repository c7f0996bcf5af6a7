//! Words of narrow textures in pairs.
//!
//! The texels that a filter mixes or compares are neighbours in their rows, but at the edges of a texture. Those of a narrow texture
//! ([`crate::lanes`]) then lie side by side, and one load of a lane fetches two of them ([`Instr::LoadTwo`]). A gather takes
//! as long for one word of a lane as such a load for two.
//!
//! 1. Loads whose indices are probably neighbours are brought together, two pairs at a time: the computations of their indices move
//!    up to the first of them.
//! 2. One test checks the pairs ([`Instr::Apart`]). The loads as they were are a cold block.

use rustc_hash::FxHashMap;

use super::guess::Guess;
use super::paths::{self, Paths, register};
use crate::lanes::{Kind, Space};
use crate::registers::{BlockId, Instr, Reg, RegisterFunction, RegisterProgram, RegisterType};

/// Most loads that are compared, from one on.
const MAX_COMPARED: usize = 8;

/// Most pairs of a test: the texels of a bilinear filter.
const MAX_PAIRS: usize = 2;

/// Most instructions that move up to a load.
const MAX_MOVED: usize = 64;

/// A load of a word of each lane from a narrow texture.
#[derive(Clone, Copy)]
struct Load {
    at: usize,
    to: Reg,
    space: Space,
    first: u32,
    index: Reg,
}

/// Gives loads that are probably pairs their fast path.
pub(super) fn split(program: &mut RegisterProgram) {
    let RegisterProgram { row: function, resources, .. } = program;
    let is_narrow = |space: Space| match space {
        Space::Resource(number) => resources.0[number as usize].component.is_some(),
        _ => false,
    };
    let load = |function: &RegisterFunction, at: usize, instr: &Instr| match *instr {
        Instr::Load(to, space, first, index) if is_narrow(space) => {
            let is_vector = matches!(function.registers[index.index()], RegisterType::Vector(_));
            is_vector.then_some(Load { at, to, space, first, index })
        }
        _ => None,
    };
    let mut guess = None;
    for id in 0..function.blocks.len() {
        let block = &function.blocks[id];
        let instrs = || block.instrs.iter().enumerate();
        let loads: Vec<Load> =
            instrs().filter_map(|(at, instr)| load(function, at, instr)).collect();
        if block.cold || loads.len() < 2 {
            continue;
        }
        let guess = guess.get_or_insert_with(|| Guess::new(function));
        let (instrs, groups) = together(&block.instrs, &loads, guess);
        let mut all = Vec::new();
        for pairs in groups {
            let condition = register(function, RegisterType::Scalar(Kind::Mask));
            let two = |[a, b]: &[Load; 2]| {
                let (to, Load { space, first, index, .. }) = ([a.to, b.to], *a);
                Instr::LoadTwo { to, space, first, index }
            };
            let slow: Vec<usize> = pairs.as_flattened().iter().map(|load| load.at).collect();
            let indices = pairs.iter().map(|pair| pair.map(|load| load.index));
            all.push(Paths {
                at: slow[slow.len() - 1],
                test: Instr::Apart(condition, 1, indices.collect()),
                condition,
                slow,
                fast: pairs.iter().map(two).collect(),
                results: pairs.as_flattened().iter().map(|load| load.to).collect(),
            });
        }
        if !all.is_empty() {
            function.blocks[id].instrs = instrs;
            paths::split(function, BlockId(id as u32), all);
        }
    }
}

/// Brings pairs of loads together. Returns the instructions in their new order, and pairs with their new positions, test by test.
fn together(instrs: &[Instr], loads: &[Load], guess: &Guess) -> (Vec<Instr>, Vec<Vec<[Load; 2]>>) {
    let mut order = Order::new(instrs);
    let (mut groups, mut loads) = (Vec::new(), loads);
    for at in 0..instrs.len() {
        let Some(first) = loads.first().filter(|load| load.at == at) else {
            order.place(at);
            continue;
        };
        if order.is_placed[at] {
            loads = &loads[1..];
            continue;
        }
        let near = loads.iter().filter(|load| !order.is_placed[load.at]).take(MAX_COMPARED);
        let near: Vec<Load> = near.copied().collect();
        let mut pairs = Vec::new();
        for pair in pairs_of(&near, guess) {
            // The group begins with this load.
            let begins = !pairs.is_empty() || pair[0].at == first.at;
            if begins && pairs.len() < MAX_PAIRS && pair.iter().all(|load| order.lift(load)) {
                pairs.push(pair);
            }
        }
        if pairs.is_empty() {
            order.place(at);
        } else {
            for load in pairs.as_flattened_mut() {
                order.place(load.at);
                load.at = order.instrs.len() - 1;
            }
            groups.push(pairs);
        }
        loads = &loads[1..];
    }
    (order.instrs, groups)
}

/// The pairs among loads.
fn pairs_of(loads: &[Load], guess: &Guess) -> Vec<[Load; 2]> {
    let mut is_taken = vec![false; loads.len()];
    let mut found = Vec::new();
    for (k, first) in loads.iter().enumerate() {
        let next = (k + 1..loads.len()).find(|&n| {
            let second = &loads[n];
            !is_taken[n]
                && (first.space, first.first) == (second.space, second.first)
                && guess.is_next(first.index, second.index)
        });
        if let (false, Some(n)) = (is_taken[k], next) {
            is_taken[n] = true;
            found.push([*first, loads[n]]);
        }
    }
    found
}

/// A new order of a block's instructions, of which some move up.
struct Order<'a> {
    of: &'a [Instr],
    /// The position of the definition of each register of the block.
    made: FxHashMap<Reg, usize>,
    is_placed: Vec<bool>,
    instrs: Vec<Instr>,
}

impl<'a> Order<'a> {
    fn new(of: &'a [Instr]) -> Self {
        let mut made = FxHashMap::default();
        for (at, instr) in of.iter().enumerate() {
            instr.definitions(&mut |reg| {
                made.insert(reg, at);
            });
        }
        Self { of, made, is_placed: vec![false; of.len()], instrs: Vec::with_capacity(of.len()) }
    }

    /// Places an instruction, if it has no place.
    fn place(&mut self, at: usize) {
        if !std::mem::replace(&mut self.is_placed[at], true) {
            self.instrs.push(self.of[at].clone());
        }
    }

    /// Places all that the index of a load needs. False if something of it does not move.
    fn lift(&mut self, load: &Load) -> bool {
        let (mut needed, mut open) = (Vec::new(), vec![load.index]);
        while let Some(reg) = open.pop() {
            // Registers of other blocks are there.
            let Some(&at) = self.made.get(&reg) else { continue };
            if self.is_placed[at] || needed.contains(&at) {
                continue;
            }
            let instr = &self.of[at];
            let moves = matches!(
                instr,
                Instr::Op(..)
                    | Instr::Constant(..)
                    | Instr::Broadcast(..)
                    | Instr::Input(..)
                    | Instr::Primitive(..)
                    | Instr::Slot(..)
            );
            if !moves || needed.len() == MAX_MOVED {
                return false;
            }
            needed.push(at);
            instr.uses(&mut |of| open.push(*of));
        }
        needed.sort_unstable();
        needed.into_iter().for_each(|at| self.place(at));
        true
    }
}
