//! Decodes words into instructions.

use crate::error::{RaiseError, Result};
use lambdav_spirv::MAX_IDS;
use rspirv::spirv::{MAGIC_NUMBER, Op};

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'w> {
    pub(crate) op: Op,
    /// All words after the first, including result type and result id.
    pub(crate) operands: &'w [u32],
    /// The index of its first word.
    pub(crate) at: usize,
}

/// Checks the header and returns the instructions after it.
pub(crate) fn instructions(words: &[u32]) -> Result<Vec<Instruction<'_>>> {
    let &[MAGIC_NUMBER, version, _, bound, 0, ..] = words else {
        return Err(RaiseError::malformed("this does not begin as a SPIR-V module does"));
    };
    if !(0x0001_0000..=0x0001_06ff).contains(&version) || version & 0xff != 0 {
        let [_, major, minor, _] = version.to_be_bytes();
        let what = format!("this is SPIR-V {major}.{minor}; versions 1.0 to 1.6 are read");
        return Err(RaiseError::unsupported(what));
    }
    if bound > MAX_IDS {
        let what = format!("it has {bound} ids; SPIR-V allows {MAX_IDS}");
        return Err(RaiseError::malformed(what));
    }
    let (mut all, mut at) = (Vec::new(), 5);
    while let Some(&first) = words.get(at) {
        let (count, code) = ((first >> 16) as usize, first & 0xffff);
        let Some(operands) = words[at..].get(1..count) else {
            return Err(RaiseError::malformed("an instruction is cut off").at(at, None));
        };
        let Some(op) = Op::from_u32(code) else {
            let what = format!("there is no instruction of the number {code}");
            return Err(RaiseError::malformed(what).at(at, None));
        };
        all.push(Instruction { op, operands, at });
        at += count;
    }
    Ok(all)
}

impl<'w> Instruction<'w> {
    /// The name of the instruction in SPIR-V text.
    pub(crate) fn name(&self) -> String {
        format!("Op{:?}", self.op)
    }

    /// An error: the module breaks a rule here.
    pub(crate) fn malformed(&self, what: &str) -> RaiseError {
        RaiseError::malformed(format!("{}: {what}", self.name())).at(self.at, None)
    }

    /// An error: this instruction is not supported.
    pub(crate) fn unsupported(&self, what: &str) -> RaiseError {
        RaiseError::unsupported(format!("{}: {what}", self.name())).at(self.at, None)
    }

    /// The operand at that index.
    pub(crate) fn operand(&self, index: usize) -> Result<u32> {
        self.operands.get(index).copied().ok_or_else(|| self.malformed("an operand is missing"))
    }

    /// The operands from that index on.
    pub(crate) fn rest(&self, from: usize) -> &'w [u32] {
        self.operands.get(from..).unwrap_or_default()
    }

    /// The string that begins at that operand, and its length in words.
    pub(crate) fn string(&self, from: usize) -> Result<(String, usize)> {
        let bytes: Vec<u8> = self.rest(from).iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|&byte| byte == 0);
        let end = end.ok_or_else(|| self.malformed("a string does not end"))?;
        Ok((String::from_utf8_lossy(&bytes[..end]).into_owned(), end / 4 + 1))
    }

    /// The ids that the instruction uses, including ids defined outside blocks. For an unknown
    /// instruction, all words may be ids.
    pub(crate) fn uses(&self) -> &'w [u32] {
        let (from, to) = match self.op {
            Op::Line
            | Op::NoLine
            | Op::Label
            | Op::Return
            | Op::Kill
            | Op::Unreachable
            | Op::Branch
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Variable
            | Op::Undef
            | Op::Nop => return &[],
            Op::Store | Op::CopyMemory => (0, 2),
            Op::AtomicStore | Op::ControlBarrier | Op::MemoryBarrier => (0, usize::MAX),
            Op::ReturnValue | Op::BranchConditional | Op::Switch => (0, 1),
            Op::Load | Op::CompositeExtract | Op::ArrayLength => (2, 3),
            Op::CompositeInsert | Op::VectorShuffle => (2, 4),
            Op::ImageFetch
            | Op::ImageRead
            | Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather => {
                // The mask of optional operands is no id, but may look like one.
                return self.rest(2);
            }
            Op::ExtInst => (4, usize::MAX),
            _ => (2, usize::MAX),
        };
        self.operands.get(from..to.min(self.operands.len())).unwrap_or_default()
    }

    /// The result id of an instruction in a block, if any.
    pub(crate) fn result(&self) -> Option<u32> {
        match self.op {
            Op::Line
            | Op::NoLine
            | Op::Nop
            | Op::Store
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::AtomicStore
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::DemoteToHelperInvocation
            | Op::Unreachable
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::ImageWrite => None,
            _ => self.operands.get(1).copied(),
        }
    }
}
