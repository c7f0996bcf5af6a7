//! From the lane program to the register program.
//!
//! | module | does |
//! |---|---|
//! | `builder` | the state: blocks, registers, values made at their uses |
//! | `flow` | statements, `if` and loops as a flow graph |
//! | `arrays` | arrays in memory: places of words, and copies |
//! | `memory` | accesses to memories |
//! | `compute` | computations, register by register |
//! | `fours` | loads of four consecutive words together |
//! | `columns` | loads of consecutive words of columns without a gather |
//! | `mixes` | bilinear mixes of texels that lie side by side |
//! | `pairs` | words of narrow textures in pairs |
//! | `guess` | what the last two know of indices |
//! | `paths` | a fast and a slow path for instructions of a block |
//! | `row` | the function for a row of groups: its loop, coordinates and stores |

mod arrays;
mod builder;
mod columns;
mod compute;
mod flow;
mod fours;
mod guess;
mod memory;
mod mixes;
mod pairs;
mod paths;
mod row;

use rustc_hash::FxHashMap;

use self::builder::{Builder, Slots};
use super::halves::Assemble;
use super::{End, Instr, RegisterProgram, Shape, Status, procedure};
use crate::lanes::memory::Memory;
use crate::lanes::{LaneProgram, Rate, Width};

/// Lowers a lane program for a shape.
pub fn lower(program: &LaneProgram, shape: Shape) -> RegisterProgram {
    assert!(program.width != Width::One || shape.lanes() == 1, "the program is for one lane");
    assert!(program.width != Width::Quads || shape.rows() > 1, "the program is for whole quads");
    assert!(program.width != Width::Pairs || shape.columns() > 1, "the program is for pairs");
    let frame = 0..program.frame_len;
    let of_row = program.frame_len..program.block(LaneProgram::ROOT).statements.len();
    let mut slots =
        Slots { of: FxHashMap::default(), tables: FxHashMap::default(), kinds: Vec::new() };

    let memory = Memory::new(program);
    let mut row = Builder::new(program, shape, &memory);
    row.row(of_row, &mut slots);
    let array_words = memory.words.saturating_add(row.beside);
    let (row, procedures) = (row.function, row.procedures);

    let mut builder = Builder::new(program, shape, &memory);
    builder.procedures = procedures;
    builder.statements(frame);
    let mut kept: Vec<_> = slots.of.into_iter().collect();
    kept.sort_by_key(|&(_, slot)| slot);
    for (value, slot) in kept {
        let from = builder.fit(value, Rate::FRAME)[0];
        builder.push(Instr::SetSlot(slot, from));
    }
    let mut tables: Vec<_> = slots.tables.into_iter().collect();
    tables.sort_by_key(|&(_, first)| first);
    for (words, first) in tables {
        for (words, slot) in words.chunks(2).zip(first..) {
            let from = builder.joined(words);
            builder.push(Instr::SetSlot(slot, from));
        }
    }
    builder.finish(End::Return(Status::Done));
    let frame = builder.function;
    let procedures = builder.procedures.into_iter();
    let procedures = procedures
        .map(|(f, is_vector)| procedure::procedure(f, is_vector.then_some(shape.tile)))
        .collect();
    let mut lowered = RegisterProgram {
        shape,
        items: program.items,
        attachments: program.attachments(),
        frame,
        row,
        procedures,
        slots: slots.kinds,
        inputs: program.inputs.clone(),
        primitive_words: program.primitive_words,
        resources: program.resources.clone(),
        array_words,
    };
    fours::combine(&mut lowered);
    columns::split(&mut lowered);
    mixes::split(&mut lowered);
    pairs::split(&mut lowered);
    lowered
}
