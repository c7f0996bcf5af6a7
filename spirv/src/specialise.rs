//! Other values for the specialisation constants of a module.

use rspirv::spirv::{Decoration, Op};
use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

/// The opcodes and places of a module's instructions, up to a malformed one.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, Range<usize>)> {
    let mut at = 5;
    iter::from_fn(move || {
        let first = words.get(at)?;
        let place = at..at + (first >> 16) as usize;
        words.get(place.clone()).filter(|words| !words.is_empty())?;
        at = place.end;
        Some((first & 0xffff, place))
    })
}

/// True if a module has specialisation constants.
pub fn has_constants(words: &[u32]) -> bool {
    let scalars = [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant];
    let is_it = |op: u32| scalars.iter().any(|of| *of as u32 == op);
    // Functions come last.
    let mut globals = instructions(words).take_while(|&(op, _)| op != Op::Function as u32);
    globals.any(|(op, _)| is_it(op))
}

/// Returns the words with new defaults for scalar specialisation constants, given by `SpecId`. For a
/// bool every word but 0 is true. Unknown ids are ignored, and words after a malformed instruction are
/// kept.
pub fn specialise(words: &[u32], values: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut changed = words.to_vec();
    // New values by result id; decorations come before constants.
    let mut given: BTreeMap<u32, u32> = BTreeMap::new();
    for (op, place) in instructions(words) {
        match changed[place] {
            [_, id, decoration, spec_id]
                if op == Op::Decorate as u32 && decoration == Decoration::SpecId as u32 =>
            {
                given.extend(values.get(&spec_id).map(|&value| (id, value)));
            }
            [ref mut first, _, id]
                if op == Op::SpecConstantTrue as u32 || op == Op::SpecConstantFalse as u32 =>
            {
                if let Some(&value) = given.get(&id) {
                    let op = if value != 0 { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                    *first = 3 << 16 | op as u32;
                }
            }
            [_, _, id, ref mut word] if op == Op::SpecConstant as u32 => {
                *word = given.get(&id).copied().unwrap_or(*word);
            }
            _ => {}
        }
    }
    changed
}
