//! Instructions that a compiler executes although their author did not ask for it.
//!
//! A compiler may compute both arms of `c ? a : b` and select one. Then an instruction of the other arm is executed without
//! effect, and its undefined behaviour is none of the author's.

use rspirv::spirv::Op;

/// The condition under which an instruction is the author's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The result id of the instruction.
    pub instruction: u32,
    /// The id of a bool that is computed before the instruction.
    pub condition: u32,
    /// The value of the condition for which the author executes the instruction.
    pub when: bool,
}

impl Guard {
    /// Guards for the instructions of `code` whose result may be undefined.
    pub fn all(code: &[u32], condition: u32, when: bool) -> impl Iterator<Item = Self> {
        let mut rest = code;
        let instructions = std::iter::from_fn(move || {
            let length = (*rest.first()? >> 16).max(1) as usize;
            let (one, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            Some(one)
        });
        let may_be = |words: &&[u32]| Op::from_u32(words[0] & 0xffff).is_some_and(may_be_undefined);
        let result =
            move |words: &[u32]| Some(Self { instruction: *words.get(2)?, condition, when });
        instructions.filter(may_be).filter_map(result)
    }
}

/// True for an instruction with a result that SPIR-V leaves undefined for some operands.
pub fn may_be_undefined(op: Op) -> bool {
    matches!(
        op,
        Op::UDiv
            | Op::UMod
            | Op::SDiv
            | Op::SRem
            | Op::SMod
            | Op::FRem
            | Op::FMod
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::BitFieldInsert
            | Op::BitFieldSExtract
            | Op::BitFieldUExtract
            | Op::ConvertFToS
            | Op::ConvertFToU
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::ImageFetch
            | Op::Load
            | Op::ImageRead
            | Op::ExtInst
    )
}
