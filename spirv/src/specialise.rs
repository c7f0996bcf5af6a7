//! Other values for the specialisation constants of a module.

use rspirv::spirv::{Decoration, Op};
use std::collections::BTreeMap;

/// True if a module has specialisation constants.
pub fn has_constants(words: &[u32]) -> bool {
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (count, op) = ((first >> 16) as usize, first & 0xffff);
        if count == 0 {
            return false;
        }
        let scalars = [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant];
        if scalars.iter().any(|of| *of as u32 == op) {
            return true;
        }
        // Functions come last.
        if op == Op::Function as u32 {
            return false;
        }
        at += count;
    }
    false
}

/// Returns the words with new defaults for scalar specialisation constants, given by `SpecId`. For a
/// bool every word but 0 is true. Unknown ids are ignored, and words after a malformed instruction are
/// kept.
pub fn specialise(words: &[u32], values: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut words = words.to_vec();
    // New values by result id; decorations come before constants.
    let mut given: BTreeMap<u32, u32> = BTreeMap::new();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (count, op) = ((first >> 16) as usize, first & 0xffff);
        let Some(instruction) = words.get_mut(at..at + count).filter(|words| !words.is_empty())
        else {
            break;
        };
        match *instruction {
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
        at += count;
    }
    words
}
