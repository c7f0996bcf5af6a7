//! Decodes words into instructions.

use super::error::LoadError;
use rspirv::spirv::{MAGIC_NUMBER, Op};

/// SPIR-V's universal limit on ids.
const MAX_IDS: u32 = 0x3f_ffff;

/// An instruction and its operands, including result type and result id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction<'w> {
    pub(super) op: Op,
    pub(super) operands: &'w [u32],
    /// The index of its first word.
    pub(super) at: usize,
}

/// The instructions of a module.
pub(super) struct Instructions<'w> {
    words: &'w [u32],
    at: usize,
}

/// Checks the header and returns the instructions after it.
pub(super) fn instructions(words: &[u32]) -> Result<Instructions<'_>, LoadError> {
    match *words {
        [MAGIC_NUMBER, version, _, bound, 0, ..] => {
            if !(0x0001_0000..=0x0001_06ff).contains(&version) || version & 0xff != 0 {
                return Err(LoadError::Version(version));
            }
            if bound > MAX_IDS {
                return Err(LoadError::TooManyIds(bound));
            }
            Ok(Instructions { words, at: 5 })
        }
        _ => Err(LoadError::NotAModule),
    }
}

impl<'w> Iterator for Instructions<'w> {
    type Item = Result<Instruction<'w>, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let &first = self.words.get(at)?;
        let (count, code) = ((first >> 16) as usize, first & 0xffff);
        let Some(operands) = self.words[at..].get(1..count) else {
            self.at = self.words.len();
            return Some(Err(LoadError::Truncated { at }));
        };
        self.at += count;
        Some(match Op::from_u32(code) {
            Some(op) => Ok(Instruction { op, operands, at }),
            None => Err(LoadError::Opcode { name: format!("opcode {code}"), at }),
        })
    }
}

impl<'w> Instruction<'w> {
    /// An error about this instruction.
    pub(super) fn malformed(&self, what: impl Into<String>) -> LoadError {
        LoadError::Malformed { op: name(self.op), what: what.into(), at: self.at }
    }

    /// The operand at that index.
    pub(super) fn operand(&self, index: usize) -> Result<u32, LoadError> {
        self.operands.get(index).copied().ok_or_else(|| self.malformed("an operand is missing"))
    }

    /// The operands from that index on.
    pub(super) fn rest(&self, from: usize) -> Result<&'w [u32], LoadError> {
        self.operands.get(from..).ok_or_else(|| self.malformed("an operand is missing"))
    }

    /// Checks the number of operands.
    pub(super) fn exactly(&self, count: usize) -> Result<(), LoadError> {
        if self.operands.len() == count {
            return Ok(());
        }
        Err(self.malformed(format!("it has {} operands, not {count}", self.operands.len())))
    }

    /// The string that begins at that operand.
    pub(super) fn string(&self, index: usize) -> Result<String, LoadError> {
        let bytes: Vec<u8> = self.rest(index)?.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|&byte| byte == 0);
        let text = end.and_then(|end| String::from_utf8(bytes[..end].to_vec()).ok());
        text.ok_or_else(|| self.malformed("its string does not end or is not UTF-8"))
    }
}

/// The name of an instruction in SPIR-V's text.
pub(super) fn name(op: Op) -> String {
    format!("Op{op:?}")
}
