//! Composites: construction, extraction, insertion, shuffles.

use super::binary::Instruction;
use super::code::{Part, Step};
use super::error::LoadError;
use super::values::{Ids, ValueType, ZERO};
use rspirv::spirv::Op;

/// The step for an instruction that composes a value of type `kind`.
pub(super) fn composite(
    ids: &Ids,
    instruction: &Instruction<'_>,
    kind: ValueType,
    to: usize,
) -> Result<Step, LoadError> {
    let malformed = |what: &str| Err(instruction.malformed(what));
    let value = |id| ids.value(instruction, id);
    let operand = |index| instruction.operand(index);
    let words = kind.words();
    let mut parts = Vec::new();
    match instruction.op {
        Op::CompositeConstruct => {
            if kind.aggregate.is_some() {
                let given = instruction.rest(2)?;
                if given.len() != ids.parts(kind) {
                    return malformed("too few or too many parts");
                }
                for (index, &id) in given.iter().enumerate() {
                    let (of, at) = value(id)?;
                    if ids.part(kind, index).is_none_or(|(part, _)| part != of) {
                        return malformed("a part is of another type");
                    }
                    parts.push(Part { value: at, at, words: of.words() });
                }
                return Ok(Step::Compose { to, parts: parts.into() });
            }
            let mut given = 0;
            for &id in instruction.rest(2)? {
                let (of, at) = value(id)?;
                let fits = match kind.is_matrix() {
                    true => kind.part().is_some_and(|(column, _)| of == column),
                    false => of.aggregate.is_none() && of.scalar == kind.scalar && !of.is_matrix(),
                };
                if !fits || kind.is_scalar() {
                    return malformed("a part is of another type");
                }
                given += of.words();
                parts.push(Part { value: at, at, words: of.words() });
            }
            if given != words {
                return malformed("too few or too many components");
            }
        }
        Op::CompositeExtract => {
            let (of, at) = value(operand(2)?)?;
            let (found, from) = part(ids, instruction, of, instruction.rest(3)?)?;
            if found != kind {
                return malformed("its result is of another type");
            }
            parts.push(Part { value: at, at: at + from, words });
        }
        Op::CompositeInsert => {
            let (object, whole) = (value(operand(2)?)?, value(operand(3)?)?);
            let (found, from) = part(ids, instruction, kind, instruction.rest(4)?)?;
            if whole.0 != kind || object.0 != found {
                return malformed("its operands are of other types");
            }
            let end = from + found.words();
            let (object, whole) = (object.1, whole.1);
            parts.push(Part { value: whole, at: whole, words: from });
            parts.push(Part { value: object, at: object, words: found.words() });
            parts.push(Part { value: whole, at: whole + end, words: words - end });
        }
        _ => {
            let (first, second) = (value(operand(2)?)?, value(operand(3)?)?);
            let components = instruction.rest(4)?;
            let same =
                [first.0, second.0].iter().all(|k| k.scalar == kind.scalar && !k.is_matrix());
            if !same || kind.is_matrix() || components.len() != words {
                return malformed("its operands are of other types");
            }
            for &component in components {
                if component == u32::MAX {
                    // An undefined component may have any value.
                    parts.push(Part { value: first.1, at: ZERO, words: 1 });
                    continue;
                }
                let component = component as usize;
                let of_first = first.0.words();
                let (at, index) = match component.checked_sub(of_first) {
                    None => (first.1, component),
                    Some(index) if index < second.0.words() => (second.1, index),
                    Some(_) => return malformed("there is no such component"),
                };
                parts.push(Part { value: at, at: at + index, words: 1 });
            }
        }
    }
    Ok(Step::Compose { to, parts: parts.into() })
}

/// The type of the part at these indices, and its offset in words.
fn part(
    ids: &Ids,
    instruction: &Instruction<'_>,
    mut kind: ValueType,
    indices: &[u32],
) -> Result<(ValueType, usize), LoadError> {
    let mut before = 0;
    for &index in indices {
        match ids.part(kind, index as usize) {
            Some((part, words)) => {
                before += words;
                kind = part;
            }
            None => return Err(instruction.malformed(format!("there is no part {index}"))),
        }
    }
    Ok((kind, before))
}
