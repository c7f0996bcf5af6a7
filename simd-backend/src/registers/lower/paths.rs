//! A fast path and a slow path for instructions of a block, chosen by a test. The slow path is a cold block.

use rustc_hash::FxHashMap;

use crate::registers::{
    BlockCall, BlockId, End, Instr, Reg, RegisterBlock, RegisterFunction, RegisterType, Status,
};

/// Instructions of a block with a fast path.
pub(super) struct Paths {
    /// The position of the test.
    pub(super) at: usize,
    /// True for the slow path.
    pub(super) test: Instr,
    /// The result of the test.
    pub(super) condition: Reg,
    /// The positions of the instructions that move to the slow path.
    pub(super) slow: Vec<usize>,
    /// The fast path.
    pub(super) fast: Vec<Instr>,
    /// The registers that both paths define, for the rest of the function. The others that the slow path defines are used there
    /// alone.
    pub(super) results: Vec<Reg>,
}

/// Splits a block at tests, which are in order.
pub(super) fn split(function: &mut RegisterFunction, id: BlockId, all: Vec<Paths>) {
    let block = &mut function.blocks[id.index()];
    let (instrs, end, cold) = (std::mem::take(&mut block.instrs), block.end.clone(), block.cold);
    let mut instrs: Vec<Option<Instr>> = instrs.into_iter().map(Some).collect();
    let mut take = |at: &usize| instrs[*at].take().expect("it moves to one path");
    let slow: Vec<Vec<Instr>> =
        all.iter().map(|of| of.slow.iter().map(&mut take).collect()).collect();
    let (mut current, mut next) = (id, 0);
    for (Paths { at, test, condition, fast, results, .. }, slow) in all.into_iter().zip(slow) {
        let mut before: Vec<Instr> = instrs[next..at].iter_mut().filter_map(Option::take).collect();
        let join = new_block(function, results.clone(), Vec::new(), cold);
        let mut path = |mut instrs: Vec<Instr>, cold| {
            let mut fresh = FxHashMap::default();
            for &result in &results {
                let ty = function.registers[result.index()];
                fresh.insert(result, register(function, ty));
            }
            for instr in &mut instrs {
                rename(instr, &fresh);
            }
            let block = new_block(function, Vec::new(), instrs, cold);
            let arguments = results.iter().map(|result| fresh[result]).collect();
            function.blocks[block.index()].end = End::Jump(BlockCall { block: join, arguments });
            BlockCall { block, arguments: Vec::new() }
        };
        let [otherwise, then] = [path(fast, cold), path(slow, true)];
        before.push(test);
        let block = &mut function.blocks[current.index()];
        (block.instrs, block.end) = (before, End::Branch { condition, then, otherwise });
        (current, next) = (join, at);
    }
    let block = &mut function.blocks[current.index()];
    block.instrs = instrs.into_iter().flatten().collect();
    block.end = end;
}

/// A new register.
pub(super) fn register(function: &mut RegisterFunction, ty: RegisterType) -> Reg {
    function.registers.push(ty);
    Reg(function.registers.len() as u32 - 1)
}

fn new_block(
    function: &mut RegisterFunction,
    params: Vec<Reg>,
    instrs: Vec<Instr>,
    cold: bool,
) -> BlockId {
    let end = End::Return(Status::Done);
    function.blocks.push(RegisterBlock { params, instrs, end, cold });
    BlockId(function.blocks.len() as u32 - 1)
}

/// Gives the results of a load or an operation new registers.
fn rename(instr: &mut Instr, fresh: &FxHashMap<Reg, Reg>) {
    let to = |to: &mut Reg| *to = fresh.get(to).copied().unwrap_or(*to);
    match instr {
        Instr::Load(result, ..) | Instr::Op(result, ..) => to(result),
        Instr::LoadTwo { to: results, .. } => results.iter_mut().for_each(to),
        Instr::LoadFour { to: results, .. }
        | Instr::LoadColumns { to: results, .. }
        | Instr::LoadMixed { to: results, .. } => results.iter_mut().flatten().for_each(to),
        _ => unreachable!("a path has loads and operations"),
    }
}
