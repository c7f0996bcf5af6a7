//! Loads of consecutive words of columns without a gather.
//!
//! A gather takes as long as loading its lanes one after the other. If adjacent pixels read
//! adjacent words, as from a buffer indexed by the column or from a texture at the pixel's place,
//! the words of each row of a tile form one range. Such an index is made of coordinates by sums and
//! conversions, and then clamped; clamps spoil the order at edges only. So each register of lanes
//! is tested ([`Instr::Scattered`]), and the gather moves to a cold block. The test is exact, so
//! the loads are in range: each index is, and the words of a row lie between those of its indices.
//!
//! A gather of one word for each lane of several rows is as good as a load for each row, so it
//! stays a gather. (An Intel Xeon with AVX-512, 16 words of a buffer for each pixel of 1920×1080,
//! one thread: indexed by the pixel's place, 24.1 ms by lanes and 16.7 by columns with 128 bits,
//! 11.7 and 11.8 with AVX2, 11.2 and 12.2 with AVX-512; by the column alone 9.6 and 7.8, 8.2 and
//! 7.9, 11.0 and 9.2. Nine texels: 21.4 and 20.3, 16.4 and 14.6, 18.1 and 12.0.)
//!
//! [`growths`] guesses where the test pays. It knows nothing of an index that depends on data or
//! has an unknown step. A wrong guess costs time alone.

use rustc_hash::FxHashMap;

use super::paths::{self, Paths, register};
use crate::lanes::{Axis, Kind, LaneOp};
use crate::registers::bounds::Bounds;
use crate::registers::{
    BlockId, Columns, Instr, Reg, RegisterFunction, RegisterProgram, RegisterType, Rows,
};

/// The most results of one test: they live at once.
const MAX_RESULTS: usize = 8;

/// Moves gathers of a program to cold blocks.
pub(super) fn split(program: &mut RegisterProgram) {
    let tile = program.shape.tile;
    if tile.columns() == 1 {
        return;
    }
    let bounds = Bounds::new(program).row;
    if bounds.is_empty() {
        return;
    }
    let spaces = program.spaces();
    let growths = growths(&program.row);
    let reads = |instr: &Instr| {
        let (to, space, first, index) = match instr {
            Instr::Load(to, space, first, index) => {
                ([Some(*to), None, None, None], *space, *first, *index)
            }
            Instr::LoadFour { to, space, first, index } => (*to, *space, *first, *index),
            _ => return None,
        };
        let Growth { step, is_one_row } = growths[index.index()]?;
        let is_worth_it = match step {
            1 => is_one_row || tile.rows() == 1,
            4 => tile.rows() == 1 || matches!(instr, Instr::LoadFour { .. }),
            _ => false,
        };
        if !is_worth_it {
            return None;
        }
        let rows = if is_one_row { Rows::Alike } else { Rows::Apart };
        let columns = Columns { step: step as u32, rows };
        let bound = bounds[index.index()];
        // So few words become a table in registers instead.
        let is_vector = matches!(program.row.registers[index.index()], RegisterType::Vector(_));
        if !is_vector || tile.rows() > 1 && bound.most < 2 * tile.width() {
            return None;
        }
        let (mut to, mut first) = (to, first);
        if step == 4 && matches!(instr, Instr::Load(..)) {
            // All four words of the texel are read, so all must be in range.
            let is_inside = |first: u32| spaces.hold(space, first, 3, bound);
            if !is_inside(first) {
                let before = (1..4).find(|&k| first >= k && is_inside(first - k))?;
                to.rotate_right(before as usize);
                first -= before;
            }
        }
        Some(Instr::LoadColumns { to, space, first, index, columns })
    };
    let found: Vec<Vec<(usize, Instr)>> = program
        .row
        .blocks
        .iter()
        .map(|block| {
            let instrs = block.instrs.iter().enumerate();
            instrs.filter_map(|(at, instr)| Some((at, reads(instr)?))).collect()
        })
        .collect();
    for (id, found) in found.into_iter().enumerate() {
        if !found.is_empty() && !program.row.blocks[id].cold {
            split_block(&mut program.row, BlockId(id as u32), found);
        }
    }
}

/// The loads of one index.
struct Group {
    index: Reg,
    columns: Columns,
    /// The position of each load, and the load by columns that replaces it.
    loads: Vec<(usize, Instr)>,
    results: usize,
}

/// The loads, grouped by index in the order of first appearance.
fn groups(found: Vec<(usize, Instr)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, instr) in found {
        let Instr::LoadColumns { to, index, columns, .. } = instr else {
            unreachable!("only loads by columns are found")
        };
        let count = to.iter().flatten().count();
        let has_room =
            |group: &&mut Group| group.index == index && group.results + count <= MAX_RESULTS;
        match groups.iter_mut().find(has_room) {
            Some(group) => {
                group.results += count;
                group.loads.push((at, instr));
            }
            None => {
                groups.push(Group { index, columns, loads: vec![(at, instr)], results: count });
            }
        }
    }
    groups
}

/// Splits a block at loads, given with the loads by columns that replace them. The loads of one
/// index move to the first of them.
fn split_block(function: &mut RegisterFunction, id: BlockId, found: Vec<(usize, Instr)>) {
    let mut paths = Vec::new();
    for Group { index, columns, loads, .. } in groups(found) {
        let condition = register(function, RegisterType::Scalar(Kind::Mask));
        let (slow, fast): (Vec<usize>, Vec<Instr>) = loads.into_iter().unzip();
        let mut results = Vec::new();
        fast.iter().for_each(|instr| instr.definitions(&mut |to| results.push(to)));
        paths.push(Paths {
            at: slow[0],
            test: Instr::Scattered(condition, index, columns),
            condition,
            slow,
            fast,
            results,
        });
    }
    paths::split(function, id, paths);
}

/// The growth of a register's numbers over the columns of a tile, clamps and wraps ignored.
#[derive(Clone, Copy)]
struct Growth {
    /// The step from column to column; for masks it has no meaning.
    step: i64,
    /// True if all rows have the same numbers.
    is_one_row: bool,
}

impl Growth {
    const NONE: Self = Self { step: 0, is_one_row: true };
}

/// The growth of registers that are made of coordinates alone, or are the same in all columns.
fn growths(function: &RegisterFunction) -> Vec<Option<Growth>> {
    let scalar = |ty: &RegisterType| matches!(ty, RegisterType::Scalar(_)).then_some(Growth::NONE);
    let mut found: Vec<Option<Growth>> = function.registers.iter().map(scalar).collect();
    let mut constants: FxHashMap<Reg, u64> = FxHashMap::default();
    let ty = |reg: Reg| function.registers[reg.index()];
    for id in function.reverse_postorder() {
        for instr in &function.blocks[id.index()].instrs {
            let (to, growth) = match instr {
                Instr::Constant(to, bits) => {
                    constants.insert(*to, *bits);
                    (*to, Some(Growth::NONE))
                }
                Instr::Broadcast(to, from) => {
                    if let Some(&bits) = constants.get(from) {
                        constants.insert(*to, bits);
                    }
                    (*to, Some(Growth::NONE))
                }
                Instr::Centres(to, Axis::X, _) => (*to, Some(Growth { step: 1, is_one_row: true })),
                Instr::Centres(to, Axis::Y, _) => {
                    (*to, Some(Growth { step: 0, is_one_row: false }))
                }
                Instr::Load(to, _, _, index) => {
                    (*to, found[index.index()].filter(|growth| growth.step == 0))
                }
                Instr::Op(to, op, operands) => {
                    let of: Option<Vec<Growth>> =
                        operands.iter().map(|reg| found[reg.index()]).collect();
                    let known = |i: usize| {
                        let bits = *constants.get(&operands[i])? as u32;
                        Some(match ty(operands[i]) {
                            RegisterType::Vector(Kind::F32) => f32::from_bits(bits).into(),
                            _ => f64::from(bits as i32),
                        })
                    };
                    let growth = of.and_then(|of| {
                        let steps: Vec<i64> = of.iter().map(|growth| growth.step).collect();
                        let is_word =
                            matches!(ty(*to), RegisterType::Vector(Kind::F32 | Kind::I32));
                        let as_before = operands.iter().all(|&reg| ty(reg) == ty(*to));
                        let step = match op {
                            LaneOp::Bits if !as_before => constant(&steps),
                            _ if is_word => step(*op, &steps, known),
                            _ => Some(0),
                        }?;
                        let is_one_row = of.iter().all(|growth| growth.is_one_row);
                        Some(Growth { step, is_one_row })
                    });
                    (*to, growth)
                }
                _ => continue,
            };
            if matches!(ty(to), RegisterType::Vector(_)) {
                found[to.index()] = growth;
            }
        }
    }
    found
}

/// The step of an arbitrary operation: 0 if all its operands have step 0.
fn constant(steps: &[i64]) -> Option<i64> {
    steps.iter().all(|&step| step == 0).then_some(0)
}

/// The step of an operation's result, from the steps of its operands and the values of constant
/// ones.
fn step(op: LaneOp, of: &[i64], known: impl Fn(usize) -> Option<f64>) -> Option<i64> {
    let clamped = |a: i64, b: i64| match (a, b) {
        (a, 0) => Some(a),
        (0, b) => Some(b),
        (a, b) => (a == b).then_some(a),
    };
    let by_constant = |change: &dyn Fn(i64, f64) -> Option<i64>| {
        let [first, second] = [known(1), known(0)];
        first.and_then(|by| change(of[0], by)).or_else(|| change(of[1], second?))
    };
    match op {
        LaneOp::Add => of[0].checked_add(of[1]),
        LaneOp::Sub => of[0].checked_sub(of[1]),
        LaneOp::Floor
        | LaneOp::Ceil
        | LaneOp::Trunc
        | LaneOp::RoundEven
        | LaneOp::ToInteger
        | LaneOp::ToIntegerInRange
        | LaneOp::ToUnsigned
        | LaneOp::FromInteger
        | LaneOp::FromUnsigned
        | LaneOp::Bits => Some(of[0]),
        LaneOp::ShiftLeft(by) => of[0].checked_shl(by.into()),
        LaneOp::Min | LaneOp::Max | LaneOp::MinUnsigned | LaneOp::MaxUnsigned => {
            clamped(of[0], of[1])
        }
        LaneOp::Select => clamped(of[1], of[2]),
        LaneOp::Mul => {
            by_constant(&|step, by| (by.fract() == 0.0).then(|| step.saturating_mul(by as i64)))
                .or_else(|| constant(of))
        }
        // Divisions by constants, and signs.
        LaneOp::MulHigh if of[0] == 0 || of[1] == 0 => Some(0),
        LaneOp::ShiftRight(by) | LaneOp::ShiftRightSigned(by) if by >= 16 => Some(0),
        // An unknown mask, which may have all bits set.
        LaneOp::And if known(0).or(known(1)).is_none() && of.contains(&0) => clamped(of[0], of[1]),
        // The lower bits of a number: they wrap after four columns or more.
        LaneOp::And => by_constant(&|step, by| {
            let bits = by as i64;
            (bits >= 3 && bits & (bits + 1) == 0).then_some(step)
        })
        .or_else(|| constant(of)),
        _ => constant(of),
    }
}
