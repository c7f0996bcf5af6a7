//! Reads the text of register programs, as [`print`](super::print) writes it.
//!
//! The reader is strict: `read(text)` is a program whose text is this one, but for comments (from `;` to the
//! end of the line), empty lines and spaces; anything else is an error with its line. It checks the form, and
//! that blocks, registers and resources exist. All else is left to the verifier ([`verify`](super::verify())),
//! so that broken programs can be read. A register that nothing assigns has no type in the text, so it must
//! not be used.

mod columns;
mod error;
mod head;
mod instruction;
mod line;
mod types;

use lambdav_core::op::Elementary;

use super::{BlockId, Procedure, RegisterBlock, RegisterFunction, RegisterProgram};
pub use error::{ReadError, ReadErrorKind};
use head::{Head, Named};
use line::{Line, Lines};
use types::Types;

/// Reads a program.
///
/// # Errors
///
/// The first violation of the form.
pub fn read(text: &str) -> Result<RegisterProgram, ReadError> {
    let mut lines = Lines::new(text);
    let Head { shape, items, attachments, primitive_words, array_words, resources, inputs, slots } =
        head::head(&mut lines)?;
    let named = Named { inputs: &inputs, resources: &resources };
    let frame = function(&mut lines, named, |line| line.keyword("frame"))?;
    let row = function(&mut lines, named, |line| line.keyword("row"))?;
    let mut procedures = Vec::new();
    while !lines.are_over() {
        let number = procedures.len() as u32;
        let mut name = None;
        let code = function(&mut lines, named, |line| {
            line.keyword("procedure")?;
            line.counted(number)?;
            line.mark(",")?;
            name = Some(procedure_name(line)?);
            Ok(())
        })?;
        let (elementary, is_vector) = name.expect("it is set when the head is read");
        procedures.push(Procedure { elementary, is_vector, code });
    }
    Ok(RegisterProgram {
        shape,
        items,
        attachments,
        frame,
        row,
        procedures,
        slots,
        inputs,
        primitive_words,
        resources,
        array_words,
    })
}

/// A procedure's elementary function, and whether it takes registers.
fn procedure_name(line: &mut Line<'_>) -> Result<(Elementary, bool), ReadError> {
    let elementary = instruction::elementary(line)?;
    line.keyword("of")?;
    line.keyword("a")?;
    let is_vector = line.has("register");
    if !is_vector {
        line.keyword("number")?;
    }
    Ok((elementary, is_vector))
}

/// A function, whose name is read by `name`.
fn function<'t>(
    lines: &mut Lines<'t>,
    named: Named<'_>,
    name: impl FnOnce(&mut Line<'t>) -> Result<(), ReadError>,
) -> Result<RegisterFunction, ReadError> {
    let mut line = lines.take()?;
    name(&mut line)?;
    let mut spill_slots = 0;
    if line.has_mark(",") {
        spill_slots = line.positive()?;
        line.keyword("spill")?;
        line.keyword("slots")?;
    }
    line.mark(":")?;
    line.end()?;
    let mut types = Types::default();
    let mut blocks = Vec::new();
    // Lines of jumps, whose targets may follow.
    let mut jumps: Vec<(usize, BlockId)> = Vec::new();
    while blocks.is_empty() || lines.begins_with("block") {
        blocks.push(block(lines, blocks.len() as u32, named, &mut types, &mut jumps)?);
    }
    for (line, block) in jumps {
        if block.index() >= blocks.len() {
            return Err(ReadErrorKind::NoBlock(block).at(line));
        }
    }
    Ok(RegisterFunction { registers: types.finish()?, blocks, spill_slots })
}

fn block(
    lines: &mut Lines<'_>,
    number: u32,
    named: Named<'_>,
    types: &mut Types,
    jumps: &mut Vec<(usize, BlockId)>,
) -> Result<RegisterBlock, ReadError> {
    let mut line = lines.take()?;
    let id = instruction::block_id(&mut line)?;
    if id.0 != number {
        return Err(ReadErrorKind::Order { expected: number, found: id.0 }.at(line.number()));
    }
    line.mark("(")?;
    let mut params = Vec::new();
    if !line.has_mark(")") {
        loop {
            params.push(types.definition(&mut line)?.0);
            if !line.has_mark(",") {
                break;
            }
        }
        line.mark(")")?;
    }
    line.mark(":")?;
    let cold = line.has("cold");
    line.end()?;
    let mut instrs = Vec::new();
    loop {
        let mut line = lines.take()?;
        if let Some(end) = instruction::end(&mut line, types)? {
            line.end()?;
            jumps.extend(end.targets().map(|call| (line.number(), call.block)));
            return Ok(RegisterBlock { params, instrs, end, cold });
        }
        instrs.push(instruction::instruction(&mut line, named, types)?);
        line.end()?;
    }
}
